"""What a page about one call, op, line or graph is called, and which rows of the store it means.

A call goes by its fingerprint, so that it is found again when its name or place changed; an op by
its name, a graph by its id, a line by its file and text, or its number where the text is not known.
The rule for lines stands here only: `file TAB code`, `file TAB #number`, or the file alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kernelmap.dashboard.address import Address

PAGE = "item"
TABLES: Mapping[str, str] = {"call": "calls", "op": "ops", "line": "lines", "graph": "graphs"}
"""The table that has the rows of a kind."""

_COLUMNS: Mapping[str, str] = {"call": "fingerprint", "op": "name", "graph": "graph"}
_APART, _NUMBER = "\t", "#"  # no line of code that runs begins with #
Where: TypeAlias = "Mapping[str, str | int | None]"


def item(kind: str, row: Mapping[str, object]) -> Address | None:
    r"""The address of what a row of `TABLES[kind]` is about; None where the row names nothing.

    >>> item("line", {"file": "a.py", "line": 3, "code": None}).key
    'a.py\t#3'
    """
    if kind == "line":
        return Address(page=PAGE, kind=kind, key=line_key(row["file"], row["line"], row["code"]))
    key = row[_COLUMNS[kind]]
    return Address(page=PAGE, kind=kind, key=key) if isinstance(key, str) and key else None


def line_key(file: object, line: object, code: object) -> str:
    r"""The key of a source line; `line` and `code` are None where they are not known.

    >>> line_key("a.py", 3, "x = y + 1")
    'a.py\tx = y + 1'
    """
    if isinstance(code, str):
        return f"{file}{_APART}{code}"
    return str(file) if line is None else f"{file}{_APART}{_NUMBER}{line}"


def rows_of(kind: str | None, key: str | None) -> tuple[str, Where] | None:
    r"""The table and what its rows equal, as Store.history takes them; None for no known kind.

    >>> rows_of("line", "a.py\tx = y + 1")
    ('lines', {'file': 'a.py', 'code': 'x = y + 1'})
    """
    if kind is None or kind not in TABLES or not key:
        return None
    if kind != "line":
        return TABLES[kind], {_COLUMNS[kind]: key}
    file, apart, rest = key.partition(_APART)
    if not apart:
        return TABLES[kind], {"file": file, "line": None, "code": None}
    number = rest.removeprefix(_NUMBER)
    if number != rest and number.isascii() and number.isdecimal():
        return TABLES[kind], {"file": file, "line": int(number), "code": None}
    return TABLES[kind], {"file": file, "code": rest}
