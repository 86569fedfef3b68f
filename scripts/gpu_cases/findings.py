"""What the GPU's recordings say of things that could only be read about so far → a page of docs.

Takes the folder of samples; every answer names what it was seen in, or why it could not be seen.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_cases import nsys
from gpu_cases.replays import graph_launches, nodes_of, replayed
from gpu_cases.sample import PROCESS
from gpu_cases.truth import API, GPU, NODE, Event
from kernelmap.model.bundle import CUDA_GRAPHS, TRACE

_HEAD = """# What GPUs showed

Made by `python scripts/record_gpu_samples.py` on a machine with a GPU; do not edit.
Each answer says in which sample it was seen.
"""
_NO_GPU = """
No GPU has been at hand so far: everything here is still to be seen.
"""
_NO_NSYS = "Not seen: there was no nsys, or no GPU."
_STEPS = Path(__file__).with_name("steps.py")


def page(samples: Path, before: str = "") -> str:
    """The page for the samples that were recorded on a GPU.

    What only a run under nsys can answer is kept from the page `before`.
    """
    folders = sorted(samples.glob("cuda_*"))
    questions: tuple[tuple[str, Callable[[list[Path]], str]], ...] = (
        ("Are the nodes of a CUDA graph numbered in the order of capture?", node_order),
        ("Are the ids that torch's annotations tell those of replayed kernels?", told_ids),
        ("Which External id has a replayed kernel?", external_ids),
        ("Does emit_nvtx print the keywords of Triton's ranges?", emitted),
        ("What launches kernels?", api_names),
        ("What does a kernel's event state?", kernel_arguments),
    )
    answers = {title: answer(folders) for title, answer in questions}
    for title, text in answers.items():
        _, found, rest = before.partition(f"## {title}\n\n")
        if found and text == _NO_NSYS:
            answers[title] = rest.partition("\n## ")[0].rstrip()
    parts = [f"## {title}\n\n{answer}\n" for title, answer in answers.items()]
    return "\n".join((_HEAD if folders else _HEAD + _NO_GPU, *parts))


def node_order(folders: list[Path]) -> str:
    """Whether ids ascend in the order in which calls were captured."""
    for folder, recorded in _graphs(folders):
        nodes = list(nodes_of(recorded))
        if nodes:
            ascends = all(graph == sorted(graph) for graph in _by_graph(nodes).values())
            word = "Yes" if ascends else "No"
            return f"{word}: {len(nodes)} nodes of `{folder.name}`, whose ids the driver told."
    for folder in folders:
        if (folder / nsys.SQLITE).exists() and (made := nsys.captured_nodes(folder / nsys.SQLITE)):
            ascends = all(graph == sorted(graph) for graph in _by_graph(made).values())
            word = "Yes" if ascends else "No"
            return f"{word}: {len(made)} nodes of `{folder.name}`, as nsys saw them being made."
    return "Not seen: no recording has ids of nodes."


def told_ids(folders: list[Path]) -> str:
    """Whether nodes that a call was noted for are in the trace of the replays, and the reverse."""
    profiles = dict(_profiles(folders))
    for folder, recorded in _graphs(folders):
        nodes = nodes_of(recorded)
        if nodes:
            kernels = [e for e in profiles.get(folder, ()) if e.get("cat") in GPU]
            seen = {_argument(event, NODE) for event in kernels} - {None}
            return (
                f"Of {len(nodes)} nodes of `{folder.name}` that a call was noted for,"
                f" {len(seen & nodes.keys())} stand in the trace of the replays, which has"
                f" {len(seen)} nodes."
            )
    return "Not seen: no recording has ids of nodes."


def external_ids(folders: list[Path]) -> str:
    """Whether replayed kernels carry the launch's id."""
    for folder, events in _profiles(folders):
        launches = graph_launches(events)
        kernels = [
            e for e in events if e.get("cat") in GPU and _argument(e, "correlation") in launches
        ]
        if not kernels:
            continue
        ids = {(_argument(e, "correlation"), _argument(e, "External id")) for e in kernels}
        graphs = len(replayed(kernels))
        return (
            f"{len(kernels)} replayed activities of `{folder.name}` ({graphs} graphs) carry"
            f" {len(ids)} pairs of launch and External id for {len(launches)} launches;"
            f" {sum(external is None for _, external in ids)} of them without an id."
        )
    return "Not seen: no recording has a replay."


def emitted(folders: list[Path]) -> str:
    """The first ranges of Triton kernels under emit_nvtx, as nsys has them."""
    if not folders or not shutil.which("nsys"):
        return _NO_NSYS
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        command = [sys.executable, str(_STEPS), "mlp_train", "cuda", "emit"]
        problem = nsys.profile(command, work / "emit", work)
        if problem is not None:
            return f"Not seen: nsys failed ({problem})."
        texts = [text for text in nsys.nvtx_texts(work / "emit.sqlite") if "triton_" in text]
    shown = "\n".join(f"    {text[:160]}" for text in sorted(set(texts))[:5])
    return f"{len(texts)} ranges of Triton kernels; the first texts:\n\n{shown}"


def api_names(folders: list[Path]) -> str:
    """Names of API calls by the kind of kernel they launched."""
    counts: Counter[tuple[str, str]] = Counter()
    for _, events in _profiles(folders):
        apis = {_argument(e, "correlation"): e["name"] for e in events if e.get("cat") in API}
        for event in events:
            if event.get("cat") in GPU:
                kind = "Triton kernels" if "triton" in event["name"] else str(event["cat"])
                counts[str(apis.get(_argument(event, "correlation"), "nothing seen")), kind] += 1
    if not counts:
        return "Not seen: nothing was recorded on a GPU."
    return "\n".join(
        f"- `{name}`: {count} x {kind}" for (name, kind), count in sorted(counts.items())
    )


def kernel_arguments(folders: list[Path]) -> str:
    """The keys of `args` of kernels."""
    keys: Counter[str] = Counter()
    total = 0
    for _, events in _profiles(folders):
        for event in events:
            if event.get("cat") == "kernel":
                total += 1
                keys.update(list(event.get("args", {})))
    if not keys:
        return "Not seen: nothing was recorded on a GPU."
    stated = ", ".join(f"`{key}`" + ("" if n == total else f" ({n})") for key, n in keys.items())
    return f"Of {total} kernels, in the order of first sight: {stated}."


def _profiles(folders: list[Path]) -> Iterator[tuple[Path, list[Event]]]:
    for folder in folders:
        trace = folder / PROCESS / TRACE
        if trace.exists():
            document = json.loads(gzip.decompress(trace.read_bytes()))
            yield folder, document["traceEvents"]


def _graphs(folders: list[Path]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for folder in folders:
        recorded = folder / PROCESS / CUDA_GRAPHS
        if recorded.exists():
            yield folder, json.loads(recorded.read_text(encoding="utf-8"))


def _by_graph(nodes: list[int]) -> dict[int, list[int]]:
    graphs: dict[int, list[int]] = {}
    for node in nodes:
        graphs.setdefault(node >> 32, []).append(node)
    return graphs


def _argument(event: Event, key: str) -> object:
    return event.get("args", {}).get(key)
