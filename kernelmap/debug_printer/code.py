"""The generated code that the debug printer is asked about, with a profile where one is given.

Takes paths; gives the program and the calls that a name means. Source of the names: `which`, whose
search is used, the printer's own spelling, call ids, and original ops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.divide import CallDivision, divide_calls
from kernelmap.compiler import read_compiled
from kernelmap.correlation import Correlation
from kernelmap.errors import UsageError
from kernelmap.inputs import sort
from kernelmap.matching.explaining.which import find_kernels, known_names
from kernelmap.model import CompiledProgram, Notice
from kernelmap.model.names import operator_of_range
from kernelmap.model.printed import is_cpp, names_of
from kernelmap.pipeline import correlate
from kernelmap.suggestions import did_you_mean

_NUMBER = re.compile(r"_\d+$")


class PrinterCode(Struct, frozen=True, kw_only=True):
    """The program, the run that its profile shows, and which ops each of its calls is part of."""

    program: CompiledProgram
    run: Correlation | None
    divisions: tuple[CallDivision, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used, and what the printer cannot do for this code."""
        notices = self.run.notices if self.run else self.program.notices
        return (*notices, *_notices_of_python(self.program))

    @property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """Per call the lines of the user's source that it works for, as `file:line`."""
        return tuple(
            tuple(f"{line.file}:{line.line}" for line in division.lines)
            for division in self.divisions
        )

    def positions(self, ids: Sequence[str]) -> tuple[int, ...]:
        """Where the calls with these ids stand in the program."""
        return tuple(
            at for at, (graph, call) in enumerate(self.program.calls) if graph.call_id(call) in ids
        )


def read_code(sources: Sequence[Path]) -> PrinterCode:
    """The code among `sources`. Raises KernelmapError where there is none."""
    inputs = sort(sources)
    run = correlate(*sources) if inputs.traces else None
    program = read_compiled(inputs.code) if run is None else _given_graphs(run.program)
    if not program.calls:
        raise UsageError(
            "printer-needs-code",
            "no generated code was given that makes calls",
            "Give what AOTInductor wrote: a package (.pt2), or its *.wrapper.cpp.",
        )
    return PrinterCode(program=program, run=run, divisions=divide_calls(program))


def _given_graphs(program: CompiledProgram) -> CompiledProgram:
    """Of the program of a run, the graphs whose code was given."""
    return replace(program, graphs=tuple(it for it in program.graphs if it.code is not None))


def chosen_calls(
    code: PrinterCode, names: Sequence[str], top: int | None = None
) -> tuple[int, ...]:
    """The calls that `names` mean, and those of the `top` hottest kernels; all without either.

    Raises UsageError `unknown-name`, with the nearest names, for a name that fits nothing.
    """
    if not names and top is None:
        return tuple(range(len(code.program.calls)))
    chosen = {at for name in names for at in _calls_named(code, name)}
    if top is not None:
        chosen.update(_hottest_calls(code, top))
    return tuple(sorted(chosen))


def _calls_named(code: PrinterCode, name: str) -> tuple[int, ...]:
    program = code.program
    # The narrowest meaning that fits any call counts alone.
    for ids in (
        _calls_exactly(program, name),
        tuple(_calls_searched(code, name)),
        _by_node(program, name),
    ):
        if calls := code.positions(ids):
            return calls
    listed = {spelling for _, call in program.calls for spelling in names_of(call)}
    raise UsageError(
        "unknown-name",
        f"{name!r} is no call, wrapper, function, hash, operator, original op or node",
        did_you_mean(name, known_names(program) | listed, "No known name is near it."),
    )


def _calls_exactly(program: CompiledProgram, name: str) -> tuple[str, ...]:
    """Calls by id, by the wrapper that they are written with, or as the printer names them."""
    return tuple(
        graph.call_id(call)
        for graph, call in program.calls
        if name in (graph.call_id(call), call.wrapper, *names_of(call))
    )


def _calls_searched(code: PrinterCode, name: str) -> Iterator[str]:
    """Calls as `which` finds them; of an operator also those that work for it with others."""
    run = code.run
    hits = [
        answer.hit
        for answer in find_kernels(
            name, run.program if run else code.program, run.match if run else None
        )
    ]
    for hit in hits:
        yield from hit.calls
    # A kernel, function or hash was found, so the name is no op.
    if hits and any(hit.rule != "operator" for hit in hits):
        return
    wanted = operator_of_range(name) or name
    for (graph, call), division in zip(code.program.calls, code.divisions, strict=True):
        if any(wanted in (op, op.rpartition(".")[2]) for op in division.involved_ops):
            yield graph.call_id(call)


def _by_node(program: CompiledProgram, name: str) -> tuple[str, ...]:
    """Calls by a graph node, or by the operator that nodes are named after.

    `log_2` is a node of `aten.log`: where names of kernels do not tell their ops, this is left.
    """
    plain = (operator_of_range(name) or name).rpartition(".")[2]
    return tuple(
        graph.call_id(call)
        for graph, call in program.calls
        if any(plain in (node, _NUMBER.sub("", node)) for node in call.nodes or ())
    )


def _hottest_calls(code: PrinterCode, top: int) -> tuple[int, ...]:
    """The calls of the kernels that took the most time."""
    if code.run is None:
        raise UsageError(
            "printer-top-needs-profile",
            "--top asks for the hottest kernels, and no profile was given",
            "Add the profile of a run, or name the kernels with --kernel.",
        )
    # The run may hold more calls than the code that was given: the two are joined by the calls'
    # ids.
    ids = {graph.call_id(call): at for at, (graph, call) in enumerate(code.program.calls)}
    calls = code.run.program.calls
    time: dict[str, int] = {}
    members: dict[str, list[int]] = {}
    for row in code.run.attribution.calls:
        if row.call is None:
            continue
        graph, call = calls[row.call]
        at = ids.get(graph.call_id(call))
        if at is not None and names_of(call):
            time[call.wrapper] = time.get(call.wrapper, 0) + row.time_ns
            members.setdefault(call.wrapper, []).append(at)
    best = sorted(time, key=lambda wrapper: (-time[wrapper], wrapper))[:top]
    return tuple(at for wrapper in best for at in members[wrapper])


def _notices_of_python(program: CompiledProgram) -> Iterator[Notice]:
    """What the printer does where the wrapper is Python."""
    others = [graph.id for graph in program.graphs if graph.calls and not is_cpp(graph)]
    if others:
        named = others[0] + (f" and {len(others) - 1} more" if len(others) > 1 else "")
        yield Notice(
            slug="printer-python-wrapper",
            message=f"{named}: the wrapper is Python, not AOTInductor's C++. There the printer"
            " knows levels 1 and 2, of Triton kernels and of library calls with out=; no C++"
            " kernels, no model inputs, and nothing at level 3.",
            hint="Compile with AOTInductor, or set cpp_wrapper=True, for all of it.",
        )
