"""What reading a graph takes, as the model has more layers that are alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from llama_log import write_llama

import kernelmap
from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import load_compiled
from kernelmap.speed.work import work_and_evidence

FEW, TIMES = 6, 4


def calls_made(run: Callable[[], object]) -> int:
    """How many functions `run` calls, those of C included: the same on every machine."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return made


def calls_of_a_layer(
    run: Callable[[Path, Path], Callable[[], object]], folder: Path, few: int
) -> float:
    """How many more functions are called for each layer that a model has more.

    No other test may read a model of `few` layers, or of twice as many: texts are remembered.
    """
    made = []
    for layers in (1, few, 2 * few):  # the first makes what is made once per process
        asked = run(*write_llama(folder / str(layers), graphs=1, layers=layers))
        made.append(calls_made(asked))
    return (made[2] - made[1]) / few


def test_reading_grows_with_the_layers(tmp_path: Path) -> None:
    """Four times the layers take four times the work: no call or node looks at all the others."""
    one, few, many = (
        write_llama(tmp_path / str(layers), graphs=1, layers=layers)[0]
        for layers in (1, FEW, TIMES * FEW)
    )
    load_compiled(one)  # what is made once per process is made

    small, large = (calls_made(partial(load_compiled, log)) for log in (few, many))
    assert large < 1.1 * TIMES * small


def test_a_layer_is_read_with_few_calls(tmp_path: Path) -> None:
    """A layer of a Llama, 74 nodes and 17 calls, is read with 17,200 calls of functions.

    What that is in seconds: decision 0069. With 21,300 it was a third more.
    """

    def reading(log: Path, _profile: Path) -> Callable[[], object]:
        return partial(load_compiled, log)

    assert calls_of_a_layer(reading, tmp_path, 8) < 19_000


def test_a_layer_is_reported_with_few_calls(tmp_path: Path) -> None:
    """Once the profile is paired, a report takes 34,800 calls of functions per layer.

    Of these 9,400 are for its view of memory, which follows each statement of the code, and 2,300
    for reasons that sources and launches show.
    """

    def reporting(log: Path, profile: Path) -> Callable[[], object]:
        result = kernelmap.correlate(log, profile)
        return partial(result.to_html, log.with_name("report.html"))

    assert calls_of_a_layer(reporting, tmp_path, 7) < 36_000


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_llama(tmp_path, graphs=1, layers=2)[0]


def test_layers_have_their_modules_and_nodes(log: Path) -> None:
    """Layers that are alike are told apart by their parameters: nodes have their layer's module."""
    (graph,) = load_compiled(log).graphs
    modules = {node.module for node in graph.nodes if node.module}
    for layer in ("layers.0", "layers.1"):
        assert {
            f"{layer}.self_attn.q_proj",
            f"{layer}.mlp.down_proj",
            f"{layer}.post_norm",
        } <= modules
    products = [call for call in graph.calls if call.wrapper == "extern_kernels.mm"]
    assert len({call.nodes for call in products}) == len(products) == 14


def test_calls_are_divided_once(log: Path) -> None:
    """However many answers ask how calls are divided over ops, it is worked out once a program."""
    program = load_compiled(log)
    assert divide_calls(program) is divide_calls(program)
    assert program == load_compiled(log)


def test_evidence_is_looked_for_once(log: Path) -> None:
    """Two rooflines of a report share what the code says of avoidable work."""
    _, evidence = work_and_evidence(load_compiled(log))
    assert evidence() is evidence()
