"""What rocprofv3 writes, as JSON and as a database, gives what torch's profiler gives on ROCm."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import kernelmap
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError
from kernelmap.model.trace import Activity, Trace
from kernelmap.pipeline import correlate_apart
from kernelmap.traces import load_trace
from kernelmap.traces.formats import READERS, NsysReader, RocpdReader, RocprofJsonReader
from traces import small_rocm as rocm
from traces.small_rocm import tiny_run
from worlds import World, simulate

TRAIN = Path(__file__).resolve().parent.parent.parent / "sample_traces" / "sim_mlp_train"
CODE = ("model__0_forward_1.0", "model__0_backward_2.1")
TABLES = ("calls", "kernels", "ops", "modules", "nodes", "lines", "graphs", "ledger")
Writer = Callable[[Path, Trace], Path]


def by_track(path: Path, trace: Trace) -> Path:
    return rocm.write_rocpd(path, trace, by_track=True)


WRITERS: dict[str, Writer] = {
    "json": rocm.write_json,
    "rocpd": rocm.write_rocpd,
    "rocpd by track": by_track,
}


@pytest.mark.parametrize("form", WRITERS)
def test_one_run_gives_equal_tables(tmp_path: Path, form: str) -> None:
    """A run that torch's profiler and rocprofv3 recorded has the same calls, ops and ledger."""
    source = tmp_path / "cuda.json"
    simulate(load_compiled(TRAIN), World(seed=1, invocations=3)).write_kineto(source)
    trace = load_trace(source)
    (tmp_path / "torch").mkdir()
    (tmp_path / "amd").mkdir()
    of_torch = rocm.write_kineto(tmp_path / "torch" / "run.bin", trace)
    of_amd = WRITERS[form](tmp_path / "amd" / "run.bin", trace)
    code = [TRAIN / name for name in CODE]

    one, other = kernelmap.correlate(*code, of_torch), kernelmap.correlate(*code, of_amd)

    for table in TABLES:
        mine, theirs = getattr(one, table), getattr(other, table)
        assert mine.to_dict("records") == theirs.to_dict("records"), table
    left_out = ["launch", "event"]
    launches = [
        result.launches.drop(columns=left_out).sort_values("start_ns").to_dict("records")
        for result in (one, other)
    ]
    assert launches[0] == launches[1]
    assert len(launches[0]) > 20
    assert (other.launches["confidence"] == "exact").any()


@pytest.mark.parametrize("form", WRITERS)
def test_rows_are_linked_by_correlation(tmp_path: Path, form: str) -> None:
    """A launch has its call of HIP, the call the range of ROCTX; grids count groups of items."""
    trace = load_trace(WRITERS[form](tmp_path / "run", tiny_run()))
    launches, apis = trace.launches, trace.apis

    assert [launches.names[at] for at in launches.name_id] == [
        "Cijk_a",
        "Memcpy HtoD (Host -> Device)",
        "triton_a",
    ]
    assert [apis.names[apis.name_id[at]] for at in launches.api] == [
        "hipLaunchKernel",
        "hipMemcpyAsync",
        "hipModuleLaunchKernel",
    ]
    assert [trace.ranges.name_of(int(at)) for at in apis.range] == ["aten::mm"] * 3
    assert launches.grid.tolist()[0] == [4, 1, 1]
    assert launches.block.tolist()[2] == [256, 1, 1]
    assert launches.device.tolist() == [0, 0, 0]
    assert (launches.stream == 3).all()
    assert [device.name for device in trace.devices] == [rocm.GPU_NAME]
    assert [process.pid for process in trace.processes] == [str(rocm.PID)]


@pytest.mark.parametrize("form", WRITERS)
def test_nothing_of_the_environment_is_kept(tmp_path: Path, form: str) -> None:
    """Command lines, environments and names of hosts stand in these files, and in no answer."""
    path = WRITERS[form](tmp_path / "run", tiny_run())

    assert "secret" in path.read_bytes().decode("latin-1")
    result = kernelmap.correlate(path)
    result.to_json(tmp_path / "result.json", launches=True)
    assert "secret" not in (tmp_path / "result.json").read_text(encoding="utf-8")
    assert "secret" not in repr(load_trace(path))


