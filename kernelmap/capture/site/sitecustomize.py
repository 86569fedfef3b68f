"""What Python runs when it starts a process of the program: get ready to record, then as usual.

`kernelmap capture` puts this folder on PYTHONPATH for the processes that its program starts. A
sitecustomize of the user's own or of the system still runs, and sees the path as it would be
without this folder. A Python that does not know kernelmap is left alone.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from pathlib import Path

_HERE = str(Path(__file__).resolve().parent)


def _run_the_other() -> None:
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [place for place in sys.path if str(Path(place).resolve()) != _HERE]
try:
    if importlib.util.find_spec("kernelmap") is not None:
        from kernelmap.capture.arming import arm

        arm()
finally:  # whatever keeps us from recording is no reason to start Python in another way
    _run_the_other()
