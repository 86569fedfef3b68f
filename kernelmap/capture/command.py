"""The story of `kernelmap capture`: make the folder, run the program, write the manifest.

Runs beside the program, in a process of its own, and knows no torch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from kernelmap.capture import nsys
from kernelmap.capture.contents import copy_logs, finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.launch import Launch, launch, run_program, without_secrets
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.errors import KernelmapError
from kernelmap.model.bundle import NSYS, Manifest, State

_PROBE = (
    "import sys; from importlib.util import find_spec\n"
    "print(*(name for name in sys.argv[1:] if find_spec(name) is None))"
)
_NEEDED = ("torch", "kernelmap")
_NEEDED_BY_NSYS = ("nvtx",)


@dataclass(frozen=True, slots=True)
class Captured:
    """What came of it: the program's exit code and the manifest that was written."""

    exit_code: int
    manifest: Manifest


def capture_command(
    command: Sequence[str],
    bundle: Path,
    plan: Plan,
    *,
    force: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Captured:
    """Run `command` recorded into `bundle`; `say` hears what the user should know before it runs.

    Raises KernelmapError before the program is started, and never because of what it does.
    """
    tool = nsys.find_nsys() if plan.profiler is Profiler.NSYS else None
    started = launch(command, plan.into(bundle), os.environ)
    if started.python is not None:
        needed = _NEEDED if tool is None else (*_NEEDED, *_NEEDED_BY_NSYS)
        check_interpreter(started.python, needed)
    make_folder(bundle, force=force)
    begun = first_manifest(started.plan, without_secrets(command), started.settings)
    write_manifest(bundle, begun)
    for line in _remarks(started, tool):
        say(line)
    logs = started.log_folder
    before = frozenset(_names(logs))
    full = started.command
    if tool is not None:
        (bundle / NSYS).mkdir()
        one = started.python is not None
        full = nsys.profiled(tool, full, (bundle / NSYS).resolve(), ranged=one)
    told = started.environment if tool is None else {**nsys.ENVIRONMENT, **started.environment}
    code = run_program(full, told)
    failed = None if tool is None else nsys.export(tool, bundle / NSYS)
    try:
        if logs is not None:
            copy_logs(logs, bundle, before)
        manifest = replace(finished(bundle, begun), exit_code=code)
        if failed is not None:
            manifest = replace(manifest, state=State.PARTIAL, why=failed)
        write_manifest(bundle, manifest)
    except OSError as error:
        raise KernelmapError(
            "unwritable-output",
            f"{bundle} cannot be finished: {error.strerror or error}",
            "Check the space and the rights there; what was recorded is in the folder.",
        ) from error
    return Captured(code, manifest)


def check_interpreter(python: str, needed: Sequence[str]) -> None:
    """Raise KernelmapError where the program's own Python lacks one of the packages `needed`."""
    found = shutil.which(python)
    if found is None:
        return  # starting the program says what is wrong
    if Path(found).absolute() == Path(sys.executable).absolute():
        lacking = [name for name in needed if find_spec(name) is None]
    else:
        probe = [found, "-c", _PROBE, *needed]
        told = subprocess.run(probe, check=False, capture_output=True, text=True)  # noqa: S603 -- the user's own Python
        lacking = told.stdout.split()
    if lacking:
        raise KernelmapError(
            "package-missing",
            f"{python} has no {' and no '.join(lacking)}, which the recording needs",
            f"Install what is missing there: {python} -m pip install 'kernelmap[capture]'",
        )


def _remarks(started: Launch, tool: str | None) -> list[str]:
    remarks = [
        f"{name}={started.settings[name]} is set and stays; less will be known of the calls"
        for name in started.differing
    ]
    if started.log_folder is not None:
        remarks.append(f"TORCH_TRACE is set: its new logs in {started.log_folder} are copied")
    if tool is not None and started.python is None:
        remarks.append("several processes may run: nsys records all of each, not only the steps")
    if tool is not None and not nsys.has_gpu():
        remarks.append("no NVIDIA driver was found: nsys will see marks and no kernels")
    return remarks


def _names(folder: Path | None) -> list[str]:
    if folder is None or not folder.is_dir():
        return []
    return [path.name for path in folder.iterdir()]
