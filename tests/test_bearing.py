"""What a recording cannot bear is refused with a reason, and only where figures mislead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap import Options
from kernelmap.bearing import RefusedError, find_refusals, rows_of_refusals
from kernelmap.cli import main
from kernelmap.dashboard import filters
from kernelmap.dashboard.archive import Archive
from kernelmap.history.store.listing import say_left_out
from kernelmap.history.store.store import Store

QUICK = Options(work=False, wall=False, memory=False)
REFUSED = {"cuda_lost_kernels": "kernels-lost", "cuda_autotune_inside": "only-autotuning"}
MANY_TRACES = ("sim_fleet", "thread_lift_fresh")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def slugs(*paths: Path, options: Options = QUICK) -> list[str]:
    return [it.slug for it in find_refusals(kernelmap.correlate(*paths, options=options).notices)]


@pytest.mark.thorough
def test_no_good_recording_is_refused(samples: Path) -> None:
    """Of all shipped recordings those two are refused that were made to be of no use."""
    folders = [it for it in sorted(samples.iterdir()) if it.is_dir() and it.name not in MANY_TRACES]
    assert len(folders) > 40
    found = {folder.name: slugs(folder) for folder in folders}
    assert {name: told for name, told in found.items() if told} == {
        name: [slug] for name, slug in REFUSED.items()
    }


@pytest.mark.thorough
@pytest.mark.corpus
def test_recordings_of_others_are_judged(corpus: Path) -> None:
    """Real profiles are refused where their work is missing, and nowhere else."""
    expected = {"mi300x_vllm_decode_full.capture.json.gz": ["only-captures"]}
    found = {path.name: slugs(path) for path in (corpus / "kineto").glob("*.json.gz")}
    assert {name: told for name, told in found.items() if told} == expected
    assert slugs(corpus / "nsys" / "h100_2gpu_1s_2026.2.sqlite") == ["kernels-lost"]
    assert slugs(corpus / "nsys" / "saxpy_mpi_2022.2.sqlite") == []
    for model in (corpus / "gpu_marked").iterdir():
        assert slugs(model) == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_steps_that_can_be_asked_about(name: str, samples: Path) -> None:
    """What the hint says works: these steps have figures, and with one more there are none."""
    told = run("correlate", samples / name)
    assert told.exit_code == 3
    steps = told.stderr.partition("--steps ")[2].partition(" ")[0]
    first, last = (int(number) for number in steps.split(":"))
    assert run("correlate", samples / name, "--steps", steps).exit_code == 0
    wider = {"cuda_lost_kernels": f"{first}:{last + 1}", "cuda_autotune_inside": f"0:{last}"}[name]
    assert slugs(samples / name, options=Options(steps=_span(wider), work=False))


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    return int(first), int(last)


@pytest.mark.parametrize("by", ["op", "line", "kernel", "launch", "wall"])
def test_a_refused_table_has_no_figure(by: str, samples: Path) -> None:
    """The reason stands on stderr with its slug, and nothing on stdout; the exit code is 3."""
    told = run("correlate", samples / "cuda_lost_kernels", "--by", by)
    assert (told.exit_code, told.stdout) == (3, "")
    assert "error: refused: 35 of 294 launches" in told.stderr
    assert "see: kernelmap help kernels-lost" in told.stderr


def test_the_roofline_is_refused(samples: Path) -> None:
    """Headroom is a figure as well."""
    told = run("correlate", samples / "cuda_lost_kernels", "--roofline")
    assert (told.exit_code, told.stdout) == (3, "")


@pytest.mark.parametrize("command", ["correlate", "diff", "gate"])
def test_json_says_why(command: str, samples: Path) -> None:
    """With --format json the document is a refusal with the slug, whatever was asked."""
    lost, other = samples / "cuda_lost_kernels", samples / "cuda_mlp_train"
    asked: dict[str, list[object]] = {
        "correlate": [lost],
        "diff": [other, lost],
        "gate": ["--baseline", other, lost],
    }
    told = run(command, *asked[command], "--format", "json")
    document = json.loads(told.stdout)
    assert told.exit_code == 3
    assert document["format"] == "kernelmap.refusal"
    assert [it["slug"] for it in document["refused"]] == ["kernels-lost"]
    if command == "correlate":  # rows of JSON are refused in the same way
        lines = run(command, lost, "--format", "jsonl")
        assert (lines.exit_code, json.loads(lines.stdout)) == (3, document)


def test_figures_are_there_for_who_wants_them(samples: Path, tmp_path: Path) -> None:
    """--anyway gives them with the reason, and what is written keeps it for who compares it."""
    saved = tmp_path / "lost.json"
    lost = samples / "cuda_lost_kernels"
    told = run("correlate", lost, "--anyway", "--format", "json", "-o", saved)
    assert told.exit_code == 0
    assert json.loads(told.stdout)["notices"][0]["slug"] == "kernels-lost"
    assert run("diff", samples / "cuda_mlp_train", saved).exit_code == 3
    assert run("diff", samples / "cuda_mlp_train", saved, "--anyway").exit_code == 0


@pytest.mark.parametrize("command", ["doctor", "explain", "which", "inspect", "memory"])
def test_what_says_how_to_mend_it_is_not_refused(command: str, samples: Path) -> None:
    """A recording that bears no figures can still be asked what it lacks and what is what."""
    name = {"explain": ["0"], "which": ["aten.mm"]}.get(command, [])
    told = run(command, *name, samples / "cuda_lost_kernels")
    assert told.exit_code == 0


def test_code_of_another_run_bears_no_question_about_code(samples: Path) -> None:
    """Lines and calls of code that did not run are refused; kernels and the profile alone are not.

    Part of the code of another run may be that of this one, which then can be asked about.
    """
    trace = samples / "cuda_llama_train" / "rank_0" / "trace.json.gz"
    code = samples / "cuda_mlp_train" / "rank_0" / "code"
    assert slugs(trace, code) == ["code-of-another-run"]
    assert slugs(trace) == []
    assert run("correlate", trace, code, "--by", "line").exit_code == 3
    assert run("correlate", trace, code, "--by", "kernel").exit_code == 0
    wide = samples / "cuda_wide_llama" / "rank_0" / "trace.json.gz"
    half_other = samples / "cuda_wide_llama_unfused" / "rank_0" / "code"
    assert slugs(wide, half_other) == []


def write_profile(path: Path, steps: list[tuple[int, int, int]], compiling: set[int]) -> Path:
    """A profile with steps of (number, length, kernel time) in µs; some hold a compilation."""
    events: list[dict[str, object]] = []
    begin, number = 1000, 1
    for step, length, kernel in steps:
        at = {"ph": "X", "pid": 1, "tid": 1}
        mark = f"ProfilerStep#{step}" if step >= 0 else "between"
        events.append({**at, "cat": "user_annotation", "name": mark, "ts": begin, "dur": length})
        if step in compiling:
            what = "_compile.compile_inner (dynamo_timed)"
            events.append({**at, "cat": "user_annotation", "name": what, "ts": begin + 1, "dur": 5})
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": {"correlation": number}}
        events.append({**at, **call, "ts": begin + 10, "dur": 2})
        ran = {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "k"}
        args = {"correlation": number, "device": 0, "stream": 7}
        events.append({**ran, "ts": begin + 15, "dur": kernel, "args": args})
        begin, number = begin + length + 10, number + 1
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def test_steps_that_all_compiled_are_refused(tmp_path: Path) -> None:
    """One step that compiled is no usual step; of three with one that did not there are figures."""
    assert slugs(write_profile(tmp_path / "trace.json", [(0, 100, 50)], {0})) == ["only-compiling"]
    steps = [(at, 100, 50) for at in range(3)]
    assert slugs(write_profile(tmp_path / "trace.json", steps, {0, 1, 2})) == ["only-compiling"]
    assert slugs(write_profile(tmp_path / "trace.json", steps, {0, 1})) == []
    assert slugs(write_profile(tmp_path / "trace.json", [(0, 100, 50)], set())) == []


def test_steps_that_hold_next_to_nothing_are_refused(tmp_path: Path) -> None:
    """Steps with 4 % of the GPU's time do not stand for the run, but may be asked about by name."""
    around = [(-1, 2000, 960), (1, 100, 20), (2, 100, 20)]
    path = write_profile(tmp_path / "trace.json", around, set())
    assert slugs(path) == ["steps-too-small"]
    assert slugs(path, options=Options(steps=(1, 2), work=False)) == []
    assert (
        slugs(write_profile(tmp_path / "trace.json", [(-1, 2000, 200), *around[1:]], set())) == []
    )


