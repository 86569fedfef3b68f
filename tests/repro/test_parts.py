"""The parts of a script: nodes, the buffers that hold them, configurations, ranges of indices."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from kernelmap.errors import UsageError
from kernelmap.repro.answer import ReproSource, make_script, read_source
from kernelmap.repro.configurations import plan_launch
from kernelmap.repro.graph_nodes import names_between, read_nodes
from kernelmap.repro.kernel_text import TritonKernel, index_limits, is_address, is_loaded
from kernelmap.repro.recorded import NOT_RECORDED, RecordedCall

GRAPH = """class GraphModule(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s7)", arg1_1: "f32[s7, 8][8, 1]cuda:0"):
        mul: "f32[s7, 8][8, 1]cuda:0" = torch.ops.aten.mul.Tensor(arg1_1, 2)
        view: "f32[8*s7][1]cuda:0" = torch.ops.aten.reshape.default(mul, [arg0_1, 8]);  mul = None
        add: "f32[8*s7][1]cuda:0" = torch.ops.aten.add.Tensor(view, 1);  view = None
        return (add,)
"""


def test_nodes_have_sizes_in_numbers() -> None:
    """A symbol's number goes into shapes, and into the node that is that size."""
    graph = read_nodes(GRAPH, {"s7": 4})
    assert graph.parameters == ("arg0_1", "arg1_1")
    assert graph.returned == ("add",)
    assert graph.nodes["view"].shape == (32,)
    assert graph.nodes["arg0_1"].number == 4
    assert graph.below_views("view") == "mul"
    assert list(names_between(graph, {"add"}, {"mul"})) == ["view", "add"]


def test_a_size_that_is_not_known_has_no_number() -> None:
    """Neither has a tensor of that size a shape."""
    graph = read_nodes(GRAPH, {})
    assert graph.nodes["arg0_1"].number is None
    assert graph.nodes["mul"].shape is None


def kernel(*blocks: str, grid: str = "Grid1D", body: str = "") -> TritonKernel:
    return TritonKernel(
        name="k",
        text="",
        imports=(),
        parameters=("in_ptr0", "out_ptr0", "xnumel"),
        blocks=blocks,
        constants={},
        signature={},
        meta={"": {}, "inductor_meta": {"grid_type": grid}},
        body=body,
    )


def test_grid_and_threads_say_the_configuration() -> None:
    """131,072 elements in 128 blocks of 128 threads: 1,024 elements and four warps."""
    recorded = RecordedCall(grid=(128, 1, 1), block=(128, 1, 1))
    plan = plan_launch(kernel("XBLOCK"), {"xnumel": 131072}, (), recorded, "")
    assert [one.text for one in plan.configs] == [
        '{"XBLOCK": 1024, "num_warps": 4, "num_stages": 1}'
    ]
    assert plan.grid == '(triton.cdiv(131072, config["XBLOCK"]), 1, 1)'


def test_what_the_profile_states_goes_first() -> None:
    """Blocks, warps and stages of a recording with shapes."""
    recorded = RecordedCall(grid=(1, 1, 1), block=(32, 1, 1), blocks={"XBLOCK": 64}, warps=2)
    plan = plan_launch(kernel("XBLOCK"), {"xnumel": 64}, (), recorded, "")
    assert plan.says == "as recorded"
    assert [(one.blocks, one.warps) for one in plan.configs] == [((("XBLOCK", 64),), 2)]


def test_a_reduction_leaves_several() -> None:
    """The grid says nothing of the block along the rows: the script measures all that fit."""
    recorded = RecordedCall(grid=(512, 1, 1), block=(256, 1, 1))
    body = "    r0_numel = 4096\n"
    plan = plan_launch(kernel("XBLOCK", "R0_BLOCK", body=body), {"xnumel": 512}, (), recorded, "")
    assert len(plan.configs) > 1
    assert {dict(one.blocks)["XBLOCK"] for one in plan.configs} == {1}
    assert "the fastest counts" in plan.says
    # First the one in which a warp has 128 elements, as Inductor chooses warps.
    assert dict(plan.configs[0].blocks)["R0_BLOCK"] == 1024


def test_without_a_profile_it_says_so() -> None:
    """Configurations are then what Inductor may choose, and are said to be that."""
    plan = plan_launch(kernel("XBLOCK"), {"xnumel": 4096}, (), NOT_RECORDED, "")
    assert plan.says.startswith("not recorded")
    assert len(plan.configs) > 1


CPP = """
extern "C"  void  kernel(const int64_t* in_ptr0,
                       const float* in_ptr1,
                       float* in_out_ptr0)
{
    auto out_ptr1 = in_out_ptr0;
    auto tmp0 = in_ptr0[static_cast<int64_t>(x0)];
    auto tmp1 = 50L;
    auto tmp4 = tmp0 < 0 ? tmp0 + tmp1 : tmp0;
    AOTI_TORCH_CHECK((0 <= tmp4) & (tmp4 < 50L), "index out of bounds: 0 <= tmp4 < 50L");
    auto tmp6 = in_ptr1[static_cast<int64_t>(x1 + 64L*tmp4)];
    out_ptr1[static_cast<int64_t>(x0)] = tmp6;
    auto tmp7 = out_ptr1[static_cast<int64_t>(x0)];
}
"""


