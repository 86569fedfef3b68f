"""Where torch says that steps end and compilations begin; and that nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from kernelmap.capture import step_hooks
from kernelmap.capture.step_hooks import COMPILED_CALL, OPTIMIZER, StepHooks

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer


pytestmark = pytest.mark.torch


torch: Any
"""Loaded when the first of these tests runs: whoever collects or leaves them out does without."""


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    global torch  # noqa: PLW0603 -- helpers use it, too
    torch = import_module("torch")


@dataclass
class Heard:
    """What the hooks reported."""

    ended: list[str] = field(default_factory=list)
    compiled: int = 0

    def compile(self) -> None:
        self.compiled += 1


def plainly(action: Callable[[], None]) -> None:
    action()


def state() -> list[object]:
    """All that the hooks may change in torch."""
    from torch._dynamo import callback, eval_frame
    from torch.optim import optimizer

    registries = ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")
    return [
        *(list(getattr(optimizer, name).values()) for name in registries),
        list(callback.callback_handler.start_callbacks),
        list(callback.callback_handler.end_callbacks),
        eval_frame.OptimizeContext.__init__,
        torch.compile,
        optimizer.Optimizer.profile_hook_step,
    ]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def hooks(heard: Heard) -> Iterator[StepHooks]:
    before = state()
    hooks = StepHooks(heard.ended.append, heard.compile, plainly)
    hooks.install()
    yield hooks
    hooks.remove()

    assert state() == before


def sgd() -> Optimizer:
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    return torch.optim.SGD([weight], lr=0.1)


@pytest.mark.usefixtures("hooks")
def test_an_optimizer_s_step_ends_a_step(heard: Heard) -> None:
    """Each of them once."""
    optimizer = sgd()
    for _ in range(3):
        optimizer.step()

    assert heard.ended == [OPTIMIZER] * 3


@pytest.mark.usefixtures("hooks")
def test_an_outermost_call_ends_a_step(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled function inside a compiled function, or behind a graph break, is part of it."""
    from torch._dynamo import graph_break

    monkeypatch.setattr(step_hooks, "has_optimizer", lambda: False)
    inner = torch.compile(lambda x: x + 1, backend="eager")

    def broken(x: Tensor) -> Tensor:
        graph_break()
        return inner(x) * 2

    outer = torch.compile(broken, backend="eager")
    for _ in range(2):
        outer(torch.ones(2))
        inner(torch.ones(2))

    assert heard.ended == [COMPILED_CALL] * 4
    before = heard.compiled
    assert before >= 2
    outer(torch.ones(2))
    assert (len(heard.ended), heard.compiled) == (5, before)


@pytest.mark.usefixtures("hooks")
def test_with_an_optimizer_calls_are_no_steps(heard: Heard) -> None:
    """Gradients may be accumulated over several calls."""
    optimizer = sgd()
    compiled = torch.compile(lambda x: x * 3, backend="eager")
    compiled(torch.ones(2))
    compiled(torch.ones(2))
    optimizer.step()

    assert heard.ended == [OPTIMIZER]


def test_a_compiled_function_outlives_the_hooks(hooks: StepHooks, heard: Heard) -> None:
    """What was compiled while they were there runs without them afterwards."""
    compiled = torch.compile(lambda x: x * 5, backend="eager")
    compiled(torch.ones(2))
    hooks.remove()
    before = list(heard.ended), heard.compiled
    compiled(torch.ones(2))
    compiled(torch.ones(3, 3))

    assert (heard.ended, heard.compiled) == before


def test_hooks_may_leave_from_inside_of_the_last_step(heard: Heard) -> None:
    """The step that fills the window takes the hooks out, while torch goes through them."""
    before = state()

    def last(by: str) -> None:
        heard.ended.append(by)
        ours.remove()

    ours = StepHooks(last, heard.compile, plainly)
    ours.install()
    optimizer = sgd()
    optimizer.step()
    optimizer.step()

    assert heard.ended == [OPTIMIZER]
    assert state() == before


def test_hooks_of_others_are_left_alone(heard: Heard) -> None:
    """A hook that the program registered later runs each time; ours goes when nobody is behind."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    before = state()
    theirs: list[int] = []

    def last(by: str) -> None:
        heard.ended.append(by)
        ours.remove()

    ours = StepHooks(last, heard.compile, plainly)
    ours.install()
    handle = register_optimizer_step_post_hook(lambda *_: theirs.append(1))
    optimizer = sgd()
    for _ in range(3):
        optimizer.step()
    handle.remove()
    optimizer.step()

    assert (heard.ended, theirs) == ([OPTIMIZER], [1, 1, 1])
    assert state() == before


def test_a_reset_of_dynamo_is_survived(hooks: StepHooks, heard: Heard) -> None:
    """torch.compiler.reset() takes all callbacks out; the next step puts ours back."""
    torch.compiler.reset()
    hooks.keep()
    torch.compile(lambda x: x * 7, backend="eager")(torch.ones(2))

    assert heard.compiled == 1
