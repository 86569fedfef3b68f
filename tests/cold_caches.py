"""Caches of Inductor's that hold no code, made without trying out the compiler for each of them.

Before torch compiles for a CPU it builds and loads ten small libraries, to see which instructions
compiler and machine know. They lie in the cache, depend on no program, and take longer than most
programs do. They are tried once here, and every cache begins with a copy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_TRY = "from torch._inductor.cpu_vec_isa import valid_vec_isa_list; valid_vec_isa_list()"


class ColdCache:
    """Makes caches; `tried` is the folder for what is tried, which several processes may share.

    Inductor locks each file that it writes there.
    """

    def __init__(self, tried: Path) -> None:
        self._tried = tried
        self._is_whole = False

    def at(self, folder: Path) -> Path:
        """The folder, which is such a cache from now on; its name is TORCHINDUCTOR_CACHE_DIR."""
        if not self._is_whole:
            environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(self._tried)}
            subprocess.run([sys.executable, "-c", _TRY], env=environment, check=True)  # noqa: S603 -- our own code
            self._is_whole = True
        ignore = shutil.ignore_patterns("locks")
        return Path(shutil.copytree(self._tried, folder, ignore=ignore, dirs_exist_ok=True))
