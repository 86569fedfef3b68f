"""Damage an input as chance has it: its bytes, its tokens, or what it is made of.

An input is a tree: files by their relative path. What a file is shows in its content, so that the
same engine damages all kinds: texts, JSON, gzip, SQLite, Parquet, zip, pickles, and one inside of
another. The same chance gives the same damage.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from fuzzing import databases, messages, packages

Tree = Mapping[str, bytes]
Damage = Callable[[bytes, Random], bytes]

_TOKEN = re.compile(rb"[A-Za-z_]\w*|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_ODD_BYTES = (b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\x1b[31m", b"\x80\x81")
_ODD_NUMBERS: tuple[bytes, ...] = (
    b"0",
    b"-1",
    b"9223372036854775807",
    b"9223372036854775808",
    b"1e308",
    b"1e999",
)
_ODD_NUMBERS += (b"18446744073709551616", b"-9223372036854775809", b"0.1", b"NaN", b"9" * 400)
_ODD_TEXTS: tuple[bytes, ...] = (
    b"",
    b"''",
    b'"',
    b"\\",
    b"\\ud800",
    b"{",
    b"]",
    b"(",
    b"#",
    b"\n\n",
    b"None",
    b"|",
)
_ODD_TEXTS += ("\u202e".encode(), "é日本".encode(), b"../..", b"%s", b"x" * 5000)
ODD_VALUES: tuple[Any, ...] = (None, True, 0, -1, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30)
ODD_VALUES += (1e308, 2e15, 0.5, "", "x", "\0", "\x1b[31m", "\u202e", "9" * 30, "a\nb", [], {})
ODD_VALUES += ([[]], {"a": {}}, [None], "../../x", "é" * 300, -1e30)
_PICKLED = re.compile(rb"X(.{3}\0)", re.DOTALL)  # the opcode of a text, and its length
_LONGEST = 4_000_000  # bytes of a file that is unpacked to be damaged inside


def damaged(tree: Tree, chance: Random, main: str = "") -> Tree:
    """The tree with some of its files damaged, mostly those with `main` in their path.

    Seldom one is missing, or another one stands in its place.
    """
    result = dict(tree)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        names = [name for name in sorted(result) if main in name]
        name = chance.choice(names if names and chance.random() < 0.9 else sorted(result))
        if chance.random() < 0.02:
            result[name] = result[chance.choice(sorted(result))]
        elif len(result) > 1 and chance.random() < 0.02:
            del result[name]
        else:
            result[name] = file(result[name], chance)
    return result


def file(data: bytes, chance: Random) -> bytes:
    """One file, damaged in one of the ways that its content allows."""
    ways = _ways(data)
    return chance.choice(ways)(data, chance) if data else chance.choice(_ODD_BYTES)


def _ways(data: bytes) -> tuple[Damage, ...]:
    for begin, ways in _BY_BEGIN.items():
        if data.startswith(begin):
            return in_bytes, *ways
    if data.lstrip()[:1] in (b"{", b"["):
        return in_bytes, in_tokens, in_json, in_json
    return in_bytes, in_tokens, in_tokens, in_lines


def in_bytes(data: bytes, chance: Random) -> bytes:
    """Flip, put in, take out, repeat or cut."""
    at = chance.randrange(len(data))
    end = min(len(data), at + chance.choice((1, 1, 2, 8, 64, 1024)))
    way = chance.randrange(6)
    if way == 0:
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if way == 1:
        return data[:at] + chance.choice(_ODD_BYTES + _ODD_TEXTS) + data[at:]
    if way == 2:
        return data[:at] + data[end:]
    if way == 3:
        return data[:end] + data[at:end] * chance.choice((1, 2, 50)) + data[end:]
    if way == 4:
        return data[:at] + chance.randbytes(end - at) + data[end:]
    return data[:at]


def in_tokens(data: bytes, chance: Random) -> bytes:
    """Put words and numbers of the text, or odd ones, into one another's places."""
    start = chance.randrange(len(data))
    near = data[max(0, start - 2000) : start + 2000]
    tokens = _TOKEN.findall(near)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(tokens))
        if tokens[at][:1].isdigit() and chance.random() < 0.7:
            tokens[at] = chance.choice(_ODD_NUMBERS)
        elif chance.random() < 0.4:
            tokens[at] = chance.choice(_ODD_TEXTS)
        else:
            tokens[at] = chance.choice(tokens)
    return data.replace(near, b"".join(tokens), 1)


def in_lines(data: bytes, chance: Random) -> bytes:
    """Put lines out of order, twice, or away."""
    lines = data.splitlines(keepends=True)
    first, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    way = chance.randrange(4)
    if way == 0:
        lines[first], lines[other] = lines[other], lines[first]
    elif way == 1:
        lines.insert(first, lines[other])
    elif way == 2:
        del lines[first : first + chance.choice((1, 3, 20))]
    else:
        lines[first] = lines[first].replace(b" ", b" " * chance.choice((2, 2000)), 3)
    return b"".join(lines)


def in_json(data: bytes, chance: Random) -> bytes:
    """Change values and keys of what the JSON holds; of what is none, its tokens."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return in_tokens(data, chance)
    for _ in range(chance.choice((1, 1, 3))):
        holder = value
        while isinstance(holder, dict | list) and holder:
            key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            inner = holder[key]
            if isinstance(inner, dict | list) and inner and chance.random() < 0.85:
                holder = inner
                continue
            _change(holder, key, chance)
            break
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _change(holder: Any, key: Any, chance: Random) -> None:  # noqa: ANN401 -- JSON
    way = chance.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[chance.choice(("", "x", "\x1b", "name", "args", "9" * 30))] = holder.pop(key)
    elif way == 2 and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[chance.randrange(len(holder))]))
    elif way == 3 and isinstance(holder[key], int | float):
        holder[key] = chance.choice((-holder[key], holder[key] * 10**9, str(holder[key]), 2e15))
    else:
        holder[key] = deepcopy(chance.choice(ODD_VALUES))


def _inside_gzip(data: bytes, chance: Random) -> bytes:
    try:
        inner = zlib.decompressobj(31).decompress(data, _LONGEST)
    except zlib.error:
        return in_bytes(data, chance)
    return gzip.compress(file(inner, chance), 1, mtime=0)


def _inside_pickle(data: bytes, chance: Random) -> bytes:
    """One of the long texts damaged, mostly with the length that it has then."""
    texts = [match for match in _PICKLED.finditer(data) if match.end() + _length(match) < len(data)]
    if not texts:
        return in_bytes(data, chance)
    match = chance.choice(texts)
    end = match.end() + _length(match)
    text = file(data[match.end() : end], chance)
    length = len(text) if chance.random() < 0.8 else chance.choice((0, 2**31, 2**32 - 1))
    return data[: match.start()] + b"X" + length.to_bytes(4, "little") + text + data[end:]


def _length(match: re.Match[bytes]) -> int:
    return int.from_bytes(match[1], "little")


def _inside_zip(data: bytes, chance: Random) -> bytes:
    return packages.in_zip(data, chance, file) or in_bytes(data, chance)


_BY_BEGIN: Mapping[bytes, tuple[Damage, ...]] = {
    b"\x1f\x8b": (_inside_gzip,) * 3,
    b"SQLite format 3": (databases.in_sqlite,) * 2,
    b"PAR1": (databases.in_parquet,) * 2,
    b"PK": (_inside_zip,) * 2,
    b"\x80": (_inside_pickle,) * 2,
    b"\n": (messages.in_packets,) * 3,
}
