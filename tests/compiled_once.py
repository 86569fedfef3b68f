"""A g++ in front of the real one: it compiles a text once, and after that gives out copies.

Many tests let torch compile the same program with a cold cache. All that is torch's work it does
every time, and that is what they look at; the compiler, up to half of a test's time, gets the same
C++ from it again. A copy is given where text, command, compiler, folders of headers and machine are
the same. A file that includes others by their path, and what is only linked, goes to the real
compiler, as does everything that is no compilation.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path


def put_first(kept: Path) -> None:
    """From now on `g++` is this one, for all processes that we start; copies lie in `kept`."""
    real, compiler = shutil.which("g++"), kept / "bin" / "g++"
    if os.name != "posix" or real is None or Path(real) == compiler:
        return  # there is none to stand before, or we did so already
    compiler.parent.mkdir(exist_ok=True)
    half = compiler.with_name(f"half-{os.getpid()}")
    half.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{__file__}" "{kept}" "{real}" "$@"\n')
    half.chmod(0o755)
    half.rename(compiler)
    os.environ["PATH"] = f"{compiler.parent}{os.pathsep}{os.environ['PATH']}"


def main(kept: Path, real: str, arguments: list[str]) -> int:
    """Compile as the real compiler does, or copy what it made of the same."""
    import fcntl  # which Windows lacks

    name = _key(real, arguments)
    if name is None:
        os.execv(real, [real, *arguments])  # noqa: S606 -- the compiler in whose place we stand
    target, copy = arguments[arguments.index("-o") + 1], kept / name
    with copy.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if copy.exists():
            shutil.copy(copy, target)
            return 0
        code = subprocess.run([real, *arguments], check=False).returncode  # noqa: S603 -- as above
        if code == 0:
            half = copy.with_suffix(".half")
            shutil.copy(target, half)
            half.rename(copy)
        return code


def _key(real: str, arguments: list[str]) -> str | None:
    """What decides the result of a compilation of one file; None where we do not know it."""
    sources = [path for path in arguments if path.endswith((".cpp", ".o", ".S", ".h", ".hpp"))]
    sources = [path for path in sources if arguments[arguments.index(path) - 1] != "-include"]
    if len(sources) != 1 or not sources[0].endswith(".cpp") or "-o" not in arguments:
        return None
    text = Path(sources[0]).read_bytes()
    if b'#include "' in text:
        return None
    files = {sources[0], arguments[arguments.index("-o") + 1]}
    folders = [Path(argument[2:]) for argument in arguments if argument.startswith("-I")]
    made = [path.stat().st_mtime_ns for path in (Path(real), *folders) if path.exists()]
    said = [argument for argument in arguments if argument not in files]
    return hashlib.sha256(repr((text, said, made, os.uname())).encode()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
