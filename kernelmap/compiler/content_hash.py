"""A text of code → the stem of the file in which Inductor's cache keeps it.

Source: torch/_inductor/codecache.py (`write`, `get_hash`, `code_hash`): `c` and 51 characters of
the base-32 SHA-256 of the stripped text. So a file whose stem fits its content was not changed, and
a text can be told to be the content of a path that is only named.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import PurePath

_DIGITS = 51


def content_stem(text: str) -> str:
    """The stem that `text` has in a cache.

    >>> content_stem(" x = 1 ")
    'cr72dnxxriujikwm2dmnnocaaje5y3sx54kis4grygrldgbkojqt'
    """
    digest = hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).digest()
    return "c" + base64.b32encode(digest)[:_DIGITS].decode().lower()


def stem_of(path: str) -> str:
    """The stem of a path that was written on any system."""
    return PurePath(path.replace("\\", "/")).stem
