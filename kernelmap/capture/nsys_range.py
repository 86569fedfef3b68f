"""What an Nsight Systems around the program records: the NVTX range whose ends start and stop it.

The range begins when Inductor's code cache is loaded, before anything is compiled, so that the
capture of CUDA graphs is inside: only what was seen to make a node tells the call that a replay
runs. It ends with the window, and nothing of the rest is recorded. The recorded steps have ranges
of their own, named as torch.profiler names them; bundles.py counts those. All lie in the domain of
the marks and need no GPU. Steps end outside of generated code, so they never cross a mark.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.capture.imports import CODE_CACHE, when_imported
from kernelmap.capture.nsys import RECORDED
from kernelmap.capture.nvtx_domain import OpenDomain, open_domain
from kernelmap.capture.step_hooks import Guard
from kernelmap.model.marks import DOMAIN

if TYPE_CHECKING:
    from types import ModuleType

_STEP = "ProfilerStep#"


class NsysRange:
    """Opens and closes that range, and names the steps at its end."""

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
