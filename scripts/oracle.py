"""Freeze what one version of kernelmap answers, and list what another version answers otherwise.

    python scripts/oracle.py inputs FOLDER [CORPUS]          # copies of samples, links, worlds
    python scripts/oracle.py answers FOLDER NAME [TREE]      # what the checkout TREE answers
    python scripts/oracle.py compare FOLDER BEFORE AFTER     # every changed answer, by kind

A refactoring is safe where `compare` has nothing to say; after a change of a rule, every line of it
is judged. Inputs are made once, so that both versions read the same bytes. An answer holds all
tables with the launches, the notices, the advice, and the evidence of some launches and calls, all
through the public interface; so any two commits can be compared. FOLDER lies outside the project.
Worlds come with their truth: `compare` counts which of the changed launches are right.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import usage
from accuracy_worlds import programs_in
from oracle_differences import Json, differences, judged_changes

import kernelmap
from worlds import simulate
from worlds.recordings import recorded
from worlds.situations import BARE, NOISY, REPLAY, UNSEEN

PROJECT = Path(__file__).resolve().parents[1]
SAMPLES = PROJECT / "sample_traces"
CASES, TRUTH = "cases.json", "truth.json"
SEEDS = range(1, 3)
SHOWN = 12
"""Lines that `compare` prints of one kind of change."""


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    inputs = commands.add_parser("inputs", help="make the inputs")
    inputs.add_argument("folder", type=Path)
    inputs.add_argument("corpus", type=Path, nargs="?", help="a folder of foreign traces")
    answers = commands.add_parser("answers", help="keep what a checkout answers")
    answers.add_argument("folder", type=Path)
    answers.add_argument("name", help="what the answers are called, such as a commit")
    answers.add_argument("tree", type=Path, nargs="?", default=PROJECT)
    answers.add_argument("--only", default="", help="cases whose name has this word")
    answers.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    compared = commands.add_parser("compare", help="list what differs")
    compared.add_argument("folder", type=Path)
    compared.add_argument("before")
    compared.add_argument("after")
    compared.add_argument("--only", default="", help="cases whose name has this word")
    chosen = parser.parse_args()
    if chosen.command == "inputs":
        make_inputs(chosen.folder, chosen.corpus)
    elif chosen.command == "answers" and chosen.here:
        answer_all(chosen.folder, chosen.name, chosen.only)
    elif chosen.command == "answers":
        _in_tree(chosen.folder, chosen.name, chosen.tree, chosen.only)
    else:
        sys.exit(compare_all(chosen.folder, chosen.before, chosen.after, chosen.only))


# Inputs


def make_inputs(folder: Path, corpus: Path | None) -> None:
    """Copy the samples, name the corpus, play the worlds; FOLDER/cases.json lists the cases."""
    folder.mkdir(parents=True)
    shutil.copytree(SAMPLES, folder / "samples")
    cases: dict[str, list[str]] = {
        f"sample {path.name}": [str(path)] for path in sorted((folder / "samples").iterdir())
    }
    cases["sample thread_lift_fresh GPU only"] = [
        str(folder / "samples/thread_lift_fresh" / name)
        for name in ("output_code.py", "profile_gpu_only.json.gz")
    ]
    code = sorted((folder / "samples").iterdir())
    if corpus is not None:
        cases |= dict(_corpus_cases(corpus.resolve()))
        code += sorted([*corpus.glob("inductor/*"), *corpus.glob("torch_trace/*")])
    cases |= dict(_worlds(folder / "worlds", code))
    (folder / CASES).write_text(json.dumps(cases, indent=1), encoding="utf-8")
    print(f"{len(cases)} cases")


def _corpus_cases(corpus: Path) -> Iterator[tuple[str, list[str]]]:
    for path in sorted([*corpus.glob("kineto/*"), *corpus.glob("nsys/*")]):
        yield f"corpus {path.name}", [str(path)]
    vllm = corpus / "kineto" / "mi300x_vllm_decode_full"
    yield "corpus vllm pair", [f"{vllm}.capture.json.gz", f"{vllm}.replay.json.gz"]
    for path in sorted(corpus.glob("torch_trace/*")):
        yield f"corpus {path.name}", [str(path)]
    for path in sorted(corpus.glob("inductor/*")):
        traces = [str(it) for it in (path / "trace.json",) if it.exists()]
        for code in ("torch_compile_debug", "torch_trace"):
            if (path / code).exists():
                yield f"corpus {path.name} {code}", [str(path / code), *traces]
    for path in sorted(corpus.glob("inductor/aoti_cpu/lv*")):
        yield f"corpus aoti {path.name}", [str(path / "unz"), str(path / "trace.json")]


def _worlds(folder: Path, code: Iterable[Path]) -> Iterator[tuple[str, list[str]]]:
    """Play every program with generated kernels in some worlds; names and sources of the cases."""
    sys.path[:0] = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "scripts")]

    worlds = {
        "host": (NOISY, "kineto"),
        "no key": (replace(NOISY, graph_ranges="none"), "kineto"),
        "absent": (replace(NOISY, graph_ranges="absent", record_shapes=False), "kineto"),
        "bare": (BARE, "kineto"),
        "replay": (REPLAY, "kineto"),
        "unseen": (replace(UNSEEN, streams=2), "kineto"),
        "thread": (replace(BARE, other_thread=0.2), "kineto"),
        "lost": (replace(BARE, drop=0.05), "kineto"),
        "nvtx": (NOISY, "nsys"),
        "nodes": (REPLAY, "nsys"),
        "nsys bare": (NOISY, "nsys bare"),
    }
    for path in code:
        with tempfile.TemporaryDirectory() as one:
            (Path(one) / path.name).symlink_to(path)
            programs = programs_in(Path(one))
        for program in programs:
            for title, (world, recording) in worlds.items():
                for seed in SEEDS:
                    name = f"world {path.name} {title} {seed}"
                    place = folder / name.replace(" ", "-")
                    trace = _played(program, replace(world, seed=seed), recording, place)
                    yield name, [str(path), str(trace)]
                    if title in ("bare", "host"):
                        yield f"{name} without code", [str(trace)]


def _played(program: Any, world: Any, recording: Any, place: Path) -> Path:  # noqa: ANN401 -- as tests/worlds has them
    """Write the trace of a world and its truth into `place`; gives the trace's path."""
    place.mkdir(parents=True)
    trace, truth = recorded(simulate(program, world), program, recording, place)
    rows = [None if it.call is None else [f"{it.graph}/{it.call}", it.invocation] for it in truth]
    (place / TRUTH).write_text(json.dumps(rows), encoding="utf-8")
    return Path(trace.sources[0])


