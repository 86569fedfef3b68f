"""What torch's own tools wrote beside launches: given to calls, and held against what we know.

torch's `inductor_trace_handler` writes the stacks of a kernel's nodes beside its launches. It finds
the kernel by its name, so where a graph calls one kernel twice, or forward and backward have
kernels of one name, it may name another call's lines. Labels of CUDA graphs are what the program
itself called its parts. So neither decides which call a launch belongs to, nor takes the place of
a line or a module that the code, its provenance or a log names. They say what nothing else says;
the tables say how much time that is (`noted_ns`), and `explain` whether both agree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.divide import CallDivision
from kernelmap.attribution.records import Attribution, TorchsWord
from kernelmap.model import (
    NONE,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Matching,
    Notice,
    SourceLine,
)
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.source import LaunchNote
from kernelmap.model.trace import Bool, Launches


def note_calls(program: CompiledProgram, launches: Launches, matching: Matching) -> CompiledProgram:
    """`program` with what is noted of each call: where all launches that say anything say the same.

    Launches of one call with different lines show that torch's handler took some for another call.
    """
    noted_by_call = _notes_of_calls(launches, matching)
    if not noted_by_call:
        return program
    graphs = []
    for first, graph in zip(program.first_call, program.graphs, strict=True):
        notes = [noted_by_call.get(first + at) for at in range(len(graph.calls))]
        graphs.append(_note_graph(graph, notes) if any(notes) else graph)
    return replace(program, graphs=tuple(graphs))


def _notes_of_calls(launches: Launches, matching: Matching) -> dict[int, LaunchNote]:
    """By call what its launches agree on, apart for lines and for modules."""
    rows = np.flatnonzero((matching.call >= 0) & (launches.note >= 0))
    # Each pair of a call and a note once, however many launches have it.
    pairs = np.unique(np.stack([matching.call[rows], launches.note[rows]]), axis=1)
    notes: dict[int, list[LaunchNote]] = {}
    for call, note in pairs.T.tolist():
        notes.setdefault(call, []).append(launches.notes[note])
    agreed = {call: _agreed(of_call) for call, of_call in notes.items()}
    return {call: note for call, note in agreed.items() if note.lines or note.module}


def _agreed(notes: Sequence[LaunchNote]) -> LaunchNote:
    lines = {note.lines for note in notes if note.lines}
    modules = {note.module for note in notes if note.module}
    return LaunchNote(
        lines=lines.pop() if len(lines) == 1 else (),
        module=modules.pop() if len(modules) == 1 else None,
    )


def _note_graph(graph: CompiledGraph, notes: Sequence[LaunchNote | None]) -> CompiledGraph:
    calls = zip(graph.calls, notes, strict=True)
    return replace(graph, calls=tuple(replace(call, noted=note) for call, note in calls))


def notices_of_lines(word: TorchsWord) -> Iterator[Notice]:
    """What a person should know of the lines that torch wrote; nothing where it wrote none."""
    total = word.agreeing + word.differing + word.alone
    if not total:
        return
    said = [
        f"{word.alone:,} have no other line, so torch's counts" if word.alone else "",
        f"{word.agreeing:,} agree with what was found" if word.agreeing else "",
        f"{word.differing:,} do not, and are not counted" if word.differing else "",
    ]
    yield Notice(
        slug="stacks-by-torch",
        message="torch's own trace handler wrote source lines beside"
        f" {format_count(total, 'launch')}: {'; '.join(filter(None, said))}",
    )


def compare_with_torch(
    program: CompiledProgram,
    launches: Launches,
    matching: Matching,
    counted: Bool,
    divisions: Sequence[CallDivision],
) -> TorchsWord:
    """Counted launches beside which torch's handler wrote lines, against those of their calls."""
    calls = [at for at, division in enumerate(divisions) if division.noted_lines]
    alone_of_call = np.zeros(len(program.calls) + 1, dtype=np.bool_)
    alone_of_call[calls] = True
    # The last one is for launches without a note.
    with_lines = np.array([bool(note.lines) for note in launches.notes] + [False])
    rows = np.flatnonzero(counted & with_lines[launches.note])
    unknown = matching.with_confidence(Confidence.UNKNOWN)[rows]
    is_alone = unknown | alone_of_call[matching.call[rows]]
    others = rows[~is_alone]
    call_lines = [division.involved_lines for division in divisions]
    # An ambiguous launch is one of its own; of one call and one note all launches are alike.
    own = np.where(matching.with_confidence(Confidence.AMBIGUOUS)[others], others, NONE)
    _, first, alike = np.unique(
        np.stack([matching.call[others], launches.note[others], own]),
        axis=1,
        return_index=True,
        return_counts=True,
    )
    agreeing = sum(
        count
        for row, count in zip(others[first].tolist(), alike.tolist(), strict=True)
        if _agrees(launches.notes[launches.note[row]].lines, _lines_of(row, matching, call_lines))
    )
    return TorchsWord(
        agreeing=agreeing,
        differing=len(others) - agreeing,
        alone=int(is_alone.sum()),
        calls=frozenset(calls),
    )


def describe_note(
    note: LaunchNote, row: int, matching: Matching, attribution: Attribution
) -> Iterator[str]:
    """What torch's own tools wrote beside a launch, in sentences, and what we know against it."""
    ours = _lines_of(row, matching, attribution.call_lines)
    is_unknown = matching.confidence[row] == Confidence.UNKNOWN
    if note.lines:
        if is_unknown or int(matching.call[row]) in attribution.torchs_word.calls:
            rest = "nothing else names a line"
        elif _agrees(note.lines, ours):
            rest = "so does what is known of its call"
        elif ours:
            named = join_some(sorted(line.name for line in ours))
            rest = f"what is known of its call names {named}, which counts"
        else:
            rest = "nothing agrees with it, so it does not count"
        yield f"torch's own trace handler names {_named(note.lines)}; {rest}"
    if note.module is not None:
        phase = ", in a backward" if note.is_backward else ""
        yield f"labelled {note.module!r} while its CUDA graph was captured{phase}"


def _named(lines: Sequence[SourceLine]) -> str:
    return join_some([line.name for line in lines])


def _lines_of(
    row: int, matching: Matching, call_lines: Sequence[Sequence[SourceLine]]
) -> set[SourceLine]:
    """The lines of a launch's call, or of those that it may be of."""
    call = int(matching.call[row])
    of_launch = (call,) if call >= 0 else matching.candidates_of(row)
    return {line for each in of_launch for line in call_lines[each]}


def _agrees(theirs: Collection[SourceLine], ours: Collection[SourceLine]) -> bool:
    """Whether both name the same lines, or one names some of the other's."""
    one, other = {line.name for line in theirs}, {line.name for line in ours}
    return bool(one and other) and (one <= other or other <= one)
