"""Code that was cut off or pasted with something in between: used as far as it goes, and told."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.generated import graph, program, triton, wrapper, wrappers
from kernelmap.compiler import load_compiled
from kernelmap.compiler.files.code_file import is_generated_code
from kernelmap.errors import KernelmapError
from kernelmap.model import CompiledGraph, Occurrence

BODY = """
with torch.cuda._DeviceGuard(0):
    buf0 = empty_strided_cuda((8, 1), (1, 1), torch.float32)
    # Topologically Sorted Source Nodes: [add], Original ATen: [aten.add]
    # [Provenance debug handles] triton_poi_fused_add_0:1
    raw_stream0 = get_raw_stream(0)
    triton_poi_fused_add_0.run(buf0, arg0_1, 64, stream=raw_stream0)
    if arg1_1.item():
        buf1 = true_graph_0(true_graph_0_args)
    else:
        aten.neg(
            buf0,
        )
    while again:
        aten.cos(buf0)
    # [Provenance debug handles] extern_kernels.mm:3
    extern_kernels.mm(buf0, buf1, out=buf2)
"""
FUNCTIONS = "def true_graph_0(args):\n    aten.sin(a)\n"
TEXT = wrapper(
    'r"""\nCompile-time auto-tuning block:\ntriton_poi_old_0 = async_compile.triton(1)\n"""',
    triton("triton_poi_fused_add_0", comment="# kernel path: /cache/cab.py"),
    triton("triton_red_fused_sum_1"),
    body=BODY,
    functions=FUNCTIONS,
)


def same_calls(one: CompiledGraph, other: CompiledGraph) -> bool:
    return [(call.wrapper, call.handle, call.origins, call.occurrence) for call in one.calls] == [
        (call.wrapper, call.handle, call.origins, call.occurrence) for call in other.calls
    ]


def test_a_stray_line_costs_only_itself(tmp_path: Path) -> None:
    """Garbage at the end: everything else is read as from the whole file, line numbers included."""
    whole = graph(tmp_path / "whole", TEXT)
    read = program(tmp_path / "broken", TEXT + "\n$ make test\n")

    assert read.graphs[0].calls == whole.calls
    assert read.graphs[0].kernels == whole.kernels
    assert [(notice.slug, notice.gap) for notice in read.notices] == [("code-does-not-parse", True)]
    assert "1 line left out" in read.notices[0].message


def test_a_text_that_was_read_before_says_where_it_lies_now(tmp_path: Path) -> None:
    """What is remembered of a text is not its path, its graph's name, or what lies beside it."""
    text = TEXT + "\n$ make test\n"
    (first, second) = (program(tmp_path / name, text) for name in ("first", "second"))
    files = [read.graphs[0].code or "" for read in (first, second)]

    assert files[0] != files[1]
    for read, file in zip((first, second), files, strict=True):
        assert file in read.notices[0].message
        assert {graph.code for graph in read.graphs} == {file}
    assert first.graphs[0].calls == second.graphs[0].calls


def test_garbage_inside_a_function_does_not_end_it(tmp_path: Path) -> None:
    """A pasted line between two calls leaves both in their function and branch."""
    whole = graph(tmp_path / "whole", TEXT)
    broken = TEXT.replace("        if arg1_1", "--More--(52%)\nhello\n        if arg1_1")
    read = program(tmp_path / "broken", broken)

    assert broken != TEXT
    assert same_calls(read.graphs[0], whole)
    assert {call.occurrence for call in whole.calls} == set(Occurrence)


def test_a_file_cut_inside_a_kernel_keeps_the_kernels(tmp_path: Path) -> None:
    """A kernel whose source is cut keeps its name; a notice says that no call() was seen."""
    read = program(tmp_path, TEXT[: TEXT.index("def triton_red")])

    assert [kernel.name for kernel in read.graphs[0].kernels] == [
        "triton_poi_fused_add_0",
        "triton_red_fused_sum_1",
    ]
    assert read.graphs[0].calls == ()
    assert "code-without-call" in {notice.slug for notice in read.notices}


