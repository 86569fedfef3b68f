"""What the host did in a gap of a slow rank, by the name of its range."""

from __future__ import annotations

import pytest

from kernelmap.fleet.slow import IDLE, LATE_DATA, RECOMPILED, cause_of_gap
from kernelmap.views.rows import Row

_COMPILED: list[Row] = [{"first_step": 3}]


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("_compile.compile_inner (dynamo_timed)", RECOMPILED),
        ("CachingAutotuner.benchmark_all_configs (dynamo_timed)", RECOMPILED),
        ("Torch-Compiled Region: 0/0", IDLE),
        ("my_compile_step", IDLE),
        ("compile_loop", IDLE),
        ("train_dynamo", IDLE),
        ("autotune_lr", IDLE),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", LATE_DATA),
        ("get_batch", LATE_DATA),
        ("FSDP::pre_forward_prefetch for layers.1", IDLE),
    ],
)
def test_a_range_of_the_user_is_no_compilation(name: str, cause: str) -> None:
    """A gap is a recompilation in ranges that torch writes, never by a word in a user's range."""
    assert cause_of_gap(name, 3, []) == cause


def test_a_gap_in_no_range_is_a_recompilation_where_a_graph_is_new() -> None:
    """Without a range, the first run of code that only this rank compiled explains the gap."""
    assert cause_of_gap(None, 3, _COMPILED) == RECOMPILED
    assert cause_of_gap(None, 4, _COMPILED) == IDLE
