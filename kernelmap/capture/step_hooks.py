"""Where a program's steps end and where it compiles, as torch reports it.

A step ends with a step of an optimizer. In a program that has made no optimizer it ends with an
outermost call of a compiled function: one that no other call of a compiled function is inside of.
Optimizers have a public hook. Compiled functions have the list that torch.compile itself enters and
leaves with each call; where a version of torch has no such list, only optimizers count.

All hooks are in place until the window is over and gone afterwards. Nothing here runs inside of a
compiled function, and nothing is guarded on.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol

from kernelmap.capture.import_hooks import when_imported

OPTIMIZER, COMPILED_CALL = "optimizer step", "compiled call"

_EVAL_FRAME = "torch._dynamo.eval_frame"
_CALLBACKS = "torch._dynamo.callback"
_Leave = Callable[[], None]
Guard = Callable[[Callable[[], None]], None]
"""Runs something that may fail, and keeps the failure away from the user's program."""


class _Handle(Protocol):
    """torch's RemovableHandle, as far as it is used."""

    id: int

    def remove(self) -> None:
        """Take the hook out of its registry."""


@dataclass(slots=True)
class OptimizerSteps:
    """Tells when an optimizer has made a step."""

    ended: Callable[[], None]
    _handle: _Handle | None = None
    _off: bool = False

    def install(self) -> None:
        """Register the hook. Imports torch."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        self._handle = register_optimizer_step_post_hook(self._after_step)

    def remove(self) -> None:
        """Take the hook out, or leave it idle where torch is just going through the hooks.

        torch iterates over its registry while we are called. An OrderedDict may lose its last
        entry then, and no other; what stays is asked again after the next step.
        """
        self._off = True
        from torch.optim import optimizer

        hooks = optimizer._global_optimizer_post_hooks  # noqa: SLF001 -- nothing public says who is last
        if self._handle is None or self._handle.id not in hooks:
            return
        if isinstance(hooks, OrderedDict) and next(reversed(hooks)) == self._handle.id:
            self._handle.remove()

    def _after_step(self, *_: object) -> None:
        if self._off:
            self.remove()
        else:
            self.ended()


def has_optimizer() -> bool:
    """Whether an optimizer was ever made: torch marks the `step` of its class."""
    from torch.optim import Optimizer

    return any(hasattr(kind.step, "hooked") for kind in _kinds(Optimizer))


def _kinds(of: type[Any]) -> Iterator[type[Any]]:
    for kind in of.__subclasses__():
        yield kind
        yield from _kinds(kind)


@dataclass(slots=True)
class CompiledCalls:
    """Tells when an outermost call of a compiled function has returned or raised."""

    ended: Callable[[], None]
    _contexts: weakref.WeakSet[object] = field(default_factory=weakref.WeakSet)
    _restore: Callable[[], None] | None = None
    _thread: threading.local = field(default_factory=threading.local)

    def install(self, eval_frame: ModuleType) -> None:
        """Enter with every compiled function that is made from now on."""
        kind = eval_frame.OptimizeContext
        original = kind.__init__

        @functools.wraps(original)
        def make(context: object, *args: object, **kwargs: object) -> None:
            original(context, *args, **kwargs)
            # torch goes through this list at each call of the compiled function; a torch without it
            # is only heard through its optimizers.
            entered = getattr(context, "enter_exit_hooks", None)
            if isinstance(entered, list):
                entered.append(self._enter)
                self._contexts.add(context)

        def restore() -> None:
            # Where somebody has put a wrapper around ours meanwhile, that one stays.
            if kind.__init__ is make:
                kind.__init__ = original

        kind.__init__, self._restore = make, restore

    def remove(self) -> None:
        """Leave all compiled functions alone; one that runs right now still leaves."""
        if self._restore is not None:
            self._restore()
        for context in list(self._contexts):
            # A new list: torch may be iterating over the old one.
            entered = [hook for hook in _entered(context) if hook != self._enter]
            setattr(context, "enter_exit_hooks", entered)  # noqa: B010 -- its type is torch's own
        self._contexts.clear()

    def _enter(self) -> _Leave:
        self._thread.depth = getattr(self._thread, "depth", 0) + 1
        return self._leave

    def _leave(self) -> None:
        self._thread.depth -= 1
        # A compiled function that is called by another one ends no step.
        if self._thread.depth == 0:
            self.ended()


def _entered(context: object) -> list[object]:
    hooks = getattr(context, "enter_exit_hooks", None)
    return hooks if isinstance(hooks, list) else []


@dataclass(slots=True)
class CompilationHooks:
    """Tells when Dynamo compiles a frame, a backward is lowered, or CUDA graphs are recorded."""

    begun: Callable[[], None]
    _module: ModuleType | None = None

    def install(self, callbacks: ModuleType) -> None:
        """Register with torch._dynamo.callback."""
        self._module = callbacks
        self.keep()

    def keep(self) -> None:
        """Register again if torch._dynamo.reset() has taken the callback out."""
        if self._module is not None:
            callbacks = self._module.callback_handler.start_callbacks
            if self._on_start not in callbacks:
                callbacks.append(self._on_start)

    def remove(self) -> None:
        """Take the callback out."""
        if self._module is not None:
            callbacks = self._module.callback_handler.start_callbacks
            if self._on_start in callbacks:
                callbacks.remove(self._on_start)
            self._module = None

    def _on_start(self, *_: object) -> None:
        self.begun()


@dataclass(slots=True)
class StepHooks:
    """All hooks. `ended` is called with what ended a step, `guard` runs what could fail."""

    ended: Callable[[str], None]
    compiled: Callable[[], None]
    guard: Guard
    _optimizer: OptimizerSteps = field(init=False)
    _calls: CompiledCalls = field(init=False)
    _compilations: CompilationHooks = field(init=False)
    _off: bool = False

    def __post_init__(self) -> None:
        self._optimizer = OptimizerSteps(lambda: self.ended(OPTIMIZER))
        self._calls = CompiledCalls(self._call_ended)
        self._compilations = CompilationHooks(self.compiled)

    def install(self) -> None:
        """Hook into torch, which is loaded, and into its compiler once that is."""
        self.guard(self._optimizer.install)
        self.install_compilations()
        when_imported(_EVAL_FRAME, self._guarded(self._calls.install))

    def install_compilations(self) -> None:
        """Only hear of compilations: the program says itself where its steps end."""
        when_imported(_CALLBACKS, self._guarded(self._compilations.install))

    def keep(self) -> None:
        """Make sure that compilations are still heard of."""
        self._compilations.keep()

    def remove(self) -> None:
        """Take every hook out."""
        self._off = True
        self._optimizer.remove()
        self._calls.remove()
        self._compilations.remove()

    def _guarded(self, install: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
        # The module may be imported when the window is over.
        return lambda module: None if self._off else self.guard(lambda: install(module))

    def _call_ended(self) -> None:
        # Asked after each call, as a program may make its optimizer after its first compiled calls.
        if not has_optimizer():
            self.ended(COMPILED_CALL)
