"""Run a user's program in this process as Python itself would: `SCRIPT ARGS` or `-m MODULE ARGS`.

Kept: sys.argv, the first entry of sys.path, `__main__` with its `__file__` (it stays the program's
afterwards, for what runs at exit), exceptions and exit codes. A folder or zip file with a
`__main__.py` works too. Left out: Python's own options (-O, -X, -c), which belong before our name.
"""

from __future__ import annotations

import io
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from kernelmap.errors import UsageError

_MODULE = "-m"


def run_program(arguments: Sequence[str]) -> None:
    """Run it to its end; what it raises, SystemExit included, passes through.

    Raises UsageError where there is no such file or no module is named.
    """
    if arguments[0] == _MODULE:
        if len(arguments) == 1:
            raise UsageError("no-program", "-m names no module", "Put the module behind -m.")
        _run_module(arguments[1], arguments[2:])
        return
    path = Path(arguments[0])
    if not path.exists():
        raise UsageError("no-program", f"{path} does not exist", "Check the spelling of the path.")
    sys.argv[:] = list(arguments)
    if path.is_file() and path.suffix != ".zip":
        _run_script(path)
    else:
        runpy.run_path(str(path), run_name="__main__")


def _run_module(name: str, arguments: Sequence[str]) -> None:
    sys.argv[:] = [name, *arguments]  # runpy puts the module's file in the place of its name
    _put_first("")
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run_script(path: Path) -> None:
    _put_first(str(path.resolve().parent))
    absolute = str(path.absolute())
    module = ModuleType("__main__")
    module.__file__ = absolute
    vars(module)["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    with io.open_code(absolute) as file:
        code = compile(file.read(), absolute, "exec", dont_inherit=True)
    exec(code, vars(module))  # noqa: S102 -- it is the program that we were asked to run


def _put_first(folder: str) -> None:
    """Python puts the program's folder first, unless it was told not to (-P)."""
    if not sys.flags.safe_path:
        sys.path[0] = folder
