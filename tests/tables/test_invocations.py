"""The table of invocations: the table of calls before it is added up."""

from __future__ import annotations

import pandas as pd
from hypothesis import given, settings
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.options import Options
from kernelmap.tables.build import Tables, build_tables
from kernelmap.tables.schema import INVOCATIONS
from tiny import Timeline, graph, program

ADD = graph("0_forward", "triton_poi_fused_add_0", "aten.mm")


def tables(compiled: CompiledProgram, trace: Trace) -> Tables:
    matched = match_launches(compiled, trace)
    attributed = attribute_time(matched.program, trace, matched.matching, Options())
    return build_tables(matched.program, trace, matched.matching, attributed)


@settings(max_examples=examples(50))
@given(worlds())
def test_invocations_add_up_to_calls(world: tuple[CompiledProgram, Trace]) -> None:
    """The rows of each call, and of each rest row, have its launches and its time."""
    tables_ = tables(*world)
    names = ["call", "wrapper"]
    sums = ["launches", "time_ns"]
    added = tables_.frame("invocations").groupby(names, dropna=False)[sums].sum()
    calls = tables_.frame("calls").query("launches > 0").groupby(names, dropna=False)[sums].sum()

    assert added.sort_index().to_dict() == calls.sort_index().to_dict()


def test_a_row_is_one_execution() -> None:
    """Three runs of a graph of two calls are six rows, each with its number and its graph."""
    line = Timeline().invoke(ADD).invoke(ADD).eager("aten::add", launches=2).invoke(ADD)
    frame = tables(program(ADD), line.trace()).frame("invocations")

    assert list(frame.columns) == list(INVOCATIONS.by_name)
    assert frame["invocation"].tolist()[:6] == [0, 1, 2, 0, 1, 2]
    assert frame["call"].tolist()[:6] == ["0_forward/0"] * 3 + ["0_forward/1"] * 3
    assert frame["wrapper"].tolist()[6:] == ["(outside compiled code)"]
    assert frame["time_ns"].tolist() == [100] * 6 + [200]


def test_outside_time_is_recognized_by_its_op() -> None:
    """One row per op and step outside compiled code; what belongs to a call has no op here."""
    line = Timeline().invoke(ADD).eager("aten::cat", launches=2).eager("aten::add")
    frame = tables(program(ADD), line.eager("aten::cat").trace()).frame("invocations")

    assert frame["op"].tolist() == [pd.NA, pd.NA, "aten.add", "aten.cat"]
    assert frame["launches"].tolist() == [1, 1, 1, 3]


def test_a_result_without_invocations_says_so() -> None:
    """A file that left them out has none: an error, not an empty table."""
    tables_ = tables(program(ADD), Timeline().invoke(ADD).trace())

    assert "invocations" in tables_.held
    assert "invocations" not in replace(tables_, make_invocations=None).held
