"""Versions in a TORCH_TRACE log."""

from __future__ import annotations

from pathlib import Path

from compiler.logs import Log
from kernelmap.compiler.logs.events import read_versions


def test_a_log_tells_the_versions_that_it_states(tmp_path: Path) -> None:
    """Torch's stands in an artifact of its own, Triton's and CUDA's where a compilation ends."""
    log = (
        Log()
        .artifact("torch_version", {"pytorch_version": "2.13.0+cpu", "oss": True})
        .event({"compilation_metrics": {"triton_version": "3.9.0", "cuda_version": "13.0"}})
        .put(tmp_path / "trace.log")
    )

    assert read_versions(log) == {"torch": "2.13.0+cpu", "triton": "3.9.0", "cuda": "13.0"}


def test_what_a_log_does_not_state_is_not_there(tmp_path: Path) -> None:
    """Empty texts, other shapes and generated code that speaks of versions state nothing."""
    log = (
        Log()
        .artifact("torch_version", "no JSON")
        .code('"pytorch_version": "9.9"')
        .event({"compilation_metrics": {"triton_version": "", "cuda_version": None}})
        .put(tmp_path / "trace.log")
    )

    assert read_versions(log) == {}
