"""Files that are either as they were or whole, whenever the writer is killed."""

from __future__ import annotations

import os
from pathlib import Path

from kernelmap.model.bundle import PARTIAL


def write_whole(path: Path, text: str) -> None:
    """Write `text` beside `path`, and give it that name when it is on the disk."""
    partial = path.with_name(f"{path.name}{PARTIAL}")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
