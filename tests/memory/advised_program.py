"""A step of forward and backward on the CPU, recorded: advised_program.py MODEL AGAIN FOLDER.

MODEL is `gelu` or `gated`; with AGAIN `again` its first activation is made again in the backward,
which is what the advice of `kernelmap memory` says. FOLDER gets the trace; TORCH_TRACE the code.
"""

from __future__ import annotations

import sys
from typing import Any

ROWS, WIDTH = 512, 256


def main(model_name: str, again: str, folder: str) -> None:
    """Compile, run twice, and record the third run."""
    import torch
    from torch._inductor import config

    torch.manual_seed(7)
    torch.set_num_threads(1)
    # In one kernel with the backward of its own the activation is made elsewhere: docs/memory.md.
    config.max_fusion_size = 1 if model_name == "gated" else 64
    model = _make_model(model_name, is_again=again == "again")
    compiled, x = torch.compile(model), torch.randn(ROWS, WIDTH)

    def step() -> None:
        model.zero_grad(set_to_none=True)
        result = compiled(x)
        result.backward(torch.ones_like(result))

    for _ in range(2):
        step()
    with (
        torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
        ) as profiler,
        torch.profiler.record_function("step"),
    ):
        step()
    profiler.export_chrome_trace(f"{folder}/trace.json")


def _make_model(name: str, *, is_again: bool) -> Any:  # noqa: ANN401 -- torch is not followed
    """Two blocks with a residual: the peak of a step is in the backward of the second."""
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    gates = {"gelu": 1, "gated": 2}[name]

    def activate(*given: Any) -> Any:  # noqa: ANN401 -- tensors
        if gates == 1:
            return nn.functional.gelu(given[0])
        return nn.functional.silu(given[0]) * given[1]

    class Model(nn.Module):  # type: ignore[misc]  # torch is not followed
        def __init__(self) -> None:
            super().__init__()
            sizes = [*[(WIDTH, 4 * WIDTH)] * gates, (4 * WIDTH, WIDTH)] * 2
            self.layers = nn.ModuleList(nn.Linear(*each, bias=gates == 1) for each in sizes)

        def forward(self, x: Any) -> Any:  # noqa: ANN401 -- a tensor
            wide = [layer(x) for layer in self.layers[:gates]]
            made = checkpoint(activate, *wide, use_reentrant=False) if is_again else activate(*wide)
            x = x + self.layers[gates](made)
            wide = [layer(x) for layer in self.layers[gates + 1 : -1]]
            return self.layers[-1](activate(*wide)) + (x if gates == 2 else 0)

    return Model()


if __name__ == "__main__":
    main(*sys.argv[1:])
