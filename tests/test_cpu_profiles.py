"""Profiles of code that runs on the CPU: the ledger adds up to what torch's own tables say."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.model import Confidence
from kernelmap.model.busy_time import stretches_of_work
from kernelmap.pages.advice import say_verdict
from kernelmap.pages.one_table import step_parts
from kernelmap.pages.text import format_duration, of_steps
from pages.packed_page import data_of
from showing import in_terminal

ROOT = Path(__file__).resolve().parents[1]
RUN = "from kernelmap.cli import main; main()"
PROGRAM = '''
"""A graph break, an operator of its own, an optimizer; what torch's tables say goes to tables.json.

`own` records itself, with a thread that runs operators; otherwise whoever runs it does.
"""

import json, sys, threading
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


@torch.library.custom_op("shop::clip", mutates_args=())
def clip(x: torch.Tensor) -> torch.Tensor:
    with record_function("inside the operator"):
        return torch.clamp(x * 2, -1, 1).clone()


clip.register_fake(lambda x: torch.empty_like(x))
clip.register_autograd(lambda context, grad: grad * 2)
torch.manual_seed(0)
first, second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()])


@torch.compile
def model(x):
    y = torch.nn.functional.gelu(first(x))
    torch._dynamo.graph_break()
    return torch.softmax(second(clip(y)), -1)


def step():
    loss = model(torch.randn(64, 64)).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def say(profiler):
    """Every event with the operator around it, and the table itself."""
    events = list(profiler.events())
    place = {id(event): at for at, event in enumerate(events)}
    told = [
        {
            "name": event.name,
            "thread": event.device_resource_id,
            "self_us": event.self_cpu_time_total,
            "total_us": event.cpu_time_total,
            "annotation": event.is_user_annotation,
            "parent": place.get(id(event.cpu_parent), -1),
        }
        for event in events
    ]
    table = {row.key: row.self_cpu_time_total for row in profiler.key_averages()}
    with open("tables.json", "w") as target:
        json.dump({"events": told, "table": table}, target)


def beside():
    for _ in range(20):
        torch.ones(64, 64).mm(torch.ones(64, 64))


if sys.argv[1:] == ["own"]:
    for _ in range(3):
        step()
    every = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=0, warmup=1, active=3, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace("trace.json"),
        experimental_config=every,
    ) as profiler:
        for _ in range(4):
            thread = threading.Thread(target=beside)
            thread.start()
            step()
            thread.join()
            profiler.step()
    say(profiler)
else:
    export = profile.export_chrome_trace

    def exported(profiler, path):
        export(profiler, path)
        say(profiler)

    profile.export_chrome_trace = exported
    for _ in range(12):
        step()
'''


class Recorded:
    """A run of the program: what torch's tables say of it, and what kernelmap does."""

    def __init__(self, folder: Path, *sources: Path) -> None:
        said = json.loads((folder / "tables.json").read_text())
        self.events: list[dict[str, Any]] = said["events"]
        self.table: dict[str, float] = said["table"]
        self.result = kernelmap.correlate(*sources)

    def launches(self) -> Iterator[tuple[tuple[str, int], int, bool]]:
        """Name and thread of each launch's range, its time in ns, and whether a call has it."""
        trace, matching = self.result.trace, self.result.matching
        launches, ranges = trace.launches, trace.ranges
        assert launches.on_cpu.all()
        assert self.result.attribution.counted.all()
        for row, at in enumerate(launches.range.tolist()):
            place = ranges.name_of(at), int(ranges.thread[at])
            yield place, int(launches.dur_ns[row]), bool(matching.call[row] >= 0)

    def is_operator(self, event: dict[str, Any]) -> bool:
        """ProfilerStep, record_function, graph ranges and marks only say where operators run."""
        places = ("## Call CompiledFxGraph", "kernelmap:1 ", "ProfilerStep")
        return not event["annotation"] and not event["name"].startswith(places)

    def call_around(self, event: dict[str, Any], names: set[str]) -> dict[str, Any] | None:
        """The event or the one around it that a graph range or a mark holds, if it is a call's."""
        around: dict[str, Any] | None = event
        while around is not None:
            parent = self.events[around["parent"]] if around["parent"] >= 0 else None
            if around["name"] in names and parent is not None and not self.is_operator(parent):
                return around
            around = parent
        return None


