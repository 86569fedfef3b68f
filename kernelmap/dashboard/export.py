"""The dashboard as files: which views are written, and what is in the folder besides.

Takes a store, writes pages that open from disk without a network. The views are those that links
lead to, breadth first from the first page, as many of each kind as LIMITS says; each page says at
its end how many were left out. The same store gives the same bytes.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

import pandas as pd
from plotly.offline import get_plotlyjs

from kernelmap.dashboard import export_folder
from kernelmap.dashboard.address import Address, address
from kernelmap.dashboard.archive import Archive, Known
from kernelmap.dashboard.downloads import MIMETYPES, written
from kernelmap.dashboard.extras import FOR_PAGES, require
from kernelmap.dashboard.filters import newest
from kernelmap.dashboard.page import Cell, Chart, Link, Page, Section, Table, Words
from kernelmap.dashboard.pages import PAGES
from kernelmap.dashboard.pages import page as page_of
from kernelmap.dashboard.series import gpu
from kernelmap.dashboard.static_page import Around, data_place, render
from kernelmap.store.store import Store
from kernelmap.version import VERSION

LIMITS: Mapping[str, int] = {
    "history": 80,
    "compare": 120,
    "run": 120,
    "item": 240,
    "runs": 20,
    "coverage": 40,
}
"""How many views of a page are written."""

_OTHERS = 40  # of a page that has no limit of its own
_OF_ONE: Mapping[str, int] = {"run": 24, "item": 30}  # of them, for what one page links to
_DEEPEST = 4  # links from the first page
_LEGIBLE = 60  # characters of a file's name
_WORDS: Mapping[str, str] = {"compare": "comparisons", "history": "histories"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written: pages, of how many runs, and how many views of each page were left out."""

    pages: int
    runs: int
    left_out: Mapping[str, int]

    @property
    def told(self) -> str | None:
        """What was left out, in one line."""
        if not self.left_out:
            return None
        texts = [f"{count:,} {_word(page, count)}" for page, count in self.left_out.items()]
        return f"linked, but not among these pages: {', '.join(texts)}"


def export(store: Store, target: Path) -> Exported:
    """Write the views of a store into the folder `target`, and what they need beside them.

    `target` is new, empty or an earlier export that nobody changed; it appears whole or not at all.
    Raises UsageError for another one, and KernelmapError where the store cannot be read.
    """
    require(*FOR_PAGES)
    export_folder.check(target)
    archive = Archive(store, patience=None)
    try:
        known = archive.look()
        if known.trouble is not None:
            raise known.trouble
        walk = _Walk(archive, known)
        export_folder.write(target, walk.write)
    finally:
        archive.close()
    return walk.exported


