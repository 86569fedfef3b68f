"""What was measured of memory as sections of a page: peaks beside the code's, and who held them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernelmap.model.bundle import ModelTensorKind
from kernelmap.model.names import graph_mark
from kernelmap.model.notices import format_count
from kernelmap.pages.memory_rows import bytes_of, table_of_largest
from kernelmap.pages.page import (
    CellKind,
    Note,
    PageColumn,
    PageRow,
    PageTable,
    Section,
)
from kernelmap.pages.text import (
    format_bytes,
    format_percent,
    format_place,
    make_visible,
)
from kernelmap.tables.memory_measured import MeasuredTables
from kernelmap.tables.rows import Row, whole_number

_PEAKS = (
    PageColumn(name="measured", kind=CellKind.NAME, least=14),
    PageColumn(name="device", kind=CellKind.WORD, rank=4),
    PageColumn(name="runs", kind=CellKind.NUMBER, rank=5),
    PageColumn(name="start", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="peak", kind=CellKind.NUMBER),
    PageColumn(name="end", kind=CellKind.NUMBER, rank=3),
    PageColumn(name="there before", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="by the code", kind=CellKind.NUMBER),
    PageColumn(name="not in the code", kind=CellKind.NUMBER),
    PageColumn(name="eager", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="without code", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="code's own growth", kind=CellKind.NUMBER, rank=6),
)
_HELD = (
    PageColumn(name="held by", kind=CellKind.NAME, least=14),
    PageColumn(name="bytes", kind=CellKind.NUMBER),
    PageColumn(name="share", kind=CellKind.NUMBER),
    PageColumn(name="buffer", kind=CellKind.TEXT, least=8, rank=2),
    PageColumn(name="source line", kind=CellKind.PATH, least=18, rank=1),
    PageColumn(name="since", kind=CellKind.WORD, rank=3),
    PageColumn(name="blocks", kind=CellKind.NUMBER, rank=4),
)
_COUNTED = (
    PageColumn(name="process", kind=CellKind.NAME, least=14),
    PageColumn(name="step", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="start", kind=CellKind.NUMBER, rank=3),
    PageColumn(name="peak", kind=CellKind.NUMBER),
    PageColumn(name="end", kind=CellKind.NUMBER, rank=4),
    PageColumn(name="reserved", kind=CellKind.NUMBER, rank=1),
)
_TENSORS = (
    PageColumn(name="process", kind=CellKind.NAME, least=14),
    PageColumn(name="parameters", kind=CellKind.NUMBER),
    PageColumn(name="module buffers", kind=CellKind.NUMBER),
    PageColumn(name="gradients", kind=CellKind.NUMBER),
    PageColumn(name="optimizer state", kind=CellKind.NUMBER),
    PageColumn(name="together", kind=CellKind.NUMBER),
)
_COUNTED_BYTES = ("start_bytes", "peak_bytes", "end_bytes", "reserved_bytes")
_LINES = (
    PageColumn(name="asked for at", kind=CellKind.PATH, least=18),
    PageColumn(name="bytes", kind=CellKind.NUMBER),
    PageColumn(name="share", kind=CellKind.NUMBER),
    PageColumn(name="call", kind=CellKind.ID, rank=1),
    PageColumn(name="generated line", kind=CellKind.PATH, least=14, rank=5),
    PageColumn(name="source line", kind=CellKind.PATH, least=18, rank=3),
    PageColumn(name="since", kind=CellKind.WORD, rank=4),
    PageColumn(name="blocks", kind=CellKind.NUMBER, rank=2),
)
_ABOUT = (
    "At the peak: what was there before, what the code of graphs asks for, what was handed out in"
    " their runs and is not in the code (workspaces of libraries), and eager work add up to it."
)
_KEY = 13  # letters of a key: no program has two graphs that agree in so many
_KEPT, _EARLIER = "(there before the recording)", "earlier"


def iter_sections(tables: MeasuredTables, *, top: int) -> Iterator[Section]:
    """Peaks of steps and graphs, the largest by owner; what was counted; snapshots by line."""
    if measured := tables.rows["measured"]:
        groups = _group_rows(measured)
        yield PageTable(
            id="memory_measured",
            title="Measured by the profiler",
            columns=_PEAKS,
            rows=tuple(PageRow(cells=tuple(_cells_of_peak(rows))) for rows in groups),
            about=(_ABOUT,),
        ).filled
        # The step is what has to fit; of a recording without steps all of it.
        wanted = [rows for rows in groups if rows[0]["kind"] != "graph"]
        largest = [_largest_of(rows) for rows in wanted]
        steps = [row for row in largest if row["kind"] == "step"]
        for row in steps or largest:
            yield from _sections_of_peak(tables, row, top)
    if counted := tables.rows["counted"]:
        yield _table_of_counted(counted)
    if tensors := tables.rows["model_tensors"]:
        yield _table_of_tensors(tensors)
    for snapshot in tables.rows["snapshots"]:
        yield from _sections_of_snapshot(tables, snapshot, top)


def _group_rows(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of one kind of span on one device together, in the order of their first."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key = (row["kind"], row["rank"], row["device"], row["graph"])
        groups.setdefault(key, []).append(row)
    # A step says more than the recording that it is part of, and a GPU's memory is what is scarce.
    has_steps = any(row["kind"] == "step" for row in rows)
    has_gpu = any(row["device"] is not None for row in rows)
    return [
        group
        for group in groups.values()
        if (group[0]["kind"] != "recording" or not has_steps)
        and (group[0]["device"] is not None or not has_gpu)
    ]


def _largest_of(rows: Sequence[Row]) -> Row:
    """The row with the largest peak; of equal ones the first."""
    return max(rows, key=lambda row: whole_number(row, "peak_bytes"))


def _cells_of_peak(rows: Sequence[Row]) -> Iterator[str]:
    """The cells of the largest of some runs."""
    row = _largest_of(rows)
    yield make_visible(_name_of_span(row))
    yield _say_device(row)
    yield str(len(rows)) if row["kind"] == "graph" else ""
    for column in ("start_bytes", "peak_bytes", "end_bytes", "kept_bytes", "code_bytes"):
        yield bytes_of(row, column)
    yield bytes_of(row, "beside_bytes")
    yield bytes_of(row, "eager_bytes")
    yield bytes_of(row, "unread_bytes") if row["unread_bytes"] else ""
    yield bytes_of(row, "code_growth_bytes")


def _name_of_span(row: Row) -> str:
    if row["kind"] == "graph":
        return str(row["graph"])
    return f"step {row['step']}" if row["kind"] == "step" else "the recording"


def _sections_of_peak(tables: MeasuredTables, row: Row, top: int) -> Iterator[Section]:
    """Who holds the bytes at the peak of one span."""
    keys = ("kind", "rank", "pid", "device", "step", "graph", "invocation")
    held = [one for one in tables.rows["held"] if all(one[key] == row[key] for key in keys)]
    name = f"{_name_of_span(row)} on {_say_device(row)}"
    yield Note(
        title=f"{bytes_of(row, 'peak_bytes')} at the peak of {name}",
        lines=tuple(_lines_of_peak(row)),
    )
    yield table_of_largest(
        "memory_held",
        _HELD,
        held,
        _cells_of_held,
        top,
    )


def _lines_of_peak(row: Row) -> Iterator[tuple[str]]:
    if row["peak_call"] is not None or row["peak_op"] is not None:
        yield (make_visible(f"Reached for {row['peak_call'] or _name_of_op(row['peak_op'])}."),)
    if row["reserved_bytes"] is not None:
        free = whole_number(row, "reserved_bytes") - whole_number(row, "peak_bytes")
        taken, more = bytes_of(row, "reserved_bytes"), format_bytes(max(free, 0))
        yield (f"The allocator had taken {taken} from the driver, {more} more than was in use.",)


def _cells_of_held(row: Row) -> Iterator[str]:
    yield make_visible(_name_of_holder(row))
    yield bytes_of(row, "bytes")
    yield format_percent(row["share"] if isinstance(row["share"], float) else None)
    yield make_visible(str(row["buffer"] or ("not in the code" if row["stated"] == "no" else "")))
    yield _first_place(row["source"]) or make_visible(str(row["function"] or ""))
    yield "" if row["since"] == _EARLIER else str(row["since"])
    yield "" if row["blocks"] is None else str(row["blocks"])


def _name_of_holder(row: Row) -> str:
    """The call, the operator, the graph, or what stands for none of them."""
    if row["since"] == _EARLIER:
        return _KEPT
    if row["call"] is None and row["op"] is not None:
        return _name_of_op(row["op"])
    return str(row["call"] or row["function"] or row["in_graph"] or "(no operator)")


def _name_of_op(op: object) -> str:
    """The operator; of a run without code, which is known by its range alone, the graph's key."""
    mark = graph_mark(str(op))
    return str(op) if mark is None else f"(graph {(mark.key or 'without a key')[:_KEY]})"


