"""Annotated traces of real and simulated runs: what a viewer and our own reader find in them."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from kernelmap import Correlation, KernelmapError, correlate
from kernelmap.cli import main
from kernelmap.options import Options
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.roofline import ROOFLINE
from kernelmap.tables.rows import whole_number
from kernelmap.tables.schema import CALLS, LAUNCHES
from kernelmap.traces.annotated.event_text import seen_ns
from many_runs import recorded
from test_corpus import PROFILES

FOLDER = Path(__file__).parents[1] / "sample_traces"
RECORDED = ("profile.json*", "rank_0/trace.json*")
SAMPLES = sorted(
    {
        trace.relative_to(FOLDER).parts[0]
        for pattern in RECORDED
        for trace in FOLDER.glob(f"*/{pattern}")
    }
)
TRACES = sorted(
    str(trace.relative_to(FOLDER))
    for pattern in ("profile*.json*", "rank_*/trace.json*", "rank_*.json.gz")
    for trace in FOLDER.glob(f"*/{pattern}")
)
CPU_RUNS = ("cpu_base", "cpu_nonlazy")
Json = dict[str, Any]


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def numbers_as_text(data: bytes) -> list[Json]:
    """The events, floats as they are written."""
    document = json.loads(data.decode("utf-8", "replace"), parse_float=str)
    return list(document["traceEvents"])


def assert_same_correlation(first: Correlation, second: Correlation) -> None:
    """Same launches, pairings, calls and ledger, to the nanosecond."""
    for columns in ("launches", "apis", "ranges"):
        one, other = getattr(first.trace, columns), getattr(second.trace, columns)
        assert [one.names[at] for at in one.name_id] == [other.names[at] for at in other.name_id]
        for name in ("start_ns", "dur_ns", "process", "event"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in first.matching.__struct_fields__:
        if name != "runner_up":  # the second best answers, a record of two columns
            one, other = getattr(first.matching, name), getattr(second.matching, name)
            np.testing.assert_array_equal(one, other)
    assert first.program.calls == second.program.calls
    assert first.attribution.ledger == second.attribution.ledger
    assert first.trace.origin_ns == second.trace.origin_ns
    assert [p.pid for p in first.trace.processes] == [p.pid for p in second.trace.processes]


def assert_only_additions(before: list[Json], after: list[Json]) -> list[Json]:
    """The events are the original ones but for the one argument; gives those behind them."""
    for old, new in zip(before, after, strict=False):
        args = new.get("args")
        if args and args.pop("kernelmap", None) and not args and "args" not in old:
            del new["args"]
        assert old == new
    return after[len(before) :]


def assert_nothing_overlaps(added: list[Json]) -> None:
    """On each of our tracks slices come in order and end before the next, as Perfetto sees them."""
    tracks = defaultdict(list)
    for event in added:
        if event["ph"] == "X":
            start, dur = seen_ns(event["ts"]), seen_ns(event["dur"])
            tracks[event["pid"], event["tid"]].append((start, start + dur))
    for slices in tracks.values():
        assert all(end <= begin for (_, end), (begin, _) in pairwise(slices))


def check(source: Path, code: tuple[Path, ...], target: Path) -> list[Json]:
    """Annotate, and hold the result against the original; gives our own events."""
    first = correlate(*code, source) if code else recorded(source)
    done = first.annotate(target)
    before, after = numbers_as_text(text_of(source)), numbers_as_text(text_of(target))
    facts = {at for at, it in enumerate(after) if "kernelmap" in (it.get("args") or {})}

    assert done.paths == (target,)
    assert done.notices == ()
    assert set(first.trace.launches.event.tolist()) == {at for at in facts if at < len(before)}
    assert_same_correlation(first, correlate(*code, target))
    added = assert_only_additions(before, after)
    assert_nothing_overlaps(added)
    placed = int((first.matching.call >= 0).sum())
    assert placed == sum(it["args"]["kernelmap"]["launches"] for it in added if it["ph"] == "X")
    return added


def assert_same_values(source: Path, target: Path) -> None:
    """Every value of `source` is in `target`, digit by digit, and nothing but what is added."""
    before, after = exactly(text_of(source)), exactly(text_of(target))
    old_events, new_events = before.pop("traceEvents"), after.pop("traceEvents")

    assert before == after
    for old, new in zip(old_events, new_events[: len(old_events)], strict=True):
        args = new.get("args")
        if args is not None and "kernelmap" in args and "kernelmap" not in old.get("args", {}):
            assert list(args)[-1] == "kernelmap"
            del args["kernelmap"]
            if not args and "args" not in old:
                del new["args"]
        assert list(old.items()) == list(new.items())
    assert all(
        it.get("cat") == "kernelmap" or it["ph"] == "M" for it in new_events[len(old_events) :]
    )


def exactly(data: bytes) -> Json:
    """The file, numbers as they are written."""
    document = json.loads(data.decode("utf-8", "replace"), parse_int=str, parse_float=str)
    return document if isinstance(document, dict) else {"traceEvents": document}


@pytest.mark.sampled
@pytest.mark.parametrize("name", TRACES)
def test_all_values_of_a_sample_stay(name: str, tmp_path: Path) -> None:
    """Annotating changes no value of a trace, and no digit of a number."""
    target = tmp_path / "out.json.gz"
    recorded(FOLDER / name).annotate(target)

    assert_same_values(FOLDER / name, target)


@pytest.mark.thorough
@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("name", PROFILES)
def test_all_values_of_a_foreign_trace_stay(name: str, corpus: Path, tmp_path: Path) -> None:
    """The same holds for foreign traces."""
    source, target = corpus / "kineto" / f"{name}.json.gz", tmp_path / "out.json"
    recorded(source).annotate(target)

    assert_same_values(source, target)


@pytest.mark.sampled
@pytest.mark.parametrize("name", SAMPLES)
def test_an_annotated_sample_correlates_as_before(name: str, samples: Path, tmp_path: Path) -> None:
    """Our own reader sees the same run, and every placed launch is in one slice."""
    folder = samples / name
    (profile,) = (trace for pattern in RECORDED for trace in folder.glob(pattern))
    # The folder of a bundle would bring its own trace along.
    logs = tuple(folder.glob("rank_0/torch_trace"))
    added = check(profile, logs or (folder,), tmp_path / "out.json.gz")

    assert [it["name"] for it in added[:2]] == ["process_name", "process_sort_index"]


@pytest.mark.thorough
@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("name", PROFILES)
def test_an_annotated_foreign_trace_correlates_as_before(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    """The same holds for foreign traces without their code."""
    check(corpus / "kineto" / f"{name}.json.gz", (), tmp_path / "out.json")


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("name", CPU_RUNS)
def test_an_annotated_cpu_run_correlates_as_before(name: str, corpus: Path, tmp_path: Path) -> None:
    """The same of recordings with the code that ran."""
    folder = corpus / "inductor" / name
    check(folder / "trace.json", (folder / "torch_compile_debug",), tmp_path / "out.json")


@pytest.fixture(scope="module")
def mlp(samples: Path) -> Path:
    return samples / "sim_mlp_train"


@pytest.fixture(scope="module")
def correlation(mlp: Path) -> Correlation:
    return correlate(mlp, mlp / "profile.json.gz")


@pytest.mark.parametrize(
    ("sample", "profile"),
    [
        ("sim_mlp_train", "profile.json.gz"),
        ("sim_attention_autotune", "profile.json.gz"),
        ("thread_lift_fresh", "profile_gpu_only.json.gz"),
        ("cpu_block", "profile.json.gz"),
    ],
)
def test_facts_are_those_of_the_tables(
    sample: str, profile: str, samples: Path, tmp_path: Path
) -> None:
    """What stands in an event's arguments is what the tables of launches and calls say of it."""
    path = tmp_path / "out.json"
    correlation = correlate(samples / sample, samples / sample / profile)
    correlation.annotate(path)
    events = numbers_as_text(path.read_bytes())
    calls = {row["call"]: row for row in rows_of_frame(CALLS, correlation.calls)}

    for row in rows_of_frame(LAUNCHES, correlation.launches):
        facts = events[int(str(row["event"]))]["args"]["kernelmap"]
        same = ("call", "wrapper", "confidence", "method", "reason", "candidates", "invocation")
        assert {name: facts.get(name) for name in (*same, "op")} == {
            name: row[name] for name in (*same, "op")
        }
        call = calls.get(facts.get("call"), {})
        for name in ("ops", "nodes", "source"):
            assert facts.get(name) == (call.get(name) or None), name


