"""What ran: activities, devices, and the graph nodes that were replayed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from kernelmap.model.busy_time import BusyTime
from kernelmap.model.trace import Activity, Trace
from kernelmap.speed.limits.device_limits import limits_of
from kernelmap.traces import load_trace
from kernelmap.traces.assemble import assemble_trace
from kernelmap.traces.formats import NsysReader
from traces.small_nsys import (
    KERNEL,
    NODES,
    RUNTIME,
    Record,
    api,
    gid,
    kernel,
    launched,
    node,
    strings,
    write_export,
)

EXECUTED = 5 << 32 | 1
CAPTURED = 3 << 32 | 1
CLONED = 4 << 32 | 1


def traced(path: Path, *kernels: Record, **more: list[Record]) -> Trace:
    return load_trace(write_export(path / "x.sqlite", launched(*kernels, **more)))


def origins(path: Path, *nodes: Record, **kernels: Record) -> list[int | None]:
    """When the node of each replayed kernel was made, None where that is not certain."""
    replayed = kernels.values() or [kernel(90, 95, graphNodeId=EXECUTED)]
    trace = traced(path, *replayed, **{NODES: list(nodes)})
    return [
        int(trace.apis.start_ns[row]) if row >= 0 else None
        for row in trace.launches.origin.tolist()
    ]


def test_a_node_goes_back_to_the_call_that_was_captured(tmp_path: Path) -> None:
    """Clones are followed to the node that has no original, however many there are."""
    chain = [node(60, EXECUTED, CLONED), node(40, CLONED, CAPTURED), node(20, CAPTURED)]

    assert origins(tmp_path, *chain) == [20]


def test_a_node_that_was_never_cloned_is_its_own_origin(tmp_path: Path) -> None:
    """A graph that is launched as it was made needs no chain."""
    assert origins(tmp_path, node(20, EXECUTED)) == [20]


UNCERTAIN = {
    "an original from before the recording": [node(60, EXECUTED, CAPTURED)],
    "a circle": [node(60, EXECUTED, CLONED), node(40, CLONED, EXECUTED)],
    "its own original": [node(60, EXECUTED, EXECUTED)],
    "two originals": [
        node(60, EXECUTED, CLONED),
        node(61, EXECUTED, CAPTURED),
        node(40, CLONED),
        node(20, CAPTURED),
    ],
    "a chain into a circle": [
        node(60, EXECUTED, CLONED),
        node(40, CLONED, CAPTURED),
        node(20, CAPTURED, CLONED),
    ],
    "another process": [node(20, EXECUTED, globalTid=gid(8, 1))],
    "no rows": [node(20, CAPTURED)],
}


@pytest.mark.parametrize("case", UNCERTAIN)
def test_a_chain_that_leads_nowhere_is_no_origin(case: str, tmp_path: Path) -> None:
    """What is not certain is left open."""
    assert origins(tmp_path, *UNCERTAIN[case]) == [None]


def test_events_of_no_node_say_nothing_of_nodes(tmp_path: Path) -> None:
    """The old table of graph events may hold rows of whole graphs, whose node is NULL."""
    nameless = {**node(10, 0), "graphNodeId": None}

    assert origins(tmp_path, node(20, EXECUTED), nameless) == [20]


def test_equal_nodes_of_two_processes_are_two(tmp_path: Path) -> None:
    """Node ids count anew in each process."""
    nodes = [node(20, EXECUTED), node(30, EXECUTED, globalTid=gid(8, 1))]
    kernels = {
        "first": kernel(90, 95, graphNodeId=EXECUTED, globalPid=gid(8)),
        "second": kernel(96, 99, graphNodeId=EXECUTED),
    }

    assert origins(tmp_path, *nodes, **kernels) == [30, 20]


def test_old_exports_keep_nodes_in_the_table_of_graph_events(tmp_path: Path) -> None:
    """The table's columns say what it holds; a newer one of that name is passed over."""
    old = traced(
        tmp_path,
        kernel(90, 95, graphNodeId=EXECUTED),
        CUDA_GRAPH_EVENTS=[node(20, EXECUTED)],
    )
    new = load_trace(
        write_export(
            tmp_path / "new.sqlite",
            launched(
                kernel(90, 95, graphNodeId=EXECUTED),
                CUDA_GRAPH_EVENTS=[{"start": 1, "end": 2, "graphId": 5}],
                **{NODES: [node(20, EXECUTED)]},
            ),
        )
    )

    assert old.launches.origin.tolist() == new.launches.origin.tolist() == [1]


