"""Python stack traces as the compiler writes them → lines of the user's source.

Takes traces in the words of Python: `File "x.py", line 3, in forward`, the line's code below it,
and perhaps carets. One text is the stack of one node, outermost frame first. Left out: frames
inside torch, except where a stack has no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath

from kernelmap.model import SourceLine

# A frame, and the code in the line below it. A line of carets or the next frame is no code.
_FRAME = re.compile(
    r"^[ \t]*File \"(?P<file>[^\"\n]+)\", line (?P<line>\d{1,18})(?!\d)(?:, in [^\n]*)?"
    r"(?:\n(?![ \t]*File \")[ \t]*(?P<code>[^\s^~][^\n]*))?",
    re.MULTILINE,
)
# Folders that packages are installed in: `torch` in one of them is torch.
_INSTALLED = ("site-packages", "dist-packages")
# What lies in torch's own folder: it tells a checkout of torch from a user's folder `torch`.
_PARTS_OF_TORCH = frozenset(
    {
        "__init__.py",
        "_C",
        "_compile.py",
        "_decomp",
        "_dynamo",
        "_export",
        "_functorch",
        "_higher_order_ops",
        "_inductor",
        "_jit_internal.py",
        "_library",
        "_meta_registrations.py",
        "_ops.py",
        "_prims",
        "_prims_common",
        "_refs",
        "_subclasses",
        "_tensor.py",
        "amp",
        "ao",
        "autograd",
        "cuda",
        "distributed",
        "export",
        "functional.py",
        "fx",
        "jit",
        "library.py",
        "nn",
        "optim",
        "overrides.py",
        "utils",
    }
)
_PASSES_CALLS_ON = frozenset(
    {
        "_compile.py",
        "_device.py",
        "_dynamo",
        "_functorch",
        "_inductor",
        "_library",
        "_ops.py",
        "_python_dispatch.py",
        "_subclasses",
        "fx",
        "overrides.py",
    }
)
"""What stands between a caller and any operator at all: `with torch.device("cuda")` puts
torch/utils/_device.py below each of the user's lines."""


_FILES = 1024
"""Thousands of frames stand in a few files, so what was said of a file is remembered."""


def user_lines(stacks: Iterable[str]) -> tuple[SourceLine, ...]:
    """The innermost line of the user's own code of each stack, each once, sorted by place."""
    lines = {line for stack in stacks if (line := innermost_user_line(stack)) is not None}
    return tuple(sorted(lines, key=lambda line: (line.file, line.line, line.code or "")))


def innermost_user_line(stack: str) -> SourceLine | None:
    r"""The last frame of the user's own code, else the last frame at all.

    >>> innermost_user_line('  File "m.py", line 3, in forward\n    x = f(x)\n        ^^^^\n')
    SourceLine(file='m.py', line=3, code='x = f(x)')
    """
    frames = [
        SourceLine(file=match["file"], line=int(match["line"]), code=_code_or_none(match["code"]))
        for match in _FRAME.finditer(stack)
    ]
    # A stack that ends inside torch counts for the last line of the user's above that.
    user_frames = [frame for frame in frames if not is_torch(frame.file)]
    return next(reversed(user_frames or frames), None)


@lru_cache(_FILES)
def is_torch(file: str) -> bool:
    """Whether `file` belongs to torch, wherever that is installed.

    >>> is_torch("/opt/venv/lib/python3.11/site-packages/torch/utils/_device.py")
    True
    >>> is_torch("/home/user/torch/train.py")
    False
    """
    parts = PurePosixPath(file.replace("\\", "/")).parts
    for at, part in enumerate(parts[:-1]):
        # `site-packages/torch/…`, or a checkout: `torch/nn/…`.
        # `/home/user/torch/train.py` is the user's.
        if part == "torch" and (parts[at - 1] in _INSTALLED or parts[at + 1] in _PARTS_OF_TORCH):
            return True
    return False


@lru_cache(_FILES)
def says_what_runs(file: str) -> bool:
    """Whether a frame in a file of torch's tells one operator from another.

    >>> says_what_runs("/opt/venv/lib/python3/site-packages/torch/optim/adam.py")
    True
    >>> says_what_runs("/opt/venv/lib/python3/site-packages/torch/utils/_device.py")
    False
    """
    parts = PurePosixPath(file.replace("\\", "/")).parts
    # Only the parts behind the last `torch` tell, as folders above may have any name.
    torch = len(parts) - 1 - parts[::-1].index("torch") if "torch" in parts else 0
    return _PASSES_CALLS_ON.isdisjoint(parts[torch:])


def _code_or_none(text: str | None) -> str | None:
    return (text or "").strip() or None
