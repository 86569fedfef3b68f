"""`kernel_information.json` of AOTInductor → nodes and source lines per call.

`{"NAME:H": {"stack_traces": [text, …], "post_grad_nodes": […], "pre_grad_nodes": […]}}`, the lists
in no order. Which post-grad node came from which pre-grad node is stated only where a call has a
single post-grad node; else the pre-grad nodes are those of the call as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from kernelmap.compiler.frames import user_lines
from kernelmap.compiler.mappings import UNREADABLE, NodeMapping
from kernelmap.model import Notice, SourceLine

NAME = "kernel_information.json"


class _Entry(msgspec.Struct):
    stack_traces: list[str] = []
    post_grad_nodes: list[str] = []
    pre_grad_nodes: list[str] = []


@dataclass(frozen=True, slots=True)
class KernelInformation:
    """What the file states, in the shape in which logs state it."""

    mapping: NodeMapping
    stacks: Mapping[str, tuple[SourceLine, ...]]


NOTHING = KernelInformation(NodeMapping(), {})


def kernel_information(data: bytes, path: str) -> tuple[KernelInformation, tuple[Notice, ...]]:
    """What `data` states; nothing and a notice where it is no such file."""
    try:
        entries = msgspec.json.decode(data, type=dict[str, _Entry])
    except UNREADABLE as error:
        return NOTHING, (
            Notice(
                slug="kernel-information-unreadable",
                message=f"{path} is no JSON of its kind: {error}",
                hint="Calls keep what their own code states; nodes may be missing.",
                gap=True,
            ),
        )
    mapping = NodeMapping(
        {key: tuple(entry.post_grad_nodes) for key, entry in entries.items()},
        {
            entry.post_grad_nodes[0]: tuple(entry.pre_grad_nodes)
            for entry in entries.values()
            if len(entry.post_grad_nodes) == 1
        },
        {key: tuple(entry.pre_grad_nodes) for key, entry in entries.items()},
    )
    stacks = {key: user_lines(entry.stack_traces) for key, entry in entries.items()}
    return KernelInformation(mapping, stacks), ()
