"""What the panes show: rows, times, and what is said where something is missing."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kernelmap import Correlation, correlate
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.provenance import provenance_data
from pages.hand_tables import HOSTILE
from pages.provenance_world import ADD, correlation, small
from tiny import Timeline, graph
from worlds import World, simulate

SAMPLES = (
    "aoti_block",
    "cpu_block",
    "cpu_dynamic_recompile",
    "cpu_graph_breaks",
    "cpu_mlp_train",
    "sim_attention_autotune",
    "sim_mlp_train",
)
CORPUS = ("triton_mlp", "triton_foreach", "triton_partition", "triton_usertriton", "cpu_nonlazy")


@dataclass(frozen=True)
class Shown:
    """One graph as the page gets it; JSON, so nothing is known of its types."""

    meta: dict[str, Any]
    whole: dict[str, Any]
    texts: list[str]

    def pane(self, kind: str) -> dict[str, Any]:
        pane: dict[str, Any] = self.whole["panes"][kind]
        return pane

    def rows(self, kind: str) -> list[str]:
        pane = self.pane(kind)
        text = self.texts[pane["text"]].removesuffix("\n")
        return [*(text.split("\n") if text else ()), *pane["more"]]

    def row_of(self, kind: str, thing: int) -> str:
        row: int = self.pane(kind)["rows"][thing]
        return self.rows(kind)[row]


def shown(run: Correlation) -> list[Shown]:
    """All graphs of a run, taken apart as the page's script does it."""
    texts = PackedTexts()
    data = msgspec.json.decode(msgspec.json.encode(provenance_data(run, texts)))
    decoded = msgspec.json.decode(
        zlib.decompress(base64.b64decode(texts.pack_all())), type=list[str]
    )
    return [
        Shown(meta, msgspec.json.decode(decoded[meta["whole"]]), decoded) for meta in data["graphs"]
    ]


def check(run: Correlation) -> None:
    """The laws of every pane of every graph."""
    times = {row.graph: row.time_ns for row in run.attribution.graphs}
    calls = {row.call: row.time_ns for row in run.attribution.calls}
    for at, shown_graph in enumerate(shown(run)):
        compiled = run.program.graphs[at]
        assert shown_graph.meta["time_ns"] == times[at]
        for kind in ("line", "pre", "post", "call"):
            pane = shown_graph.pane(kind)
            assert sum(pane["ns"]) <= times[at]
            assert len(pane["ns"]) == len(pane["rows"])
            assert all(0 <= row < len(shown_graph.rows(kind)) for row in pane["rows"])
        first = run.program.first_call[at]
        times_of_calls = [calls[first + index] for index in range(len(compiled.calls))]
        assert shown_graph.pane("call")["ns"] == times_of_calls
        for kind in ("pre", "post"):
            for thing, name in enumerate(shown_graph.pane(kind)["names"]):
                assert name in shown_graph.row_of(kind, thing)
        for call in compiled.calls:
            if call.line is not None and compiled.text is not None:
                assert (
                    shown_graph.row_of("call", call.index)
                    == compiled.text.split("\n")[call.line - 1]
                )


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_keeps_the_laws(sample: str, samples: Path) -> None:
    """Each thing stands in a row that names it; times are those of the tables."""
    check(correlate(samples / sample))


@pytest.mark.corpus
@pytest.mark.parametrize("name", CORPUS)
def test_simulated_runs_keep_the_laws(name: str, corpus: Path, tmp_path: Path) -> None:
    """Combo, template, user, extern and C++ calls alike."""
    code = corpus / "inductor" / name
    simulate(load_compiled(code), World(seed=3)).write_kineto(tmp_path / "trace.json")
    check(correlate(code, tmp_path / "trace.json"))


def test_what_has_no_place_is_the_rest_of_the_time(samples: Path) -> None:
    """The random seeds of a dropout come from no line and no node before autograd."""
    forward = shown(correlate(samples / "cpu_block"))[0]
    rest = {
        kind: forward.meta["time_ns"] - sum(forward.pane(kind)["ns"])
        for kind in ("line", "pre", "post", "call")
    }

    assert rest["post"] == rest["call"] == 0
    assert rest["line"] == rest["pre"] > 0
    (seeds,) = [
        ns
        for ns, row in zip(forward.pane("call")["ns"], forward.pane("call")["rows"], strict=True)
        if "randint" in forward.rows("call")[row]
    ]
    assert rest["line"] == seeds


