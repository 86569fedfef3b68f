"""Damage what an archive holds, and the list of what it holds."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from random import Random

_ODD_NAMES = ("", "/etc/passwd", "../../x", "a\\b", "\x1b[31m", "é", "x" * 300, "data/")


def in_zip(data: bytes, chance: Random, damage: Callable[[bytes, Random], bytes]) -> bytes | None:
    """The archive with one member damaged, renamed, doubled or away; None where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError):
        return None
    if not members:
        return None
    at, way = chance.randrange(len(members)), chance.randrange(6)
    name, content = members[at]
    if way == 0:
        del members[at]
    elif way == 1:
        members[at] = (chance.choice(_ODD_NAMES), content)
    elif way == 2:
        members.append((name, damage(content, chance)))
    else:
        members[at] = (name, damage(content, chance))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", chance.choice((0, 8, 12, 14))) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name or "x")
            info.compress_type = archive.compression
            if name not in archive.namelist():
                archive.writestr(info, content)
    return packed.getvalue()
