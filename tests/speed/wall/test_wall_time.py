"""The wall time of steps: parts that add up, in real profiles and in every form."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap import load
from kernelmap.attribution.window import choose_window
from kernelmap.cli import main
from kernelmap.correlation import Correlation
from kernelmap.model import Activity
from kernelmap.model.wall_time import PARTS, IdleCause, StepPart
from kernelmap.options import Options
from kernelmap.pages import wall
from kernelmap.pages.page import PageTable
from kernelmap.pages.report import Content
from kernelmap.pages.report.overview import data_of_overview
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.result import Result
from kernelmap.pipeline import correlate
from kernelmap.speed.wall import measure
from kernelmap.speed.wall.devices import device_steps
from kernelmap.speed.wall.measure import wall_time
from kernelmap.traces.assemble import assemble_trace
from many_runs import recorded
from read_once import compiled
from showing import in_terminal
from test_corpus import EXPORTS, PROFILES
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace
from worlds import World, simulate
from worlds.hosts import example
from worlds.nsys import write_nsys

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "idle.json.gz"
SAMPLES = sorted(path for path in (ROOT / "sample_traces").iterdir() if path.is_dir())
STEP = ("rank", "pid", "device", "step", "step_ns")


def of_steps(rows: Iterable[Mapping[str, object]]) -> dict[tuple[str, ...], int]:
    """The sum of the parts of each step."""
    times: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        times[tuple(str(row[name]) for name in STEP)] += int(str(row["time_ns"]))
    return times


def adds_up(correlation: Correlation) -> bool:
    rows = list(correlation.tables.rows("wall"))
    parts = [row["part"] == "idle" for row in rows] == [row["cause"] is not None for row in rows]
    return parts and all(str(ns) == step[-1] for step, ns in of_steps(rows).items())


@pytest.mark.corpus
@pytest.mark.parametrize("name", [*PROFILES, *EXPORTS])
def test_the_parts_of_real_profiles_add_up(name: str, corpus: Path) -> None:
    """Every step of every device is the sum of its parts, and what is idle has a cause."""
    (path,) = corpus.glob(f"*/{name}.*")
    correlation = recorded(path)

    assert len(correlation.wall)
    assert adds_up(correlation)
    busy_ns = int(correlation.wall[correlation.wall["part"] != "idle"]["time_ns"].sum())
    assert busy_ns <= correlation.attribution.busy_ns


@pytest.mark.sampled
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_parts_of_samples_add_up(sample: Path) -> None:
    """Steps of every sample are the sum of their parts; samples of a CPU have no idle device."""
    profiles = sorted(sample.glob("profile.json*"))
    correlation = correlate(sample, *(profiles if len(list(sample.glob("profile*"))) > 1 else ()))

    assert adds_up(correlation)
    assert bool(len(correlation.wall)) == (correlation.attribution.side == "gpu")


LAUNCHES = st.lists(
    st.builds(
        lambda start, dur, kind, stream, device: (start, start + dur, kind, stream, device),
        st.integers(0, 400),
        st.integers(1, 60),
        st.sampled_from(("sgemm", "ncclDevKernel_AllReduce", "Memcpy HtoD")),
        st.integers(1, 3),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=examples(150))
@given(launches=LAUNCHES, bounds=st.lists(st.integers(0, 450), max_size=5), late=st.integers(0, 90))
def test_each_moment_is_what_the_strongest_stream_does(
    launches: list[tuple[int, int, str, int, int]], bounds: list[int], late: int
) -> None:
    """Nanosecond by nanosecond: computing before communication before copies before idleness."""
    rows: list[TraceRow] = []
    for number, (start, end, name, stream, device) in enumerate(launches, 1):
        called = max(0, start - late)
        rows.append(ApiRow("cudaLaunchKernel", called, called + 1, correlation=number))
        activity = Activity.MEMCPY if name.startswith("Memcpy") else Activity.KERNEL
        launched = LaunchRow(name, start, end, correlation=number, stream=stream, device=device)
        rows.append(replace(launched, activity=activity))
    times = sorted({*bounds})
    for number, (begin, end) in enumerate(pairwise(times)):
        rows.append(RangeRow(f"ProfilerStep#{number}", begin, end))
    trace = assemble_trace(raw_trace(rows))
    timed = wall_time(
        trace, np.ones(len(trace.launches), dtype=bool), choose_window(trace, Options()).step
    )

    for at, step in enumerate(timed.steps):
        of_device = [launch for launch in launches if launch[4] == step.id]
        expected = Counter(_part(of_device, moment) for moment in range(step.start_ns, step.end_ns))
        pieces = np.flatnonzero(np.equal(timed.pieces.step, at))
        measured: Counter[StepPart] = Counter()
        for piece in pieces.tolist():
            length = int(timed.pieces.end_ns[piece] - timed.pieces.start_ns[piece])
            measured[PARTS[int(timed.pieces.part[piece])]] += length
        assert measured == expected


def _part(launches: list[tuple[int, int, str, int, int]], moment: int) -> StepPart:
    names = {name for start, end, name, _, _ in launches if start <= moment < end}
    if "sgemm" in names:
        return StepPart.COMPUTING
    return (
        StepPart.COMMUNICATION
        if "ncclDevKernel_AllReduce" in names
        else (StepPart.COPY if names else StepPart.IDLE)
    )


def test_a_step_lasts_until_its_last_work_is_done() -> None:
    """The host runs ahead: the next step begins on the device where the last one ended."""
    trace = assemble_trace(
        raw_trace(
            [
                RangeRow("ProfilerStep#4", 0, 100),
                ApiRow("cudaLaunchKernel", 10, 20, correlation=1),
                LaunchRow("long", 30, 250, correlation=1),
                RangeRow("ProfilerStep#5", 100, 200),
                ApiRow("cudaLaunchKernel", 110, 120, correlation=2),
                LaunchRow("short", 260, 300, correlation=2),
                RangeRow("ProfilerStep#6", 200, 400),
            ]
        )
    )
    steps = device_steps(trace, np.ones(2, dtype=bool), choose_window(trace, Options()).step)

    assert [(it.step, it.start_ns, it.end_ns) for it in steps] == [(4, 0, 250), (5, 250, 300)]


def test_the_example_is_what_the_simulated_host_writes(tmp_path: Path) -> None:
    """docs/examples/idle.json.gz is made by tests/worlds/hosts.py."""
    made = example().write(tmp_path / "idle.json")

    assert gzip.decompress(EXAMPLE.read_bytes()) == made.read_bytes()


def test_every_form_has_the_same_rows(tmp_path: Path) -> None:
    """CSV, JSON, a folder of Parquet and the table in Python hold one table."""
    correlation = correlate(EXAMPLE)
    rows = list(correlation.tables.rows("wall"))
    document = json.loads(correlation.to_json(tmp_path / "result.json").read_text(encoding="utf-8"))
    printed = CliRunner().invoke(main, ["correlate", str(EXAMPLE), "--by", "wall", "--format=csv"])
    lines = list(csv.DictReader(io.StringIO(printed.stdout)))

    assert document["wall"] == rows
    assert [int(line["time_ns"]) for line in lines] == [row["time_ns"] for row in rows]
    for saved in (load(tmp_path / "result.json"), load(parquet_folder(correlation, tmp_path))):
        assert list(saved.tables.rows("wall")) == rows
    assert len(correlation.wall) == len(rows)


def parquet_folder(correlation: Correlation, tmp_path: Path) -> Path:
    return correlation.to_parquet(tmp_path / "tables")


def test_a_result_of_an_earlier_version_has_no_wall_time(tmp_path: Path) -> None:
    """Without its table a saved result is read as before; `--by wall` says that there is none."""
    correlation = correlate(EXAMPLE)
    path, folder = (
        correlation.to_json(tmp_path / "result.json"),
        parquet_folder(correlation, tmp_path),
    )
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["wall"]
    path.write_text(json.dumps(document), encoding="utf-8")
    (folder / "wall.parquet").unlink()

    for place in (path, folder):
        saved = load(place)
        assert len(saved.wall) == 0
        assert saved.tables.summary == correlation.tables.summary
        assert "saved without its wall time" in text_of(saved)


def test_only_who_asks_pays_for_wall_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain JSON has null, makes nothing, and is read and written back as it is.

    What the steps could save stands beside the wall time.
    """
    asked = written_by_command(tmp_path / "asked.json", "--by", "wall")
    monkeypatch.setattr(measure, "wall_time", None)
    plain = written_by_command(tmp_path / "plain.json")
    printed = CliRunner().invoke(main, ["correlate", str(EXAMPLE), "--format", "json"])
    saved = load(plain)
    again = saved.to_json(tmp_path / "again.json").read_bytes()

    documents = [json.loads(path.read_bytes()) for path in (asked, plain)]
    assert documents[0]["wall"]
    assert documents[0] | {"wall": None, "savings": None} == documents[1]
    assert printed.stdout_bytes == again == plain.read_bytes()
    assert len(saved.wall) == 0
    assert "saved without its wall time" in text_of(saved)


