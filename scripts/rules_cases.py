"""Inputs on which the rules of the matcher are tried: recordings first, then simulated worlds.

A case is a program, a trace, and the true call of each launch where the run knew it. Recordings are
read as they are, and with something taken away that a user may lack: the host side, half of the
code, some launches, the api calls of some, or the beginning or end of the recording. Worlds are
those of docs/accuracy.md.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "scripts")]

from accuracy_bare import KEPT, bare  # noqa: E402 -- after the line above
from accuracy_worlds import SAMPLES, programs_in  # noqa: E402 -- as above
from gpu_cases.sample import TRUTH  # noqa: E402 -- as above
from gpu_cases.truth import API, GPU  # noqa: E402 -- as above

from kernelmap.compiler import load_compiled  # noqa: E402 -- as above
from kernelmap.errors import KernelmapError  # noqa: E402 -- as above
from kernelmap.likeness import learnt_from  # noqa: E402 -- as above
from kernelmap.matching.match import Match, match_launches  # noqa: E402 -- as above
from kernelmap.matching.references.learning import learned_sequences  # noqa: E402 -- as above
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Trace  # noqa: E402 -- as above
from kernelmap.model.learnt import Learnt  # noqa: E402 -- as above
from kernelmap.pipeline import correlate  # noqa: E402 -- as above
from kernelmap.traces import load_trace  # noqa: E402 -- as above
from worlds import simulate  # noqa: E402 -- as above
from worlds.hard import ROWS  # noqa: E402 -- as above
from worlds.recordings import recorded  # noqa: E402 -- as above
from worlds.situations import SITUATIONS, both  # noqa: E402 -- as above

UNJUDGED = -2
"""Instead of a call: the run did not know which call made a launch."""
_LOST = 0.02
"""So many launches, or api calls, are taken out where some are lost: a full buffer drops more."""
_MOST = 6
"""As many candidates at most name a call."""

Int = NDArray[np.int64]
Document = dict[str, Any]  # parsed JSON of somebody else's making


@dataclass(frozen=True, slots=True)
class Case:
    """What is matched, and what is true of it.

    `true` has a position in the given program's calls, NONE outside of them, UNJUDGED where it is
    not known. `same` numbers the program's calls, equal for those that the truth cannot tell apart.
    `learnt` is what runs of --like taught.
    """

    group: str
    name: str
    program: CompiledProgram
    trace: Trace
    true: Int
    same: Int
    learnt: tuple[Learnt, ...] = ()

    def matched(self) -> Match:
        """The launches paired with calls, by the rules as they are now."""
        return match_launches(self.program, self.trace, learnt=self.learnt)


@dataclass(slots=True)
class Worth:
    """What a matching is worth: launches and their time, added up over cases.

    `right_ns` of `inside_ns` got the right call; `named_ns` has it among a few candidates. `wrong`
    launches have a wrong call, `exact_wrong` of them called exact, or candidates without the true
    one (`astray`). `changed` are those of which something else is said than before.
    """

    launches: int = 0
    inside_ns: int = 0
    right_ns: int = 0
    named_ns: int = 0
    right: int = 0
    wrong: int = 0
    exact_wrong: int = 0
    astray: int = 0
    changed: int = 0

    def __iadd__(self, other: Worth) -> Self:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def reached(self) -> float:
        """The share of compiled time that got the right call, alone or among a few."""
        return (self.right_ns + self.named_ns) / self.inside_ns if self.inside_ns else 1.0


Answer = dict[str, NDArray[Any]]
"""The columns of a matching that are compared."""


def answer_of(result: Match) -> Answer:
    """What a matching says of each launch."""
    matching = result.matching
    columns: Answer = {
        name: getattr(matching, name)
        for name in ("call", "invocation", "method", "confidence", "reason")
    }
    spread = np.array(
        [hash(matching.candidates_of(row)) for row in range(len(matching.call))], dtype=np.int64
    )
    return columns | {"candidates": spread}


def worth_of(case: Case, result: Match, before: Answer | None) -> Worth:
    """Hold a matching against what is true, and against another matching."""
    matching, same = result.matching, case.same
    given = len(case.program.calls)
    on_gpu = ~case.trace.launches.on_cpu
    worth = Worth()
    for row in np.flatnonzero(on_gpu).tolist():
        true, dur_ns = int(case.true[row]), int(case.trace.launches.dur_ns[row])
        worth.launches += 1
        if true == UNJUDGED:
            continue
        inside = true != NONE
        worth.inside_ns += dur_ns * inside
        call = int(matching.call[row])
        confidence = Confidence(int(matching.confidence[row]))
        # Graphs that only the trace knows are no answer here.
        if 0 <= call < given:
            right = inside and bool(same[call] == same[true])
            worth.right += right
            worth.right_ns += dur_ns * right
            worth.wrong += not right
            worth.exact_wrong += not right and confidence is Confidence.EXACT
            continue
        named = frozenset(int(same[one]) for one in matching.candidates_of(row) if one < given)
        if named and len(named) <= _MOST:
            right = inside and int(same[true]) in named
            worth.named_ns += dur_ns * right
            worth.astray += not right
    if before is not None:
        changed = np.zeros(len(on_gpu), dtype=bool)
        for name, column in answer_of(result).items():
            changed |= column != before[name]
        worth.changed = int((changed & on_gpu).sum())
    return worth


# Recordings


def recordings(folders: Sequence[Path]) -> Iterator[Case]:
    """The samples of a GPU and the marked recordings in `folders`, each in several views."""
    for sample in sorted(path.parent for path in SAMPLES.glob(f"cuda_*/{TRUTH}")):
        truth = json.loads((sample / TRUTH).read_text(encoding="utf-8"))
        for view in ("as recorded", *_CUT, "api calls lost", *KEPT, "launches lost"):
            yield from _sample_cases(sample, truth, view)
        if (sample / _NSYS).exists():
            yield from _nsys_cases(sample)
    for folder in folders:
        if (folder / "truth.json.gz").exists():
            yield from _marked_cases(folder)


def _sample_cases(sample: Path, truth: Document, view: str) -> Iterator[Case]:
    title = {"bare": "kernels alone", "threads": "api calls"}.get(view, view)
    if view == "as recorded":
        yield _judged(title, sample.name, [sample], truth)
        return
    with bare(sample, "threads" if view == "threads" else "bare") as folder:
        path = folder / "rank_0" / "trace.json.gz"
        if view not in KEPT:
            source = folder if view == "launches lost" else sample
            document = json.loads(gzip.decompress((source / "rank_0/trace.json.gz").read_bytes()))
            document = _lacking(document, view)
            path.write_bytes(gzip.compress(json.dumps(document).encode(), compresslevel=1))
        case = _judged(title, sample.name, [folder], truth)
        yield case
        if view in ("bare", "launches lost"):
            learnt = (learnt_from([sample], ()),)
            yield replace(case, group=f"{title}, --like a run with host side", learnt=learnt)
        if view == "bare":
            with _on_another_gpu(sample) as other:
                learnt = (learnt_from([other], ()),)
            yield replace(case, group=f"{title}, --like a run on another GPU", learnt=learnt)
            yield from _with_other_code(case)


@contextmanager
def _on_another_gpu(sample: Path) -> Iterator[Path]:
    """Simulated: the recording with its matrix products under other names, two kernels each.

    That is how cuBLAS differs between GPUs: other kernels, and parts that are summed afterwards.
    """
    with bare(sample, "bare") as folder:
        trace = json.loads(gzip.decompress((sample / "rank_0/trace.json.gz").read_bytes()))
        events: list[Document] = []
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel" and _PRODUCT.search(event["name"]):
                begin, part = event["ts"], event["dur"] * 0.4
                product = {**event, "name": f"other_{event['name']}", "dur": part}
                summed = {**event, "name": "other_splitKreduce_kernel", "ts": begin + 2 * part}
                events += [product, {**summed, "dur": event["dur"] - 2 * part}]
            else:
                events.append(event)
        path = folder / "rank_0" / "trace.json.gz"
        path.write_bytes(gzip.compress(json.dumps({**trace, "traceEvents": events}).encode()))
        yield folder


_PRODUCT = re.compile("gemm|nvjet|cutlass")


_CUT = {"begins amid a step": (0.35, 1.0), "ends amid a step": (0.0, 0.65)}
"""Which part of a recording is left, as shares of its api calls."""


def _lacking(document: Document, view: str) -> Document:
    """A profile that lost something, or of which the window has a part only."""
    if view in _CUT:
        return _cut(document, *_CUT[view])
    return _without_some(document, API if "api" in view else GPU)


def _cut(document: Document, first: float, last: float) -> Document:
    """What a profiler would have recorded that started later, or ended earlier.

    A range that is open at that moment is not recorded.
    """
    timed = [event for event in document["traceEvents"] if event.get("ph") == "X"]
    begun = sorted(event["ts"] for event in timed if event.get("cat") in API)
    begin, end = begun[int(first * (len(begun) - 1))], begun[int(last * (len(begun) - 1))]
    if last == 1:
        end = float("inf")
    kept = [
        event
        if event.get("ph") != "X" or (event["ts"] >= begin and event["ts"] + event["dur"] <= end)
        else _GONE
        for event in document["traceEvents"]
    ]
    return {**document, "traceEvents": kept}


_NSYS = "nsys.sqlite"


def _nsys_cases(sample: Path) -> Iterator[Case]:
    """Reports of Nsight Systems, whose marks say which call each launch is of; then without marks.

    Where api calls are lost the marks stay, so that their launches lie amid decided ones.
    """
    code = sample / "rank_0" / "torch_trace"
    correlation = correlate(sample / _NSYS, code)
    matching, launches = correlation.matching, correlation.trace.launches
    program = _given(correlation.program, len(load_compiled(code).graphs))
    sure = np.equal(matching.method, Method.MARK) & (matching.confidence != Confidence.UNKNOWN)
    sure &= matching.call < len(program.calls)
    keys = launches.correlation * _NODES + np.maximum(launches.graph_node, 0)
    true_of = dict(zip(keys[sure].tolist(), matching.call[sure].tolist(), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        for group, statements in _NSYS_VIEWS.items():
            path = Path(folder) / _NSYS
            path.write_bytes((sample / _NSYS).read_bytes())
            with closing(sqlite3.connect(path)) as connection, connection:
                for statement in statements:
                    connection.execute(statement)
            trace = load_trace(path)
            keys = trace.launches.correlation * _NODES + np.maximum(trace.launches.graph_node, 0)
            true = [true_of.get(key, UNJUDGED) for key in keys.tolist()]
            same = np.arange(len(program.calls))
            yield Case(group, sample.name, program, trace, np.array(true), same)


_NODES = 2**40
"""More than the numbers of nodes: a launch and its node are one number."""
_NSYS_VIEWS = {
    "Nsight Systems, api calls lost": (
        "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId * 7919 % 97 < 2",
    ),
    "Nsight Systems, no ranges": ("DELETE FROM NVTX_EVENTS",),
}


def foreign(folder: Path) -> Iterator[Case]:
    """Traces of others, with no truth: of these only changes are counted."""
    names = sorted([*folder.glob("kineto/*"), *folder.glob("nsys/*")])
    nothing = CompiledProgram(graphs=())
    pair = [path for path in names if "vllm_decode_full" in path.name]
    for sources in (*([path] for path in names), pair):
        if sources:
            try:
                trace = load_trace(*sources)
            except KernelmapError:  # one without any launch
                continue
            true = np.full(len(trace.launches), UNJUDGED)
            name = " ".join(path.name for path in sources)
            yield Case("traces of others", name, nothing, trace, true, np.arange(0))
    for path in sorted(folder.glob("inductor/*/trace.json")):
        for code in ("torch_compile_debug", "torch_trace"):
            if (path.parent / code).exists():
                trace = load_trace(path)
                true = np.full(len(trace.launches), UNJUDGED)
                program = load_compiled(path.parent / code)
                same = np.arange(len(program.calls))
                name = f"{path.parent.name} {code}"
                yield Case("traces of others", name, program, trace, true, same)


def _judged(group: str, name: str, sources: Sequence[Path], truth: Document) -> Case:
    correlation = correlate(*sources)
    program = _given(correlation.program, len(load_compiled(*sources).graphs))
    keys = [(str(graph.digest), call.index) for graph, call in program.calls]
    number = {key: at for at, key in reversed(list(enumerate(keys)))}
    same = np.array([number[key] for key in keys], dtype=np.int64)
    calls = [number.get(tuple(call), NONE) for call in truth["calls"]]
    made = dict(zip(truth["events"], truth["call"], strict=True))
    events = correlation.trace.launches.event.tolist()
    true = [calls[made[e]] if made.get(e, -1) >= 0 else NONE for e in events]
    known = [event in made for event in events]
    return Case(
        group,
        name,
        program,
        correlation.trace,
        np.where(known, np.array(true, dtype=np.int64), UNJUDGED),
        same,
    )


def _given(program: CompiledProgram, graphs: int) -> CompiledProgram:
    """The program without the graphs that only the trace knows, which come last."""
    return structs.replace(program, graphs=program.graphs[:graphs])


def _without_some(document: Document, kinds: Iterable[str]) -> Document:
    """A profile that lost some events of these categories; the places of the others stay."""
    events = copy.copy(document["traceEvents"])
    kinds = frozenset(kinds)
    drawn = np.random.default_rng(1)
    there = [at for at, event in enumerate(events) if event.get("cat") in kinds]
    lost = set()
    for at in np.array(there)[drawn.random(len(there)) < _LOST].tolist():
        lost.add(events[at].get("args", {}).get("correlation"))
        events[at] = _GONE
    # An activity whose api call is lost says nothing else of its host side either.
    for at, event in enumerate(events):
        args = event.get("args", {})
        if event.get("cat") in GPU and args.get("correlation") in lost and "External id" in args:
            args = {key: value for key, value in args.items() if key != "External id"}
            events[at] = {**event, "args": args}
        elif event.get("cat") == "ac2g" and event.get("id") in lost:
            events[at] = _GONE
    return {**document, "traceEvents": events}


_GONE: Document = {"ph": "M", "name": "removed", "pid": 0, "tid": 0, "args": {}}


def _with_other_code(case: Case) -> Iterator[Case]:
    """The same trace where half of the code is withheld, and where more is given than ran."""
    program = case.program
    for first in range(2 if len(program.graphs) > 1 else 0):
        kept = [at for at in range(len(program.graphs)) if at % 2 == first]
        graph_of = np.append(program.graph_of_call[: len(program.calls)], NONE)
        calls = np.flatnonzero(np.isin(graph_of[:-1], kept))
        number = np.full(len(graph_of), NONE, dtype=np.int64)
        number[calls] = np.arange(len(calls))
        same = number[case.same[calls]]
        true = np.where(case.true >= 0, number[np.maximum(case.true, 0)], case.true)
        yield replace(
            case,
            group="half of the code withheld",
            name=f"{case.name} {first}",
            program=structs.replace(program, graphs=tuple(program.graphs[at] for at in kept)),
            true=true,
            same=np.where(same < 0, np.arange(len(calls)), same),
        )
    other = load_compiled(SAMPLES / _OTHER.get(case.name, "cuda_llama_train"))
    together = both(program, other)
    same = np.arange(len(together.calls))
    same[: len(case.same)] = case.same
    yield replace(case, group="more code given than ran", program=together, same=same)


_OTHER = {"cuda_llama_train": "cuda_attention_train", "cuda_language_train": "cuda_mlp_train"}
"""Samples whose code is given beside that of a sample; of the others cuda_llama_train's."""