def test_the_documents_have_the_table_of_refusals() -> None:
    """docs/for-agents.md says which question is refused for which reason, as the code has it."""
    text = (Path(__file__).parents[1] / "docs" / "for-agents.md").read_text()
    table = text.partition("<!-- table of refusals -->")[2].partition("<!-- end of table -->")[0]
    assert table.strip().splitlines()[2:] == rows_of_refusals()


def test_what_bears_no_figures_becomes_no_baseline(samples: Path, tmp_path: Path) -> None:
    """`runs add` refuses it; kept all the same it stands in no history and no baseline."""
    store = ("--store", tmp_path / "runs")
    lost = samples / "cuda_lost_kernels"
    sound = (lost, "--steps", "4:8")
    assert run("runs", "add", *sound, *store, "--branch", "main").exit_code == 0
    told = run("runs", "add", lost, *store, "--branch", "main")
    assert (told.exit_code, told.stdout) == (3, "")
    assert "see: kernelmap help kernels-lost" in told.stderr
    kept = run("runs", "add", lost, *store, "--branch", "main", "--anyway")
    assert kept.exit_code == 0
    run_id = kept.stdout.strip()
    followed = run("runs", "history", "aten.mm", *store, "--format", "json")
    document = json.loads(followed.stdout)
    assert [it["slug"] for it in document["notices"]] == ["kernels-lost"]
    assert run_id in document["notices"][0]["message"]
    assert run_id not in json.dumps(document["runs"] if "runs" in document else document["rows"])
    gate = run("gate", *sound, "--baseline", "main", "--last", "2", *store)
    assert gate.exit_code == 0
    assert "1 run of main that cannot bear figures passed over" in gate.stderr


