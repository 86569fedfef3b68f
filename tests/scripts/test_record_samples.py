"""Cases of the GPU samples: refused where they cannot run, recorded and judged where they can."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import accuracy
import pytest
from gpu_cases.beside import with_neutral_places
from gpu_cases.nsys import nvtx_texts, scrub
from gpu_cases.record import missing

from children import UNCOLLECTED
from examples import is_quick
from kernelmap.model import Confidence

ROOT = Path(__file__).resolve().parents[2]
TRIED = ["graph_breaks", *([] if is_quick() else ["foreach_optimizer"])]
RECORD = ROOT / "scripts" / "record_gpu_samples.py"


def recorded(folder: Path, case: str, *more: str) -> subprocess.CompletedProcess[str]:
    options = ("--device", "cpu", "--case", case, "--out", str(folder), *more)
    command = [sys.executable, str(RECORD), *options]
    environment = os.environ | UNCOLLECTED
    return subprocess.run(  # noqa: S603 -- ours
        command, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.torch
def test_cases_that_need_a_gpu_say_so_on_a_cpu() -> None:
    """Each case either runs on a CPU or names a GPU among what is missing."""
    from gpu_cases.cases import CASES  # brings torch

    refused = {case.name for case in CASES if missing(case, "cpu")}

    assert len({case.name for case in CASES}) == len(CASES) == 34
    assert refused == {
        *("lost_kernels", "captured_eager", "captured_pieces", "reason_pairs"),
        *("wide_llama", "wide_llama_unfused", "wide_conv"),
        *("memory_mlp", "memory_llama", "memory_graphs", "memory_checkpointed"),
        "max_autotune",
        "combo_kernels",
        "user_triton",
        "cuda_graphs",
        "cuda_graphs_annotated",
        "decode_graphs",
        "names_not_unique",
        "two_streams",
        "autotune_inside",
    }


@pytest.mark.torch
def test_a_refused_case_names_what_it_needs(tmp_path: Path) -> None:
    """One line says why there is no sample, and that is no failure."""
    done = recorded(tmp_path, "two_streams")

    assert done.stdout.startswith("cpu_two_streams: not recorded: two_streams needs a GPU")
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.torch
@pytest.mark.parametrize("case", TRIED)
def test_a_case_is_recorded_with_its_truth(tmp_path: Path, case: str) -> None:
    """A sample is small and neutral, has no marks left, and everything exact in it is right."""
    work, samples = tmp_path / "work", tmp_path / "samples"
    done = recorded(samples, case, "--work", str(work))
    assert done.returncode == 0, done.stdout + done.stderr
    judged = accuracy.judge(samples / f"cpu_{case}")
    exact = judged.scores[Confidence.EXACT]

    assert judged.is_exact_right
    assert exact.launches > 0
    assert judged.unjudged == 0


def test_every_recorded_sample_is_right_where_it_is_exact(samples: Path) -> None:
    """What the shipped samples know of themselves agrees with what is called exact."""
    judged = [accuracy.judge(sample) for sample in accuracy.samples(samples)]

    assert judged
    assert [verdict.name for verdict in judged if not verdict.is_exact_right] == []


@pytest.mark.thorough
def test_the_page_is_that_of_the_samples(samples: Path) -> None:
    """docs/accuracy.md is what scripts/accuracy.py makes of the samples."""
    judged = [accuracy.judge(sample) for sample in accuracy.samples(samples)]

    text = accuracy.PAGE.read_text(encoding="utf-8")
    alone = accuracy.judge_bare(samples)
    taught = [accuracy.judge(*of_sample) for of_sample in accuracy.captured_samples(samples)]
    assert text == accuracy.page(judged, alone, accuracy.in_worlds(text), taught)
    every = [verdict for judged_alone in alone.values() for verdict in judged_alone]
    assert not {verdict.name: verdict.wrong for verdict in every if verdict.wrong}


def test_a_wrong_exact_is_found(tmp_path: Path, samples: Path) -> None:
    """With the truth turned around, exact launches are counted as wrong."""
    sample = tmp_path / "sample"
    shutil.copytree(accuracy.samples(samples)[0], sample)
    truth = json.loads((sample / "truth.json").read_text())
    truth["calls"] = truth["calls"][1:] + truth["calls"][:1]
    (sample / "truth.json").write_text(json.dumps(truth))
    judged = accuracy.judge(sample)

    assert not judged.is_exact_right
    assert judged.scores[Confidence.EXACT].right == 0


def test_code_that_was_withheld_is_right_where_the_profile_knows_it(samples: Path) -> None:
    """A call of a graph that only the profile knows is the one that ran, by its index."""
    judged = accuracy.judge(samples / "cuda_code_withheld")
    exact = judged.scores[Confidence.EXACT]

    assert exact.right == exact.launches == 354
    assert accuracy.judge(samples / "cuda_lost_kernels").is_exact_right


def test_a_binary_report_keeps_its_length() -> None:
    """The texts in it state their lengths: what replaces a place is as long as the place."""
    report = b"\x13/usr/bin/python3.12 \x12/opt/other/lib/a.py"
    neutral = with_neutral_places(report, ["/usr/bin/python3.12", "/opt/other/"])

    assert len(neutral) == len(report)
    assert b"/usr" not in neutral
    assert b"/opt/other" not in neutral
    assert neutral.count(b"/opt/venv/") == 2


@pytest.mark.torch
def test_an_export_keeps_work_and_marks_only(tmp_path: Path) -> None:
    """Tables that name the machine go, and so do the strings that nothing kept refers to."""
    source, kept = tmp_path / "source.sqlite", tmp_path / "kept.sqlite"
    with closing(sqlite3.connect(source)) as file:
        file.executescript(
            """
            create table StringIds (id integer primary key, value text not null);
            insert into StringIds values (1, 'kernelmap:1 …'), (2, 'SECRET=1'), (3, 'triton_a');
            create table NVTX_EVENTS (start int, eventType int, text text, textId int);
            insert into NVTX_EVENTS values (5, 59, null, 1), (9, 59, 'inline', null);
            create table CUPTI_ACTIVITY_KIND_KERNEL (start int, shortName int, deviceId int);
            insert into CUPTI_ACTIVITY_KIND_KERNEL values (6, 3, 0);
            create table TARGET_INFO_SYSTEM_ENV (name text, value int);
            insert into TARGET_INFO_SYSTEM_ENV values ('env', 2);
            create table META_DATA_EXPORT (name text, value text);
            insert into META_DATA_EXPORT values
                ('EXPORT_SCHEMA_VERSION', '3.11.1'), ('EXPORT_HOST', 'secret');
            """
        )
        file.commit()
    scrub(source, kept)
    with closing(sqlite3.connect(kept)) as file:
        tables = {name for (name,) in file.execute("select name from sqlite_master")}
        strings = {value for (value,) in file.execute("select value from StringIds")}
        meta = file.execute("select * from META_DATA_EXPORT").fetchall()

    assert "TARGET_INFO_SYSTEM_ENV" not in tables
    assert strings == {"kernelmap:1 …", "triton_a"}
    assert meta == [("EXPORT_SCHEMA_VERSION", "3.11.1")]
    assert nvtx_texts(kept) == ["kernelmap:1 …", "inline"]
    assert b"SECRET" not in kept.read_bytes()
