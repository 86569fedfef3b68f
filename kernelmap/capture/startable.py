"""Checks that a program can be started before anything is recorded; says what is missing.

Takes a user's command line; raises UsageError where it is plain that nothing would run. What only
the program's own Python can tell is left to it.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from kernelmap.capture.command_line import python_parts
from kernelmap.capture.running import not_started
from kernelmap.commands import command as command_words
from kernelmap.errors import UsageError
from kernelmap.suggestions import did_you_mean, path_hint

_CHECK = "Check its spelling, and the folder in which you stand."
_PROGRAMS = ("python", "python3", "torchrun", "accelerate", "deepspeed", "mpirun", "srun", "bash")
_LAUNCHERS = ("torchrun", "accelerate", "deepspeed")  # they run the first Python file named
_LAUNCHING_MODULES = ("torch.distributed.run", "torch.distributed.launch")
_SHELLS = ("bash", "sh", "zsh", "dash")
_ZIP = b"PK"
_HEAD = 4096  # bytes: text in any encoding of Python's source has no null byte in them


def require_startable(command: Sequence[str], *, is_python: bool) -> None:
    """Raise UsageError where the program, or the script that it is given, cannot be run."""
    if not command[0].strip():
        raise UsageError(
            "command-not-started", "the name of the program is empty", "Is a variable not set?"
        )
    if shutil.which(command[0]) is None:
        raise _not_found(command)
    if not is_python:
        script = _launched(command)
        if script is not None:
            _require_there(script)
        return
    _, what = python_parts(command)
    if what[0] == "-m":
        module, arguments = what[1], what[2:]
        _require_module(module, is_own=_is_own(command[0]))
        # `python -m torch.distributed.run train.py`: the script must be there as well.
        script = _first_python_file(arguments) if module in _LAUNCHING_MODULES else None
        if script is not None:
            _require_there(script)
    elif not what[0].startswith("-"):
        _require_python(what[0], is_own=_is_own(command[0]))


def _not_found(command: Sequence[str]) -> UsageError:
    """The error for a program that is not there, or may not be run."""
    program = command[0]
    if os.path.isfile(program):  # noqa: PTH113 -- Path raises where it may not look
        if not program.endswith(".py"):
            return not_started(program, OSError(errno.EACCES, os.strerror(errno.EACCES)))
        with_python = command_words("capture", "--", "python", *command)
        return UsageError(
            "command-not-started",
            f"{program} is a script that is not executable",
            f"Run `{with_python}`.",
        )
    if program.endswith(".py") or os.sep in program:
        return _missing(program)
    known = [name for name in _PROGRAMS if shutil.which(name)]
    hint = did_you_mean(program, known, "Check its spelling, and whether it is on PATH.")
    return UsageError("command-not-started", f"there is no program {program}", hint)


def _missing(script: str) -> UsageError:
    what = "file" if Path(script).suffix != ".py" else "script"
    return UsageError(
        "command-not-started", f"the {what} {script} does not exist", path_hint(script) or _CHECK
    )


def _require_there(script: str) -> None:
    """Raise UsageError where there is no such file, or where it may not be read."""
    if not os.path.exists(script):  # noqa: PTH110 -- Path raises where it may not look
        raise _missing(script)
    if not os.access(script, os.R_OK):
        raise not_started(script, OSError(errno.EACCES, os.strerror(errno.EACCES)))


def _require_python(script: str, *, is_own: bool) -> None:
    """Raise UsageError for what Python cannot run; `is_own`: ours is the one that will."""
    _require_there(script)
    path = Path(script)
    if path.is_dir():
        if not (path / "__main__.py").exists():
            raise UsageError(
                "command-not-started",
                f"{script} is a folder without a __main__.py",
                "Name the script in it.",
            )
        return
    if not path.is_file():  # a pipe is read once, by the program
        return
    with path.open("rb") as file:
        head = file.read(_HEAD)
    # Archives and compiled code have null bytes as well. The magic number of compiled code ends in
    # CR LF, behind two bytes of its version.
    if head.startswith(_ZIP) or head[2:4] == b"\r\n":
        return
    if b"\0" in head or head.startswith(b"\x7fELF"):
        raise UsageError(
            "command-not-started",
            f"{script} is no Python script",
            "Name the script behind `python`.",
        )
    # Another Python may know syntax that ours does not.
    if is_own:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the program's own start says them
                compile(path.read_bytes(), script, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            raise UsageError(
                "command-not-started",
                f"{script} is no Python script{where}: {getattr(error, 'msg', error)}",
                "Name a script that this Python runs, or mend it.",
            ) from error


def _require_module(module: str, *, is_own: bool) -> None:
    """Raise UsageError where the package that holds a module is in no place where Python looks."""
    top = module.partition(".")[0]
    # A module in the folder where the program starts, or for another Python, is left to that
    # Python.
    if not is_own or any(Path(name).exists() for name in (top, f"{top}.py")):
        return
    try:
        is_there = find_spec(top) is not None
    except (ImportError, ValueError):
        return
    if not is_there:
        here = [path.stem for path in Path.cwd().glob("*.py")]
        hint = did_you_mean(top, here, _CHECK)
        raise UsageError("command-not-started", f"there is no module {module}", hint)


def _launched(command: Sequence[str]) -> str | None:
    """The script that a well-known launcher or a shell runs; None where that is not sure."""
    name = Path(command[0]).name
    if name in _LAUNCHERS:
        return _first_python_file(command[1:])
    if name in _SHELLS and len(command) > 1 and not command[1].startswith("-"):
        return command[1]
    return None


def _first_python_file(words: Sequence[str]) -> str | None:
    """The Python file among the words of a launcher; None where it is told to run a module."""
    for word in words:
        if word in ("-m", "--module"):
            return None
        if word.endswith(".py") and not word.startswith("-"):
            return word
    return None


def _is_own(python: str) -> bool:
    """Whether the Python of a command is the one that runs here."""
    found = shutil.which(python)
    return found is not None and Path(found).absolute() == Path(sys.executable).absolute()
