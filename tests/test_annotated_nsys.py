"""Exports of nsys as Chrome traces: what a viewer and our own reader find in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from kernelmap import Correlation, KernelmapError, correlate
from kernelmap.compiler import load_compiled
from kernelmap.model.trace import Activity
from kernelmap.traces.track_text import exact_text, seen_ns
from kernelmap.views.frames import rows
from kernelmap.views.schema import LAUNCHES
from test_annotated_traces import Json, numbers_as_text, text_of
from traces.small_nsys import api, gid, kernel, launched, push_pop, strings, write_export
from worlds import World, simulate
from worlds.nsys import Export, write_nsys

READINGS: dict[str, Callable[[str], int]] = {
    "cut": seen_ns,
    "rounded": lambda text: round(float(text) * 1000),
}


def assert_same_answer(first: Correlation, second: Correlation) -> None:
    """Same launches at the same time, with the same call for the same reason."""
    assert len(first.trace.launches) == len(second.trace.launches) > 0
    for one, other in zip(
        rows(LAUNCHES, first.launches), rows(LAUNCHES, second.launches), strict=True
    ):
        # GPUs that every process counts for itself are numbered anew, and so are events
        for name in one.keys() - {"event", "device"}:
            assert one[name] == other[name], (name, one, other)
    assert first.attribution.ledger == second.attribution.ledger
    for name in ("start_ns", "dur_ns", "grid", "block", "graph", "graph_node", "correlation"):
        one, other = getattr(first.trace.launches, name), getattr(second.trace.launches, name)
        np.testing.assert_array_equal(one, other)


def assert_every_slice_is_shown(events: Sequence[Json]) -> None:
    """On no track does a slice stick out of one that it began in, however times are read."""
    for read in READINGS.values():
        tracks: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                start = read(event["ts"])
                tracks[event["pid"], event["tid"]].append((start, start + read(event["dur"])))
        for slices in tracks.values():
            ends: list[int] = []
            for start, end in sorted(slices, key=lambda each: each[0]):
                while ends and ends[-1] <= start:
                    ends.pop()
                assert not ends or end <= ends[-1]
                ends.append(end)


def annotated(code: Sequence[Path], source: Path, target: Path) -> tuple[Correlation, list[Json]]:
    """The correlation of `source`, held against that of its annotated trace, and the events."""
    first = correlate(*code, source)
    done = first.annotate(target)
    events = numbers_as_text(text_of(target))

    assert done.notices == ()
    assert_same_answer(first, correlate(*code, target))
    assert_every_slice_is_shown(events)
    facts = [it["args"]["kernelmap"] for it in events if "kernelmap" in it.get("args", {})]
    placed = int((first.matching.call >= 0).sum())
    assert sum(facts_["launches"] for facts_ in facts if "launches" in facts_) == placed
    assert sum("launches" not in facts_ for facts_ in facts) == len(first.trace.launches)
    return first, events


@pytest.mark.parametrize(
    "export", [Export(), Export(marks=True, ranges=False), Export(graphs_whole=True)]
)
@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
@pytest.mark.parametrize("processes", [1, 2])
def test_an_annotated_export_is_correlated_as_before(
    processes: int, graphs: bool, export: Export, samples: Path, tmp_path: Path
) -> None:
    """Replays find the call that was captured, and processes with colliding ids stay apart."""
    code = samples / "sim_mlp_train"
    program = load_compiled(code)
    worlds = [simulate(program, World(seed=5 + at, cuda_graphs=graphs)) for at in range(processes)]
    write_nsys(tmp_path / "x.sqlite", worlds, export)
    first, events = annotated([code], tmp_path / "x.sqlite", tmp_path / "out.json.gz")
    whole = {it["cat"] for it in events if it["ph"] == "X"}

    assert ("cuda_graph" in whole) == (graphs and export.graphs_whole)
    assert len({it["pid"] for it in events if it.get("cat") == "cuda_runtime"}) == processes
    assert first.trace.launches.correlation.min() > 0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["h100_2gpu_1s_2026.2", "saxpy_mpi_2022.2"])
def test_an_annotated_foreign_export_is_correlated_as_before(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    """The same of exports that nobody here made."""
    annotated([], corpus / "nsys" / f"{name}.sqlite", tmp_path / "out.json")
