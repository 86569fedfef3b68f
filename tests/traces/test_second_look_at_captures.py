"""What the file says of captured launches: grids of generated kernels, functions, modules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelmap.model import RangeDetail
from kernelmap.traces import captured_details, load_trace
from kernelmap.traces.kineto.open_modules import _OpenModule, _paths_at
from kernelmap.traces.second_look_at_captures import _shape_of
from worlds.engine import Engine, capture


@pytest.mark.parametrize(
    ("name", "numbers", "kwargs", "grid"),
    [
        ("triton_poi_fused_add_0", [8192], "XBLOCK=256", (32, 1)),
        ("triton_poi_fused_clone_1", [16, 2048], "YBLOCK=4, XBLOCK=256", (8, 4)),
        ("triton_per_fused_norm_0", [5, 512], "XBLOCK=2", (3, 1)),
        ("triton_red_fused_norm_0", [5, 4096], "XBLOCK=1, R0_BLOCK=2048", (5, 1)),
        # A symbol's value stands before the sizes.
        ("triton_poi_fused_add_0", [7, 8192], "XBLOCK=256", (32, 1)),
        # What splits a reduction, or reduces twice, has other grids.
        ("triton_red_fused_norm_0", [5, 4096], "XBLOCK=1, R0_BLOCK=64, RSPLIT=8", None),
        ("triton_red_fused_norm_0", [5, 64, 64], "XBLOCK=1, R0_BLOCK=8, R1_BLOCK=8", None),
        ("triton_tem_fused_mm_0", [5, 64], "XBLOCK=1", None),
        ("my_kernel", [8192], "XBLOCK=256", None),
        ("triton_poi_fused_add_0", [], "XBLOCK=256", None),
        ("triton_poi_fused_add_0", [8192], "", None),
        ("triton_poi_fused_add_0", [8192], "XBLOCK=0", None),
    ],
)
def test_a_grid_follows_from_sizes_and_blocks(
    name: str, numbers: list[int], kwargs: str, grid: tuple[int, int] | None
) -> None:
    """Of pointwise kernels and plain reductions; of nothing else."""
    shape = _shape_of(name, numbers, RangeDetail(kernel_kwargs=kwargs, num_warps=4))

    assert shape == (None if grid is None else (*grid, 1, 128, 1, 1))


def test_modules_that_are_open_make_a_path() -> None:
    """From the outside inwards; a module that ended is out, also where the next begins at once."""
    frames = [
        _OpenModule(10, 30, "Linear_0"),
        _OpenModule(0, 100, "Model_0"),
        _OpenModule(30, 50, "Linear_1"),
    ]

    assert _paths_at(frames, [40, 5, 20, 60, 30, 100]) == [
        "Model_0.Linear_1",
        "Model_0",
        "Model_0.Linear_0",
        "Model_0",
        "Model_0.Linear_1",
        None,
    ]


def test_a_capture_says_where_its_launches_came_from(tmp_path: Path) -> None:
    """Functions of eager launches, grids of generated kernels."""
    path = tmp_path / "bs_4.json"
    capture(path, Engine(layers=1), [4])
    trace = load_trace(path, may_be_capture=True)
    launching = np.flatnonzero(
        [trace.apis.names[name] == "cuLaunchKernelEx" for name in trace.apis.name_id.tolist()]
    )
    details = list(captured_details(trace, launching).values())

    # Compiled code has no frame of its own there: what holds it is the function that captured.
    compiled = {7, 9}
    assert [detail.place.function if detail.place else None for detail in details] == [
        "capture" if at in compiled else "forward" for at in range(13)
    ]
    assert [detail.shape[:3] for detail in details if detail.shape] == [(4, 1, 1), (16, 1, 1)]
