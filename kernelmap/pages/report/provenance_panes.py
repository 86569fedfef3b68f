"""The texts of the four panes, and in which row of them each thing stands.

Takes a graph and its chain, gives rows. Generated code and graphs are shown as they were written;
of a graph whose text is not given, the nodes are listed. Of the user's files only those lines are
known that a log or a stack trace quotes: no file of this machine is ever opened for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.attribution.places import Line
from kernelmap.model import (
    Artifact,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    GraphText,
    Stage,
)
from kernelmap.pages.code_margin import defined_at

HEADING, GAP = 0, -1
_Definition = tuple[int, int, int, tuple[int, ...]]

KnownLines = Mapping[str, Mapping[int, str | None]]
"""Per file, the lines that anything names, with their text where it is quoted."""


class Pane(Struct, frozen=True, kw_only=True):
    """Rows of text, from 0: the lines of `text`, then those of `more`, which stand in no text.

    `numbers` has the line number of each row, HEADING for the name of a file, GAP for lines that
    are not known; None where the rows are lines 1, 2, 3. `rows` is the row of each thing. `syntax`
    is py, cpp or fx; `note` says what is missing.
    """

    text: str
    rows: tuple[int, ...]
    syntax: str
    more: tuple[str, ...] = ()
    numbers: tuple[int, ...] | None = None
    note: str | None = None


def code_pane(graph: CompiledGraph) -> Pane:
    """The generated code with its calls."""
    syntax = "py" if graph.digest is not None or graph.text is None else "cpp"
    if graph.text is None:
        return Pane(
            text="\n".join(call.wrapper for call in graph.calls),
            rows=tuple(range(len(graph.calls))),
            syntax=syntax,
            note="The code of this graph was not given: these calls are known from the trace.",
        )
    # Calls whose statement was not found are listed behind the code: a heading, and a row for each.
    lost = [call for call in graph.calls if call.line is None]
    first = _count_rows(graph.text)
    at = {call.index: first + 1 + number for number, call in enumerate(lost)}
    return Pane(
        text=graph.text,
        rows=tuple(at[call.index] if call.line is None else call.line - 1 for call in graph.calls),
        syntax=syntax,
        more=("calls whose statement was not found:", *(c.wrapper for c in lost)) if lost else (),
    )


def iter_definitions(graph: CompiledGraph) -> Iterator[_Definition]:
    """First row, last row, the row that names the kernel, and the calls that run it."""
    calls: dict[str, list[int]] = defaultdict(list)
    for call in graph.calls:
        kernel = graph.kernel_of(call)
        # A kernel that is made of several others runs all of them.
        for name in (kernel.name, *kernel.members) if kernel else ():
            calls[name].append(call.index)
    code = (graph.text or "").split("\n")
    for kernel in graph.kernels:
        named = defined_at(kernel, code)
        if named is None or kernel.first_line is None or kernel.last_line is None:
            continue
        if kernel.name in calls:
            # Lines count from 1, rows from 0.
            last = min(kernel.last_line, len(code))
            yield kernel.first_line - 1, last - 1, named - 1, tuple(calls[kernel.name])


def graph_pane(graph: CompiledGraph, names: Sequence[str], stage: Stage) -> Pane:
    """A graph's text with the nodes `names`; those that it has not are listed behind it."""
    text = graph.post_grad_text if stage is Stage.POST_GRAD else graph.pre_grad_text
    nodes = graph.post_grad if stage is Stage.POST_GRAD else graph.pre_grad
    if text is None:
        return Pane(
            text="\n".join(_list_node(name, nodes.get(name)) for name in names),
            rows=tuple(range(len(names))),
            syntax="fx",
            note=_without_text(stage, named=bool(names)),
        )
    # The mapping may name nodes that the text does not have.
    more = tuple(name for name in names if name not in text.lines)
    return _with_text(text, names, more, nodes, _without_mapping(graph, stage))


def _with_text(
    text: GraphText,
    names: Sequence[str],
    more: Sequence[str],
    nodes: Mapping[str, FxNode],
    note: str | None,
) -> Pane:
    # Behind the text stands a heading, then a row for each node that is not in it.
    first = _count_rows(text.text) + 1
    behind = {name: first + number for number, name in enumerate(more)}
    return Pane(
        text=text.text,
        rows=tuple(behind.get(name, text.lines.get(name, 0) - 1) for name in names),
        syntax="fx",
        more=(
            "named by the mapping, not in this text:",
            *(_list_node(n, nodes.get(n)) for n in more),
        )
        if more
        else (),
        note=note,
    )


def _list_node(name: str, node: FxNode | None) -> str:
    shape = f': "{node.shape}"' if node and node.shape else ""
    return f"{name}{shape} = {node.target}" if node and node.target else name


def _without_text(stage: Stage, *, named: bool) -> str:
    kind = "pre-grad" if stage is Stage.PRE_GRAD else "post-grad"
    listed = "these nodes are known by name" if named else "none of its nodes is known"
    return f"The {kind} graph was not given: {listed}. A TORCH_TRACE log holds it."


def _without_mapping(graph: CompiledGraph, stage: Stage) -> str | None:
    """Why no time reaches the pre-grad graph though it is there."""
    if stage is Stage.POST_GRAD or Artifact.MAPPING in graph.artifacts:
        return None
    how = (
        "Inductor writes none for a backward that is compiled lazily."
        if graph.kind == "backward"
        else "INDUCTOR_PROVENANCE=1 makes Inductor write it."
    )
    return f"Without a node mapping these nodes light up by their source lines. {how}"


def source_pane(lines_of_file: KnownLines, lines: Sequence[Line], heat: Mapping[Line, int]) -> Pane:
    """The known lines of the files of `lines`; the file with the most of `heat` first."""
    files: dict[str, int] = defaultdict(int)
    for line in lines:
        files[line[0]] += heat.get(line, 0)
    texts: list[str] = []
    numbers: list[int] = []
    at: dict[Line, int] = {}
    # Lines are known one by one: a gap row stands where some between two known ones are not.
    for file in sorted(files, key=lambda name: (-files[name], name)):
        texts.append(file)
        numbers.append(HEADING)
        before = 0
        for number in sorted({*lines_of_file.get(file, {}), *(n for f, n in lines if f == file)}):
            if number > before + 1:
                texts.append("")
                numbers.append(GAP)
            at[file, number] = len(texts)
            texts.append(lines_of_file.get(file, {}).get(number) or "")
            numbers.append(number)
            before = number
    return Pane(
        text="\n".join(text.replace("\n", " ") for text in texts),
        rows=tuple(at[line] for line in lines),
        syntax="py",
        numbers=tuple(numbers),
        note=None
        if lines
        else "No source line is known for this graph. Stack traces are in a TORCH_TRACE log made "
        "with INDUCTOR_PROVENANCE=1.",
    )


def known_lines(program: CompiledProgram) -> KnownLines:
    """Per file the lines that anything names, with their text where it is quoted."""
    codes: dict[str, dict[int, str | None]] = defaultdict(dict)
    for graph in program.graphs:
        listed = (node for call in graph.calls for node in call.listed)
        lines = [line for node in (*graph.nodes, *listed) for line in node.lines]
        lines += [line for call in graph.calls for line in call.lines]
        lines += [kernel.source for kernel in graph.kernels if kernel.source]
        for line in lines:
            codes[line.file][line.line] = codes[line.file].get(line.line) or line.code
    return codes


def _count_rows(text: str) -> int:
    """How many rows the page makes of a text: a last newline ends a row and begins none."""
    return text.removesuffix("\n").count("\n") + 1
