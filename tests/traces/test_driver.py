"""The driver's version, from the head of a profile."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kernelmap.traces.kineto.driver import read_driver


@pytest.mark.parametrize(
    ("head", "version"),
    [
        ('"cuda_driver_version": 12080, ', "12.8"),
        ('"cuda_runtime_version": 12040, "cuda_driver_version":13000, ', "13.0"),
        ('"hip_driver_version": 71460850, ', "7.14.60850"),
        ('"cuda_driver_version": "new", ', None),
        ("", None),
    ],
)
def test_a_profile_states_the_driver(head: str, version: str | None, tmp_path: Path) -> None:
    """Packed or not; a number is that of CUDA or of HIP, and any other thing is none."""
    text = f'{{"schemaVersion": 1, {head}"traceEvents": []}}'.encode()
    (tmp_path / "plain.json").write_bytes(text)
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(text))

    assert {read_driver(path) for path in tmp_path.iterdir()} == {version}


def test_only_the_head_of_a_profile_has_a_say(tmp_path: Path) -> None:
    """Not its events, and no file that is none: code, or a file that is not there."""
    stated = '"cuda_driver_version": 13000'
    event = tmp_path / "event.json"
    event.write_text(f'{{"traceEvents": [{{"args": {{{stated}}}}}]}}')
    code = tmp_path / "code.py"
    code.write_text(f"x = {{{stated}}}")

    assert read_driver(event) is read_driver(code) is read_driver(tmp_path / "none") is None
