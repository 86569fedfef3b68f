"""Decides when to record, and runs what records: torch.profiler, or Nsight Systems' range.

`RecordingWindow` takes the news that a step ended or that something was compiled, and says what the
profiler has to do next. A `WindowProfiler` does it, and at the end puts what it has into the
process's folder. torch is imported in functions only, and is loaded by then.

Nsight Systems records an NVTX range whose ends start and stop it. The range begins when Inductor's
code cache is loaded, before anything is compiled, so that the capture of CUDA graphs is inside:
only what was seen to make a node identifies the call that a replay runs. It ends with the window,
and nothing of the rest is recorded. The recorded steps have ranges of their own, named as
torch.profiler names them; bundles.py counts those. All lie in the domain of the marks and need no
GPU. Steps end outside of generated code, so they never cross a mark.
"""

from __future__ import annotations

import ctypes
import gzip
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from kernelmap.capture.import_hooks import CODE_CACHE, when_imported
from kernelmap.capture.nvtx import OpenDomain, open_domain
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.capture.step_hooks import Guard
from kernelmap.model.bundle import PARTIAL, TRACE
from kernelmap.model.marks import DOMAIN, RECORDED

if TYPE_CHECKING:
    from torch._C._profiler import _ExperimentalConfig
    from torch.profiler import profile

_LEVEL = 3  # of gzip: the program waits for it; 9 takes four times as long for a tenth less
_HOST = re.compile(rb'\s*"host_name": "[^"]*",\s*')  # a line of its own; nobody needs it
_STEP = "ProfilerStep#"

_registered = False


class Phase(Enum):
    """WAITING for warm steps; PREPARED in the last warm-up step; RECORDING; DONE."""

    WAITING = 0
    PREPARED = 1
    RECORDING = 2
    DONE = 3


@dataclass(slots=True)
class RecordingWindow:
    """`steps` steps, to begin when `warmup` steps in a row compiled nothing.

    `step` is the number of the step that runs, from 0. `first` and `last` are the recorded steps,
    the last whole one; None before. `compiled_steps` counts the steps that compiled before the
    window, `compiled_inside` the compilations in it, `held` the steps with another profiler on.
    """

    warmup: int
    steps: int
    step: int = 0
    phase: Phase = Phase.WAITING
    first: int | None = None
    last: int | None = None
    compiled_steps: int = 0
    compiled_inside: int = 0
    held: int = 0
    _warm: int = 0
    _compiles: bool = False

    def begin(self) -> Phase:
        """The program begins; without warm-up so does the window."""
        if self.warmup == 0:
            self._record()
        return self.phase

    def compiled(self) -> None:
        """Something was compiled in the step that runs."""
        if self.phase is Phase.RECORDING:
            self.compiled_inside += 1
        else:
            self._compiles = True

    def step_ended(self, *, free: bool = True) -> Phase:
        """The step that ran has ended; `free` is False while another profiler would be in the way.

        A compilation in the last warm-up step starts the count anew, but stays PREPARED: a
        prepared profiler cannot be sent back.
        """
        ended, self.step = self.step, self.step + 1
        if self.phase is Phase.RECORDING:
            self.last = ended
            if self.recorded == self.steps:
                self.phase = Phase.DONE
        elif self.phase is not Phase.DONE:
            self._warm_up(free=free)
        return self.phase

    @property
    def recorded(self) -> int:
        """How many whole steps were recorded."""
        return 0 if self.first is None or self.last is None else self.last - self.first + 1

    def _warm_up(self, *, free: bool) -> None:
        self.compiled_steps += self._compiles
        self.held += not free
        # Warm steps count in a row: one that compiled, or had another profiler on, starts anew.
        self._warm = 0 if self._compiles or not free else self._warm + 1
        self._compiles = False
        if self._warm >= self.warmup:
            self._record()
        # With one warm-up step, a step with another profiler on ends at the same count as a fresh
        # start: ours must not be prepared then.
        elif self._warm == self.warmup - 1 and free:
            self.phase = Phase.PREPARED

    def _record(self) -> None:
        # The count of steps stands at the step that comes next: the window begins with it.
        self.phase, self.first = Phase.RECORDING, self.step


class WindowProfiler(Protocol):
    """Records some steps of the program that runs."""

    def install(self, guard: Guard) -> None:
        """Get ready for compilations, which may come at once; `guard` runs what could fail."""

    def is_free(self) -> bool:
        """Whether nobody else is recording."""

    def prepare(self, step: int) -> None:
        """`step` comes next; it is not recorded, but the one after it is."""

    def record(self, step: int) -> None:
        """`step` comes next and is recorded."""

    def next(self, step: int) -> None:
        """`step` comes next; recording goes on, or does not, as before."""

    def stop(self) -> None:
        """The last step is over."""

    def save(self, folder: Path) -> str | None:
        """Write what was recorded into `folder`; why nothing was, None where all is well."""


def window_profiler(plan: Plan) -> WindowProfiler:
    """The profiler that `plan` asks for."""
    if plan.profiler is Profiler.NSYS:
        return NsysRange()
    return TorchProfiler(record_shapes=plan.record_shapes, stacks=plan.stacks)


