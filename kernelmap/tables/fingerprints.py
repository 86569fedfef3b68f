"""CompiledProgram → a fingerprint per call and graph: what it computes, whatever it is called.

`triton_poi_fused_add_7` becomes `_8` when a line is added above it; its fingerprint stays. It is
made of the typed graph fragment above the kernel's definition and the ops that the call lists.
Where there is no fragment (library calls, C++, user kernels, combo kernels, code of older torch) it
is made of the wrapper's arguments with the types of the allocations, and the call's name without
its number; where the fragment has no types, of both. A library call is what its own statement says:
operator, shapes, dtypes, strides and values, never the ops that its comment lists, among which are
those of its inputs. Only the code has a say, never what was found
beside it, so a recording with provenance and one without agree. Equal calls of a graph are
numbered: `1c5fa9d02b7e`, `1c5fa9d02b7e~1`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, KernelDef, WrapperCall
from kernelmap.tables.canonical_texts import (
    Fragment,
    buffer_types,
    fragment,
    part_type,
    result_type,
    statement,
)

_NAMED = (Backend.EXTERN, Backend.GLUE)  # written with a name that is not numbered
_TRITON = "@triton.jit"
_NO_WORK = ("#include", "RecordFunction")  # lines of C++ that bear paths or the graph's number


class CallPrint(Struct, frozen=True, kw_only=True):
    """What one call computes.

    `parts` are its nodes by themselves (`aten.mul.Tensor f32[8, 16]`), by which calls that were
    fused otherwise are recognized; None where the code does not list them. `body` is a digest of
    the kernel's own code, its names taken out: equal fingerprints may be compiled to other code.
    """

    fingerprint: str
    parts: tuple[str, ...] | None = None
    body: str | None = None


class Fingerprints(Struct, frozen=True, kw_only=True):
    """Parallel to `CompiledProgram.calls` and `.graphs`; None where there is no code."""

    calls: tuple[CallPrint | None, ...]
    graphs: tuple[str | None, ...]


def fingerprint_program(program: CompiledProgram) -> Fingerprints:
    """The fingerprints of all calls and graphs; equal ones are numbered in program order."""
    calls: list[CallPrint | None] = []
    graphs: list[str | None] = []
    seen: Counter[str] = Counter()
    for graph in program.graphs:
        # A graph that is known from a trace alone has calls and no code.
        if graph.code is None and graph.text is None:
            calls.extend([None] * len(graph.calls))
            graphs.append(None)
            continue
        prints = _of_graph(graph)
        calls.extend(prints)
        # Equal calls in another order make an equal graph.
        whole = _digest(
            [graph.kind or "", *sorted(call_print.fingerprint for call_print in prints)]
        )
        # Two graphs that compute the same are numbered as well.
        graphs.append(_numbered(whole, seen))
    return Fingerprints(calls=tuple(calls), graphs=tuple(graphs))


def stem(call: WrapperCall) -> str:
    """The name a call is written with, without the number that the compiler counted."""
    if call.backend in _NAMED:
        return call.wrapper
    name, _, number = call.wrapper.rpartition("_")
    return name if name and number.isdecimal() else call.wrapper


def _of_graph(graph: CompiledGraph) -> list[CallPrint]:
    lines = (graph.text or "").split("\n")
    types = buffer_types(lines)
    fragments: dict[str, Fragment | None] = {}
    bodies: dict[str, str | None] = {}
    seen: Counter[str] = Counter()
    prints = []
    for call in graph.calls:
        kernel = _definition(graph, call)
        # A definition is read once, however many calls run it.
        if kernel is not None and kernel.name not in bodies:
            block = _block(kernel, lines)
            fragments[kernel.name] = fragment(block)
            bodies[kernel.name] = _body(kernel, block)
        listed = fragments[kernel.name] if kernel is not None else None
        # The fragment counts first. Without types in it,
        # the statement with its buffers counts as well.
        basis = _of_fragment(listed, call) if listed else []
        if listed is None or not listed.typed:
            basis += _of_statement(call, lines, types)
        prints.append(
            CallPrint(
                fingerprint=_numbered(_digest(basis), seen),
                # Parts of a definition that was written for
                # other nodes would be wrong for this call.
                parts=listed.parts
                if listed and not _reused(kernel, call)
                else _parts(call, kernel, lines, types),
                body=bodies[kernel.name] if kernel is not None else None,
            )
        )
    return prints


def _definition(graph: CompiledGraph, call: WrapperCall) -> KernelDef | None:
    """What the call runs; of a multi-kernel its first member, since all compute the same."""
    kernel = graph.kernel_of(call)
    if kernel is not None and kernel.members:
        return graph.kernel_by_name.get(kernel.members[0], kernel)
    return kernel


def _block(kernel: KernelDef, lines: Sequence[str]) -> Sequence[str]:
    if kernel.first_line is None or kernel.last_line is None:
        return ()
    return lines[kernel.first_line - 1 : kernel.last_line]


def _of_fragment(listed: Fragment, call: WrapperCall) -> list[str]:
    return ["fragment", *listed.nodes, *_aten(call)]


def _of_statement(call: WrapperCall, lines: Sequence[str], types: dict[str, str]) -> list[str]:
    text = statement(lines, call.line, types) if call.line and len(lines) >= call.line else ""
    says_all = call.backend in _NAMED and text  # its comment lists the ops of its inputs as well
    return ["statement", call.target or stem(call), text, *([] if says_all else _aten(call))]


def _aten(call: WrapperCall) -> list[str]:
    """The ops of a call, in no order: old code sorts them, new code need not."""
    return sorted(set(call.origins.aten)) if call.origins else []


def _parts(
    call: WrapperCall, kernel: KernelDef | None, lines: Sequence[str], types: dict[str, str]
) -> tuple[str, ...] | None:
    """The parts of a call without a typed fragment, as far as the code names them."""
    if kernel is not None and kernel.fragment and not _reused(kernel, call):
        # A fragment without types gives the operators alone.
        return tuple(node.target for node in kernel.fragment if node.target)
    if call.target is not None:
        made = result_type(lines, call.line, types) if call.line else None
        # The result's type is in round brackets in the code and in square ones in a fragment.
        return (
            (f"{call.target} {part_type(made.replace('(', '[', 1).replace(')', ']', 1))}",)
            if (made)
            else (call.target,)
        )
    return call.origins.aten if call.origins and call.origins.aten else None


def _reused(kernel: KernelDef | None, call: WrapperCall) -> bool:
    """Whether the definition was written for other nodes: equal source is defined once."""
    defined = kernel.origins if kernel is not None else None
    return bool(defined and call.origins and set(defined.aten) != set(call.origins.aten))


def _body(kernel: KernelDef, block: Sequence[str]) -> str | None:
    """A digest of the code from the first compiled function on; None where it is not there."""
    start = next((at for at, line in enumerate(block) if line.strip() == _TRITON), None)
    # Without such a function (C++) all lines but comments count.
    code = [line for line in block if not line.startswith("#")] if start is None else block[start:]
    text = "\n".join(line.rstrip() for line in code if not any(word in line for word in _NO_WORK))
    if not text.strip():
        return None
    # The kernel's own name has a number, so it is taken out.
    for name in dict.fromkeys((kernel.name, kernel.function)):
        text = text.replace(name, "kernel") if name else text
    return _digest([text])


def _digest(texts: Sequence[str]) -> str:
    return blake2b("\n".join(texts).encode(errors="backslashreplace"), digest_size=6).hexdigest()


def _numbered(text: str, seen: Counter[str]) -> str:
    number = seen[text]
    seen[text] += 1
    return f"{text}~{number}" if number else text
