"""The versions that a TORCH_TRACE log states: of torch, Triton and CUDA.

Takes a log, gives those that were found. Left out: Python's, which changes no kernel. A log states
torch's at its start, the others when a compilation ends; damage of the log is told elsewhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from kernelmap.compiler.logs.events import Damage, events
from kernelmap.compiler.mappings import UNREADABLE


class _Torch(msgspec.Struct):
    """The payload of the artifact `torch_version`."""

    pytorch_version: str | None = None


class _Compilation(msgspec.Struct):
    """What `compilation_metrics` states of versions."""

    triton_version: str | None = None
    cuda_version: str | None = None


def versions(log: Path) -> Mapping[str, str]:
    """The versions by `torch`, `triton`, `cuda`. Raises KernelmapError for an unreadable file."""
    found: dict[str, str | None] = {}
    for logged in events(log, Damage()):
        with contextlib.suppress(*UNREADABLE):
            if logged.event.kind == "torch_version":
                stated = msgspec.json.decode(logged.payload, type=_Torch)
                found["torch"] = stated.pytorch_version
            elif logged.event.compilation_metrics:
                metrics = msgspec.json.decode(logged.event.compilation_metrics, type=_Compilation)
                found["triton"], found["cuda"] = metrics.triton_version, metrics.cuda_version
        if len(found) == len(("torch", "triton", "cuda")):
            break
    return {name: version for name, version in found.items() if version}