def test_python_keeps_it_only_when_told_to(samples: Path, tmp_path: Path) -> None:
    """The store itself refuses: whoever records, what it holds is compared."""
    result = kernelmap.correlate(samples / "cuda_lost_kernels", options=QUICK)
    store = Store(tmp_path / "runs")
    with pytest.raises(RefusedError):
        store.record(result)
    assert store.record(result, anyway=True).facts.notices


def test_the_dashboard_leaves_it_out_of_series(samples: Path, tmp_path: Path) -> None:
    """No chart has the run, and every page says which one is left out, and why."""
    store = Store(tmp_path / "runs")
    kept = [
        store.record(kernelmap.correlate(samples / name, options=QUICK), branch="main", anyway=True)
        for name in ("cuda_mlp_train", "cuda_lost_kernels")
    ]
    archive = Archive(store, patience=None)
    archive.look()
    assert filters.runs(archive)["run"].tolist() == [kept[0].facts.id]
    (said,) = say_left_out(store.listing().runs)
    assert (said.slug, kept[1].facts.id in said.message) == ("kernels-lost", True)
    archive.close()


def test_a_fleet_leaves_out_the_rank_and_says_why(samples: Path, tmp_path: Path) -> None:
    """A rank that lost kernels would be the fastest one; with --anyway it is one of the ranks."""
    ranks = tmp_path / "ranks"
    for rank, name in enumerate(("cuda_mlp_train", "cuda_mlp_train", "cuda_lost_kernels")):
        (ranks / f"rank_{rank}").mkdir(parents=True)
        trace = samples / name / "rank_0" / "trace.json.gz"
        (ranks / f"rank_{rank}" / "trace.json.gz").symlink_to(trace)
    asked = ("fleet", ranks, "--rank-pattern", r"rank_(\d+)", "--workers", "0", "--format", "json")
    keep = ("--keep", tmp_path / "kept")
    document = json.loads(run(*asked, *keep).stdout)
    states = {row["rank"]: row["reason"] for row in document["ranks"]}
    assert states[0] is None
    assert "refused: 35 of 294 launches" in states[2]
    anyway = json.loads(run(*asked, *keep, "--anyway").stdout)
    assert all(row["reason"] is None for row in anyway["ranks"])


def test_names_are_answered_without_times(samples: Path) -> None:
    """`which` and `doctor` say what belongs to what and what is missing, and no figure of time."""
    lost = samples / "cuda_lost_kernels"
    for anyway, has_time in (((), False), (("--anyway",), True)):
        hits = json.loads(run("which", "aten.mm", lost, "--format", "json", *anyway).stdout)
        assert all((hit["time_ns"] is not None) is has_time for hit in hits["hits"])
        advice = json.loads(run("doctor", lost, "--format", "json", *anyway).stdout)
        assert (advice["savings"] is not None) is has_time
        assert [it["slug"] for it in advice["refused"]] == ([] if has_time else ["kernels-lost"])
    told = run("annotate", lost, "--listing")
    assert (told.exit_code, told.stdout) == (3, "")


def test_code_names_kernels_whatever_ran(samples: Path, tmp_path: Path) -> None:
    """A profile without GPU activity takes nothing from what the code says of a name."""
    trace = tmp_path / "trace.json"
    cpu = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [cpu]}))
    code = samples / "cuda_mlp_train" / "rank_0" / "code"
    told = run("which", "aten.mm", code, trace)
    assert (told.exit_code, told.stdout) == (0, run("which", "aten.mm", code).stdout)
    assert run("correlate", code, trace).exit_code == 3