def test_launches_say_how_fast_they_were(mlp: Path, tmp_path: Path) -> None:
    """A launch that is a whole execution has rates of its own, others those of their call."""
    path, limits = tmp_path / "out.json", tmp_path / "limits.toml"
    limits.write_text('[[device]]\nnames = ["*"]\nbandwidth_gbps = 1000\ntflops = { float32 = 20 }')
    correlation = correlate(mlp, options=Options(device_limits=limits))
    correlation.annotate(path)
    events = numbers_as_text(path.read_bytes())
    speeds = {
        row["call"]: row for row in rows_of_frame(ROOFLINE["call"], correlation.roofline().calls)
    }
    launched = {row["call"]: row["launches"] for row in rows_of_frame(CALLS, correlation.calls)}
    kinds = set()
    for row in rows_of_frame(LAUNCHES, correlation.launches):
        facts, speed = events[int(str(row["event"]))]["args"]["kernelmap"], speeds.get(row["call"])
        moved = whole_number(speed, "bytes") if speed and speed["bytes"] is not None else None
        if speed is None or moved is None:
            assert {"gbps", "tflops", "share_of_limit"}.isdisjoint(facts)
            continue
        executions, time_ns = whole_number(speed, "executions"), whole_number(speed, "time_ns")
        is_whole = executions == launched[row["call"]]
        rate = moved / executions / whole_number(row, "dur_ns") if is_whole else moved / time_ns
        kinds.add(is_whole)

        assert float(facts["gbps"]) == pytest.approx(rate, abs=0.06)
        assert ("tflops" in facts) == bool(speed["flops"])
        assert ("share_of_limit" in facts) == (speed["limit_ns"] is not None)
    assert True in kinds


