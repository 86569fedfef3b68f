"""What stands in the page, compressed: data of views, columns of whole numbers, long texts.

A page holds ten thousand calls, a million launches and megabytes of generated code. The browser
inflates them by itself (packed.js), each when a view is first shown or asks for it.
"""

from __future__ import annotations

import base64
import zlib

import msgspec
import numpy as np

from kernelmap.model.trace import Int

_LEVEL = 6


class PackedTexts:
    """Long texts, each once, known by their number."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def put_text(self, text: str) -> int:
        """The number of `text`, by which the page asks for it."""
        return self._number.setdefault(text, len(self._number))

    def pack_all(self) -> str:
        """All texts, as compressed JSON in base64."""
        return as_json(list(self._number))


def as_json(value: object) -> str:
    """A value as JSON, compressed, in base64."""
    return _pack_bytes(msgspec.json.encode(value))


def pack_numbers(column: Int) -> dict[str, object]:
    """A column of whole numbers >= 0, which a page reads as doubles: exact below 2**53.

    Bytes of the same weight stand together, because the upper ones are mostly alike.
    """
    # Bytes of the same weight, (8, rows), the lowest first. Planes above the highest one that is
    # not all 0 are left out.
    planes = np.ascontiguousarray(column, dtype="<i8").view(np.uint8).reshape(-1, 8).T
    used = int(np.flatnonzero(planes.any(axis=1)).max(initial=-1)) + 1
    return {
        "count": len(column),
        "bytes": used,
        "packed": _pack_bytes(np.ascontiguousarray(planes[:used]).tobytes()),
    }


def pack_signed(column: Int) -> dict[str, object]:
    """A column of whole numbers of either sign: 0, -1, 1, -2 are written as 0, 1, 2, 3."""
    return pack_numbers(np.where(column < 0, -2 * column - 1, 2 * column))


def _pack_bytes(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, _LEVEL)).decode()
