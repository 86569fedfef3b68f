"""Programs before and after a change of one line, and what the change does to their memory.

Each is some lines of `model.py` with three inputs.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_LINE = 12
"""The number of the first line of a model in `model.py`."""
_TEXT = """\
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

OPTIONS = {options}


def layer(x, w):
    return torch.relu(x @ w)

def model(x, w, v):
    {lines}


def make(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype).requires_grad_({grad})


def make_inputs():
    return {inputs}
"""
_INPUTS = "make(8192, 1024), make(1024, 4096), make(4096, 1024)"
_BFLOAT16 = _INPUTS.replace(")", ", dtype=torch.bfloat16)")
_REALIZED = '{"realize_opcount_threshold": 0}'


@dataclass(frozen=True)
class Program:
    """The lines of one model, and how it is compiled; `grad` makes it a training step."""

    lines: tuple[str, ...]
    grad: bool = False
    inputs: str = _INPUTS
    options: str = "{}"


@dataclass(frozen=True)
class PlantedPair:
    """Two programs; `reason` is a value of MemoryReason, and `line` that of the buffer it names.

    Both are None where the change costs no memory.
    """

    before: Program
    after: Program
    reason: str | None = None
    line: int | None = None

    @property
    def sides(self) -> tuple[Program, Program]:
        """Before and after."""
        return self.before, self.after


def program_text(program: Program) -> str:
    """The text of `model.py`."""
    return _TEXT.format(
        options=program.options,
        lines="\n    ".join(program.lines),
        grad=program.grad,
        inputs=program.inputs,
    )


def _programs(
    before: tuple[str, ...], after: tuple[str, ...], *, grad: bool = False, inputs: str = _INPUTS
) -> tuple[Program, Program]:
    return Program(before, grad=grad, inputs=inputs), Program(after, grad=grad, inputs=inputs)


_CHECKPOINTED = "checkpoint(layer, x, w, use_reentrant=False)"
_MIDDLE = "g = torch.relu(h)"

PAIRS: dict[str, PlantedPair] = {
    # What a checkpoint recomputed is saved without it.
    "no_checkpoint": PlantedPair(
        *_programs(
            (f"h = {_CHECKPOINTED}", "g = torch.sin(h @ v)", "return (layer(g, w) @ v).tanh()"),
            ("h = layer(x, w)", "g = torch.sin(h @ v)", "return (layer(g, w) @ v).tanh()"),
            grad=True,
        ),
        reason="saved for the backward",
        line=9,
    ),
    # A factor that the backward needs as well.
    "saved_factor": PlantedPair(
        *_programs(
            ("h = x @ w", "g = torch.relu(h)", "return (g @ v).tanh()"),
            ("h = x @ w", "g = torch.relu(h) * h", "return (g @ v).tanh()"),
            grad=True,
        ),
        reason="saved for the backward",
        line=FIRST_LINE,
    ),
    # Two kernels in the place of one: what the first computes becomes a buffer.
    "lost_fusion": PlantedPair(
        Program(("h = x.sin()", "g = h.softmax(-1)", "return g + h"), options=_REALIZED),
        Program(
            ("h = x.sin()", "g = h.softmax(-1)", "return g + h"),
            options=_REALIZED.replace("}", ', "max_fusion_size": 1}'),
        ),
        reason="lost fusion",
        line=FIRST_LINE,
    ),
    "layout_copy": PlantedPair(
        *_programs(
            ("h = x @ w", "g = x.t()", "return g @ h"),
            ("h = x @ w", "g = x.t().contiguous()", "return g @ h"),
        ),
        reason="copy in another layout",
        line=FIRST_LINE + 1,
    ),
    # A product in double precision wants its operands cast.
    "cast_copy": PlantedPair(
        *_programs(
            ("h = x @ w", "g = h", "return g @ v"),
            ("h = x @ w", "g = h.double()", "return (g @ v.double()).float()"),
        ),
        reason="copy in another dtype",
        line=FIRST_LINE + 1,
    ),
    "later_free": PlantedPair(
        *_programs(
            ("h = x @ w", "g = (h @ v) @ w", "return torch.relu(g) @ v"),
            ("h = x @ w", "g = (h @ v) @ w", "return torch.relu(g * h) @ v"),
        ),
        reason="lives longer",
        line=FIRST_LINE,
    ),
    "dtype": PlantedPair(
        *_programs(
            ("h = torch.mm(x, w)", "return h.sum(0)"),
            ("h = torch.mm(x, w, out_dtype=torch.float32)", "return h.sum(0)"),
            inputs=_BFLOAT16,
        ),
        reason="another dtype",
        line=FIRST_LINE,
    ),
    # A kernel may not write where it read.
    "reuse_lost": PlantedPair(
        Program(("h = x @ w", _MIDDLE, "return g @ v")),
        Program(("h = x @ w", _MIDDLE, "return g @ v"), options='{"inplace_buffers": False}'),
        reason="memory not reused",
        line=FIRST_LINE,
    ),
    "handed_out": PlantedPair(
        *_programs(
            ("h = x @ w", "g = h @ v", "return (g @ w).relu()"),
            ("h = x @ w", "g = h @ v", "return (g @ w).relu(), h"),
        ),
        reason="handed out of the graph",
        line=FIRST_LINE,
    ),
    "shape": PlantedPair(
        *_programs(
            ("h = x @ w", "return h @ v"),
            ("h = torch.cat([x, x]) @ w", "return h @ v"),
        ),
        reason="another shape",
        line=FIRST_LINE,
    ),
    # The same program, compiled once more.
    "equal": PlantedPair(
        *_programs(("h = x @ w", _MIDDLE, "return g @ v"), ("h = x @ w", _MIDDLE, "return g @ v"))
    ),
    # Names of kernels are counted otherwise.
    "another_operator": PlantedPair(
        *_programs(
            ("h = x @ w", _MIDDLE, "return g @ v"), ("h = x @ w", "g = F.gelu(h)", "return g @ v")
        )
    ),
    "lines_moved": PlantedPair(
        *_programs(
            ("h = x @ w", _MIDDLE, "return g @ v"),
            ("# a comment", "h = x @ w", "# another", _MIDDLE, "return g @ v"),
        )
    ),
    "more_pointwise": PlantedPair(
        *_programs(
            ("h = x @ w", _MIDDLE, "return g @ v"),
            ("h = x @ w", "g = torch.relu(h) * 2 + 1", "return g @ v"),
        )
    ),
    "view": PlantedPair(
        *_programs(
            ("h = x @ w", _MIDDLE, "return g @ v"),
            ("h = x @ w", _MIDDLE, "return (g.view(2, -1, 4096) @ v).flatten(0, 1)"),
        )
    ),
    "train_equal": PlantedPair(
        *_programs(
            ("h = x @ w", _MIDDLE, "return (g @ v).tanh()"),
            ("h = x @ w", _MIDDLE, "return (g @ v).tanh()"),
            grad=True,
        )
    ),
    "train_activation": PlantedPair(
        *_programs(
            ("h = layer(x, w)", "return (h @ v).tanh()"),
            ("h = layer(x, w)", "return (h @ v).sigmoid()"),
            grad=True,
        )
    ),
    "train_checkpointed": PlantedPair(
        *_programs(
            ("h = checkpoint(layer, x, w, use_reentrant=False)", "return (h @ v).tanh()"),
            ("h = checkpoint(layer, x, w, use_reentrant=False)", "return (h @ v).sigmoid()"),
            grad=True,
        )
    ),
    "norm": PlantedPair(
        *_programs(
            ("h = F.layer_norm(x, (1024,))", "return h @ w"),
            ("h = F.layer_norm(x, (1024,), eps=1e-3)", "return h @ w"),
        )
    ),
    # A setting that changes code, and no buffer.
    "setting": PlantedPair(
        Program(("h = x @ w", _MIDDLE, "return g @ v")),
        Program(
            ("h = x @ w", _MIDDLE, "return g @ v"), options='{"coordinate_descent_tuning": True}'
        ),
    ),
}
