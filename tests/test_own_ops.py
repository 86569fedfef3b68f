"""Over real Inductor code: the time of library calls goes to their own op."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap import Correlation, correlate
from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.model import Backend
from read_once import compiled
from worlds import World, simulate

pytestmark = pytest.mark.corpus

CASES = (
    "triton_mlp",
    "triton_attnflash",
    "triton_foreach",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)


@pytest.fixture(params=CASES)
def correlation(request: pytest.FixtureRequest, corpus: Path, tmp_path: Path) -> Correlation:
    code = corpus / "inductor" / request.param
    trace = tmp_path / "trace.json"
    simulate(compiled(code), World(seed=5, invocations=4)).write_kineto(trace)
    return correlate(code, trace)


def test_library_time_belongs_to_the_calls_own_op(correlation: Correlation) -> None:
    """An op's time is at least that of the library calls that are this op."""
    ops = correlation.ops[correlation.ops["origin"] == "compiled"].set_index("name")["time_ns"]
    library_ns: dict[str, int] = {}
    times = correlation.calls.set_index("call")["time_ns"]
    for graph, call in correlation.program.calls:
        if call.backend is not Backend.EXTERN or call.origins is None:
            continue
        listed = [op for op in call.origins.aten if op not in ALIAS_OPS]
        op = call.target if call.target in listed or not listed else listed[-1]
        library_ns[str(op)] = library_ns.get(str(op), 0) + int(times[graph.call_id(call)])

    for op, time_ns in library_ns.items():
        assert 0 < time_ns <= int(ops[op]), op


def test_every_table_adds_up(correlation: Correlation) -> None:
    """Each table of the window adds up to the window."""
    total = correlation.attribution.total_ns

    for table in ("ledger", "calls", "kernels", "ops", "modules", "nodes", "graphs"):
        assert int(correlation.tables.frame(table)["time_ns"].sum()) == total, table
