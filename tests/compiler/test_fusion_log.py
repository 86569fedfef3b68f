"""What the scheduler decided on a graph, as TORCH_LOGS=fusion,ir_pre_fusion prints it."""

from __future__ import annotations

import gzip
from pathlib import Path

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph
from kernelmap.speed.work import evidence_of_code, works_of_calls
from speed.work.wrapper_code import adding, allocated, module, run

_CODE = module(
    adding(1),
    allocated("buf0"),
    run("add_1", "arg0_1", "buf0"),
    allocated("buf1"),
    run("add_1", "buf0", "buf1"),
    "return (buf1, )",
)
_WRITES = (
    "op0.writes = [MemoryDep('buf0', c0, {c0: 1024})]",
    "op1.writes = [StarDep(name='buf1')]",
)
_BEGIN = "===== attempting fusion (1/10): 2 nodes ====="


def _graph(folder: Path, *decisions: str, writes: tuple[str, ...] = _WRITES) -> CompiledGraph:
    """The graph of a log that prints these lines of the scheduler before the code."""
    lines = [_line("ir_pre_fusion", 750, text) for text in writes]
    lines += [_line("fusion", 2059, text) for text in decisions]
    lines += [_line("output_code", 1, text) for text in ("Output code:", *_CODE.split("\n"))]
    path = folder / "log.txt"
    path.write_text("\n".join(lines) + "\n")
    (graph,) = load_compiled(path).graphs
    return graph


def _line(artifact: str, number: int, text: str) -> str:
    return f"V1128 00:04:07.700000 8361 torch/_inductor/x.py:{number}] [0/0] [__{artifact}] {text}"


def test_a_refusal_names_the_buffers_of_both(tmp_path: Path) -> None:
    """Operations are known by what they write: the code has the same names."""
    graph = _graph(tmp_path, _BEGIN, "cannot fuse op0 with op1: no shared data")

    (pair,) = graph.not_fused
    assert (sorted(pair.first), sorted(pair.second)) == (["buf0"], ["buf1"])
    assert pair.reason == "no shared data"


def test_the_last_round_has_the_last_word(tmp_path: Path) -> None:
    """A pair that is tried again stands where it was tried last, with the reason of then."""
    graph = _graph(
        tmp_path,
        _BEGIN,
        "cannot fuse op0 with op1: nodes[0] is not ready",
        "cannot fuse op1 with op0: node1 must go before node2",
        "cannot fuse op0 with op1: no shared data",
    )

    assert [pair.reason for pair in graph.not_fused] == [
        "node1 must go before node2",
        "no shared data",
    ]


def test_decisions_on_a_graph_without_code_are_forgotten(tmp_path: Path) -> None:
    """A graph that is scheduled anew in the same compilation bears the same names."""
    graph = _graph(
        tmp_path, "cannot fuse op0 with op1: no shared data", _BEGIN, "fusing op0 with op1"
    )

    assert graph.not_fused == ()


def test_what_an_operation_writes_has_to_be_known(tmp_path: Path) -> None:
    """Without it nothing says which buffers are meant; old releases name the buffers themselves."""
    unknown = _graph(tmp_path, _BEGIN, "cannot fuse op0 with op1: no shared data", writes=())
    old = _graph(tmp_path, _BEGIN, "cannot fuse buf0 with buf1: no shared data", writes=())

    assert unknown.not_fused == ()
    assert [pair.reason for pair in old.not_fused] == ["no shared data"]


def test_a_value_in_memory_knows_why_its_reader_was_not_fused(tmp_path: Path) -> None:
    """The reader is the call that writes a buffer of the second operation."""
    path = tmp_path / "log.txt"
    _graph(tmp_path, _BEGIN, "cannot fuse op0 with op1: no shared data")
    compiled = load_compiled(path)

    (value,) = evidence_of_code(compiled, works_of_calls(compiled)).intermediates
    assert value.name == "buf0"
    assert value.refused == ((1, "no shared data"),)


def test_decisions_may_come_megabytes_before_the_code(tmp_path: Path) -> None:
    """Packed or plain, such a text is known by them: a large graph has millions of pairs."""
    decisions = ["cannot fuse op0 with op1: " + "no shared data " * 20] * 15_000
    graph = _graph(tmp_path, _BEGIN, *decisions)
    text = (tmp_path / "log.txt").read_bytes()
    packed = tmp_path / "packed" / "log.txt.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(text))
    (again,) = load_compiled(packed).graphs

    assert text.index(b"Output code") > 1 << 22
    assert len(graph.not_fused) == 1
    assert again.not_fused == graph.not_fused
