"""The story of `kernelmap capture`: make the folder, run the program, write the manifest.

Runs beside the program, in a process of its own, and knows no torch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

from kernelmap.capture.command_line import ProgramLaunch, launch, names_only, without_secrets
from kernelmap.capture.contents import copy_logs, finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.plan import Plan, Profiler
from kernelmap.capture.running import (
    NSYS_ENVIRONMENT,
    export_report,
    find_nsys,
    has_gpu,
    late_signals_ignored,
    run_program,
    under_nsys,
)
from kernelmap.capture.startable import require_startable
from kernelmap.errors import KernelmapError
from kernelmap.installing import install_command
from kernelmap.model.bundle import NSYS, Manifest, State

_PROBE = (
    "import sys; from importlib.util import find_spec\n"
    "print(*(name for name in sys.argv[1:] if find_spec(name) is None))"
)
_NEEDED = ("torch", "kernelmap")
_NEEDED_BY_NSYS = ("nvtx",)


@dataclass(frozen=True, slots=True)
class Captured:
    """What came of it: the program's exit code, and the bundle's manifest.

    `manifest` is None where the bundle could not be finished; `why` says why then.
    """

    exit_code: int
    manifest: Manifest | None
    why: str | None = None


def capture_command(
    command: Sequence[str],
    bundle: Path,
    plan: Plan,
    *,
    force: bool = False,
    keep_values: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Captured:
    """Run `command` recorded into `bundle`; `say` hears what the user should know before it runs.

    `keep_values` keeps the values of the program's options in the manifest. Raises KernelmapError
    before the program is started, and then there is no bundle; never because of what it does, nor
    because of what becomes of the bundle.
    """
    tool = find_nsys() if plan.profiler is Profiler.NSYS else None
    started = launch(command, plan.into(bundle), os.environ, on_gpu=has_gpu())
    require_startable(command, is_python=started.python is not None)
    if started.python is not None:
        needed = _NEEDED if tool is None else (*_NEEDED, *_NEEDED_BY_NSYS)
        check_interpreter(started.python, needed)
    # The manifest never shows the command as it was given.
    shown = without_secrets(command) if keep_values else names_only(command)
    begun = first_manifest(started.plan, shown, started.settings)
    folder = make_folder(bundle, begun, force=force)
    logs = started.log_folder
    with late_signals_ignored(), closing(folder):
        try:
            for line in _remarks(started, tool):
                with suppress(OSError):  # nobody reads it any more
                    say(line)
            # Logs of earlier runs may lie in the user's own log folder.
            before = frozenset(_names(logs))
            full = started.command
            if tool is not None:
                (bundle / NSYS).mkdir()
                # A launcher starts several processes, and the first to end its range would end the
                # recording.
                one = started.python is not None
                full = under_nsys(tool, full, (bundle / NSYS).resolve(), ranged=one)
            environment = started.environment if tool is None else _with_nsys(started.environment)
            code = run_program(full, environment, folder.keep)
        except BaseException:
            folder.undo()
            raise
        # From here on the program has run: its exit code counts, whatever becomes of the bundle.
        try:
            return Captured(code, _finish(bundle, begun, code, tool, logs, before))
        except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001 -- a bundle never costs the program its exit code
            return Captured(code, None, _said(error))


def _finish(
    bundle: Path,
    begun: Manifest,
    code: int,
    tool: str | None,
    logs: Path | None,
    before: frozenset[str],
) -> Manifest:
    """Write the last manifest. Raises OSError where that cannot be."""
    failed = None if tool is None else export_report(tool, bundle / NSYS)
    if logs is not None:
        copy_logs(logs, bundle, before)
    manifest = replace(finished(bundle, begun, failed=code != 0), exit_code=code)
    # Without the export no kernel is known, so this reason is the one to tell.
    if failed is not None:
        manifest = replace(manifest, state=State.PARTIAL, why=failed)
    write_manifest(bundle, manifest)
    return manifest


def _said(error: BaseException) -> str:
    """Why a bundle could not be finished, as a sentence's end."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "it was interrupted"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _with_nsys(environment: Mapping[str, str]) -> Mapping[str, str]:
    return {**NSYS_ENVIRONMENT, **environment}


def check_interpreter(python: str, needed: Sequence[str]) -> None:
    """Raise KernelmapError where the program's own Python lacks one of the packages `needed`."""
    interpreter = shutil.which(python)
    if interpreter is None:
        return  # starting the program says what is wrong
    if Path(interpreter).absolute() == Path(sys.executable).absolute():
        lacking = [name for name in needed if find_spec(name) is None]
    else:
        probe = [interpreter, "-c", _PROBE, *needed]
        answer = subprocess.run(probe, check=False, capture_output=True, text=True)  # noqa: S603 -- the user's own Python
        lacking = answer.stdout.split()
    if lacking:
        raise KernelmapError(
            "package-missing",
            f"{python} has no {' and no '.join(lacking)}, which the recording needs",
            f"Install what is missing there: {install_command('capture', python)}",
        )


def _remarks(started: ProgramLaunch, tool: str | None) -> list[str]:
    remarks = [
        f"{name}={started.settings[name]} is set and stays; less will be known of the calls"
        for name in started.differing
    ]
    if started.compiles_anew:
        remarks.append(_anew(started))
    if started.log_folder is not None:
        remarks.append(f"TORCH_TRACE is set: its new logs in {started.log_folder} are copied")
    if tool is not None and started.python is None:
        remarks.append("several processes may run: nsys records all of each, not only the steps")
    if tool is not None and not has_gpu():
        remarks.append("no NVIDIA driver was found: nsys will see marks and no kernels")
    return remarks


def _anew(started: ProgramLaunch) -> str:
    """Why the first steps may take longer than usual, and how to avoid that."""
    if started.plan.why:
        return (
            "code is compiled anew, since the scheduler decides only then (--why); later runs"
            " without it find their own code in the cache"
        )
    begin = "code is compiled anew unless an earlier capture left it in the cache"
    if not started.plan.provenance:
        return f"{begin}: C++ kernels need TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE to be seen"
    return (
        f"{begin}: it says what it comes from (provenance);"
        " --no-provenance keeps the program's own cache, and gives fewer source lines"
    )


def _names(folder: Path | None) -> list[str]:
    if folder is None or not folder.is_dir():
        return []
    return [path.name for path in folder.iterdir()]
