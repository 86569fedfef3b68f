"""One call of compiled code → a Python script that runs it alone: `kernelmap repro`.

The script holds the source of the call's kernel as the inputs hold it, which a script of a kernel
must; every other text of the inputs is read as data and written anew, so that none of it becomes
code. Nothing here imports torch: the script does, where it is run.
"""

from __future__ import annotations

from kernelmap.repro.answer import Repro, make_repro

__all__ = ["Repro", "make_repro"]
