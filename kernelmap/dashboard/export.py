"""The dashboard as files: which views are written, and what is in the folder besides.

Takes a store, writes pages that open from disk without a network. The views are those that links
lead to, breadth first from the first page, where the newest and marked runs stand: as many of each
kind as LIMITS says, or all of them. Each page says at its end how many were left out, and how to
have them. Points of charts that stand for runs are not followed: a chart has hundreds. The same
store gives the same bytes.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path

import pandas as pd
from msgspec import Struct, field
from msgspec.structs import replace

from kernelmap.dashboard import export_folder
from kernelmap.dashboard.archive import Archive, Snapshot
from kernelmap.dashboard.extras import FOR_PAGES, require
from kernelmap.dashboard.html_page import Around, data_places, render_page, shared_files
from kernelmap.dashboard.pages import PAGES, page_at
from kernelmap.dashboard.project import Project
from kernelmap.history.store.store import Store
from kernelmap.pages.address import HOME, Address, parse_address
from kernelmap.pages.csv import written
from kernelmap.pages.page import Bar, Cells, Figure, Link, Note, Page, PageCell, PageTable, Section
from kernelmap.pages.render.html import Places
from kernelmap.version import VERSION

LIMITS: Mapping[str, int] = {
    "history": 8,
    "compare": 16,
    "items": 6,
    "item": 24,
    "runs": 1,
    "run": 10,
    "fleet": 6,
    "coverage": 1,
}
"""How many views of a page are written unless all are; of a page that is not here none.

