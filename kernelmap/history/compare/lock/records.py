"""The fusion structure of compiled code: the records of `kernels.lock`, their text, and changes.

    # kernelmap lock 2
    # ...

    graph 0_forward forward 5c0dad9cfc65
      e2f4df670c21    triton_per_fused_native_layer_norm    aten.native_layer_norm
      603e5991b3b9    extern_kernels.addmm                  aten.addmm                 num_warps=4

There is one record per graph, with its calls in program order: fingerprint, name without its
number, ops, and the configuration that the code states (templates, tile size hints) or a profile
recorded; behind them the memory that the code asks for (memory.py). Left out: paths, lines,
handles and all numbers that the compiler counts, so that the text changes when the code's structure
does. The text has one line per call; columns are parted by two spaces or more; ops by commas
without a space. Lines that begin with `#` are left out. Errors name the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import read_compiled
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.history.compare.lock.memory import (
    HELD,
    MEMORY,
    LockedMemory,
    dump_locked_memory,
    lock_memory_of,
    read_locked_buffer,
    read_locked_peak,
)
from kernelmap.history.compare.sides.held import HeldGraph, held_graphs
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.inputs import sort
from kernelmap.memory import memory_of_program
from kernelmap.model import CompiledGraph, CompiledProgram, Notice, WrapperCall
from kernelmap.model.paths import read_bytes
from kernelmap.pages.text import make_visible
from kernelmap.pipeline import correlate
from kernelmap.tables.fingerprints import CallPrint, fingerprint_program, stem
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.lifetimes import rows_of_lifetimes
from kernelmap.tables.schema import CALLS

_NUMBER = re.compile(r"(\d+)")
_STATED = ("num_warps", "num_stages", "num_consumer_groups", "num_buffers_warp_spec")
VERSION = 2
"""Versions: 1: first. 2: with the memory of graphs; a lock of version 1 says nothing of it."""
_VERSIONS = (1, VERSION)
_HEAD = "# kernelmap lock "
_ABOUT = """\
# What the compiler fused, call by call: fingerprint, name, ops, configuration where it is known.
# `kernelmap inspect --lock` writes it, `gate --lock` compares. Review its changes like code.
"""
_NONE = "-"
_GAP = "  "
_PRINT = re.compile(r"[0-9a-f]{12}(~\d+)?")


class LockedCall(Struct, frozen=True, kw_only=True):
    """One call; `config` is None where neither the code nor a profile states one."""

    fingerprint: str
    name: str
    ops: tuple[str, ...]
    config: str | None = None

    @property
    def piece(self) -> Piece:
        """What it is paired by."""
        return Piece(fingerprint=self.fingerprint, name=self.name, ops=self.ops)


class LockedGraph(Struct, frozen=True, kw_only=True):
    """One graph; `kind` and `memory` are None where the code does not state them."""

    name: str
    kind: str | None
    fingerprint: str
    calls: tuple[LockedCall, ...]
    memory: LockedMemory | None = None

    @property
    def prints(self) -> tuple[str, ...]:
        """The fingerprints of the calls."""
        return tuple(call.fingerprint for call in self.calls)


def lock_program(
    program: CompiledProgram,
    recorded: Mapping[str, str],
    held: Mapping[str, HeldGraph] | None = None,
) -> tuple[LockedGraph, ...]:
    """The graphs of `program` that have code, by name.

    `recorded` has the configurations of a profile by call id; they win over what the code states.
    `held` has the memory of graphs by their ids.
    """
    prints = fingerprint_program(program)
    divisions = divide_calls(program)
    calls: dict[str, list[LockedCall]] = {graph.id: [] for graph in program.graphs}
    # Calls, fingerprints and divisions are parallel.
    for (graph, call), fingerprint, division in zip(
        program.calls, prints.calls, divisions, strict=True
    ):
        # A call without code has no fingerprint, and no place in a lock.
        if fingerprint is not None:
            config = recorded.get(graph.call_id(call)) or _stated_config(graph, call)
            calls[graph.id].append(_lock_call(call, fingerprint, division.involved_ops, config))
    graphs = [
        LockedGraph(
            name=_one_word(graph.id),
            kind=graph.kind,
            fingerprint=fingerprint,
            calls=tuple(calls[graph.id]),
            memory=_memory_of_graph(graph.id, calls[graph.id], held or {}),
        )
        for graph, fingerprint in zip(program.graphs, prints.graphs, strict=True)
        if fingerprint is not None
    ]
    return tuple(sorted(graphs, key=lambda graph: _natural_key(graph.name)))


def _memory_of_graph(
    graph: str, calls: Sequence[LockedCall], held: Mapping[str, HeldGraph]
) -> LockedMemory | None:
    if graph not in held:
        return None
    return lock_memory_of(held[graph], [call.fingerprint for call in calls])


def _lock_call(
    call: WrapperCall, fingerprint: CallPrint, ops: tuple[str, ...], config: str | None
) -> LockedCall:
    return LockedCall(
        fingerprint=fingerprint.fingerprint,
        name=_one_word(stem(call)),
        ops=tuple(map(_one_word, ops)),
        config=" ".join(map(make_visible, (config or "").split())) or None,
    )


def _one_word(text: str) -> str:
    """`text` as one word of a lock; a name of code has no spaces unless somebody put them there."""
    return make_visible(re.sub(r"[\s,]+", "_", text))


def _stated_config(graph: CompiledGraph, call: WrapperCall) -> str | None:
    """What the definition states outright; other kernels are tuned when they first run."""
    kernel = graph.kernel_of(call)
    if kernel is None:
        return None
    parts = [f"{name}={kernel.meta[name]}" for name in _STATED if kernel.meta.get(name) is not None]
    return " ".join(parts) or None


def _natural_key(name: str) -> list[tuple[int, str]]:
    """`10_forward` after `9_forward`."""
    # Digits compare as numbers, and what stands between them as text.
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBER.split(name)]


def dump_lock(graphs: Sequence[LockedGraph]) -> str:
    """The text of a lock."""
    parts = [f"{_HEAD}{VERSION}\n{_ABOUT}"]
    for graph in graphs:
        parts.append(f"graph {graph.name} {graph.kind or _NONE} {graph.fingerprint}\n")
        rows = [_cells_of_call(call) for call in graph.calls]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        parts[-1] += "".join(_write_line(row, widths) for row in rows)
        if graph.memory is not None:
            parts[-1] += dump_locked_memory(graph.memory)
    return "\n".join(parts)


def load_lock(text: str, *, name: str = "the lock") -> tuple[LockedGraph, ...]:
    """The records of a lock; `name` is what errors call it. Raises KernelmapError `bad-lock`."""
    lines = text.splitlines()
    heads = [f"{_HEAD}{version}" for version in _VERSIONS]
    if not lines or lines[0].strip() not in heads:
        raise _bad_lock(name, 1, f"the first line is not `{_HEAD}{VERSION}`")
    graphs: list[LockedGraph] = []
    # Lines that begin with `graph` begin a record; other lines are calls of the last one.
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("graph "):
            graphs.append(_read_graph(line, number, name))
        elif graphs:
            graphs.append(_with_line(graphs.pop(), line, number, name))
        else:
            raise _bad_lock(name, number, "a call stands before the first graph")
    return tuple(graphs)


def _with_line(graph: LockedGraph, line: str, number: int, name: str) -> LockedGraph:
    """The graph with what one more line says: a call, the peak of its memory, a buffer there."""
    words = line.strip()
    if words.startswith(MEMORY):
        memory = read_locked_peak(line)
        if memory is None or graph.memory is not None:
            raise _bad_lock(name, number, "the memory of a graph is `memory BYTES`, once")
        return replace(graph, memory=memory)
    if words.startswith(HELD):
        buffer = read_locked_buffer(line)
        if buffer is None or graph.memory is None:
            raise _bad_lock(
                name, number, "a buffer is `held BYTES  MAKER  TYPE  OP`, behind memory"
            )
        buffers = (*graph.memory.buffers, buffer)
        return replace(graph, memory=replace(graph.memory, buffers=buffers))
    return replace(graph, calls=(*graph.calls, _read_call(line, number, name)))


def line_of(call: LockedCall) -> str:
    """One call as a line of a comparison."""
    return _GAP.join(cell for cell in _cells_of_call(call) if cell)


def _cells_of_call(call: LockedCall) -> tuple[str, str, str, str]:
    return call.fingerprint, call.name, ",".join(call.ops) or _NONE, call.config or ""


def _write_line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
    return f"{_GAP}{_GAP.join(cells)}".rstrip() + "\n"


def _read_graph(line: str, number: int, name: str) -> LockedGraph:
    words = line.split()
    if len(words) != len(("graph", "name", "kind", "print")) or not _PRINT.fullmatch(words[3]):
        raise _bad_lock(name, number, "a graph is `graph NAME KIND FINGERPRINT`")
    kind = None if words[2] == _NONE else words[2]
    return LockedGraph(name=words[1], kind=kind, fingerprint=words[3], calls=())


def _read_call(line: str, number: int, name: str) -> LockedCall:
    # Two spaces or more part the columns: a configuration has single spaces in it.
    cells = re.split(r"\s{2,}", line.strip(), maxsplit=3)
    if len(cells) < len(("print", "name", "ops")) or not _PRINT.fullmatch(cells[0]):
        raise _bad_lock(name, number, "a call is `FINGERPRINT  NAME  OPS  [CONFIGURATION]`")
    ops = () if cells[2] == _NONE else tuple(cells[2].split(","))
    config = cells[3] if len(cells) > len(("print", "name", "ops")) else None
    return LockedCall(fingerprint=cells[0], name=cells[1], ops=ops, config=config)


def _bad_lock(name: str, line: int, reason: str) -> KernelmapError:
    return KernelmapError(
        "bad-lock",
        f"{name}, line {line}: {reason}",
        f"Write it again: the command `inspect` with the code and --lock {name}.",
    )


class CodeToLock(Struct, frozen=True, kw_only=True):
    """The graphs of some code as a lock has them, and the memory of those that have any, by name.

    `notices` say what could not be used, `files` are those that were read.
    """

    graphs: tuple[LockedGraph, ...]
    held: Mapping[str, HeldGraph]
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]


def lock_of(
    sources: Sequence[Path],
) -> tuple[tuple[LockedGraph, ...], tuple[Notice, ...], tuple[Path, ...]]:
    """The lock of the code among `sources`, what could not be used, and the files that were read.

    Raises as `read_code_to_lock` does.
    """
    code = read_code_to_lock(sources)
    return code.graphs, code.notices, code.files


def read_code_to_lock(sources: Sequence[Path]) -> CodeToLock:
    """The code among `sources`, ready for a lock.

    Raises KernelmapError where an input cannot be read, or `nothing-to-lock` where none is code.
    """
    inputs = sort(sources)
    # Only launches say which configuration an autotuned kernel ran with.
    recorded: Mapping[str, str] = {}
    program: CompiledProgram
    if inputs.code and inputs.traces:
        correlation = correlate(*sources)
        program, notices, files = correlation.program, correlation.notices, correlation.files
        recorded = {
            str(row["call"]): str(row["config"])
            for row in rows_of_frame(CALLS, correlation.tables.frame("calls"))
            if row["call"] is not None and row["config"] is not None
        }
    else:
        program = read_compiled(inputs.code)
        notices = program.notices
        files = (*sources, *map(Path, program.files))
    lifetimes = rows_of_lifetimes(program, memory_of_program(program))
    held = {graph.graph: graph for graph in held_graphs(lifetimes)}
    graphs = lock_program(program, recorded, held)
    if not graphs:
        raise KernelmapError(
            "nothing-to-lock",
            "there is no generated code with a graph among the inputs",
            "Give output_code.py, a torch_compile_debug folder, or a TORCH_TRACE log.",
        )
    return CodeToLock(
        graphs=graphs,
        held={_one_word(name): graph for name, graph in held.items()},
        notices=tuple(notices),
        files=tuple(files),
    )


def read_lock(path: Path) -> tuple[LockedGraph, ...]:
    """The lock in a file; raises KernelmapError where there is none."""
    try:
        text = read_bytes(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error if isinstance(error, OSError) else "it is no text") from error
    return load_lock(text, name=str(path))
