"""Devices of other vendors: their rows are counted and named, whatever they are written as."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.traces import load_trace

Event = dict[str, object]


def process(pid: int, name: str) -> Event:
    return {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}


def device_rows(pid: int, number: int) -> list[Event]:
    """Rows as torch_npu writes them: no category, times as texts, ids of the vendor's own."""
    return [
        {
            "ph": "X",
            "name": "MatMulV2",
            "pid": pid,
            "tid": 3,
            "ts": f"{100 + 10 * n}.250",
            "dur": 7.5,
            "args": {"Task Type": "AI_CORE", "Stream Id": 3, "Task Id": n},
        }
        for n in range(number)
    ]


OPERATOR: Event = {
    "ph": "X",
    "cat": "cpu_op",
    "name": "aten::mm",
    "pid": 1,
    "tid": 1,
    "ts": 90.0,
    "dur": 9.0,
    "args": {"External id": 1},
}


def error_of(folder: Path, *events: Event, bare: bool = False) -> KernelmapError:
    path = folder / "trace_view.json"
    path.write_text(json.dumps(events if bare else {"traceEvents": events}), encoding="utf-8")
    with pytest.raises(KernelmapError) as caught:
        load_trace(path)
    return caught.value


@pytest.mark.parametrize("bare", [True, False], ids=["list", "object"])
@pytest.mark.parametrize(
    ("name", "vendor"), [("Ascend Hardware", "Ascend"), ("/device:TPU:0", "TPU")]
)
def test_rows_without_a_category_are_told_by_their_process(
    tmp_path: Path, name: str, vendor: str, bare: bool
) -> None:
    """They are counted and named, wherever the process gets its name."""
    rows = device_rows(42, 5)
    error = error_of(tmp_path, process(1, "Python"), OPERATOR, *rows, process(42, name), bare=bare)

    assert error.slug == "no-gpu-activity"
    assert f"5 events of {vendor} devices left out" in str(error)
    assert "ProfilerActivity.CUDA" not in error.hint


def test_a_file_of_such_rows_alone_names_them(tmp_path: Path) -> None:
    """Without an operator of torch's the file is none that can be used, and says whose it is."""
    error = error_of(tmp_path, process(42, "Ascend Hardware"), *device_rows(42, 3))

    assert error.slug == "no-trace-events"
    assert "3 events of Ascend devices" in str(error)


def test_rows_of_other_processes_are_no_devices(tmp_path: Path) -> None:
    """Layers of software that write no category either are not counted."""
    error = error_of(tmp_path, OPERATOR, process(7, "CANN"), *device_rows(7, 3))

    assert "devices left out" not in str(error)


def test_the_old_exporter_of_autograd_is_named(tmp_path: Path) -> None:
    """It wrote a list of operators without kinds, and no kernels: nothing can be made of it."""
    rows = [
        {"name": "aten::mm", "ph": "X", "ts": 1.5, "dur": 7.25, "tid": 1, "args": {}}
        | {"pid": "CPU functions"},
        {"name": "aten::mm", "ph": "s", "ts": 1.5, "tid": 1, "id": 0, "args": {}}
        | {"pid": "CPU functions", "cat": "cpu_to_cuda"},
    ]
    error = error_of(tmp_path, *rows, bare=True)

    assert error.slug == "no-trace-events"
    assert "old exporter of autograd's profiler" in str(error)
    assert "torch.profiler's export_chrome_trace" in error.hint
