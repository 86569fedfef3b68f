"""Notes of a file of packets that the columns do not keep, in a second look.

Few questions need them (the arguments of operators, what a collective was called with), and they
are most of a file; so they are read only of the events that are asked about. Damage was reported
when the file was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.perfetto.notes import IDS, Notes, Value
from kernelmap.traces.perfetto.packets import Keys, PacketStream
from kernelmap.traces.perfetto.plain_packets import NAMES, OF_SLICE, OF_STAGE, SLICE_IDS, STAGE_IDS
from kernelmap.traces.perfetto.state import State
from kernelmap.traces.perfetto.texts import PerText, table_of


class Said(Struct, frozen=True):
    """What one event says beside its name: ids and other notes by their names."""

    name: str
    notes: Mapping[str, Value]


def read_notes(path: Path, names: Sequence[str], is_asked: Callable[[str], bool]) -> Iterator[Said]:
    """What slices and GPU stages say that have one of the notes `names`, in any order.

    Of slices those whose own name `is_asked`, of stages all. Raises KernelmapError where the file
    cannot be read.
    """
    every = (*IDS, *names)
    keys = Keys(tuple(name.encode() for name in every), len(every))
    state = State()
    asked = PerText(lambda number: is_asked(state.texts.text(number) or ""))
    for piece in PacketStream(FileBlocks(path), keys):
        scope = state.read(piece)
        for of, table, ids in ((OF_SLICE, "slices", SLICE_IDS), (OF_STAGE, "stages", STAGE_IDS)):
            rows = table_of(state, piece, table, scope)
            name = rows.texts(NAMES, "name")
            wanted = (asked(name) > 0) | (of == OF_STAGE)
            notes = Notes(rows, of, keys, np.where(wanted, np.arange(len(name)), NONE))
            said: dict[int, dict[str, Value]] = {}
            for at in np.flatnonzero(notes.keys >= 0).tolist():
                of_event = said.setdefault(int(notes.rows[at]), {})
                of_event[every[int(notes.keys[at])]] = notes.value(at)
            for row, values in said.items():
                own = {every[at]: int(rows.rows[f"id_{at}"][row]) for at in range(ids)}
                values.update({key: number for key, number in own.items() if number != NONE})
                yield Said(state.texts.text(int(name[row])) or "", values)
