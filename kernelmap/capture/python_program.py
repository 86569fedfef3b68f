"""Run a Python program to its end as Python itself would.

The program sees its own `__main__`, `sys.argv` and `sys.path[0]`; exit codes, SystemExit and Ctrl-C
are Python's; a traceback begins with the program's first frame. Loads the standard library only.
"""

from __future__ import annotations

import builtins
import errno
import importlib.util
import io
import os
import runpy
import sys
import zipfile
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType


def run_as_python(arguments: Sequence[str]) -> None:
    """Run what `arguments` name to its end; a traceback is printed before the error passes on."""
    kind, rest = arguments[0], list(arguments[1:])
    try:
        if kind == "-m":
            _run_module(rest[0], rest[1:])
        elif kind == "-c":
            _run_code(rest[0], rest[1:])
        else:
            _run_script(kind, rest)
    except SystemExit:
        raise
    except BaseException as error:
        _show(error)
        # Python still has to end as it would: with code 1, or by the signal of Ctrl-C.
        sys.excepthook = _nothing
        raise


def _run_script(path: str, arguments: list[str]) -> None:
    sys.argv[:] = [path, *arguments]
    file = Path(path).absolute()
    if not file.exists():
        reason = f"[Errno {errno.ENOENT}] {os.strerror(errno.ENOENT)}"
        sys.stderr.write(f"{sys.executable}: can't open file '{file}': {reason}\n")
        raise SystemExit(2)
    # A folder or an archive: Python looks for a `__main__` in it.
    if not file.is_file() or zipfile.is_zipfile(file):  # with a __main__ in it
        _place(str(file))
        _execute_spec(PathFinder.find_spec("__main__", [str(file)]), "__main__")
        return
    _place(str(file.resolve().parent))
    with io.open_code(str(file)) as script:
        code = compile(script.read(), str(file), "exec", dont_inherit=True)
    _execute(code, str(file), SourceFileLoader("__main__", str(file)), None)


def _run_module(name: str, arguments: list[str]) -> None:
    sys.argv[:] = ["-m", *arguments]
    _place(str(Path.cwd()))
    spec = importlib.util.find_spec(name)
    # The name of a package stands for the `__main__` module in it.
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is not None and spec.origin is not None:
        sys.argv[0] = spec.origin
    _execute_spec(spec, name)


def _run_code(text: str, arguments: list[str]) -> None:
    sys.argv[:] = ["-c", *arguments]
    _place("")
    _execute(compile(text, "<string>", "exec", dont_inherit=True), None, None, None)


def _place(first: str) -> None:
    """Python's first place to import from; it put our own there, unless asked not to."""
    if not sys.flags.safe_path:
        sys.path[0] = first


def _execute_spec(spec: ModuleSpec | None, name: str) -> None:
    loader = spec.loader if spec is not None else None
    get_code = getattr(loader, "get_code", None)
    code = None if spec is None or get_code is None else get_code(spec.name)
    if spec is None or spec.origin is None or code is None:
        sys.stderr.write(f"{sys.executable}: No module named {name}\n")
        raise SystemExit(1)
    _execute(code, spec.origin, loader, spec)


def _execute(code: CodeType, file: str | None, loader: object, spec: ModuleSpec | None) -> None:
    module = ModuleType("__main__")
    facts: dict[str, object] = {"__builtins__": builtins, "__loader__": loader}
    facts |= {"__spec__": spec, "__package__": spec.parent if spec is not None else None}
    if file is not None:
        facts |= {"__file__": file, "__cached__": spec.cached if spec is not None else None}
    vars(module).update(facts)
    # Pickles and child processes of the program look for its functions in `__main__`.
    sys.modules["__main__"] = module
    exec(code, vars(module))  # noqa: S102 -- running the program is what we are for


def _show(error: BaseException) -> None:
    """Have the program's own excepthook print `error`, from the program's first frame on."""
    frames = error.__traceback__
    # Frames of the runner come first; the program must not see them in its traceback.
    while frames is not None and _is_ours(frames):
        frames = frames.tb_next
    error.__traceback__ = frames
    sys.excepthook(type(error), error, frames)


def _is_ours(frame: TracebackType) -> bool:
    return frame.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>")


def _nothing(kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    """Print nothing: it stands there already."""
