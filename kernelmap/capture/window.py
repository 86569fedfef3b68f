"""When to record: the steps of a program, its compilations, and the window that follows from them.

Takes nothing but the news that a step ended or that something was compiled, and says what the
profiler has to do next. Knows no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """WAITING for warm steps; PREPARED in the last warm-up step; RECORDING; DONE."""

    WAITING = 0
    PREPARED = 1
    RECORDING = 2
    DONE = 3


@dataclass(slots=True)
class Window:
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
        self._warm = 0 if self._compiles or not free else self._warm + 1
        self._compiles = False
        if self._warm >= self.warmup:
            self._record()
        elif self._warm == self.warmup - 1 and free:
            self.phase = Phase.PREPARED

    def _record(self) -> None:
        self.phase, self.first = Phase.RECORDING, self.step
