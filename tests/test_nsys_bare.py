"""Nsight Systems exports without torch's ranges: kernels alone, and marks of code on the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from capture.bundle_world import recorded
from kernelmap import correlate
from kernelmap.capture.contents import finished
from kernelmap.capture.folder import write_manifest
from kernelmap.compiler import load_compiled
from kernelmap.model.bundle import NSYS, SQLITE, read_manifest
from kernelmap.model.marks import DOMAIN, MarkedCall, MarkedGraph, encode_mark
from kernelmap.traces import load_trace
from test_thread_case import WRAPPERS
from traces.small_nsys import (
    KERNEL,
    NVTX,
    RUNTIME,
    Record,
    api,
    kernel,
    push_pop,
    strings,
    write_export,
)


@pytest.fixture(scope="module")
def folder(samples: Path) -> Path:
    return samples / "thread_lift_fresh"


@pytest.fixture(params=[None, "my step"], ids=["no range", "a user's range"])
def bare(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> Path:
    """The kernels and api calls of the thread case, in no range or in one of a user's."""
    trace = load_trace(folder / "profile.json")
    launches, apis = trace.launches, trace.apis
    names = (*launches.names, *apis.names)
    kernels = [
        kernel(start, start + dur, correlationId=correlation, demangledName=1 + name)
        for start, dur, correlation, name in zip(
            (launches.start_ns - trace.origin_ns).tolist(),
            launches.dur_ns.tolist(),
            launches.correlation.tolist(),
            launches.name_id.tolist(),
            strict=True,
        )
    ]
    calls = [
        api(start, start + dur, correlationId=correlation, nameId=1 + len(launches.names) + name)
        for start, dur, correlation, name in zip(
            (apis.start_ns - trace.origin_ns).tolist(),
            apis.dur_ns.tolist(),
            apis.correlation.tolist(),
            apis.name_id.tolist(),
            strict=True,
        )
    ]
    around = [push_pop(0, 10**12, request.param, globalTid=calls[0]["globalTid"])]
    tables = {KERNEL: kernels, RUNTIME: calls, "StringIds": strings(*names)}
    tables |= {NVTX: around} if request.param else {}
    return write_export(tmp_path / "bare.sqlite", tables)


def test_kernels_without_ranges_are_placed_by_their_order(folder: Path, bare: Path) -> None:
    """Api calls alone name no statement, but the place in the step does, never exactly."""
    launches = correlate(folder / "output_code.py", bare).launches

    assert launches.groupby("wrapper").size().to_dict() == WRAPPERS
    assert set(launches["confidence"]) == {"inferred"}
    assert set(launches["method"]) == {"alignment"}
    assert set(launches.groupby("invocation").size()) == {7}


def test_kernels_placed_by_their_order_are_explained(folder: Path, bare: Path) -> None:
    """The evidence names the neighbors that show which kernel stands behind the shared name."""
    correlation = correlate(folder / "output_code.py", bare)
    (explanation,) = correlation.correlated(int(correlation.trace.launches.correlation[3]))

    assert "output_code/3" in explanation.verdict
    assert any("after launch 2" in sentence for sentence in explanation.evidence)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A run on the CPU that was captured with nsys: two steps, nothing in the report but marks."""
    folder = recorded(tmp_path / "bundle", trace=False)
    rows: list[Record] = [push_pop(0, None, DOMAIN, eventType=75, domainId=1)]
    at = 10
    for graph in load_compiled(folder).graphs * 2:
        assert graph.digest is not None
        begin, at = at, at + 1
        for call in graph.calls:
            mark = MarkedCall(digest=graph.digest, index=call.index, wrapper=call.wrapper)
            rows.append(push_pop(at, at + 10, encode_mark(mark), domainId=1))
            at += 20
        around = MarkedGraph(digest=graph.digest, name=graph.aot_id)
        rows.append(push_pop(begin, at, encode_mark(around), domainId=1))
    (folder / NSYS).mkdir()
    write_export(folder / NSYS / SQLITE, {NVTX: rows})
    write_manifest(folder, finished(folder, read_manifest(folder)))
    return folder


def test_a_bundle_of_nsys_names_every_call_on_the_cpu(bundle: Path) -> None:
    """Each mark of a call is a launch of that call, exactly, with its wrapper's name."""
    correlation = correlate(bundle)
    launches = correlation.launches

    assert len(launches) == 2 * sum(len(graph.calls) for graph in correlation.program.graphs)
    assert set(launches["activity"]) == {"cpu"}
    assert set(launches["confidence"]) == {"exact"}
    assert set(launches["method"]) == {"mark"}
    assert np.array_equal(launches["name"], launches["wrapper"])
    assert set(launches["invocation"]) == {0, 1}
    assert set(launches["dur_ns"]) == {10}
