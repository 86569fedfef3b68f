"""Work outside compiled code: what a training or serving loop runs between compiled regions.

The operators are of the kinds that compiled code calls too (mm, addmm, copies), and stand right
before and after it, so that nothing but the host side tells them apart.
"""

from __future__ import annotations

from math import ceil

from worlds.calls import Player
from worlds.recorder import AUTOGRAD, Recorder

OPERATORS = (
    "aten::mm",
    "aten::addmm",
    "aten::copy_",
    "aten::sum",
    "aten::linear",
    "aten::zero_",
    "aten::add",
    "aten::convolution",
)
LONG_OPERATORS = (
    *OPERATORS,
    "aten::sort",
    "aten::topk",
    "aten::index_put_",
    "aten::embedding",
    "aten::cumsum",
)
_LEFT_OUT = 0.15
_BETWEEN = 6
_ADAM = "void at::native::multi_tensor_apply_kernel<TensorListMetadata<4>, FusedAdamMathFunctor>()"


class Eager:
    """Plays eager sections; `launches` of them are wanted in each step."""

    def __init__(self, recorder: Recorder, player: Player, *, launches: int) -> None:
        self._recorder = recorder
        self._player = player
        self._launches = launches
        self._drawn: dict[tuple[str, int], str] = {}

    def operators(self, section: str, part: float) -> None:
        """A run of operators worth `part` of the step's eager launches, the same each step."""
        long, rng = self._recorder.world.long, self._recorder.rng
        for position in range(ceil(self._launches * part)):
            operator = OPERATORS[(position + len(section)) % len(OPERATORS)]
            if long:
                operator = self._drawn.setdefault((section, position), rng.choice(LONG_OPERATORS))
                if rng.random() < _LEFT_OUT:
                    continue
            self._player.library(operator, site=(section, position))

    def between(self) -> None:
        """What stands between two graphs now and then: one of a few operators."""
        position = self._recorder.rng.randrange(_BETWEEN)
        operator = LONG_OPERATORS[position * 3 % len(LONG_OPERATORS)]
        self._player.library(operator, site=("between", position))

    def accumulate(self, section: str, part: float) -> None:
        """Gradients added up on the autograd thread."""
        name = "torch::autograd::AccumulateGrad"
        with self._recorder.on_thread(AUTOGRAD):
            for position in range(ceil(self._launches * part)):
                with (
                    self._recorder.op(f"autograd::engine::evaluate_function: {name}"),
                    self._recorder.op(name),
                ):
                    self._player.library("aten::add_", site=(section, position))

    def optimizer(self, part: float) -> None:
        """A fused optimizer step."""
        recorder = self._recorder
        with recorder.annotation("Optimizer.step#Adam.step"):
            for _ in range(ceil(self._launches * part)):
                with recorder.op("aten::_fused_adam_"):
                    recorder.launch(_ADAM, recorder.duration(6_000))
