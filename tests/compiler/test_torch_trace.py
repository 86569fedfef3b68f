"""TORCH_TRACE logs: what belongs to which graph, copies, ranks, and logs that are broken."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compiler import cpp_code
from compiler.generated import MAPPING, triton, wrapper
from compiler.logs import PREFIX, Log, graph
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.compiler.facts import CodeFacts, CodeText
from kernelmap.compiler.graph import graphs_of
from kernelmap.compiler.logs.events import read_versions
from kernelmap.errors import KernelmapError
from kernelmap.model import (
    Artifact,
    Compilation,
    CompiledGraph,
    CompiledProgram,
    Emitted,
    SourceLine,
    Stage,
)
from kernelmap.model.compilations import StatedBeside

A = "triton_poi_fused_a_0"


def code(aot: str = "0_forward", *, handle: int | None = 1, op: str = "neg") -> str:
    mark = f"# [Provenance debug handles] {A}:{handle}\n" if handle is not None else ""
    return wrapper(triton(A), body=f"{mark}{A}.run(x, y, 64, stream=s)\naten.{op}(x)", aot=aot)


def mapping(*nodes: str, handle: int = 1, pre: str = "p") -> dict[str, object]:
    return {
        "cppCodeToPost": {f"{A}:{handle}": list(nodes)},
        "postToPre": {node: [pre] for node in nodes},
        "version": 2.0,
    }


def stacks(*lines: int, handle: int = 1) -> dict[str, object]:
    frame = '  File "/home/me/m.py", line {}, in f\n    y = f(x)\n'
    return {f"{A}:{handle}": [frame.format(line) for line in lines]}


def training() -> Log:
    """A forward with a mapping, and its backward that is compiled lazily."""
    log = Log().artifact("before_pre_grad_graph", graph("p", first=3))
    log.artifact("fx_graph_runnable", "import torch")
    log.artifact("inductor_post_grad_graph", graph("neg", "add"))
    log.code(code(), "/cache/fw/cfw.py")
    log.artifact("inductor_provenance_tracking_node_mappings", mapping("neg"))
    log.artifact("inductor_provenance_tracking_kernel_stack_traces", stacks(10))
    log.artifact("fx_graph_cache_miss", {"key": "fforward", "components": ["[x] y"]})
    log.artifact("fx_graph_runnable", "import torch")
    log.artifact("inductor_post_grad_graph", graph("neg", "mul", first=20))
    log.code(code("0_backward"), "/cache/bw/cbw.py")
    log.artifact("inductor_provenance_tracking_node_mappings", {"version": 2.0})
    log.artifact("inductor_provenance_tracking_kernel_stack_traces", stacks(12, 11, 12))
    return log.artifact("fx_graph_cache_hit", {"key": "fbackward"})


def read(path: Path) -> tuple[CompiledGraph, ...]:
    program = load_compiled(path)

    assert program.notices == ()
    return program.graphs


def test_order_tells_forward_from_backward(tmp_path: Path) -> None:
    """Key, mapping and stacks belong to the code before them, the graph's text to the one after."""
    forward, backward = read(training().put(tmp_path / "log"))
    line = SourceLine(file="/home/me/m.py", line=10, code="y = f(x)")

    assert (forward.id, forward.compile_id, forward.cache_key) == ("0_forward", "0/0", "fforward")
    assert (backward.id, backward.cache_key) == ("0_backward", "fbackward")
    assert (forward.code, backward.code) == ("/cache/fw/cfw.py", "/cache/bw/cbw.py")
    assert [call.nodes for call in forward.calls] == [("neg",), None]
    assert [call.nodes for call in backward.calls] == [None, None]
    assert [call.lines for call in forward.calls] == [(line,), ()]
    assert [[line.line for line in call.lines] for call in backward.calls] == [[11, 12], []]
    assert [(node.name, node.stage) for node in backward.nodes] == [
        ("neg", Stage.POST_GRAD),
        ("mul", Stage.POST_GRAD),
        ("p", Stage.PRE_GRAD),
    ]
    assert [node.lines[-1].line for node in backward.nodes[:2]] == [20, 21]


