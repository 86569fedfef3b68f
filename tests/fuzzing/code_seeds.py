"""The seeds of the compile side: generated code, and all that brings or describes it."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from compiler.caches import put_code, put_entry
from compiler.logs import graph as graph_text
from compiler.texts import STYLES, printed
from compiler.tlparse import parsed
from debug_printer import printed_code
from fuzzing.mutate import Tree
from kernelmap.compiler import load_compiled
from kernelmap.compiler.facts import MAPPINGS
from kernelmap.history.compare.lock.records import dump_lock, lock_of
from worlds import World, simulate

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
TRAIN, BLOCK, AOTI = SAMPLES / "sim_mlp_train", SAMPLES / "cpu_block", SAMPLES / "aoti_block"
BUNDLE = SAMPLES / "cpu_graph_breaks"


def read(folder: Path, below: str = "") -> Tree:
    """All files of a folder, by their paths below a name."""
    return {
        f"{below}{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("RUN.toml", "truth.json")
    }


def code(sample: Path) -> Tree:
    """The files of a sample but its profile."""
    return {name: data for name, data in read(sample).items() if "profile" not in name}


@cache
def generated() -> Sequence[Tree]:
    """Generated code of three samples, and what one of them left in its profile."""
    names = ("sim_mlp_train", "cpu_block", "sim_attention_autotune")
    return [
        {name: data for name, data in read(SAMPLES / sample).items() if not name.endswith(".log")}
        for sample in names
    ]


@cache
def torch_logs() -> Sequence[Tree]:
    """Text of TORCH_LOGS in the manner of several versions."""
    code = (BUNDLE / "rank_0/code/model__0_inference_1.0/output_code.py").read_text(
        encoding="utf-8"
    )
    return [{"log.txt": "\n".join(printed(code, style=style)).encode()} for style in STYLES]


@cache
def torch_trace() -> Sequence[Tree]:
    """A log of TORCH_TRACE."""
    path = BUNDLE / "rank_0" / "torch_trace" / "torch_trace.log"
    return ({"torch_trace.log": path.read_bytes()},)


@cache
def tlparse() -> Sequence[Tree]:
    """What tlparse makes of a log: code as colored pages, and as plain texts."""
    log = SAMPLES / "cpu_mlp_train" / "rank_0" / "torch_trace" / "torch_trace.log"
    trees = []
    for plain in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            trees.append(read(parsed(log, Path(folder), plain=plain), "pages/"))
    return trees


@cache
def fx_cache() -> Sequence[Tree]:
    """A cache folder with an entry per graph, and the profile that names their keys."""
    program = load_compiled(TRAIN)
    with tempfile.TemporaryDirectory() as folder:
        simulated = simulate(program, World(seed=1, invocations=2))
        cache = Path(folder) / "cache"
        for graph in program.graphs:
            path = Path(graph.code or "")
            text = path.read_text(encoding="utf-8")
            mapping = (path.parent / f"{MAPPINGS[0]}.json").read_text(encoding="utf-8")
            others = {"inductor_provenance_mapping_str": mapping}
            others["inductor_post_grad_graph_str"] = graph_text("mul", "addmm")
            put_code(cache, text)
            put_entry(cache, simulated.keys[graph.id], text, **others)
        simulated.write_kineto(Path(folder) / "profile.json")
        return (read(Path(folder)),)


@cache
def package() -> Sequence[Tree]:
    """A package of AOTInductor, packed and unpacked, and its profile."""
    profile = {"profile.json.gz": (AOTI / "profile.json.gz").read_bytes()}
    members = read(AOTI / "classifier")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(f"m/{name}"), data)
    return {**profile, "model.pt2": packed.getvalue()}, {**profile, **members}


@cache
def provenance() -> Sequence[Tree]:
    """Node mappings beside a little code."""
    folder = TRAIN / "model__0_forward_1.0"
    return (read(folder),)


@cache
def debug_printer() -> Sequence[Tree]:
    """Code with the debug printer's statements, and what a run of it said."""
    with tempfile.TemporaryDirectory() as folder:
        path = printed_code.code(Path(folder), 2)
        code = {path.name: path.read_bytes()}
    said = "".join(printed_code.values(n, w) for n in (0, 1, 2) for w in ("before", "after"))
    return [{**code, "run.log": log.encode()} for log in (said, printed_code.launches(0, 1, 2, 3))]


@cache
def lock() -> Sequence[Tree]:
    """A lock file and the code that it was made from."""
    graphs, _, _ = lock_of([TRAIN])
    return ({**code(TRAIN), "kernels.lock": dump_lock(graphs).encode()},)
