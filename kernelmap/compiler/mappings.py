"""Inductor's provenance JSON → nodes and source lines per call.

Node mappings had three names and two shapes: `{"cppCodeToPost": {"NAME:H": […]}, "postToPre": …}`
and, older, `{"NAME": […]}` alone. Kernel stack traces are `{"NAME:H": ["File …", …]}`. What belongs
to a backward also holds its forward's kernels, whose nodes may bear the same names, so only keys
that the code itself carries count. A key without a handle counts where the graph calls that wrapper
once. A backward that is compiled lazily has `{"version": 2.0}` and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from kernelmap.compiler.frames import user_lines
from kernelmap.compiler.python.calls import KeyedCall
from kernelmap.model import Notice, SourceLine
from kernelmap.model.paths import read_bytes

MAPPINGS = (
    "inductor_provenance_tracking_node_mappings",
    "inductor_generated_kernel_to_post_grad_nodes",
    "inductor_triton_kernel_to_post_grad_nodes",
)
STACKS = "inductor_provenance_tracking_kernel_stack_traces"
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding JSON raises: other values, bytes that are no UTF-8, too many brackets."""
_VERSION = "version"
_Lists = dict[str, list[str]]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Post-grad nodes per `NAME:H` or `NAME`, and pre-grad nodes per post-grad node.

    `kernel_to_pre` is for records that state pre-grad nodes of a kernel as a whole.
    """

    kernel_to_post: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    post_to_pre: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernel_to_pre: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def joined(self, other: NodeMapping) -> NodeMapping:
        """Both; what this one says wins."""
        return NodeMapping(
            {**other.kernel_to_post, **self.kernel_to_post},
            {**other.post_to_pre, **self.post_to_pre},
            {**other.kernel_to_pre, **self.kernel_to_pre},
        )


def of_calls(
    table: Mapping[str, _Value], calls: Sequence[KeyedCall]
) -> list[tuple[str, _Value] | None]:
    """The key and value of each call; None where `table` does not say, or not for sure."""
    often = Counter(entry.call.wrapper for entry in calls)
    return [_of_call(table, entry, often) for entry in calls]


def _of_call(
    table: Mapping[str, _Value], entry: KeyedCall, often: Mapping[str, int]
) -> tuple[str, _Value] | None:
    if entry.key is not None and entry.key in table:
        return entry.key, table[entry.key]
    name = entry.call.wrapper
    return (name, table[name]) if often[name] == 1 and name in table else None


def mapping_file(code: Path) -> Path | None:
    """The node mapping that lies beside `code`, the newest kind first."""
    beside = (code.parent / f"{name}.json" for name in MAPPINGS)
    return next((path for path in beside if path.is_file()), None)


def read_mapping(path: Path) -> tuple[NodeMapping, tuple[Notice, ...]]:
    """The mapping in `path`; an empty one and a notice where it cannot be used."""
    try:
        return node_mapping(read_bytes(path)), ()
    except (OSError, *UNREADABLE) as error:
        return NodeMapping(), (
            Notice(
                slug="node-mapping-unreadable",
                message=f"{path} is no node mapping: {error}",
                hint="Calls keep the nodes that their own code states.",
                gap=True,
            ),
        )


def node_mapping(data: bytes) -> NodeMapping:
    """The mapping that `data` is. Raises one of UNREADABLE where it is none."""
    content = msgspec.json.decode(data, type=dict[str, object])
    content.pop(_VERSION, None)
    if "cppCodeToPost" not in content:
        return NodeMapping(kernel_to_post=_lists(content))
    return NodeMapping(
        _lists(content["cppCodeToPost"]),
        _lists(content.get("postToPre", {})),
    )


def kernel_stacks(data: bytes) -> Mapping[str, tuple[SourceLine, ...]]:
    """The lines per kernel that `data` holds. Raises one of UNREADABLE.

    A kernel has a list of stacks, or one stack as a text.
    """
    content = msgspec.json.decode(data, type=dict[str, list[str] | str | float])
    content.pop(_VERSION, None)
    return {
        key: user_lines([stacks] if isinstance(stacks, str) else stacks)
        for key, stacks in content.items()
        if not isinstance(stacks, float)
    }


def _lists(value: object) -> dict[str, tuple[str, ...]]:
    lists = msgspec.convert(value, type=_Lists)
    # Nodes without a name are those of compiled autograd's engine; they lead nowhere.
    return {name: tuple(node for node in nodes if node) for name, nodes in lists.items()}
