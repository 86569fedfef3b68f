"""A model for AOTInductor's debug printer, compiled or run in a process of its own.

    python printed_model.py FOLDER compile|run     # settings come from the environment

Its logarithm turns negative numbers into NaN: the second run has some. With PRINTED_ABORT set the
process kills itself within an operator that the printer never speaks of.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch
from torch._inductor import aoti_compile_and_package, aoti_load_package

PACKAGE = "model.pt2"
SHAPE = (4, 16)


@torch.library.custom_op("printed::same", mutates_args=())  # type: ignore[untyped-decorator]  # torch is untyped here
def same(x: torch.Tensor) -> torch.Tensor:
    if os.environ.get("PRINTED_ABORT"):
        os.abort()
    return x.clone()


@same.register_fake  # type: ignore[untyped-decorator]  # torch is untyped here
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


class Model(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(SHAPE[1], SHAPE[1])
        self.second = torch.nn.Linear(SHAPE[1], SHAPE[1])

    def forward(self, x: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
        y = torch.log(self.first(x).sigmoid() + shift)
        y = torch.ops.printed.same(y)
        y = self.second(y).softmax(-1)
        return torch.topk(y, 4).values


def main(folder: Path, what: str) -> None:
    """Compile into the folder, or run what lies there, in it."""
    os.chdir(folder)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(SHAPE)
    with torch.no_grad():
        if what == "compile":
            program = torch.export.export(Model().eval(), (x, torch.zeros(1)))
            aoti_compile_and_package(program, package_path=str(folder / PACKAGE))
            return
        run = aoti_load_package(str(folder / PACKAGE))
        run(x, torch.zeros(1))
        run(x, torch.full((1,), -2.0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
