"""How much of the headroom of recordings has a reason, as scripts/reasons_share.py says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from reasons_share import correlation_of, main, share_of  # noqa: E402 -- after the line above

OPEN = {"cuda_wide_conv": 0.55, "cuda_wide_llama": 0.3, "cuda_wide_llama_unfused": 0.3}
"""Models whose largest kernels keep nothing busy that a profile or the code could name."""


@pytest.mark.thorough
def test_most_of_the_headroom_of_recordings_has_a_reason() -> None:
    """Seven tenths of each, and of all together; what is less is listed."""
    shares = [
        share_of(folder.name, correlation_of(folder).roofline().tables.roofline)
        for folder in sorted((ROOT / "sample_traces").glob("cuda_*"))
    ]

    for share in shares:
        assert share.explained >= OPEN.get(share.name, 0.7), share.name
        assert share.name not in OPEN or share.explained < 0.7, "closed"
    explained = sum(sum(share.by_slug.values()) for share in shares)
    assert explained >= 0.85 * sum(share.headroom_ns for share in shares)


def test_a_sample_is_said_in_a_line_with_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    """A line of the folder and one of all, the calls without a reason between them."""
    assert main(["--left", "1", str(ROOT / "sample_traces" / "cuda_two_threads")]) == 0

    first, left, last = capsys.readouterr().out.splitlines()
    assert first.startswith("cuda_two_threads")
    assert "float32-product" in first
    assert "_" in left
    assert last.startswith("all")
