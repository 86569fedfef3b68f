"""All time of the window as a treemap: by modules in one another, source line and op.

A saved result does not know these together, and has graphs and calls. The parts add up to the
window. Parts too small to be seen are drawn as one, which says how many they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import plotly.graph_objects as go
from msgspec import Struct

from kernelmap.attribution.places import smallest_parts
from kernelmap.model.module_paths import module_tree
from kernelmap.model.notices import format_count
from kernelmap.pages.charts.template import make_template, plain_text
from kernelmap.pages.columns import VIEWS
from kernelmap.pages.report.shared import Records
from kernelmap.pages.text import format_duration, format_percent
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import whole_number
from kernelmap.tables.schema import TABLES

Path = tuple[str, ...]
_SMALLEST = 0.001  # of the whole; what takes less is drawn with its like
_ALL = "all time"
_HEIGHT = 520


class _Sector(Struct, frozen=True, kw_only=True):
    """One rectangle; `path` from the outside in."""

    path: Path
    label: str
    time_ns: int


def draw_treemap(tables: Tables, records: Records | None) -> go.Figure:
    """The window's time as rectangles in rectangles; without records by graph and call."""
    times = _graphs_and_calls(tables) if records is None else _modules_and_lines(records)
    total = sum(times.values())
    # `+times` leaves out parts without time.
    sectors = list(_iter_sectors(+times, (), _SMALLEST * total))
    shares = [sector.time_ns / total if total else None for sector in sectors]
    texts = [
        f"<b>{plain_text(sector.label)}</b><br>{format_duration(sector.time_ns)} · "
        f"{format_percent(share)}"
        for sector, share in zip(sectors, shares, strict=True)
    ]
    # Plotly finds the rectangle around another one by its id, so paths get short ones.
    names = {sector.path: str(number) for number, sector in enumerate(sectors)}
    figure = go.Figure(
        go.Treemap(
            ids=list(names.values()),
            labels=[plain_text(sector.label) for sector in sectors],
            parents=[names.get(sector.path[:-1], "") if sector.path else "" for sector in sectors],
            values=[sector.time_ns for sector in sectors],
            branchvalues="total",
            texttemplate="%{label}<br>%{percentRoot:.1%}",
            hovertext=texts,
            hovertemplate="%{hovertext}<extra></extra>",
            maxdepth=6,
        )
    )
    return figure.update_layout(
        template=make_template(margin={"l": 4, "r": 4, "t": 4, "b": 4}), height=_HEIGHT
    )


def _modules_and_lines(records: Records) -> Counter[Path]:
    times: Counter[Path] = Counter()
    given = (records.program, records.trace, records.matching, records.attribution)
    parts = smallest_parts(*given)
    # Time without a known module has a name in parentheses, which is in no tree.
    around = module_tree(leaf.module for leaf in parts if not leaf.module.startswith("("))
    for leaf in parts:
        times[*around.get(leaf.module, (leaf.module,)), leaf.line, leaf.op] += leaf.time_ns
    return times


def _graphs_and_calls(tables: Tables) -> Counter[Path]:
    times: Counter[Path] = Counter()
    for row in rows_of_frame(TABLES["calls"], tables.frame("calls")):
        title = VIEWS["calls"].title(row)
        path = (str(row["graph"]), title) if row["graph"] else (title,)
        times[path] += whole_number(row, "time_ns")
    return times


def _iter_sectors(parts: Mapping[Path, int], path: Path, least_ns: float) -> Iterator[_Sector]:
    """A rectangle of all `parts`, then those inside of it, largest first."""
    yield _Sector(path=path, label=path[-1] if path else _ALL, time_ns=sum(parts.values()))
    inside: dict[str, Counter[Path]] = defaultdict(Counter)
    # The parts by the first name of their path, each with the rest of the path; one whose path ends
    # here is the rectangle itself.
    for (name, *rest), ns in ((part, ns) for part, ns in parts.items() if part):
        inside[name][tuple(rest)] += ns
    small = []
    for name, inner in sorted(inside.items(), key=lambda item: (-item[1].total(), item[0])):
        if inner.total() < least_ns:
            small.append(inner.total())
        else:
            yield from _iter_sectors(inner, (*path, name), least_ns)
    if small:
        label = f"({format_count(len(small), 'smaller part')})"
        yield _Sector(path=(*path, label), label=label, time_ns=sum(small))