def test_graphs_keep_their_texts(tmp_path: Path) -> None:
    """Each code has its post-grad text; both share the pre-grad one, with the line of each node."""
    for compiled in read(training().put(tmp_path / "log")):
        assert compiled.pre_grad_text is not None
        assert compiled.post_grad_text is not None
        for text, stage in (
            (compiled.pre_grad_text, Stage.PRE_GRAD),
            (compiled.post_grad_text, Stage.POST_GRAD),
        ):
            names = [node.name for node in compiled.nodes if node.stage is stage]
            assert list(text.lines) == names
            for name, number in text.lines.items():
                assert text.text.split("\n")[number - 1].strip().startswith(f"{name}")


def test_nodes_have_what_their_texts_say(tmp_path: Path) -> None:
    """Post-grad nodes keep their own line, target and shape, and name their pre-grad node."""
    nodes = {node.name: node for node in read(training().put(tmp_path / "log"))[0].nodes}

    assert list(nodes) == ["neg", "add", "p"]
    assert (nodes["neg"].target, nodes["neg"].shape) == ("aten.neg.default", "f32[4]")
    assert nodes["neg"].pre_grad == ("p",)
    assert nodes["neg"].lines[-1].line == 10
    assert nodes["p"].stage is Stage.PRE_GRAD
    assert nodes["p"].lines[-1].line == 3


def test_a_node_without_a_line_has_that_of_its_pre_grad_node(tmp_path: Path) -> None:
    """Where a pass lost the comment, the mapping still leads to the user's line."""
    log = Log().artifact("after_pre_grad_graph", graph("p", first=3))
    log.artifact("after_post_grad_graph", graph("neg", file="/v/site-packages/torch/_ops.py"))
    log.code(code()).artifact("inductor_provenance_tracking_node_mappings", mapping("neg"))
    (compiled,) = read(log.put(tmp_path / "log"))

    assert [line.line for line in compiled.nodes[0].lines] == [3]


def test_what_follows_a_lost_code_is_not_its_predecessors(tmp_path: Path) -> None:
    """A graph's text opens the next graph, so a broken code event leaves nothing to the forward."""
    text = training().text
    lost = text.replace('{"inductor_output_code": {"filename": "/cache/bw/cbw.py"', "{broken")
    path = tmp_path / "log"
    path.write_text(lost, encoding="utf-8")
    program = load_compiled(path)

    (forward,) = program.graphs
    assert forward.cache_key == "fforward"
    assert [line.line for line in forward.calls[0].lines] == [10]
    assert [notice.slug for notice in program.notices] == ["log-lines-unread"]
    assert program.notices[0].gap


def test_handles_of_another_graph_do_not_count(tmp_path: Path) -> None:
    """A backward's artifacts also hold the forward's kernels, under their own handles."""
    log = Log().code(code("0_backward", handle=2))
    both = {f"{A}:1": ["stale"], f"{A}:2": ["mul"]}
    log.artifact("inductor_provenance_tracking_node_mappings", {"cppCodeToPost": both})
    log.artifact(
        "inductor_provenance_tracking_kernel_stack_traces", stacks(1) | stacks(2, handle=2)
    )
    (compiled,) = read(log.put(tmp_path / "log"))

    assert compiled.calls[0].nodes == ("mul",)
    assert [line.line for line in compiled.calls[0].lines] == [2]


def test_a_bare_name_of_another_graph_does_not_count(tmp_path: Path) -> None:
    """A key without a handle counts only where the graph's text knows one of its nodes."""
    log = Log().artifact("inductor_post_grad_graph", graph("mul"))
    log.code(code("0_backward", handle=None))
    log.artifact("inductor_triton_kernel_to_post_grad_nodes", {A: ["stale"]})
    stale = read(log.put(tmp_path / "stale"))[0]
    log = Log().artifact("inductor_post_grad_graph", graph("mul"))
    log.code(code("0_backward", handle=None))
    log.artifact("inductor_generated_kernel_to_post_grad_nodes", {A: ["mul"]})
    fresh = read(log.put(tmp_path / "own"))[0]

    assert stale.calls[0].nodes is None
    assert fresh.calls[0].nodes == ("mul",)


