"""A file of code in tlparse's output → the code with what the numbered files beside it say.

tlparse writes each artifact of a log into a folder per compilation, `-_0_0_1` for `0/0_1`, and puts
the artifact's place in the log into the name: `inductor_post_grad_graph_12.txt`. So the files in
the order of their numbers are the log's events, and are read as such, with those of the attempts
that failed before. Left out: `raw.log`, which is
read as the log that it is, and all that tlparse made for the eye.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from kernelmap.compiler.facts import Reading
from kernelmap.compiler.logs.events import LogEvent, LoggedEvent
from kernelmap.compiler.logs.torch_trace import code_of, place_of
from kernelmap.model.paths import read_bytes

_FOLDER = re.compile(
    r"(?:(?P<compiled_autograd_id>-|\d+)_)?"
    r"(?P<frame_id>-|\d+)_(?P<frame_compile_id>-|\d+)_(?P<attempt>-|\d+)"
)
_FILE = re.compile(r"(?P<name>.+)_(?P<number>\d+)\.(?:txt|json|html)")
_CODE = "inductor_output_code"
_LOG = "raw.log"
_STRENGTH = 11  # A page holds a copy; the log that it was made of knows the code's own path.


def read_numbered(path: Path, text: str) -> Reading | None:
    """The code `text` of the file `path` with its facts; None where `path` is no such file."""
    folder = _FOLDER.fullmatch(path.parent.name)
    if folder is None or _FILE.fullmatch(path.name) is None:
        return None
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        return None  # The file can be read and its folder cannot: then it stands alone.
    # Attempts that failed before this one have folders of their own and come first.
    earlier = [path for attempt in _earlier_attempts(path.parent) for path in attempt.iterdir()]
    reading = code_of(_iter_events(path, [*earlier, *beside], text), path.parent)
    texts = [
        # Placed as in the log, so that the ids of graphs are the same from either.
        replace(text, strength=_STRENGTH, place=place_of(path.parent.parent / _LOG))
        for text in reading.texts
        if text.code == str(path)
    ]
    files = (e for e in (*earlier, *beside) if _FILE.fullmatch(e.name) and e != path)
    return Reading(tuple(texts), reading.notices, reading.compilations, beside=tuple(files))


def _ids_of_folder(folder: Path) -> dict[str, int]:
    """What the name of a compilation's folder says, without what is `-`; nothing of another."""
    match = _FOLDER.fullmatch(folder.name)
    numbers = match.groupdict("-") if match else {}
    return {name: int(number) for name, number in numbers.items() if number != "-"}


def _earlier_attempts(folder: Path) -> list[Path]:
    """The folders of the attempts before this one: they say why there had to be another."""
    ids_here = _ids_of_folder(folder)
    attempt = ids_here.get("attempt", 0)
    try:
        return [
            other
            for other in sorted(folder.parent.iterdir())
            # The same compilation with a lower attempt.
            if (ids := _ids_of_folder(other)).get("attempt", attempt) < attempt
            and {**ids, "attempt": attempt} == ids_here
            and os.access(other, os.R_OK | os.X_OK)
            and other.is_dir()
        ]
    except OSError:
        return []


def _iter_events(code: Path, files: Sequence[Path], text: str) -> Iterator[LoggedEvent]:
    """The events of one compilation, in the order of the log; other code without its text."""
    # The numbers in the names are the order in which the log had the events.
    matches = ((_FILE.fullmatch(path.name), path) for path in files)
    for number, name, path in sorted(
        (int(match["number"]), match["name"], path) for match, path in matches if match
    ):
        if name.startswith(_CODE):
            # The event names this file as the code's place, by which it is found among the results.
            event: dict[str, object] = {_CODE: {"filename": str(path)}}
            # Other code of the same compilation is an event
            # without text: it ends what belongs to the last.
            payload = text.encode("utf-8", "replace") if path == code else b""
        else:
            event = {"artifact": {"name": name}}
            payload = _payload_of_file(path)
        yield LoggedEvent(
            msgspec.convert(event | _ids_of_folder(path.parent), LogEvent), number, payload
        )


def _payload_of_file(path: Path) -> bytes:
    try:
        return read_bytes(path) if path.suffix != ".html" else b""
    except OSError:
        return b""  # What cannot be read is missing, as it is where it was not copied.
