"""The thread case: one device name for five wrappers, with the host side and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap import Correlation, correlate

WRAPPERS = {
    "triton_poi_fused_lift_fresh_0": 200,
    "triton_poi_fused_arange_1": 100,
    "triton_poi_fused_lift_fresh_2": 100,
    "triton_poi_fused_lift_fresh_3": 100,
    "triton_poi_fused_lift_fresh_4": 100,
    "triton_poi_fused_lift_fresh_5": 100,
}


@pytest.fixture(scope="module")
def folder(samples: Path) -> Path:
    return samples / "thread_lift_fresh"


@pytest.fixture(scope="module")
def with_host(folder: Path) -> Correlation:
    return correlate(folder / "output_code.py", folder / "profile.json")


@pytest.fixture(scope="module")
def gpu_only(folder: Path) -> Correlation:
    return correlate(folder / "output_code.py", folder / "profile_gpu_only.json.gz")


def test_the_host_side_names_every_launch(with_host: Correlation) -> None:
    """With ranges the legacy names don't matter: every launch has its call, exactly."""
    launches = with_host.launches
    counted = launches.groupby("wrapper").size().to_dict()

    assert counted == WRAPPERS
    assert set(launches["confidence"]) == {"exact"}
    assert set(launches["name"]) == {"triton__0d1c", "triton__0d1"}


def test_the_two_calls_of_one_wrapper_are_kept_apart(with_host: Correlation) -> None:
    """lift_fresh_0 runs twice per invocation, as two calls with half of the launches each."""
    calls = with_host.calls
    twice = calls[calls["wrapper"] == "triton_poi_fused_lift_fresh_0"]

    assert sorted(twice["launches"]) == [100, 100]
    assert len(set(twice["line"])) == 2


def test_without_the_host_side_the_order_decides(gpu_only: Correlation) -> None:
    """One device name, five kernels: the place in the step says which, never exactly."""
    launches = gpu_only.launches
    counted = launches.groupby("wrapper").size().to_dict()

    assert counted == WRAPPERS
    assert set(launches["confidence"]) == {"inferred"}
    assert set(launches["method"]) == {"alignment"}
    assert set(launches.groupby("invocation").size()) == {7}


def test_which_divides_the_launches_by_the_code(gpu_only: Correlation) -> None:
    """600 launches over six calls a run: 200 for what runs twice, 100 for the others."""
    hits = gpu_only.which("triton__0d1c")
    expected = {name: n for name, n in WRAPPERS.items() if "lift_fresh" in name}

    assert {hit.wrapper: hit.launches for hit in hits} == expected
    assert all("legacy suffix" in hit.rule for hit in hits)


def test_bare_launches_reach_their_ops(gpu_only: Correlation) -> None:
    """What is inferred by order counts for calls and ops alike."""
    launches = dict(zip(gpu_only.ops["name"], gpu_only.ops["launches"], strict=True))

    assert launches == {"aten.lift_fresh": 600, "aten.arange": 100}
