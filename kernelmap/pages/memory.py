"""The memory of graphs as a page: a row per graph, then who holds the bytes at the peak of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kernelmap.model.bundle import ModelTensorKind
from kernelmap.model.notices import format_count
from kernelmap.pages.memory_rows import bytes_of, table_of_largest
from kernelmap.pages.memory_savings import sections_of_savings
from kernelmap.pages.page import (
    CellKind,
    Note,
    Page,
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
from kernelmap.tables.memory import MemoryTables
from kernelmap.tables.rows import Row, whole_number

_GRAPHS = (
    PageColumn(name="graph", kind=CellKind.NAME, least=14),
    PageColumn(name="device", kind=CellKind.WORD, rank=3),
    PageColumn(name="start", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="peak", kind=CellKind.NUMBER),
    PageColumn(name="end", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="at line", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="for call", kind=CellKind.ID, rank=2),
    PageColumn(name="buffers", kind=CellKind.NUMBER, rank=4),
    PageColumn(name="without size", kind=CellKind.NUMBER, rank=5),
)
_BUFFERS = (
    PageColumn(name="buffer", kind=CellKind.NAME, least=10),
    PageColumn(name="bytes", kind=CellKind.NUMBER),
    PageColumn(name="share", kind=CellKind.NUMBER),
    PageColumn(name="kind", kind=CellKind.WORD, rank=2),
    PageColumn(name="tensor", kind=CellKind.TEXT, least=14, rank=3),
    PageColumn(name="source line", kind=CellKind.PATH, least=18, rank=1),
    PageColumn(name="original ops", kind=CellKind.LIST, least=16, rank=5),
    PageColumn(name="made by", kind=CellKind.ID, rank=4),
    PageColumn(name="last use", kind=CellKind.ID, rank=6),
)
_LINES = (
    PageColumn(name="source line", kind=CellKind.PATH, least=26),
    PageColumn(name="bytes", kind=CellKind.NUMBER),
    PageColumn(name="share", kind=CellKind.NUMBER),
    PageColumn(name="buffers", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="code", kind=CellKind.CODE, least=20, rank=1),
)
_SAVED = (
    PageColumn(name="made by line", kind=CellKind.PATH, least=20),
    PageColumn(name="for the backward of", kind=CellKind.PATH, least=20),
    *_LINES[1:],
)
_RUNS = (
    PageColumn(name="run", kind=CellKind.NUMBER),
    PageColumn(name="graph", kind=CellKind.NAME, least=14),
    PageColumn(name="before", kind=CellKind.NUMBER),
    PageColumn(name="peak", kind=CellKind.NUMBER),
    PageColumn(name="after", kind=CellKind.NUMBER),
    PageColumn(name="in its pool", kind=CellKind.NUMBER),
)


def page_of_memory(tables: MemoryTables, *, top: int = 20, held: Sequence[Row] = ()) -> Page:
    """The peaks of all graphs, and of each what is alive there: at most `top` rows of a table.

    `held` are rows of `model_tensors`: what lies below the bytes of a step.
    """
    graphs = tables.rows["graphs"]
    overview = PageTable(
        id="memory_graphs",
        title="",
        columns=_GRAPHS,
        rows=tuple(PageRow(cells=tuple(_cells_of_graph(row))) for row in graphs),
        empty="No graph with code: give an output_code.py, a TORCH_TRACE log or a bundle as well.",
    ).filled
    is_one = len(graphs) == 1
    sections: list[Section] = [] if is_one else [overview]
    sections += sections_of_savings(tables.rows["savings"])
    for row in graphs:
        sections += _sections_of_graph(tables, row, top)
    if not is_one:
        sections += _sections_of_step(tables.rows["runs"], held, top)
    return Page(title="" if is_one else "Memory at the peak", sections=tuple(sections))


def _sections_of_graph(tables: MemoryTables, graph: Row, top: int) -> Iterator[Section]:
    of_graph = {
        word: [row for row in tables.rows[word] if row["graph"] == graph["graph"]]
        for word in ("buffers", "lines", "statements")
    }
    yield Note(title=_title_of_graph(graph), lines=tuple(_lines_of_graph(graph, of_graph)))
    alive = [row for row in of_graph["buffers"] if row["peak_bytes"]]
    total = whole_number(graph, "peak_bytes")
    yield table_of_largest(
        f"memory of {graph['graph']}",
        _BUFFERS,
        alive,
        lambda row: _cells_of_buffer(row, total),
        top,
        "peak_bytes",
    )
    yield table_of_largest(
        f"lines of {graph['graph']}",
        _LINES,
        of_graph["lines"],
        lambda row: _cells_of_line(row, total),
        top,
    )

    saved = [row for row in tables.rows["saved"] if row["graph"] == graph["graph"]]
    if saved:
        whole = sum(whole_number(row, "bytes") for row in saved)
        line = f"Saved by the forward for it: {format_bytes(whole)}"
        yield Note(lines=((line,),))
        yield table_of_largest(
            f"saved for {graph['graph']}",
            _SAVED,
            saved,
            lambda row: _cells_of_line(row, whole),
            top,
        )


def _sections_of_step(runs: Sequence[Row], held: Sequence[Row], top: int) -> Iterator[Section]:
    """The graphs of a step in the order in which they ran, as far as its peak and `top` rows."""
    if not runs:
        return
    peaks = [whole_number(row, "peak_bytes") for row in runs]
    largest = peaks.index(max(peaks))
    order = "as they ran" if runs[0]["order"] == "recorded" else "in the order that is usual"
    about = (
        f"Graphs {order}, above what is there all the time (parameters, optimizer state, inputs);"
        " results stay until the step ends. What eager code allocates is not in it."
    )
    if any(row["pool_bytes"] is not None for row in runs):
        about += " What CUDA graphs replay lies in their pools all the time."
    lines = [(about,)]
    if below := _say_what_is_below(held, peaks[largest]):
        lines.append((below,))
    yield Note(title=f"A step · {format_bytes(peaks[largest])} at the peak", lines=tuple(lines))
    # The peak stands in the middle of what is shown.
    begin = max(0, min(largest - top // 2, len(runs) - top))
    shown = runs[begin : begin + top]
    yield PageTable(
        id="memory_runs",
        title="",
        columns=_RUNS,
        rows=tuple(
            PageRow(
                cells=(
                    str(row["run"]),
                    make_visible(str(row["graph"])),
                    *(
                        bytes_of(row, name)
                        for name in ("before_bytes", "peak_bytes", "after_bytes", "pool_bytes")
                    ),
                ),
                dim=row["run"] != largest,
            )
            for row in shown
        ),
        ordered=True,
    ).filled


def _say_what_is_below(held: Sequence[Row], peak: int) -> str | None:
    """What the fullest device holds all the time, and the peak with it; None where nobody says.

    Gradients are left out: the graphs of a step return them, so that they are in its bytes.
    """
    # GPUs first: their memory is what is scarce. The one that holds most stands for the others.
    by_device: dict[tuple[bool, str, str], dict[str, int]] = {}
    for row in held:
        if row["kind"] != ModelTensorKind.GRADIENTS:
            key = (row["device"] != "cpu", str(row["process"]), str(row["device"]))
            by_device.setdefault(key, {})[str(row["kind"])] = whole_number(row, "bytes")
    if not by_device:
        return None
    (_, process, device), kinds = max(
        by_device.items(), key=lambda item: (item[0][0], sum(item[1].values()))
    )
    parts = " + ".join(f"{format_bytes(size)} {kind}" for kind, size in kinds.items())
    together = format_bytes(peak + sum(kinds.values()))
    where = make_visible(f"{process} on {device}")
    return f"With the {parts} of {where}: {together} at the peak, and the inputs of the model."


def _title_of_graph(graph: Row) -> str:
    """`0_forward · 26.8 MB at the peak`."""
    return f"{make_visible(str(graph['graph']))} · {bytes_of(graph, 'peak_bytes')} at the peak"


def _lines_of_graph(graph: Row, rows: dict[str, list[Row]]) -> Iterator[tuple[str]]:
    """Where the peak is, what was there before, and what is not known."""
    peak = rows["statements"][whole_number(graph, "peak_step")]
    where = f"line {peak['line']} of the code" if peak["line"] is not None else "its start"
    needed = f", for {graph['peak_call']}" if graph["peak_call"] is not None else ""
    yield (f"Reached at {where}{needed}: {make_visible(str(peak['code']))}",)
    start, end = bytes_of(graph, "start_bytes"), bytes_of(graph, "end_bytes")
    kinds = [
        f"{bytes_of(peak, column)} {name}"
        for column, name in _KINDS.items()
        if whole_number(peak, column)
    ]
    yield (f"At the start {start}, at the end {end}; at the peak {' + '.join(kinds) or 'nothing'}",)
    if graph["unknown"]:
        count = format_count(whole_number(graph, "unknown"), "buffer")
        names = [str(row["name"]) for row in rows["buffers"] if row["bytes"] is None]
        formulas = [str(row["formula"]) for row in rows["buffers"] if row["formula"] is not None]
        what = f"; sizes depend on symbols, such as {formulas[0]}: --size gives them" * bool(
            formulas
        )
        yield (make_visible(f"Left out: {count} of unknown size ({', '.join(names[:8])}){what}"),)
    if graph["sizes"]:
        words = say_sizes(_texts(graph["sizes"]), _texts(graph["examples"]))
        yield (make_visible(f"With {words}"),)
    for gap in _texts(graph["gaps"]):
        yield (make_visible(gap),)


_KINDS = {
    "input_bytes": "inputs",
    "saved_bytes": "saved by the forward",
    "gradient_bytes": "gradients",
    "constant_bytes": "constants",
    "buffer_bytes": "buffers",
    "output_bytes": "outputs",
    "workspace_bytes": "workspaces",
    "pool_bytes": "unused in pools",
}


def say_sizes(sizes: Sequence[str], examples: Collection[str]) -> str:
    """`s27=96 (of the example in the code)`; `examples` are symbols that only that has."""
    words = []
    for size in sizes:
        is_example = size.partition("=")[0] in examples
        words.append(f"{size} (of the example in the code)" if is_example else size)
    return ", ".join(words)


def say_tensor(dtype: object, shape: Sequence[object] | None) -> str:
    """`bfloat16 (4, 128, 512)`, as far as they are known."""
    sizes = "" if shape is None else f" ({', '.join(map(str, shape))})"
    return f"{dtype or ''}{sizes}".strip()


def _texts(value: object) -> list[str]:
    return value if isinstance(value, list) else []


def _cells_of_graph(row: Row) -> Iterator[str]:
    yield make_visible(str(row["graph"]))
    yield str(row["device"] or "")
    for column in ("start_bytes", "peak_bytes", "end_bytes"):
        yield bytes_of(row, column)
    yield _text_or_nothing(row["peak_line"])
    yield _text_or_nothing(row["peak_call"])
    yield str(row["buffers"])
    yield str(row["unknown"] or "")


def _cells_of_buffer(row: Row, total: int) -> Iterator[str]:
    yield make_visible(str(row["name"]))
    yield bytes_of(row, "peak_bytes")
    yield format_percent(whole_number(row, "peak_bytes") / total if total else None)
    yield str(row["kind"])
    shape = row["shape"]
    yield make_visible(say_tensor(row["dtype"], shape if isinstance(shape, list) else None))
    yield ", ".join(make_visible(format_place(place)) for place in _texts(row["source"])[:1])
    yield make_visible(", ".join(_texts(row["ops"])))
    yield _text_or_nothing(row["call"] if row["call"] is not None else row["origin"])
    yield _text_or_nothing(row["last_use"])


def _cells_of_line(row: Row, total: int) -> Iterator[str]:
    """A line with its bytes, of `total`; of what is saved for a backward the line there, too."""
    place = str(row["file"])
    yield make_visible(place if row["line"] is None else format_place(f"{place}:{row['line']}"))
    if "backward_of" in row:
        user = row["backward_of"]
        yield "" if user is None else make_visible(format_place(str(user)))
    yield bytes_of(row, "bytes")
    yield format_percent(whole_number(row, "bytes") / total if total else None)
    yield str(row["buffers"])
    yield make_visible(str(row["code"] or ""))


def _text_or_nothing(value: object) -> str:
    return "" if value is None else make_visible(str(value))