def test_a_check_of_a_kernel_says_the_range_of_its_indices() -> None:
    """In C++ as in Triton, through the correction of negative indices."""
    assert index_limits(CPP) == {"in_ptr0": 50}
    assert is_address("in_ptr0", CPP)
    assert not is_address("in_ptr1", CPP)


def test_what_is_written_first_was_not_read() -> None:
    """`in_out_ptr0` names memory that is used again: what was in it may not matter."""
    assert is_loaded("in_ptr1", CPP)
    assert not is_loaded("in_out_ptr0", CPP)


@pytest.fixture(scope="module")
def mlp(samples: Path) -> ReproSource:
    return read_source(samples / "cuda_memory_mlp")


def test_halves_of_a_sum_are_checked_by_themselves(mlp: ReproSource) -> None:
    """Partial sums are added up before they are compared; the second half begins with them."""
    first = make_script(mlp, ("0_backward/10",))
    assert 'compare("buf13", inputs["buf13"].squeeze().sum(1), want["buf13"]' in first.text
    second = make_script(mlp, ("0_backward/11",))
    assert "sum_5 = buf13.squeeze().sum(1)" in second.text
    assert not first.unchecked
    assert not second.unchecked


def test_random_numbers_are_no_check(mlp: ReproSource) -> None:
    """A kernel that draws some gives others than eager PyTorch."""
    ((_, reason),) = make_script(mlp, ("0_forward/5",)).unchecked
    assert "draws random numbers" in reason


def test_what_a_kernel_reads_has_to_be_known(samples: Path) -> None:
    """A check that begins elsewhere would call a right kernel wrong: `buf15` is half a sum."""
    source = read_source(samples / "cuda_conv_train")
    ((_, reason),) = make_script(source, ("0_backward/9",)).unchecked
    assert "reads `buf15`" in reason


def test_sizes_are_the_users_to_say(samples: Path) -> None:
    """`--size` goes before the sizes of the profile and of the example."""
    source = read_source(samples / "cpu_dynamic_recompile")
    plain = make_script(source, ("1_forward/0",)).text
    other = make_script(source, ("1_forward/0",), sizes={"s27": 48}).text
    assert plain != other
    assert ", 48, 256)" in other


def test_neighbours_hand_on_what_an_operator_gives_back(samples: Path) -> None:
    """Attention returns new memory: the script puts it where the second call reads."""
    source = read_source(samples / "cuda_llama_train")
    text = make_script(source, ("0_forward/4", "0_forward/5")).text
    assert 'inputs["buf7"].copy_(got[0])' in text


def test_calls_that_share_nothing_make_no_script(samples: Path) -> None:
    """The error says so: two scripts would show as much."""
    source = read_source(samples / "cuda_llama_train")
    with pytest.raises(UsageError, match="reads nothing that 0_forward/9 writes"):
        make_script(source, ("0_forward/9", "0_forward/0"))


def test_two_kernels_of_one_name_stay_two(samples: Path) -> None:
    """Without unique names all kernels are `triton_`."""
    source = read_source(samples / "cuda_names_not_unique")
    first, second = ("0_backward/0", "0_backward/1")
    text = make_script(source, (first, second)).text
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in functions]
    assert len(names) == len(set(names))
    assert [name for name in names if name.startswith("triton")] == ["triton_", "triton__2"]


def test_what_is_added_to_has_to_be_known() -> None:
    """An atomic addition reads what is there: zeros, as a node may say, or anything."""
    assert is_loaded(
        "out_ptr0", "def k(out_ptr0):\n    tl.atomic_add(out_ptr0 + (x0), tmp1, xmask)"
    )


@pytest.mark.corpus
def test_a_part_of_a_buffer_is_not_all_of_it(corpus: Path) -> None:
    """A graph that returns half of a buffer says nothing of the whole: no check begins there.

    Nor is a permutation checked that orders whole numbers: of equal ones any order is right.
    """
    source = read_source(corpus / "gpu_marked" / "mixtral_moe")
    halves = make_script(source, ("0_forward/23",))
    assert "reshape((512, 1024))" not in halves.text
    ((_, reason),) = make_script(source, ("0_forward/18",)).unchecked
    assert "orders whole numbers" in reason


def test_a_transposed_view_is_compared_as_memory(samples: Path) -> None:
    """The node is (768, 256), and its buffer the same memory as (256, 768)."""
    source = read_source(samples / "cuda_language_train")
    text = make_script(source, ("0_forward/1",)).text
    assert 'inputs["buf3"].as_strided((768, 256), (256, 1))' in text
