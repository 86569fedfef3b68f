"""What torch's own validator of traces finds in annotated ones: nothing that was not there before.

That is torch.profiler._trace_validator of torch 2.13 and 2.14.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType

import pytest

import kernelmap
from traces.kineto_text import COMPACT, text, write
from traces.monitor_text import by_monitor

pytestmark = pytest.mark.thorough

OF_KINETO = ("cuda_mlp_train", "cuda_cuda_graphs", "cuda_two_streams", "cuda_two_threads")
OF_NSYS = ("cuda_mlp_train", "cuda_decode_graphs", "cuda_two_streams")


@pytest.fixture(scope="module")
def validator() -> ModuleType:
    """Torch's own; the test is skipped where this torch has none."""
    reason = "torch is not installed, or has no validator"
    found: ModuleType = pytest.importorskip("torch.profiler._trace_validator", reason=reason)
    return found


def _found(validator: ModuleType, path: Path) -> list[str]:
    """The violations that torch finds in a file, in words."""
    _, violations = validator.validate_trace(str(path))
    return [str(violation) for violation in violations]


@pytest.mark.parametrize("sample", OF_KINETO)
def test_facts_and_tracks_violate_nothing(
    tmp_path: Path, samples: Path, validator: ModuleType, sample: str
) -> None:
    """A Kineto file with facts and tracks is as sound as it was."""
    recorded = samples / sample / "rank_0"
    target = tmp_path / "annotated.json.gz"

    kernelmap.correlate(recorded).annotate(target)

    assert _found(validator, target) == _found(validator, recorded / "trace.json.gz") == []


@pytest.mark.parametrize("sample", OF_NSYS)
def test_a_trace_made_of_an_export_violates_nothing(
    tmp_path: Path, samples: Path, validator: ModuleType, sample: str
) -> None:
    """What Nsight Systems recorded is, as a Chrome trace, one that torch might have written."""
    export = tmp_path / "nsys.sqlite"
    shutil.copy(samples / sample / "nsys.sqlite", export)
    target = tmp_path / "annotated.json.gz"

    kernelmap.correlate(export).annotate(target)

    assert _found(validator, target) == []


def test_what_the_other_backend_wrote_stays_sound(tmp_path: Path, validator: ModuleType) -> None:
    """So does a file that `cupti_monitor` wrote."""
    recorded = write(tmp_path / "trace.json", text(by_monitor(), COMPACT))
    target = tmp_path / "annotated.json"

    kernelmap.correlate(recorded).annotate(target)

    assert _found(validator, target) == _found(validator, recorded) == []
