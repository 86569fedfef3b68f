"""A row of the kernels counts the calls that ran under its device name, and no others."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings

import kernelmap
from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.options import Options


@pytest.mark.parametrize("sample", ["sim_gpt_train", "sim_mlp_train", "cpu_block"])
def test_calls_of_a_wrapper_under_several_device_names(samples: Path, sample: str) -> None:
    """A library's wrapper runs many device kernels; a row has only the calls that ran its own."""
    result = kernelmap.correlate(samples / sample)
    launches = result.launches.dropna(subset=["call"])
    graphs = launches["call"].str.rpartition("/")[0]
    expected = launches.groupby([graphs, "wrapper", "name"])["call"].nunique()
    rows = result.kernels.dropna(subset=["wrapper"])

    counted = rows.set_index(["graph", "wrapper", "device_name"])["calls"]
    assert counted.to_dict() == expected.to_dict()


@settings(max_examples=examples(40))
@given(worlds())
def test_every_call_of_a_row_ran_it_or_may_have(world: tuple[CompiledProgram, Trace]) -> None:
    """The calls of a row are those of its launches and the candidates of its ambiguous ones."""
    result = match_launches(*world)
    trace, matching, program = world[1], result.matching, result.program
    ran: dict[tuple[str | None, str | None, str], set[int]] = defaultdict(set)
    for row, name_id in enumerate(trace.launches.name_id.tolist()):
        call = int(matching.call[row])
        calls = {call} if call >= 0 else set(matching.candidates_of(row))
        owners = {(program.calls[c][0].id, program.calls[c][1].wrapper) for c in calls}
        owner = owners.pop() if len(owners) == 1 else (None, None)
        ran[(*owner, trace.launches.names[name_id])] |= calls if owner != (None, None) else set()

    rows = attribute_time(program, trace, matching, Options()).kernels
    assert {(r.graph, r.wrapper, r.device_name): r.calls for r in rows} == {
        key: len(calls) for key, calls in ran.items()
    }
