"""A program under `capture`: signals, exit codes and the terminal are its own, not ours."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from children import interruptible
from kernelmap.capture import command, running
from kernelmap.capture.command import capture_command
from kernelmap.capture.plan import Plan
from kernelmap.capture.running import PASSED_ON
from kernelmap.model.bundle import is_bundle

ROOT = Path(__file__).resolve().parent.parent.parent
HEARS = """
import os, signal, sys, time
heard = []
def hear(number, frame):
    heard.append(number)
    print(signal.Signals(number).name, flush=True)
if "handle" in sys.argv:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
                   signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, hear)
print("ready", os.getpid(), flush=True)
deadline = time.monotonic() + 60
while not heard and time.monotonic() < deadline:
    time.sleep(0.01)
time.sleep(0.3)  # for one that comes twice
sys.exit(7 + len(heard))
"""
BETWEEN = """
import os, sys
from kernelmap.capture.running import run_program
sys.exit(run_program([sys.executable, *sys.argv[1:]], os.environ))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "hears.py"
    path.write_text(HEARS)
    return path


def start(
    *arguments: str,
    stdin: int = subprocess.DEVNULL,
    before: Callable[[], None] = interruptible,
) -> subprocess.Popen[str]:
    """This Python between us and a program."""
    return subprocess.Popen(  # noqa: S603 -- our own code
        [sys.executable, "-c", BETWEEN, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=stdin,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=before,  # noqa: PLW1509 -- no threads run here
    )


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.sampled
@pytest.mark.parametrize("number", sorted(PASSED_ON))
@pytest.mark.parametrize("how", ["handle", "default"])
def test_a_signal_to_us_reaches_the_program_once(
    number: signal.Signals, how: str, program: Path
) -> None:
    """It may handle it, or end by it; either way nothing of it is left, and its code is ours."""
    between = start(str(program), how)
    assert between.stdout is not None
    with between:
        pid = int(between.stdout.readline().split()[1])
        between.send_signal(number)
        said = between.stdout.read()

    code = between.returncode if how == "handle" else between.returncode - number
    assert (said, code) == ((f"{number.name}\n", 8) if how == "handle" else ("", 128)) or (
        # Python itself handles SIGINT, and then ends by it.
        (how, number, between.returncode) == ("default", signal.SIGINT, 130)
    )
    assert is_gone(pid)


def take_terminal() -> None:
    """For `preexec_fn`: stdin is the terminal of a new session, which we are in front of."""
    interruptible()
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_what_the_terminal_sends_reaches_the_program_once(program: Path) -> None:
    """Ctrl-C goes to the whole group already."""
    ours, theirs = pty.openpty()
    between = start(str(program), "handle", stdin=theirs, before=take_terminal)
    os.close(theirs)
    assert between.stdout is not None
    with between:
        assert between.stdout.readline().startswith("ready")
        os.write(ours, b"\x03")
        said = between.stdout.read()
    os.close(ours)

    assert (said, between.returncode) == ("SIGINT\n", 8)


@pytest.mark.skipif(not hasattr(signal, "sigtimedwait"), reason="the system has no sigtimedwait")
def test_the_end_is_seen_where_its_signal_is_lost() -> None:
    """Nothing holds SIGCHLD back here, so the system drops it, as threads of libraries do."""
    ending = "import time; time.sleep(0.3); raise SystemExit(7)"
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", ending], os.environ)

    assert running._accompany(pid) == 7  # noqa: SLF001 -- what waits for the program


def test_the_exit_code_is_known_below_who_ignores_the_end_of_children() -> None:
    """A daemon may have its children's children leave no exit code."""

    def ignore() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    between = start("-c", "raise SystemExit(5)", before=ignore)
    between.communicate()

    assert between.returncode == 5


def test_files_that_a_shell_has_opened_are_the_program_s(tmp_path: Path) -> None:
    """A program may write to file 9, as without us."""
    said = tmp_path / "said"
    handle = os.open(said, os.O_WRONLY | os.O_CREAT)
    script = "import os; os.write(int(os.environ['HANDLE']), b'heard')"
    done = subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, "-c", BETWEEN, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HANDLE": str(handle)},
        pass_fds=[handle],
        check=False,
    )
    os.close(handle)

    assert (done.returncode, said.read_text()) == (0, "heard")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "what",
    ["rm -r b", "rm -r b; touch b", "rm b/manifest.toml; mkdir -p b/manifest.toml/x", "mv b c"],
)
def test_the_exit_code_is_kept_whatever_becomes_of_the_bundle(tmp_path: Path, what: str) -> None:
    """A bundle that a program takes away is a note and no more."""
    done = subprocess.run(  # noqa: S603 -- our own code
        [
            sys.executable,
            *("-c", "from kernelmap.cli import main; main()"),
            *("capture", "-o", "b", "--", "sh", "-c", f"{what}; exit 5"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 5
    assert "note: b could not be finished" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "failure",
    [OSError(28, "No space left on device"), MemoryError(), KeyboardInterrupt(), ValueError("odd")],
    ids=lambda error: type(error).__name__,
)
def test_what_fails_after_the_program_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    """Whatever fails, the exit code is the program's, and what was recorded stays."""

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(command, "finished", fail)
    done = capture_command(["sh", "-c", "exit 6"], tmp_path / "b", Plan())

    assert (done.exit_code, done.manifest) == (6, None)
    assert done.why
    assert is_bundle(tmp_path / "b")
