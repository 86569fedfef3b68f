"""kernels.lock: the records of lock.py as a text that a person reviews, and back.

    # kernelmap lock 1
    # ...

    graph 0_forward forward 5c0dad9cfc65
      e2f4df670c21    triton_per_fused_native_layer_norm    aten.native_layer_norm
      603e5991b3b9    extern_kernels.addmm                  aten.addmm                 num_warps=4

One line per call in program order; columns are parted by two spaces or more; ops by commas without
a space. Lines that begin with `#` are left out. Errors name the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelmap.compare.lock import LockedCall, LockedGraph
from kernelmap.errors import KernelmapError

VERSION = 1
_HEAD = "# kernelmap lock "
_ABOUT = """\
# What the compiler fused, call by call: fingerprint, name, ops, configuration where it is known.
# `kernelmap lock` writes it, `kernelmap gate --lock` compares. Review its changes like code.
"""
_NONE = "-"
_GAP = "  "
_PRINT = re.compile(r"[0-9a-f]{12}(~\d+)?")


def dumps(graphs: Sequence[LockedGraph]) -> str:
    """The text of a lock."""
    parts = [f"{_HEAD}{VERSION}\n{_ABOUT}"]
    for graph in graphs:
        parts.append(f"graph {graph.name} {graph.kind or _NONE} {graph.fingerprint}\n")
        rows = [_cells(call) for call in graph.calls]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        parts[-1] += "".join(_line(row, widths) for row in rows)
    return "\n".join(parts)


def loads(text: str, *, name: str = "the lock") -> tuple[LockedGraph, ...]:
    """The records of a lock; `name` is what errors call it. Raises KernelmapError `bad-lock`."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != f"{_HEAD}{VERSION}":
        raise _bad(name, 1, f"the first line is not `{_HEAD}{VERSION}`")
    graphs: list[LockedGraph] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("graph "):
            graphs.append(_graph(line, number, name))
        elif graphs:
            last = graphs.pop()
            calls = (*last.calls, _call(line, number, name))
            graphs.append(
                LockedGraph(
                    name=last.name, kind=last.kind, fingerprint=last.fingerprint, calls=calls
                )
            )
        else:
            raise _bad(name, number, "a call stands before the first graph")
    return tuple(graphs)


def line_of(call: LockedCall) -> str:
    """One call as a line of a comparison."""
    return _GAP.join(cell for cell in _cells(call) if cell)


def _cells(call: LockedCall) -> tuple[str, str, str, str]:
    return call.fingerprint, call.name, ",".join(call.ops) or _NONE, call.config or ""


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
    return f"{_GAP}{_GAP.join(cells)}".rstrip() + "\n"


def _graph(line: str, number: int, name: str) -> LockedGraph:
    words = line.split()
    if len(words) != len(("graph", "name", "kind", "print")) or not _PRINT.fullmatch(words[3]):
        raise _bad(name, number, "a graph is `graph NAME KIND FINGERPRINT`")
    kind = None if words[2] == _NONE else words[2]
    return LockedGraph(name=words[1], kind=kind, fingerprint=words[3], calls=())


def _call(line: str, number: int, name: str) -> LockedCall:
    cells = re.split(r"\s{2,}", line.strip(), maxsplit=3)
    if len(cells) < len(("print", "name", "ops")) or not _PRINT.fullmatch(cells[0]):
        raise _bad(name, number, "a call is `FINGERPRINT  NAME  OPS  [CONFIGURATION]`")
    ops = () if cells[2] == _NONE else tuple(cells[2].split(","))
    config = cells[3] if len(cells) > len(("print", "name", "ops")) else None
    return LockedCall(fingerprint=cells[0], name=cells[1], ops=ops, config=config)


def _bad(name: str, line: int, reason: str) -> KernelmapError:
    return KernelmapError(
        "bad-lock",
        f"{name}, line {line}: {reason}",
        "Write it again with `kernelmap lock CODE -o kernels.lock`.",
    )
