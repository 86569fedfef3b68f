"""Gets a process of the user's program ready to record, and loads nothing before the program does.

A plan in the environment says what was asked for. When the program imports torch, and only then,
torch is hooked into; at the end of the program what was recorded is written. Nothing is imported
here but the standard library.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path

from kernelmap.capture.imports import when_imported
from kernelmap.capture.plan import LOG_VARIABLE, Plan, hand_on, plan_in, process_name


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
        os.environ[LOG_VARIABLE] = str(folder / plan.logs)
    when_imported("torch", lambda _: _begin(plan, folder))


def _begin(plan: Plan, folder: Path) -> None:
    from kernelmap.capture.recording import Recording

    if plan.logs is not None:
        os.environ.pop(LOG_VARIABLE, None)  # torch has read it; its children's logs are not ours
    recording = Recording(plan, folder)
    recording.begin(steps_by_hooks=True)
    atexit.register(recording.finish)