Together some 70: each takes 0.05 to 0.1 s and 0.1 MB, and a CI job waits for them.
"""

_FOLLOWED = "/compare?"  # the addresses of points that are followed
_OF_ONE = 8  # views of a page that one view of another leads to; those of a history all
_BRANCHES = 4  # whose newest runs are written whatever else is
_DEEPEST = 3  # links from the first page
_LEGIBLE = 60  # characters of a file's name
_WORDS: Mapping[str, tuple[str, str]] = {
    "history": ("history", "histories"),
    "compare": ("comparison", "comparisons"),
    "items": ("list of ops or calls", "lists of ops or calls"),
    "item": ("op or call", "ops or calls"),
    "runs": ("list of runs", "lists of runs"),
    "run": ("table of a run", "tables of runs"),
    "fleet": ("page of a fleet", "pages of fleets"),
    "coverage": ("page of coverage", "pages of coverage"),
}
"""What one view of a page is called where it is left out, and what several are."""
_READ: Mapping[str, frozenset[str]] = {
    "item": frozenset(("branch", "gpu", "tags", "kind", "key", "last", "axis", "per")),
    "items": frozenset(("branch", "gpu", "tags", "kind", "by", "find", "at", "last", "per")),
    "runs": frozenset(("branch", "gpu", "tags", "find", "at")),
    "run": frozenset(("run", "by", "at")),
    "compare": frozenset(("before", "after", "by")),
    "fleet": frozenset(("run", "by", "kind", "key")),
    "coverage": frozenset(("branch", "gpu", "tags", "last", "per")),
}
"""What pages read of their address; what they do not makes no other view. Of others: all."""


Report = Callable[[int, int], None]
"""Says how far an export is: pages made, and pages that are known to follow."""


class Exported(Struct, frozen=True, kw_only=True):
    """What was written: pages, of how many runs, and how many views of each page were left out.

    Left out is what `whole` would have written; what never is on disk is not counted.
    """

    pages: int
    runs: int
    left_out: Mapping[str, int]

    @property
    def summary(self) -> str | None:
        """What was left out, in one line."""
        if not self.left_out:
            return None
        texts = [
            f"{many:,} {_WORDS.get(page, (page, page))[many > 1]}"
            for page, many in self.left_out.items()
        ]
        return f"linked, but not among these pages: {', '.join(texts)}. {_MORE}"


_MORE = "`kernelmap dashboard --export DIR --all` writes them as well."
_LIVE = (
    "Other lengths and axes of charts, other pairs of runs and searches: `kernelmap dashboard` "
    "shows them live."
)


def export_pages(
    store: Store,
    target: Path,
    *,
    whole: bool = False,
    series: tuple[str, ...] = (),
    project: Project | None = None,
    report: Report | None = None,
) -> Exported:
    """Write the views of a store into the folder `target`, and what they need beside them.

    `whole` writes every view that links lead to, not the newest and marked ones alone. `series`
    are the tags that tell series apart, `project` says where commits and authors are shown,
    `report` hears after each page how far it is. `target` is new, empty or an earlier export that
    nobody changed; it appears whole or not at all. Raises UsageError for another one, and
    KernelmapError where the store cannot be read.
    """
    require(*FOR_PAGES)
    export_folder.check(target)
    archive = Archive(store, patience=None, series=series, project=project or Project())
    try:
        snapshot = archive.look()
        if snapshot.trouble is not None:
            raise snapshot.trouble
        walk = _Walk(archive, snapshot, whole, report or (lambda _made, _follow: None))
        export_folder.write(target, walk.write)
    finally:
        archive.close()
    return walk.exported


class _Walk(Struct):
    """The way through the views of one listing."""

    archive: Archive
    snapshot: Snapshot
    whole: bool
    report: Report
    pages: dict[Address, Page] = {}
    _stems: dict[Address, str] = {}
    _same: dict[Address, Address] = {}
    _seen: set[Address] = set()
    _pushed: set[Address] = set()
    _taken: Counter[str] = field(default_factory=Counter)
    _next: list[tuple[bool, int, int, Address]] = []
    _order: Iterator[int] = field(default_factory=count)

    @property
    def exported(self) -> Exported:
        """What there is now."""
        missing = sorted(view.page for view in self._seen if self._place_of(view) is None)
        runs = self.snapshot.listing.runs if self.snapshot.listing else ()
        return Exported(pages=len(self.pages), runs=len(runs), left_out=Counter(missing))

    def write(self, folder: Path) -> None:
        """Make all pages, their data, and the files that they share."""
        (folder / "data").mkdir()
        (folder / "static").mkdir()
        # The pages of the menu come first, whatever the limits leave of the rest.
        for name in ("", *PAGES):
            self._push(Address(page=name) if name else Address(), 0)
        for run_id in self._newest():
            self._push(_read(Address(page="run", run=run_id)), 0)
        # Views nearest to the first page come first, as many of each kind as there is room for.
        while self._next:
            _, depth, _, asked = heapq.heappop(self._next)
            # Another page may stand for this view meanwhile, or its kind has no room left.
            if self._place_of(asked) is None and self._has_room(asked):
                self._taken[asked.page] += 1
                self._stems[asked] = _stem(asked)
                self._make(asked, depth, folder)
                self.report(len(self.pages), self._following())
        footer = self._footer()
        titles = {name: title for name, (title, _make) in PAGES.items()}
        # Only now is it known which views are written: links to others are not drawn as links.
        for asked, page in self.pages.items():
            stem = self._stems[asked]
            places = Places(view=self._place_of, data=partial(data_places, stem))
            around = Around(places=places, static="static/", titles=titles, footer=footer)
            _put(folder / f"{stem}.html", render_page(page, asked, around))
        for name, text in shared_files().items():
            _put(folder / "static" / name, text)

    def _newest(self) -> list[str]:
        """The newest run of each branch, the newest branches first."""
        by_branch: dict[str | None, str] = {}
        for run in reversed(self.snapshot.listing.runs if self.snapshot.listing else ()):
            by_branch.setdefault(run.facts.branch, run.id)
        return [*by_branch.values()][:_BRANCHES]

    def _has_room(self, asked: Address) -> bool:
        """Whether another view of this page is to be written."""
        return self.whole or self._taken[asked.page] < LIMITS[asked.page]

    def _following(self) -> int:
        """How many of the queued views are going to be written; these may lead to others."""
        queued = Counter(to.page for _, _, _, to in self._next if self._place_of(to) is None)
        if self.whole:
            return queued.total()
        return sum(min(n, LIMITS[name] - self._taken[name]) for name, n in queued.items())

    def _make(self, asked: Address, depth: int, folder: Path) -> None:
        """Make one page, write its data, and queue the views that it leads to."""
        page = page_at(asked, self.archive)
        stem = self._stems[asked]
        sections: list[Section] = []
        for section in page.sections:
            if not isinstance(section, Figure | PageTable):
                sections.append(section)
                continue
            for form, place in data_places(stem, section):
                _put(folder / place, written(section, form))
            nothing = pd.DataFrame()  # all pages are held until the end
            sections.append(
                replace(section, data=nothing)
                if isinstance(section, Figure)
                else replace(section, frame=nothing)
            )
        self.pages[asked] = replace(page, sections=tuple(sections))
        for menu in page.menus:
            for option in menu.options:
                # The chosen option of a menu leads to the page itself, under an address that says
                # what is usual.
                if option.text == menu.chosen:
                    self._same.setdefault(_read(option.to), asked)
        self._push_links(asked, page, depth)

    def _push_links(self, asked: Address, page: Page, depth: int) -> None:
        """Queue the views that a page leads to, as many of each kind as are followed."""
        of_one: Counter[str] = Counter()
        for to in map(_read, links(page)):
            if not _leads_on(asked, to):
                # Links from run to run, and to other lengths and axes, would lead on without an
                # end.
                continue
            self._seen.add(to)
            if to in self._pushed:
                continue
            of_one[to.page] += 1
            # The first page may lead to any number of views of a page, another one to a few.
            few = depth < _DEEPEST and (asked.page == HOME or of_one[to.page] <= _OF_ONE)
            if self.whole or few:
                self._push(to, depth + 1)

    def _push(self, to: Address, depth: int) -> None:
        """Queue a view. Views of everything come before views of a part."""
        self._pushed.add(to)
        if to.page in LIMITS:
            # A single graph, another order or a further page of rows is a part.
            part = to.graph is not None or to.by is not None or to.at is not None
            heapq.heappush(self._next, (part, depth, next(self._order), to))

    def _place_of(self, to: Address) -> str | None:
        read = _read(to)
        # The view itself, or the one that shows the same under another address.
        stem = self._stems.get(read) or self._stems.get(self._same.get(read, read))
        return None if stem is None else f"{stem}.html"

    def _footer(self) -> list[str]:
        runs = self.snapshot.listing.runs if self.snapshot.listing else ()
        of = (
            f" from {len(runs):,} runs, the newest of {runs[-1].facts.created[:16]}" if runs else ""
        )
        lines = [f"Written by kernelmap {VERSION}{of.replace('T', ' ')}."]
        summary = self.exported.summary
        if summary is not None:
            lines.append(f"{summary[0].upper()}{summary[1:]}")
        if runs:
            lines.append(_LIVE)
        return lines


def _stem(to: Address) -> str:
    """The name of a view's file without suffix: legible, and no two are the same."""
    if to == Address():
        return "index"
    legible = re.sub(r"[^a-z0-9.]+", "-", "-".join([to.page, *to.said.values()]).lower())
    digest = hashlib.sha256(to.href.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{legible[:_LEGIBLE].strip('-.')}-{digest}"


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def _read(to: Address) -> Address:
    """The address without what its page does not read."""
    if to.page not in _READ:
        return to
    return Address(page=to.page, **{name: getattr(to, name) for name in _READ[to.page]})


def _leads_on(asked: Address, to: Address) -> bool:
    """Whether a link is followed: to views of usual length, and not from run to run forever."""
    if any(choice is not None for choice in (to.last, to.find, to.axis, to.per)):
        return False
    # Within a page only other views of the same runs are followed, but all from its plain address.
    runs = [(view.page, view.run, view.before, view.after) for view in (asked, to)]
    return asked.page != to.page or runs[0] == runs[1] or asked == Address(page=to.page)


def links(page: Page) -> Iterator[Address]:
    """The addresses, in the page's order; one that stands there twice comes twice."""
    for menu in page.menus:
        yield from (option.to for option in menu.options)
    for section in page.sections:
        for cell in _cells(section):
            if isinstance(cell, Link) and not cell.leaves and cell.url is None:
                yield cell.to
    for section in page.sections:
        if isinstance(section, Figure):
            yield from _of_points(section)


def _cells(section: Section) -> Iterator[PageCell]:
    """All that stands in a section, texts among it."""
    if isinstance(section, Figure | PageTable):
        yield from section.about
    if isinstance(section, PageTable):
        for row in section.rows:
            for cells in row.cells:
                yield from _parts(cells)
    elif isinstance(section, Note):
        for line in section.lines:
            yield from line


def _parts(cells: Cells) -> tuple[PageCell, ...]:
    if isinstance(cells, Bar):
        return ()
    return cells if isinstance(cells, tuple) else (cells,)


def _of_points(chart: Figure) -> Iterator[Address]:
    for trace in chart.plot.data:
        if trace.customdata is None:
            continue
        for href in trace.customdata:  # cells of heat maps stand in lists; they lead to ranks
            if isinstance(href, str) and href.startswith(_FOLLOWED):
                yield parse_address(*href.split("?", 1))
