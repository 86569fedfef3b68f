"""Make a TORCH_TRACE log small and neutral enough for the repository.

Takes a log's text and a function that takes this machine out of a text, gives a log with the events
that kernelmap reads, and of those the fields that it reads: it reads the same from both, but for
settings and versions where they are left out. Checksums are written anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping

_IDS = ("frame_id", "frame_compile_id", "attempt", "compiled_autograd_id", "rank")
_ENDED = ("entire_frame_compile_time_s", "duration_us")
_COMPILED = ("co_name", "co_filename", "co_firstlineno")
_FAILED = ("fail_type", "fail_reason", "recompile_reason", "restart_reasons")
_STATED: Mapping[str, tuple[str, ...]] = {
    "dynamo_start": ("stack",),
    "describe_source": ("source",),
    "compilation_metrics": (*_COMPILED, *_FAILED, *_ENDED),
    "bwd_compilation_metrics": _ENDED,
}
"""Events that say all in their line, with the fields that are read."""
_SHORT = ("str", "dynamo_cpp_guards_str")
"""Events whose line is kept and whose payload is not read."""
_TEXTS = (
    "dynamo_output_graph",
    "aot_forward_graph",
    "aot_backward_graph",
    "aot_inference_graph",
    "inductor_post_grad_graph",
    "inductor_output_code",
    "graph_dump",
)
"""Events whose payload is a graph or code."""
_ARTIFACTS = (
    "before_pre_grad_graph",
    "after_pre_grad_graph",
    "before_post_grad_graph",
    "inductor_post_grad_graph",
    "after_post_grad_graph",
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
    "recompile_reasons",
    "dynamo_graph_break_reason",
)
_OPENING = "fx_graph_runnable"
"""An artifact that begins the next graph; its text states settings and versions."""
_CACHE = ("fx_graph_cache_miss", "fx_graph_cache_hit", "fx_graph_cache_bypass")
_CACHED = ("key", "cache_bypass_reason")
_PARTS = "components"
"""What the cache's key was made of: settings and versions among them."""


def small_log(
    text: str,
    neutral: Callable[[str], str],
    *,
    settings: bool = False,
    withheld: Collection[str] = (),
) -> str:
    """The log with the kept events only.

    With `settings` it keeps what it says of the compiler's: the parts of the cache's keys, and the
    programs that run one graph alone. What belongs to the compile ids `withheld` goes.
    """
    kept: list[str] = []
    for event in text.split("\nV"):
        line, _, tabbed = event.partition("\n")
        prefix, _, head = line.partition("] {")
        fields = json.loads("{" + head)
        payload = _payload(fields, tabbed, settings=settings)
        reduced = _reduced(fields)
        if reduced is None or _compile_id(fields) in withheld:
            continue
        lines = ""
        if payload is not None:
            payload = neutral(payload)
            checksum = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
            reduced["has_payload"] = checksum
            lines = "".join(f"\t{payload_line}\n" for payload_line in payload.split("\n"))
        kept.append(f"V{prefix.removeprefix('V')}] {neutral(json.dumps(reduced))}\n{lines}")
    return "".join(kept)


def _reduced(fields: Mapping[str, object]) -> dict[str, object] | None:
    """What stays of an event's line, without a checksum; None where the event goes."""
    if _artifact(fields) in (*_ARTIFACTS, *_CACHE, _OPENING):
        return _only(fields, ("artifact", *_IDS))
    for kind, read in _STATED.items():
        stated = fields.get(kind)
        if isinstance(stated, dict):
            return {kind: _only(stated, read), **_only(fields, _IDS)}
    kept = [kind for kind in (*_SHORT, *_TEXTS) if kind in fields]
    return _only(fields, (*kept, *_IDS)) if kept else None


def _payload(fields: Mapping[str, object], tabbed: str, *, settings: bool) -> str | None:
    """The payload of an event, as far as it is read; None where it has none that is."""
    artifact = _artifact(fields)
    artifacts = (*_ARTIFACTS, *_CACHE, *((_OPENING,) if settings else ()))
    if "has_payload" not in fields or not (
        artifact in artifacts or any(kind in fields for kind in _TEXTS)
    ):
        return None
    lines = tabbed.removesuffix("\n").split("\n")
    payload = "\n".join(line.removeprefix("\t") for line in lines)
    if artifact in _CACHE:
        cached = (*_CACHED, *((_PARTS,) if settings else ()))
        return json.dumps(_only(json.loads(payload), cached))
    return payload


def _compile_id(fields: Mapping[str, object]) -> str:
    return f"{fields.get('frame_id')}/{fields.get('frame_compile_id')}"


def _artifact(fields: Mapping[str, object]) -> str | None:
    artifact = fields.get("artifact")
    return str(artifact.get("name")) if isinstance(artifact, dict) else None


def _only(values: Mapping[str, object], keys: Iterable[str]) -> dict[str, object]:
    return {key: values[key] for key in keys if key in values}