def ran(folder: Path, *arguments: str) -> None:
    """Run Python on `arguments` in the folder, with a cache of its own."""
    done = subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
            "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
            "TORCH_TRACE": str(folder / "log"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cpu")
    (made / "program.py").write_text(PROGRAM)
    return made


@pytest.fixture(scope="module")
def profiled(folder: Path) -> Recorded:
    """The program, profiled by itself."""
    ran(folder, "program.py", "own")
    return Recorded(folder, folder / "log", folder / "trace.json")


@pytest.fixture(scope="module")
def captured(folder: Path) -> Recorded:
    """The program, captured."""
    ran(folder, "-c", RUN, "capture", "-o", "bundle", "--", sys.executable, "program.py")
    return Recorded(folder, folder / "bundle")


@pytest.fixture(params=["profiled", "captured"])
def recorded(request: pytest.FixtureRequest) -> Recorded:
    recording: Recorded = request.getfixturevalue(request.param)
    return recording


def nanos(micros: Mapping[Any, float]) -> dict[Any, int]:
    """Whole nanoseconds: torch's tables add up microseconds as floats."""
    return {key: ns for key, time in micros.items() if (ns := round(time * 1000))}


@pytest.mark.torch
@pytest.mark.thorough
def test_what_torch_says_of_its_events_is_its_table(recorded: Recorded) -> None:
    """The self times that the other tests add up are those of key_averages."""
    sums: defaultdict[str, float] = defaultdict(float)
    for event in recorded.events:
        sums[event["name"]] += event["self_us"]

    assert nanos(sums) == nanos(recorded.table)


@pytest.mark.torch
@pytest.mark.thorough
def test_operators_outside_have_the_self_time_of_key_averages(recorded: Recorded) -> None:
    """Per name and thread, what ran under no call took what torch's own table says."""
    ours: Counter[tuple[str, int]] = Counter()
    calls = {place[0] for place, _, called in recorded.launches() if called}
    for place, time_ns, called in recorded.launches():
        if not called:
            ours[place] += time_ns
    theirs: defaultdict[tuple[str, int], float] = defaultdict(float)
    for event in recorded.events:
        if recorded.is_operator(event) and not recorded.call_around(event, calls):
            theirs[event["name"], event["thread"]] += event["self_us"]

    assert {key: ns for key, ns in ours.items() if ns} == nanos(theirs)
    assert "aten::addcdiv_" in {name for name, _ in ours}, "the optimizer is there"


@pytest.mark.torch
@pytest.mark.thorough
def test_the_ledger_is_what_key_averages_adds_up_to(recorded: Recorded) -> None:
    """All self times of operators, and of what calls hold besides, are in the ledger."""
    calls = {place[0] for place, _, called in recorded.launches() if called}
    self_us = sum(
        event["self_us"]
        for event in recorded.events
        if recorded.is_operator(event) or recorded.call_around(event, calls)
    )
    ledger = recorded.result.ledger

    assert set(ledger["side"]) == {"cpu"}
    assert set(ledger["bucket"]) == {"exact", "outside"}
    assert int(ledger["time_ns"].sum()) == round(self_us * 1000)
    assert float(ledger["share"].sum()) == pytest.approx(1)


@pytest.mark.torch
@pytest.mark.thorough
def test_the_custom_operator_is_a_call_with_all_that_it_runs(recorded: Recorded) -> None:
    """A call's own host range is the launch: the operators that it calls are no rows beside it."""
    total = sum(event["total_us"] for event in recorded.events if event["name"] == "shop::clip")
    ops = recorded.result.ops.set_index("name")

    assert total > 0
    assert dict(ops["origin"])["shop.clip"] == "compiled"
    assert int(dict(ops["time_ns"])["shop.clip"]) / 1000 == pytest.approx(total)


@pytest.mark.torch
@pytest.mark.thorough
def test_why_an_operator_is_outside_is_said(recorded: Recorded) -> None:
    """What torch.compile runs around its code is told from what the program runs by itself."""
    launches = recorded.result.launches
    reasons = dict(zip(launches["name"], launches["reason"], strict=True))

    assert reasons["CompiledFunction"] == reasons["Torch-Compiled Region: 0/0"] == "glue"
    assert reasons["aten::addcdiv_"] == reasons["aten::mean"] == "eager"


@pytest.mark.torch
@pytest.mark.thorough
def test_another_thread_is_outside(profiled: Recorded) -> None:
    """What a thread beside the model runs is counted as what it is."""
    threads = {event["thread"] for event in profiled.events}
    main = Counter(event["thread"] for event in profiled.events if event["annotation"])
    beside = [called for (_, thread), _, called in profiled.launches() if thread not in main]

    assert len(threads) > 1
    assert beside
    assert not any(beside)


@pytest.mark.torch
@pytest.mark.thorough
def test_every_output_says_how_much_of_the_steps_was_compiled(
    captured: Recorded, tmp_path: Path
) -> None:
    """Header, ledger, report and doctor name compiled code's part of the steps in one sentence."""
    summary = captured.result.tables.summary
    assert summary.step_ns
    assert summary.step_operators_ns
    assert summary.step_compiled_ns
    exact = captured.result.matching.with_confidence(Confidence.EXACT)
    exact_ns = int(captured.result.trace.launches.dur_ns[exact].sum())
    steps_ns = sum(step.end_ns - step.start_ns for step in captured.result.trace.steps)

    assert 0 < summary.step_compiled_ns <= exact_ns
    assert summary.step_compiled_ns < summary.step_operators_ns < summary.step_ns <= steps_ns
    said = of_steps(summary.step_compiled_ns, summary.step_ns)
    shown = in_terminal(captured.result.tables).plain
    report = captured.result.to_html(tmp_path / "report.html").read_text()
    assert said in shown
    assert f"{format_duration(summary.step_compiled_ns)} in compiled code + " in shown
    assert said in captured.result.to_markdown(tmp_path / "table.md").read_text()
    assert said in data_of(report)["views"]["overview"]["facts"]
    assert said in say_verdict(captured.result.advice)


SAMPLES = {
    "cpu_block": "profile.json.gz",
    "cpu_graph_breaks": "rank_0/trace.json.gz",
    "cpu_mlp_train": "rank_0/trace.json.gz",
}


@pytest.fixture(params=list(SAMPLES))
def sample(request: pytest.FixtureRequest) -> tuple[Correlation, list[dict[str, Any]]]:
    """A sample's result, and the operators and annotations of its profile."""
    folder = ROOT / "sample_traces" / request.param
    document = json.loads(gzip.decompress((folder / SAMPLES[request.param]).read_bytes()))
    kinds = ("cpu_op", "user_annotation")
    events = [event for event in document["traceEvents"] if event.get("cat") in kinds]
    return kernelmap.correlate(folder), events


def covered(spans: list[tuple[int, int]]) -> int:
    """How long at least one of the spans lasts."""
    total, reach = 0, -1
    for start, end in sorted(spans):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def span(event: dict[str, Any]) -> tuple[int, int]:
    start = round(float(event["ts"]) * 1000)
    return start, start + round(float(event["dur"]) * 1000)


def test_a_samples_ledger_is_what_its_operators_cover(
    sample: tuple[Correlation, list[dict[str, Any]]],
) -> None:
    """On one thread, all self times are the time in which the innermost range is an operator."""
    result, events = sample

    assert int(result.ledger["time_ns"].sum()) == operators_ns(events)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["cpu_base", "cpu_nonlazy", "cpu_warm"])
