"""GPU render stages and GPU counters of packets → rows of launches and samples, as Kineto's.

torch writes a stage for each kernel, copy and fill, and for nodes of CUDA graphs that launch
nothing. A stage of another writer is a kernel if it names one; others (a GPU that drew) are left
out and counted.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.kineto.counters import DERIVED, SampledRows, process_of_device
from kernelmap.traces.kineto.native_scan import SparseRows
from kernelmap.traces.kineto.plain_scan import COLUMNS
from kernelmap.traces.kineto.values import EventKind, Kinds, LeftOut
from kernelmap.traces.perfetto.notes import ids_and_texts
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.plain_packets import DOUBLE, KERNELS, NAMES, OF_STAGE, STAGES
from kernelmap.traces.perfetto.state import State
from kernelmap.traces.perfetto.texts import PerText, table_of

CATEGORY_OF_STAGE = {
    "Kernel": "kernel",
    "Memcpy": "gpu_memcpy",
    "Memset": "gpu_memset",
    "Annotation": "gpu_user_annotation",
    "EventRecord": "graph_event_node",
    "HostNode": "graph_host_node",
}
"""The stages that torch writes, and what Kineto's JSON calls such events."""
_OF_OTHERS = -(2**31)
"""The kind of a stage that torch does not write."""


def rows_of(table: str, columns: dict[str, Int], rows: Int | None = None) -> SparseRows:
    """Rows as the scanners of JSON make them, of the columns or of `rows` of them.

    What no column holds is absent.
    """
    count = len(columns["kind"]) if rows is None else len(rows)
    return SparseRows(count, {name: columns.get(name) for name in COLUMNS[table]}, rows)


class StageRows:
    """Turns the stages of pieces into rows of launches."""

    def __init__(self, state: State, kinds: Kinds) -> None:
        self.left_out: Counter[str] = Counter()
        self._state, self._kinds = state, kinds
        self._kind_of_stage = PerText(self._kind_of)

    def launches(
        self, piece: Piece, scope: Int, time: Int, first: int, left_out: LeftOut
    ) -> SparseRows | None:
        """The launches of a piece, None where it has none; `scope` and `time` are by packet.

        Its first event has the number `first`.
        """
        table = table_of(self._state, piece, "stages", scope)
        stages = table.rows
        stage = self._state.look_up(STAGES, table.scope, stages["stage"])
        kernel = self._state.look_up(KERNELS, table.scope, stages["kernel"])
        kind = self._kinds_of(stage, kernel)
        kept = kind >= EventKind.KERNEL
        if not kept.any():
            return None
        # A slice is called as its event says, else like its kernel, else like its stage.
        name = table.texts(NAMES, "name", kept)
        name = np.where(name >= 0, name, np.where(kernel >= 0, kernel, stage))
        of = stages.take(kept)
        rows = {
            **ids_and_texts(table, OF_STAGE, kept, left_out),
            "event": of["event"] + first,
            "start_ns": time[of["packet"]],
            "dur_ns": of["duration"],
            "name": name[kept],
            "kind": kind[kept],
            "pid": of["gpu"],
            "tid": of["queue"],
            **{axis: of[axis] for axis in of.columns if axis.startswith(("grid_", "block_"))},
        }
        return rows_of("launches", rows)

    def _kinds_of(self, stage: Int, kernel: Int) -> Int:
        """Kinds of events; what names a kernel is one, whatever its stage is called."""
        kind = self._kind_of_stage(stage)
        is_other = kind == _OF_OTHERS
        lost = stage[is_other & (kernel < 0)]
        for number, count in zip(*np.unique(lost, return_counts=True), strict=True):
            self.left_out[self._state.texts.text(int(number)) or "without a name"] += int(count)
        return np.where(is_other, np.where(kernel >= 0, EventKind.KERNEL, EventKind.NOTHING), kind)

    def _kind_of(self, stage: int) -> int:
        category = CATEGORY_OF_STAGE.get(self._state.texts.text(stage) or "")
        return _OF_OTHERS if category is None else self._kinds[category]


def samples(state: State, counters: SparseRows, scope: Int, time: Int) -> SampledRows:
    """Samples of counters that are described; what nobody measured is left out."""
    packet = counters["packet"]
    # A counter is told by its number in a description, which has a number in its sequence.
    key = (counters["descriptor"], counters["counter"], counters["gpu"], scope[packet])
    known, which = np.unique(np.stack(key, axis=1), axis=0, return_inverse=True)
    counted = [_counter(state, *each) for each in known.tolist()]
    name, process = (
        np.array(column, dtype=np.int64)[which.ravel()] for column in zip(*counted, strict=True)
    )
    value = counters["value"]
    is_double = counters["value_kind"] == DOUBLE
    number = np.where(is_double, value.view(np.float64), value.astype(np.float64))
    kept = (name >= 0) & (counters["value_kind"] >= 0)
    return SampledRows(name[kept], process[kept], time[packet][kept], number[kept])


def _counter(state: State, descriptor: int, counter: int, gpu: int, scope: int) -> tuple[int, int]:
    """Texts: the name of a counter, and the process that Kineto's JSON gives its GPU.

    Both are -1 where the counter is not described, or derived.
    """
    described = state.descriptors.get((scope, descriptor))
    name = None if described is None else described.names.get(counter)
    if described is None or name is None or name.startswith(DERIVED):
        return NONE, NONE
    device = gpu if gpu != NONE else described.gpu or 0
    number = state.texts.number
    return number(name.encode()), number(process_of_device(device).encode())
