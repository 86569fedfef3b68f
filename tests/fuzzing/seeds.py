"""The inputs that are damaged: made from the samples, small, and the same on every machine.

Here are profiles and results; those of the compile side are in code_seeds.py.
"""

from __future__ import annotations

import gzip
import json
import pickle
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import kernelmap
from fuzzing.code_seeds import (
    BLOCK,
    BUNDLE,
    SAMPLES,
    TRAIN,
    code,
    debug_printer,
    fx_cache,
    generated,
    lock,
    package,
    provenance,
    read,
    tlparse,
    torch_logs,
    torch_trace,
)
from fuzzing.mutate import Tree
from fuzzing.signing import with_digest
from kernelmap.compiler import load_compiled
from kernelmap.history.store.store import Store
from kernelmap.model.trace import Trace
from kernelmap.traces import load_trace
from tiny_snapshot import TinySnapshot
from traces.printed_tables import PrintedRow, printed_table
from traces.small_rocm import write_json, write_rocpd
from worlds import World, simulate
from worlds.nsys import Export, write_nsys
from worlds.pftrace import of_json
from worlds.recordings import node_map

_STATS = """\
 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)      Name
 --------  ---------------  ---------  --------  ------------
     85.6        1,519,081        600    2531.8  {0}
     14.4          255,971        100    2559.7  "void f<int, long>(T1, T2)"

 ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):

 Time (%)  Total Time (ns)  Count  Avg (ns)           Operation
 --------  ---------------  -----  ---------  ----------------------------
    100.0          848,963      2  424,481.5  [CUDA memcpy Host-to-Device]
"""
_STATS_CSV = 'Time (%),Total Time (ns),Instances,Avg (ns),Name\n85.6,1519081,600,2531.8,{0}\n"'


@cache
def kineto() -> Sequence[Tree]:
    """A profile with its code: real ones of the CPU, and short simulated ones of a GPU.

    In one of these the GPU is sampled, as torch 2.14.1 writes it.
    """
    plain = {**code(TRAIN), "profile.json": _world().encode()}
    sampled = {**code(TRAIN), "profile.json": _sampled(_world()).encode()}
    packed = gzip.decompress((BLOCK / "profile.json.gz").read_bytes())
    return plain, {**code(BLOCK), "profile.json": packed}, sampled


@cache
def kineto_gz() -> Sequence[Tree]:
    """The same profiles, packed."""
    trees = []
    for tree in kineto():
        packed = gzip.compress(tree["profile.json"], mtime=0)
        trees.append({**tree, "profile.json": packed})
    return trees


@cache
def pftrace() -> Sequence[Tree]:
    """The same profiles as Perfetto traces: plain, and packed as torch writes them."""
    trees = []
    for tree in kineto():
        content = of_json(tree["profile.json"])
        for form in (content, gzip.compress(content, mtime=0)):
            rest = {name: data for name, data in tree.items() if name != "profile.json"}
            trees.append({**rest, "profile.pftrace": form})
    return trees


def _world() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        world = World(seed=1, invocations=3, cuda_graphs=True)
        simulate(load_compiled(TRAIN), world).write_kineto(path)
        return path.read_text(encoding="utf-8")


def _sampled(profile: str) -> str:
    """A profile with some samples of its GPU before its first event."""
    samples = "".join(
        f'{{"ph": "C", "name": "{name}", "pid": "GPU 0 Counters", "ts": {at * 10}.5,'
        f' "args": {{"": {value + at}.25}}}},\n'
        for at in range(30)
        for name, value in (("Power (W)", 400), ("SM Clock (MHz)", 1900), ("HBM BW (%)", 40))
    )
    before, listed, after = profile.partition('"traceEvents": [')
    return before + listed + samples + after


@cache
def nsys_sqlite() -> Sequence[Tree]:
    """Exports of two versions, of a run with its code."""
    trees = []
    with tempfile.TemporaryDirectory() as folder:
        simulated = simulate(load_compiled(TRAIN), World(seed=1, invocations=2))
        for marks in (False, True):
            path = Path(folder) / f"{marks}.sqlite"
            write_nsys(path, [simulated], Export(marks=marks))
            trees.append({**code(TRAIN), "run.sqlite": path.read_bytes()})
    return trees


@cache
def rocpd() -> Sequence[Tree]:
    """Databases of rocprofv3 in both layouts, of a run with its code."""
    trees = []
    with tempfile.TemporaryDirectory() as folder:
        for by_track in (False, True):
            path = write_rocpd(Path(folder) / f"{by_track}.db", _simulated(), by_track=by_track)
            trees.append({**code(TRAIN), "run.db": path.read_bytes()})
    return trees