def _marked_cases(folder: Path) -> Iterator[Case]:
    """The views of a recording with the statement behind each launch (tools/score_gpu.py)."""
    document = json.loads(gzip.decompress((folder / "profile.json.gz").read_bytes()))
    truth = json.loads(gzip.decompress((folder / "truth.json.gz").read_bytes()))
    log = next(folder.glob("*.log.gz"))
    with tempfile.TemporaryDirectory() as temporary:
        code, profile = Path(temporary) / log.stem, Path(temporary) / "profile.json"
        code.write_bytes(gzip.decompress(log.read_bytes()))
        program = load_compiled(code)
        for group, kinds, lost in (
            ("as recorded", None, None),
            *((group, None, None) for group in _CUT),
            ("api calls lost", None, API),
            ("api calls", GPU | API | {"ac2g", "Trace"}, None),
            ("kernels alone", GPU, None),
            ("launches lost", GPU, GPU),
        ):
            kept = [
                event if kinds is None or event.get("cat") in kinds or event["ph"] == "M" else _GONE
                for event in document["traceEvents"]
            ]
            thinned = {**document, "traceEvents": kept}
            thinned = _cut(thinned, *_CUT[group]) if group in _CUT else thinned
            thinned = thinned if lost is None else _without_some(thinned, lost)
            profile.write_text(json.dumps(thinned), encoding="utf-8")
            case = _by_line(group, folder.name, program, load_trace(profile), truth)
            if group == "as recorded":
                taught = match_launches(program, case.trace)
                sequences = learned_sequences(taught.context, taught.matching)
                learnt = (Learnt(program=taught.program, sequences=sequences, source=folder.name),)
            yield case
            if group in ("kernels alone", "launches lost"):
                yield replace(case, group=f"{group}, --like a run with host side", learnt=learnt)
            if group == "kernels alone":
                yield from _with_other_code(case)


