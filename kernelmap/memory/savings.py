"""What the peak of each graph could do without: buffers that are cheap to make again, copies.

A buffer that could be spared is taken out of the bytes alive, for the statements between which it
would not be there, and the peak is sought anew: the peak falls by no more than to the next highest
moment. Each is counted by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind
from kernelmap.model.memory_savings import MemorySaving, MemorySavingKind
from kernelmap.model.trace import Int
from kernelmap.tables.buffer_uses import copied_buffers, users_of_buffers
from kernelmap.tables.lifetimes import saved_by_forwards

_POINTWISE, _BACKWARD = "poi", "backward"
_NUMBERED = re.compile(r"primals_(\d{1,6})|arg(\d{1,6})_1")
_HEADER = re.compile(r"^ *def forward\(self, (.*)\):$", re.MULTILINE)
_STATED = re.compile(r'(\w+): "')
_LASTING = re.compile(r"_(?:parameters|buffers)_")
"""In the names of inputs that belong to a module."""
_LEAST = 0.001
"""Of the peak: what would save less is not worth a line. Chosen."""


def find_memory_savings(
    program: CompiledProgram, memories: Sequence[GraphMemory]
) -> tuple[MemorySaving, ...]:
    """What graphs could save at their peaks, the largest first; each counts by itself."""
    graphs = {graph.id: graph for graph in program.graphs}
    saved = saved_by_forwards(memories)
    found = [
        saving
        for memory in memories
        for saving in _find_in_graph(_Uses.of(graphs[memory.graph], memory, saved))
        if saving.saved_bytes > _LEAST * saving.peak_bytes
    ]
    return tuple(sorted(found, key=lambda each: (-each.saved_bytes, each.graph, each.buffer.born)))


class _Uses(Struct, frozen=True, kw_only=True):
    """A graph with its memory, and which calls use which buffers.

    `users` are steps, by position of the buffer and in order; `copied` has the name of the original
    by position of the copy; `saved` the backward by position of what a forward saves for it.
    """

    graph: CompiledGraph
    memory: GraphMemory
    users: Mapping[int, tuple[int, ...]]
    copied: Mapping[int, str]
    saved: Mapping[int, str]

    @classmethod
    def of(
        cls, graph: CompiledGraph, memory: GraphMemory, saved: Mapping[str, Mapping[int, str]]
    ) -> _Uses:
        steps = {step.call: at for at, step in enumerate(memory.steps) if step.call is not None}
        users = users_of_buffers(memory)
        return cls(
            graph=graph,
            memory=memory,
            users={at: tuple(sorted(steps[call] for call in calls)) for at, calls in users.items()},
            copied=copied_buffers(graph, memory),
            saved=saved.get(memory.graph, {}),
        )

    def end_of(self, buffer: MemoryBuffer) -> int:
        """The step in which a buffer is gone."""
        return len(self.memory.steps) if buffer.freed is None else buffer.freed

    def handed_to(self, step: int) -> list[int]:
        """The positions of the buffers that the call of a step is handed."""
        return [at for at, steps in self.users.items() if step in steps]

    def peak_without(self, changes: Sequence[tuple[int, int, int]]) -> int:
        """The peak where from each first step to before each second one so many bytes come."""
        alive: Int = self.memory.bytes_after.copy()
        for begin, end, nbytes in changes:
            alive[begin:end] += nbytes
        return int(alive.max())


def _find_in_graph(uses: _Uses) -> Iterator[MemorySaving]:
    memory = uses.memory
    counted = set(map(id, memory.counted))
    for at, buffer in enumerate(memory.buffers):
        # Only what is alive at the peak can lower it; what lies in a pool is the pool's.
        if not buffer.is_alive_after(memory.peak_step) or not buffer.nbytes:
            continue
        if buffer.pool is not None or id(buffer) not in counted:
            continue
        for find in (_find_copy, _find_narrower, _find_recomputed, _find_unneeded_input):
            saving = find(uses, at, buffer)
            if saving is not None:
                yield saving
                break


def _make_saving(  # noqa: PLR0913 -- the fields of the record
    uses: _Uses,
    buffer: MemoryBuffer,
    kind: MemorySavingKind,
    changes: Sequence[tuple[int, int, int]],
    words: str,
    doubt: str,
    *,
    likely: bool,
) -> MemorySaving:
    return MemorySaving(
        kind=kind,
        graph=uses.memory.graph,
        buffer=buffer,
        peak_bytes=uses.memory.peak_bytes,
        without_bytes=uses.peak_without(changes),
        likely=likely,
        words=words,
        doubt=doubt,
    )


def _find_copy(uses: _Uses, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
    """A copy of another buffer in another layout; without it the original lives as long."""
    original = _original_of(uses, at, buffer)
    if original is None or original.dtype != buffer.dtype or buffer.kind is MemoryKind.OUTPUT:
        return None
    end = uses.end_of(buffer)
    longer = (uses.end_of(original), end, original.nbytes or 0)
    return _make_saving(
        uses,
        buffer,
        MemorySavingKind.LAYOUT_COPY,
        [(buffer.born, end, -(buffer.nbytes or 0)), longer],
        f"a copy of {original.name} in another layout",
        "where what reads it takes the layout of the original",
        likely=False,
    )


def _original_of(uses: _Uses, at: int, buffer: MemoryBuffer) -> MemoryBuffer | None:
    name = uses.copied.get(at)
    alive = [one for one in uses.memory.buffers if one.name == name and one.born < buffer.born]
    return alive[-1] if alive else None


def _find_narrower(uses: _Uses, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
    """A buffer that nobody reads but what casts it to a dtype of fewer bytes."""
    copies = [
        one
        for position, one in enumerate(uses.memory.buffers)
        if uses.copied.get(position) == buffer.name and _is_narrower(one, buffer)
    ]
    makers = {buffer.made_by, *(one.made_by for one in copies)}
    users = {uses.memory.steps[step].call for step in uses.users.get(at, ())}
    if len(copies) != 1 or buffer.made_by is None or buffer.kind is not MemoryKind.BUFFER:
        return None
    if not users <= makers:
        return None
    narrow = copies[0]
    return _make_saving(
        uses,
        buffer,
        MemorySavingKind.NARROW,
        # The narrower one is there from the start, in the place of the wider one.
        [
            (buffer.born, uses.end_of(buffer), -(buffer.nbytes or 0)),
            (buffer.born, narrow.born, narrow.nbytes or 0),
        ],
        f"{buffer.dtype}, and cast to {narrow.dtype} ({narrow.name}) by all that reads it",
        f"where what makes it can write {narrow.dtype}",
        likely=True,
    )


def _is_narrower(one: MemoryBuffer, other: MemoryBuffer) -> bool:
    return one.dtype != other.dtype and (one.nbytes or 0) < (other.nbytes or 0)


def _find_recomputed(uses: _Uses, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
    """A buffer that nobody needs around the peak, made by one kernel of what is there anyway."""
    memory, peak = uses.memory, uses.memory.peak_step
    if buffer.made_by is None or buffer.reuses is not None:
        return None
    maker = uses.graph.calls[buffer.made_by]
    made = [one for one in memory.buffers if one.made_by == buffer.made_by]
    steps = uses.users.get(at, ())
    if maker.category != _POINTWISE or len(made) != 1 or not steps:
        return None
    before = [step for step in steps if step <= peak]
    behind = [step for step in steps if step > peak]
    is_saved = at in uses.saved
    # Allocated for a call that has not run at the peak: it is needed there.
    if not before or (not behind and not is_saved):
        return None
    needed = behind[0] if behind else len(memory.steps)
    inputs = [memory.buffers[one] for one in uses.handed_to(steps[0]) if one != at]
    if not all(_is_there(uses, one, needed, is_saved=is_saved) for one in inputs):
        return None
    again = f"{maker.wrapper} runs once more{'' if behind else ', in the backward'}"
    by_whom = "the backward needs it next" if not behind else "it is needed next behind the peak"
    return _make_saving(
        uses,
        buffer,
        MemorySavingKind.RECOMPUTE,
        [(before[-1] + 1, needed, -(buffer.nbytes or 0))],
        f"pointwise, of {_name_all(inputs)}; {by_whom}",
        again,
        likely=True,
    )


def _is_there(uses: _Uses, buffer: MemoryBuffer, step: int, *, is_saved: bool) -> bool:
    """Whether a buffer is alive when a step runs, without being kept for it."""
    if buffer.held:
        return True
    if is_saved and step == len(uses.memory.steps):
        return buffer.freed is None
    return buffer.freed is None or buffer.freed > step


def _name_all(buffers: Sequence[MemoryBuffer]) -> str:
    names = [buffer.name for buffer in buffers]
    return f"{', '.join(names)}, which {'are' if len(names) > 1 else 'is'} there anyway"


def _find_unneeded_input(uses: _Uses, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
    """An input that the wrapper lets go of before the peak, and that its caller keeps.

    Parameters stay for the next step, and so does what a backward is handed of its caller's.
    """
    memory = uses.memory
    if buffer.kind is not MemoryKind.INPUT or buffer.let_go is None or at in memory.returned:
        return None
    if buffer.let_go > memory.peak_step or uses.graph.kind == _BACKWARD:
        return None
    stated = _stated_input(uses.graph, buffer.name)
    if stated is not None and _LASTING.search(stated):
        return None
    unknown = "" if stated is not None else "it is no parameter, and "
    return _make_saving(
        uses,
        buffer,
        MemorySavingKind.LET_GO,
        [(buffer.let_go, len(memory.steps), -(buffer.nbytes or 0))],
        "an input that no call behind the peak needs",
        f"where {unknown}its caller needs it nowhere else and keeps no reference",
        likely=False,
    )


def _stated_input(graph: CompiledGraph, name: str) -> str | None:
    """What Dynamo's graph calls an input: `L_self_modules_head_parameters_weight_`.

    AOTAutograd numbers the inputs of that graph: `primals_1` is the first, and so is `arg0_1`.
    """
    number = _NUMBERED.fullmatch(name)
    header = _HEADER.search(graph.pre_grad_text.text) if graph.pre_grad_text is not None else None
    if number is None or header is None:
        return None
    stated = _STATED.findall(header[1])
    place = int(number[1]) - 1 if number[1] is not None else int(number[2])
    return stated[place] if 0 <= place < len(stated) else None
