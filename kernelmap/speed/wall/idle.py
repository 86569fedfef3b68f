"""Why a device is idle: what the host did until it had launched what runs next.

A stretch of idleness ends with a launch. Until the host had launched it, what the host did is the
cause; from then on the device waits for something else. Where the device had run dry because the
host waited for it, the launching that follows is the synchronisation's cost: without it the host
would have been ahead. Where the api call of the launch is not recorded, only what excludes
launching is a cause. So it is on the CPU, where an operator ends a stretch and nothing launches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import NONE, Trace
from kernelmap.model.columns import distinct_values
from kernelmap.model.intervals import Spans
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, IdleCause, Remark, StepPart
from kernelmap.speed.wall.changes import Changes, Cut, join_cuts, lay_over
from kernelmap.speed.wall.devices import DeviceTime
from kernelmap.speed.wall.host import HostTime

STARTING_NS = 10_000
"""A launch runs at most so long after its api call where nothing else holds it back: in the samples
of an H200 it begins 2 µs after the call has ended, three of four within 2.4 µs. With less, every
launch waits for something; with more, short waits disappear."""
PYTHON_NS = 200_000
"""Python between two events of the host that takes no longer belongs to launching. With less, a
slow loop over operators is a riddle; with more, a line that computes on the host is called
launching. Chosen; docs/wall.md says so."""
DRAINED_NS = 1_000_000
"""The same where the host had waited for the device before: the first launch behind it is cold, and
the wait is what left the device without work. Chosen; docs/wall.md says so."""

_ROUNDED_NS = 1_000
"""By so much the clocks of host and device may differ: Kineto rounds and clamps times."""
_STRONG = (IdleCause.GRAPH_BREAK, IdleCause.GUARDS, IdleCause.LOADING_DATA, IdleCause.COMPILING)


class IdlePieces(Struct, frozen=True):
    """Idle stretches cut by cause, all (n,); see Pieces."""

    start_ns: Int
    end_ns: Int
    cause: Int
    event: Int
    launch: Int


class _Idle(Struct, frozen=True):
    """Idle stretches; all (n,).

    `launch` ended each, -1 at the end of the trace; `called_ns` and `ready_ns` are when the host
    called for it and when it could run, both the end of the stretch where that is not recorded
    (`recorded`). `thread` launches next, or launched last.
    """

    start_ns: Int
    end_ns: Int
    launch: Int
    called_ns: Int
    ready_ns: Int
    recorded: Bool
    thread: Int


class IdleTime:
    """Finds causes, device by device."""

    def __init__(self, trace: Trace, devices: Sequence[DeviceTime], *, on_cpu: bool) -> None:
        self._trace, self._host = trace, HostTime(trace, on_cpu=on_cpu)
        self._does: dict[int, Changes] = {}
        self._devices = devices

    @property
    def host(self) -> HostTime:
        """The host side of the trace."""
        return self._host

    def pieces_of_device(self, device: DeviceTime) -> IdlePieces:
        """The idle stretches of a device from its first step to its last, cut by cause."""
        idle = self._find_idle_stretches(device)
        # Stretches are cut thread by thread, since each thread has its own list of what it did.
        parts = [
            self._cut_stretches(device, idle, np.flatnonzero(np.equal(idle.thread, thread)), thread)
            for thread in distinct_values(idle.thread).tolist()
        ]
        if not parts:
            none = np.zeros(0, dtype=np.int64)
            return IdlePieces(none, none, none, none, none)
        start, end, cause, event, launch = (
            np.concatenate(columns) for columns in zip(*parts, strict=True)
        )
        # A piece that no event of the host shows gets a remark in its place.
        event = np.where(event >= 0, event, self._remarks_of_pieces(device, cause, launch))
        return IdlePieces(start, end, cause, event, launch)

    def _find_idle_stretches(self, device: DeviceTime) -> _Idle:
        launches, apis = self._trace.launches, self._trace.apis
        start_ns, end_ns, part = device.stretches
        rows = np.equal(part, PARTS.index(StepPart.IDLE))
        start_ns, end_ns = start_ns[rows], end_ns[rows]
        # The launch that ends each stretch: the first one that begins at its end or later. At the
        # end of the trace there is none, and its time is later than any other.
        begins = launches.start_ns[device.rows]
        place = np.searchsorted(begins, end_ns)
        launch = np.append(device.rows, NONE)[place]
        after = np.append(begins, np.iinfo(np.int64).max)[place]
        # What comes after the last step may begin later than the stretch ends.
        api = np.append(launches.api, NONE)[launch]
        recorded = api >= 0
        # Without an api call nobody knows when the host launched: the whole stretch then lies
        # before the call, and nothing of it behind.
        called = np.where(recorded, np.append(apis.start_ns, 0)[api], after)
        done = called + np.where(recorded, np.append(apis.dur_ns, 0)[api], 0)
        return _Idle(
            start_ns=start_ns,
            end_ns=end_ns,
            launch=launch,
            called_ns=np.clip(called, start_ns, end_ns),
            ready_ns=np.clip(np.where(recorded, done + STARTING_NS, end_ns), start_ns, end_ns),
            recorded=recorded,
            thread=self._threads_of_launches(device, place),
        )

    def _threads_of_launches(self, device: DeviceTime, place: Int) -> Int:
        """The thread that launches next, else the one that launched last; -1 without any."""
        event = self._host.event_of_launch[device.rows]
        # `place` counts the launches of the device that begin before the end of each stretch. Only
        # those with a host event tell a thread, so the next of these decides, at the end the last
        # one.
        linked = np.flatnonzero(event >= 0)
        if not len(linked):
            return np.full(len(place), NONE, dtype=np.int64)
        thread = self._host.thread_of_event[event[linked]]
        at = np.searchsorted(linked, place)
        return np.asarray(thread[np.minimum(at, len(linked) - 1)], dtype=np.int64)

    def _cut_stretches(
        self, device: DeviceTime, idle: _Idle, rows: Int, thread: int
    ) -> tuple[Int, Int, Int, Int, Int]:
        """Start, end, cause, event and launch of the pieces of the stretches `rows`."""
        does = self._changes_of_thread(thread)
        start, called, ready = idle.start_ns[rows], idle.called_ns[rows], idle.ready_ns[rows]
        # A stretch has up to three parts: until the host calls for the launch, until the launch can
        # run, and until it does run.
        drained = self._find_draining_calls(start, thread)
        before = self._before_call(idle, rows, does.cut_intervals(start, called), drained)
        calling = self._cut_while_calling(does.cut_intervals(called, ready), called, drained)
        # The launch could have run and did not: it waited for a stream, or for another device.
        late = np.flatnonzero(idle.end_ns[rows] > ready)
        waiting = np.full(len(late), IdleCause.WAITING, dtype=np.int64)
        none = np.full(len(late), NONE, dtype=np.int64)
        after = Cut(late, ready[late], idle.end_ns[rows][late], waiting, none)
        cut = self._count_other_devices(device, join_cuts([before, calling, after]))
        return cut.start_ns, cut.end_ns, cut.cause, cut.event, idle.launch[rows[cut.of]]

    def _changes_of_thread(self, thread: int) -> Changes:
        if thread not in self._does:
            self._does[thread] = (
                lay_over(()) if thread == NONE else self._host.what_thread_does(thread)
            )
        return self._does[thread]

    def _find_draining_calls(self, times: Int, thread: int) -> Int:
        """The call in which a thread of the process waited when the device ran dry; -1: none."""
        drained = np.full(len(times), NONE, dtype=np.int64)
        if thread == NONE:
            return drained
        process = self._host.process_of(thread)
        others = (it for it in self._host.of_process(process) if it != thread)
        # A wait of the thread itself counts more than those of others, so it comes last.
        for waiting in (*others, thread):
            waits = self._host.waits_alone(waiting)
            # The device may seem to run dry just after the wait was over, by the difference of the
            # clocks.
            waits = Spans(waits.start_ns, waits.end_ns + _ROUNDED_NS, waits.row)
            event = waits.row_around(times)
            # A wait that began only after the device ran dry was not what held the host up.
            begun = np.append(self._host.events.start_ns, np.iinfo(np.int64).max)[event]
            drained = np.where((event >= 0) & (begun < times), event, drained)
        return drained

    def _before_call(self, idle: _Idle, rows: Int, cut: Cut, drained: Int) -> Cut:
        """Pieces of `rows` before the api call of the launch, with what the host did as cause."""
        of, of_drained = rows[cut.of], drained[cut.of]
        # Python between two events is part of launching while it is short. Behind a wait it may be
        # longer, as the host begins anew there.
        bare = np.equal(cut.cause, IdleCause.NOTHING)
        short = cut.end_ns - cut.start_ns <= np.where(of_drained >= 0, DRAINED_NS, PYTHON_NS)
        launches = np.equal(cut.cause, IdleCause.LAUNCHING) | (bare & short)
        synced = launches & (of_drained >= 0)
        cause = np.where(launches, IdleCause.LAUNCHING, cut.cause)
        cause = np.where(synced, IdleCause.SYNCHRONIZATION, cause)
        # Launching needs no event: the launch that ends the stretch says enough. A wait that it
        # follows is shown by the call that waited.
        event = np.where(launches, np.where(synced, of_drained, NONE), cut.event)
        # Without its api call a launch may have been queued long before.
        waits = np.equal(cause, IdleCause.SYNCHRONIZATION)
        last = np.minimum(event, len(self._host.events.end_ns))  # remarks end never
        # The host still waited when the launch began, so the launch had been queued before, and
        # that wait is not why the device was idle.
        over = waits & (np.append(self._host.events.end_ns, 0)[last] >= idle.end_ns[of])
        over &= idle.launch[of] >= 0
        # What does not exclude launching is no cause of a stretch whose launch has no api call.
        weak = ~idle.recorded[of] & ~np.isin(cause, _STRONG) & (~waits | over)
        cause, event = np.where(weak, IdleCause.NOTHING, cause), np.where(weak, NONE, event)
        return replace(cut, cause=cause, event=event)

    def _cut_while_calling(self, cut: Cut, called: Int, drained: Int) -> Cut:
        """Pieces between the api call of the launch and the moment when it could have run.

        A launch is part of what was open when it was called for, such as the reading of a value
        that is copied first; what the host goes on with afterwards does not hold it back.
        """
        # When the event of each piece began. Remarks and pieces without an event begin at 0, before
        # all.
        first = np.minimum(cut.event, len(self._host.events.start_ns))
        begun = np.append(self._host.events.start_ns, 0)[first]
        # Something was open already when the launch was called for, and holds it.
        inside = np.isin(
            cut.cause, (IdleCause.SYNCHRONIZATION, IdleCause.LOADING_DATA, IdleCause.COMPILING)
        )
        inside &= begun < called[cut.of]
        # Else the launch is on its way, which is the wait's cost where the device had run dry in
        # one.
        synced = drained[cut.of] >= 0
        other = np.where(synced, IdleCause.SYNCHRONIZATION, IdleCause.LAUNCHING)
        event = np.where(inside, cut.event, np.where(synced, drained[cut.of], NONE))
        return replace(cut, cause=np.where(inside, cut.cause, other), event=event)

    def _count_other_devices(self, device: DeviceTime, cut: Cut) -> Cut:
        """The pieces; a wait of the host counts as one for another device while that works."""
        others = list(self._other_devices(device))
        if not others:
            return cut
        busy = lay_over([(IdleCause.WAITING, spans) for spans in others])
        synced = np.equal(cut.cause, IdleCause.SYNCHRONIZATION)
        # Waits of the host, cut where another device begins or ends to work.
        waits = cut.take_pieces(np.flatnonzero(synced))
        parts = busy.cut_intervals(waits.start_ns, waits.end_ns)
        cause, event = waits.cause[parts.of], waits.event[parts.of]
        # The other device counts only while the call waits. The launching behind it is no wait.
        works = np.equal(parts.cause, IdleCause.WAITING)
        works &= parts.start_ns < np.append(self._host.events.end_ns, 0)[event]
        elsewhere = replace(
            parts,
            of=waits.of[parts.of],
            cause=np.where(works, IdleCause.WAITING, cause),
            event=np.where(works, self._host.events.event_of_remark(Remark.OTHER_DEVICE), event),
        )
        return join_cuts([cut.take_pieces(np.flatnonzero(~synced)), elsewhere])

    def _remarks_of_pieces(self, device: DeviceTime, cause: Int, launch: Int) -> Int:
        """What is said of pieces without a host event; -1 where the launch says enough."""
        launches = self._trace.launches
        place = {remark: self._host.events.event_of_remark(remark) for remark in Remark}
        of_launch = np.append(launches.api, NONE)[launch]
        has_host = any(
            self._host.has_events(process)
            for process in distinct_values(launches.process[device.rows]).tolist()
        )
        # For pieces in which the launch was queued: what the device had run before it, on which
        # stream.
        before = self._launch_before(device, launch)
        queued = np.where(
            np.equal(np.append(launches.stream, NONE)[before], launches.stream[launch]),
            place[Remark.SAME_STREAM],
            place[Remark.OTHER_STREAM],
        )
        # Both come from one api call, so they are nodes of one CUDA graph.
        same = (of_launch >= 0) & np.equal(np.append(launches.api, NONE)[before], of_launch)
        queued = np.where(same, place[Remark.IN_GRAPH], queued)
        queued = np.where(before >= 0, queued, place[Remark.FIRST])
        # For pieces without any event: whether the launch was seen on the host, or nothing follows
        # at all.
        event = np.append(self._host.event_of_launch, NONE)[launch]
        bare = np.where(event >= 0, place[Remark.NO_EVENT], place[Remark.NO_API_CALL])
        bare = np.where(launch >= 0, bare, place[Remark.AT_END])
        bare = bare if has_host else np.full(len(bare), place[Remark.NO_HOST])
        remark = np.where(np.equal(cause, IdleCause.WAITING), queued, bare)
        return np.where(np.equal(cause, IdleCause.LAUNCHING), NONE, remark)

    def _launch_before(self, device: DeviceTime, launch: Int) -> Int:
        """The launch that ended last of those that began before each one; -1 without one."""
        rows, launches = device.rows, self._trace.launches
        end_ns = launches.start_ns[rows] + launches.dur_ns[rows]
        # Up to each launch, the latest end so far and the position of the launch that has it. It
        # need not be the last that began: a long kernel on another stream may outlast it.
        latest = np.maximum.accumulate(end_ns)
        holder = np.maximum.accumulate(np.where(end_ns >= latest, np.arange(len(rows)), 0))
        place = np.searchsorted(launches.start_ns[rows], launches.start_ns[launch]) - 1
        return np.where((place >= 0) & (launch >= 0), rows[holder[place]], NONE)

    def _other_devices(self, device: DeviceTime) -> Iterator[Spans]:
        """When other devices of the same processes are busy."""
        process = self._trace.launches.process
        processes = distinct_values(process[device.rows])
        for other in self._devices:
            if other.number != device.number and np.isin(process[other.rows], processes).any():
                yield other.busy
