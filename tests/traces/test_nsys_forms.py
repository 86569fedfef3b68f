"""The other forms of a recording: reports that only nsys reads, and a folder of Parquet files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernelmap.errors import KernelmapError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.formats import NsysReader, NsysReportReader
from traces.small_nsys import (
    NODES,
    NVTX,
    Record,
    gid,
    kernel,
    launched,
    node,
    push_pop,
    write_export,
)


def content(raw: RawTrace) -> list[object]:
    """All that a reader gives, but the source's name."""
    kinds = (raw.launches, raw.apis, raw.ranges)
    columns = [
        value.tolist() if isinstance(value := getattr(kind, name), np.ndarray) else value
        for kind in kinds
        for name in kind.__struct_fields__
    ]
    return [columns, raw.pids, raw.gpus, raw.own_gpus, raw.zero_ns, len(raw.notices)]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    far = -144115188075855872 | 7 << 24
    more: dict[str, list[Record]] = {
        NVTX: [push_pop(0, None, "é 日本, op_id = 4"), push_pop(1, 5, None, textId=1)],
        NODES: [node(5, 2**62 + 1, globalTid=gid(7, 1))],
        "TARGET_INFO_GPU": [{"id": 1, "cuDevice": 0, "name": "A"}],
    }
    return write_export(
        tmp_path / "x.sqlite",
        launched(
            kernel(10, 20),
            kernel(30, 40, graphNodeId=2**62 + 1, correlationId=None),
            kernel(50, 60, globalPid=far),
            **more,
        ),
    )


def test_a_folder_of_parquet_files_names_the_form_that_is_read(tmp_path: Path) -> None:
    """The error says how to export; a folder of other Parquet files is no recording."""
    for name in ("CUPTI_ACTIVITY_KIND_KERNEL", "ops"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.parquet").write_bytes(b"PAR1")
    assert not is_trace(tmp_path / "ops")
    with pytest.raises(KernelmapError) as caught:
        load_trace(tmp_path / "CUPTI_ACTIVITY_KIND_KERNEL")

    assert caught.value.slug == "nsys-parquetdir"
    assert "--type sqlite" in caught.value.hint


def report(folder: Path) -> Path:
    """A file that begins as reports do."""
    path = folder / "it's a report.nsys-rep"
    path.write_bytes(b"NVIDIA Tegra Profiler Report 2024@2@3@38\n" + bytes(64))
    return path


def test_without_nsys_the_error_says_which_command_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command can be copied as it is."""
    monkeypatch.setenv("PATH", str(tmp_path))
    path = report(tmp_path)
    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == "nsys-missing"
    assert (
        f"nsys export --type sqlite '{tmp_path}/it'\"'\"'s a report.nsys-rep'" in caught.value.hint
    )


def fake_nsys(folder: Path, body: str) -> None:
    """A program called nsys that runs `body`, in Python, with its arguments in sys.argv."""
    path = folder / "nsys"
    path.write_text(f"#!{sys.executable}\nimport shutil, sys\n{body}\n")
    path.chmod(0o755)


def test_a_report_is_exported_elsewhere_and_read(
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nsys writes goes to a temporary folder: nothing is left there or beside the report."""
    tools, temporary, home = (tmp_path / name for name in ("bin", "tmp", "home"))
    for folder in (tools, temporary, home):
        folder.mkdir()
    fake_nsys(
        tools,
        "assert sys.argv[1:4] == ['export', '--type', 'sqlite']\n"
        f"shutil.copy({str(export)!r}, sys.argv[sys.argv.index('--output') + 1])",
    )
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    path = report(home)
    raw = NsysReportReader().read(path)

    assert content(raw) == content(NsysReader().read(export))
    assert raw.source == str(path)
    assert list(temporary.iterdir()) == []
    assert list(home.iterdir()) == [path]


@pytest.mark.parametrize("body", ["sys.exit('too old a report')", "sys.exit(0)"])
def test_a_failing_nsys_is_quoted(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nsys said is in the error; that it wrote nothing is a failure, too."""
    tools = tmp_path / "bin"
    tools.mkdir()
    fake_nsys(tools, body)
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(KernelmapError) as caught:
        load_trace(report(tmp_path))

    assert caught.value.slug == "nsys-export-failed"
    assert ("too old a report" in caught.value.message) is ("too old" in body)


@pytest.mark.nsys
def test_a_real_report_and_its_exports_agree(tmp_path: Path) -> None:
    """A recording of nsys itself, read through it and from SQLite, is one."""
    nsys = shutil.which("nsys")
    assert nsys is not None

    def run(*arguments: str) -> None:
        subprocess.run([nsys, *arguments], check=True, capture_output=True, cwd=tmp_path)  # noqa: S603 -- nsys

    quiet = ("-t", "nvtx,osrt", "-s", "none", "--cpuctxsw=none")
    run("profile", *quiet, "-o", "r", sys.executable, "-c", "print()")
    run("export", "--type", "sqlite", "--lazy", "false", "-o", "r.sqlite", "r.nsys-rep")
    before = sorted(tmp_path.iterdir())
    sqlite = NsysReader().read(tmp_path / "r.sqlite")

    assert sqlite.zero_ns > 0
    assert content(NsysReportReader().read(tmp_path / "r.nsys-rep")) == content(sqlite)
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(KernelmapError) as caught:
        load_trace(tmp_path / "r.nsys-rep")
    assert caught.value.slug == "no-gpu-activity"
