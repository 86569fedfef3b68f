"""Consoles and disks that take nothing more: one clear line and an exit code, never a traceback."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

RUN = "import sys; from kernelmap.cli import main; main(sys.argv[1:])"
FULL = Path("/dev/full")
UNCACHED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Where files may not grow, half of a cached module would stay."""
SMALL = 1000  # bytes that a file may have where the disk is said to be full

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")


def kernelmap(
    *args: object, redirected: str = "", before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command, with redirections as a shell does them."""
    words = ["exec", '"$0"', "-c", '"$RUN"', '"$@"', redirected]
    return subprocess.run(  # noqa: S603 -- our own code
        ["/bin/sh", "-c", " ".join(words), sys.executable, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
        env={**os.environ, "RUN": RUN, **UNCACHED},
        timeout=60,
    )


@pytest.fixture
def inputs(samples: Path) -> tuple[Path, Path]:
    folder = samples / "thread_lift_fresh"
    return folder / "output_code.py", folder / "profile_gpu_only.json.gz"


@needs_full
@pytest.mark.parametrize(
    "command",
    [("correlate",), ("correlate", "--format", "json", "--launches"), ("inspect",)],
    ids=" ".join,
)
def test_a_full_disk_behind_stdout_is_said(
    command: tuple[str, ...], inputs: tuple[Path, Path]
) -> None:
    """`kernelmap … > file` on a full disk is wrong usage, said in one line."""
    done = kernelmap(
        *command, *inputs[: 1 if command == ("inspect",) else 2], redirected="> /dev/full"
    )

    assert done.returncode == 2
    assert "error: standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@needs_full
@pytest.mark.parametrize("args", [("--help",), ("--version",), ("correlate", "--help")])
def test_even_the_help_needs_a_place(args: tuple[str, ...]) -> None:
    """Help and version that cannot be written end in the same way."""
    done = kernelmap(*args, redirected="> /dev/full")

    assert done.returncode == 2
    assert "error: standard output cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_stdout_is_said(inputs: tuple[Path, Path]) -> None:
    """A console that was closed before the start is a place that cannot be written."""
    done = kernelmap("correlate", *inputs, redirected=">&-")

    assert done.returncode == 2
    assert "standard output cannot be written: Bad file descriptor" in done.stderr


@pytest.mark.parametrize("redirected", ["2>&-", "2> /dev/null"])
def test_without_stderr_the_result_is_printed(redirected: str, inputs: tuple[Path, Path]) -> None:
    """The result is printed although notes cannot be."""
    done = kernelmap("correlate", *inputs, redirected=redirected)

    assert (done.returncode, done.stderr) == (0, "")
    assert "original op" in done.stdout


def test_a_terminal_shows_how_far_reading_is(inputs: tuple[Path, Path]) -> None:
    """The file that is read, and megabytes of it; nothing of that where stderr is no terminal."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
    ours, terminal = pty.openpty()
    command = [sys.executable, "-c", RUN, "correlate", *map(str, inputs), "--format", "json"]
    with subprocess.Popen(  # noqa: S603 -- our own code
        command,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120", **UNCACHED},
    ) as running:
        os.close(terminal)
        said = b"".join(iter(lambda: _from_terminal(ours), b""))
    os.close(ours)

    assert running.returncode == 0
    assert b"correlating: profile_gpu_only.json.gz, 0.0 of 0.0 MB" in said
    assert "MB" not in kernelmap("correlate", *inputs, "--format", "json").stderr


def _from_terminal(end: int) -> bytes:
    """What a terminal was sent, empty when the other end is closed."""
    try:
        return os.read(end, 4096)
    except OSError:  # how Linux says so
        return b""


@pytest.mark.parametrize("args", [("correlate", "--by", "launch", "--top", "9999"), ("--help",)])
def test_a_reader_that_goes_is_quiet(args: tuple[str, ...], inputs: tuple[Path, Path]) -> None:
    """`| head -1` ends without a word."""
    given = inputs if "correlate" in args else ()
    done = kernelmap(*args, *given, redirected="2>/dev/full | true" if FULL.exists() else "| true")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.html", "r.md", "r.parquet", "tables"])
def test_a_full_disk_leaves_nothing_behind(
    name: str, inputs: tuple[Path, Path], tmp_path: Path
) -> None:
    """Whatever the format: the place is named, the exit code is 2, half a file does not stay."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, SMALL))

    by = () if name in ("tables", "r.html", "r.json") else ("--by", "launch", "--top", "5000")
    done = kernelmap("correlate", *inputs, "-o", tmp_path / name, *by, before=small_files)
    left = [path for path in tmp_path.rglob("*") if not path.is_dir()]

    assert done.returncode == 2, done.stderr
    assert f"error: {tmp_path / name} cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert all(path.stat().st_size <= SMALL and path.suffix == ".parquet" for path in left)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("x" * 300 + ".json", "File name too long"),
        ("x" * 300, "File name too long"),
        ("x" * 5000 + ".json", "File name too long"),
        ("code.txt/r.json", "does not exist"),
        ("nowhere/r.json", "does not exist"),
        ("file", "is a file, and a name without a suffix stands for a folder"),
        ("pipe.json", "is neither a file nor a folder"),
    ],
    ids=lambda it: it[:12],
)
def test_a_place_that_cannot_be_is_said(
    target: str, says: str, inputs: tuple[Path, Path], tmp_path: Path
) -> None:
    """Names that no system takes, files for folders, pipes: one line, exit code 2."""
    (tmp_path / "code.txt").touch()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe.json")
    done = kernelmap("correlate", *inputs, "-o", tmp_path / target)

    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_just_fits_is_taken(inputs: tuple[Path, Path], tmp_path: Path) -> None:
    """The half-written file needs no longer name than the whole one."""
    target = tmp_path / ("x" * 250 + ".json")
    done = kernelmap("correlate", *inputs, "-o", target)

    assert (done.returncode, target.is_file()) == (0, True)


@needs_full
def test_a_device_is_no_output(inputs: tuple[Path, Path]) -> None:
    """-o /dev/full is refused before anything is written."""
    done = kernelmap("correlate", *inputs, "-o", FULL)

    assert done.returncode == 2
    assert "a name without a suffix stands for a folder" in done.stderr
