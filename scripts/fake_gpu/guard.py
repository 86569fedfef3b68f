"""Build no_op_guard.cpp against the installed torch when needed, and load it.

Must run before torch is imported for the first time. The library lies in the user's cache folder,
named after torch's version, its place and the source, so that a change of one builds it anew.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).with_name("no_op_guard.cpp")
CACHE = Path.home() / ".cache" / "kernelmap"


def load() -> None:
    """Make libtorch believe in the device type; leaves with a clear line when it cannot."""
    library = _library()
    if not library.exists():
        _build(library)
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


def _library() -> Path:
    try:
        torch_version = version("torch")
    except PackageNotFoundError:
        raise SystemExit("torch is missing: pip install torch==2.13.0 triton numpy") from None
    # the library finds libtorch where it was built for, and environments come and go
    place = str(_torch_folder()).encode()
    digest = hashlib.sha256(SOURCE.read_bytes() + place).hexdigest()[:12]
    return CACHE / f"no_op_guard-{torch_version}-{digest}.so"


def _torch_folder() -> Path:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise SystemExit("torch cannot be found by this Python")
    return Path(spec.origin).parent


def _build(library: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        raise SystemExit("g++ is missing; it builds the guard that lets libtorch believe in a GPU")
    torch = _torch_folder()
    library.parent.mkdir(parents=True, exist_ok=True)
    command = [
        compiler,
        *("-std=c++20", "-shared", "-fPIC", "-Wl,-z,lazy", "-Wl,--unresolved-symbols=ignore-all"),
        f"-Wl,-rpath,{torch / 'lib'}",
        *(f"-I{torch / part}" for part in ("include", "include/torch/csrc/api/include")),
        str(SOURCE),
        *("-o", str(library), f"-L{torch / 'lib'}", "-lc10"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- our own arguments
    if done.returncode:
        raise SystemExit(f"g++ could not build {SOURCE.name}:\n{done.stderr[-2000:]}")
