"""Advice that is followed, on the CPU: the step's peak falls as it was said, measured and by code.

The kernel that makes the tensor again is one that the compiler runs by itself here. Where it makes
it in one kernel with another of the backward, the peak falls by less or more: docs/memory.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest

import kernelmap
from kernelmap.tables.rows import Row, whole_number

PROGRAM = Path(__file__).with_name("advised_program.py")
_SAVED = 4 * 512 * 4 * 256
"""Bytes of the activation that could be made again."""


@pytest.mark.torch
@pytest.mark.thorough
@pytest.mark.parametrize("model", ["gelu", "gated"])
def test_the_peak_of_the_step_falls_as_the_advice_says(model: str, tmp_path: Path) -> None:
    """To the byte: by the code of the changed program, and by what torch's allocator did."""
    before, after = (_record(model, again, tmp_path / again) for again in ("once", "again"))

    stated = before[0]["savings"][0]
    assert (stated["kind"], stated["bytes"]) == ("make it again", _SAVED)
    assert whole_number(stated, "step_saved_bytes") > 0
    assert _peak_of(before[0]["runs"]) == stated["step_peak_bytes"]
    assert _peak_of(after[0]["runs"]) == stated["step_without_bytes"]
    assert before[1] - after[1] == stated["step_saved_bytes"]


def _record(model: str, again: str, folder: Path) -> tuple[dict[str, Sequence[Row]], int]:
    """The rows that the code gives, and by how much memory grows from the first graph on."""
    folder.mkdir()
    environment = os.environ | {
        "TORCH_TRACE": str(folder / "log"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder.parent / "cache"),  # has headers that both need
    }
    command = [sys.executable, str(PROGRAM), model, again, str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603 -- ours
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    begin = min(
        event["ts"]
        for event in events
        if str(event.get("name")).startswith("## Call CompiledFxGraph")
    )
    noted = [event for event in events if event.get("name") == "[memory]" and event["ts"] >= begin]
    noted.sort(key=lambda event: event["ts"])
    growth = max(accumulate(event["args"]["Bytes"] for event in noted))
    return dict(kernelmap.memory_of(folder / "log").tables.rows), growth


def _peak_of(runs: Sequence[Row]) -> int:
    return max(whole_number(row, "peak_bytes") for row in runs)