def test_attempts_have_their_number(tmp_path: Path) -> None:
    """An attempt after a restart is another compilation; compiled autograd is marked."""
    log = Log().code(code("0_forward")).at(0, 0, 1).code(code("1_forward"), "/cache/1.py")
    log.at(3, 1, 0).event(
        {"compiled_autograd_id": 2, "inductor_output_code": {}}, code("2_inference")
    )

    assert [graph.compile_id for graph in read(log.put(tmp_path / "log"))] == [
        "0/0",
        "0/0_1",
        "!2/3/1",
    ]


def test_code_without_a_file_name_stands_in_the_log(tmp_path: Path) -> None:
    """Such a graph is named by the log and the line of its event."""
    path = Log().event({"inductor_output_code": {}}, code()).put(tmp_path / "log")

    assert read(path)[0].code == f"{path}:1"


def test_a_log_and_the_debug_folder_of_a_run_are_one(tmp_path: Path) -> None:
    """The same text counts once: the file that can be opened, with the facts of both."""
    log = Log().code(code(), "/gone/cab.py").artifact("fx_graph_cache_miss", {"key": "fkey"})
    log.put(tmp_path / "logs/trace.log")
    folder = tmp_path / "run/model__0_forward_1.0"
    folder.mkdir(parents=True)
    (folder / "output_code.py").write_text(code() + "\n", encoding="utf-8")
    (folder / "fx_graph_transformed.py").write_text(graph("neg"), encoding="utf-8")
    (folder / MAPPING).write_text(f'{{"{A}": ["neg"]}}', encoding="utf-8")
    (compiled,) = read(tmp_path)

    assert compiled.code == str(folder / "output_code.py")
    assert (compiled.compile_id, compiled.cache_key) == ("0/0", "fkey")
    assert compiled.calls[0].nodes == ("neg",)
    assert [line.line for line in compiled.nodes[0].lines] == [10]


def test_ranks_are_told_apart_by_their_logs(tmp_path: Path) -> None:
    """Other code under one id gets the rank of its log; the same code and key counts once."""
    for rank, op in enumerate(("neg", "abs", "abs")):
        log = Log().code(code(op=op)).artifact("fx_graph_cache_miss", {"key": f"f{op}"})
        log.put(tmp_path / f"dedicated_log_torch_trace_rank_{rank}_n8z{rank}.log")
    program = load_compiled(tmp_path)

    assert [graph.id for graph in program.graphs] == ["rank_0/0_forward", "rank_1/0_forward"]


def test_one_text_under_two_keys_is_two_graphs(tmp_path: Path) -> None:
    """Each key names its own graph in a profile; facts without a key hold for both."""
    for rank in range(2):
        log = Log().code(code()).artifact("fx_graph_cache_miss", {"key": f"f{rank}"})
        log.put(tmp_path / f"rank{rank}/trace.log")
    log = Log().code(code()).artifact("inductor_provenance_tracking_node_mappings", mapping("neg"))
    log.put(tmp_path / "other/trace.log")
    graphs = read(tmp_path)

    assert [(graph.id, graph.cache_key) for graph in graphs] == [
        ("rank0/0_forward", "f0"),
        ("rank1/0_forward", "f1"),
    ]
    assert [graph.calls[0].nodes for graph in graphs] == [("neg",), ("neg",)]


def test_line_ends_change_nothing(tmp_path: Path) -> None:
    """A log whose line ends were rewritten on the way reads alike, checksums included."""
    log = training()
    plain = read(log.put(tmp_path / "log"))
    other = tmp_path / "crlf"
    other.write_bytes(b"\xef\xbb\xbf" + log.text.replace("\n", "\r\n").encode())
    same = [replace(graph, emitted=()) for graph in plain]

    assert [replace(graph, emitted=()) for graph in read(other)] == same


@pytest.mark.parametrize(
    ("old", "new", "slug"),
    [
        ("aten.neg(x)", "aten.abs(x)", "log-payload-damaged"),
        ('"fforward"', '"fforward', "log-payload-damaged"),
        ("\tclass GraphModule", "class GraphModule", "log-payload-damaged"),
        (PREFIX, "", "log-lines-unread"),
        ('"attempt": 0', '"attempt": "no"', "log-lines-unread"),
    ],
)
def test_damage_is_a_gap_and_no_error(tmp_path: Path, old: str, new: str, slug: str) -> None:
    """What was edited or lost is named; the rest of the log is used."""
    path = tmp_path / "log"
    path.write_text(training().text.replace(old, new, 1), encoding="utf-8")
    program = load_compiled(path)

    assert slug in {notice.slug for notice in program.notices}
    assert all(notice.gap for notice in program.notices)
    assert program.graphs[0].id == "0_forward"


