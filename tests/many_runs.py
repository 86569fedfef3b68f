"""Runs of every kind, correlated once: real profiles, and simulated worlds that lack parts.

A module of tests takes the fixture by its name: `run = many_runs.run`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kernelmap import Correlation, correlate
from read_once import compiled
from worlds import World, simulate
from worlds.nsys import Export, write_nsys

RECORDED = (
    "kineto/a100_triton_example.json.gz",
    "kineto/h100_bert_small_eager.json.gz",
    "kineto/mi250_minitoy_train.json.gz",
    "kineto/mi300x_flux_compiled_and_graphs.json.gz",
    "kineto/mi300x_torch_compile_triton.json.gz",
    "kineto/mi300x_vllm_decode_full.capture.json.gz",
    "kineto/mi300x_vllm_decode_full.replay.json.gz",
    "kineto/v100_cudagraphs.json.gz",
    "nsys/h100_2gpu_1s_2026.2.sqlite",
    "nsys/saxpy_mpi_2022.2.sqlite",
    "inductor/cpu_base",
    "inductor/cpu_base/trace.json",
    "inductor/cpu_nonlazy",
    "inductor/aoti_cpu/lv0",
    "inductor/aoti_cpu/lv2",
)
WORLDS = {
    "plain": World(seed=1, invocations=4),
    "graphs": World(seed=2, cuda_graphs=True, invocations=5),
    "captured before": World(seed=3, cuda_graphs=True, capture=False, invocations=4),
    "without host side": World(seed=4, host=False, invocations=4),
    "without keys": World(seed=5, graph_ranges="none", record_shapes=False, invocations=4),
    "old": World(seed=6, names="legacy", graph_ranges="absent", invocations=4),
    "with losses": World(seed=7, drop=0.03, invocations=6),
    "cut": World(seed=8, cut=True, invocations=5),
}
EXPORTS = {
    "nsys with marks": Export(marks=True),
    "nsys without ranges": Export(ranges=False, crossing=False),
}
SIMULATED = (*WORLDS, *(f"{name}, no code" for name in ("plain", "graphs")), *EXPORTS)


@pytest.fixture(
    params=[*(pytest.param(name, marks=pytest.mark.corpus) for name in RECORDED), *SIMULATED]
)
def run(
    request: pytest.FixtureRequest, samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Correlation:
    """One run of many; each is correlated once for all tests."""
    if request.param in RECORDED:
        corpus: Path = request.getfixturevalue("corpus")
        return recorded(corpus / request.param)
    return simulated(request.param, samples / "sim_mlp_train", tmp_path_factory.getbasetemp())


@cache
def recorded(path: Path) -> Correlation:
    """A real profile; a folder has the code beside it."""
    if not path.is_dir():
        return correlate(path)
    code = path / "unz" if (path / "unz").is_dir() else path / "torch_compile_debug"
    return correlate(code, path / "trace.json")


@cache
def simulated(name: str, code: Path, folder: Path) -> Correlation:
    """A simulated run of `code`, written to `folder` and read from there."""
    world, _, without_code = name.partition(", ")
    export = EXPORTS.get(name)
    made = simulate(compiled(code), WORLDS["graphs" if export else world])
    path = folder / (f"{name}.sqlite" if export else f"{name}.json")
    if export:
        write_nsys(path, [made], export)
    else:
        made.write_kineto(path)
    return correlate(*([] if without_code else [code]), path)