@dataclass
class _Walk:
    """The way through the views of one listing."""

    archive: Archive
    known: Known
    found: dict[Address, Page] = field(default_factory=dict)
    _stems: dict[Address, str] = field(default_factory=dict)
    _left: set[Address] = field(default_factory=set)
    _taken: Counter[str] = field(default_factory=Counter)
    _next: list[tuple[bool, int, int, Address]] = field(default_factory=list)

    @property
    def exported(self) -> Exported:
        """What there is now; views that another page brought in after all are not left out."""
        left_out = Counter(each.page for each in sorted(self._left - set(self._stems), key=_href))
        runs = self.known.listing.runs if self.known.listing else ()
        return Exported(pages=len(self.found), runs=len(runs), left_out=dict(left_out))

    def write(self, folder: Path) -> None:
        """Make all pages, their data, and the files that they share."""
        (folder / "data").mkdir()
        (folder / "static").mkdir()
        self._take(Address(), 0)
        while self._next:
            _, depth, _, asked = heapq.heappop(self._next)
            self._make(asked, depth, folder)
        footer = self._footer()
        titles = {name: title for name, (title, _make) in PAGES.items()}
        for asked, page in self.found.items():
            stem = self._stems[asked]
            around = Around(place_of=self._place_of, titles=titles, footer=footer, stem=stem)
            _put(folder / f"{stem}.html", render(page, asked, around))
        for name, text in _shared():
            _put(folder / "static" / name, text)

    def _make(self, asked: Address, depth: int, folder: Path) -> None:
        """Make one page, write its data, and take the views that it leads to."""
        page = page_of(asked, self.archive)
        stem = self._stems[asked]
        sections: list[Section] = []
        for each in page.sections:
            if not isinstance(each, Chart | Table):
                sections.append(each)
                continue
            for form in MIMETYPES:
                _put(folder / data_place(stem, each, form), written(each, form))
            sections.append(replace(each, data=pd.DataFrame()))  # all pages are held until the end
        self.found[asked] = replace(page, sections=tuple(sections))
        if depth < _DEEPEST:
            of_one: Counter[str] = Counter()
            for to in [Address(page=name) for name in PAGES] + list(_links(page)):
                if of_one[to.page] < _OF_ONE.get(to.page, LIMITS.get(to.page, _OTHERS)):
                    of_one[to.page] += self._take(to, depth + 1)
                else:
                    self._leave(to)

    def _take(self, to: Address, depth: int) -> bool:
        """Put a view on the way, if it is to be written and is new."""
        to = self._usual(to)
        if to in self._stems:
            return False
        if to.last is not None or to.find is not None:
            return False  # of each view one length, and nothing that only a reader can ask for
        if self._taken[to.page] >= LIMITS.get(to.page, _OTHERS):
            self._leave(to)
            return False
        self._taken[to.page] += 1
        self._stems[to] = _stem(to)
        heapq.heappush(self._next, (to.graph is not None, depth, len(self._stems), to))
        return True

    def _leave(self, to: Address) -> None:
        self._left.add(self._usual(to))

    def _place_of(self, to: Address) -> str | None:
        stem = self._stems.get(self._usual(to))
        return None if stem is None else f"{stem}.html"

    def _usual(self, to: Address) -> Address:
        """The shortest address of the same view."""
        runs = self.known.listing.runs if self.known.listing else ()
        if runs and to.gpu == gpu(runs[-1].facts):
            to = to.but(gpu=None)
        if to.last is not None and newest(to) == newest(to.but(last=None)):
            to = to.but(last=None)
        return to

    def _footer(self) -> list[str]:
        runs = self.known.listing.runs if self.known.listing else ()
        of = (
            f" from {len(runs):,} runs, the newest of {runs[-1].facts.created[:16]}" if runs else ""
        )
        lines = [f"Written by kernelmap {VERSION}{of.replace('T', ' ')}."]
        told = self.exported.told
        if told is not None:
            lines.append(f"{told[0].upper()}{told[1:]}. The live dashboard has all of them.")
        return lines


def _links(page: Page) -> Iterator[Address]:
    """The views that a page leads to, in its order; of a chart's points the comparisons."""
    for menu in page.menus:
        yield from (each.to for each in menu.options)
    for section in page.sections:
        if isinstance(section, Chart):
            yield from _in(section.about)
            yield from _of_points(section)
        elif isinstance(section, Table):
            yield from _in(section.about)
            for row in section.rows:
                yield from _in(row.cells)
        elif isinstance(section, Words):
            for line in section.lines:
                yield from _in(line)


def _in(cells: tuple[Cell, ...]) -> Iterator[Address]:
    yield from (each.to for each in cells if isinstance(each, Link))


def _of_points(chart: Chart) -> Iterator[Address]:
    for trace in chart.figure.data:
        if trace.customdata is None:
            continue
        for href in trace.customdata:
            if isinstance(href, str) and href.startswith("/compare?"):
                yield address(*href.split("?", 1))


def _stem(to: Address) -> str:
    """The name of a view's file without suffix: legible, and no two are the same."""
    if to == Address():
        return "index"
    legible = re.sub(r"[^a-z0-9.]+", "-", "-".join([to.page, *to.said.values()]).lower())
    digest = hashlib.sha256(to.href.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{legible[:_LEGIBLE].strip('-.')}-{digest}"


def _shared() -> Iterator[tuple[str, str]]:
    """The files that all pages use."""
    here = files("kernelmap.dashboard")
    for name in ("page.css", "page.js"):
        yield name, (here / "static" / name).read_text("utf-8")
    yield "draw.js", (here / "disk" / "draw.js").read_text("utf-8")
    yield "plotly.min.js", get_plotlyjs()


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def _href(to: Address) -> str:
    return to.href


def _word(page: str, count: int) -> str:
    return page if count == 1 else _WORDS.get(page, page if page.endswith("s") else f"{page}s")
