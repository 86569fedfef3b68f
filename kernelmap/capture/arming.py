"""A process of the program gets ready to record: when it imports torch, torch is hooked into.

Only then, for a program may set variables before it imports torch; until then nothing is loaded but
the standard library. At the end of the program what was recorded is written.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from types import ModuleType

from kernelmap.capture.import_hooks import when_imported
from kernelmap.capture.plan import (
    EAGER_BACKWARD,
    LOG_VARIABLE,
    Plan,
    hand_on,
    plan_in,
    process_name,
)

_AOT_CONFIG = "torch._functorch.config"


def arm() -> None:
    """Record this process and those that it starts as the environment's plan says, if it has one.

    Processes that make no step, such as the compiler's workers, leave nothing behind.
    """
    plan = plan_in(os.environ)
    if plan is None or plan.folder is None:
        return
    if plan.name is not None:  # the program itself: its environment has nothing for others yet
        hand_on(plan, os.environ)
    folder = Path(plan.folder) / (plan.name or process_name(os.environ))
    if folder.exists():  # of a worker that was restarted, or of one that started this process
        folder = folder.with_name(f"{folder.name}_{process_name({})}")
    if plan.logs is not None:
        # torch reads the variable while it is imported.
        os.environ[LOG_VARIABLE] = str(folder / plan.logs)
    when_imported("torch", lambda _: _begin(plan, folder))


def _begin(plan: Plan, folder: Path) -> None:
    from kernelmap.capture.recording import Recording

    if plan.provenance:
        # The option's module may be loaded after torch itself, or not at all.
        when_imported(_AOT_CONFIG, _compile_backwards_early)
    if plan.logs is not None:
        os.environ.pop(LOG_VARIABLE, None)  # torch has read it; its children's logs are not ours
    recording = Recording(plan, folder)
    recording.begin(steps_by_hooks=True)
    atexit.register(recording.finish)


def _compile_backwards_early(config: ModuleType) -> None:
    """As the default: the program has not run yet, and may still choose otherwise."""
    if hasattr(config, EAGER_BACKWARD):
        setattr(config, EAGER_BACKWARD, True)
