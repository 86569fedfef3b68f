"""A case as a file: a zip archive of the input, with the command in its comment."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from fuzzing.laws import Case


def save_case(it: Case, path: Path) -> Path:
    """Write a case; the same case gives the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(it.tree.items()):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
        archive.comment = json.dumps({"kind": it.kind, "command": it.command}).encode()
    return path


def load_case(path: Path) -> Case:
    """The case that a file keeps."""
    with zipfile.ZipFile(path) as archive:
        asked = json.loads(archive.comment)
        tree = {name: archive.read(name) for name in archive.namelist()}
    return Case(asked["kind"], tree, asked["command"])
