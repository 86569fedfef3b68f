"""Records one process: hears of its steps, runs the profiler, and says what came of it.

Everything is put into the process's own folder inside the bundle, which appears with the first
recorded step; process.json says there how far the recording is, so that a killed process leaves a
statement. Children that the process forks record nothing. Of torch and the process it says
versions, GPUs and rank, and on purpose not the host's name, the environment, nor the user.

Steps before the profiler comes up and after it has gone are timed, and not recorded: they say how
much longer it makes a step (step_times.py).

Listeners are on from before compilation to the end of the window: they begin when Inductor's code
cache is loaded. Under nsys these are the NVTX marks, which must stand when CUDA graphs are
captured; under torch.profiler recorders that write what a replay does not record into the process's
folder. Whoever records in code may listen too: then all are notified by one instrumentation, as
there can be only one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kernelmap.capture import cuda_graphs
from kernelmap.capture.graphs import graphs_in_memory, log_missing
from kernelmap.capture.import_hooks import CODE_CACHE, when_imported
from kernelmap.capture.instrument import instrumented
from kernelmap.capture.memory_peaks import MemoryPeaks
from kernelmap.capture.model_tensors import count_model_tensors
from kernelmap.capture.nvtx import marks
from kernelmap.capture.plan import Plan, Profiler, rank_in
from kernelmap.capture.rewrite import Listener
from kernelmap.capture.scheduler_log import decisions_kept
from kernelmap.capture.step_hooks import Guard, StepHooks
from kernelmap.capture.step_times import TIMED_STEPS, StepTimes
from kernelmap.capture.window import Phase, RecordingWindow, WindowProfiler, window_profiler
from kernelmap.model.bundle import PROCESS, SCHEDULER, State
from kernelmap.whole_files import write_whole_text


@dataclass(slots=True)
class Recording:
    """`folder` is the process's own. `stepped_by` names what ends its steps, None before one.

    `listeners` hear of graphs and calls from their compilation to the end of the window.
    """

    plan: Plan
    folder: Path
    listeners: Sequence[Listener] = ()
    stepped_by: str | None = None
    _window: RecordingWindow = field(init=False)
    _profiler: WindowProfiler = field(init=False)
    _hooks: StepHooks = field(init=False)
    _listeners: Listeners = field(init=False)
    _before: StepTimes = field(default_factory=StepTimes)
    _after: StepTimes = field(default_factory=StepTimes)
    _memory: MemoryPeaks = field(default_factory=MemoryPeaks)
    _pid: int = field(default_factory=os.getpid)
    _held: list[dict[str, object]] = field(default_factory=list)
    _said: dict[str, object] | None = None
    _finished: bool = False

    def __post_init__(self) -> None:
        self._window = RecordingWindow(warmup=self.plan.warmup, steps=self.plan.steps)
        self._profiler = window_profiler(self.plan)
        self._hooks = StepHooks(self.step_ended, self._compiled, self._guard)
        self._listeners = Listeners(self.plan, self.folder, self._guard, self.listeners)

    def begin(self, *, steps_by_hooks: bool) -> None:
        """Hook into torch, which is loaded; the program may call `step_ended` instead of hooks."""
        if steps_by_hooks:
            self._hooks.install()
        else:
            self._hooks.install_compilations()
        self._profiler.install(self._guard)  # before marks, so that they all lie inside
        self._listeners.install()
        if self._window.begin() is Phase.RECORDING:
            self._guard(self._record)
            self._memory.begin_step(self._window.step)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be recorded."""
        return self._finished or self._said is not None

    def step_ended(self, by: str) -> None:
        """The step that ran has ended; `by` names what reported it."""
        if self._is_ours():
            self.stepped_by = by
            self._guard(self._next)

    def finish(self, ended: str = "the program ended", *, failed: bool = False) -> None:
        """Stop, take every hook out, and write what there is; `ended` says why there is no more.

        Where it `failed` the rest of the steps is missing; else the program made no more, and what
        was recorded is all of it. Does nothing the second time, and nothing in a forked child.
        """
        if self._is_ours():
            self._guard(lambda: self._finish(ended, failed=failed))

    def _is_ours(self) -> bool:
        return not self._finished and os.getpid() == self._pid

    def _guard(self, action: Callable[[], None]) -> None:
        """Run it. A failure ends the recording and not the user's program."""
        try:
            action()
        except Exception as error:  # noqa: BLE001 -- whatever it is, the program did not cause it
            self._finished = True
            self._hooks.remove()
            self._listeners.remove()
            with suppress(Exception):  # it may be what failed
                self._profiler.stop()
            message = " ".join(str(error).split())
            if self._said is not None:
                return  # the recording was whole; only times of later steps are lost
            with suppress(OSError):  # a full disk, say: then the last statement stands
                self.folder.mkdir(parents=True, exist_ok=True)
                why = f"the recording failed: {type(error).__name__}: {message}"
                self._say(State.PARTIAL, why, None)

    def _compiled(self) -> None:
        """Something was compiled in the step that runs, which is therefore no step like others."""
        self._window.compiled()
        if self._window.phase is Phase.WAITING:
            self._before.forget()
        self._after.forget()

    def _next(self) -> None:
        self._hooks.keep()
        before = self._window.phase
        # Another profiler matters only while ours is off: once it is prepared, the one that runs is
        # ours.
        is_off = before in (Phase.WAITING, Phase.DONE)
        free = not is_off or self._profiler.is_free()
        if is_off:
            self._time_step(self._before if before is Phase.WAITING else self._after, free=free)
        if before is Phase.DONE:
            if self._after.steps == TIMED_STEPS:
                self._finish("all was measured", failed=False)
            return
        phase = self._window.step_ended(free=free)
        if before is Phase.RECORDING:
            self._memory.end_step()
        if phase is Phase.DONE:
            self._end_window("the window is full", failed=False)
            # Under nsys no step is without its profiler, so there is nothing to time.
            if self.plan.profiler is Profiler.NSYS:
                self._finish("the window is full", failed=False)
        # The first recorded step comes next, or the last warm-up step, or one like the step before.
        elif phase is Phase.RECORDING and before is not Phase.RECORDING:
            self._record()
        elif phase is Phase.PREPARED and before is Phase.WAITING:
            self._profiler.prepare(self._window.step)
        else:
            self._profiler.next(self._window.step)
        if phase is Phase.RECORDING:
            self._memory.begin_step(self._window.step)

    def _time_step(self, times: StepTimes, *, free: bool) -> None:
        """A step has ended that nobody records, unless another profiler was on."""
        if self.plan.profiler is not Profiler.NSYS:
            if not free:
                times.forget()
            times.mark()

    def _finish(self, ended: str, *, failed: bool) -> None:
        self._finished = True
        self._hooks.remove()
        if self._said is None:
            self._end_window(ended, failed=failed)
        if self._said is not None:
            # What is said already stays as it is where the times cannot be had.
            with suppress(Exception):
                times = {**self._said, **self._unprofiled()}
                write_whole_text(self.folder / PROCESS, json.dumps(times))

    def _end_window(self, ended: str, *, failed: bool) -> None:
        """Stop recording, and write what there is."""
        self._profiler.stop()
        self._listeners.remove()
        # A process without a step, such as a worker of the compiler, leaves no folder.
        if self._window.first is None and self._window.step == 0:
            return  # a process of the program that never made a step
        self.folder.mkdir(parents=True, exist_ok=True)
        why = self._missing(ended, failed=failed)
        if self._window.first is not None:
            # A profiler that lost its data is the better reason: the steps were made.
            why = self._profiler.save(self.folder) or why
        graphs = self._graphs()
        with suppress(Exception):  # a tensor of the user's own may not say what it consists of
            self._held = count_model_tensors()
        self._said = self._say(State.COMPLETE if why is None else State.PARTIAL, why, graphs)

    def _unprofiled(self) -> dict[str, object]:
        """The times of steps outside of the recording, by the names of `RecordedProcess`."""
        before_ns, before_by = self._before.measure()
        after_ns, after_by = self._after.measure()
        # Times of two clocks are not set beside each other; those after the recording are more.
        if before_by != after_by and after_ns:
            before_ns = ()
        clock = after_by if after_ns else before_by
        return {"before_ns": before_ns, "after_ns": after_ns, "step_clock": clock}

    def _record(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        why = f"the process was killed while it recorded from step {self._window.first} on"
        self._say(State.RECORDING, why, None)
        self._profiler.record(self._window.step)

    def _graphs(self) -> int | None:
        graphs = graphs_in_memory()
        # Graphs that were compiled before the log began are added to it, as the bundle takes the
        # code of all graphs from the log.
        if graphs and self.plan.logs is not None:
            log_missing(graphs, self.folder / self.plan.logs)
        return None if graphs is None else len(graphs)

    def _missing(self, ended: str, *, failed: bool) -> str | None:
        """What the recording lacks, as a sentence's end; None where nothing is missing."""
        window = self._window
        if window.recorded == window.steps or (window.recorded and not failed):
            return None
        if window.first is not None:
            return f"{ended} after {window.recorded} of {window.steps} recorded steps"
        reasons = [f"{ended} after {window.step} steps, {window.compiled_steps} of which compiled"]
        if window.held:
            reasons.append(f"its own profiler ran in {window.held} of them")
        return f"no step was recorded: {'; '.join(reasons)}"

    def _say(self, state: State, why: str | None, graphs: int | None) -> dict[str, object]:
        """Write the statement of the process, and give it."""
        window = self._window
        facts: dict[str, object] = {
            "name": self.folder.name,
            "state": state,
            "why": why,
            **process_facts(),
            "stepped_by": self.stepped_by,
            "steps_made": window.step,
            # A step that was cut off is not counted, so without a whole one there is no first one
            # either.
            "first_step": None if window.last is None else window.first,
            "last_step": window.last,
            "compiled_inside": window.compiled_inside,
            "graphs": graphs,
            "memory": self._memory.rows or None,
            "model_tensors": self._held or None,
        }
        write_whole_text(self.folder / PROCESS, json.dumps(facts))
        return facts


def process_facts() -> dict[str, object]:
    """What is known of any process, by the names of `RecordedProcess`. torch is loaded."""
    return {"rank": rank_of_process(), **versions(), "gpus": gpus(), **threads()}


def rank_of_process() -> int | None:
    """The rank that torch.distributed knows, else the one that a launcher gave. torch is loaded."""
    rank = distributed_rank()
    return rank_in(os.environ) if rank is None else rank


def versions() -> dict[str, object]:
    """Versions by the names of `RecordedProcess`; None for what is not there. torch is loaded."""
    import torch

    return {
        "torch": str(torch.__version__),
        "triton": _installed("triton") or _installed("pytorch-triton"),
        "cuda": torch.version.cuda,
        "rocm": getattr(torch.version, "hip", None),
    }


def threads() -> dict[str, object]:
    """How many threads torch uses, by the names of `RecordedProcess`. torch is loaded."""
    import torch

    return {
        "threads": torch.get_num_threads(),
        "interop_threads": torch.get_num_interop_threads(),
    }


def gpus() -> list[str]:
    """The names of the GPUs that this process has used; asking must not make it use one."""
    import torch

    if not torch.cuda.is_initialized():
        return []
    return [str(torch.cuda.get_device_name(n)) for n in range(torch.cuda.device_count())]


def distributed_rank() -> int | None:
    """The rank that torch.distributed knows; None where it was not initialized."""
    from torch import distributed

    if not distributed.is_available() or not distributed.is_initialized():
        return None
    return int(distributed.get_rank())


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@dataclass(slots=True)
class Listeners:
    """Opens what `plan` needs once the compiler is there, and closes it once.

    Under torch.profiler `more` hear of graphs and calls too.
    """

    plan: Plan
    folder: Path
    guard: Guard
    more: Sequence[Listener] = ()
    _open: ExitStack = field(default_factory=ExitStack)
    _off: bool = False

    def install(self) -> None:
        """Begin when Inductor's code cache is loaded, or now."""
        when_imported(CODE_CACHE, lambda _: self.guard(self._begin))

    def remove(self) -> None:
        """End all of it; nothing begins any more."""
        self._off = True
        self._open.close()

    def _begin(self) -> None:
        # The compiler may be loaded when the window is over.
        if self._off:
            return
        if self.plan.why:
            self._open.enter_context(decisions_kept(self.folder / SCHEDULER))
        if self.plan.profiler is Profiler.NSYS:
            self._open.enter_context(marks())
            return

        recorder = cuda_graphs.recording(self.folder, by_itself=not self.more)
        heard = self._open.enter_context(recorder)
        if self.more:
            self._open.enter_context(instrumented(*self.more, heard))
