"""The listeners that are on from before compilation to the end of the window.

Under nsys: the NVTX marks, which must stand when CUDA graphs are captured. Under torch.profiler:
recorders that write what a replay cannot tell into the process's folder. Both begin when Inductor's
code cache is loaded, which is before anything is compiled. Whoever records in code may listen too:
then all are told by one instrumentation, as there can be only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from kernelmap.capture.hooks import Listener
from kernelmap.capture.imports import CODE_CACHE, when_imported
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.capture.step_hooks import Guard

_MARKS = "kernelmap.capture.nvtx"
_GRAPHS = "kernelmap.capture.cuda_graphs"
_INSTRUMENT = "kernelmap.capture.instrument"


class _Marks(Protocol):
    """kernelmap.capture.nvtx."""

    def marks(self) -> AbstractContextManager[object]:
        """NVTX ranges around every graph and call, as long as the context is open."""


class _CudaGraphs(Protocol):
    """kernelmap.capture.cuda_graphs."""

    def recording(self, folder: Path, *, by_itself: bool) -> AbstractContextManager[Listener]:
        """What goes into CUDA graphs while they are captured; written when the context closes."""


class _Instrument(Protocol):
    """kernelmap.capture.instrument."""

    def instrumented(self, *listeners: Listener) -> AbstractContextManager[object]:
        """Tells them of every graph and call, as long as the context is open."""


class Recorder(Protocol):
    """Takes the process's folder; writes its file into it when the context closes.

    What the context gives must be told of graphs and calls, unless it sees to that `by_itself`.
    """

    def __call__(self, folder: Path, *, by_itself: bool) -> AbstractContextManager[Listener]:
        """Begin."""


def _cuda_graphs(folder: Path, *, by_itself: bool) -> AbstractContextManager[Listener]:
    return cast("_CudaGraphs", import_module(_GRAPHS)).recording(folder, by_itself=by_itself)


RECORDERS: tuple[Recorder, ...] = (_cuda_graphs,)
"""Those that run under torch.profiler."""


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
        if self._off:
            return
        if self.plan.profiler is Profiler.NSYS:
            marks = cast("_Marks", import_module(_MARKS))  # loads nvtx, which only nsys needs
            self._open.enter_context(marks.marks())
            return
        opened = [recorder(self.folder, by_itself=not self.more) for recorder in RECORDERS]
        heard = [self._open.enter_context(each) for each in opened]
        if self.more:
            instrument = cast("_Instrument", import_module(_INSTRUMENT))
            self._open.enter_context(instrument.instrumented(*self.more, *heard))
