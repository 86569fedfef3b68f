"""The fusion structure of compiled code: the records of `kernels.lock`, their text, and changes.

    # kernelmap lock 1
    # ...

    graph 0_forward forward 5c0dad9cfc65
      e2f4df670c21    triton_per_fused_native_layer_norm    aten.native_layer_norm
      603e5991b3b9    extern_kernels.addmm                  aten.addmm                 num_warps=4

There is one record per graph, with its calls in program order: fingerprint, name without its
number, ops, and the configuration that the code states (templates, tile size hints) or a profile
recorded. Left out: paths, lines, handles and all numbers that the compiler counts, so that the text
changes when the code's structure does. The text has one line per call; columns are parted by two
spaces or more; ops by commas without a space. Lines that begin with `#` are left out. Errors name
the line.

Two locks give changes in the order of the newer code. A graph that is called otherwise and computes
the same is no change. Configurations count where both sides know them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import read_compiled
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.history.compare.pairing import pair_calls, pair_graphs
from kernelmap.history.compare.pieces import Group, Piece
from kernelmap.inputs import sort
from kernelmap.model import CompiledGraph, CompiledProgram, Notice, WrapperCall
from kernelmap.model.paths import read_bytes
from kernelmap.pages.text import make_visible
from kernelmap.pipeline import correlate
from kernelmap.tables.fingerprints import CallPrint, fingerprint_program, stem
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import CALLS

_NUMBER = re.compile(r"(\d+)")
_STATED = ("num_warps", "num_stages", "num_consumer_groups", "num_buffers_warp_spec")
VERSION = 1
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
    """One graph; `kind` is None where the code does not state it."""

    name: str
    kind: str | None
    fingerprint: str
    calls: tuple[LockedCall, ...]


def lock_program(program: CompiledProgram, recorded: Mapping[str, str]) -> tuple[LockedGraph, ...]:
    """The graphs of `program` that have code, by name.

    `recorded` has the configurations of a profile by call id; they win over what the code states.
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
        )
        for graph, fingerprint in zip(program.graphs, prints.graphs, strict=True)
        if fingerprint is not None
    ]
    return tuple(sorted(graphs, key=lambda graph: _natural_key(graph.name)))


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
    return "\n".join(parts)


def load_lock(text: str, *, name: str = "the lock") -> tuple[LockedGraph, ...]:
    """The records of a lock; `name` is what errors call it. Raises KernelmapError `bad-lock`."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != f"{_HEAD}{VERSION}":
        raise _bad_lock(name, 1, f"the first line is not `{_HEAD}{VERSION}`")
    graphs: list[LockedGraph] = []
    # Lines that begin with `graph` begin a record; other lines are calls of the last one.
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("graph "):
            graphs.append(_read_graph(line, number, name))
        elif graphs:
            last = graphs.pop()
            calls = (*last.calls, _read_call(line, number, name))
            graphs.append(
                LockedGraph(
                    name=last.name, kind=last.kind, fingerprint=last.fingerprint, calls=calls
                )
            )
        else:
            raise _bad_lock(name, number, "a call stands before the first graph")
    return tuple(graphs)


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


def lock_of(
    sources: Sequence[Path],
) -> tuple[tuple[LockedGraph, ...], tuple[Notice, ...], tuple[Path, ...]]:
    """The lock of the code among `sources`, what could not be used, and the files that were read.

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
    graphs = lock_program(program, recorded)
    if not graphs:
        raise KernelmapError(
            "nothing-to-lock",
            "there is no generated code with a graph among the inputs",
            "Give output_code.py, a torch_compile_debug folder, or a TORCH_TRACE log.",
        )
    return graphs, notices, files


def read_lock(path: Path) -> tuple[LockedGraph, ...]:
    """The lock in a file; raises KernelmapError where there is none."""
    try:
        text = read_bytes(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error if isinstance(error, OSError) else "it is no text") from error
    return load_lock(text, name=str(path))


class LockChange(Struct, frozen=True, kw_only=True):
    """One change: what happened in which graph, and the calls before and after."""

    what: str
    graph: str
    before: tuple[LockedCall, ...] = ()
    after: tuple[LockedCall, ...] = ()

    def say_change(self) -> str:
        """The change as a person reads it, ending in a newline."""
        lines = [f"{self.graph}: {self.what}"]
        lines += [f"  - {line_of(call)}" for call in self.before]
        lines += [f"  + {line_of(call)}" for call in self.after]
        return "\n".join(lines) + "\n"


def review_changes(changes: Sequence[LockChange]) -> str:
    """The changes as a person reads them, safe to print; empty without any."""
    raw = "".join(change.say_change() for change in changes)
    return "\n".join(map(make_visible, raw.split("\n")))  # a lock is a file like any other


def lock_changes(
    before: Sequence[LockedGraph], after: Sequence[LockedGraph]
) -> tuple[LockChange, ...]:
    """All changes; none where both describe the same structure."""
    sides = [[[call.piece for call in graph.calls] for graph in side] for side in (before, after)]
    names = ([graph.name for graph in before], [graph.name for graph in after])
    pairs = pair_graphs(sides[0], sides[1], names)
    changes: list[LockChange] = []
    for one, other in sorted(pairs, key=lambda pair: pair[1]):
        groups = pair_calls(sides[0][one], sides[1][other])
        for group in groups:
            change = _change_of_group(group, before[one], after[other])
            changes += [change] if change is not None else []
        # Nothing else changed in this graph: only then is another order said.
        if not changes or changes[-1].graph != after[other].name:
            changes += _find_moved(groups, after[other])
    for one in sorted(set(range(len(before))) - {one for one, _ in pairs}):
        changes.append(_whole_graph("the graph is gone", before[one], gone=True))
    for other in sorted(set(range(len(after))) - {other for _, other in pairs}):
        changes.append(_whole_graph("a new graph", after[other], gone=False))
    return tuple(changes)


def _change_of_group(group: Group, before: LockedGraph, after: LockedGraph) -> LockChange | None:
    ones = tuple(before.calls[at] for at in group.before)
    others = tuple(after.calls[at] for at in group.after)
    if group.same:
        # A configuration that one side does not know is no change.
        configs = (ones[0].config, others[0].config)
        if None in configs or configs[0] == configs[1]:
            return None
        what = "the configuration changed"
    elif not ones:
        what = "a new call"
    elif not others:
        what = "a call is gone"
    elif len(ones) == len(others) == 1:
        what = "the call computes something else"
    else:
        what = f"fused otherwise: {_say_count(len(ones))} became {len(others)}"
    return LockChange(what=what, graph=after.name, before=ones, after=others)


def _find_moved(groups: Sequence[Group], graph: LockedGraph) -> list[LockChange]:
    """A change where all calls are the same and their order is not."""
    # The older positions in the newer order; where they ascend, nothing moved.
    order = [group.before[0] for group in sorted(groups, key=lambda group: group.after)]
    if order == sorted(order):
        return []
    moved = tuple(
        graph.calls[group.after[0]] for group in groups if group.before[0] != group.after[0]
    )
    return [LockChange(what="the same calls in another order", graph=graph.name, after=moved)]


def _whole_graph(what: str, graph: LockedGraph, *, gone: bool) -> LockChange:
    calls = graph.calls
    return LockChange(
        what=f"{what} ({_say_count(len(calls))})",
        graph=graph.name,
        before=calls if gone else (),
        after=() if gone else calls,
    )


def _say_count(number: int) -> str:
    return f"{number} call" if number == 1 else f"{number} calls"