def test_a_folder_keeps_the_wall_time(tmp_path: Path) -> None:
    """It is made to be read later, and has all tables, whichever is printed."""
    (tmp_path / "tables.d").mkdir()

    for folder in (tmp_path / "tables", tmp_path / "tables.d"):
        assert len(load(written_by_command(folder)).wall)


def written_by_command(path: Path, *options: str) -> Path:
    run = CliRunner().invoke(main, ["correlate", str(EXAMPLE), *options, "-o", str(path)])
    assert run.exit_code == 0
    return path


def text_of(result: Result) -> str:
    return in_terminal(result.tables, by="wall", width=100).plain


def test_the_page_adds_up_and_says_what_to_do() -> None:
    """Parts and their sum stand on one page, with the head of what the steps could save."""
    correlation = correlate(EXAMPLE)
    text = text_of(correlation)
    page = wall.page_of_wall(correlation.tables, top=3)
    table, saved = [section for section in page.sections if isinstance(section, PageTable)]

    assert "Wall time 19.21 ms = 26.6 % computing" in text
    assert "1 loading-data · at most 3.72 ms a step, 58.1 %" in text
    assert saved.rows[0].cells[0] == "loading-data"
    assert len(table.rows) == 4
    assert (
        sum(wall.totals_by_name(wall.items_of_wall(correlation.tables.columns("wall"))).values())
        == correlation.wall["time_ns"].sum()
    )
    assert all(cause.word in wall.NAMES for cause in IdleCause)


