"""Inductor's node-mapping JSON beside generated code → nodes per call, and what they came from.

Three names over time, two shapes: `{"cppCodeToPost": {"NAME:H": […]}, "postToPre": …}` and, older,
`{"NAME": […]}` alone. The file of a backward also holds its forward's kernels, whose nodes may bear
the same names, so only keys that the code itself carries count. A key without a handle counts where
the graph calls that wrapper once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kernelmap.compiler.calls import FoundCall
from kernelmap.model import Notice

_FILES = (
    "inductor_provenance_tracking_node_mappings.json",
    "inductor_generated_kernel_to_post_grad_nodes.json",
    "inductor_triton_kernel_to_post_grad_nodes.json",
)
_Lists = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Post-grad nodes per `NAME:H` or `NAME`, and pre-grad nodes per post-grad node."""

    kernel_to_post: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    post_to_pre: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of_calls(self, calls: Sequence[FoundCall]) -> list[tuple[str, ...] | None]:
        """The nodes of each call; None where the mapping does not say, or not for sure."""
        often = Counter(found.call.wrapper for found in calls)
        return [self._of_call(found, often) for found in calls]

    def _of_call(self, found: FoundCall, often: Mapping[str, int]) -> tuple[str, ...] | None:
        if found.key is not None and found.key in self.kernel_to_post:
            return self.kernel_to_post[found.key]
        once = often[found.call.wrapper] == 1
        return self.kernel_to_post.get(found.call.wrapper) if once else None


def mapping_file(code: Path) -> Path | None:
    """The node mapping that lies beside `code`, the newest kind first."""
    return next((path for name in _FILES if (path := code.parent / name).is_file()), None)


def read_mapping(path: Path) -> tuple[NodeMapping, tuple[Notice, ...]]:
    """The mapping in `path`; an empty one and a notice where it cannot be used."""
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
        if "cppCodeToPost" not in content:
            return NodeMapping(kernel_to_post=_lists(content)), ()
        kernels = _lists(content["cppCodeToPost"])
        return NodeMapping(kernels, _lists(content.get("postToPre", {}))), ()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        return NodeMapping(), (
            Notice(
                slug="node-mapping-unreadable",
                message=f"{path} is no node mapping: {error}",
                hint="Calls keep the nodes that their own code states.",
                gap=True,
            ),
        )


def _lists(value: object) -> dict[str, tuple[str, ...]]:
    found = msgspec.convert(value, type=_Lists)
    return {name: tuple(nodes) for name, nodes in found.items()}
