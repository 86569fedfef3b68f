"""Where in generated code a kernel is defined."""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.model import KernelDef


def defined_at(kernel: KernelDef, code_lines: Sequence[str]) -> int | None:
    """The first line of the definition, below its comments, that names the kernel.

    None where none does: it is defined in another file.
    """
    if kernel.first_line is None or kernel.last_line is None:
        return None
    for number in range(kernel.first_line, min(kernel.last_line, len(code_lines)) + 1):
        line = code_lines[number - 1]
        if kernel.name in line and not line.lstrip().startswith(("#", "//")):
            return number
    return None
