"""The first page: what changed, and why; how long a step took, run after run.

A table of the marks, newest first, each with the causes that the comparison of the runs around it
finds, and one chart over the series of a device (of all their time, or of one graph's).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernelmap.dashboard import figures
from kernelmap.dashboard.archive import Archive, NotYetError, attempt, still
from kernelmap.dashboard.causes import causes_of_run, explained, table, waiting
from kernelmap.dashboard.filters import axis, chosen, menus, newest
from kernelmap.dashboard.series import Series, data_of
from kernelmap.history.store.refs import said
from kernelmap.pages.address import Address
from kernelmap.pages.page import Figure, Page, Section, WaitingNote
from kernelmap.pages.text import format_bytes, format_percent, make_visible


def history_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/?branch=main&gpu=…&graph=0_forward&last=200`."""

    def sections() -> Sequence[Section]:
        series, waits = _series(address, archive)
        whole = "all time" if address.graph is None else f"graph {make_visible(address.graph)}"
        per = series[0].unit if series else "step"
        chart = Figure(
            id="times",
            title=f"Time per {per}: {whole}",
            plot=figures.over_runs(series, last=newest(address), axis=axis(address)),
            data=data_of(series),
            about=(
                "Triangles: a new level. Diamonds: other code, same time. Click to see why. ",
                f"A line is {said(archive.series)}.",
            ),
        )
        charts = [chart, *_of_limit(series, address), *_peaks(series, address)]
        # Causes are asked for only when all marks are known: with changes of code, levels may move.
        if waits:
            return [waits, *charts]
        rows = explained(series, archive, causes_of_run)
        changes = table(rows, series, heading="causes", empty="Nothing changed its level.")
        return [changes, *waiting(rows), *charts]

    return Page(
        title="History", sections=attempt(sections), menus=menus(address, archive, graphs=True)
    )


def _of_limit(series: Sequence[Series], address: Address) -> Sequence[Figure]:
    """The share of the device's limit, run after run, where runs know it: of all time only."""
    data = data_of(series)
    # A single graph has no share of the limit of its own in this frame.
    if address.graph is not None or data.empty or not data["of_limit"].notna().any():
        return ()
    last, shown = newest(address), axis(address)
    plot = figures.beside(
        series, "of_limit", format_percent, last=last, axis=shown, ticks=figures.SHARE
    )
    return (
        Figure(
            id="of_limit",
            title="Share of the device's limit, of the calls whose limit is known",
            plot=plot,
            data=data[["branch", "run", "of_limit"]],
        ),
    )


def _peaks(series: Sequence[Series], address: Address) -> Sequence[Figure]:
    """The highest peak of memory of the graphs, run after run, where the code of runs says it."""
    data = data_of(series)
    # What a run keeps is the highest of all its graphs.
    if address.graph is not None or data.empty or not data["peak_bytes"].notna().any():
        return ()
    last, shown = newest(address), axis(address)

    def say(number: float) -> str:
        return "" if math.isnan(number) else format_bytes(int(number))

    plot = figures.beside(series, "peak_bytes", say, last=last, axis=shown, ticks=figures.BYTES)
    return (
        Figure(
            id="peak_bytes",
            title="Memory by the code: the highest peak of a graph, in bytes",
            plot=plot,
            data=data[["branch", "run", "peak_bytes"]],
            about=("Compare two runs to see which buffers made it change.",),
        ),
    )


def _series(address: Address, archive: Archive) -> tuple[tuple[Series, ...], WaitingNote | None]:
    """The series, at first without the marks that need the calls of all runs."""
    try:
        return chosen(address, archive), None
    except NotYetError as error:
        return chosen(address, archive, marked=False), still(error)
