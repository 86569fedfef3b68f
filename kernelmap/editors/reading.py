"""The process that reads one recording for an editor, and ends: `python -m` runs this file."""

from __future__ import annotations

import sys

import msgspec

from kernelmap.commands import command
from kernelmap.editors.from_result import lines_of_result
from kernelmap.editors.recorded import RecordedLines
from kernelmap.editors.worker import ReadLines, WantedLines
from kernelmap.errors import KernelmapError, unforeseen
from kernelmap.history.store.store import Store
from kernelmap.model.paths import reading_only
from kernelmap.pipeline import correlate


def read_lines(wanted: WantedLines) -> ReadLines:
    """Read the recording; whatever is wrong with it is said and not raised.

    No program is started for it, and no link is followed out of its folders.
    """
    try:
        with reading_only(wanted.folders):
            return ReadLines(lines=_read(wanted))
    except KernelmapError as error:
        return ReadLines(trouble=f"{error.message}. {error.hint}")
    except Exception as error:  # noqa: BLE001 -- nothing that an input does may end in a traceback
        known = unforeseen(error)
        return ReadLines(trouble=f"{known.message}. {known.hint}")


def _read(wanted: WantedLines) -> RecordedLines:
    found = wanted.found
    if found.store is not None and found.run is not None:
        run = Store(found.store).open(found.run)
        again = command("--store", found.store, "runs", "show", found.run, "-o", "report.html")
        return lines_of_result(run, found.name, again, anyway=wanted.anyway)
    result = correlate(*found.inputs, options=wanted.options)
    again = result.again("correlate", "--open")
    return lines_of_result(result, found.name, again, anyway=wanted.anyway)


if __name__ == "__main__":
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=WantedLines)
    sys.stdout.buffer.write(msgspec.json.encode(read_lines(asked)))