class TorchProfiler:
    """torch.profiler with Kineto; its step numbers are the program's own."""

    def __init__(self, *, record_shapes: bool, stacks: bool) -> None:
        self._record_shapes, self._stacks = record_shapes, stacks
        self._profile: profile | None = None
        self._recording = self._stopped = self._lost = False

    def install(self, guard: Guard) -> None:
        """Compilations are not recorded."""

    def is_free(self) -> bool:
        """Whether no profiler of the program is on."""
        return not _torch_profiler_runs()

    def prepare(self, step: int) -> None:
        """Let Kineto and CUPTI come up, which would slow the first recorded step."""
        self._start(step)

    def record(self, step: int) -> None:
        """Record from here."""
        self._recording = True
        if self._profile is None:
            self._start(step)
        else:
            self._profile.step()

    def next(self, step: int) -> None:  # noqa: ARG002 -- torch counts along
        """The next ProfilerStep range."""
        if self._profile is not None:
            self._profile.step()

    def stop(self) -> None:
        """Stop, once; the program's own profiler may have ended ours."""
        if self._profile is not None and not self._stopped:
            self._stopped = True
            # torch knows one profiler at a time: if none is on now, the program has stopped ours.
            self._lost = self._recording and not _torch_profiler_runs()
            self._profile.stop()

    def save(self, folder: Path) -> str | None:
        """The trace, compressed, under its name only when it is whole."""
        if self._profile is None or not self._recording:
            return "no step was recorded"
        if self._lost:
            return "the program's own profiler ended the recording"
        write_trace(self._profile.export_chrome_trace, folder)
        return None

    def _start(self, step: int) -> None:
        from torch.profiler import ProfilerAction, profile

        def action(_: int) -> ProfilerAction:
            # torch asks at every step; the window decides, not torch's own count of steps.
            return ProfilerAction.RECORD if self._recording else ProfilerAction.WARMUP

        self._profile = profile(
            schedule=action,
            record_shapes=self._record_shapes,
            with_stack=self._stacks,
            experimental_config=_of_all_threads(),
        )
        self._profile.step_num = step
        let_children_end()  # even long after the window: Kineto's thread stays
        self._profile.start()


def write_trace(export: Callable[[str], None], folder: Path) -> None:
    """Have `export` write a trace, and put it into `folder`: compressed, and only when it is whole.

    The name of the machine is left out.
    """
    plain = folder / f"trace.json{PARTIAL}"
    packed = folder / f"{TRACE}{PARTIAL}"
    try:
        export(str(plain))
        with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=_LEVEL) as file:
            file.writelines(line for line in source if not _HOST.fullmatch(line))
        packed.replace(folder / TRACE)
    finally:
        for path in (plain, packed):
            path.unlink(missing_ok=True)


def _of_all_threads() -> _ExperimentalConfig | None:
    """What has operators of every thread recorded, where torch can.

    Without it a thread that began before the profiler, as in a pool, has launches but no operators.
    """
    from torch._C._profiler import _ExperimentalConfig

    try:
        return _ExperimentalConfig(profile_all_threads=True)
    except TypeError:  # an older torch does not know the word
        return None


def _torch_profiler_runs() -> bool:
    from torch.autograd import profiler

    # torch's own generated code asks the same before it makes a range.
    return bool(profiler._is_profiler_enabled)  # noqa: SLF001


class NsysRange:
    """Opens and closes the range of Nsight Systems, and names the steps at its end."""

    def __init__(self) -> None:
        self._domain: OpenDomain | None = None
        self._range: object = None
        self._in_step = self._over = False

    def install(self, guard: Guard) -> None:
        """Begin when the compiler is loaded, or now."""

        def begin(_: ModuleType) -> None:
            guard(self._begin)

        when_imported(CODE_CACHE, begin)

    def is_free(self) -> bool:
        """Only one nsys can run a program."""
        return True

    def prepare(self, step: int) -> None:
        """Nothing to prepare."""

    def record(self, step: int) -> None:
        """This step is the first one that counts; the GPU is idle when it begins."""
        self._begin()  # a program that compiles nothing is recorded from here
        _wait()
        self._push(step)

    def next(self, step: int) -> None:
        """The next step's range."""
        if self._in_step:
            self._pop()
            self._push(step)

    def stop(self) -> None:
        """End both when the GPU has done what was launched in them."""
        if self._in_step:
            self._pop()
            _wait()
        if self._domain is not None and not self._over:
            self._domain.end(self._range)
        self._over = True

    def save(self, folder: Path) -> str | None:  # noqa: ARG002 -- nsys writes its own files
        """Nothing to save here."""
        return None

    def _begin(self) -> None:
        if self._domain is None and not self._over:
            self._domain = open_domain(DOMAIN)
            # nsys starts recording when this range begins.
            self._range = self._domain.begin(self._domain.prepared(RECORDED))

    def _push(self, step: int) -> None:
        if self._domain is not None:
            self._domain.push(self._domain.prepared(f"{_STEP}{step}"))
            self._in_step = True

    def _pop(self) -> None:
        if self._domain is not None:
            self._domain.pop()
            self._in_step = False


def _wait() -> None:
    """Until the GPU is idle; a program that has not used one must not begin to."""
    import torch

    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def let_children_end() -> None:
    """Do that for all children forked from now on, and for theirs; where the system knows how."""
    global _registered  # noqa: PLW0603 -- a handler of forks cannot be taken back
    if not _registered and hasattr(os, "register_at_fork"):
        _registered = True
        os.register_at_fork(after_in_child=_leave_early)


def _leave_early() -> None:
    """Have `exit` of C write what is buffered, then leave: its handlers run last in, first out."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # GNU's; it hands the exit code over
        # Kineto's destructor waits forever in a child that was forked after Kineto ran: the child
        # leaves before it would run.
        libc.on_exit(libc._exit, None)  # noqa: SLF001 -- C's name
        libc["__cxa_atexit"](libc.fflush, None, None)