@pytest.mark.parametrize("form", WRITERS)
def test_content_decides_and_not_the_name(tmp_path: Path, form: str) -> None:
    """One reader takes the file, whatever it is called."""
    path = WRITERS[form](tmp_path / "trace.json.gz", tiny_run())

    taken = [type(reader) for reader in READERS if reader.sniff(path)]

    assert taken == [RocprofJsonReader if form == "json" else RocpdReader]


def test_a_call_of_hsa_leads_to_that_of_hip(tmp_path: Path) -> None:
    """With HSA traced, too, a copy bears the id of the HSA call inside of HIP's."""
    process = rocm.json_of(tiny_run())
    copy = process["buffer_records"]["memory_copy"][0]
    copy["correlation_id"]["internal"] = 90
    process["buffer_records"]["hsa_api"] = [
        {
            **process["buffer_records"]["hip_api"][1],
            "kind": 2,
            "operation": 0,
            "correlation_id": {"internal": 90, "external": 0, "ancestor": 12},
        }
    ]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"rocprofiler-sdk-tool": process}), encoding="utf-8")

    trace = load_trace(path)

    assert "hsa_x" not in trace.apis.names
    assert trace.launches.correlation.tolist() == [11, 12, 13]
    assert trace.apis.names[trace.apis.name_id[trace.launches.api[1]]] == "hipMemcpyAsync"


def test_ids_of_several_processes_do_not_meet(tmp_path: Path) -> None:
    """A merged database has the tables of each process, which count their rows and ids alike."""
    one, other = tiny_run(), tiny_run()
    tables = rocm.tables_of(one) | rocm.tables_of(other, uuid="0199_bbbb", pid=4243, by_track=True)

    trace = load_trace(rocm.write_tables(tmp_path / "merged.db", tables))

    assert [process.pid for process in trace.processes] == ["4242", "4243"]
    assert sorted(trace.launches.process.tolist()) == [0, 0, 0, 1, 1, 1]
    assert (trace.apis.process[trace.launches.api] == trace.launches.process).all()


def test_rows_of_several_guids_lie_in_one_table(tmp_path: Path) -> None:
    """Where tables bear no uuid, the guid of a row says whose ids it means."""
    parts = [rocm.tables_of(tiny_run(), uuid=uuid) for uuid in ("a", "b")]
    for name in parts[1]:
        if name.startswith("rocpd_info_kernel_symbol"):
            parts[1][name] = [
                {**row, "extdata": "{}", "kernel_name": "other"} for row in parts[1][name]
            ]
    tables: dict[str, Any] = {}
    for part in parts:
        for name, rows in part.items():
            tables.setdefault(name.rpartition("_")[0], []).extend(rows)

    launches = load_trace(rocm.write_tables(tmp_path / "plain.db", tables)).launches

    assert len(launches) == 6
    assert {launches.names[at] for at in launches.name_id[launches.process == 0]} >= {"triton_a"}
    assert len(np.unique(launches.process)) == 2


def test_a_mark_and_a_started_range_are_no_ranges(tmp_path: Path) -> None:
    """Ranges that overlap as they like enclose nothing."""
    tables = rocm.tables_of(tiny_run())
    name = f"rocpd_string_{rocm.UUID}"
    tables[name] = [
        {**row, "string": "roctxProcessRangeA"} if row["string"] == "roctxThreadRangeA" else row
        for row in tables[name]
    ]

    trace = load_trace(rocm.write_tables(tmp_path / "run.db", tables))

    assert len(trace.ranges) == 0
    assert len(trace.launches) == 3


def _changed(table: str, cells: Mapping[str, Any]) -> dict[str, Any]:
    tables = rocm.tables_of(tiny_run())
    name = f"{table}_{rocm.UUID}"
    tables[name] = [{**tables[name][0], **cells}, *tables[name][1:]]
    return tables


@pytest.mark.parametrize(
    ("cells", "slug"),
    [
        ({"start": "soon"}, "values-unreadable"),
        ({"start": 10**30}, "values-unreadable"),
        ({"start": None}, "events-without-duration"),
        ({"start": 2**62, "end": 2**62 + 5}, "events-without-duration"),
        ({"end": 1}, "events-without-duration"),
    ],
)
def test_a_row_that_cannot_be_used_is_left_out_and_counted(
    tmp_path: Path, cells: dict[str, Any], slug: str
) -> None:
    """Texts for numbers, numbers without bounds and times that are none cost their row only."""
    if cells.get("start") == 10**30:
        cells = {"start": float(10**30)}
    path = rocm.write_tables(tmp_path / "run.db", _changed("rocpd_kernel_dispatch", cells))

    trace = load_trace(path)

    assert len(trace.launches) == 2
    assert [notice.slug for notice in trace.notices] == [slug]


