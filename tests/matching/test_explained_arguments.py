"""What `explain` says of the tensors that an operator was handed."""

from __future__ import annotations

import json
from pathlib import Path

import kernelmap

ATTENTION = {
    "Input Dims": [[32, 64, 64], [32, 8, 64], [], [1]],
    "Concrete Inputs": ["", "", "0.125", ""],
    "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar", "float"],
}


def evidence(path: Path, *, shapes: bool, gone: bool = False) -> list[str]:
    """Of a kernel within `flash::run` within `vllm::unified_attention`, of which one has shapes."""
    here = {"ph": "X", "pid": 1, "tid": 1}
    said = ATTENTION if shapes else {}
    events = [
        here
        | {"cat": "cpu_op", "name": "vllm::unified_attention", "ts": 0, "dur": 90}
        | {"args": {"External id": 1, **said}},
        here
        | {"cat": "cpu_op", "name": "flash::run", "ts": 5, "dur": 80, "args": {"External id": 2}},
        here
        | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 10, "dur": 5}
        | {"args": {"correlation": 7, "External id": 2}},
        {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "attention_2d", "ts": 20}
        | {"dur": 5, "args": {"correlation": 7, "device": 0, "stream": 7, "External id": 2}},
    ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    result = kernelmap.correlate(path)
    if gone:
        path.unlink()
    return [line for line in result.explain("0").evidence if "was handed" in line]


def test_tensors_of_a_custom_operator_are_told(tmp_path: Path) -> None:
    """Sizes are those of the recording; arguments that are no tensors have none."""
    assert evidence(tmp_path / "t.json", shapes=True) == [
        "vllm::unified_attention was handed tensors of bf16[32, 64, 64], bf16[32, 8, 64], f32[1]"
    ]


def test_without_recorded_shapes_nothing_is_said(tmp_path: Path) -> None:
    """A profile without `record_shapes` has no sizes."""
    assert evidence(tmp_path / "t.json", shapes=False) == []


def test_a_file_that_is_gone_leaves_the_rest(tmp_path: Path) -> None:
    """Evidence that was read before needs no file."""
    assert evidence(tmp_path / "t.json", shapes=True, gone=True) == []
