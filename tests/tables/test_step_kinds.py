"""The table of a serving engine's steps by kind, and what is said below it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

import kernelmap
from examples import examples
from kernelmap.attribution.attribute import attribute_time
from kernelmap.cli import main
from kernelmap.matching.match import match_launches
from kernelmap.model import CompiledProgram
from kernelmap.model.trace import StepKind
from kernelmap.options import Options
from kernelmap.pages.columns import say_utilization
from kernelmap.pages.text import format_percent
from kernelmap.tables.rows import Row
from kernelmap.tables.step_kinds import rows_of_step_kinds
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

PREFILL = "execute_context_2(512)_generation_0(0)"
DECODE = "execute_context_0(0)_generation_8(8)"
SMALL = "execute_context_0(0)_generation_4(4)"
UNSAID = "execute_new_0_cached_8"


def rows_of(names: Sequence[str], *, steps: tuple[int, int] | None = None) -> list[Row]:
    """The table of a trace with these ranges: one launch of 10 ns in each, one of 1 ns behind."""
    made: list[TraceRow] = []
    for number, name in enumerate(names):
        begin = number * 1000
        made.append(RangeRow(name, begin, begin + 800))
        for at, (start, dur) in enumerate(((begin + 100, 10), (begin + 850, 1))):
            correlation = 2 * number + at + 1
            made += [
                ApiRow("cudaLaunchKernel", start, start + 10, correlation),
                LaunchRow("k", start + 30, start + 30 + dur, correlation),
            ]
    trace = assemble_trace(raw_trace(made))
    program, options = CompiledProgram(graphs=()), Options(steps=steps)
    matching = match_launches(program, trace).matching
    return rows_of_step_kinds(trace, attribute_time(program, trace, matching, options))


def test_a_row_per_kind_and_batch() -> None:
    """Steps, tokens and launches of a kind and batch are added up, and what is in no step."""
    rows = rows_of([PREFILL, DECODE, DECODE, SMALL, DECODE])
    shown = [
        (row["kind"], row["batch"], row["steps"], row["tokens"], row["time_ns"]) for row in rows
    ]
    assert shown == [
        ("decode", 8, 3, 24, 30),
        ("decode", 4, 1, 4, 10),
        ("prefill", 2, 1, 512, 10),
        ("(in no step)", None, 0, None, 5),
    ]
    assert [row["mean_ns"] for row in rows] == [10, 10, 10, None]
    assert [row["launches"] for row in rows] == [3, 1, 1, 5]


def test_the_longest_run_is_the_first_of_the_longest() -> None:
    """A run ends where another kind or batch comes between."""
    rows = rows_of([DECODE, DECODE, SMALL, DECODE, DECODE, DECODE, PREFILL, DECODE, UNSAID])
    runs = {(row["kind"], row["batch"]): (row["run_first"], row["run_last"]) for row in rows}
    assert runs["decode", 8] == (3, 5)
    assert runs["prefill", 2] == (6, 6)
    assert runs["(kind not said)", 8] == (8, 8)
    assert runs["(in no step)", None] == (None, None)


def test_steps_that_are_chosen_count_alone() -> None:
    """With `--steps` the table has what lies in these."""
    rows = rows_of([PREFILL, DECODE, DECODE, SMALL], steps=(1, 2))
    assert [(row["kind"], row["steps"], row["time_ns"]) for row in rows] == [("decode", 2, 20)]


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from((PREFILL, DECODE, SMALL, UNSAID)), min_size=1, max_size=12))
def test_every_nanosecond_is_in_one_row(names: list[str]) -> None:
    """Rows add up to the window, and steps to the ranges."""
    rows = rows_of(names)
    assert sum(int(str(row["time_ns"])) for row in rows) == 11 * len(names)
    assert sum(int(str(row["steps"])) for row in rows) == len(names)


def test_a_trace_without_an_engine_has_no_rows() -> None:
    """Steps of a training loop have no kind."""
    assert rows_of(["ProfilerStep#0", "ProfilerStep#1"]) == []


def write_trace(path: Path, names: Sequence[str]) -> Path:
    events: list[dict[str, object]] = []
    for number, name in enumerate(names):
        begin, here = number * 100, {"ph": "X", "pid": 1, "tid": 1}
        ids = {"correlation": number + 1}
        events += [
            here | {"cat": "user_annotation", "name": name, "ts": begin, "dur": 80},
            here
            | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": begin + 10, "dur": 2}
            | {"args": ids},
            {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "k", "ts": begin + 20}
            | {"dur": 5, "args": ids | {"device": 0, "stream": 7}},
        ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def run(*words: object) -> str:
    shown = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "160"})
    assert shown.exit_code == 0, shown.stderr
    return shown.stdout


def test_steady_state_is_said_and_how_to_count_it(tmp_path: Path) -> None:
    """Below the table stands the longest run of like steps, with the option that takes it alone."""
    trace = write_trace(tmp_path / "t.json", [PREFILL, DECODE, SMALL, SMALL, SMALL, SMALL, DECODE])
    shown = " ".join(run("correlate", trace, "--by", "step-kind").split())
    assert "Steady state · steps 2 to 5: 4 steps of decode, batch 4. --steps 2:5" in shown
    assert "Steady" not in run("correlate", trace, "--by", "step-kind", "--steps", "0:1")


def test_two_steps_are_no_steady_state(tmp_path: Path) -> None:
    """Kinds that take turns have none."""
    trace = write_trace(tmp_path / "t.json", [PREFILL, DECODE, DECODE, PREFILL, SMALL])
    assert "Steady state" not in run("correlate", trace, "--by", "step-kind")


@pytest.mark.parametrize("suffix", [".json", ""])
def test_a_saved_result_has_the_table(tmp_path: Path, suffix: str) -> None:
    """JSON and Parquet keep the rows; a file without them reads as a result without."""
    trace = write_trace(tmp_path / "t.json", [PREFILL, DECODE, DECODE])
    result = kernelmap.correlate(trace)
    saved = result.write(tmp_path / f"saved{suffix or '/'}")
    again = kernelmap.load(saved)
    assert list(again.tables.rows("step_kinds")) == list(result.tables.rows("step_kinds"))
    assert again.tables.size("step_kinds") == 2
    plain = kernelmap.correlate(write_trace(tmp_path / "p.json", ["ProfilerStep#0"]))
    assert "step_kinds" in kernelmap.load(plain.write(tmp_path / "p_saved.json")).tables.without


def test_a_row_says_how_its_steps_passed_on_the_device(tmp_path: Path) -> None:
    """Each step lasts 80 µs, and its one kernel 5; without wall time nothing is said of it."""
    trace = write_trace(tmp_path / "t.json", [PREFILL, DECODE, DECODE])
    rows = {row["kind"]: row for row in kernelmap.correlate(trace).tables.rows("step_kinds")}
    told = {kind: (row["step_ns"], row["busy_ns"]) for kind, row in rows.items()}
    assert told == {"decode": (160_000, 10_000), "prefill": (80_000, 5_000)}
    assert "6.2 %" in run("correlate", trace, "--by", "step-kind")

    plain = kernelmap.correlate(trace, options=Options(wall=False))
    assert {row["busy_ns"] for row in plain.tables.rows("step_kinds")} == {None}


def test_the_utilization_of_a_kind_is_that_of_its_steps(samples: Path) -> None:
    """A recording whose steps are marked as two kinds: each row has the MFU of its own steps."""
    limits = Path(__file__).parent.parent / "speed" / "limits" / "any_device.toml"
    made = kernelmap.correlate(samples / "sim_gpt_train", options=Options(device_limits=limits))
    kinds = (StepKind.PREFILL, StepKind.DECODE, StepKind.DECODE)
    steps = tuple(
        structs.replace(step, engine="vLLM", kind=kinds[step.number % 3], batch=4)
        for step in made.trace.steps
    )
    marked = replace(made, trace=structs.replace(made.trace, steps=steps))
    rows = {row["kind"]: row for row in marked.tables.rows("step_kinds")}

    uses = marked.roofline().tables.roofline.use_by_kind
    assert uses.keys() == {"prefill", "decode"}
    for kind, use in uses.items():
        assert (rows[kind]["mfu"], rows[kind]["model_flops"]) == (use.mfu, use.flops)
        assert (rows[kind]["step_ns"], rows[kind]["steps"]) == (use.wall_ns, use.steps)
    # Most of this time is of products that are known, some is not: the number is a lower bound.
    shown = say_utilization(rows["decode"])
    assert shown == f"at least {format_percent(uses['decode'].mfu)}"
