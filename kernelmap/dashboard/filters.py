"""The choice of branch, GPU, graph and length, and the series that it leaves.

Takes an address and the archive, gives series and the menus above the page. The GPU that is not
chosen is that of the newest run: times of different GPUs never share a chart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.page import Link, Menu
from kernelmap.dashboard.series import Series, runs_frame, series
from kernelmap.errors import KernelmapError
from kernelmap.outputs.text import visible

if TYPE_CHECKING:
    import pandas as pd

LAST = (100, 500, 2000)
_USUAL = 500
_EVERYTHING = "everything"
_ALL = 10**9  # `last` of a URL that asks for all runs


def chosen(address: Address, archive: Archive, *, marked: bool = True) -> tuple[Series, ...]:
    """The series that an address asks for, with the marks of other code only if `marked`.

    Raises NotYetError and what the store raises.
    """
    frame = runs_of(address, archive)
    if address.graph is not None:
        frame = _of_graph(frame, address.graph, archive)
    structures = archive.structures() if marked else None
    key = ("series", archive.known.generation, address.branch, address.gpu, address.graph, marked)
    return archive.ask(key, "looking for changes", lambda _: series(frame, structures))


def runs_of(address: Address, archive: Archive) -> pd.DataFrame:
    """The runs of the branch and GPU that an address asks for, as runs_frame tells of them."""
    frame = runs(archive)
    frame = frame[frame["gpu"] == _gpu(address, frame)]
    return frame if address.branch is None else frame[frame["branch"] == address.branch]


def newest(address: Address) -> int | None:
    """How many runs of a branch are drawn; None for all."""
    return None if address.last == _ALL else address.last or _USUAL


def menus(address: Address, archive: Archive, *, graphs: bool = False) -> tuple[Menu, ...]:
    """The menus of an address; empty while nothing is known of the store."""
    try:
        frame = runs(archive)
    except NotYetError:
        return ()
    if frame.empty:
        return ()
    now = _gpu(address, frame)
    found = [
        _menu("branch", address, address.branch, ["all", *_unique(frame["branch"])], all_of="all"),
        _menu("gpu", address, now, _unique(frame["gpu"])),
    ]
    if graphs:
        names = _graphs(archive)
        if names:
            shown = ["all GPU time", *names]
            found.append(_menu("graph", address, address.graph, shown, all_of="all GPU time"))
    return (*found, _lengths(address))


def runs(archive: Archive) -> pd.DataFrame:
    """All runs as series.runs_frame gives them."""
    known = archive.known

    def work(_: object) -> pd.DataFrame:
        return runs_frame(known.listing.runs if known.listing else ())

    return archive.ask(("runs", known.generation), "reading the list of runs", work)


def _gpu(address: Address, frame: pd.DataFrame) -> str:
    if address.gpu is not None:
        return address.gpu
    return str(frame["gpu"].iloc[-1]) if len(frame) else ""


def _of_graph(frame: pd.DataFrame, graph: str, archive: Archive) -> pd.DataFrame:
    """The frame with the time of one graph; runs without it are left out."""
    rows = archive.history("graphs", {"graph": graph})
    times = dict(zip(rows["run"], rows["time_ns"], strict=True))
    own = frame[frame["run"].isin(times)].copy()
    whole = own["run"].map(times).astype(float)
    own["time_ns"] = whole / own["steps"]
    return own[own["time_ns"] > 0]


def _graphs(archive: Archive) -> list[str]:
    try:
        rows = archive.history("graphs", {})
    except (NotYetError, KernelmapError):
        return []
    return sorted(_unique(rows["graph"].dropna()))


def _menu(
    label: str, address: Address, now: str | None, values: Iterable[str], all_of: str | None = None
) -> Menu:
    options = tuple(
        Link(visible(value), address.but(**{label: None if value == all_of else value}))
        for value in values
    )
    return Menu(label=label, chosen=visible(now or all_of or ""), options=options)


def _lengths(address: Address) -> Menu:
    options = [Link(f"newest {count}", address.but(last=count)) for count in LAST]
    now = newest(address)
    return Menu(
        label="runs",
        chosen=_EVERYTHING if now is None else f"newest {now}",
        options=(*options, Link(_EVERYTHING, address.but(last=_ALL))),
    )


def _unique(values: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values))
