"""TORCH_LOGS text: the code in it, however it was printed, mixed, cut and pasted."""

from __future__ import annotations

import gzip
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.generated import wrappers
from compiler.logs import Log
from compiler.logs import graph as graph_of_nodes
from compiler.texts import (
    STYLES,
    A,
    B,
    Style,
    bare,
    code,
    from_file,
    glog,
    level,
    message,
    printed,
    put,
    read,
    same,
)
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.compiler.formats import FORMATS, PYTHON, TEXT_LOG, Beginning
from kernelmap.traces import is_trace


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_packed_text_is_the_text(encoding: str, tmp_path: Path) -> None:
    """Packed with gzip it gives the same graph; cut off, what it holds up to there, and says so."""
    lines = printed(code(), "/gone/ab/cab.py")
    text = "\n".join(lines).encode(encoding)
    (plain,) = read(put(tmp_path / "err.txt", lines))
    packed = tmp_path / "err.txt.gz"
    packed.write_bytes(gzip.compress(text))
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(gzip.compress(text * 40, compresslevel=0)[: 20 * len(text)])
    stem = gzip.compress(b'{"traceEvents": []}' + b" " * 5000 + text)
    (tmp_path / "profile.json.gz").write_bytes(stem)

    assert same(read(packed)[0], plain)
    assert "log-lines-unread" in {notice.slug for notice in load_compiled(cut).notices}
    assert not is_compiled(tmp_path / "profile.json.gz")


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
@pytest.mark.parametrize("every_line", [True, False], ids=["each line", "first line"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_message_gives_the_graph_of_its_file(
    style: Style, every_line: bool, ends: str, tmp_path: Path
) -> None:
    """Whatever the prefix, on every line or the first only, the code reads as from its file."""
    lines = [
        "loading",
        *printed(code(), "/gone/ab/cab.py", style=style, every_line=every_line),
        "done 1.5 s",
    ]
    (compiled,) = read(put(tmp_path / "err.txt", lines, ends))

    assert same(compiled, from_file(tmp_path, code()))
    assert compiled.code == "/gone/ab/cab.py"
    assert compiled.compile_id == (None if style is bare else "0/0")


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_real_code_survives_being_printed(style: Style, corpus: Path, tmp_path: Path) -> None:
    """Every real file, printed by two ranks line by line in turn, gives the graph of the file."""
    for file in sorted((corpus / "inductor").rglob("output_code.py")):
        text = file.read_text(encoding="utf-8")
        whole = from_file(tmp_path, text)
        ranks = [printed(text, style=style, rank=rank) for rank in range(2)]
        rows = zip(*ranks, strict=True) if style in (glog, level) else ranks[:1]
        for name, lines in (
            ("turn", list(chain(*rows))),
            ("first", printed(text, every_line=False)),
        ):
            (compiled,) = read(put(tmp_path / name, ["x", *lines]))

            assert same(compiled, whole), file


def test_attempts_and_compiled_autograd_have_their_id(tmp_path: Path) -> None:
    """The id behind the prefix is the one that a TORCH_TRACE log gives."""
    lines = [*printed(code("0_forward"), compile_id="0/0_1")]
    lines += printed(code("1_backward"), compile_id="!0/3/1")

    assert [graph.compile_id for graph in read(put(tmp_path / "a", lines))] == ["0/0_1", "!0/3/1"]


@pytest.mark.parametrize("style", [glog, level], ids=["glog", "level"])
def test_ranks_may_alternate_line_by_line(style: Style, tmp_path: Path) -> None:
    """Lines of two ranks, with warnings and prints between them, give each rank its own graph."""
    texts = [code(name=name) for name in (A, B)]
    ranks = [printed(text, style=style, rank=rank) for rank, text in enumerate(texts)]
    noise = ["step 1", "W1121 07:06:31.000000 1 torch/d.py:3] [0/0] slow", "m.py:3: UserWarning: x"]
    pairs = zip_longest(*ranks, noise * len(ranks[0]), fillvalue="")
    one, other = read(put(tmp_path / "err", list(chain(*pairs))))

    assert (one.id, other.id) == ("rank_0/0_forward", "rank_1/0_forward")
    assert one.calls == from_file(tmp_path, texts[0]).calls
    assert other.calls == from_file(tmp_path, texts[1]).calls


def test_ranks_with_one_text_are_one_graph(tmp_path: Path) -> None:
    """The same code from several ranks counts once."""
    lines = [line for rank in range(3) for line in printed(code(), rank=rank)]

    assert [graph.id for graph in read(put(tmp_path / "err", lines))] == ["0_forward"]


@given(st.lists(st.booleans(), max_size=120))
def test_any_mixing_of_two_ranks_gives_both(order: list[bool]) -> None:
    """However the lines of two ranks alternate, each line reaches its own message."""
    ranks = [iter(printed(code(name=name), rank=rank)) for rank, name in enumerate((A, B))]
    mixed = [line for first in order if (line := next(ranks[first], None)) is not None]
    mixed += [*ranks[0], *ranks[1]]
    with TemporaryDirectory() as folder:
        graphs = read(put(Path(folder) / "err", mixed))

    assert sorted(wrappers(graph)[0] for graph in graphs) == [A, B]


def test_colors_bars_and_what_a_shell_puts_before_lines(tmp_path: Path) -> None:
    """Colors, progress bars and the time stamps of a job's log change nothing."""
    plain = printed(code())
    colored = [f"\x1b[36m(Worker pid=1)\x1b[0m \x1b[32m{line}\x1b[0m" for line in plain]
    bars = [f" 50%|#####     | 5/10\r{line}" for line in plain]
    dated = [f"2025-05-30T22:17:40.61{at:04d}Z {line}" for at, line in enumerate(plain)]
    quoted = [f"> {line}" for line in plain]
    graphs = [
        read(put(tmp_path / str(at), lines))[0]
        for at, lines in enumerate((plain, colored, bars, dated, quoted))
    ]

    assert all(same(graph, graphs[0]) for graph in graphs)


def test_a_shell_that_writes_utf_16_is_read(tmp_path: Path) -> None:
    """The byte order mark tells the encoding."""
    path = tmp_path / "err.txt"
    path.write_bytes("\r\n".join(printed(code())).encode("utf-16"))

    assert same(read(path)[0], from_file(tmp_path, code()))


def test_fences_and_indentation_are_no_code(tmp_path: Path) -> None:
    """Fenced Markdown with a forward and a backward holds two graphs; indented code is read."""
    fence = ["The forward:", "```python", *code().split("\n"), "```", "", "and", "~~~"]
    fence += [*code("0_backward", B).split("\n"), "~~~", "thanks"]
    marked = ["```", *printed(code()), "```", "text", "```", *printed(code("0_backward")), "```"]
    shifted = ["  " + line for line in ["Output code: ", *code().split("\n")]]

    assert [graph.id for graph in read(put(tmp_path / "a.md", fence))] == [
        "0_forward",
        "0_backward",
    ]
    assert [graph.id for graph in read(put(tmp_path / "b.md", marked))] == [
        "0_forward",
        "0_backward",
    ]
    (compiled,) = read(put(tmp_path / "c.txt", shifted))
    assert same(compiled, from_file(tmp_path, code()))
    assert compiled.code == f"{tmp_path / 'c.txt'}:1"


def test_a_prefix_that_was_left_in_the_middle(tmp_path: Path) -> None:
    """Prefixes were cut off except one that differed, which still stands between the lines."""
    lines = [f" {line}" for line in code().split("\n")]
    at = lines.index(" import triton")
    lines[at] = level("output_code", "0/0", None) + lines[at][1:]
    (compiled,) = read(put(tmp_path / "err", ["[2024-01-02 10:11:12,346] a.b: [INFO] x", *lines]))

    assert compiled.calls == from_file(tmp_path, code()).calls


def test_a_text_is_no_trace(tmp_path: Path) -> None:
    """Lines that begin with a bracket are not taken for JSON."""
    paths = [
        put(tmp_path / style.__name__, printed(code(), style=style, rank=0)) for style in STYLES
    ]

    assert [(is_compiled(path), is_trace(path)) for path in paths] == [(True, False)] * 4


def test_printed_graphs_give_lines(tmp_path: Path) -> None:
    """The post-grad graph is that of the next code with its id, AOT graphs go by their number."""
    after = "TRACED GRAPH\n ===== AFTER POST GRAD =====\n" + graph_of_nodes("neg")
    traced = "TRACED GRAPH\n ===== Backward graph 1 =====\n" + graph_of_nodes("mul", first=20)
    lines = message(traced, artifact="aot_graphs", compile_id="0/0")
    lines += message(after, artifact="post_grad_graphs", compile_id="0/0")
    lines += [*printed(code("0_forward")), *printed(code("1_backward", B), compile_id="0/1")]
    forward, backward = read(put(tmp_path / "err", lines))

    assert [(node.name, node.lines[0].line) for node in forward.nodes] == [("neg", 10)]
    assert [(node.name, node.lines[0].line) for node in backward.nodes] == [("mul", 20)]


def test_a_log_and_a_text_of_one_run_are_one(tmp_path: Path) -> None:
    """TORCH_TRACE knows more of the same code, and both count once."""
    put(tmp_path / "err", printed(code(), "/gone/cab.py"))
    log = Log().code(code(), "/gone/cab.py").artifact("fx_graph_cache_miss", {"key": "fkey"})
    log.put(tmp_path / "trace.log")
    (compiled,) = read(tmp_path)

    assert (compiled.id, compiled.cache_key, compiled.compile_id) == ("0_forward", "fkey", "0/0")


def test_every_kind_of_input_has_one_format(tmp_path: Path) -> None:
    """Code, logs and texts that quote code are each of one format only."""
    inputs = {
        "a generated": put(tmp_path / "a", code().split("\n")),
        "b log": Log().code(code()).put(tmp_path / "b"),
        "c text": put(tmp_path / "c", printed(code())),
        "d first line": put(tmp_path / "d", printed(code(), every_line=False)),
        "e fenced": put(tmp_path / "e", ["```", *code().split("\n"), "```"]),
        "f indented": put(tmp_path / "f", indent(code(), " ").split("\n")),
    }
    takers = {
        name: [kind for kind in FORMATS if kind.fits(Beginning(path))]
        for name, path in inputs.items()
    }

    assert all(len(taker) == 1 for taker in takers.values())
    assert [takers[name] == [TEXT_LOG] for name in sorted(takers)] == [False, False, *[True] * 4]
    assert takers["a generated"] == [PYTHON]


def test_other_texts_are_left_alone(tmp_path: Path) -> None:
    """Prose, a log without code and a Python file between fences are nothing of ours."""
    put(tmp_path / "a.md", ["# Title", "```python", "import torch", "```"])
    put(tmp_path / "b.txt", message("Recompiling f", artifact="recompiles"))
    (tmp_path / "c.bin").write_bytes(b"\0[__output_code] x\n" * 9)

    assert not is_compiled(tmp_path)


def test_marks_without_code_are_reported(tmp_path: Path) -> None:
    """A text that was cut so far that no code is left says so."""
    program = load_compiled(put(tmp_path / "err", message("x = 1\ny = 2")))

    assert program.graphs == ()
    assert [(notice.slug, notice.gap) for notice in program.notices] == [("log-without-code", True)]


@pytest.mark.parametrize("heading", ["Output wrapper code", "AOT wrapper code"])
def test_wrappers_in_cpp_are_read(tmp_path: Path, heading: str) -> None:
    """AOTInductor prints C++ under another heading; it is code like any other."""
    wrapper = (
        f"{heading}: \n"
        "#include <torch/csrc/inductor/aoti_runtime/model.h>\n"
        "void AOTInductorModel::run_impl(AtenTensorHandle* input_handles) {\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_mm_out(buf0, arg0_1, arg1_1));\n"
        "}"
    )
    program = load_compiled(put(tmp_path / "err", message(wrapper)))

    assert [call.target for _, call in program.calls] == ["aten.mm"]


@pytest.mark.parametrize("heading", ["Wrapper code written to", "AOT wrapper code written to"])
def test_a_wrapper_in_cpp_that_was_only_written_is_missed(tmp_path: Path, heading: str) -> None:
    """Where the text only names the file of a C++ wrapper, that file is asked for."""
    text = message(f"{heading}: /gone/c2m.wrapper.cpp")
    program = load_compiled(put(tmp_path / "err", text))

    assert [notice.slug for notice in program.notices] == ["code-not-here"]


@given(st.data())
def test_any_damage_is_survived(data: st.DataObject) -> None:
    """Lines dropped, doubled, cut or garbled anywhere: a program, never an exception."""
    lines = [*printed(code(), "/gone/a.py"), *printed(code("0_backward", B), style=level)]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        lines[at : at + 1] = data.draw(
            st.sampled_from([[], [line, line], [line[:40]], [line[30:]], ["\x1b[", "```"], [""]])
        )
    with TemporaryDirectory() as folder:
        program = load_compiled(put(Path(folder) / "err", lines))

    assert {name for graph in program.graphs for name in wrappers(graph)} <= {A, B}
