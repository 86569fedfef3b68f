"""The command lines of Nsight Systems: profile a command, export its report to SQLite."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from kernelmap.errors import UsageError
from kernelmap.model.bundle import PARTIAL, REPORT, SQLITE

_TRACE = ("--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node")
RECORDED = "recorded"
"""The text of the range, in the domain of the marks, between whose ends nsys records."""
_RANGE = (
    "--capture-range=nvtx",
    f"--nvtx-capture={RECORDED}@kernelmap",
    "--capture-range-end=stop",
)
ENVIRONMENT = {"NSYS_NVTX_PROFILER_REGISTER_ONLY": "0"}
"""What the program must be told: nsys else only knows the range by a text that is registered."""
_DRIVER = Path("/proc/driver/nvidia/version")


def find_nsys() -> str:
    """The path of nsys. Raises UsageError where there is none."""
    found = shutil.which("nsys")
    if found is None:
        raise UsageError(
            "nsys-missing",
            "nsys is not on PATH",
            "Install Nsight Systems (package nsight-systems), or use --profiler kineto.",
        )
    return found


def has_gpu() -> bool:
    """Whether an NVIDIA driver is there, and with it kernels to see."""
    return _DRIVER.exists() or shutil.which("nvidia-smi") is not None


def profiled(nsys: str, command: Sequence[str], folder: Path, *, ranged: bool) -> tuple[str, ...]:
    """`command` under nsys, its report in `folder`; `ranged` records only that range.

    Where several processes open it, the first to end its own would end the recording of all.
    """
    where = ("--output", str(folder / Path(REPORT).stem), "--force-overwrite=true")
    return (nsys, "profile", *_TRACE, *(_RANGE if ranged else ()), *where, *command)


def export(nsys: str, folder: Path) -> str | None:
    """Export the report in `folder` to SQLite; gives why that failed, None where it worked."""
    report = folder / REPORT
    if not report.is_file():
        return "nsys wrote no report"
    partial = folder / f"{SQLITE}{PARTIAL}"
    command = (nsys, "export", "--type=sqlite", "--force-overwrite=true")
    done = subprocess.run(  # noqa: S603 -- the nsys that the user has on PATH
        [*command, f"--output={partial}", str(report)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode or not partial.is_file():
        said = (done.stderr or done.stdout).strip().splitlines()
        return f"nsys export failed: {said[-1] if said else f'exit code {done.returncode}'}"
    partial.replace(folder / SQLITE)
    return None