@given(st.integers(0, len(training().text)), st.binary(max_size=3))
def test_no_cut_is_an_error(tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes) -> None:
    """A log that ends anywhere gives at most what the whole one gives, and never an error."""
    path = tmp_path_factory.mktemp("cut") / "log"
    path.write_bytes(b"V1121 07:06:31.9 1 t.py:1] {}\n" + training().text.encode()[:at] + junk)

    assert len(load_compiled(path).graphs) <= 2


def notices(program: CompiledProgram) -> list[tuple[str, bool]]:
    return [(notice.slug, notice.gap) for notice in program.notices]


def test_a_log_without_code_says_so(tmp_path: Path) -> None:
    """A log without any code is not taken for a good one."""
    nothing = Log().artifact("dynamo_output_graph", graph("p"))

    assert notices(load_compiled(nothing.put(tmp_path / "n"))) == [("log-without-code", True)]


def test_a_cpp_wrapper_is_code_like_any_other(tmp_path: Path) -> None:
    """The file of its kernels, its mapping and its stack traces come after it."""
    key = "aoti_torch_cuda_addmm_out:1"
    declared = 'extern "C"  void  cpp_fused_add_0(float* x);'
    body = f"{cpp_code.HANDLE}{key}\n{cpp_code.ADDMM}\n"
    body += f"{cpp_code.HANDLE}cpp_fused_add_0:2\ncpp_fused_add_0(b);"
    log = Log(None).artifact("after_post_grad_graph", graph("addmm"))
    wrapper_event: dict[str, object] = {"name": "inductor_aot_wrapper_code", "filename": "/c/a.cpp"}
    log.event({"graph_dump": wrapper_event}, cpp_code.wrapper(body, declared))
    log.event(
        {"graph_dump": {"name": "inductor_aot_kernel_code", "filename": "/c/a.kernel.cpp"}},
        'extern "C"  void  cpp_fused_add_0(float* x)\n{ }',
    )
    log.artifact(
        "inductor_provenance_tracking_node_mappings",
        {"cppCodeToPost": {key: ["addmm"]}, "postToPre": {"addmm": ["linear"]}},
    )
    program = load_compiled(log.put(tmp_path / "log"))
    (compiled,) = program.graphs

    assert notices(program) == []
    assert (compiled.id, compiled.code, compiled.kind) == ("a", "/c/a.cpp", "inference")
    assert [(call.handle, call.nodes) for call in compiled.calls] == [(1, ("addmm",)), (2, None)]
    assert [node.pre_grad for node in compiled.nodes if node.name == "addmm"] == [("linear",)]
    assert (compiled.kernels[0].path, compiled.calls[1].recorded) == ("/c/a.kernel.cpp", False)
    assert compiled.artifacts == (Artifact.MAPPING, Artifact.POST_GRAD)


def test_cpp_is_as_sure_as_the_text_it_stands_in() -> None:
    """C++ from a shared cache stays borrowed; both graphs know who compiled them."""
    emitted = Emitted(compilation=Compilation(compile_id="0/0", log="log", serial=0))
    text = CodeText(
        text=cpp_code.wrapper(cpp_code.ADDMM, constants=cpp_code.ADDMM),
        code="a.cpp",
        place=("a",),
        strength=0,
        facts=CodeFacts(emitted=(emitted,)),
        borrowed=True,
    )
    graphs = [graph for graph, _ in graphs_of(text)]

    assert [(graph.id, graph.borrowed) for graph in graphs] == [("a", True), ("a_constants", True)]
    assert all(graph.emitted == (emitted,) for graph in graphs)


def test_an_artifact_without_content_is_no_damage(tmp_path: Path) -> None:
    """Torch logs the mapping of a cached graph also where the cache has none."""
    nothing = {"artifact": {"name": "inductor_provenance_tracking_node_mappings"}}
    program = load_compiled(Log().code(code()).event(dict(nothing)).put(tmp_path / "log"))

    assert notices(program) == []


