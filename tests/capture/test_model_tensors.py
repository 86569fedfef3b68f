"""What a program holds from step to step is counted when its capture ends."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

import kernelmap
from capture.bundle_world import recorded
from kernelmap.model.bundle import ModelTensorKind, ModelTensors, read_manifest
from kernelmap.pages.text import format_bytes

HELD = [
    {"device": "cuda:0", "kind": "parameters", "bytes": 4_000, "tensors": 2},
    {"device": "cuda:0", "kind": "optimizer state", "bytes": 8_000, "tensors": 4},
]
PROGRAM = """
import json
import torch
from kernelmap.capture.model_tensors import count_model_tensors

assert count_model_tensors() == []

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(10, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.head = torch.nn.Linear(4, 10, bias=False)
        self.head.weight = self.embed.weight  # shared
        self.frozen = torch.nn.Linear(4, 2, bias=False).requires_grad_(False)
        self.unreal = torch.nn.Linear(3, 3, device="meta")

    def forward(self, at):
        return self.head(self.norm(self.embed(at))).sum()

class Odd:
    @property
    def __class__(self):
        raise RuntimeError("whoever asks for my class runs my code")

odd = Odd()
model = Model()
optimizer = torch.optim.Adam([p for p in model.parameters() if p.device.type != "meta"])
model(torch.arange(8)).backward()
optimizer.step()
print(json.dumps(count_model_tensors()))
"""


@pytest.mark.torch
def test_each_block_of_memory_counts_once_and_by_its_first_kind() -> None:
    """Shared weights, frozen ones, buffers, and parameters without memory; in bytes of float32."""
    done = subprocess.run(  # noqa: S603 -- our own program
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )

    rows = json.loads(done.stdout)

    trained = 4 * (40 + 4 + 4)
    frozen = 4 * 8
    statistics = 4 * (4 + 4) + 8  # running mean and variance, and how many batches in int64
    assert rows == [
        {"device": "cpu", "kind": "parameters", "bytes": trained + frozen, "tensors": 4},
        {"device": "cpu", "kind": "module buffers", "bytes": statistics, "tensors": 3},
        {"device": "cpu", "kind": "gradients", "bytes": trained, "tensors": 3},
        # Two moments of each, and for each the number of its steps, in float32.
        {"device": "cpu", "kind": "optimizer state", "bytes": 2 * trained + 12, "tensors": 9},
    ]


@pytest.mark.torch
def test_objects_that_are_kept_from_the_collector_are_not_half_counted() -> None:
    """Python lists only the objects that came after `gc.freeze`."""
    from kernelmap.capture.model_tensors import count_model_tensors

    gc.freeze()
    try:
        assert count_model_tensors() == []
    finally:
        gc.unfreeze()


@pytest.mark.torch
def test_a_capture_states_them(tmp_path: Path) -> None:
    """What an optimizer made in the recorded steps is there as well."""
    import torch

    model = torch.nn.Linear(64, 32)
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    with kernelmap.capture(tmp_path / "b", warmup=1, steps=1) as run:
        for _ in range(3):
            model(torch.ones(2, 64)).sum().backward()
            optimizer.step()
            run.step()

    (process,) = read_manifest(tmp_path / "b").processes
    held = {row.kind: row.bytes for row in process.model_tensors or () if row.device == "cpu"}
    size = 4 * (64 * 32 + 32)
    # Other tests of this process may have left modules of their own.
    assert all(
        held[kind] >= size for kind in ModelTensorKind if kind is not ModelTensorKind.BUFFERS
    )


def test_a_bundle_keeps_and_shows_them(tmp_path: Path) -> None:
    """From process.json into the manifest, and from there into table and JSON."""
    bundle = recorded(tmp_path / "bundle", model_tensors=HELD)

    (process,) = read_manifest(bundle).processes
    result = kernelmap.memory_of(bundle)

    assert process.model_tensors == (
        ModelTensors(device="cuda:0", kind=ModelTensorKind.PARAMETERS, bytes=4_000, tensors=2),
        ModelTensors(device="cuda:0", kind=ModelTensorKind.OPTIMIZER, bytes=8_000, tensors=4),
    )
    rows = json.loads(result.render("json"))["model_tensors"]
    assert [(row["kind"], row["bytes"]) for row in rows] == [
        ("parameters", 4_000),
        ("optimizer state", 8_000),
    ]
    shown = result.render("markdown")
    assert "Held when the capture ended" in shown
    assert "12 kB" in shown
    # The step's own bytes are above these.
    peak = max(row["peak_bytes"] for row in json.loads(result.render("json"))["runs"])
    below = "With the 4 kB parameters + 8 kB optimizer state of rank_0 on cuda:0: "
    assert f"{below}{format_bytes(peak + 12_000)} at the peak" in shown


@pytest.mark.parametrize(
    "held",
    [7, [1], [{"device": "cpu"}], [{**HELD[0], "kind": "wishes"}], [{**HELD[0], "bytes": 1.5}]],
)
def test_damaged_rows_are_left_out(tmp_path: Path, held: object) -> None:
    """A row needs a device, a kind that is known, and whole numbers."""
    bundle = recorded(tmp_path / "bundle", model_tensors=held)

    (process,) = read_manifest(bundle).processes

    assert process.model_tensors is None
