"""What the peak of each graph could do without: buffers that are cheap to make again, copies.

A buffer that could be spared is taken out of the bytes alive, for the statements between which it
would not be there, and the peak is sought anew (sought_peaks.py), of its graph and of the step.
Each is counted by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.memory.graph_uses import GraphUses
from kernelmap.memory.sought_peaks import AddedCall, BytesChange, SoughtPeaks
from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, StepMemory
from kernelmap.model.memory_savings import MemorySaving, MemorySavingKind
from kernelmap.tables.lifetimes import saved_by_forwards
from kernelmap.tables.memory import has_backward

_BACKWARD = "backward"
_NUMBERED = re.compile(r"primals_(\d{1,6})|arg(\d{1,6})_1")
_HEADER = re.compile(r"^ *def forward\(self, (.*)\):$", re.MULTILINE)
_STATED = re.compile(r'(\w+): "')
_LASTING = re.compile(r"_(?:parameters|buffers)_")
"""In the names of inputs that belong to a module."""
_LEAST = 0.001
"""Of the peak: what would save less is not worth a line. Chosen."""


def find_memory_savings(
    program: CompiledProgram, memories: Sequence[GraphMemory], step: StepMemory | None = None
) -> tuple[MemorySaving, ...]:
    """What graphs could save at their peaks, the largest first; each counts by itself.

    `step` has the graphs in the order of a step. Where it trains, what saves at its peak comes
    before what saves within a graph alone; a step without a backward keeps nothing.
    """
    graphs = {graph.id: graph for graph in program.graphs}
    saved = saved_by_forwards(memories)
    trains = step is not None and has_backward(program, step)
    peaks = SoughtPeaks.of(memories, step if trains else None)
    uses = {memory.graph: GraphUses.of(graphs[memory.graph], memory, saved) for memory in memories}
    found = [saving for each in uses.values() for saving in _Finder(each, uses, peaks).find()]
    return tuple(
        sorted(
            filter(_is_worth_a_line, found),
            key=lambda each: (
                -each.most_saved_bytes,
                -each.saved_bytes,
                each.graph,
                each.buffer.born,
            ),
        )
    )


def _is_worth_a_line(saving: MemorySaving) -> bool:
    in_step, of_step = saving.step_saved_bytes or 0, saving.step_peak_bytes or 0
    return saving.saved_bytes > _LEAST * saving.peak_bytes or in_step > _LEAST * of_step


class _Finder(Struct, frozen=True):
    """Finds what one graph could do without; `graphs` has all of the program, by their ids."""

    uses: GraphUses
    graphs: Mapping[str, GraphUses]
    peaks: SoughtPeaks

    def find(self) -> Iterator[MemorySaving]:
        memory = self.uses.memory
        counted = set(map(id, memory.counted))
        for at, buffer in enumerate(memory.buffers):
            # What lies in a pool is the pool's.
            if not buffer.nbytes or buffer.pool is not None or id(buffer) not in counted:
                continue
            # Only what is alive at the peak can lower it, and what is handed on that of a step.
            if not buffer.is_alive_after(memory.peak_step) and at not in self.uses.saved:
                continue
            for find in (
                self._find_copy,
                self._find_narrower,
                self._find_recomputed,
                self._find_unneeded_input,
            ):
                saving = find(at, buffer)
                if saving is not None:
                    yield saving
                    break

    def _change(self, begin: int, end: int, nbytes: int | None) -> BytesChange:
        return BytesChange(self.uses.memory.graph, begin, end, nbytes or 0)

    def _make_saving(  # noqa: PLR0913 -- the fields of the record
        self,
        buffer: MemoryBuffer,
        kind: MemorySavingKind,
        changes: Sequence[BytesChange],
        words: str,
        doubt: str,
        *,
        likely: bool,
        added: Sequence[AddedCall] = (),
        has_step: bool = True,
    ) -> MemorySaving:
        memory = self.uses.memory
        in_step = self.peaks.peak_of_step(changes, added) if has_step else None
        step = None if in_step is None else self.peaks.step
        return MemorySaving(
            kind=kind,
            graph=memory.graph,
            buffer=buffer,
            peak_bytes=memory.peak_bytes,
            without_bytes=self.peaks.peak_of_graph(memory.graph, changes, added),
            step_peak_bytes=None if step is None else step.peak_bytes,
            step_without_bytes=in_step,
            likely=likely,
            words=words,
            doubt=doubt,
        )

    def _find_copy(self, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
        """A copy of another buffer in another layout; without it the original lives as long."""
        original = self._original_of(at, buffer)
        if original is None or original.dtype != buffer.dtype or buffer.kind is MemoryKind.OUTPUT:
            return None
        end = self.uses.end_of(buffer)
        return self._make_saving(
            buffer,
            MemorySavingKind.LAYOUT_COPY,
            [
                self._change(buffer.born, end, -(buffer.nbytes or 0)),
                self._change(self.uses.end_of(original), end, original.nbytes),
            ],
            f"a copy of {original.name} in another layout",
            "where what reads it takes the layout of the original",
            likely=False,
        )

    def _original_of(self, at: int, buffer: MemoryBuffer) -> MemoryBuffer | None:
        name = self.uses.copied.get(at)
        buffers = self.uses.memory.buffers
        alive = [one for one in buffers if one.name == name and one.born < buffer.born]
        return alive[-1] if alive else None

    def _find_narrower(self, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
        """A buffer that nobody reads but what casts it to a dtype of fewer bytes."""
        memory = self.uses.memory
        copies = [
            one
            for position in self.uses.copies.get(buffer.name, ())
            if _is_narrower(one := memory.buffers[position], buffer)
        ]
        makers = {buffer.made_by, *(one.made_by for one in copies)}
        users = {memory.steps[step].call for step in self.uses.users.get(at, ())}
        if len(copies) != 1 or buffer.made_by is None or buffer.kind is not MemoryKind.BUFFER:
            return None
        if not users <= makers:
            return None
        narrow = copies[0]
        return self._make_saving(
            buffer,
            MemorySavingKind.NARROW,
            # The narrower one is there from the start, in the place of the wider one.
            [
                self._change(buffer.born, self.uses.end_of(buffer), -(buffer.nbytes or 0)),
                self._change(buffer.born, narrow.born, narrow.nbytes),
            ],
            f"{buffer.dtype}, and cast to {narrow.dtype} ({narrow.name}) by all that reads it",
            f"where what makes it can write {narrow.dtype}",
            likely=True,
        )

    def _find_recomputed(self, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
        """A buffer that nobody needs for a while, made by one kernel of what is there anyway."""
        memory = self.uses.memory
        if buffer.made_by is None or buffer.reuses is not None:
            return None
        maker = self.uses.graph.calls[buffer.made_by]
        made = [one for one in memory.buffers if one.made_by == buffer.made_by]
        steps = self.uses.users.get(at, ())
        if buffer.made_by not in self.uses.pointwise or len(made) != 1 or not steps:
            return None
        inputs = [memory.buffers[one] for one in self.uses.handed_to(steps[0]) if one != at]
        found = [
            self._made_again_behind_peak(buffer, maker, steps, inputs),
            self._made_again_in_backward(at, buffer, maker, steps[-1], inputs),
        ]
        savings = [saving for saving in found if saving is not None]
        return max(savings, default=None, key=lambda one: (one.most_saved_bytes, one.saved_bytes))

    def _made_again_behind_peak(
        self,
        buffer: MemoryBuffer,
        maker: WrapperCall,
        steps: Sequence[int],
        inputs: Sequence[MemoryBuffer],
    ) -> MemorySaving | None:
        """Where it is needed before the peak of its graph, and behind it again."""
        peak = self.uses.memory.peak_step
        before = [step for step in steps if step <= peak]
        behind = [step for step in steps if step > peak]
        # Allocated for a call that has not run at the peak: it is needed there.
        if not before or not behind:
            return None
        if not all(one.held or self.uses.end_of(one) > behind[0] for one in inputs):
            return None
        size, place = buffer.nbytes or 0, self.uses.place_before(behind[0])
        return self._make_saving(
            buffer,
            MemorySavingKind.RECOMPUTE,
            [self._change(before[-1] + 1, place, -size)],
            f"pointwise, of {_name_all(inputs)}; it is needed next behind the peak",
            f"{maker.wrapper} runs once more",
            likely=True,
            added=[AddedCall(self.uses.memory.graph, place, size)],
        )

    def _made_again_in_backward(
        self,
        at: int,
        buffer: MemoryBuffer,
        maker: WrapperCall,
        last: int,
        inputs: Sequence[MemoryBuffer],
    ) -> MemorySaving | None:
        """Where its forward saves it beside what it is made of, and needs it last in step `last`.

        In the backward it is there from its first use on. What it is made of lives until then.
        """
        if at not in self.uses.saved or not all(one.held or one.freed is None for one in inputs):
            return None
        graph, size = self.uses.memory.graph, buffer.nbytes or 0
        changes = [self._change(last + 1, len(self.uses.memory.steps), -size)]
        added, kept = [], []
        backward = self.graphs[self.uses.saved[at]]
        taken = backward.find_saved(graph, buffer)
        users = backward.users.get(taken, ()) if taken is not None else ()
        if users:
            place = backward.place_before(users[0])
            changes.append(BytesChange(backward.memory.graph, 0, place, -size))
            added.append(AddedCall(backward.memory.graph, place, size))
            for one in inputs:
                handed = None if one.held else backward.find_saved(graph, one)
                end = place if handed is None else backward.end_of(backward.memory.buffers[handed])
                if end < place:
                    kept.append(one.name)
                    changes.append(BytesChange(backward.memory.graph, end, place, one.nbytes or 0))
        longer = f", where {', '.join(kept)} has to live until then" if kept else ""
        beside = backward.find_reader([(graph, one) for one in inputs if not one.held])
        fused = f"; torch may fuse it with {beside}, which reads the same" if beside else ""
        return self._make_saving(
            buffer,
            MemorySavingKind.RECOMPUTE,
            changes,
            f"pointwise, of {_name_all(inputs)}; the backward needs it next",
            f"{maker.wrapper} runs once more, in the backward{longer}{fused}",
            # A kernel that reads the same is one that the compiler may fuse it with.
            likely=beside is None,
            added=added,
            # Of a backward whose code does not name it, nothing is known.
            has_step=bool(users),
        )

    def _find_unneeded_input(self, at: int, buffer: MemoryBuffer) -> MemorySaving | None:
        """An input that the wrapper lets go of, and that its caller keeps.

        Parameters stay for the next step, and so does what a backward is handed of its caller's.
        """
        memory = self.uses.memory
        if buffer.kind is not MemoryKind.INPUT or buffer.let_go is None or at in memory.returned:
            return None
        if self.uses.graph.kind == _BACKWARD:
            return None
        stated = _stated_input(self.uses.graph, buffer.name)
        if stated is not None and _LASTING.search(stated):
            return None
        is_before = buffer.let_go <= memory.peak_step
        # Most of what is let go of behind the peak are parameters: one has to be known as none.
        if not is_before and stated is None:
            return None
        unknown = "" if stated is not None else "it is no parameter, and "
        whom = "no call behind the peak needs" if is_before else "is held while later graphs run"
        return self._make_saving(
            buffer,
            MemorySavingKind.LET_GO,
            [self._change(buffer.let_go, len(memory.steps), -(buffer.nbytes or 0))],
            f"an input that {whom}",
            f"where {unknown}its caller needs it nowhere else and keeps no reference",
            likely=False,
        )


def _is_narrower(one: MemoryBuffer, other: MemoryBuffer) -> bool:
    return one.dtype != other.dtype and (one.nbytes or 0) < (other.nbytes or 0)


def _name_all(buffers: Sequence[MemoryBuffer]) -> str:
    names = [buffer.name for buffer in buffers]
    return f"{', '.join(names)}, which {'are' if len(names) > 1 else 'is'} there anyway"


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
