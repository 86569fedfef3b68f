"""Sources of single Triton kernels, as `kernel_code` logs them → a text that defines them.

Such a message holds the kernel's source and nothing else: no path, no original ops, no call. The
text has one definition per kernel, on the line on which its message stands in the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.compiler.pasted.messages import Message
from kernelmap.compiler.python.kernel_source import triton_facts

_FARTHEST = 100_000  # lines; beyond, definitions follow each other without gaps
_JIT = "@triton.jit"


def definitions_of(messages: Sequence[Message], known: str) -> str | None:
    """Definitions of the kernels that `known` does not define; None where none is left."""
    lines: list[str] = []
    for message in messages:
        source = message.body().strip("\n") + "\n"
        name = _name(source) if _JIT in source else None
        if name is None or f"{name} = async_compile." in known:
            continue
        if message.line < _FARTHEST:
            lines += [""] * (message.line - 1 - len(lines))
        lines.append(f"{name} = async_compile.triton({name!r}, {source!r})")
    return "\n".join(lines) + "\n" if lines else None


def _name(source: str) -> str | None:
    """The wrapper's name, which Inductor keeps even where the function is only `triton_`."""
    facts = triton_facts(source)
    name = facts.meta.get("kernel_name", facts.function)
    return name if isinstance(name, str) and name.isidentifier() else None
