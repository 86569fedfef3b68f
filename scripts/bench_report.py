"""Measure the report of a large run: size, time to write, and how soon a browser answers.

With --against, measure instead what `kernelmap correlate -o report.html` costs against a table.

The run is made up: graphs of a sample, again and again with other names and numbers, until there
are enough calls; their launches lie in order on several streams, with random durations. Prints
Markdown: MB = 10^6 bytes; seconds in chromium from opening the file until the
first view stands, and from a click until another does.

    python scripts/bench_report.py                            # 10,000 calls, 1,000,000 launches
    python scripts/bench_report.py --calls 500 --launches 20000
    python scripts/bench_report.py --against                  # a simulated run of 560 kernels
    python scripts/bench_report.py --against sample_traces/cuda_language_train
"""

from __future__ import annotations

import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import usage
from msgspec.structs import replace

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.attribution import Attribution, attribute_time  # noqa: E402 -- as above
from kernelmap.commands import command  # noqa: E402 -- as above
from kernelmap.compiler import load_compiled  # noqa: E402 -- as above
from kernelmap.model import (  # noqa: E402 -- as above
    CompiledGraph,
    CompiledProgram,
    Confidence,
    GraphText,
    Launches,
    Matching,
    Method,
    Process,
    Trace,
)
from kernelmap.model.advice import Advice  # noqa: E402 -- after the line above
from kernelmap.model.memory import GraphMemory, StepMemory  # noqa: E402 -- as above
from kernelmap.options import Options  # noqa: E402 -- as above
from kernelmap.pages.report import Content, render_report  # noqa: E402 -- as above
from kernelmap.tables.build import build_tables  # noqa: E402 -- as above
from kernelmap.traces.assemble import assemble_trace  # noqa: E402 -- as above
from trace_rows import raw_trace  # noqa: E402 -- as above
from worlds import World, simulate  # noqa: E402 -- as above

SAMPLES = (PROJECT / "sample_traces" / "cpu_block", PROJECT / "sample_traces" / "sim_mlp_train")
VIEWS = ("ops", "timeline", "kernels", "graphs", "provenance")
CODE = PROJECT / "sample_traces" / "cuda_language_train"
STREAMS = 4
_RUNS = 3
MEGABYTE = 1_000_000
_HASH, _NUMBER = re.compile(r"\b[a-z2-7]{40,}\b"), re.compile(r"\b\d{3,}\b")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that never was."""

    program: CompiledProgram
    trace: Trace
    matching: Matching
    attribution: Attribution
    advice: Advice
    speeds: None = None
    speeds_in_steps: None = None
    step_headroom_ns: Mapping[int, int] = field(default_factory=dict)
    memory_of_graphs: tuple[GraphMemory, ...] = ()
    memory_of_step: StepMemory = field(
        default_factory=lambda: StepMemory(runs=(), is_recorded=False)
    )

    def memory_of_some_graphs(self, graphs: Collection[str]) -> tuple[GraphMemory, ...]:  # noqa: ARG002
        """No code that could be followed."""
        return ()

    def again(self, *words: str) -> str:
        """No inputs: only the words."""
        return command(*words)


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--launches", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="where to leave the report")
    parser.add_argument(
        "--against",
        type=Path,
        nargs="*",
        metavar="INPUT",
        help="inputs to measure report and correlate on, without one a simulated run",
    )
    parser.add_argument("--kernels", type=int, default=560, help="of the simulated run")
    chosen = parser.parse_args()
    if chosen.against is not None:
        with tempfile.TemporaryDirectory() as name:
            inputs = chosen.against or [simulated(Path(name) / "simulated", chosen.kernels)]
            for line in against(inputs, Path(name) / "report.html"):
                print(line, flush=True)
        return
    with tempfile.TemporaryDirectory() as name:
        place = chosen.keep or Path(name) / "report.html"
        for line in report(chosen.calls, chosen.launches, place):
            print(line, flush=True)


def report(calls: int, launches: int, place: Path) -> Iterator[str]:
    """The table's lines, as they are measured."""
    run = made(calls, launches)
    tables = build_tables(run.program, run.trace, run.matching, run.attribution)
    start = time.perf_counter()
    page = render_report(Content(tables=tables, records=run))
    wrote = time.perf_counter() - start
    place.write_text(page, encoding="utf-8")
    size = place.stat().st_size / MEGABYTE
    yield f"{len(run.program.calls):,} calls, {launches:,} launches"
    yield from ("", "| what | measured |", "|---|---:|")
    yield f"| made, s | {wrote:.1f} |"
    yield f"| file, MB | {size:.1f} |"
    for what, seconds in opened(place):
        yield f"| {what}, s | {seconds:.2f} |"