def _table_of_counted(counted: Sequence[Row]) -> PageTable:
    """The step with the largest peak of each process and GPU."""
    groups: dict[tuple[object, object], list[Row]] = {}
    for row in counted:
        groups.setdefault((row["process"], row["device"]), []).append(row)
    largest = [_largest_of(rows) for rows in groups.values()]
    return PageTable(
        id="memory_counted",
        title="Counted by torch while it was captured",
        columns=_COUNTED,
        rows=tuple(
            PageRow(
                cells=(
                    make_visible(f"{row['process']}, GPU {row['device']}"),
                    str(row["step"]),
                    *(bytes_of(row, column) for column in _COUNTED_BYTES),
                )
            )
            for row in largest
        ),
    ).filled


def _table_of_tensors(tensors: Sequence[Row]) -> PageTable:
    """What each process held on each device, from step to step."""
    groups: dict[tuple[str, str], dict[str, int]] = {}
    for row in tensors:
        of_device = groups.setdefault((str(row["process"]), str(row["device"])), {})
        of_device[str(row["kind"])] = whole_number(row, "bytes")
    return PageTable(
        id="memory_model_tensors",
        title="Held when the capture ended",
        columns=_TENSORS,
        rows=tuple(
            PageRow(
                cells=(
                    make_visible(f"{process}, {device}"),
                    *(format_bytes(held[kind]) if kind in held else "" for kind in ModelTensorKind),
                    format_bytes(sum(held.values())),
                )
            )
            for (process, device), held in groups.items()
        ),
    ).filled


