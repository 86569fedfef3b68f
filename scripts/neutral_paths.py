"""Take the paths of this machine out of text that goes into the repository.

What is replaced: cache folders, the project, Python, its packages, work folders, the home folder.
What stays: file names, because a profile's `kernel_hash` is the name of the kernel's file.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Mapping
from pathlib import Path

CACHE = "/tmp/torchinductor_user"  # noqa: S108 -- the name that is written, no folder of ours
HOME = "/home/user"
LIBRARY = "/opt/venv/lib/python3"
PACKAGES = f"{LIBRARY}/site-packages"

PROJECT = Path(__file__).resolve().parents[1]
SOURCES = tuple(PROJECT / "scripts" / name for name in ("fake_gpu", "gpu_cases", "examples"))
"""Folders whose files stand for the user's own code."""

_TEMPORARY = re.compile(re.escape(CACHE) + r"/tmp\w{8}(?=/)")  # noqa: S108 -- a pattern


def neutral(text: str, folders: Mapping[Path, str]) -> str:
    """`text` with `folders` (real to neutral) and this machine's own paths replaced.

    Longer paths go first, so that a folder inside another one keeps its own name. Inductor's
    temporary folder inside the cache folder is left out.
    """
    neutral_names = {
        **dict.fromkeys(SOURCES, HOME),
        PROJECT: f"{HOME}/kernelmap",
        Path(sysconfig.get_paths()["purelib"]): PACKAGES,
        Path(sysconfig.get_paths()["stdlib"]): LIBRARY,
        Path.home(): HOME,
    }
    pairs = {str(path): name for path, name in {**neutral_names, **folders}.items()}
    for path in sorted(pairs, key=len, reverse=True):
        text = re.sub(re.escape(path) + r"(?![\w.-])", pairs[path], text)
    return _TEMPORARY.sub(CACHE, _unclipped(text))


def _unclipped(text: str) -> str:
    """Dynamo's guards cut paths at the front: `# ain/scripts/examples/block.py:3 in f`."""
    for folder in map(str, SOURCES):
        ends = "|".join(re.escape(folder[start:]) for start in range(1, len(folder)))
        text = re.sub(rf"(?<=# )(?:{ends})(?=/)", HOME, text)
    return text
