"""The generated code with time in its margin: what each statement cost, beside the statement.

Takes records, gives text. A statement has the time of its calls, a kernel's definition the
sum of the calls that run it, marked with a sum sign. Graphs stand one after the other;
of one whose code was not given the calls are listed. What belongs to no call stands at the end, so
that the statements and those lines add up to the window.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, KernelDef, Matching
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_duration, format_percent, make_visible

_EDGE = "│"
_TAB = 4
_WIDTH = 54


class _Cost(Struct, frozen=True):
    """What some calls took. `ambiguous` counts launches that may be theirs; no time holds them."""

    time_ns: int = 0
    launches: int = 0
    confidences: tuple[tuple[int, int], ...] = ()
    ambiguous: int = 0

    @property
    def is_none(self) -> bool:
        return not (self.launches or self.ambiguous)


def render_margin(program: CompiledProgram, matching: Matching, attribution: Attribution) -> str:
    """The listing, ending in a newline; `attribution` chooses the window."""
    margin = _Margin(attribution.total_ns, _costs_of_calls(program, matching, attribution))
    # Graphs that share the text of one file have one listing; a graph whose text was not given
    # stands alone.
    sections: dict[tuple[str | None, str], list[int]] = defaultdict(list)
    for number, graph in enumerate(program.graphs):
        alone = graph.id if graph.text is None else graph.text
        sections[graph.code, alone].append(number)
    lines: list[str] = []
    for numbers in sections.values():
        lines += [*margin.iter_section(program, attribution, numbers), ""]
    lines += margin.iter_rest(attribution)
    return "\n".join(lines) + "\n"


class _Margin:
    """Writes lines with what the calls at them cost."""

    def __init__(self, total_ns: int, costs: Mapping[int, _Cost]) -> None:
        self.total_ns, self.costs = total_ns, costs

    def iter_section(
        self, program: CompiledProgram, attribution: Attribution, numbers: Sequence[int]
    ) -> Iterator[str]:
        """The graphs at `numbers`, which share one text."""
        ran = {row.graph: row.invocations for row in attribution.graphs}
        for number in numbers:
            graph, cost = program.graphs[number], self._cost_of_graph(program, number)
            parts = [make_visible(graph.id), make_visible(graph.code or "code not given")]
            parts += [format_duration(cost.time_ns), format_count(cost.launches, "launch")]
            yield "== " + " · ".join([*parts, format_count(ran[number], "invocation")])
        graphs = [(program.graphs[number], program.first_call[number]) for number in numbers]
        text = graphs[0][0].text
        yield f"{'line':>6} {'time':>10} {'share':>8} {'launches':>9}  confidence"
        if text is None:
            for graph, first in graphs:
                for call in graph.calls:
                    cost = self.costs.get(first + call.index, _Cost())
                    yield self.write_line(call.line, cost, call.wrapper, total=False)
            return
        code_lines = text.removesuffix("\n").split("\n")
        statements, definitions = _calls_by_line(graphs, code_lines)
        for number, code in enumerate(code_lines, 1):
            # A line that is a statement shows its own calls; one that defines a kernel the sum over
            # its calls.
            calls = statements.get(number) or definitions.get(number, [])
            cost = _sum_costs(self.costs.get(call, _Cost()) for call in calls)
            yield self.write_line(number, cost, code, total=number not in statements)

    def write_line(self, number: int | None, cost: _Cost, code: str, *, total: bool) -> str:
        """One line of code with its margin; `total` marks a sum of calls that stand elsewhere."""
        margin = "" if cost.is_none else self.write_cells(cost, total=total)
        shown = "" if number is None else number
        return (
            f"{shown:>6} {margin:<{_WIDTH}} {_EDGE} {make_visible(code.expandtabs(_TAB))}".rstrip()
        )

    def write_cells(self, cost: _Cost, *, total: bool = False) -> str:
        """Time, share, launches and confidence of one cost."""
        time = format_duration(cost.time_ns) if cost.launches else ""
        share = (
            format_percent(cost.time_ns / self.total_ns) if cost.launches and self.total_ns else ""
        )
        launches = f"{cost.launches:,}" if cost.launches else ""
        sign = "Σ " if total else ""
        return f"{sign + time:>10} {share:>8} {launches:>9}  {_say_confidences(cost)}"

    def iter_rest(self, attribution: Attribution) -> Iterator[str]:
        """Lines with the time that has no call, and with that of the window."""
        for row in attribution.calls:
            if row.call is None:
                cost = _Cost(row.time_ns, row.launches)
                yield self.write_line(None, cost, row.rest or "(no call)", total=False)
        whole = _Cost(attribution.total_ns, int(attribution.counted.sum()))
        yield self.write_line(None, whole, f"all {attribution.side.upper()} time", total=True)

    def _cost_of_graph(self, program: CompiledProgram, number: int) -> _Cost:
        first = program.first_call[number]
        calls = range(first, first + len(program.graphs[number].calls))
        return _sum_costs(self.costs.get(call, _Cost()) for call in calls)


def _calls_by_line(
    graphs: Iterable[tuple[CompiledGraph, int]], code_lines: Sequence[str]
) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    """Line → the calls at it, and line → the calls of the kernel that is defined there."""
    statements: dict[int, list[int]] = defaultdict(list)
    definitions: dict[int, list[int]] = defaultdict(list)
    for graph, first in graphs:
        for call in graph.calls:
            kernel = graph.kernel_of(call)
            if call.line is not None:
                statements[call.line].append(first + call.index)
            if kernel is not None and (line := defined_at(kernel, code_lines)) is not None:
                definitions[line].append(first + call.index)
    return statements, definitions


def _costs_of_calls(
    program: CompiledProgram, matching: Matching, attribution: Attribution
) -> Mapping[int, _Cost]:
    """Call → what it cost in the window; calls that nothing names are missing."""
    counted = attribution.counted
    sure: dict[int, Counter[int]] = defaultdict(Counter)
    launches = np.flatnonzero(counted & (matching.call >= 0))
    # How many launches each call has with each confidence: the distinct columns of (call,
    # confidence), (2, kinds), and how often each one occurs.
    pairs = np.stack([matching.call[launches], matching.confidence[launches].astype(np.int64)])
    kinds, numbers = np.unique(pairs, axis=1, return_counts=True)
    for call, confidence, number in zip(*kinds.tolist(), numbers.tolist(), strict=True):
        sure[call][confidence] = number
    # Per candidate whether its launch counts, (candidates,); then by call how many ambiguous
    # launches may be its own.
    named = np.repeat(counted, np.diff(matching.candidate_start))
    maybe = np.bincount(matching.candidates[named], minlength=len(program.calls))
    times = {row.call: row.time_ns for row in attribution.calls if row.call is not None}
    return {
        call: _Cost(
            times.get(call, 0),
            sure[call].total(),
            tuple(sorted(sure[call].items())),
            int(maybe[call]),
        )
        for call in sorted({*sure, *np.flatnonzero(maybe).tolist()})
    }


def _sum_costs(costs: Iterable[_Cost]) -> _Cost:
    """Several calls together."""
    listed = list(costs)
    confidences: Counter[int] = Counter()
    for cost in listed:
        confidences.update(dict(cost.confidences))
    return _Cost(
        sum(cost.time_ns for cost in listed),
        sum(cost.launches for cost in listed),
        tuple(sorted(confidences.items())),
        sum(cost.ambiguous for cost in listed),
    )


def _say_confidences(cost: _Cost) -> str:
    """`exact`, or each confidence with its number of launches."""
    counts = [(Confidence(value).name.lower(), number) for value, number in cost.confidences]
    if cost.ambiguous:
        counts.append(("ambiguous", cost.ambiguous))
    if len(counts) == 1 and not cost.ambiguous:
        return counts[0][0]
    return ", ".join(f"{number} {word}" for word, number in counts)


def defined_at(kernel: KernelDef, code_lines: Sequence[str]) -> int | None:
    """The first line of the definition, below its comments, that names the kernel.

    None where none does: it is defined in another file.
    """
    if kernel.first_line is None or kernel.last_line is None:
        return None
    for number in range(kernel.first_line, min(kernel.last_line, len(code_lines)) + 1):
        line = code_lines[number - 1]
        if kernel.name in line and not line.lstrip().startswith(("#", "//")):
            return number
    return None
