"""Stretches of Kineto events → raw columns, a stretch at a time.

Taken: the rows that a scanner made, in C or in Python, as kineto_rows.py turns them into columns.
Given: Launches, ApiCalls and Ranges with unfilled links, each with names in the order of the file:
so how the file was cut into stretches changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kernelmap.model.trace import (
    NONE,
    ApiCalls,
    CounterSamples,
    Functions,
    Int,
    Launches,
    RangeKind,
    Ranges,
)
from kernelmap.traces.columns import ColumnParts, absent, moved
from kernelmap.traces.kineto.counters import SampleColumns
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.kineto.native_scan import Scanned, Texts
from kernelmap.traces.kineto.rows import RowColumns
from kernelmap.traces.kineto.values import TABLES, Met


class Columns:
    """Takes stretches with `add`; `launches`, `apis`, `ranges` and `frames` may be asked once."""

    def __init__(self, *, libraries: bool = False) -> None:
        """`libraries`: functions of libraries are kept, too."""
        self.met = Met()
        self.events = 0
        self.has_frames = False
        self._libraries = libraries
        self._of_rows: dict[Texts, RowColumns] = {}
        self._parts = {table: ColumnParts() for table in TABLES}
        self._samples = SampleColumns()

    @property
    def pids(self) -> tuple[str, ...]:
        """The host processes met, as `process` columns count them."""
        return tuple(self.met.pids)

    def add(self, stretch: Scanned) -> None:
        """Take what is needed of `stretch`."""
        scan = stretch.scan
        # Each scanner numbers texts by itself, so each has a table of
        # its own of what its numbers mean.
        if scan not in self._of_rows:
            self._of_rows[scan] = RowColumns(self.met, scan, libraries=self._libraries)
        tables = self._of_rows[scan].tables(stretch, self.events)
        self.met.left_out.add(stretch.left_out)
        for table, columns in tables.items():
            self._parts[table].add(**columns)
        self._samples.add(stretch.samples)
        self.events += stretch.total
        self.has_frames |= len(stretch.tables["frames"]) > 0

    def launches(self, base_ns: int) -> Launches:
        """GPU activities; `base_ns` is added to the times."""
        take = self._parts["launches"].take
        event = take("event")
        return Launches(
            name_id=take("name_id"),
            activity=take("activity").astype(np.int8),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=take("process"),
            device=take("device"),
            stream=take("stream"),
            correlation=take("correlation"),
            external=take("external"),
            graph=take("graph"),
            graph_node=take("graph_node"),
            grid=take("grid").reshape(-1, 3),
            block=take("block").reshape(-1, 3),
            event=event,
            api=absent(len(event)),
            range=absent(len(event)),
            origin=self._origins(),
            names=_texts(self.met.names["launches"]),
        )

    def apis(self, base_ns: int) -> ApiCalls:
        """Runtime and driver calls; `base_ns` is added to the times."""
        take = self._parts["apis"].take
        event = take("event")
        return ApiCalls(
            name_id=take("name_id"),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=take("process"),
            thread=take("thread"),
            correlation=take("correlation"),
            external=take("external"),
            # Names of kernels stand behind those of the calls in one table.
            device_name_id=moved(take("device_name_id"), len(self.met.names["apis"])),
            event=event,
            range=absent(len(event)),
            names=(*_texts(self.met.names["apis"]), *_texts(self.met.device_names)),
        )

    def ranges(self, base_ns: int) -> Ranges:
        """Operators and annotations; `base_ns` is added to the times."""
        take = self._parts["ranges"].take
        event = take("event")
        return Ranges(
            name_id=take("name_id"),
            kind=take("kind").astype(np.int8),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=take("process"),
            thread=take("thread"),
            external=take("external"),
            sequence=take("sequence"),
            event=event,
            parent=absent(len(event)),
            detail_id=take("detail_id"),
            names=_texts(self.met.names["ranges"]),
            details=self.met.details.all,
        )

    def frames(self, base_ns: int) -> Ranges:
        """Source frames that have a role, of processes that ranges or calls belong to."""
        take = self._parts["frames"].take
        event = take("event")
        # Frames count processes apart, so that a process with nothing but
        # frames gets no row of its own.
        owners = [self.met.pids.get(pid, NONE) for pid in self.met.frame_pids]
        process = np.array([*owners, NONE], dtype=np.int64)[take("process")]
        frames = Ranges(
            name_id=take("name_id"),
            kind=np.full(len(event), RangeKind.FRAME, dtype=np.int8),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=process,
            thread=take("thread"),
            external=absent(len(event)),
            sequence=absent(len(event)),
            event=event,
            parent=absent(len(event)),
            detail_id=absent(len(event)),
            names=_texts(self.met.names["frames"]),
        )
        return frames.take_rows(process >= 0)

    def counters(self, base_ns: int) -> CounterSamples | None:
        """What was sampled of GPUs, None where nothing was; `base_ns` is added to the times."""
        return self._samples.samples(base_ns)

    def functions(self) -> Functions:
        """Source frames of functions in files, those of libraries where they are kept."""
        take = self._parts["functions"].take
        return Functions(
            name_id=take("name_id"),
            start_ns=take("start_ns"),
            dur_ns=take("dur_ns"),
            process=take("process"),
            thread=take("thread"),
            pids=tuple(self.met.frame_pids),
            names=_texts(self.met.names["functions"]),
        )

    def _origins(self) -> Int:
        """Per launch the api call that its graph node was captured in, -1 where none is named."""
        # Ids that only files written by ourselves have: the same on a replayed
        # kernel and on its captured call.
        captured, call = (
            self._parts["launches"].take("capture"),
            self._parts["apis"].take("capture"),
        )
        named = np.flatnonzero(call >= 0)
        # `ids` ascend, `named[first]` are the rows of their calls; -1 for
        # launches whose id no call bears.
        ids, first = np.unique(call[named], return_index=True)
        if not len(ids):
            return np.full(len(captured), NONE, dtype=np.int64)
        place = np.minimum(np.searchsorted(ids, captured), len(ids) - 1)
        return np.where(ids[place] == captured, named[first][place], NONE)


def _texts(names: Iterable[Scalar]) -> tuple[str, ...]:
    # Events may lack a name.
    return tuple("(no name)" if name is None else str(name) for name in names)
