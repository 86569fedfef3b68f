"""JSON: all tables in one document, and back.

Gives `{"format": "kernelmap.correlation", "version": 1, "summary": {…}, "ledger": […], …,
"notices": […]}`, one row per line so that a person can search it and a version control can
compare it; numbers are exact. The long tables (launches, invocations) stand in it on request.
Other documents, such as the answer of one command, are indented JSON.

Versions: 1: first.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import msgspec
from msgspec.structs import replace

from kernelmap.errors import KernelmapError, unreadable
from kernelmap.model import Notice
from kernelmap.model.paths import RESULT, read_bytes
from kernelmap.model.savings import Savings
from kernelmap.tables.build import Tables, adding_up
from kernelmap.tables.configuration import Configuration
from kernelmap.tables.rows import Row, escape_unsound
from kernelmap.tables.schema import LATER, LAUNCHES, LONG, TABLES
from kernelmap.tables.summary import Summary
from kernelmap.tables.table import Table

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

FORMAT = "kernelmap.correlation"
VERSION = 1

_Kind = TypeVar("_Kind")
_MOVING = re.compile(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U00013438\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
"""What moves a cursor or changes the order of letters, as far as JSON does not escape it anyway."""
_UNSOUND = (msgspec.DecodeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What comes up where a document has other keys, types or numbers than ours."""


def write_json(tables: Tables, handle: BinaryIO, *, launches: bool = False) -> None:
    """Write the document to `handle`, row by row."""
    handle.writelines(map(escape_in_json, _iter_parts(tables, launches=launches)))


def dump_json(tables: Tables, *, launches: bool = False) -> str:
    """The document as one text."""
    buffer = io.BytesIO()
    write_json(tables, buffer, launches=launches)
    return buffer.getvalue().decode()


def read_json(path: Path) -> Tables:
    """The tables of a saved document; raises KernelmapError where the file is none."""
    try:
        raw = read_bytes(path, RESULT)
    except OSError as error:
        raise unreadable(path, error) from error
    return load_json(raw, name=str(path))


def load_json(raw: bytes, *, name: str = "the document") -> Tables:
    """The tables of a document; `name` is what errors call it."""
    try:
        parts = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        form = _decode_part(parts, "format", str)
        version = _decode_part(parts, "version", int)
        if (form, version) != (FORMAT, VERSION):
            raise _not_a_correlation(name, f"its format is {form!r}, version {version}")
        # The long tables are in the file on request only; all others have to be there.
        frames = {
            table.name: _read_frame(table, parts)
            for table in TABLES.values()
            if table.name not in LONG or table.name in parts
        }
        long = {name: partial(_same_frame, frames.pop(name)) for name in LONG if name in frames}
        # Files of earlier versions have none. Where the inputs lie now is not known.
        saved = None if _lacks_table("savings", parts) else _decode_part(parts, "savings", Savings)
        saved = saved and replace(saved, command="")
        configuration = (
            Configuration()
            if _lacks_table("configuration", parts)
            else _decode_part(parts, "configuration", Configuration)
        )
        tables = Tables(
            summary=_decode_part(parts, "summary", Summary),
            frames=frames,
            without=tuple(name for name in LATER if _lacks_table(name, parts)),
            notices=_decode_part(parts, "notices", tuple[Notice, ...]),
            make_launches=long.get("launches"),
            make_invocations=long.get("invocations"),
            find_savings=lambda: saved,
            find_configuration=lambda: configuration,
        )
        return adding_up(tables)
    except _UNSOUND as error:
        raise _not_a_correlation(name, str(error)) from error


def _iter_parts(tables: Tables, *, launches: bool) -> Iterator[bytes]:
    encode = msgspec.json.encode
    asked = {*tables.held, LAUNCHES.name} if launches else set(tables.frames)
    yield b'{\n"format": %b,\n"version": %b' % (encode(FORMAT), encode(VERSION))
    yield b',\n"summary": ' + encode(tables.summary)
    for table in TABLES.values():
        # Null stands for a table that nobody asked for, an empty list for one without rows.
        if table.name in tables.without:
            yield b",\n%b: null" % encode(table.name)
        elif table.name in asked:
            yield b",\n%b: [" % encode(table.name)
            separator = b"\n"
            # Row by row, so that the text of a long table is never held as a whole.
            for row in tables.rows(table.name):
                yield separator + encode(row)
                separator = b",\n"
            yield b"\n]" if separator == b",\n" else b"]"
    yield b',\n"savings": ' + encode_json(tables.savings)
    configuration = tables.configuration if tables.configuration.is_stated else None
    yield b',\n"configuration": ' + encode_json(configuration)
    yield b',\n"notices": ' + encode(tables.notices) + b"\n}\n"


def _decode_part(parts: Mapping[str, msgspec.Raw], key: str, kind: type[_Kind]) -> _Kind:
    return msgspec.json.decode(parts[key], type=kind)


def _read_frame(table: Table, parts: Mapping[str, msgspec.Raw]) -> pd.DataFrame:
    """One table; a column that a file of an earlier kernelmap lacks is null where it may be."""
    from kernelmap.tables.frames import frame_of_rows

    # A column that may not be null has to be in the file.
    absent: Row = dict.fromkeys(name for name, c in table.by_name.items() if c.nullable)
    lacks = table.name in LATER and _lacks_table(table.name, parts)
    rows = [] if lacks else _decode_part(parts, table.name, list[Row])
    return frame_of_rows(table, [absent | row for row in rows])


def _lacks_table(name: str, parts: Mapping[str, msgspec.Raw]) -> bool:
    """Whether a file is without a table: null, or not there in one of an earlier kernelmap."""
    return name not in parts or bytes(parts[name]) == b"null"


def _same_frame(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _not_a_correlation(name: str, reason: str) -> KernelmapError:
    return KernelmapError(
        "not-a-correlation",
        f"{name} is no correlation that kernelmap saved: {reason}",
        "Give a .json file that `correlate` wrote with -o.",
    )


def indent_json(value: object) -> str:
    """One record or dict as indented text that ends in a newline, for commands with one answer.

    What UTF-8 cannot hold (odd bytes of a path) becomes escapes, as in the tables.
    """
    return escape_in_json(msgspec.json.format(encode_json(value), indent=2)).decode() + "\n"


def encode_json(value: object) -> bytes:
    """A value as JSON; what UTF-8 cannot hold becomes escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_escape_value(msgspec.to_builtins(value)))


def _escape_value(value: object) -> object:
    if isinstance(value, str):
        return escape_unsound(value)
    if isinstance(value, dict):
        return {_escape_value(key): _escape_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escape_value(item) for item in value]
    return value


def escape_in_json(raw: bytes) -> bytes:
    r"""JSON of the same value in which no character moves a cursor or turns letters around.

    >>> escape_in_json('"a\u202eb"'.encode())
    b'"a\\u202eb"'
    """
    if raw.isascii():
        return raw
    return _MOVING.sub(_json_escape, raw.decode()).encode()


def _json_escape(char: re.Match[str]) -> str:
    """A character as JSON escapes it: in one or two units of UTF-16."""
    units = char[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
