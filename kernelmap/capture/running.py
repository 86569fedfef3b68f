"""Runs the user's program as if started alone, with Nsight Systems around it or not.

It has our terminal, our open files and our process group. What the terminal sends, such as Ctrl-C,
reaches the whole group, and so the program; what a process sends to our id is passed on. Signals
are held back rather than handled: none is lost between two instructions, and the system says who
sent it. Whoever sends to the whole group reaches the program twice.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kernelmap.errors import UsageError
from kernelmap.model.bundle import PARTIAL, REPORT, SQLITE
from kernelmap.model.marks import DOMAIN, RECORDED

_BY_SIGNAL = 128  # what shells add to the number of the signal that ended a program
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
# Windows has two
PASSED_ON = frozenset(number for number in signal.Signals if number.name in _NAMES)
_LATE = tuple(number for number in PASSED_ON if number.name not in ("SIGINT", "SIGTERM"))
_OF_PYTHON = tuple(number for number in signal.Signals if number.name in ("SIGPIPE", "SIGXFSZ"))
"""What Python ignores in itself, and no program that it starts shall."""

_TRACE = ("--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node")
_RANGE = (
    "--capture-range=nvtx",
    f"--nvtx-capture={RECORDED}@{DOMAIN}",
    "--capture-range-end=stop",
)
NSYS_ENVIRONMENT = {"NSYS_NVTX_PROFILER_REGISTER_ONLY": "0"}
"""A variable that the program needs: nsys else knows the range only by a registered text."""
_DRIVER = Path("/proc/driver/nvidia/version")
_LOOK_AGAIN_S = 0.2
"""A thread of a library, which holds nothing back, may take the news of the program's end."""


def run_program(
    command: Sequence[str],
    environment: Mapping[str, str],
    started: Callable[[], None] = lambda: None,
) -> int:
    """Run `command` on our stdin, stdout and stderr; its exit code, 128 + n after signal n.

    `started` is called as soon as the program runs. Raises UsageError where it cannot be started.
    """
    if sys.platform == "win32":
        return _run_on_windows(command, environment, started)
    with _held() as usual:
        try:
            pid = os.posix_spawnp(
                command[0],
                list(command),
                dict(environment),
                setsigmask=usual,
                setsigdef=_OF_PYTHON,
            )
        except (OSError, ValueError) as error:  # a NUL in a word is a ValueError
            raise not_started(command[0], error) from error
        started()
        code = _accompany(pid)
    return code if code >= 0 else _BY_SIGNAL - code


def not_started(program: str, error: Exception) -> UsageError:
    """The error for a program that the system does not start."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return UsageError(
        "command-not-started",
        f"{program} cannot be started: {reason}",
        "Check its spelling; a script that is not executable needs `python` before it.",
    )


@contextmanager
def late_signals_ignored() -> Iterator[None]:
    """Let signals that come when the program has ended do nothing to us.

    SIGINT and SIGTERM still interrupt us. A signal that we were started to ignore stays ignored.
    """
    with ExitStack() as handlers:
        for number in _LATE:
            if signal.getsignal(number) is not signal.SIG_IGN:
                # A handler, not SIG_IGN: a program that is started inherits what is ignored.
                before = signal.signal(number, lambda _number, _frame: None)
                handlers.callback(signal.signal, number, before)
        yield


@contextmanager
def _held() -> Iterator[set[signal.Signals | int]]:
    """Hold back what is passed on, and the news of the program's end; gives the mask before.

    What comes after the program's end was meant for it, and is dropped.
    """
    heard = {*PASSED_ON, signal.SIGCHLD}
    # Children of whoever ignores SIGCHLD leave no exit code.
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    usual = set(signal.pthread_sigmask(signal.SIG_BLOCK, heard))
    try:
        yield usual
    finally:
        # A signal may come in while another one is dropped.
        while pending := signal.sigpending() & heard:
            _drop(pending)
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        signal.signal(signal.SIGCHLD, children)


def _drop(pending: set[signal.Signals]) -> None:
    """Take one of these; a thread of a library may have taken it before."""
    if hasattr(signal, "sigtimedwait"):
        signal.sigtimedwait(pending, 0)
    else:
        signal.sigwait(pending)


def _accompany(pid: int) -> int:
    """Pass signals on until the program ends; its exit code, -n after signal n."""
    heard = {*PASSED_ON, signal.SIGCHLD}
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        number = _next_for(pid, heard)
        if number is not None:
            os.kill(pid, number)


def _next_for(pid: int, heard: set[signal.Signals]) -> int | None:
    """Wait for one signal, not for long; its number where the program has not had it yet."""
    if hasattr(signal, "sigtimedwait"):
        received = signal.sigtimedwait(heard, _LOOK_AGAIN_S)
        if received is None:
            return None
        # A code above 0 says that the kernel sent it, as for a key on the terminal: the program has
        # had that one too. What the program sends to us is not sent back to it.
        number, by_process = received.si_signo, received.si_code <= 0 and received.si_pid != pid
    else:  # macOS does not say who sent it
        number = signal.sigwait(heard)
        # A key on a terminal that has our group in front reaches the program by itself.
        by_process = number not in (signal.SIGINT, signal.SIGQUIT) or not _is_in_front()
    return number if by_process and number != signal.SIGCHLD else None


def _is_in_front() -> bool:
    """Whether the terminal sends our process group what is typed."""
    try:
        return os.tcgetpgrp(sys.__stdin__.fileno()) == os.getpgrp() if sys.__stdin__ else False
    except (OSError, ValueError):
        return False


def _run_on_windows(
    command: Sequence[str], environment: Mapping[str, str], started: Callable[[], None]
) -> int:
    """The console sends Ctrl-C to the program too; it ends the program and not us."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        process = subprocess.Popen(command, env=dict(environment))  # noqa: S603 -- the user's own command
        started()
        return process.wait()
    except OSError as error:
        raise not_started(command[0], error) from error
    finally:
        signal.signal(signal.SIGINT, before)


def find_nsys() -> str:
    """The path of nsys. Raises UsageError where there is none."""
    path = shutil.which("nsys")
    if path is None:
        raise UsageError(
            "nsys-missing",
            "nsys is not on PATH",
            "Install Nsight Systems (package nsight-systems), or use --profiler kineto.",
        )
    return path


def has_gpu() -> bool:
    """Whether an NVIDIA driver is there, and with it kernels to see."""
    return _DRIVER.exists() or shutil.which("nvidia-smi") is not None


def under_nsys(nsys: str, command: Sequence[str], folder: Path, *, ranged: bool) -> tuple[str, ...]:
    """`command` under nsys, its report in `folder`; `ranged` records only that range.

    Where several processes open it, the first to end its own would end the recording of all.
    """
    where = ("--output", str(folder / Path(REPORT).stem), "--force-overwrite=true")
    return (nsys, "profile", *_TRACE, *(_RANGE if ranged else ()), *where, *command)


def export_report(nsys: str, folder: Path) -> str | None:
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
        output = (done.stderr or done.stdout).strip().splitlines()
        return f"nsys export failed: {output[-1] if output else f'exit code {done.returncode}'}"
    partial.replace(folder / SQLITE)
    return None