# Answers


def _in_tree(folder: Path, name: str, tree: Path, only: str) -> None:
    """Answer in a process of its own, which imports kernelmap from `tree`."""
    command = [sys.executable, __file__, "answers", str(folder.resolve()), name, "--here"]
    env = {**os.environ, "PYTHONPATH": str(tree.resolve())}
    subprocess.run([*command, "--only", only], check=True, env=env, cwd=folder)  # noqa: S603 -- ours


def answer_all(folder: Path, name: str, only: str) -> None:
    """Write one file of answers per case into FOLDER/NAME."""
    target = folder / "answers" / name
    target.mkdir(parents=True, exist_ok=True)
    cases = json.loads((folder / CASES).read_text(encoding="utf-8"))
    for case, sources in cases.items():
        if only in case:
            text = json.dumps(answer(sources), indent=0, default=str)
            (target / f"{case.replace(' ', '-')}.json.gz").write_bytes(
                gzip.compress(text.encode(), mtime=0, compresslevel=3)
            )


def answer(sources: list[str]) -> Json:
    """All that the public interface says of `sources`."""
    try:
        correlation = kernelmap.correlate(*sources)
    except kernelmap.KernelmapError as error:
        return {
            "error": [error.slug, error.message, error.hint],
            "advice": _advice(sources),
        }
    with tempfile.TemporaryDirectory() as temporary:
        path = correlation.to_json(Path(temporary) / "result.json", launches=True)
        result: Json = json.loads(path.read_text(encoding="utf-8"))
    count = len(result["launches"])
    launches = [str(row) for row in range(0, count, max(1, count // 40))]
    calls = [row["call"] for row in result["calls"] if row["call"]][:40]
    result["explained"] = {it: _explained(correlation, it) for it in [*launches, *calls]}
    result["advice"] = _plain(correlation.advice)
    return result


def _advice(sources: list[str]) -> object:
    with contextlib.suppress(kernelmap.KernelmapError):
        return _plain(kernelmap.doctor(*sources))
    return None


def _explained(correlation: Any, target: str) -> object:  # noqa: ANN401 -- of whichever version runs

    try:
        return _plain(correlation.explain(target))
    except kernelmap.KernelmapError as error:
        return [error.slug, error.message]


def _plain(value: object) -> object:
    return msgspec.to_builtins(value, enc_hook=str)


# Comparison


def compare_all(folder: Path, before: str, after: str, only: str) -> int:
    """Print every kind of difference, with the number of cases and examples; 1 where there is."""
    kinds: dict[str, list[str]] = defaultdict(list)
    judged: Counter[tuple[str, bool, bool]] = Counter()
    cases = json.loads((folder / CASES).read_text(encoding="utf-8"))
    for case, sources in cases.items():
        name = f"{case.replace(' ', '-')}.json.gz"
        paths = [folder / "answers" / it / name for it in (before, after)]
        if only not in case or not all(path.exists() for path in paths):
            continue
        old, new = (json.loads(gzip.decompress(path.read_bytes())) for path in paths)
        for kind, example in differences(old, new):
            kinds[kind].append(f"{case}: {example}")
        truth = Path(sources[-1]).parent / TRUTH
        if truth.exists() and "without code" not in case and "error" not in {**old, **new}:
            judged += judged_changes(old, new, json.loads(truth.read_text(encoding="utf-8")))
    for kind, examples in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{kind}: {len(examples)}")
        for line in examples[:SHOWN]:
            print(f"    {line[:400]}")
    for (change, was, now), number in sorted(judged.items()):
        words = {True: "right", False: "wrong"}
        print(f"in worlds, {change}: {number} launches, {words[was]} before, {words[now]} now")
    if not kinds:
        print("no difference")
    return 1 if kinds else 0


if __name__ == "__main__":
    main()
