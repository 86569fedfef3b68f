"""Digests in manifests, written anew after damage: what a hostile hand would do.

Without this every damage of a table would be noticed by its digest, and no reader would see it.
"""

from __future__ import annotations

import hashlib
import re

from fuzzing.mutate import Tree

_MANIFEST = ".toml"
_OWN = re.compile(rb'\Asha256 = "[0-9a-f]*"(?P<rest>[^\n]*\n)')


def signed(before: Tree, after: Tree) -> Tree:
    """`after` with the digests and sizes of what differs from `before` as they have to be."""
    result = dict(after)
    for name in [name for name in result if name.endswith(_MANIFEST)]:
        text = result[name]
        for file in before.keys() & after.keys():
            if before[file] != after[file] and not file.endswith(_MANIFEST):
                text = text.replace(_entry(before[file]), _entry(after[file]))
        result[name] = with_digest(text)
    return result


def with_digest(text: bytes) -> bytes:
    """A manifest whose first line has the digest of all that follows it, where it has such one."""
    first_line = _OWN.match(text)
    if first_line is None:
        return text
    digest = hashlib.sha256(text[first_line.end() :]).hexdigest()
    return f'sha256 = "{digest}"'.encode() + first_line["rest"] + text[first_line.end() :]


def _entry(data: bytes) -> bytes:
    return f'bytes = {len(data)}\nsha256 = "{hashlib.sha256(data).hexdigest()}"'.encode()