def test_artifacts_of_another_shape_are_named(tmp_path: Path) -> None:
    """JSON that is no mapping is a gap; the code is used without it."""
    log = Log().code(code()).artifact("inductor_provenance_tracking_node_mappings", [1, 2])
    program = load_compiled(log.put(tmp_path / "log"))

    assert notices(program) == [("log-artifact-unreadable", True)]
    assert len(program.graphs) == 1


def test_a_log_is_known_by_its_lines(tmp_path: Path) -> None:
    """The name says nothing; text that quotes code or JSON is no such log."""
    other = tmp_path / "other.log"
    other.write_text('{"inductor_output_code": {}}\nV1121 nothing\n', encoding="utf-8")

    assert is_compiled(training().put(tmp_path / "trace.json"))
    assert is_compiled(Log().event({}).put(tmp_path / "short"))
    assert not is_compiled(other)


PRODUCTS = """class GraphModule(torch.nn.Module):
    def forward(self, x, w):
        mm: "f32[4]" = torch.ops.aten.mm.default(x, w)
        mm_1: "f32[4]" = torch.ops.aten.mm.default(mm, w)
        return (mm_1,)
"""
IN_A_ROW = "\n".join(
    f"# Topologically Sorted Source Nodes: [{name}], Original ATen: [aten.mm]\n"
    f"extern_kernels.mm(a, b, out={out})"
    for name, out in (("mm", "c"), ("mm_1", "d"))
)


def products(folder: Path, dynamo: str, comments: str = IN_A_ROW) -> list[tuple[str, ...] | None]:
    """The nodes of two products in a row, by their comments and the texts of the graphs."""
    log = Log().event({"dynamo_output_graph": {"sizes": {}}}, dynamo) if dynamo else Log()
    log.artifact("inductor_post_grad_graph", PRODUCTS)
    log.code(wrapper(body=comments, aot="0_backward"))
    return [call.nodes for call in load_compiled(log.put(folder / "log")).graphs[0].calls]


def test_a_node_that_a_comment_names_is_not_the_one_that_takes_it(tmp_path: Path) -> None:
    """`[mm]` is the graph's own node `mm`, not `mm_1` = mm(mm, …)."""
    assert products(tmp_path / "with", graph("linear")) == [("mm",), ("mm_1",)]
    assert products(tmp_path / "without", "") == [("mm",), ("mm_1",)]


def test_a_name_of_dynamos_graph_is_no_node_of_another_graph(tmp_path: Path) -> None:
    """Dynamo's second node may be called as the first one of the graph that Inductor compiled."""
    renamed = IN_A_ROW.replace("[mm]", "[linear]").replace("[mm_1]", "[mm]")

    assert products(tmp_path / "with", graph("linear", "mm"), renamed) == [None, None]
    assert products(tmp_path / "without", "", renamed)[1] is None


def test_the_settings_of_the_compiler_are_read(tmp_path: Path) -> None:
    """Names and plain values of what the cache's key is made from; no path, no object, no text.

    Lists and several words are plain as well, and so is nothing at all; with them come what a
    product may round, and whether CUDA graphs are asked for.
    """
    components = [
        "[a1] gm: <lambda>()",
        "[b2] inductor_config[max_fusion_size]: 64",
        "[c3] inductor_config[triton.cudagraphs]: False",
        "[d4] inductor_config_comms[sink_iterative_peak_memory_budget]: 0.2",
        "[e5] inductor_config[aot_inductor.output_path]: /home/me/out",
        "[f6] inductor_config[post_grad_fusion_options]: {'a': 1}",
        "[g7] post_grad_custom_pre_pass: None",
        "[h8] inductor_config[max_autotune_gemm_backends]: ATEN,TRITON,CPP",
        "[i9] inductor_config[disabled_passes]: ",
        "[j1] inductor_config[pre_grad_pass]: <function f at 0x7f3a>",
        "[k2] cuda_matmul_settings: ('none', True, True)",
        "[l3] fx_kwargs[cudagraphs]: BoxedBool(value=False)",
        "[m4] fx_kwargs[static_input_idxs]: [1, 2]",
    ]
    settings = (
        ("max_fusion_size", "64"),
        ("triton.cudagraphs", "False"),
        ("sink_iterative_peak_memory_budget", "0.2"),
        ("post_grad_fusion_options", "{'a': 1}"),
        ("max_autotune_gemm_backends", "ATEN,TRITON,CPP"),
        ("disabled_passes", "''"),
        ("cuda_matmul_settings", "('none', True, True)"),
        ("cudagraphs", "False"),
    )
    for event, expected in (
        ({"key": "fkey", "components": components}, settings),
        ({"key": "fkey"}, ()),
        ({"key": "fkey", "components": {"another": "shape"}}, ()),
        ({"key": "fkey", "components": [1, 2]}, ()),
    ):
        log = Log().code(code(), "/gone/cab.py").artifact("fx_graph_cache_miss", event)
        (graph_,) = load_compiled(log.put(tmp_path / "log")).graphs
        assert [emitted.settings for emitted in graph_.emitted] == [expected]
        assert graph_.cache_key == "fkey"


