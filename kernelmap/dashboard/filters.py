"""The choice of branch, device, tags, graph and length, and the series that it leaves.

Takes an address and the archive, gives series and the menus above the page. The device that is not
chosen is that of the newest run: times of different devices never share a chart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.axes import AXES
from kernelmap.dashboard.series import Series, runs_frame, series_of_frame
from kernelmap.errors import KernelmapError
from kernelmap.history.store.refs import ACKNOWLEDGED, bearing
from kernelmap.pages.address import Address
from kernelmap.pages.page import Link, Menu
from kernelmap.pages.text import make_visible

if TYPE_CHECKING:
    import pandas as pd

LAST = (100, 500, 2000)
_USUAL = 500
_EVERYTHING = "everything"
_ALIKE = "branch"
_ANY = "any"
_FEW, _MENUS = 12, 4  # values of a tag that make a menu; menus of tags
_ALL = 10**9  # `last` of a URL that asks for all runs


def chosen(address: Address, archive: Archive, *, marked: bool = True) -> tuple[Series, ...]:
    """The series that an address asks for, with the marks of other code only if `marked`.

    Raises NotYetError and what the store raises.
    """
    frame = runs_of(address, archive)
    if address.graph is not None:
        frame = _of_graph(frame, address.graph, archive)
    structures = archive.structures() if marked else None
    which = (*address.choice, address.graph, marked)
    key = ("series", archive.snapshot.generation, *which)
    return archive.ask(key, "looking for changes", lambda _: series_of_frame(frame, structures))


def runs_of(address: Address, archive: Archive) -> pd.DataFrame:
    """The runs of the branch, device and tags that an address asks for, as runs_frame has them."""
    frame = _tagged(address, archive)
    # Times of two devices never stand in one chart, so a device is always chosen.
    frame = frame[frame["gpu"] == _gpu(address, frame)]
    return frame if address.branch is None else frame[frame["branch"] == address.branch]


def newest(address: Address) -> int | None:
    """How many runs of a branch are drawn; None for all."""
    return None if address.last == _ALL else address.last or _USUAL


def menus(
    address: Address, archive: Archive, *, graphs: bool = False, axes: bool = True
) -> tuple[Menu, ...]:
    """The menus of an address; empty while nothing is known of the store."""
    try:
        frame = runs(archive)
    except NotYetError:
        return ()
    if frame.empty:
        return ()
    menus_shown = which_runs(address, archive)
    if graphs:
        names = _graphs(archive)
        if names:
            shown = ["all time", *names]
            menus_shown.append(_menu("graph", address, address.graph, shown, all_of="all time"))
    menus_shown += _per(address, archive)
    if axes:
        words = tuple(Link(name, address.with_changes(axis=name)) for name in AXES)
        menus_shown.append(Menu(label="axis", chosen=axis(address), options=words))
    return (*menus_shown, _lengths(address))


def axis(address: Address) -> str:
    """What runs are placed by."""
    return address.axis if address.axis in AXES else AXES[0]


def _per(address: Address, archive: Archive) -> list[Menu]:
    """The choice of a tag of which each value is a series; none without tags."""
    listing = archive.snapshot.listing
    # A tag may tell series apart if any run bears it.
    keys = {key for run in (listing.runs if listing else ()) for key in run.tags}
    # Tags that tell series apart already need no choice.
    keys -= {*archive.series, ACKNOWLEDGED}
    if not keys:
        return []
    options = (
        Link(_ALIKE, address.with_changes(per=None)),
        *(Link(make_visible(key), address.with_changes(per=key)) for key in sorted(keys)[:_FEW]),
    )
    return [Menu(label="series by", chosen=make_visible(address.per or _ALIKE), options=options)]


def which_runs(address: Address, archive: Archive) -> list[Menu]:
    """The menus of branch, device and tags; none while nothing is known of the store."""
    try:
        frame = runs(archive)
    except NotYetError:
        return []
    if frame.empty:
        return []
    now = _gpu(address, _tagged(address, archive))
    return [
        _menu("branch", address, address.branch, ["all", *_unique(frame["branch"])], all_of="all"),
        _menu("device", address, now, _unique(frame["gpu"]), field="gpu"),
        *tag_menus(address, archive),
    ]


def tag_menus(address: Address, archive: Archive) -> list[Menu]:
    """A menu per tag that separates series, then per tag that has a few values."""
    values: dict[str, set[str]] = {key: set() for key in archive.series}
    for run in archive.snapshot.listing.runs if archive.snapshot.listing else ():
        for key, value in run.tags.items():
            if key == ACKNOWLEDGED:
                continue
            values.setdefault(key, set()).add(value)
    chosen = address.tagged
    few = [
        key
        for key, texts in values.items()
        # A tag that is chosen keeps its menu, so that the choice can be taken back. Of the others,
        # a tag with one value or with many makes no useful menu.
        if key in chosen or (texts and (key in archive.series or 1 < len(texts) <= _FEW))
    ]
    return [
        Menu(
            label=make_visible(key),
            chosen=make_visible(chosen.get(key, _ANY)),
            options=(
                Link(_ANY, address.with_tag(key, None)),
                *(
                    Link(make_visible(value), address.with_tag(key, value))
                    for value in sorted(values[key])
                ),
            ),
        )
        for key in few[: max(_MENUS, len(archive.series))]
    ]


def runs(archive: Archive, per: str | None = None) -> pd.DataFrame:
    """All runs as series.runs_frame gives them; the tag `per` tells series apart, too."""
    snapshot = archive.snapshot
    apart = archive.series if per is None else (*archive.series, per)

    def work(_: object) -> pd.DataFrame:
        listed = snapshot.listing.runs if snapshot.listing else ()
        # A run that bears no figures is in no series: it would be a change that nothing made.
        return runs_frame([run for run in listed if not run.refused], apart)

    return archive.ask(("runs", snapshot.generation, per), "reading the list of runs", work)


def _tagged(address: Address, archive: Archive) -> pd.DataFrame:
    """The runs that bear the tags of an address."""
    frame, listing = runs(archive, address.per), archive.snapshot.listing
    if not address.tagged or listing is None:
        return frame
    return frame[frame["run"].isin([run.id for run in bearing(listing.runs, address.tagged)])]


def _gpu(address: Address, frame: pd.DataFrame) -> str:
    if address.gpu is not None:
        return address.gpu
    # The frame is in the order of the listing, so its last run is the newest.
    return str(frame["gpu"].iloc[-1]) if len(frame) else ""


def _of_graph(frame: pd.DataFrame, graph: str, archive: Archive) -> pd.DataFrame:
    """The frame with the time of one graph; runs without it are left out."""
    rows = archive.history("graphs", {"graph": graph})
    times = dict(zip(rows["run"], rows["time_ns"], strict=True))
    having = frame[frame["run"].isin(times)].copy()
    whole = having["run"].map(times).astype(float)
    having["time_ns"] = whole / having["steps"]
    # A graph that took no time in a run has no level there.
    return having[having["time_ns"] > 0]


def _graphs(archive: Archive) -> list[str]:
    try:
        rows = archive.history("graphs", {})
    except (NotYetError, KernelmapError):
        return []
    return sorted(_unique(rows["graph"].dropna()))


def _menu(
    label: str,
    address: Address,
    now: str | None,
    values: Iterable[str],
    *,
    all_of: str | None = None,
    field: str | None = None,
) -> Menu:
    """`field` is that of Address where it is called otherwise."""
    options = tuple(
        Link(
            make_visible(value),
            address.with_changes(**{field or label: None if value == all_of else value}),
        )
        for value in values
    )
    return Menu(label=label, chosen=make_visible(now or all_of or ""), options=options)


def _lengths(address: Address) -> Menu:
    options = [Link(f"newest {count}", address.with_changes(last=count)) for count in LAST]
    now = newest(address)
    return Menu(
        label="runs",
        chosen=_EVERYTHING if now is None else f"newest {now}",
        options=(*options, Link(_EVERYTHING, address.with_changes(last=_ALL))),
    )


def _unique(values: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values))