def test_candidates_are_reported(mlp: Path, tmp_path: Path) -> None:
    """A launch that may be one of several calls names them, and the wrapper that they share."""
    wrapper = "triton_per_fused_native_dropout_backward_sum_view_1"
    whole = json.loads(gzip.decompress((mlp / "profile.json.gz").read_bytes()))
    events = whole["traceEvents"]
    seen = [it for it in events if it["name"] == wrapper and it.get("cat") == "cpu_op"]
    launched = seen[1]["args"]["External id"]
    whole["traceEvents"] = [
        it for it in events if it.get("args", {}).get("External id") != launched
    ]
    profile, path = tmp_path / "lost.json", tmp_path / "out.json"
    profile.write_text(json.dumps(whole))
    correlate(mlp, profile).annotate(path)
    facts = [it["args"].get("kernelmap") for it in events_with_args(path)]
    ambiguous = [it for it in facts if it and it["confidence"] == "ambiguous"]

    assert ambiguous == [
        {
            "wrapper": wrapper,
            "confidence": "ambiguous",
            "method": "kernel_hash",
            "reason": "count_differs",
            "candidates": ["0_backward/10", "0_backward/11"],
            "invocation": 0,
        }
    ]


def events_with_args(path: Path) -> list[Json]:
    return [it for it in numbers_as_text(path.read_bytes()) if it.get("args")]


def test_lines_are_reported(samples: Path, tmp_path: Path) -> None:
    """A call with known lines says where it comes from."""
    folder = samples / "cpu_block"
    path = tmp_path / "out.json"
    correlate(folder / "torch_trace.log", folder / "profile.json.gz").annotate(path)
    facts = [it["args"].get("kernelmap", {}) for it in events_with_args(path)]
    lines = {line for it in facts for line in it.get("source", [])}

    assert {line.rpartition(":")[0] for line in lines} == {"/home/user/train_block.py"}