def against(inputs: Sequence[Path], place: Path) -> Iterator[str]:
    """What a report costs of each input, and the same input's correlation, in the same minutes.

    Processor time of the least of three runs, which take turns.
    """
    yield "| input | correlate, s | report, s | ratio |"
    yield "|---|---:|---:|---:|"
    for given in inputs:
        commands = ("correlate", str(given), "--by", "line"), ("correlate", str(given), "-o", place)
        turns = [[_seconds(*map(str, command)) for command in commands] for _ in range(_RUNS)]
        correlate_s, report_s = map(min, zip(*turns, strict=True))
        ratio = report_s / correlate_s
        yield f"| {given.name} | {correlate_s:.2f} | {report_s:.2f} | {ratio:.2f} |"


def _seconds(*arguments: str) -> float:
    """The processor time that kernelmap takes for a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, "-m", "kernelmap", *arguments]
    subprocess.run(command, check=True, capture_output=True, cwd=PROJECT)  # noqa: S603 -- our own program
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def simulated(folder: Path, kernels: int) -> Path:
    """A folder with the code of a sample so often that it has as many kernels, and a simulated run.

    In each copy the kernels have names of their own, so that no two texts are alike: to kernelmap
    it is a model whose parts were compiled one by one.
    """
    folder.mkdir()
    given = load_compiled(CODE).graphs
    made = 0
    for number in range(kernels):
        if made >= kernels:
            break
        for graph in given:
            names = {kernel.name for kernel in graph.kernels}
            text = re.sub(r"\b(triton_\w+)", rf"\g<1>{number:03}", graph.text or "")
            text = text.replace("# AOT ID: ['", f"# AOT ID: ['{number}")
            (folder / f"{number}_{graph.id}.py").write_text(text, encoding="utf-8")
            made += len(names)
    program = load_compiled(folder)
    world = World(seed=7, invocations=3, autotune=False, durations="plausible")
    simulate(program, world).write_kineto(folder / "profile.json.gz")
    return folder


def opened(place: Path) -> Iterator[tuple[str, float]]:
    """How long chromium takes to show each view for the first time."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        start = time.perf_counter()
        page.goto(place.as_uri(), timeout=120_000)
        page.wait_for_selector("#overview-view[data-ready]", timeout=120_000)
        page.evaluate("new Promise(requestAnimationFrame)")
        yield "opened", time.perf_counter() - start
        for name in VIEWS:
            start = time.perf_counter()
            page.click(f"#tab-{name}")
            page.wait_for_selector(f"#{name}-view[data-ready]", timeout=120_000)
            page.evaluate("new Promise(requestAnimationFrame)")
            yield name, time.perf_counter() - start
        browser.close()


