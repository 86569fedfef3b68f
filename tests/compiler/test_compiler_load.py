"""Files and folders → one program: what is found, in which order, under which ids."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from compiler.generated import MAPPING, triton, wrapper
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.compiler.facts import CodeFacts, CodeText, without_copies
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.errors import KernelmapError
from kernelmap.model import CompiledProgram

ONE_KERNEL = """import triton
@triton_heuristics.pointwise(size_hints={'x': 64}, filename=__file__)
@triton.jit
def triton_poi_fused_add_0(in_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass

def call(args):
    with torch.cuda._DeviceGuard(0):
        triton_poi_fused_add_0.run(*args, 64, stream=get_raw_stream(0))

def benchmark_all_configs(args):
    buf = empty_strided_cuda((64, ), (1, ), torch.float32)
"""


def code(op: str, aot: str | None = "0_forward") -> str:
    return wrapper(triton(f"triton_poi_fused_{op}_0"), body=f"aten.{op}(a)", aot=aot)


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def ids(program: CompiledProgram) -> list[str]:
    return [graph.id for graph in program.graphs]


def test_a_folder_gives_its_graphs_and_nothing_else(tmp_path: Path) -> None:
    """Per-kernel files of the cache, logs that quote code, and data are passed over in silence."""
    put(tmp_path / "cache/ab/cab.py", ONE_KERNEL)
    put(tmp_path / "log.txt", "V1121 07:06:31 graph.py] {}\n\t" + code("neg").replace("\n", "\n\t"))
    put(tmp_path / "trace.json", '{"traceEvents": []}')
    put(tmp_path / "run/model__0_forward_1.0/output_code.py", code("neg"))
    put(tmp_path / "run/model__0_backward_2.1/output_code.py", code("abs", "0_backward"))
    program = load_compiled(tmp_path)

    assert ids(program) == ["0_forward", "0_backward"]
    assert [graph.kind for graph in program.graphs] == ["forward", "backward"]
    assert program.notices == ()


def test_copies_count_once_and_the_mapped_one_stays(tmp_path: Path) -> None:
    """The cache's file and its debug copy are one graph: the one with a node mapping."""
    put(tmp_path / "a/cache.py", code("neg"))
    kept = put(tmp_path / "z/output_code.py", code("neg") + "\n")
    put(tmp_path / "z" / MAPPING, "{}")
    program = load_compiled(tmp_path, tmp_path / "a", kept)

    assert [graph.code for graph in program.graphs] == [str(kept)]


def test_what_only_one_copy_knows_of_a_node_stays() -> None:
    """A folder's copy comes first, and the modules that only the log knows are added to it."""
    logged = {"a": TextNode(target="aten.a", shape="f32[1]", line=None, module="fc", uses=("b",))}
    other = {"a": TextNode(target="aten.a", shape=None, line=None), "b": logged["a"]}
    texts = [
        CodeText(
            text="code",
            code=f"{at}.py",
            place=("x",),
            strength=at,
            facts=CodeFacts(post_grad=nodes),
        )
        for at, nodes in enumerate((other, logged))
    ]
    (one,) = without_copies(texts)

    assert one.code == "0.py"
    assert one.facts.post_grad == {**logged, "b": logged["a"]}


def test_the_order_of_paths_changes_nothing(tmp_path: Path) -> None:
    """Any order of the same paths gives the same program, forward before backward."""
    paths = [
        put(tmp_path / "a.py", code("neg", "0_backward")),
        put(tmp_path / "b.py", code("abs")),
        put(tmp_path / "c.py", code("sin", "10_inference")),
        put(tmp_path / "d.py", code("cos", "2_inference")),
    ]
    programs = [load_compiled(*order) for order in permutations(paths)]

    assert ids(programs[0]) == ["0_forward", "0_backward", "2_inference", "10_inference"]
    assert all(program == programs[0] for program in programs)


def test_ranks_are_told_apart_by_what_differs_in_their_paths(tmp_path: Path) -> None:
    """Graphs of one id get the shortest path part that differs; other ids stay."""
    for rank, op in enumerate(("neg", "abs")):
        folder = tmp_path / f"rank{rank}" / f"run_2026_11_21-pid_{rank}" / "model__0_forward_1.0"
        put(folder / "output_code.py", code(op))
    put(tmp_path / "rank0/only/output_code.py", code("sin", "1_inference"))

    assert ids(load_compiled(tmp_path)) == ["1_inference", "rank0/0_forward", "rank1/0_forward"]


def test_ids_do_not_look_like_compile_ids(tmp_path: Path) -> None:
    """Folders that are numbers get a word: `1/0_forward` would read as compile id 1/0."""
    for folder in ("0", "1"):
        put(tmp_path / folder / "output_code.py", code("sin" if folder == "0" else "cos"))

    assert ids(load_compiled(tmp_path)) == ["program0/0_forward", "program1/0_forward"]


def test_paths_of_different_depth_stay_unique(tmp_path: Path) -> None:
    """Where no single part tells all paths apart, the parts that differ are joined."""
    put(tmp_path / "x/y/output_code.py", code("neg"))
    put(tmp_path / "x/z/output_code.py", code("abs"))
    put(tmp_path / "w/y/output_code.py", code("sin"))
    names = ids(load_compiled(tmp_path))

    assert names == ["w/y/0_forward", "x/y/0_forward", "x/z/0_forward"]


def test_without_an_aot_id_folder_or_file_names_the_graph(tmp_path: Path) -> None:
    """Older code states no id: the debug folder does, else the file's own name serves."""
    put(tmp_path / "model__3_inference_4.2/output_code.py", code("neg", None))
    put(tmp_path / "cabc.py", code("abs", None))
    kinds = {graph.id: (graph.aot_id, graph.kind) for graph in load_compiled(tmp_path).graphs}

    assert kinds == {"3_inference": ("3_inference", "inference"), "cabc": (None, None)}


def test_forward_and_backward_may_share_names(tmp_path: Path) -> None:
    """Each graph keeps its own kernels, whatever other graphs call theirs."""
    put(tmp_path / "f.py", wrapper(triton("triton_poi_fused_0"), body="pass"))
    put(
        tmp_path / "b.py",
        wrapper(triton("triton_poi_fused_0"), body="aten.neg(a)", aot="0_backward"),
    )
    forward, backward = load_compiled(tmp_path).graphs

    assert [kernel.name for kernel in forward.kernels] == ["triton_poi_fused_0"]
    assert [kernel.name for kernel in backward.kernels] == ["triton_poi_fused_0"]


def test_sorting_the_compile_side_from_the_rest(tmp_path: Path) -> None:
    """A file is known by its content, a folder by what it holds; the name says nothing."""
    graph = put(tmp_path / "code/some.txt", code("neg"))
    trace = put(tmp_path / "traces/output_code.py", '{"traceEvents": []}')
    model = put(tmp_path / "traces/model.py", "class A:\n    def call(self, args):\n        pass\n")
    body = put(tmp_path / "body.py", "def call(args):\n    extern_kernels.mm(a, b, out=c)\n")

    assert is_compiled(graph)
    assert is_compiled(tmp_path / "code")
    assert is_compiled(body)
    assert not is_compiled(trace)
    assert not is_compiled(model)
    assert not is_compiled(tmp_path / "traces")
    assert not is_compiled(tmp_path / "missing")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("missing", "unreadable-path"),
        ("empty", "folder-without-code"),
        ("model.py", "unknown-code"),
        ("nothing.py", "unknown-code"),
    ],
)
def test_what_is_no_code_is_one_clear_error(tmp_path: Path, name: str, slug: str) -> None:
    """A path that cannot serve names itself and the next step."""
    (tmp_path / "empty").mkdir()
    put(tmp_path / "model.py", "import torch\n")
    put(tmp_path / "nothing.py", "")
    with pytest.raises(KernelmapError) as caught:
        load_compiled(tmp_path / name)

    assert caught.value.slug == slug
    assert str(tmp_path / name) in caught.value.message
    assert caught.value.hint


def test_no_paths_make_an_empty_program() -> None:
    """A trace alone works: no code is a program without graphs."""
    assert load_compiled() == CompiledProgram(graphs=())
