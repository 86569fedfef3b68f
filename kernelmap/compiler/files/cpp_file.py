"""A C++ wrapper in a file of its own → a CodeText.

`*.wrapper.cpp` of AOTInductor (in an unpacked package, or in Inductor's cache), the
`output_code.cpp` of torch_compile_debug, `*.main.cpp` of wrappers compiled at run time. Told apart
by content; files that hold nothing but C++ kernels are not taken by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kernelmap.compiler.cpp_source import is_cpp_wrapper, starts_as_cpp
from kernelmap.compiler.facts import Reading
from kernelmap.compiler.files.code_file import head_of, with_neighbors
from kernelmap.compiler.files.model_files import is_beside, with_model_files
from kernelmap.compiler.python.source import read_text
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.model import Notice

_WEAKER = 4  # Python that holds the same C++ is the better place, and a debug folder's copy.
_FOLDER = "aotinductor"


class CppWrapper:
    """A C++ wrapper of AOTInductor, or of `cpp_wrapper=True`."""

    label = "a C++ wrapper of AOTInductor (*.wrapper.cpp)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is C++ by Inductor that makes calls."""
        head = head_of(path)
        if not starts_as_cpp(head):
            return False
        try:
            return is_cpp_wrapper(head) or is_cpp_wrapper(read_text(path))
        except KernelmapError:
            return False

    def read(self, path: Path) -> Reading:
        """The one wrapper of the file, with what lies beside it."""
        (text,), notices = (reading := with_neighbors(path)).texts, list(reading.notices)
        text = replace(
            text, strength=text.strength + _WEAKER, stated=text.stated or model_name(path.parts)
        )

        def read(name: str) -> bytes | None:
            try:
                return Path(name).read_bytes()
            except OSError as error:
                notices.append(_unread(unreadable(Path(name), error)))
                return None

        beside = [each for each in path.parent.iterdir() if is_beside(each.name)]
        text, told = with_model_files(text, list(map(str, beside)), read)
        return Reading((text,), (*notices, *told), beside=(*reading.beside, *beside))


def model_name(parts: tuple[str, ...]) -> str | None:
    """The name that a package gives to a model, by the parts of the path of one of its files.

    >>> model_name(("m", "data", "aotinductor", "encoder", "c2m.wrapper.cpp"))
    'encoder'
    """
    return parts[-2] if parts[-3:-2] == (_FOLDER,) else None


def _unread(error: KernelmapError) -> Notice:
    return Notice(
        slug="kernel-information-unreadable",
        message=f"{error.message}, so what it says of the wrapper is missing.",
        hint=error.hint,
        gap=True,
    )
