"""Has one recording read in a process of its own, so that the editor never waits.

What is asked goes as JSON to the standard input of reading.py, the answer comes as JSON from its
standard output. When it ends, the memory that a large recording takes is given back.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from kernelmap.editors.finding import FoundRecording
from kernelmap.editors.recorded import RecordedLines
from kernelmap.options import Options, Side

_READER = "kernelmap.editors.reading"


class WantedLines(Struct, frozen=True, kw_only=True):
    """What to read, and the choices of the correlation; paths as text.

    `anyway` asks for figures of a recording that cannot bear them.
    """

    found: FoundRecording
    steps: tuple[int, int] | None = None
    side: str = Side.AUTO.value
    cache_dir: str | None = None
    like: tuple[str, ...] = ()
    device_limits: str | None = None
    anyway: bool = False

    @property
    def options(self) -> Options:
        """The same as a correlation takes them; only what lines need is worked out."""
        return Options(
            steps=self.steps,
            side=Side(self.side),
            cache_dir=None if self.cache_dir is None else Path(self.cache_dir),
            like=tuple(map(Path, self.like)),
            device_limits=None if self.device_limits is None else Path(self.device_limits),
            wall=False,
            memory=False,
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """What may be read: what was named, and what lies beside files that were."""
        named = (self.cache_dir, self.device_limits, self.found.store)
        paths = [Path(it) for it in (*self.found.inputs, *self.like, *named) if it is not None]
        return tuple(path if path.is_dir() else path.parent for path in paths)


class ReadLines(Struct, frozen=True, kw_only=True):
    """What was read, or why nothing was, and what to do."""

    lines: RecordedLines | None = None
    trouble: str | None = None


async def read_in_worker(wanted: WantedLines) -> ReadLines:
    """Read a recording in a process, which ends with whoever waits for it."""
    # -P: what lies in the folder of the editor is not imported in place of a package.
    words = (sys.executable, "-P", "-m", _READER)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe)
    try:
        answer, _ = await process.communicate(msgspec.json.encode(wanted))
        return msgspec.json.decode(answer, type=ReadLines)
    except msgspec.DecodeError:
        code = process.returncode
        return ReadLines(trouble=f"reading {wanted.found.name} ended with exit code {code}")
    finally:
        if process.returncode is None:
            process.kill()
