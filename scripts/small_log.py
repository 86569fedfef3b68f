"""Make a TORCH_TRACE log small and neutral enough for the repository.

Takes a log's text and a function that takes this machine out of a text, gives a log with the events
that kernelmap reads; of a cache event only the key stays. Checksums are written anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

KEPT_KEYS = ("dynamo_output_graph", "inductor_post_grad_graph", "inductor_output_code")
KEPT_ARTIFACTS = (
    "before_pre_grad_graph",
    "after_pre_grad_graph",
    "inductor_post_grad_graph",
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
    "fx_graph_cache_miss",
    "fx_graph_cache_hit",
)


def small_log(text: str, neutral: Callable[[str], str]) -> str:
    """The log with the kept events only."""
    kept: list[str] = []
    for event in text.split("\nV"):
        line, _, tabbed = event.partition("\n")
        prefix, _, head = line.partition("] {")
        fields = json.loads("{" + head)
        if _is_kept(fields):
            payload = neutral(_payload(fields, tabbed))
            fields["has_payload"] = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
            lines = "".join(f"\t{each}\n" for each in payload.split("\n"))
            head = neutral(json.dumps(fields))
            kept.append(f"V{prefix.removeprefix('V')}] {head}\n{lines}")
    return "".join(kept)


def _is_kept(fields: dict[str, object]) -> bool:
    artifact = fields.get("artifact")
    if isinstance(artifact, dict):
        return artifact.get("name") in KEPT_ARTIFACTS
    return any(key in fields for key in KEPT_KEYS)


def _payload(fields: dict[str, object], tabbed: str) -> str:
    lines = tabbed.removesuffix("\n").split("\n")
    payload = "\n".join(line.removeprefix("\t") for line in lines)
    artifact = fields.get("artifact")
    if isinstance(artifact, dict) and str(artifact.get("name")).startswith("fx_graph_cache"):
        return json.dumps({"key": json.loads(payload)["key"]})
    return payload