@pytest.mark.parametrize(
    "table",
    ["string", "event", "info_kernel_symbol", "info_agent", "info_process", "info_thread"],
)
def test_a_table_that_is_missing_costs_what_it_says(tmp_path: Path, table: str) -> None:
    """Launches and their times are there without any other table."""
    tables = rocm.tables_of(tiny_run())
    del tables[f"rocpd_{table}_{rocm.UUID}"]

    trace = load_trace(rocm.write_tables(tmp_path / "run.db", tables))

    assert len(trace.launches) == 3
    assert trace.launches.dur_ns.tolist() == [1000, 500, 1000]


def test_a_link_to_nothing_is_none(tmp_path: Path) -> None:
    """Ids that no row has, in the layout by track: no name, no place, no time."""
    tables = rocm.tables_of(tiny_run(), by_track=True)
    name = f"rocpd_kernel_dispatch_{rocm.UUID}"
    tables[name] = [
        {**tables[name][0], "kernel_id": 77, "event_id": 10**18, "track_id": -5},
        {**tables[name][1], "start_id": 10**15},
    ]

    trace = load_trace(rocm.write_tables(tmp_path / "run.db", tables))

    kernel = int(np.flatnonzero(trace.launches.activity == Activity.KERNEL)[0])
    assert len(trace.launches) == 2
    assert trace.launches.names[trace.launches.name_id[kernel]] == "(no name)"
    assert trace.launches.api[kernel] < 0


def test_a_dispatch_without_a_kernel_is_a_new_layout(tmp_path: Path) -> None:
    """A column that cannot be done without is named."""
    tables = rocm.tables_of(tiny_run())
    name = f"rocpd_kernel_dispatch_{rocm.UUID}"
    tables[name] = [
        {key: cell for key, cell in row.items() if key != "kernel_id"} for row in tables[name]
    ]

    with pytest.raises(KernelmapError, match="no column kernel_id") as caught:
        load_trace(rocm.write_tables(tmp_path / "run.db", tables))

    assert caught.value.slug == "rocpd-schema"


def test_a_database_that_is_cut_off_says_whose_it_was(tmp_path: Path) -> None:
    """A damaged database of rocprofv3 is no damaged export of nsys."""
    path = rocm.write_rocpd(tmp_path / "run.db", tiny_run())
    path.write_bytes(path.read_bytes()[:-4096])

    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == "rocpd-damaged"
    assert not NsysReader().sniff(rocm.write_rocpd(tmp_path / "whole.db", tiny_run()))


def test_a_database_that_is_being_written_is_not_read(tmp_path: Path) -> None:
    """A journal beside it says that its writer has not finished."""
    path = rocm.write_rocpd(tmp_path / "run.db", tiny_run())
    path.with_name("run.db-journal").write_bytes(b"x")

    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == "rocpd-being-written"


@pytest.mark.parametrize("content", [b"", b"[", b"[[1]]}", b"[{]}", b'"x"}', b"[" * 5000])
def test_json_that_is_none_is_an_error(tmp_path: Path, content: bytes) -> None:
    """A file that begins well and goes on otherwise."""
    path = tmp_path / "run.json"
    path.write_bytes(b'{ "rocprofiler-sdk-tool": ' + content)

    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == "rocprof-json-damaged"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("start_timestamp", "soon"),
        ("end_timestamp", None),
        ("correlation_id", 5),
        ("dispatch_info", {"kernel_id": "x"}),
    ],
)
def test_a_json_record_that_cannot_be_used_costs_itself(
    tmp_path: Path, field: str, value: object
) -> None:
    """A record with another type in a field is left out, the others are there."""
    process = rocm.json_of(tiny_run())
    process["buffer_records"]["kernel_dispatch"][0][field] = value
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"rocprofiler-sdk-tool": [process]}), encoding="utf-8")

    trace = load_trace(path)

    assert len(trace.launches) == 2
    assert [notice.slug for notice in trace.notices] == ["values-unreadable"]