def test_origins_point_into_the_whole_of_several_exports(tmp_path: Path) -> None:
    """Put beside another export, a launch still finds its creation."""
    nodes = {NODES: [node(20, EXECUTED)]}
    paths = [
        write_export(
            tmp_path / f"{end}.sqlite", launched(kernel(90, end, graphNodeId=EXECUTED), **nodes)
        )
        for end in (95, 96)
    ]
    trace = load_trace(*paths)

    assert trace.launches.origin.tolist() == [1, 3]
    assert trace.apis.start_ns[trace.launches.origin].tolist() == [20, 20]


def test_copies_and_fills_are_named_as_kineto_names_them(tmp_path: Path) -> None:
    """One spelling of what is no kernel, whoever recorded it; a copy may have no call."""
    place: Record = {"deviceId": 0, "streamId": 7, "correlationId": None, "globalPid": gid(7)}
    trace = traced(
        tmp_path,
        kernel(10, 20),
        CUPTI_ACTIVITY_KIND_MEMCPY=[
            {"start": 30, "end": 35, **place, "copyKind": 1, "srcKind": 1, "dstKind": 2},
            {"start": 40, "end": 45, **place, "copyKind": 99, "srcKind": None, "dstKind": 2},
        ],
        CUPTI_ACTIVITY_KIND_MEMSET=[{"start": 50, "end": 55, **place, "memKind": 2}],
    )
    launches = trace.launches

    assert [launches.names[name] for name in launches.name_id] == [
        "sgemm",
        "Memcpy HtoD (Pinned -> Device)",
        "Memcpy Unknown (Unknown -> Device)",
        "Memset (Device)",
    ]
    assert launches.activity.tolist() == [
        Activity.KERNEL,
        Activity.MEMCPY,
        Activity.MEMCPY,
        Activity.MEMSET,
    ]
    assert launches.api.tolist() == [0, -1, -1, -1]


def test_a_graph_whose_kernels_are_there_does_not_count_twice(tmp_path: Path) -> None:
    """A graph's own row holds time only where its kernels were not recorded."""
    whole: Record = {"deviceId": 0, "streamId": 7, "globalPid": gid(7), "graphId": 5}
    trace = traced(
        tmp_path,
        kernel(10, 20, graphNodeId=EXECUTED),
        CUPTI_ACTIVITY_KIND_GRAPH_TRACE=[
            {"start": 10, "end": 30, "correlationId": 1, **whole},
            {"start": 40, "end": 60, "correlationId": 2, **whole},
        ],
    )

    assert trace.launches.dur_ns.tolist() == [10, 20]
    assert trace.launches.names[trace.launches.name_id[1]] == "CUDA graph 5"
    assert trace.launches.graph.tolist() == [5, 5]


def test_gpus_are_found_by_ordinal_not_by_the_order_of_the_table(tmp_path: Path) -> None:
    """`id` counts GPUs in another order than CUDA does."""
    listed: list[Record] = [
        {"id": 0, "cuDevice": 1, "name": "second"},
        {"id": 1, "cuDevice": 0, "name": "first"},
    ]
    trace = traced(tmp_path, kernel(10, 20), kernel(10, 20, deviceId=1), TARGET_INFO_GPU=listed)

    assert [(device.id, device.name) for device in trace.devices] == [(0, "first"), (1, "second")]


def two_ranks(path: Path, *devices: Record) -> Trace:
    """Two processes that both call their GPU 0, at the same time."""
    return traced(
        path,
        kernel(10, 20),
        kernel(10, 20, globalPid=gid(8)),
        TARGET_INFO_GPU=[{"id": 4, "name": "A"}, {"id": 6, "name": "B"}],
        TARGET_INFO_CUDA_DEVICE=list(devices) or [{"gpuId": 9, "cudaId": 9, "pid": 9}],
    )


def busy(trace: Trace) -> int:
    return BusyTime(trace).of_ns(np.ones(len(trace.launches), dtype=np.bool_))


