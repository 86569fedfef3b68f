"""How each call ran: its device names and its configuration."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.options import Options
from kernelmap.tables.build import Tables, build_tables
from kernelmap.tables.calls import percentile_of
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import CALLS
from tiny import Timeline, graph, program

ADD = graph("0_forward", "triton_poi_fused_add_0", "aten.mm", "triton_poi_fused_add_0")


def tables(compiled: CompiledProgram, trace: Trace) -> Tables:
    matched = match_launches(compiled, trace)
    attributed = attribute_time(matched.program, trace, matched.matching, Options())
    return build_tables(matched.program, trace, matched.matching, attributed)


def test_a_call_says_how_it_ran() -> None:
    """Device names come from its launches, its configuration from the range of most of them."""
    line = Timeline()
    for kwargs in ("XBLOCK=256", "XBLOCK=128", "XBLOCK=128"):
        line.invoke(ADD, kwargs=kwargs)
    row_of_call = {
        row["call"]: row
        for row in rows_of_frame(CALLS, tables(program(ADD), line.trace()).frame("calls"))
    }

    assert row_of_call["0_forward/0"]["config"] == "XBLOCK=128"
    assert row_of_call["0_forward/0"]["device_names"] == ["triton_poi_fused_add_0"]
    assert row_of_call["0_forward/1"]["device_names"] == ["sgemm"]


def test_fingerprints_stand_in_the_tables() -> None:
    """Equal calls of a graph are numbered, the graph has one of its own, rest rows have none."""
    tables_ = tables(program(ADD), Timeline().invoke(ADD).eager("aten::add").trace())
    calls = tables_.frame("calls").set_index("call")["fingerprint"].to_dict()
    rest = tables_.frame("calls").query("call.isna()")["fingerprint"]

    assert calls["0_forward/2"] == calls["0_forward/0"] + "~1"
    assert calls["0_forward/1"] not in calls["0_forward/2"]
    assert rest.isna().all()
    assert tables_.frame("graphs")["fingerprint"].notna().tolist() == [True, False]


def test_what_only_the_trace_knows_has_no_fingerprint() -> None:
    """Without code nothing says what a call computes."""
    calls = tables(program(), Timeline().invoke(ADD).trace()).frame("calls")

    assert calls["call"].notna().any()
    assert calls["fingerprint"].isna().all()


@given(
    times=st.lists(st.integers(0, 2**53), min_size=2, max_size=40), part=st.sampled_from([50, 95])
)
def test_percentiles_are_those_of_numpy(times: list[int], part: int) -> None:
    """To the last digit, whatever lies between the two times around the place."""
    ordered = np.sort(np.array(times, dtype=np.int64))

    assert percentile_of(ordered, part / 100) == float(np.percentile(ordered, part))
