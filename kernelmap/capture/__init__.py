"""Makes the files that the compile side and the trace side are read from: a bundle.

    with kernelmap.capture("bundle", warmup=2, steps=10) as run:
        for batch in batches:
            train_step(batch)
            run.step()

The only place with torch and nvtx, and they are loaded when something is recorded. The command line
is `kernelmap capture -- python train.py`; what it does stands in capture/command.py.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING

from kernelmap.capture.plan import STEPS, Plan

if TYPE_CHECKING:
    from kernelmap.capture.session import Run


def capture(  # noqa: PLR0913 -- one parameter per choice
    bundle: str | PathLike[str] = "kernelmap-bundle",
    *,
    warmup: int = 2,
    steps: int = STEPS,
    record_shapes: bool = True,
    stacks: bool = False,
    provenance: bool = True,
    why: bool = False,
    force: bool = False,
) -> AbstractContextManager[Run]:
    """Record the steps of the `with` block into the new folder `bundle`.

    Call `run.step()` after each step. Recording begins `warmup` steps after the last compilation
    and takes `steps` steps, after which `run.done` is true. What was recorded is kept when the
    block raises. `provenance` False keeps the program's own cache of compiled code, which does not
    say from which source lines code comes. `why` compiles anew, and keeps why the compiler did not
    fuse what it did not. `force` replaces an older bundle, never another folder.
    Raises KernelmapError without torch, or where `bundle` exists.
    """
    from kernelmap.capture.session import record_session

    plan = Plan(
        warmup=warmup,
        steps=steps,
        record_shapes=record_shapes,
        stacks=stacks,
        provenance=provenance,
        why=why,
    )
    return record_session(bundle, plan, force=force)
