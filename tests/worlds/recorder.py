"""A machine that runs what it is told and writes down what a profiler would see.

One host clock, times in whole nanoseconds. Host ranges are opened with `op` and `annotation`;
`launch`, `copy` and `fill` write an api row, a GPU row and the flow between them, or a node of the
graph that is being captured. Only replays use a second stream. Left out: memory, and of Python
stacks all but the frames that say whose work lies below them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from random import Random

from msgspec.structs import replace

from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark
from worlds.capture import NODE, Capture, Node, graph_args
from worlds.rows import MARK, Args, Json, Row
from worlds.shapes import shape_args
from worlds.world import EAGER, Owner, World

START_NS = 2_000_000_000_000_000
"""On the trace's clock; small enough that a float of microseconds keeps every nanosecond."""

PID = 4242
MAIN = PID
AUTOGRAD = PID + 9
WORKER = PID + 20
STREAM = 7
SECOND_STREAM = 13
APART = 40
"""Between the thread ids, and the streams, of host threads that run at the same time."""

_BLIND_NS = 9_000
_EXTERNALS = 10_000_000
_ON_SECOND = 0.35


class Recorder:
    """Collects rows of one world; `rng` decides on everything that is left to chance.

    Of several host threads that run at the same time, number `number` has threads and a stream of
    its own (threads.py).
    """

    def __init__(self, world: World, number: int = 0) -> None:
        self.world = world
        seed = f"{world.seed} thread {number}" if number else world.seed
        self.rng = Random(seed)  # noqa: S311 -- a simulation, not a secret
        self.rows: list[Row] = []
        self.owner = EAGER
        self.number = number
        self.thread = MAIN + number * APART
        self.capture: Capture | None = None
        self.captures: dict[str, Capture] = {}
        self.marks: list[Row] = []
        self._now_ns = START_NS
        self._gpu_free_ns = dict.fromkeys((STREAM, SECOND_STREAM), START_NS)
        self._open: list[int] = [0]
        self._external = number * _EXTERNALS
        self._correlation = 0
        self._sequence = 100
        self._bits = self.rng.getrandbits

    def choices(self, site: object) -> Random:
        """What decides how a call site runs: chance, or the machine, the same in all its worlds."""
        if self.world.machine is None:
            return self.rng
        return Random(f"{self.world.machine} {site}")  # noqa: S311 -- as above

    def wait(self, low_ns: int, high_ns: int) -> None:
        """Let the host clock run for a time in [low_ns, high_ns]."""
        self._now_ns += self._drawn(low_ns, high_ns)

    def _drawn(self, low: int, high: int) -> int:
        """What `rng.randint` draws, in a third of its time: nothing is done as often as this."""
        values = high - low + 1
        bits = values.bit_length()
        drawn = self._bits(bits)
        while drawn >= values:
            drawn = self._bits(bits)
        return low + drawn

    def duration(self, scale_ns: int) -> int:
        """How long a kernel runs; `scale_ns` counts only in plausible worlds.

        A GPU that runs what several threads launch on one stream keeps up with all of them: what is
        launched waits for less than a step, as in programs that read results back.
        """
        typical = scale_ns if self.world.durations == "plausible" else _BLIND_NS
        if self.world.shared:
            typical //= self.world.threads
        return max(900, round(typical * self.rng.lognormvariate(0, 0.25)))

    def owned_by(self, owner: Owner) -> AbstractContextManager[None]:
        """Launches inside belong to `owner`."""
        return _Owned(self, owner)

    @contextmanager
    def on_thread(self, thread: int) -> Iterator[None]:
        """Host rows inside are written by another thread."""
        before, self.thread = self.thread, thread + self.number * APART
        yield
        self.thread = before

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What happens inside is no part of a capture, nor below the ranges that are open."""
        capture, self.capture = self.capture, None
        open_, self._open = self._open, [0]
        yield
        self.capture, self._open = capture, open_

    @contextmanager
    def before_the_window(self) -> Iterator[None]:
        """What happens inside is not recorded."""
        rows, marks = list(self.rows), list(self.marks)
        yield
        self.rows, self.marks = rows, marks

    def next_sequence(self) -> int:
        """A new autograd sequence number."""
        self._sequence += 1
        return self._sequence

    def op(
        self, name: str, args: Args | None = None, *, category: str = "cpu_op"
    ) -> AbstractContextManager[Row]:
        """A host range around what happens inside; `args` are written beside the ids."""
        return _Range(self, name, args, category)

    def open(self, name: str, args: Args | None, category: str) -> Row:
        """A host range begins."""
        self._external += 1
        external = self._external
        self.wait(300, 2_500)
        ids: dict[str, Json] = {
            "External id": external,
            "Record function id": 0,
            "Ev Idx": external - 1,
        }
        row = Row(
            category=category,
            name=name,
            pid=PID,
            tid=self.thread,
            start_ns=self._now_ns,
            dur_ns=0,
            args={**ids, **(args or self._shapes(name))},
        )
        self.rows.append(row)
        self._open.append(external)
        self.wait(400, 3_000)
        return row

    def close(self, row: Row) -> None:
        """The innermost host range, which is `row`, ends."""
        self.wait(200, 1_500)
        self._open.pop()
        self.end(row)

    def end(self, row: Row) -> None:
        """A row lasts until now."""
        row.dur_ns = self._now_ns - row.start_ns

    def mark(self, mark: MarkedGraph | MarkedCall) -> AbstractContextManager[None]:
        """What a capture writes around a graph or a call; costs no time and no random draw."""
        return _Timed(self, self.marks, MARK, _encoded(mark))

    def frame(self, name: str) -> AbstractContextManager[None]:
        """A Python frame, where the world records them; costs no time and no random draw."""
        if not self.world.frames:
            return nullcontext()
        return _Timed(self, self.rows, "python_function", name)

    def begin(self, category: str, name: str) -> Row:
        """A host row that begins now, and costs nothing."""
        return Row(
            category=category,
            name=name,
            pid=PID,
            tid=self.thread,
            start_ns=self._now_ns,
            dur_ns=0,
            args={},
        )

    def _shapes(self, name: str) -> Args:
        written = self.world.record_shapes and self.world.host
        return shape_args(name) if written and "::" in name else {}

    @contextmanager
    def annotation(self, name: str, args: Args | None = None) -> Iterator[None]:
        """A user annotation, and its shadow on the GPU over the kernels inside."""
        first = len(self.rows)
        with self.op(name, args, category="user_annotation") as row:
            yield
        inside = [gpu_row for gpu_row in self.rows[first:] if gpu_row.owner is not None]
        if inside:
            start = min(gpu_row.start_ns for gpu_row in inside)
            end = max(gpu_row.end_ns for gpu_row in inside)
            self.rows.append(
                Row(
                    category="gpu_user_annotation",
                    name=name,
                    pid=0,
                    tid=STREAM + self.number * APART,
                    start_ns=start,
                    dur_ns=end - start,
                    args={"External id": row.args["External id"]},
                )
            )

    def api(self, name: str, *, category: str = "cuda_runtime", cbid: int = 211) -> int:
        """A runtime or driver call that launches nothing by itself; gives its correlation."""
        self._correlation += 1
        self.wait(200, 900)
        start = self._now_ns
        self.wait(1_200, 6_000)
        args: dict[str, Json] = {"cbid": cbid, "correlation": self._correlation}
        if self._open[-1]:
            args = {"External id": self._open[-1], **args}
        self.rows.append(
            Row(
                category=category,
                name=name,
                pid=PID,
                tid=self.thread,
                start_ns=start,
                dur_ns=self._now_ns - start,
                args=args,
                correlation=self._correlation,
            )
        )
        return self._correlation

    def launch(
        self,
        name: str,
        dur_ns: int,
        *,
        grid: tuple[int, int, int] = (132, 1, 1),
        block: tuple[int, int, int] = (128, 1, 1),
        driver: bool = False,
    ) -> None:
        """One kernel; `driver` as Triton launches, otherwise through the runtime."""
        if driver and self.world.names == "legacy":
            correlation = self.api("cuLaunchKernel", category="cuda_driver", cbid=307)
        elif driver:
            correlation = self.api("cuLaunchKernelEx", category="cuda_driver", cbid=652)
        else:
            correlation = self.api("cudaLaunchKernel")
        self._on_gpu("kernel", name, dur_ns, correlation, _kernel_args(grid, block))

    def copy(self, kind: str, nbytes: int, dur_ns: int) -> None:
        """One cudaMemcpyAsync; `kind` as the profiler writes it, "DtoD (Device -> Device)"."""
        correlation = self.api("cudaMemcpyAsync", cbid=41)
        self._on_gpu("gpu_memcpy", f"Memcpy {kind}", dur_ns, correlation, {"bytes": nbytes})

    def fill(self, nbytes: int, dur_ns: int) -> None:
        """One cudaMemsetAsync."""
        correlation = self.api("cudaMemsetAsync", cbid=51)
        self._on_gpu("gpu_memset", "Memset (Device)", dur_ns, correlation, {"bytes": nbytes})

    def synchronize(self) -> None:
        """Wait until the GPU has finished."""
        self._now_ns = max(self._now_ns, *self._gpu_free_ns.values())
        self.api("cudaDeviceSynchronize", cbid=165)

    def replay(self, graph: Capture, step: int) -> None:
        """Launch a captured graph: one api call, all its activities."""
        correlation = self.api("cudaGraphLaunch", cbid=311)
        for at, node in enumerate(graph.nodes):
            jitter = self.rng.lognormvariate(0, 0.05)
            with self.owned_by(replace(node.owner, invocation=step)):
                self._write(
                    node.category,
                    node.name,
                    max(900, round(node.dur_ns * jitter)),
                    correlation,
                    node.args,
                    (node.stream, graph.launched(at)),
                )

    def instantiate(self, graph: Capture) -> None:
        """Clone the nodes of a captured graph, in one step or several."""
        for clone in range(1, graph.clones + 1):
            self.api("cudaGraphInstantiate" if clone == graph.clones else "cudaGraphClone")
            call = self.rows[-1]
            for at in range(len(graph.nodes)):
                self._node(call, graph.node(at, clone), graph.node(at, clone - 1))

    def _node(self, call: Row, node: int, original: int | None) -> None:
        """The event that tells of a node's creation, inside the api call that made it."""
        self.rows.append(
            replace(
                call,
                category=NODE,
                start_ns=call.start_ns + 200,
                dur_ns=call.dur_ns - 400,
                args={"original": original},
                correlation=None,
                node=node,
            )
        )

    def _on_gpu(self, category: str, name: str, dur_ns: int, correlation: int, more: Args) -> None:
        """A GPU row; while a graph is captured, a node of it instead."""
        if self.capture is None:
            self._write(category, name, dur_ns, correlation, more)
            return
        nodes, two = self.capture.nodes, self.world.streams > 1
        # Nodes of events lie between those of launches where streams wait for each other.
        step = self.rng.choice((1, 1, 2)) if two and nodes else 1
        nodes.append(
            Node(
                number=nodes[-1].number + step if nodes else 1,
                category=category,
                name=name,
                dur_ns=dur_ns,
                stream=SECOND_STREAM if two and self.rng.random() < _ON_SECOND else STREAM,
                args=more,
                owner=self.owner,
            )
        )
        self._node(self.rows[-1], self.capture.node(len(nodes) - 1, 0), None)

    def _write(
        self,
        category: str,
        name: str,
        dur_ns: int,
        correlation: int,
        more: Args,
        place: tuple[int, int | None] = (STREAM, None),
    ) -> None:
        """A GPU row, as early as its api row and its stream allow; `place`: stream, graph node."""
        stream, node = place
        free = self._gpu_free_ns[stream]
        start = max(self._now_ns + 1_500, free + self._drawn(600, 1_600))
        self._gpu_free_ns[stream] = start + dur_ns
        stream += 0 if self.world.shared else self.number * APART
        ids: dict[str, Json] = {"device": 0, "context": 1, "stream": stream}
        if self._open[-1]:
            ids = {"External id": self._open[-1], **ids}
        self.rows.append(
            Row(
                category=category,
                name=name,
                pid=0,
                tid=stream,
                start_ns=start,
                dur_ns=dur_ns,
                args={**ids, "correlation": correlation, **more, **graph_args(node)},
                correlation=correlation,
                owner=self.owner,
                node=node,
            )
        )


