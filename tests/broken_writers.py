"""Commands that write, each in a process that may be killed and whose disk may be full.

A process has everything imported when it begins, and says when it begins to write.
"""

from __future__ import annotations

import io
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from capture.bundle_world import recorded
from children import PROCESSES, start_server
from kernelmap.cli import main

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_traces" / "cpu_block"
INPUTS = (str(SAMPLE / "torch_trace.log"), str(SAMPLE / "profile.json.gz"))
_PRELOADED = (
    *("broken_writers", "kernelmap.pipeline", "kernelmap.annotating", "kernelmap.pages.write"),
    *(
        "kernelmap.history.store.recording",
        "kernelmap.history.store.store",
        "kernelmap.capture.command",
    ),
)
NO_SPACE = 9  # the exit code of a recorded program whose own disk is full
PROGRAM = f"""
import json, os, shutil, sys
from pathlib import Path
try:
    process = Path(json.loads(os.environ["KERNELMAP_CAPTURE"])["folder"], "rank_0")
    (process / "torch_trace").mkdir(parents=True)
    shutil.copyfile({INPUTS[0]!r}, process / "torch_trace" / "dedicated_log_torch_trace_0.log")
    shutil.copyfile({INPUTS[1]!r}, process / "trace.json.gz")
    said = {{"state": "complete", "first_step": 1, "last_step": 4, "graphs": 2}}
    (process / "process.json").write_text(json.dumps(said))
except OSError:
    sys.exit({NO_SPACE})
"""
OUTPUTS = {
    "record": "store",
    "annotate": "annotated.json.gz",
    "report": "report.html",
    "tables": "tables",
    "capture": "bundle",
}
"""What is written, by what is done; `tables` is `correlate -o` a folder."""


def arguments(kind: str) -> list[str]:
    """The command line of a kind; it runs in the folder of its attempt."""
    if kind == "capture":
        return ["capture", "--force", "-o", "bundle", "--", sys.executable, "program.py"]
    if kind == "record":
        return ["runs", "add", *INPUTS, "--store", "store"]
    command = {"tables": "correlate", "report": "correlate"}.get(kind, kind)
    return [command, *INPUTS, "-o", OUTPUTS[kind]]


@dataclass(frozen=True, slots=True)
class End:
    """How a command ended: its exit code, None where it was killed, and what it printed."""

    code: int | None
    out: str = ""
    err: str = ""


def prepare(folder: Path, kind: str, *, old: bool) -> None:
    """A new folder, with somebody's file and perhaps an older result in it."""
    folder.mkdir(parents=True)
    (folder / "thesis").write_text("years of work")
    (folder / "program.py").write_text(PROGRAM)
    place = folder / OUTPUTS[kind]
    if not old:
        return
    if kind == "capture":
        recorded(place)
    elif kind == "tables":
        place.mkdir()
        for name in ("ops.parquet", "calls.parquet", "mine"):
            (place / name).write_bytes(b"old")
    elif kind != "record":
        place.write_bytes(b"old")


class Attempt:
    """A command in a process of its own. `limit` is the largest file in bytes that its disk takes.

    `pid` is what the process believes its id to be.
    """

    def __init__(
        self, kind: str, folder: Path, *, limit: int | None = None, pid: int | None = None
    ) -> None:
        start_server(*_PRELOADED)
        self._pipe, theirs = PROCESSES.Pipe(duplex=False)
        given = (theirs, arguments(kind), folder, limit, pid)
        self._process = PROCESSES.Process(target=_run, args=given)
        self._process.start()
        theirs.close()

    def wait_until_it_writes(self) -> float:
        """When it made its first file; when it ended, where it made none."""
        with suppress(EOFError):
            while not self._pipe.poll(0.01) and self._process.is_alive():
                pass
            if self._pipe.poll():
                first = self._pipe.recv()
                if isinstance(first, End):
                    self._end = first
        return time.monotonic()

    def stop(self, number: signal.Signals) -> None:
        """Send a signal; SIGKILL takes the recorded program along."""
        assert self._process.pid is not None
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, number)
            if number == signal.SIGKILL:
                os.killpg(self._process.pid, number)

    def end(self) -> End:
        """Wait for the end."""
        end = getattr(self, "_end", End(None))
        with suppress(EOFError, OSError):
            while True:
                said = self._pipe.recv()
                if isinstance(said, End):
                    end = said
        self._process.join()
        return end


def _run(
    pipe: Connection, words: list[str], folder: Path, limit: int | None, pid: int | None
) -> None:
    """Run a command line; says when the first file is written, and how it ended."""
    os.setsid()
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(ROOT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    waiting = [True]

    def hear(event: str, values: tuple[object, ...]) -> None:
        if event == "open" and waiting and isinstance(values[2], int) and _writes(values):
            waiting.clear()
            pipe.send("writing")

    sys.addaudithook(hear)
    if pid is not None:
        setattr(os, "getpid", lambda: pid)  # noqa: B010 -- as in a container
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as ended:
            code = ended.code
        except BaseException:  # noqa: BLE001 -- a traceback is a finding, whatever it is
            err.write(traceback.format_exc())
    waiting.clear()
    pipe.send(End(code if isinstance(code, int) else -1, out.getvalue(), err.getvalue()))


def _writes(values: Sequence[object]) -> bool:
    """Whether a file of the attempt's own folder is opened to be written."""
    flags = values[2]
    assert isinstance(flags, int)
    if not flags & (os.O_WRONLY | os.O_RDWR):
        return False
    return isinstance(values[0], str | os.PathLike) and "/dev/" not in str(values[0])