def test_the_overview_has_a_bar_per_step() -> None:
    """The bars hold all time of the steps; without a GPU there are none."""
    correlation = correlate(EXAMPLE)
    drawn: Any = data_of_overview(
        Content(tables=correlation.tables, records=correlation), PackedTexts()
    )
    sample = correlate(ROOT / "sample_traces" / "cpu_block")
    none: Any = data_of_overview(Content(tables=sample.tables, records=sample), PackedTexts())

    assert [step["name"] for step in drawn["wall"]["steps"]] == ["step 0", "step 1", "step 2"]
    bars = sum(sum(step["times"]) for step in drawn["wall"]["steps"])
    assert bars == drawn["wall"]["total_ns"] == correlation.wall["time_ns"].sum()
    assert none["wall"] is None


@pytest.mark.browser
def test_the_overview_draws_steps_and_causes(browser: Browser, tmp_path: Path) -> None:
    """A bar per step, its parts in colors with a legend, and a line in What to do next."""
    report = correlate(EXAMPLE).to_html(tmp_path / "report.html")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_selector("#wall li")

    assert page.locator("#wall .step").count() == 3
    assert "loading data" in page.locator("#overview-view .tops").inner_text()
    assert "What would shorten the steps" in page.locator("#overview-view").inner_text()
    assert errors == []
    page.close()


@pytest.mark.parametrize("seed", range(3))
def test_an_export_of_nsys_has_the_same_wall_time(seed: int, samples: Path, tmp_path: Path) -> None:
    """What Nsight Systems records of a world divides its time as Kineto's profile of it does."""
    code = [samples / "sim_mlp_train" / name for name in ("forward_1.0", "backward_2.1")]
    code = [path.with_name(f"model__0_{path.name}") for path in code]
    world = World(seed=seed, invocations=3, eager=0.4, streams=2, cuda_graphs=seed == 1)
    simulated = simulate(compiled(samples / "sim_mlp_train"), world)
    profile, export = tmp_path / "profile.json", tmp_path / "profile.sqlite"
    simulated.write_kineto(profile)
    write_nsys(export, [simulated])
    times: list[Counter[tuple[StepPart, str]]] = []
    for path in (profile, export):
        result = correlate(*code, path)
        times.append(Counter())
        for row in result.wall_times:
            times[-1][row.part, row.cause.word if row.cause else ""] += row.time_ns

    assert times[0] == times[1]
    assert len(times[0]) > 3
