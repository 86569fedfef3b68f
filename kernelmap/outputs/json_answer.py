"""One record or dict → indented JSON, for the commands that answer one question.

Left out: whole results, which json.py writes. What UTF-8 cannot hold (odd bytes of a path) becomes
escapes, as in the tables.
"""

from __future__ import annotations

import msgspec

from kernelmap.views.frames import sound


def dumps(value: object) -> str:
    """The value as text that ends in a newline."""
    try:
        raw = msgspec.json.encode(value)
    except UnicodeEncodeError:
        raw = msgspec.json.encode(_sound(msgspec.to_builtins(value)))
    return msgspec.json.format(raw, indent=2).decode() + "\n"


def _sound(value: object) -> object:
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(each) for each in value]
    return value