def test_device_0_of_two_processes_is_two_gpus_unless_it_is_known_to_be_one(
    tmp_path: Path,
) -> None:
    """CUDA_VISIBLE_DEVICES makes every rank's GPU device 0: busy times must not merge."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    unknown = two_ranks(tmp_path)
    apart = two_ranks(
        tmp_path / "a",
        {"gpuId": 4, "cudaId": 0, "pid": 7},
        {"gpuId": 6, "cudaId": 0, "pid": 8},
    )
    one = two_ranks(
        tmp_path / "b",
        {"gpuId": 6, "cudaId": 0, "pid": 7},
        {"gpuId": 6, "cudaId": 0, "pid": 8},
    )

    assert (busy(unknown), busy(apart), busy(one)) == (20, 20, 10)
    assert {(it.process, it.name) for it in apart.devices} == {(0, "A"), (1, "B")}
    assert {(it.process, it.name) for it in one.devices} == {(None, "B")}


A100, WHOLE = "NVIDIA A100-SXM4-40GB", 108


def test_a_gpu_has_the_bandwidth_that_the_export_states(tmp_path: Path) -> None:
    """In bytes per second, by the name of the GPU; none where the export does not say."""
    (tmp_path / "silent").mkdir()
    stated: Record = {"id": 0, "cuDevice": 0, "name": A100, "memoryBandwidth": 1_555_200_000_000}
    silent: Record = {**stated, "memoryBandwidth": None}
    traces = [
        traced(path, kernel(10, 20), TARGET_INFO_GPU=[gpu])
        for path, gpu in ((tmp_path, stated), (tmp_path / "silent", silent))
    ]

    assert [trace.devices[0].bandwidth for trace in traces] == [1_555_200_000_000, None]


@pytest.mark.parametrize("processors", [14, 42, WHOLE])
def test_a_slice_of_a_gpu_has_a_name_of_its_own(tmp_path: Path, processors: int) -> None:
    """A process with fewer multiprocessors than the GPU has a part of it, and so other limits."""
    gpu: Record = {
        "id": 4,
        "cuDevice": 0,
        "name": A100,
        "smCount": WHOLE,
        "memoryBandwidth": 1_555_200_000_000,
    }
    cuda_device: Record = {"gpuId": 4, "cudaId": 0, "pid": 7, "numMultiprocessors": processors}
    trace = traced(
        tmp_path, kernel(10, 20), TARGET_INFO_GPU=[gpu], TARGET_INFO_CUDA_DEVICE=[cuda_device]
    )
    (device,) = trace.devices
    is_slice = processors < WHOLE

    assert device.name == (f"{A100} ({processors} of 108 multiprocessors)" if is_slice else A100)
    assert (device.bandwidth is None) == is_slice
    assert (limits_of([device.name]) == {}) == is_slice


def test_kernels_find_their_call_by_process_and_correlation(tmp_path: Path) -> None:
    """The same correlation id in two processes is two calls."""
    rows = [api(1, 3), api(4, 6, globalTid=gid(8, 1))]
    trace = traced(tmp_path, kernel(10, 20), kernel(30, 40, globalPid=gid(8)), **{RUNTIME: rows})

    assert trace.apis.start_ns[trace.launches.api].tolist() == [1, 4]


def test_a_kernel_is_called_by_its_demangled_name(tmp_path: Path) -> None:
    """The fullest name is shown; where it is missing, what there is."""
    names = strings("void k<(int)4>(T1)", "cudaLaunchKernel_v7000", "k", "_Z1kIi4Ev")
    given = {"shortName": 3, "mangledName": 4}
    trace = traced(
        tmp_path,
        kernel(10, 20, **given),
        kernel(30, 40, demangledName=None, **given),
        StringIds=names,
    )

    assert [trace.launches.names[name] for name in trace.launches.name_id] == [
        "void k<(int)4>(T1)",
        "k",
    ]


def test_tables_without_rows_are_no_error(tmp_path: Path) -> None:
    """`nsys export --lazy=false` writes every table, and most of them are empty."""
    path = write_export(tmp_path / "x.sqlite", launched(kernel(10, 20)))
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in (KERNEL, RUNTIME, "StringIds"):
            connection.execute(f"DELETE FROM {table}")  # noqa: S608 -- our own tables
    trace = assemble_trace(NsysReader().read(path))

    assert len(trace.launches) == len(trace.apis) == len(trace.ranges) == 0


def test_a_text_of_many_ids_is_one_name(tmp_path: Path) -> None:
    """Ids with equal texts have one name, however often the export lists the text."""
    texts = strings("sgemm", "cudaLaunchKernel_v7000", "sgemm", "cudaLaunchKernel_v7000", "other")
    kernels = [kernel(at * 10, at * 10 + 5, demangledName=1 + at % 3 * 2) for at in range(6)]
    apis = [api(at * 10 + 7, at * 10 + 8, nameId=2 + at % 2 * 2) for at in range(6)]
    tables = {KERNEL: kernels, RUNTIME: apis, "StringIds": texts}
    raw = NsysReader().read(write_export(tmp_path / "x.sqlite", tables))

    assert raw.launches.names == ("sgemm", "other")
    assert [raw.launches.names[name_id] for name_id in raw.launches.name_id] == [
        "sgemm",
        "sgemm",
        "other",
    ] * 2
    assert raw.apis.names == ("cudaLaunchKernel",)
