"""One file of generated code → a CompiledGraph, with what could not be read of it.

The graph's id is that of `# AOT ID: ['0_forward']`, else what the folder of torch_compile_debug
says (`model__0_forward_1.0`), else the file's name. Ids are made unique later, where all files are
known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kernelmap.compiler.broken import salvage
from kernelmap.compiler.calls import FoundCalls, ordered_calls
from kernelmap.compiler.comments import aot_id
from kernelmap.compiler.kernels import definitions
from kernelmap.compiler.mappings import NodeMapping, mapping_file, read_mapping
from kernelmap.compiler.nodes import with_nodes
from kernelmap.compiler.source import comment_lines, parse, read_text
from kernelmap.compiler.statements import Code, code_of
from kernelmap.model import CompiledGraph, Notice

_KINDS = ("forward", "backward", "inference")
_FOLDER = "model__"


@dataclass(frozen=True, slots=True)
class Reading:
    """The graphs of one file, and what it could not give."""

    graphs: tuple[CompiledGraph, ...]
    notices: tuple[Notice, ...] = ()


def read_graph(path: Path) -> Reading:
    """The graph in `path`. Raises KernelmapError where the file cannot be read."""
    text = read_text(path)
    code, notices = _code(text, path)
    defined = definitions(code)
    kernels = {kernel.name: kernel for kernel in defined.kernels}
    found = ordered_calls(code, kernels)
    beside = mapping_file(path)
    mapping, unread = read_mapping(beside) if beside is not None else (NodeMapping(), ())
    nodes = with_nodes(found.calls, kernels, mapping)
    stated = aot_id(code.comments.values()) or folder_id(path)
    graph = CompiledGraph(
        id=stated or path.stem,
        calls=nodes.calls,
        kernels=defined.kernels,
        nodes=nodes.nodes,
        code=str(path),
        aot_id=stated,
        kind=_kind(stated),
    )
    own = (*notices, *defined.notices, *_call_notices(graph, code, found), *unread)
    return Reading((graph,), tuple(own))


def folder_id(path: Path) -> str | None:
    """`0_forward` of `…/model__0_forward_1.0/output_code.py`.

    >>> folder_id(Path("run/model__0_forward_1.0/output_code.py"))
    '0_forward'
    """
    name, _, counter = path.parent.name.rpartition("_")
    numbers = counter.split(".")
    if not name.startswith(_FOLDER) or not all(each.isdecimal() for each in numbers):
        return None
    found = name[len(_FOLDER) :]
    return found if _kind(found) is not None else None


def _code(text: str, path: Path) -> tuple[Code, tuple[Notice, ...]]:
    tree = parse(text)
    if tree is not None:
        return code_of(tree, comment_lines(text), tuple(text.split("\n"))), ()
    read = salvage(text)
    return read.code, (
        Notice(
            slug="code-does-not-parse",
            message=f"{path} is no whole Python file: read line by line, "
            f"{read.unread} lines left out.",
            hint="Give the file as Inductor wrote it; calls may be missing from this one.",
            gap=True,
        ),
    )


def _kind(stated: str | None) -> str | None:
    number, _, kind = (stated or "").rpartition("_")
    return kind if number.isdecimal() and kind in _KINDS else None


def _call_notices(graph: CompiledGraph, code: Code, found: FoundCalls) -> Iterator[Notice]:
    if code.entry is None:
        yield Notice(
            slug="code-without-call",
            message=f"{graph.code} defines kernels but no call() that runs them.",
            hint="Its kernels are known by name only; give the whole output_code.py.",
            gap=True,
        )
    if found.lost:
        yield Notice(
            slug="handle-without-call",
            message=f"{graph.code}: {len(found.lost)} provenance handles stand at no call that "
            f"could be read, first {found.lost[0]}.",
            hint="The nodes of these handles reach no call.",
            gap=True,
        )
    if found.cut:
        yield Notice(
            slug="too-many-calls",
            message=f"{graph.code}: only the first {len(found.calls)} calls are read.",
            hint="Functions of this code call each other too often to be followed.",
            gap=True,
        )
    undefined = {
        each.call.wrapper
        for each in found.calls
        if each.call.kernel is None and each.call.target is None
    }
    if undefined:
        yield Notice(
            slug="kernel-without-definition",
            message=f"{graph.code} runs {len(undefined)} kernels that it does not define, "
            f"first {min(undefined)}.",
            hint="Their calls are kept; signature, source nodes and path are unknown.",
        )