class _Owned:
    """Context of `owned_by`; written as a class, as its like below: they are entered most often."""

    __slots__ = ("_before", "_owner", "_recorder")

    def __init__(self, recorder: Recorder, owner: Owner) -> None:
        self._recorder, self._owner = recorder, owner

    def __enter__(self) -> None:
        self._before, self._recorder.owner = self._recorder.owner, self._owner

    def __exit__(self, *_: object) -> None:
        self._recorder.owner = self._before


class _Timed:
    """Context of `mark` and `frame`."""

    __slots__ = ("_category", "_name", "_recorder", "_row", "_rows")

    def __init__(self, recorder: Recorder, rows: list[Row], category: str, name: str) -> None:
        self._recorder, self._rows, self._category, self._name = recorder, rows, category, name

    def __enter__(self) -> None:
        self._row = self._recorder.begin(self._category, self._name)
        self._rows.append(self._row)

    def __exit__(self, *_: object) -> None:
        self._recorder.end(self._row)


class _Range:
    """Context of `op`."""

    __slots__ = ("_args", "_category", "_name", "_recorder", "_row")

    def __init__(self, recorder: Recorder, name: str, args: Args | None, category: str) -> None:
        self._recorder, self._name, self._args, self._category = recorder, name, args, category

    def __enter__(self) -> Row:
        self._row = self._recorder.open(self._name, self._args, self._category)
        return self._row

    def __exit__(self, *_: object) -> None:
        self._recorder.close(self._row)


@cache
def _encoded(mark: MarkedGraph | MarkedCall) -> str:
    return encode_mark(mark)


@cache
def _kernel_args(grid: tuple[int, int, int], block: tuple[int, int, int]) -> Args:
    """What a profile says of how a kernel is launched; shared by all that are launched so."""
    return {
        "registers per thread": 32,
        "shared memory": 0,
        "blocks per SM": round(grid[0] * grid[1] * grid[2] / 132, 6),
        "grid": list(grid),
        "block": list(block),
    }