RUNNABLE = """
import os
os.environ['TORCHINDUCTOR_MAX_AUTOTUNE'] = '1'
os.environ['TORCH_TRACE'] = '/home/me/logs'
os.environ['MY_TORCH_TOKEN'] = 'hf_secret'
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
import torch._inductor.config
torch._inductor.config.max_fusion_size = 2
torch._inductor.config.post_grad_custom_post_pass = <object at 0x7f>
torch._dynamo.config.recompile_limit = 64
# torch version: 2.11.0+cu130
# torch cuda version: 13.0
class Repro(torch.nn.Module):
    # torch version: 1.0
    torch._inductor.config.max_fusion_size = 3
"""


def test_what_a_graph_was_compiled_with_stands_in_its_program(tmp_path: Path) -> None:
    """Settings that are not the default, known variables and versions; nothing else of it.

    Other variables may be secrets, and what follows in the graph is none of it. A graph without
    the text states nothing.
    """
    log = Log().artifact("fx_graph_runnable", RUNNABLE).code(code(), "/gone/cab.py")
    log.at(1, 0, 0).event({"artifact": {"name": "fx_graph_runnable"}}).code(
        code(op="abs"), "/gone/cac.py"
    )
    path = log.put(tmp_path / "log")
    stated = StatedBeside(
        settings=(("max_fusion_size", "2"), ("dynamo.recompile_limit", "64")),
        environment=(
            ("TORCHINDUCTOR_MAX_AUTOTUNE", "1"),
            ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),
        ),
        versions=(("torch", "2.11.0+cu130"), ("cuda", "13.0")),
    )

    assert {graph_.beside for graph_ in load_compiled(path).graphs} == {(stated,), ()}
    assert read_versions(path) == {"torch": "2.11.0+cu130", "cuda": "13.0"}


def test_a_packed_log_is_the_log(tmp_path: Path) -> None:
    """A log that was packed with gzip gives the same program; beside its copy it counts once.

    One that was cut off gives what it holds up to there, and says so.
    """
    log = Log().code(code(), "/gone/cab.py").artifact("fx_graph_cache_miss", {"key": "fkey"})
    plain = log.put(tmp_path / "plain" / "t.log")
    packed = tmp_path / "packed" / "t.log.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    both = tmp_path / "both"
    both.mkdir()
    for path in (plain, packed):
        shutil.copy(path, both)
    (once,) = load_compiled(plain).graphs
    (same,) = load_compiled(packed).graphs
    cut = tmp_path / "cut.log.gz"
    text = log.text * 40
    cut.write_bytes(gzip.compress(text.encode(), compresslevel=0)[: len(text) // 2])

    assert is_compiled(packed)
    assert replace(same, code=None, emitted=()) == replace(once, code=None, emitted=())
    assert same.cache_key == "fkey"
    assert len(load_compiled(both).graphs) == len(load_compiled(both).compilations) == 1
    assert "log-lines-unread" in {notice.slug for notice in load_compiled(cut).notices}


def test_a_packed_log_may_not_become_endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text that unpacks to hundreds of times its size is refused once it goes beyond the limit."""
    monkeypatch.setenv("KERNELMAP_LIMITS", "0.001")
    log = Log().code(code(), "/gone/cab.py")
    path = tmp_path / "t.log.gz"
    path.write_bytes(gzip.compress((log.text + "\t" + " " * 10_000_000).encode()))
    with pytest.raises(KernelmapError) as caught:
        load_compiled(path)
    assert caught.value.slug == "input-too-large"