def test_several_traces_go_to_a_folder(mlp: Path, tmp_path: Path) -> None:
    """Each rank gets a file that is named after its source; one file for both is refused."""
    whole = json.loads(gzip.decompress((mlp / "profile.json.gz").read_bytes()))
    for rank in (0, 1):
        folder = tmp_path / f"rank_{rank}"
        folder.mkdir()
        whole["distributedInfo"] = {"rank": rank}
        (folder / "trace.json").write_text(json.dumps(whole))
    both = correlate(mlp, *sorted(tmp_path.glob("rank_*/trace.json")))
    with pytest.raises(KernelmapError) as caught:
        both.annotate(tmp_path / "one.json")
    done = both.annotate(tmp_path / "out")

    assert caught.value.slug == "annotate-several"
    assert [path.name for path in done.paths] == ["rank_0_trace.json", "rank_1_trace.json"]
    again = correlate(mlp, *done.paths)
    np.testing.assert_array_equal(again.matching.call, both.matching.call)


def test_nothing_that_was_read_is_written_over(mlp: Path, tmp_path: Path) -> None:
    """The trace itself, under any name, is refused as the target, and stays as it was."""
    profile = tmp_path / "profile.json.gz"
    profile.write_bytes((mlp / "profile.json.gz").read_bytes())
    link = tmp_path / "link.json.gz"
    link.symlink_to(profile)
    before = profile.read_bytes()
    correlation = correlate(mlp, profile)

    for target in (profile, link, tmp_path):
        with pytest.raises(KernelmapError) as caught:
            correlation.annotate(target)
        assert caught.value.slug == "output-is-input"
    assert profile.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json.gz", "profile.json.gz"]


@pytest.mark.parametrize("name", ["out.txt", "out.gz", "out.json.zip"])
def test_other_names_are_no_traces(name: str, correlation: Correlation, tmp_path: Path) -> None:
    """A name that viewers would not open is refused before anything is written."""
    with pytest.raises(KernelmapError) as caught:
        correlation.annotate(tmp_path / name)

    assert caught.value.slug == "unknown-output-format"
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_either(mlp: Path, tmp_path: Path) -> None:
    """The trace goes to a file, the code to stdout or a file; what was written is said."""
    sources = (str(mlp), str(mlp / "profile.json.gz"))
    trace, listing = tmp_path / "out.json.gz", tmp_path / "code.txt"
    wrote = CliRunner().invoke(main, ["annotate", *sources, "-o", str(trace)])
    printed = CliRunner().invoke(main, ["annotate", *sources, "--listing"])
    kept = CliRunner().invoke(main, ["annotate", *sources, "--listing", "-o", str(listing)])

    assert (wrote.exit_code, printed.exit_code, kept.exit_code) == (0, 0, 0)
    assert f"wrote {trace}" in wrote.stderr
    assert len(numbers_as_text(text_of(trace))) > 3000
    assert printed.stdout.startswith("== 0_forward")
    assert kept.stdout == ""
    assert listing.read_text() == printed.stdout


def test_the_command_needs_a_place(mlp: Path, tmp_path: Path) -> None:
    """Without -o, in a folder that is not there, or over an input: wrong usage."""
    profile = tmp_path / "profile.json.gz"
    profile.write_bytes((mlp / "profile.json.gz").read_bytes())
    for more in (
        (),
        ("-o", str(tmp_path / "nowhere" / "out.json")),
        ("-o", str(tmp_path / "out.html")),
        ("-o", str(profile)),
        ("--listing", "-o", str(profile)),
    ):
        result = CliRunner().invoke(main, ["annotate", str(mlp), str(profile), *more])

        assert (result.exit_code, result.stdout) == (2, ""), more
    assert [path.name for path in tmp_path.iterdir()] == ["profile.json.gz"]


def test_the_environment_is_reported_once(mlp: Path, tmp_path: Path) -> None:
    """A block that holds secrets stays where it was, and nowhere else."""
    content = gzip.decompress((mlp / "profile.json.gz").read_bytes())
    profile = tmp_path / "profile.json"
    profile.write_bytes(content.replace(b"{", b'{"metadata": {"TOKEN": "very-secret"},', 1))
    correlate(mlp, profile).annotate(tmp_path / "out.json")
    result = (tmp_path / "out.json").read_bytes()

    assert result.count(b"very-secret") == 1
    assert result.startswith(profile.read_bytes()[:60])
