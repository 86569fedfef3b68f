"""Plain values → TOML text; the standard library only reads it.

Takes texts, whole numbers, truth values, lists of them, tables of them, and lists of tables at the
top. None is left out: a missing key is how a manifest says that something is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping


def dumps(values: Mapping[str, object]) -> str:
    """`values` as a TOML document; plain keys stand first, as TOML wants it."""
    return "\n".join(_lines(values)) + "\n"


def _lines(values: Mapping[str, object]) -> Iterator[str]:
    plain = {key: value for key, value in values.items() if not _is_nested(value)}
    yield from _pairs(plain)
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ("", f"[{_key(key)}]", *_pairs(value))
        elif _is_nested(value) and isinstance(value, list):
            for table in value:
                yield from ("", f"[[{_key(key)}]]", *_pairs(table))


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
    )


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _text(str(value))


def _text(text: str) -> str:
    r"""A basic string: JSON's escapes are TOML's, but DEL must be escaped and halves of pairs go.

    >>> _text('a "b"\x7f')
    '"a \\"b\\"\\u007f"'
    """
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
