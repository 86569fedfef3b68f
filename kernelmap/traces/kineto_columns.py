"""Batches of Kineto events → raw columns, a batch at a time, so that no event outlives its batch.

Taken: complete events (`ph` X) of the kinds in kineto_values.py, of source frames those that have a
role (model/names.py). Given: Launches, ApiCalls and Ranges with unfilled links, each with
names in the order of the file: so how the file was cut into batches changes nothing. Threads that
are no numbers get numbers below -1. Left out, and counted: events without a usable time or
duration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelmap.model.names import FrameRole, frame_role
from kernelmap.model.trace import NONE, ApiCalls, Int, Launches, RangeKind, Ranges
from kernelmap.traces.columns import Numbers, Parts, are_times, moved, places
from kernelmap.traces.kineto_events import (
    NO_ARGS,
    Args,
    Batch,
    Event,
    Scalar,
    exact_ns,
    times_from_text,
)
from kernelmap.traces.kineto_values import (
    ACTIVITY,
    OTHER_DEVICES,
    Details,
    Ids,
    Kind,
    Kinds,
    extents,
    text,
    unclear,
    whole,
)


class Columns:
    """Takes batches with `add`; `launches`, `apis`, `ranges` and `frames` may be asked once."""

    def __init__(self) -> None:
        self.ids = Ids()
        self.without_time = 0
        self.events = 0
        self.has_frames = False
        self.other_devices: Counter[str] = Counter()
        self.unclear: Counter[str] = Counter()
        self._kinds = Kinds()
        self._range_names: Numbers[Scalar] = Numbers()
        self._api_names: Numbers[Scalar] = Numbers()
        self._device_names: Numbers[Scalar] = Numbers()
        self._launch_names: Numbers[Scalar] = Numbers()
        self._pids: Numbers[str] = Numbers()
        self._threads: Numbers[str] = Numbers()
        self._details = Details()
        self._frame_names: Numbers[Scalar] = Numbers()
        self._frame_pids: Numbers[str] = Numbers()
        self._roles: dict[Scalar, bool] = {}
        self._launches, self._apis, self._ranges, self._frames = (Parts() for _ in range(4))

    @property
    def pids(self) -> tuple[str, ...]:
        """The host processes met, as `process` columns count them."""
        return tuple(self._pids)

    def add(self, batch: Batch) -> None:
        """Take what is needed of `batch`."""
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
        is_range = (kind == Kind.OP) | (kind == Kind.ANNOTATION)
        self._add_ranges(self._timed(batch, is_range, kind, self._range_names))
        self._add_apis(self._timed(batch, kind == Kind.API, kind, self._api_names))
        self._add_launches(self._timed(batch, kind >= Kind.KERNEL, kind, self._launch_names))
        frames = self._with_roles(batch, kind == Kind.FRAME)
        self._add_frames(self._timed(batch, frames, kind, self._frame_names))
        for row in np.flatnonzero(kind == Kind.OTHER_DEVICE).tolist():
            self.other_devices[OTHER_DEVICES[str(batch.events[row].cat).lower()]] += 1
        odd = (batch.events[row] for row in np.flatnonzero(kind <= Kind.UNCLEAR).tolist())
        self.unclear.update(what for event in odd if (what := unclear(event)) is not None)
        self.events += batch.total
        self.has_frames |= batch.frames

    def launches(self, base_ns: int) -> Launches:
        """GPU activities; `base_ns` is added to the times."""
        take, event = self._launches.take, self._launches.take("event")
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
            api=_absent(event),
            range=_absent(event),
            origin=self._origins(),
            names=_texts(self._launch_names),
        )

    def apis(self, base_ns: int) -> ApiCalls:
        """Runtime and driver calls; `base_ns` is added to the times."""
        take, event = self._apis.take, self._apis.take("event")
        return ApiCalls(
            name_id=take("name_id"),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=take("process"),
            thread=take("thread"),
            correlation=take("correlation"),
            external=take("external"),
            device_name_id=moved(take("device_name_id"), len(self._api_names)),
            event=event,
            range=_absent(event),
            names=(*_texts(self._api_names), *_texts(self._device_names)),
        )

    def ranges(self, base_ns: int) -> Ranges:
        """Operators and annotations; `base_ns` is added to the times."""
        take, event = self._ranges.take, self._ranges.take("event")
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
            parent=_absent(event),
            detail_id=take("detail_id"),
            names=_texts(self._range_names),
            details=self._details.all,
        )

    def frames(self, base_ns: int) -> Ranges:
        """Source frames that have a role, of processes that ranges or calls belong to."""
        take, event = self._frames.take, self._frames.take("event")
        owners = [self._pids.get(pid, NONE) for pid in self._frame_pids]
        process = np.array([*owners, NONE], dtype=np.int64)[take("process")]
        frames = Ranges(
            name_id=take("name_id"),
            kind=np.full(len(event), RangeKind.FRAME, dtype=np.int8),
            start_ns=take("start_ns") + base_ns,
            dur_ns=take("dur_ns"),
            process=process,
            thread=take("thread"),
            external=_absent(event),
            sequence=_absent(event),
            event=event,
            parent=_absent(event),
            detail_id=_absent(event),
            names=_texts(self._frame_names),
        )
        return frames.take(process >= 0)

    def _origins(self) -> Int:
        """Per launch the api call that its graph node was captured in, -1 where none is named."""
        captured, call = self._launches.take("capture"), self._apis.take("capture")
        named = np.flatnonzero(call >= 0)
        ids, first = np.unique(call[named], return_index=True)
        if not len(ids):
            return np.full(len(captured), NONE, dtype=np.int64)
        place = np.minimum(np.searchsorted(ids, captured), len(ids) - 1)
        return np.where(ids[place] == captured, named[first][place], NONE)

    def _timed(
        self, batch: Batch, chosen: NDArray[np.bool_], kind: Int, names: Numbers[Scalar]
    ) -> _Timed:
        """The chosen events that have a time and a duration."""
        rows = np.flatnonzero(chosen)
        events = [batch.events[row] for row in rows.tolist()]
        start = exact_ns([event.ts for event in events])
        dur = exact_ns([event.dur for event in events])
        if start is None or dur is None:
            start, dur = times_from_text(batch, rows)
        good = are_times(start, dur)
        if not good.all():
            self.without_time += int((~good).sum())
            rows, start, dur = rows[good], start[good], dur[good]
            events = [batch.events[row] for row in rows.tolist()]
        return _Timed(
            events=events,
            args=[event.args or NO_ARGS for event in events],
            kind=kind[rows],
            columns={
                "start_ns": start,
                "dur_ns": dur,
                "event": batch.position[rows] + self.events,
                "name_id": np.array([names[event.name] for event in events], dtype=np.int64),
            },
        )

    def _add_ranges(self, found: _Timed) -> None:
        if found.events:
            self._ranges.add(
                **found.columns,
                **self._host(found),
                kind=np.where(found.kind == Kind.OP, RangeKind.OP, RangeKind.ANNOTATION),
                sequence=self.ids.column([args.sequence for args in found.args], lowest=0),
                detail_id=self._details.ids(found.args),
            )

    def _add_apis(self, found: _Timed) -> None:
        if found.events:
            names = self._device_names
            kernels = [args.kernel for args in found.args]
            once = dict.fromkeys(kernels)
            named = {kernel: names[kernel] if text(kernel) else NONE for kernel in once}
            self._apis.add(
                **found.columns,
                **self._host(found),
                correlation=self.ids.column([args.correlation for args in found.args]),
                device_name_id=np.array([named[kernel] for kernel in kernels], dtype=np.int64),
                capture=self.ids.column([args.capture for args in found.args]),
            )

    def _add_launches(self, found: _Timed) -> None:
        args, ids = found.args, self.ids
        if found.events:
            device, large = places(ids.column([each.device for each in args], lowest=0))
            ids.too_large += large
            stream = ids.column([each.stream for each in args], lowest=0)
            self._launches.add(
                **found.columns,
                activity=np.array([ACTIVITY[kind] for kind in found.kind.tolist()]),
                device=places(_filled(device, (event.pid for event in found.events)))[0],
                process=self._processes(args),
                stream=_filled(stream, (event.tid for event in found.events)),
                correlation=ids.column([each.correlation for each in args]),
                external=self._external(args),
                graph=ids.column([each.graph for each in args]),
                graph_node=ids.column([each.graph_node for each in args]),
                capture=ids.column([each.capture for each in args]),
                grid=extents([each.grid for each in args]),
                block=extents([each.block for each in args]),
            )

    def _with_roles(self, batch: Batch, frames: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Those of `frames`, a mask of a batch, that have a role and a duration."""
        chosen = np.zeros(len(frames), dtype=bool)
        for row in np.flatnonzero(frames).tolist():
            event = batch.events[row]
            if event.name not in self._roles:
                self._roles[event.name] = frame_role(str(event.name)) is not FrameRole.NONE
            chosen[row] = self._roles[event.name] and event.dur is not None
        return chosen

    def _add_frames(self, found: _Timed) -> None:
        if found.events:
            self._frames.add(**found.columns, **self._places(found, self._frame_pids))

    def _processes(self, args: list[Args]) -> Int:
        """Of each launch its process, where the file says so."""
        owners = [each.process for each in args]
        once = dict.fromkeys(owners)
        number = {pid: NONE if pid is None else self._pids[str(pid)] for pid in once}
        return np.array([number[pid] for pid in owners], dtype=np.int64)

    def _host(self, found: _Timed) -> dict[str, Int]:
        """Where a host event ran, and its external id."""
        return {**self._places(found, self._pids), "external": self._external(found.args)}

    def _places(self, found: _Timed, pids: Numbers[str]) -> dict[str, Int]:
        """The process, as `pids` counts them, and the thread of host events."""
        threads = self._threads
        owners = [event.pid for event in found.events]
        number = {pid: pids[str(pid)] for pid in dict.fromkeys(owners)}
        own = [each.thread for each in found.args]
        tids = [
            event.tid if tid is None else tid for event, tid in zip(found.events, own, strict=True)
        ]
        try:
            thread = np.array(tids, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            known = [(whole(tid), str(tid)) for tid in tids]
            thread = np.array(
                [-2 - threads[name] if tid is None else tid for tid, name in known], dtype=np.int64
            )
        return {
            "process": np.array([number[pid] for pid in owners], dtype=np.int64)
            if len(number) > 1
            else np.full(len(owners), number[owners[0]], dtype=np.int64),
            "thread": thread,
        }

    def _external(self, args: list[Args]) -> Int:
        column = self.ids.column([each.external for each in args])
        if (column >= 0).any():
            return column
        return self.ids.column([each.external_old for each in args])


@dataclass(frozen=True, slots=True)
class _Timed:
    """Events of one kind of columns, with the columns that all have."""

    events: list[Event]
    args: list[Args]
    kind: Int
    columns: dict[str, Int]


def _filled(column: Int, track: Iterable[Scalar]) -> Int:
    """`column`, with the number of the event's track where it is absent."""
    if (column >= 0).all():
        return column
    numbers = map(whole, track)
    instead = [number if number is not None and number >= 0 else NONE for number in numbers]
    return np.where(column >= 0, column, np.array(instead, dtype=np.int64))


def _texts(names: Iterable[Scalar]) -> tuple[str, ...]:
    return tuple("(no name)" if name is None else str(name) for name in names)


def _absent(like: Int) -> Int:
    return np.full(len(like), NONE, dtype=np.int64)
