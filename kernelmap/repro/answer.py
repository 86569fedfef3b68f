"""Names of calls and inputs → a script: `kernelmap repro CALL CODE... [PROFILE]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler import read_compiled
from kernelmap.correlation import Correlation
from kernelmap.errors import KernelmapError, UsageError, unwritable
from kernelmap.inputs import has_trace_beside, sort
from kernelmap.memory import memory_of_graph
from kernelmap.model import CompiledGraph, CompiledProgram, Notice
from kernelmap.model.memory import GraphMemory
from kernelmap.model.paths import Source
from kernelmap.options import Options
from kernelmap.pipeline import correlate
from kernelmap.repro.calls import CallsOfGraph
from kernelmap.repro.recorded import NOT_RECORDED, RecordedCall, read_recorded_call
from kernelmap.repro.refusal import NotInInputsError
from kernelmap.repro.script import MadeTensor, Script, ScriptCall
from kernelmap.speed.work.generated_code import read_code
from kernelmap.suggestions import did_you_mean

_DEFINED = re.compile(r"^(?:def )?(\w+)(?:\(| = )", re.MULTILINE)
_NAMED = 5  # calls that a hint lists


class Repro(Struct, frozen=True, kw_only=True):
    """A script, and what a reader should know of it.

    `unchecked` has the calls without a check of their result, each with the reason.
    """

    text: str
    calls: tuple[str, ...]
    unchecked: tuple[tuple[str, str], ...]
    notices: tuple[Notice, ...] = ()


class ReproSource(Struct, frozen=True, kw_only=True):
    """The program of the inputs, and their correlation where a profile is among them.

    `read` keeps what was read of graphs, by their ids and the sizes that were given.
    """

    program: CompiledProgram
    run: Correlation | None = None
    names: tuple[str, ...] = ()
    versions: Mapping[str, str] = {}
    read: dict[tuple[str, tuple[tuple[str, int], ...]], CallsOfGraph] = {}


def make_repro(
    target: str,
    *sources: Source,
    following: str | None = None,
    try_others: bool = False,
    sizes: Mapping[str, int] | None = None,
    options: Options | None = None,
) -> Repro:
    """A Python script that runs one call of compiled code by itself.

    `target` is the id of a call, `graph/index`, or the name of a kernel or of an operator that only
    one call runs; `following` is a second call, that reads what the first one writes. `sizes` are
    numbers for symbols. `try_others` adds what reasons of the calls propose. Raises KernelmapError
    where there is no such call, or no script of it.
    """
    return make_script(
        read_source(*sources, options=options),
        (target,) if following is None else (target, following),
        try_others=try_others,
        sizes=sizes,
    )


def read_source(*sources: Source, options: Options | None = None) -> ReproSource:
    """The code among `sources`, with what a profile among them says."""
    inputs = sort(sources)
    names = tuple(path.resolve().name for path in inputs.paths)
    if inputs.traces or has_trace_beside(inputs.paths):
        run = correlate(*sources, options=options)
        return ReproSource(
            program=run.program, run=run, names=names, versions=run.configuration.versions
        )
    return ReproSource(program=read_compiled(inputs.code), names=names)


def make_script(
    source: ReproSource,
    targets: Sequence[str],
    *,
    try_others: bool = False,
    sizes: Mapping[str, int] | None = None,
) -> Repro:
    """The script of one call, or of two that follow one another."""
    program = source.program
    positions = [find_call(program, target) for target in targets]
    parts: list[ScriptCall] = []
    made: dict[str, MadeTensor] = {}
    graphs = {id(program.calls[position][0]) for position in positions}
    if len(graphs) > 1:
        raise UsageError(
            "calls-of-two-graphs",
            f"{targets[0]} and {targets[1]} are calls of different graphs",
            "Name two calls of one graph, of which the second reads what the first writes.",
        )
    for position in positions:
        graph, call = program.calls[position]
        recorded = NOT_RECORDED
        if source.run is not None:
            recorded = read_recorded_call(source.run, position, with_reasons=try_others)
        try:
            of_graph = _read_graph(source, graph, sizes or {})
            part, tensors = of_graph.make_part(call, recorded)
        except NotInInputsError as error:
            raise _no_script(graph.call_id(call), error) from error
        if parts and not {*parts[0].written} & {one.memory.name for one in tensors}:
            raise UsageError(
                "calls-share-nothing",
                f"{targets[1]} reads nothing that {targets[0]} writes",
                "Name a call and one that reads its result: `kernelmap explain` says what is read.",
            )
        parts.append(_with_own_names(part, parts))
        for one in tensors:
            known = made.get(one.memory.name)
            made[one.memory.name] = one if known is None else _tighter(known, one)
    device = "cpu" if all(one.memory.on_cpu for one in made.values()) else "cuda"
    script = Script(
        calls=tuple(parts),
        tensors=tuple(made.values()),
        origin=_origin(source, parts[0].recorded),
        device=device,
        try_others=try_others,
        torch=source.versions.get("torch"),
    )
    ids = tuple(program.call_id(position) for position in positions)
    return Repro(
        text=script.text,
        calls=ids,
        unchecked=tuple(
            (id_, part.unchecked)
            for id_, part in zip(ids, parts, strict=True)
            if part.check is None
        ),
        notices=source.run.notices if source.run is not None else program.notices,
    )


def _read_graph(
    source: ReproSource, graph: CompiledGraph, sizes: Mapping[str, int]
) -> CallsOfGraph:
    """What the code of a graph says, in numbers where symbols are known."""
    key = graph.id, tuple(sorted(sizes.items()))
    if key in source.read:
        return source.read[key]
    code = read_code(graph)
    of_graphs = {graph.id: dict(sizes)}
    if source.run is not None:
        of_graphs = {graph.id: {**source.run.sizes_of_graphs.get(graph.id, {}), **sizes}}
    memory: GraphMemory | None = memory_of_graph(source.program, graph, sizes_of_graphs=of_graphs)
    if code is None or memory is None:
        raise NotInInputsError(
            "has no code among the inputs",
            "Give the generated code that it stands in: output_code.py, or a TORCH_TRACE log.",
        )
    source.read[key] = CallsOfGraph(graph, code, memory)
    return source.read[key]


def _with_own_names(part: ScriptCall, before: Sequence[ScriptCall]) -> ScriptCall:
    """A second kernel whose functions are called as those of the first, and are others."""
    earlier = next((one.triton for one in before if one.triton is not None), None)
    kernel = part.triton
    if kernel is None or earlier is None or kernel == earlier:
        return part
    text, name = kernel.text, kernel.name
    for same in {*_DEFINED.findall(text)} & {*_DEFINED.findall(earlier.text)}:
        text = re.sub(rf"\b{same}\b", f"{same}_2", text)
        name = f"{same}_2" if name == same else name
    return replace(part, triton=replace(kernel, text=text, name=name))


def _tighter(known: MadeTensor, other: MadeTensor) -> MadeTensor:
    """Both of one memory: the smaller range of indices holds for both kernels."""
    limits = [one.below for one in (known, other) if one.below is not None]
    larger = max(known, other, key=lambda one: one.memory.numel)
    return MadeTensor(
        memory=larger.memory, below=min(limits) if limits else None, ends=known.ends or other.ends
    )


def _origin(source: ReproSource, recorded: RecordedCall) -> tuple[str, ...]:
    of_files = f"Made by kernelmap from {', '.join(source.names)}."
    versions = ", ".join(f"{name} {version}" for name, version in source.versions.items())
    made_with = [f"with {versions}"] if versions else []
    made_with += [f"on {recorded.device}"] if recorded.device else []
    lines = [of_files]
    if made_with:
        lines.append(f"Recorded {' '.join(made_with)}.")
    lines.append("A kernel's source is that of the recording; the data are random.")
    return tuple(lines)


def find_call(program: CompiledProgram, target: str) -> int:
    """The position of the call that a name means. Raises UsageError."""
    ids = {program.call_id(at): at for at in range(len(program.calls))}
    if target in ids:
        return ids[target]
    named = [
        at for at, (_, call) in enumerate(program.calls) if target in (call.wrapper, call.target)
    ]
    if len(named) == 1:
        return named[0]
    if named:
        some = ", ".join(program.call_id(at) for at in named[:_NAMED])
        hint = f"Name one of its calls: {some}{' …' if len(named) > _NAMED else ''}"
        raise UsageError("ambiguous-name", f"{target!r} is run by {len(named)} calls", hint)
    wrappers = {call.wrapper for _, call in program.calls}
    hint = did_you_mean(target, {*ids, *wrappers}, "Name a call as `<graph>/<index>`.")
    raise UsageError("no-such-call", f"there is no call {target!r}", hint)


def _no_script(call: str, error: NotInInputsError) -> KernelmapError:
    step = error.step or "`kernelmap explain` says what is known of the call."
    return KernelmapError("no-script", f"no script for {call}: it {error.reason}", step)


def require_new(path: Path) -> None:
    """Raises UsageError where a file of that name is there: no script replaces another file."""
    if path.exists() or path.is_symlink():
        raise UsageError(
            "output-exists",
            f"{path} is there already",
            "Choose another name with -o, or remove it.",
        )


def write_new(path: Path, text: str) -> None:
    """Write the script to a file that is not there yet. Raises UsageError."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        require_new(path)
    except OSError as error:
        raise unwritable(path, error) from error
