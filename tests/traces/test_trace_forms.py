"""A recording that lies there in two forms counts once, and which one is read is said."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest

from kernelmap import KernelmapError, correlate
from kernelmap.traces.copies import without_other_forms
from traces.small_nsys import kernel, launched, write_export

REPORT = b"NVIDIA Tegra Profiler Report" + bytes(100)


@pytest.fixture
def folder(samples: Path, tmp_path: Path) -> Path:
    """Code without its profile."""
    copy = Path(shutil.copytree(samples / "sim_mlp_train", tmp_path / "run"))
    (copy / "profile.json.gz").unlink()
    return copy


def test_an_export_beside_its_report_is_read(folder: Path) -> None:
    """The folder that nsys leaves behind holds one profile, named or not."""
    export = write_export(folder / "run.sqlite", launched(kernel(10, 20)))
    (folder / "run.nsys-rep").write_bytes(REPORT)
    os.utime(folder / "run.nsys-rep", ns=(1, 1))

    for named in ((), (export, folder / "run.nsys-rep")):
        correlation = correlate(folder, *named)
        assert correlation.trace.sources == (str(export),)
        assert [notice.slug for notice in correlation.trace.notices] == ["report-beside-export"]


def test_an_older_export_may_be_of_another_recording(folder: Path) -> None:
    """A report that was written after the export is not passed over."""
    export = write_export(folder / "run.sqlite", launched(kernel(10, 20)))
    os.utime(export, ns=(1, 1))
    (folder / "run.nsys-rep").write_bytes(REPORT)
    with pytest.raises(KernelmapError, match="the folders hold 2") as caught:
        correlate(folder)

    assert caught.value.slug == "no-trace"


def test_a_packed_trace_beside_the_plain_one_counts_once(folder: Path, samples: Path) -> None:
    """Two files with equal text are one profile; files with different texts are two."""
    text = gzip.decompress((samples / "sim_mlp_train" / "profile.json.gz").read_bytes())
    plain, packed = folder / "t.json", folder / "t.json.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    correlation = correlate(folder)

    assert correlation.trace.sources == (str(plain),)
    assert [notice.slug for notice in correlation.trace.notices] == ["repeated-trace"]
    packed.write_bytes(gzip.compress(text + b" "))
    assert without_other_forms([plain, packed]) == ([plain, packed], [])
    packed.write_bytes(gzip.compress(text)[:-20])
    assert without_other_forms([plain, packed]) == ([plain, packed], [])