def test_the_ledger_of_a_real_run_is_what_its_operators_cover(name: str, corpus: Path) -> None:
    """Operators that a call runs inside (`aten::copy_` below `aten::mm`) are in the call's time.

    So nothing of what operators took is missing, with the code and without it.
    """
    path = corpus / "inductor" / name / "trace.json"
    kinds = ("cpu_op", "user_annotation")
    events = [e for e in json.loads(path.read_text())["traceEvents"] if e.get("cat") in kinds]
    ledger = kernelmap.correlate(path).ledger

    assert len({event["tid"] for event in events}) == 1
    assert int(ledger["time_ns"].sum()) == operators_ns(events)
    assert int(kernelmap.correlate(path.parent).ledger["time_ns"].sum()) == operators_ns(events)


def operators_ns(events: list[dict[str, Any]]) -> int:
    """The time in which the innermost range of a thread is an operator.

    Counted moment by moment, without parents: between two ends or starts of ranges the one that
    began last is running.
    """
    spans = {at: span(event) for at, event in enumerate(events)}
    moments = sorted({time for extent in spans.values() for time in extent})
    began = defaultdict(list)
    for at, (start, _) in spans.items():
        began[start].append(at)
    places = ("## Call CompiledFxGraph", "ProfilerStep")
    total = 0
    running: list[int] = []
    for moment, following in pairwise(moments):
        running = [at for at in running if spans[at][1] > moment]
        running += sorted(began[moment], key=lambda at: -spans[at][1])
        running = [at for at in running if spans[at][1] > moment]
        if running:
            inner = events[running[-1]]
            if inner["cat"] == "cpu_op" and not inner["name"].startswith(places):
                total += following - moment
    return total


def test_the_parts_of_the_step_time_are_those_of_the_clock(
    sample: tuple[Correlation, list[dict[str, Any]]],
) -> None:
    """Steps are divided into compiled code, other operators and no operator, to the nanosecond."""
    result, events = sample
    summary = result.tables.summary
    steps = [span(event) for event in events if event["name"].startswith("ProfilerStep")]
    calls = result.launches[result.launches["call"].notna()]
    starts = calls["start_ns"].to_list()
    ends = (calls["start_ns"] + calls["dur_ns"]).to_list()
    parts = dict(step_parts(summary))

    assert summary.step_ns == covered(steps) == sum(parts.values())
    assert parts["in compiled code"] == covered(list(zip(starts, ends, strict=True)))
    assert parts["in other operators"] > 0
    assert parts["in no operator"] > 0


def test_the_timeline_draws_every_nanosecond_once(
    sample: tuple[Correlation, list[dict[str, Any]]],
) -> None:
    """An operator has a bar for each stretch of self time: bars of a thread never overlap."""
    result, _ = sample
    launches, ranges = result.trace.launches, result.trace.ranges
    bars = stretches_of_work(launches, ranges)
    thread = ranges.thread[launches.range[bars.of]]
    order = np.lexsort((bars.start_ns, thread))
    same = np.diff(thread[order]) == 0

    assert int((bars.end_ns - bars.start_ns).sum()) == int(launches.dur_ns.sum())
    assert (bars.end_ns[order][:-1][same] <= bars.start_ns[order][1:][same]).all()
