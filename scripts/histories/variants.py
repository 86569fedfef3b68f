"""Generated code → the same code of another commit: renumbered, fused otherwise, longer.

Texts in, texts out. What comes out is read, never run: the bodies of kernels that were taken apart
are still those of the whole kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "kernel": r"((?:triton|cpp)_fused_\w*?_|triton_\w*?_)(\d+)\b",
    "buffer": r"\b(buf)(\d+)\b",
    "input": r"\b((?:primals|tangents|arg|x|y)_)(\d+)\b",
    "node": r"(%(?!primals|tangents|buf|arg|x_|y_)\w+_)(\d+)\b",
    "handle": r"(\[Provenance debug handles\] .*:)(\d+)",
}
"""What the compiler counts, each as (what stays, the number)."""

_NODE = re.compile(r"#\s+%(\S+) : .*? = call_\w+\[target=(?:torch\.ops\.)?(\w+\.\w+)")
_INPUT = re.compile(r"#\s+%\S+ : .* = PlaceHolder\[", re.IGNORECASE)


def renumbered(text: str, shift: Mapping[str, int]) -> str:
    """The same code with each number that the compiler counts raised by the `shift` of its kind."""
    for kind, by in shift.items():
        text = re.sub(KINDS[kind], lambda match, by=by: f"{match[1]}{int(match[2]) + by}", text)  # type: ignore[misc] # a lambda with a default
    return text


def split_kernel(text: str, kernel: str) -> str:
    """The code with `kernel` taken apart: the first half of its nodes, then the others.

    Raises ValueError where it has no fragment of two nodes at least.
    """
    lines = text.split("\n")
    start, end = _definition(lines, kernel)
    block = lines[start:end]
    nodes = [at for at, line in enumerate(block) if _NODE.match(line)]
    if len(nodes) < len(("first", "second")):
        raise ValueError(f"{kernel} has no two nodes to take apart")
    halves = (nodes[: len(nodes) // 2], nodes[len(nodes) // 2 :])
    stem, number = kernel.rpartition("_")[0], int(kernel.rpartition("_")[2])
    names = [f"{stem}_{900 + 2 * number + part}" for part in range(2)]
    made = [
        line.replace(kernel, name)
        for name, half in zip(names, halves, strict=True)
        for line in _half(block, half, set(nodes) - set(half))
    ]
    rest = _two_calls(lines[end:], kernel, names)
    return "\n".join([*lines[:start], *made, *rest])


def with_call(text: str, statement: str, again: str) -> str:
    """The code with one more call: `again` right after the first line that holds `statement`."""
    lines = text.split("\n")
    at = next(at for at, line in enumerate(lines) if statement in line)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join([*lines[: at + 1], indent + again, *lines[at + 1 :]])


def _definition(lines: list[str], kernel: str) -> tuple[int, int]:
    """The lines of a definition, its comments included, up to the end of its text."""
    head = next(at for at, line in enumerate(lines) if line.startswith(f"{kernel} = "))
    start = head
    while lines[start - 1].startswith("#"):
        start -= 1
    end = next(at for at in range(head + 1, len(lines)) if lines[at].startswith("'''"))
    return start, end + 1


def _half(block: list[str], nodes: list[int], other: set[int]) -> list[str]:
    """The block without the nodes of the other half; it returns the last node that is left."""
    last = _NODE.match(block[nodes[-1]])
    made = []
    for at, line in enumerate(block):
        if at in other:
            continue
        if line.startswith("#   return %") and last is not None:
            made.append(f"#   return %{last[1]}")
        else:
            made.append(line)
    return made


def _two_calls(lines: list[str], kernel: str, names: list[str]) -> list[str]:
    """The wrapper with both parts where the whole kernel was called; both list its ops."""
    made: list[str] = []
    for line in lines:
        if f"{kernel}.run(" not in line:
            made.append(line)
            continue
        comments: list[str] = []
        while made[-1].lstrip().startswith("#") or "get_raw_stream(" in made[-1]:
            comments.insert(0, made.pop())
        for name in names:
            made += [comment for comment in comments if "debug handles" not in comment]
            made.append(line.replace(kernel, name))
    return made