def made(calls: int, launches: int) -> Run:
    """A program with at least `calls` calls, and `launches` launches of them in order."""
    rng = np.random.default_rng(7)
    program = _program(calls)
    count = len(program.calls)
    call = np.arange(launches, dtype=np.int64) % count
    trace = _trace(program, call, rng)
    nothing = np.zeros(launches, dtype=np.int64)
    outside = rng.random(launches) < 0.02  # noqa: PLR2004 -- some of it is eager
    confidence = np.where(rng.random(launches) < 0.1, Confidence.INFERRED, Confidence.EXACT)  # noqa: PLR2004 -- some is inferred
    matching = Matching(
        call=np.where(outside, -1, call),
        invocation=np.where(outside, -1, np.arange(launches) // count),
        method=np.full(launches, Method.RANGE, dtype=np.int8),
        confidence=np.where(outside, Confidence.OUTSIDE, confidence).astype(np.int8),
        reason=nothing.astype(np.int8),
        call_range=nothing - 1,
        candidate_start=np.zeros(launches + 1, dtype=np.int64),
        candidates=np.zeros(0, dtype=np.int64),
    )
    attribution = attribute_time(program, trace, matching, Options())
    advice = Advice(
        side="gpu",
        total_ns=attribution.total_ns,
        confidence={},
        calls=count,
        findings=(),
        totals=(),
    )
    return Run(
        program=program, trace=trace, matching=matching, attribution=attribution, advice=advice
    )


def _program(calls: int) -> CompiledProgram:
    given = [graph for sample in SAMPLES for graph in load_compiled(sample).graphs]
    graphs: list[CompiledGraph] = []
    random.seed(7)
    while sum(len(graph.calls) for graph in graphs) < calls:
        graphs.append(_renamed(given[len(graphs) % len(given)], len(graphs)))
    return CompiledProgram(graphs=tuple(graphs))


def _renamed(graph: CompiledGraph, number: int) -> CompiledGraph:
    """The graph with other hashes and numbers in its texts, so that no two of them are alike."""
    return replace(
        graph,
        id=f"{number}_{graph.kind or 'graph'}",
        text=_other(graph.text or ""),
        pre_grad_text=_other_graph(graph.pre_grad_text),
        post_grad_text=_other_graph(graph.post_grad_text),
        emitted=(),
    )


def _other_graph(given: GraphText | None) -> GraphText | None:
    return None if given is None else replace(given, text=_other(given.text))


def _other(text: str) -> str:
    """Other letters in long hashes, other digits in numbers of three and more."""
    return _NUMBER.sub(_like, _HASH.sub(_like, text))


def _like(match: re.Match[str]) -> str:
    """As many characters of the same sort."""
    sort = "0123456789" if match[0].isdigit() else "abcdefghijklmnopqrstuvwxyz234567"
    return "".join(random.choices(sort, k=len(match[0])))  # noqa: S311 -- a test's text


def _trace(
    program: CompiledProgram,
    call: np.ndarray[tuple[int], np.dtype[np.int64]],
    rng: np.random.Generator,
) -> Trace:
    count = len(call)
    usual = rng.lognormal(8.5, 1.2, len(program.calls))
    dur = (usual[call] * rng.normal(1, 0.05, count)).clip(800).astype(np.int64)
    start = np.cumsum(dur + rng.integers(500, 3000, count)) - dur
    names = sorted({wrapper_call.wrapper for _, wrapper_call in program.calls})
    number = {name: at for at, name in enumerate(names)}
    of_call = np.array(
        [number[wrapper_call.wrapper] for _, wrapper_call in program.calls], dtype=np.int64
    )
    none, zero = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    rows = np.arange(count, dtype=np.int64)
    launches = Launches(
        name_id=of_call[call],
        activity=zero.astype(np.int8),
        start_ns=start,
        dur_ns=dur,
        process=zero,
        device=zero,
        stream=7 + rows % STREAMS,
        correlation=rows,
        external=none,
        graph=none,
        graph_node=none,
        grid=np.ones((count, 3), dtype=np.int64),
        block=np.ones((count, 3), dtype=np.int64),
        event=rows,
        api=none,
        range=none,
        origin=none,
        names=tuple(names),
    )
    return replace(
        assemble_trace(raw_trace([])),
        launches=launches,
        processes=(Process(pid="1", trace=0),),
        sources=("made up",),
    )


if __name__ == "__main__":
    main()