def _by_line(
    group: str, name: str, program: CompiledProgram, trace: Trace, truth: Document
) -> Case:
    number: dict[tuple[str, int | None], int] = {}
    same = []
    for at, (graph, call) in enumerate(program.calls):
        same.append(number.setdefault((str(graph.code), call.line), at))
    paths = truth["paths"]
    made = {event: (paths.get(file), line) for event, file, line in truth["events"]}
    true = [
        UNJUDGED if event not in made else NONE if made[event][0] is None else number[made[event]]
        for event in trace.launches.event.tolist()
    ]
    return Case(
        group,
        name,
        program,
        trace,
        np.array(true, dtype=np.int64),
        np.array(same, dtype=np.int64),
    )


# Simulated worlds

SIMULATED = frozenset(row.name for row in (*ROWS, *SITUATIONS))
"""The groups whose cases ran nowhere."""


def worlds(seeds: Sequence[int], word: str = "") -> Iterator[Case]:
    """The worlds of docs/accuracy.md: written ones of all `seeds`, situations of the first."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for row in ROWS:
            for seed in seeds if word in row.name else ():
                given = row.case(seed)
                simulated = simulate(given.runs, row.played(seed))
                trace, truth = recorded(simulated, given.runs, row.recording, folder)
                yield _of_world(row.name, f"{row.name} {seed}", given.given, trace, truth)
        programs = programs_in(SAMPLES)
        for situation in SITUATIONS:
            for at, program in enumerate(programs) if word in situation.name else ():
                drawn = situation.cases(program, programs[(at + 1) % len(programs)])
                if drawn is None:
                    continue
                world = replace(situation.world, seed=seeds[0])
                simulated = simulate(drawn.runs, world)
                trace, truth = recorded(simulated, drawn.runs, situation.recording, folder)
                name = f"{situation.name} {at}"
                yield _of_world(situation.name, name, drawn.given, trace, truth)


def _of_world(
    group: str, name: str, program: CompiledProgram, trace: Trace, truth: Sequence[Any]
) -> Case:
    number = {(graph.id, call.index): at for at, (graph, call) in enumerate(program.calls)}
    true = [NONE if one.call is None else number.get((one.graph, one.call), NONE) for one in truth]
    same = np.arange(len(program.calls))
    return Case(group, name, program, trace, np.array(true, dtype=np.int64), same)