def test_a_file_cut_inside_call_keeps_the_calls_so_far(tmp_path: Path) -> None:
    """Calls before the cut stay; the statement that was cut through is not guessed."""
    read = program(tmp_path, TEXT[: TEXT.index("buf1, out=buf2")])

    assert wrappers(read.graphs[0]) == [
        "triton_poi_fused_add_0",
        ".item",
        "aten.sin",
        "aten.neg",
        "aten.cos",
    ]
    assert "handle-without-call" in {notice.slug for notice in read.notices}


def test_the_inside_of_call_alone_is_read(tmp_path: Path) -> None:
    """Lines that somebody copied out of `call()` are its calls, though nothing names it."""
    inside = "        extern_kernels.mm(a, b, out=c)\n        aten.neg(c)\n"
    read = program(tmp_path, "async_compile = AsyncCompile()\n" + inside)

    assert wrappers(read.graphs[0]) == ["extern_kernels.mm", "aten.neg"]


def load(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "output_code.py")
        path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
        try:
            loaded = load_compiled(path)
        except KernelmapError as error:
            assert error.hint  # noqa: PT017 -- an error is one of two allowed outcomes
        else:
            calls = loaded.graphs[0].calls
            assert [call.index for call in calls] == list(range(len(calls)))


@given(st.integers(0, len(TEXT)))
def test_any_cut_is_survived(length: int) -> None:
    """A file cut anywhere gives a program or a KernelmapError, never another exception."""
    load(TEXT[:length])


@given(
    st.lists(
        st.tuples(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=8)), max_size=6
    )
)
def test_any_damage_is_survived(edits: list[tuple[int, int, str]]) -> None:
    """Text replaced in any places gives a program or a KernelmapError, never another exception."""
    text = TEXT
    for place, length, new in edits:
        text = text[:place] + new + text[place + length :]
    load(text)


@given(st.text(alphabet="async_compile.triton('=()[]{}\"\n #@:,1x\\\0", max_size=80))
def test_any_text_behind_the_header_is_survived(text: str) -> None:
    """What follows the header may be anything at all."""
    start = "async_compile = AsyncCompile()\nx_0 = async_compile.triton("

    assert is_generated_code(start)
    load(start + text)


def test_deep_nesting_is_survived() -> None:
    """Expressions deeper than Python's own limits are left out, not a crash."""
    load(wrapper(body="x = " + "(" * 5000 + ")" * 5000))
    load(wrapper(body="x = a" + ".b" * 20000 + ".copy_(c)"))
    load(wrapper(body="x = " + "-" * 20000 + "a.item()"))


DEEP = {
    "elif": "    if a:\n        pass\n" + "    elif a:\n        x = 1\n" * 1500,
    "brackets": "    x = " + "(" * 5000 + "1" + ")" * 5000 + "\n",
    "chain": "    x" + ".a" * 5000 + "()\n",
    "functions": "    f0()\n",
}


@pytest.mark.parametrize("case", DEEP)
def test_code_without_bottom_is_read_as_far_as_it_goes(case: str, tmp_path: Path) -> None:
    """However deeply code stands in itself, the calls before are kept and nothing breaks."""
    functions = "".join(f"def f{n}():\n    f{n + 1}()\n" for n in range(1000))
    path = tmp_path / "output_code.py"
    path.write_text(
        "async_compile = AsyncCompile()\n"
        + functions * (case == "functions")
        + "def call(args):\n    extern_kernels.mm(args[0], args[1], out=args[2])\n"
        + DEEP[case]
    )
    loaded = load_compiled(path)

    assert [call.wrapper for _, call in loaded.calls] == ["extern_kernels.mm"]


def test_a_mapping_without_bottom_is_one_notice(tmp_path: Path) -> None:
    """A node mapping that no decoder follows counts as unreadable."""
    (tmp_path / "output_code.py").write_text("async_compile = AsyncCompile()\n")
    mapping = tmp_path / "inductor_provenance_tracking_node_mappings.json"
    mapping.write_text('{"a": ' + "[" * 5000 + "]" * 5000 + "}")
    notices = load_compiled(tmp_path).notices

    assert "node-mapping-unreadable" in [notice.slug for notice in notices]
