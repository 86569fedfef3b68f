"""Simulated hosts that keep a GPU waiting, with the true cause of every idle nanosecond.

A Host plays what a training script does on one clock: bursts of launches, short kernels, `.item()`,
loaders, compilations, graph breaks, Python. Whatever it spends time on is written down with its
cause and source line; `truth` lays that over the gaps of each device. Nothing of this knows how
kernelmap looks for causes.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from worlds.rows import Json

MAIN, AUTOGRAD = 100, 109
PID = 77
START_NS = 5_000_000_000
STARTING_NS = 10_000  # a launch that is held back by nothing has begun by then
Cause = tuple[str, str | None]
_LATENCY_NS = 3_000
_COMMUNICATION = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


@dataclass(frozen=True, slots=True)
class Ran:
    """A GPU activity with the time of its api call."""

    device: int
    start_ns: int
    end_ns: int
    called_ns: int
    done_ns: int
    event: int
    line: str | None


@dataclass(slots=True)
class Host:
    """Collects events of a Kineto trace; times in ns, `spent` says what the host did when."""

    rng: Random
    now_ns: int = START_NS
    thread: int = MAIN
    events: list[dict[str, Json]] = field(default_factory=list)
    ran: list[Ran] = field(default_factory=list)
    spent: list[tuple[int, int, Cause]] = field(default_factory=list)
    free_ns: dict[tuple[int, int], int] = field(default_factory=dict)
    held_ns: dict[tuple[int, int], int] = field(default_factory=dict)
    line: str | None = None
    cause: Cause | None = None
    drained: Cause | None = None
    correlation: int = 0

    def begin(self) -> None:
        """Begin to record: what the profiler itself ran ends before the script goes on."""
        begin = START_NS - 2_000
        self.event("python_function", "torch/profiler/profiler.py(1): step", begin, begin + 1_000)

    def spend(self, ns: int, cause: str = "launching") -> None:
        """Let the host be busy; after it waited for the device, launching is the wait's cost."""
        does = self.cause or (cause, self.line)
        if does[0] == "launching" and self.drained is not None:
            does = self.drained
        self.spent.append((self.now_ns, self.now_ns + ns, does))
        self.now_ns += ns

    def little(self, low: int = 500, high: int = 4_000) -> None:
        """What an operator or a line of Python takes."""
        self.spend(self.rng.randint(low, high))

    def event(self, category: str, name: str, start_ns: int, end_ns: int, **args: Json) -> None:
        """One complete event of the thread that runs."""
        row = {"ph": "X", "cat": category, "name": name, "pid": PID, "tid": self.thread}
        times = {"ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
        self.events.append({**row, **times, "args": args})

    @contextmanager
    def range(self, name: str, category: str = "cpu_op") -> Iterator[None]:
        """A host range around what runs inside."""
        start_ns, thread, at = self.now_ns, self.thread, len(self.events)
        yield
        back, self.thread = self.thread, thread
        self.event(category, name, start_ns, self.now_ns)
        self.events.insert(at, self.events.pop())
        self.thread = back

    @contextmanager
    def function(self, line: int, name: str = "step") -> Iterator[None]:
        """A Python function of the user's code."""
        before, self.line = self.line, f"in {name} (train.py:{line})"
        with self.range(f"train.py({line}): {name}", "python_function"):
            yield
        self.line = before

    @contextmanager
    def doing(self, cause: str) -> Iterator[None]:
        """Everything inside is spent on this, launches included."""
        before, self.cause = self.cause, (cause, self.line)
        yield
        self.cause = before

    @contextmanager
    def on_thread(self, thread: int) -> Iterator[None]:
        """Another thread goes on, this one waits for it."""
        before, self.thread = self.thread, thread
        line, self.line = self.line, None  # its own frames are none of the user's
        yield
        self.thread, self.line = before, line

    def launch(
        self,
        dur_ns: int,
        *,
        name: str = "elementwise_kernel",
        stream: int = 7,
        device: int = 0,
        category: str = "kernel",
        api: str = "cudaLaunchKernel",
    ) -> None:
        """One activity: it starts when it was launched, its stream is free and nothing holds it."""
        called_ns = self.now_ns
        self.little(1_000, 4_000)
        self.correlation += 1
        self.event("cuda_runtime", api, called_ns, self.now_ns, correlation=self.correlation)
        key = (device, stream)
        free_ns = max(self.free_ns.get(key, START_NS), self.held_ns.pop(key, START_NS))
        start_ns = max(self.now_ns + self.rng.randint(1_000, _LATENCY_NS), free_ns + 800)
        self.free_ns[key] = start_ns + dur_ns
        event = len(self.events)
        self.event(
            category,
            name,
            start_ns,
            start_ns + dur_ns,
            correlation=self.correlation,
            device=device,
            stream=stream,
        )
        self.ran.append(
            Ran(device, start_ns, start_ns + dur_ns, called_ns, self.now_ns, event, self.line)
        )
        if device == 0:
            self.drained = None

    def operator(self, name: str, dur_ns: int, *, device: int = 0, stream: int = 7) -> None:
        """An operator with one kernel."""
        with self.range(name):
            self.little()
            with self.range("aten::empty"):
                self.little()
            self.launch(dur_ns, device=device, stream=stream)
            self.little(200, 800)
        self.little(200, 1_500)

    def wait(self, api: str, device: int = 0) -> None:
        """A call that returns when all that was launched on the device is done."""
        start_ns = self.now_ns
        ends_ns = max((end for (of, _), end in self.free_ns.items() if of == device), default=0)
        drained = ends_ns > start_ns
        cause = self.cause or ("synchronization", self.line)
        self.spent.append((start_ns, max(start_ns, ends_ns) + 2_000, cause))
        self.now_ns = max(start_ns, ends_ns) + 2_000
        self.event("cuda_runtime", api, start_ns, self.now_ns, correlation=self.correlation)
        if drained and self.cause is None:
            self.drained = cause

    # Truth

    def truth(self, device: int) -> Counter[Cause]:
        """Time of each cause and line while a device is idle, from the first event to the last.

        Launching has the line of the launch that the device waited for.
        """
        times: Counter[Cause] = Counter()
        reach = START_NS
        for ran in sorted((it for it in self.ran if it.device == device), key=_start):
            if ran.start_ns > reach:
                self._explain(times, reach, ran)
            reach = max(reach, ran.end_ns)
        for start_ns, end_ns, cause in self.spent:
            times[cause] += max(0, end_ns - max(start_ns, reach))
        return +times

    def _explain(self, times: Counter[Cause], idle_ns: int, until: Ran) -> None:
        """What the host spent a gap on, until it had launched what ends it."""
        ready_ns = min(until.start_ns, max(idle_ns, until.done_ns + STARTING_NS))
        doing: Cause = ("launching", until.line)
        for start_ns, end_ns, cause in self.spent:
            if start_ns >= until.done_ns:
                break
            doing = ("launching", until.line) if cause[0] == "launching" else cause
            times[doing] += max(0, min(end_ns, ready_ns) - max(start_ns, idle_ns))
        times[doing] += max(0, ready_ns - max(idle_ns, until.done_ns))
        times["waiting", None] += until.start_ns - ready_ns

    def write(self, path: Path, events: list[dict[str, Json]] | None = None) -> Path:
        """The trace as Kineto writes it."""
        gpus = [{"id": gpu, "name": "Simulated GPU"} for gpu in {it.device for it in self.ran}]
        chosen = self.events if events is None else events
        rows = ",\n".join(json.dumps(row) for row in chosen)
        head = f'{{"schemaVersion": 1, "deviceProperties": {json.dumps(gpus)}'
        text = f'{head}, "traceEvents": [\n{rows}\n]}}\n'.encode()
        path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
        return path


def _start(ran: Ran) -> int:
    return ran.start_ns


# What scripts do. Each takes a host and the line at which it stands.


def burst(host: Host, line: int) -> None:
    """Long kernels: the host gets ahead."""
    with host.function(line, "forward"):
        for _ in range(host.rng.randint(3, 12)):
            host.operator("aten::mm", host.rng.randint(30_000, 200_000))


def short_kernels(host: Host, line: int) -> None:
    """Kernels that are over before the next one is launched."""
    with host.function(line, "optimizer"):
        for _ in range(host.rng.randint(5, 30)):
            with host.range("aten::add_"):
                host.little(5_000, 20_000)
                host.launch(host.rng.randint(1_000, 2_500))
            host.little(3_000, 15_000)


def item(host: Host, line: int) -> None:
    """A value is read: the host waits, then launches from scratch."""
    with host.function(line, "log_loss"):
        with host.range("aten::item"), host.range("aten::_local_scalar_dense"):
            with host.doing("synchronization"):
                host.little()
                host.launch(
                    1_500,
                    name="Memcpy DtoH (Device -> Pageable)",
                    category="gpu_memcpy",
                    api="cudaMemcpyAsync",
                )
            host.wait("cudaStreamSynchronize")
        host.little(20_000, 150_000)


def synchronize(host: Host, line: int) -> None:
    """The script waits for the device to take a time."""
    with host.function(line, "measure"):
        host.wait("cudaDeviceSynchronize")
        host.little(20_000, 150_000)


def loader(host: Host, line: int) -> None:
    """The next batch is not there yet."""
    name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    with (
        host.function(line, "train"),
        host.doing("loading-data"),
        host.range(name, "user_annotation"),
    ):
        for _ in range(host.rng.randint(2, 6)):
            with host.range("aten::stack"):
                host.spend(host.rng.randint(50_000, 2_000_000))
            host.spend(host.rng.randint(1_000, 900_000))


def compilation(host: Host, line: int) -> None:
    """A shape was not seen before."""
    with (
        host.function(line, "model"),
        host.doing("compiling"),
        host.range("_compile.compile_inner (dynamo_timed)", "user_annotation"),
    ):
        host.spend(host.rng.randint(100_000, 3_000_000))
        with host.range("GraphLowering.run (dynamo_timed)", "user_annotation"):
            host.spend(host.rng.randint(100_000, 3_000_000))
        for _ in range(host.rng.randint(0, 4)):
            with host.range("aten::zero_"):
                host.launch(host.rng.randint(2_000, 9_000))
            host.wait("cudaDeviceSynchronize")
        host.spend(host.rng.randint(10_000, 1_000_000))


def compiled(host: Host, line: int, broken: int = 0) -> None:
    """A compiled function; `broken` says how often its graph breaks."""
    with host.function(line, "compiled"):
        _region(host, line, broken, 0)


def broken(host: Host, line: int) -> None:
    """A compiled function whose graph breaks twice."""
    compiled(host, line, broken=2)


def _region(host: Host, line: int, broken: int, frame: int) -> None:
    with host.range("TorchDynamo Cache Lookup"), host.doing("guards"):
        host.spend(host.rng.randint(5_000, 60_000))
    inner = "graph-break" if broken else "guards"
    with host.range(f"Torch-Compiled Region: {line}{frame}/0"):
        with host.doing(inner):
            host.spend(host.rng.randint(2_000, 20_000))
        with host.range("## Call CompiledFxGraph fkey ##", "user_annotation"):
            host.little(2_000, 9_000)
            for number in range(2):
                with host.range(f"triton_poi_fused_add_{frame}_{number}"):
                    host.little()
                    host.launch(2_000, name=f"triton_poi_fused_add_{frame}_{number}")
        with host.doing(inner):
            host.spend(host.rng.randint(2_000, 600_000 if broken else 20_000))
        if broken:
            _region(host, line, broken - 1, frame + 1)
            with host.doing("graph-break"):
                host.spend(host.rng.randint(2_000, 20_000))


def python(host: Host, line: int) -> None:
    """Python that no event shows, for long."""
    with host.function(line, "augment"):
        host.spend(host.rng.randint(1_500_000, 9_000_000), "unknown")


def in_wrapper(host: Host, line: int) -> None:
    """Python of generated code that takes long between two of its calls, such as a collection."""
    with (
        host.function(line, "compiled"),
        host.range("Torch-Compiled Region: 9/0"),
        host.range("## Call CompiledFxGraph fkey ##", "user_annotation"),
    ):
        with host.range("triton_poi_fused_mul_0"):
            host.launch(2_000, name="triton_poi_fused_mul_0")
        host.spend(host.rng.randint(1_500_000, 4_000_000), "unknown")
        with host.range("triton_poi_fused_mul_1"):
            host.launch(2_000, name="triton_poi_fused_mul_1")


def registering(host: Host, line: int) -> None:
    """A call of the runtime that takes long and launches nothing."""
    with host.function(line, "pin"):
        start_ns = host.now_ns
        host.spend(host.rng.randint(300_000, 5_000_000), "unknown")
        host.event("cuda_runtime", "cudaHostRegister", start_ns, host.now_ns)


def on_host(host: Host, line: int) -> None:
    """An operator on the CPU."""
    with host.function(line, "metrics"), host.range("aten::sort"):
        host.spend(host.rng.randint(300_000, 2_000_000), "unknown")


def backward(host: Host, line: int) -> None:
    """Autograd's thread launches, while this one has nothing open."""
    with host.function(line, "backward"):
        host.little()
        with host.on_thread(AUTOGRAD):
            for _ in range(host.rng.randint(3, 9)):
                with host.range("autograd::engine::evaluate_function: MmBackward0"):
                    host.operator("aten::mm", host.rng.randint(1_000, 90_000))


def side_stream(host: Host, line: int) -> None:
    """A copy and a reduction on streams of their own, beside what computes."""
    with host.function(line, "prefetch"):
        for name, stream, category, api in (
            ("Memcpy HtoD (Pinned -> Device)", 20, "gpu_memcpy", "cudaMemcpyAsync"),
            (_COMMUNICATION, 30, "kernel", "cudaLaunchKernelExC"),
        ):
            with host.range("aten::copy_"):
                host.little()
                host.launch(
                    host.rng.randint(5_000, 90_000),
                    name=name,
                    stream=stream,
                    category=category,
                    api=api,
                )


def other_device(host: Host, line: int) -> None:
    """What was launched has to wait for another device."""
    with host.function(line, "pipeline"):
        host.operator("aten::mm", host.rng.randint(300_000, 900_000), device=1)
        ends_ns = host.free_ns[1, 7]
        host.held_ns[0, 7] = ends_ns
        host.operator("aten::mm", 40_000)


PHASES = (
    burst,
    short_kernels,
    item,
    synchronize,
    loader,
    compilation,
    compiled,
    broken,
    python,
    on_host,
    in_wrapper,
    registering,
    backward,
    side_stream,
    other_device,
)


def example() -> Host:
    """Three training steps that wait for their data, for a value, and for their launches."""
    host = Host(Random(7))  # noqa: S311 -- a simulation, not a secret
    for step in range(3):
        with host.range(f"ProfilerStep#{step}", "user_annotation"):
            loader(host, 41)
            side_stream(host, 42)
            burst(host, 12)
            if step == 1:
                compilation(host, 14)
            broken(host, 14)
            backward(host, 44)
            item(host, 45)
            short_kernels(host, 46)
    host.wait("cudaDeviceSynchronize")
    return host
