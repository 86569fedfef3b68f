"""The text of an NVTX or ROCTX range → its name, its autograd sequence number, and its kind.

`torch.autograd.profiler.emit_nvtx()` makes an NVTX range of every range that the profiler would
have recorded: `aten::addmm, seq = 3, op_id = 4, sizes = [[], [8, 16]], input_op_ids = [(2,0)]`.
Rule: torch/csrc/profiler/util.cpp, `getNvtxStr`; the backward says `stashed seq`. What follows the
name comes in this order, and each part may be missing.
"""

from __future__ import annotations

import re

from kernelmap.model import names
from kernelmap.model.trace import NONE, RangeKind

_TAIL = re.compile(
    r", (?:(?:stashed )?seq = (?P<seq>\d{1,19})(?=,|$)"
    r"|op_id = \d+(?=,|$)|sizes = \[|input_op_ids = \[)"
)
_MOST = (1 << 63) - 1
_ENGINE = ("autograd::engine::evaluate_function: ", "torch::autograd::")
_COMPILED = ("CompiledFunction", "CompiledFunctionBackward")


def split_range_text(text: str) -> tuple[str, int]:
    """The range's own name, and its autograd sequence number, -1 without one.

    >>> split_range_text("aten::addmm, seq = 3, op_id = 4")
    ('aten::addmm', 3)
    >>> split_range_text("## Call CompiledFxGraph f ##")
    ('## Call CompiledFxGraph f ##', -1)
    >>> split_range_text("layers, op_id = 7, sizes = [[8], []]")
    ('layers', -1)
    """
    if ", " not in text or (tail := _TAIL.search(text)) is None:
        return text, NONE
    sequence = int(tail["seq"] or NONE)
    return text[: tail.start()], sequence if sequence <= _MOST else NONE


def kind_of_range(name: str) -> RangeKind:
    """Whether the profiler would have called a range of this name an operator.

    The text does not say: what users annotate looks the same, so only names of torch's own are.
    """
    is_of_torch = (
        names.operator_of_range(name) is not None
        or names.cpp_kernel(name) is not None
        or names.is_region(name)
        or name in _COMPILED
        or name.startswith(("triton_", *_ENGINE))
    )
    return RangeKind.OP if is_of_torch else RangeKind.ANNOTATION