def test_forward_and_backward_know_each_other() -> None:
    """Both show the same lines, each with the time of both."""
    forward, backward = shown(small())

    assert (forward.meta["partner"], backward.meta["partner"]) == (1, 0)
    assert forward.rows("line") == backward.rows("line")
    assert forward.pane("line")["ns"] == [100, 200]
    assert forward.pane("line")["other_ns"] == [0, 100]
    assert backward.pane("line")["ns"] == [100]
    assert backward.pane("line")["other_ns"] == [200]


def test_a_line_is_at_home_where_it_has_most_time() -> None:
    """Line 7 has time in the forward only; line 9 has more time there than in the backward."""
    lines = msgspec.json.decode(msgspec.json.encode(provenance_data(small(), PackedTexts())))[
        "lines"
    ]

    assert [(line["place"], line["graph"], line["time_ns"]) for line in lines] == [
        ("/home/user/model.py:9", 0, 300),
        ("/home/user/model.py:7", 0, 100),
    ]


def test_the_source_shows_known_lines_with_gaps() -> None:
    """A heading per file, a gap where lines are not known, the text as it was quoted."""
    forward = shown(small())[0]

    assert forward.rows("line") == [
        "/home/user/model.py",
        "",
        "x = self.fc(x)",
        "",
        f"return gelu(x)  # {HOSTILE}",
    ]
    assert forward.pane("line")["numbers"] == [0, -1, 7, -1, 9]


def test_a_definition_belongs_to_all_its_calls() -> None:
    """First row, last row, the row that names the kernel, and both calls of it."""
    assert shown(small())[0].whole["definitions"] == [[0, 1, 0, [0, 2]]]


def test_without_code_the_calls_are_listed() -> None:
    """A graph that only the trace knows has its wrappers, and says why."""
    trace = Timeline().invoke([ADD, "aten.mm"]).trace()
    (only,) = shown(correlation(CompiledProgram(graphs=()), trace))

    assert only.rows("call")[0] == ADD
    assert "from the trace" in only.pane("call")["note"]
    assert [only.rows(kind) for kind in ("line", "pre", "post")] == [[], [], []]
    assert all("TORCH_TRACE" in only.pane(kind)["note"] for kind in ("line", "pre", "post"))


def test_without_their_text_nodes_are_listed() -> None:
    """Names and targets, in the order of the calls; a statement without a line stands behind."""
    run = small()
    forward = run.program.graphs[0]
    bare = replace(forward, pre_grad_text=None, post_grad_text=None)
    lost = replace(bare, calls=(*bare.calls[:2], replace(bare.calls[2], line=None)))
    only = shown(correlation(CompiledProgram(graphs=(lost,)), run.trace))[0]

    assert only.rows("post") == ["mm", "erf", "mul"]
    assert "known by name" in only.pane("post")["note"]
    assert only.pane("call")["more"][1:] == [ADD]
    assert only.row_of("call", 2) == ADD


def test_nodes_that_their_text_lacks_stand_behind_it() -> None:
    """Nothing that has time is left out."""
    run = small()
    forward = run.program.graphs[0]
    assert forward.post_grad_text is not None
    cut = replace(forward.post_grad_text, lines={"mm": 2})
    only = shown(
        correlation(CompiledProgram(graphs=(replace(forward, post_grad_text=cut),)), run.trace)
    )[0]

    assert only.pane("post")["more"][1:] == ["erf", "mul"]
    assert only.row_of("post", 1) == "erf"


def _texts(run: Correlation) -> Iterator[str]:
    for shown_graph in shown(run):
        yield from shown_graph.texts


def test_no_file_of_the_machine_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace may name any path: only what a log quotes of it is shown."""
    secret = tmp_path / "secret.py"
    secret.write_text("password = 1\n" * 20)
    plain = graph("0_inference", ADD)
    node = replace(small().program.graphs[0].nodes[0], name="a", lines=())
    named = replace(
        node, lines=(replace(small().program.graphs[0].nodes[0].lines[0], file=str(secret)),)
    )
    compiled = replace(plain, calls=(replace(plain.calls[0], nodes=("a",)),), nodes=(named,))
    trace = Timeline().invoke(compiled).trace()
    run = correlation(CompiledProgram(graphs=(compiled,)), trace)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    assert not any("password" in text for text in _texts(run))