def test_a_name_that_is_no_utf8_costs_nothing(tmp_path: Path) -> None:
    """Names of kernels are written as they stand in the code object."""
    path = rocm.write_json(tmp_path / "run.json", tiny_run())
    path.write_bytes(path.read_bytes().replace(b"Cijk_a", b"Cijk_\x8d"))

    launches = load_trace(path).launches

    assert {launches.names[at] for at in launches.name_id} >= {"Cijk_\ufffd", "triton_a"}


@pytest.mark.parametrize("value", [2**63 - 1, 2**64 - 1, -(2**63), 10**18])
@pytest.mark.parametrize("field", ["agent_id", "kernel_id", "queue_id", "grid_size"])
def test_numbers_of_any_size_are_borne(tmp_path: Path, field: str, value: int) -> None:
    """Handles are addresses: what fits into no column counts as absent."""
    process = rocm.json_of(tiny_run())
    info = process["buffer_records"]["kernel_dispatch"][0]["dispatch_info"]
    cell: object = {"agent_id": {"handle": value}, "queue_id": {"handle": value}}.get(field, value)
    info[field] = {"x": value, "y": value, "z": value} if field == "grid_size" else cell
    process["buffer_records"]["kernel_dispatch"][0]["stream_id"] = {"handle": -1}
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"rocprofiler-sdk-tool": [process]}), encoding="utf-8")

    assert len(load_trace(path).launches) == 3


@pytest.mark.parametrize("form", WRITERS)
def test_annotate_writes_the_rows_as_events(tmp_path: Path, form: str) -> None:
    """As an export of nsys: rows become events of a trace that viewers show."""
    path = WRITERS[form](tmp_path / "run", tiny_run())

    kernelmap.correlate(path).annotate(tmp_path / "out.json")

    again = load_trace(tmp_path / "out.json")
    assert again.launches.dur_ns.tolist() == [1000, 500, 1000]


@pytest.mark.parametrize("form", WRITERS)
def test_advice_is_for_who_records_with_rocprofv3(tmp_path: Path, form: str) -> None:
    """Without ranges, or without work of the GPU, the options of rocprofv3 are named."""
    bare = replace(tiny_run(), ranges=tiny_run().ranges.take_rows(slice(0, 0)))
    found = kernelmap.correlate(
        *(TRAIN / name for name in CODE), WRITERS[form](tmp_path / "bare", bare)
    ).advice.findings

    idle = replace(tiny_run(), launches=tiny_run().launches.take_rows(slice(0, 0)))
    with pytest.raises(KernelmapError) as caught:
        load_trace(WRITERS[form](tmp_path / "idle", idle))

    (missing,) = (one for one in found if one.slug == "host-side-missing")
    assert "rocprofv3 with --marker-trace" in missing.do
    assert caught.value.slug == "no-gpu-activity"
    assert "2 kernels, 1 copy" in str(caught.value)
    assert "rocprofv3 --kernel-trace" in (caught.value.hint or "")
    assert "schedule(" not in (caught.value.hint or "")


def test_a_merged_database_is_a_trace_per_process(tmp_path: Path) -> None:
    """As in a report of nsys, each process is a rank of its own for `fleet`."""
    tables = rocm.tables_of(tiny_run()) | rocm.tables_of(tiny_run(), uuid="0199_bbbb", pid=4243)
    path = rocm.write_tables(tmp_path / "merged.db", tables)

    parts = list(correlate_apart(path))

    assert [len(part.launches) for part in parts] == [3, 3]


@pytest.mark.parametrize("form", ["processes of a table", "tables", "json"])
def test_a_small_file_of_too_many_processes_is_refused(tmp_path: Path, form: str) -> None:
    """Each process costs some time: thousands of empty ones would take minutes."""
    many = 2_000
    path = tmp_path / "run"
    if form == "json":
        path.write_text('{"rocprofiler-sdk-tool": [' + "{}," * many + "{}]}", encoding="utf-8")
    elif form == "tables":
        row = {"start": 1, "end": 2}
        rocm.write_tables(path, {f"rocpd_region_{at}": [row] for at in range(many)})
    else:
        tables = rocm.tables_of(tiny_run())
        name = f"rocpd_region_{rocm.UUID}"
        tables[name] = [{**tables[name][0], "pid": at} for at in range(many)]
        rocm.write_tables(path, tables)

    with pytest.raises(KernelmapError, match="processes") as caught:
        load_trace(path)

    assert caught.value.slug in ("rocpd-damaged", "rocprof-json-damaged")