@cache
def rocprof_json() -> Sequence[Tree]:
    """The JSON of rocprofv3 of the same run."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_json(Path(folder) / "run.json", _simulated())
        return ({**code(TRAIN), "run.json": path.read_bytes()},)


def _simulated() -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        simulate(load_compiled(TRAIN), World(seed=1, invocations=2)).write_kineto(path)
        return load_trace(path)


@cache
def stats() -> Sequence[Tree]:
    """Tables that nsys stats and torch print, as text and as CSV, with the code."""
    name = "triton_poi_fused_add_0"
    rows = (
        PrintedRow(name=name, own_us=212.5, calls=3),
        PrintedRow(name="aten::mm", own_us=9.25, calls=2, cpu_us=40.0),
    )
    averages = printed_table(rows, memory=True, shapes=True)
    texts = (_STATS.format(name), _STATS_CSV.format(name), averages)
    return tuple({**code(TRAIN), "stats.txt": text.encode()} for text in texts)


@cache
def cuda_graphs() -> Sequence[Tree]:
    """What a capture wrote of the CUDA graphs that a profile replays."""
    program = load_compiled(TRAIN)
    simulated = simulate(program, World(seed=1, invocations=3, cuda_graphs=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        simulated.write_kineto(path)
        profile = path.read_bytes()
    record = json.dumps(node_map(simulated, program)).encode()
    return ({**code(TRAIN), "profile.json": profile, "cuda_graphs.json": record},)


@cache
def memory_events() -> Sequence[Tree]:
    """A profile with memory events, and code of its graphs."""
    rank = SAMPLES / "cuda_memory_mlp" / "rank_0"
    profile = gzip.decompress((rank / "trace.json.gz").read_bytes())
    return ({**read(rank / "code", ""), "profile.json": profile},)


@cache
def memory_snapshot() -> Sequence[Tree]:
    """A memory snapshot of torch, small enough to be damaged everywhere, and code."""
    snapshot = TinySnapshot()
    for at in range(6):
        block = snapshot.alloc(600 + at, f"model.py:{at}:forward", "train.py:1:step")
        if at % 2:
            snapshot.free(block, "train.py:2:step")
    snapshot.event("oom", size=1 << 30, device_free=7, frames=[])
    return ({**code(TRAIN), "snapshot.pickle": pickle.dumps(snapshot.data())},)


@cache
def bundle() -> Sequence[Tree]:
    """What a capture leaves behind."""
    return (read(BUNDLE, "bundle/"),)


@cache
def saved() -> Sequence[Tree]:
    """Two results as JSON and as folders of tables, with the profile and the code."""
    with tempfile.TemporaryDirectory() as folder:
        result = kernelmap.correlate(BUNDLE)
        for name in ("a.json", "b.json"):
            result.to_json(Path(folder) / name, launches=True)
        result.to_parquet(Path(folder) / "tables")
        return ({**read(Path(folder)), **read(BUNDLE, "bundle/")},)


@cache
def store() -> Sequence[Tree]:
    """A store of two runs, whose ids are always the same."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Store(folder)
        for _ in range(2):
            kept.record(kernelmap.correlate(BUNDLE), branch="main", commit="0" * 40)
        tree = read(Path(folder), "store/")
    for at, run in enumerate(sorted({name.split("/")[2] for name in tree})):
        fixed = f"20260101-00000{at}-000000-0000000{at}"
        tree = {
            name.replace(run, fixed): _named(data, run, fixed) if name.endswith(".toml") else data
            for name, data in tree.items()
        }
    return (tree,)


def _named(manifest: bytes, run: str, fixed: str) -> bytes:
    """The manifest of a run under another id."""
    text = re.sub(rb'(?m)^created = ".*"$', b'created = "2026-01-01T00:00:00+00:00"', manifest)
    return with_digest(text.replace(run.encode(), fixed.encode()))


SEEDS: dict[str, Callable[[], Sequence[Tree]]] = {
    seeds.__name__: seeds
    for seeds in (
        *(kineto, kineto_gz, pftrace, nsys_sqlite, rocpd, rocprof_json, stats, cuda_graphs),
        *(memory_events, memory_snapshot),
        *(generated, torch_logs, torch_trace, tlparse, fx_cache, package, provenance),
        *(debug_printer, bundle, saved, store, lock),
    )
}
"""By the kind of input."""
