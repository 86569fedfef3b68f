"""Small TOML files that know when they were changed: the first line is the digest of the rest.

Takes and gives plain values as TOML has them. A sealed file is written whole or not at all; whoever
edits it by hand breaks the seal, which is what it is for.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping

from kernelmap.capture.toml import dumps

_BEGIN, _END = b'sha256 = "', b'"  # of all that follows this line\n'


class BrokenSealError(ValueError):
    """The text is not what was sealed."""


def seal(values: Mapping[str, object]) -> bytes:
    """`values` as TOML behind its digest; None is left out."""
    body = dumps(values).encode()
    return _BEGIN + hashlib.sha256(body).hexdigest().encode() + _END + body


def unseal(raw: bytes) -> Mapping[str, object]:
    """The values of a sealed text; raises BrokenSealError where a byte of it is another one."""
    head, _, body = raw.partition(b"\n")
    expected = _BEGIN + hashlib.sha256(body).hexdigest().encode() + _END
    if head + b"\n" != expected:
        raise BrokenSealError("its digest is another one")
    return tomllib.loads(body.decode())
