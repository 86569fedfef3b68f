r"""Mark compiled graphs and their calls with NVTX ranges, for Nsight Systems.

    with marks():                       # in code
        train()

    nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node \
        python -m kernelmap.capture.nvtx train.py …

The ranges lie in the domain `kernelmap`; their texts are those of `model.marks`. One stands around
every execution of a graph's `call()`, and one around each call in it. While a CUDA graph is
captured they stand around what makes its nodes, which is what node-level tracing links replays to.
A replay itself runs no generated code and gets no range.

Around a program nothing but the standard library is loaded before Inductor is; what marks is
nvtx_marks.py.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from kernelmap.capture.imports import CODE_CACHE, when_imported
from kernelmap.capture.nvtx_domain import is_tool_attached, missing
from kernelmap.capture.runner import run

if TYPE_CHECKING:
    from kernelmap.capture.instrument import Instrumentation
    from kernelmap.model import Notice

_USAGE = "usage: python -m kernelmap.capture.nvtx (SCRIPT | -m MODULE | -c CODE) [ARGUMENTS…]"


def marks() -> AbstractContextManager[Instrumentation]:
    """Mark what compiled graphs run until the end. Raises KernelmapError without nvtx."""
    from kernelmap.capture.nvtx_marks import marked

    return marked()


def unheard() -> Notice | None:
    """What to say where nobody records the marks."""
    if is_tool_attached():
        return None
    from kernelmap.model import Notice

    return Notice(
        slug="marks-unheard",
        message="No profiler asked this process for NVTX, so nobody records its marks.",
        hint="Start it under `nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node`.",
    )


def main(arguments: Sequence[str]) -> int:
    """Run a program with marks; its own end, by exception or exit, is ours."""
    if not arguments or list(arguments) in (["-m"], ["-c"]):
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    if find_spec("nvtx") is None:
        error = missing()
        sys.stderr.write(f"kernelmap: {error.message}\n{error.hint}\n")
        return error.exit_code
    begun: list[Instrumentation] = []
    with ExitStack() as stack:

        def begin(_: ModuleType) -> None:
            begun.append(stack.enter_context(marks()))

        when_imported(CODE_CACHE, begin)
        try:
            run(arguments)
        finally:
            notices = [notice for each in begun for notice in each.notices]
            for notice in (unheard(), *notices):
                if notice is not None:
                    sys.stderr.write(f"kernelmap: {notice.message} {notice.hint}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