def _sections_of_snapshot(tables: MeasuredTables, snapshot: Row, top: int) -> Iterator[Section]:
    """The lines that held the bytes at the peak of a snapshot."""
    lines = [
        row
        for row in tables.rows["snapshot_lines"]
        if (row["snapshot"], row["device"]) == (snapshot["snapshot"], snapshot["device"])
    ]
    where = make_visible(format_place(str(snapshot["snapshot"])))
    yield Note(
        title=f"{bytes_of(snapshot, 'peak_bytes')} asked for at the peak in {where}",
        lines=tuple(_lines_of_snapshot(snapshot)),
    )
    yield table_of_largest(
        "memory_snapshot_lines",
        _LINES,
        lines,
        _cells_of_line,
        top,
    )


def _lines_of_snapshot(snapshot: Row) -> Iterator[tuple[str]]:
    start, end = bytes_of(snapshot, "start_bytes"), bytes_of(snapshot, "end_bytes")
    events = format_count(whole_number(snapshot, "events"), "event")
    yield (f"GPU {snapshot['device']}: {start} when its history of {events} begins.",)
    reserved = bytes_of(snapshot, "reserved_bytes")
    yield (f"When it was made, {end} were in use, of {reserved} taken from the driver.",)
    if failed := whole_number(snapshot, "failed"):
        asked = bytes_of(snapshot, "failed_bytes")
        yield (f"Out of memory: {format_count(failed, 'allocation')} failed, the last of {asked}.",)


def _cells_of_line(row: Row) -> Iterator[str]:
    named = row["line"] or row["code"]
    yield make_visible(format_place(str(named))) if named is not None else "(no Python stack)"
    yield bytes_of(row, "bytes")
    yield format_percent(row["share"] if isinstance(row["share"], float) else None)
    yield make_visible(str(row["call"] or ""))
    # A line of code that is not given still tells rows of one user's line apart.
    generated = None if row["call"] is not None or row["line"] is None else row["code"]
    yield "" if generated is None else make_visible(format_place(str(generated)))
    yield _first_place(row["source"])
    yield str(row["since"])
    yield "" if row["blocks"] is None else str(row["blocks"])


def _say_device(row: Row) -> str:
    return "the host" if row["device"] is None else f"GPU {row['device']}"


def _first_place(places: object) -> str:
    first = places[0] if isinstance(places, list) and places else None
    return "" if first is None else make_visible(format_place(str(first)))
