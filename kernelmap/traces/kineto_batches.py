"""Decoded Kineto events → columns of one batch, which no event outlives.

Taken: complete events (`ph` X) of the kinds in kineto_values.py, of source frames those that have a
role (model/names.py). Left out, and counted: events without a usable time or duration.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.columns import Numbers, places
from kernelmap.traces.kineto_events import (
    NO_ARGS,
    Args,
    Batch,
    Event,
    exact_ns,
    times_from_text,
)
from kernelmap.traces.kineto_values import (
    ACTIVITY,
    OTHER_DEVICES,
    Kind,
    Kinds,
    Met,
    extents,
    filled,
    range_kinds,
    text,
    unclear,
    whole,
)


class EventColumns:
    """Turns batches into columns; what they number and count goes into `met`."""

    def __init__(self, met: Met) -> None:
        self.met = met
        self._kinds = Kinds()

    def tables(self, batch: Batch, first: int) -> dict[str, dict[str, Int]]:
        """Columns by table; `first` is the number of the batch's first event in the file."""
        kinds = self._kinds
        kind = np.array(
            [
                kinds[event.cat]
                if event.ph == "X"
                else 0
                if event.dur is None
                else kinds.without_phase(event)
                for event in batch.events
            ],
            dtype=np.int64,
        )
        self._count(batch, kind)
        chosen = {
            "ranges": (kind == Kind.OP) | (kind == Kind.ANNOTATION),
            "apis": kind == Kind.API,
            "launches": kind >= Kind.KERNEL,
            "frames": self._with_roles(batch, kind == Kind.FRAME),
        }
        make = {
            "ranges": self._ranges,
            "apis": self._apis,
            "launches": self._launches,
            "frames": self._frames,
        }
        tables = {}
        for table, rows in chosen.items():
            timed = self._timed(batch, rows, kind, first)
            if timed.events:
                names = self.met.names[table]
                timed.columns["name_id"] = np.array([names[event.name] for event in timed.events])
                tables[table] = {**timed.columns, **make[table](timed)}
        return tables

    def _count(self, batch: Batch, kind: Int) -> None:
        """Count the events whose kind is not read, or hidden."""
        for row in np.flatnonzero(kind == Kind.OTHER_DEVICE).tolist():
            self.met.other_devices[OTHER_DEVICES[str(batch.events[row].cat).lower()]] += 1
        odd = (batch.events[row] for row in np.flatnonzero(kind <= Kind.UNCLEAR).tolist())
        self.met.unclear.update(what for event in odd if (what := unclear(event)) is not None)

    def _timed(self, batch: Batch, chosen: Bool, kind: Int, first: int) -> _Timed:
        """The chosen events that have a time and a duration."""
        rows = np.flatnonzero(chosen)
        events = [batch.events[row] for row in rows.tolist()]
        start = exact_ns([event.ts for event in events])
        dur = exact_ns([event.dur for event in events])
        if start is None or dur is None:
            start, dur = times_from_text(batch, rows)
        good = self.met.timed(start, dur)
        if not good.all():
            rows, start, dur = rows[good], start[good], dur[good]
            events = [batch.events[row] for row in rows.tolist()]
        return _Timed(
            events=events,
            args=[event.args or NO_ARGS for event in events],
            kind=kind[rows],
            columns={"start_ns": start, "dur_ns": dur, "event": batch.position[rows] + first},
        )

    def _ranges(self, timed: _Timed) -> dict[str, Int]:
        return {
            **self._host(timed),
            "kind": range_kinds(timed.kind),
            "sequence": self.met.ids.column([args.sequence for args in timed.args], lowest=0),
            "detail_id": self.met.details.ids(timed.args),
        }

    def _apis(self, timed: _Timed) -> dict[str, Int]:
        names, ids = self.met.device_names, self.met.ids
        kernels = [args.kernel for args in timed.args]
        once = dict.fromkeys(kernels)
        named = {kernel: names[kernel] if text(kernel) else NONE for kernel in once}
        return {
            **self._host(timed),
            "correlation": ids.column([args.correlation for args in timed.args]),
            "device_name_id": np.array([named[kernel] for kernel in kernels], dtype=np.int64),
            "capture": ids.column([args.capture for args in timed.args]),
        }

    def _launches(self, timed: _Timed) -> dict[str, Int]:
        args, ids = timed.args, self.met.ids
        device, large = places(ids.column([arguments.device for arguments in args], lowest=0))
        ids.too_large += large
        stream = ids.column([arguments.stream for arguments in args], lowest=0)
        return {
            "activity": np.array([ACTIVITY[kind] for kind in timed.kind.tolist()]),
            "device": places(filled(device, (event.pid for event in timed.events)))[0],
            "process": self._processes(args),
            "stream": filled(stream, (event.tid for event in timed.events)),
            "correlation": ids.column([arguments.correlation for arguments in args]),
            "external": self._external(args),
            "graph": ids.column([arguments.graph for arguments in args]),
            "graph_node": ids.column([arguments.graph_node for arguments in args]),
            "capture": ids.column([arguments.capture for arguments in args]),
            "grid": extents([arguments.grid for arguments in args]),
            "block": extents([arguments.block for arguments in args]),
        }

    def _frames(self, timed: _Timed) -> dict[str, Int]:
        return self._places(timed, self.met.frame_pids)

    def _with_roles(self, batch: Batch, frames: Bool) -> Bool:
        """Those of `frames`, a mask of a batch, that have a role and a duration."""
        chosen = np.zeros(len(frames), dtype=bool)
        for row in np.flatnonzero(frames).tolist():
            event = batch.events[row]
            chosen[row] = self.met.has_role(event.name) and event.dur is not None
        return chosen

    def _processes(self, args: list[Args]) -> Int:
        """Of each launch its process, where the file says so."""
        owners = [arguments.process for arguments in args]
        once, pids = dict.fromkeys(owners), self.met.pids
        number = {pid: NONE if pid is None else pids[str(pid)] for pid in once}
        return np.array([number[pid] for pid in owners], dtype=np.int64)

    def _host(self, timed: _Timed) -> dict[str, Int]:
        """Where a host event ran, and its external id."""
        return {**self._places(timed, self.met.pids), "external": self._external(timed.args)}

    def _places(self, timed: _Timed, pids: Numbers[str]) -> dict[str, Int]:
        """The process, as `pids` counts them, and the thread of host events."""
        owners = [event.pid for event in timed.events]
        number = {pid: pids[str(pid)] for pid in dict.fromkeys(owners)}
        stated = [arguments.thread for arguments in timed.args]
        tids = [
            event.tid if tid is None else tid
            for event, tid in zip(timed.events, stated, strict=True)
        ]
        try:
            thread = np.array(tids, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            number_and_name = [(whole(tid), str(tid)) for tid in tids]
            thread = np.array(
                [self.met.thread(name) if tid is None else tid for tid, name in number_and_name],
                dtype=np.int64,
            )
        return {
            "process": np.array([number[pid] for pid in owners], dtype=np.int64)
            if len(number) > 1
            else np.full(len(owners), number[owners[0]], dtype=np.int64),
            "thread": thread,
        }

    def _external(self, args: list[Args]) -> Int:
        column = self.met.ids.column([arguments.external for arguments in args])
        if (column >= 0).any():
            return column
        return self.met.ids.column([arguments.external_old for arguments in args])


class _Timed(Struct, frozen=True):
    """Events of one kind of columns, with the columns that all have."""

    events: list[Event]
    args: list[Args]
    kind: Int
    columns: dict[str, Int]
