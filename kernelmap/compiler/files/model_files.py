"""A C++ wrapper and the files that AOTInductor puts beside it → a CodeText with their facts.

Beside a wrapper lie its C++ kernels (`*.kernel.cpp`) and `kernel_information.json`. Takes names and
a function that reads one of them, because they lie in a folder or in a package. A kernel file is
the wrapper's own if it defines a kernel that the wrapper declares. Left out: weights, binaries,
and metadata about the machine that compiled them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from kernelmap.compiler.cpp_source import defines_any, exported
from kernelmap.compiler.facts import CodeText, KernelCode
from kernelmap.compiler.files.kernel_information import NAME, NOTHING, kernel_information
from kernelmap.compiler.python.source import decoded
from kernelmap.model import Notice

_KERNELS = ".kernel.cpp"


def is_beside(name: str) -> bool:
    """Whether a file of this name may say something of the wrapper beside it."""
    return name == NAME or name.endswith(_KERNELS)


def with_model_files(
    wrapper: CodeText, names: Iterable[str], read: Callable[[str], bytes | None]
) -> tuple[CodeText, tuple[Notice, ...]]:
    """`wrapper` with what the files `names` of its folder say; `read` gives None for what it can't.

    A name is what `read` takes; its last part is the file's.
    """
    information, notices, kernels = NOTHING, list[Notice](), None
    declared = exported(wrapper.text)
    for name in sorted(names):
        last = name.rpartition("/")[2]
        if last == NAME and (data := read(name)) is not None:
            information, unread = kernel_information(data, name)
            notices += unread
        elif last.endswith(_KERNELS) and declared and kernels is None:
            data = read(name)
            text = decoded(data) if data is not None else ""
            kernels = KernelCode(text, name) if defines_any(text, declared) else None
    facts = wrapper.facts
    joined = replace(
        facts,
        mapping=facts.mapping.joined(information.mapping),
        stacks={**information.stacks, **facts.stacks},
        kernel_code=facts.kernel_code or kernels,
    )
    return replace(wrapper, facts=joined), tuple(notices)
