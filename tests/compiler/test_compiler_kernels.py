"""Kernel definitions: kinds, comment blocks, signatures and specializations."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.generated import graph, program, triton, wrapper
from kernelmap.model import Backend, FxNode, KernelDef, SourceLine, Specialization, Stage

BLOCK = """
# kernel path: /cache/ab/cabc.py
# Topologically Sorted Source Nodes: [linear, , gelu], Original ATen: [aten.view, aten.gelu]
# Source node to ATen node mapping:
#    => lost
#   gelu => mul, erf
# Graph fragment:
#   %addmm : Tensor "f32[8, 4][4, 1]cuda:0" = PlaceHolder[target=addmm]
#   %erf : Tensor "f32[8, 4][4, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%mul,), kwargs = {})
#   %pair : [num_users=2] = call_function[target=operator.getitem](args = (%x, [0]), kwargs = {})
#   return %erf"""  # noqa: E501 -- a fragment is one line per node, however long


def kernel_of(folder: Path, *definitions: str) -> KernelDef:
    return graph(folder, wrapper(*definitions, body="pass")).kernels[-1]


def test_the_block_above_a_definition_is_read(tmp_path: Path) -> None:
    """Path, nodes, node map and fragment are read; nameless nodes and placeholders are not."""
    text = wrapper(triton("triton_poi_fused_gelu_0", comment=BLOCK), body="pass")
    (kernel,) = graph(tmp_path, text).kernels
    lines = text.split("\n")

    assert (kernel.path, kernel.hash) == ("/cache/ab/cabc.py", "cabc")
    assert kernel.origins is not None
    assert kernel.origins.nodes == ("linear", "gelu")
    assert kernel.node_map == (("gelu", ("mul", "erf")),)
    assert kernel.fragment == (
        FxNode(name="erf", stage=Stage.POST_GRAD, target="aten.erf.default"),
        FxNode(name="pair", stage=Stage.POST_GRAD, target="operator.getitem"),
    )
    assert kernel.first_line is not None
    assert kernel.last_line is not None
    assert lines[kernel.first_line - 1].startswith("# kernel path")
    assert lines[kernel.last_line - 1] == "''', device_str='cuda')"


@pytest.mark.parametrize(
    ("name", "heuristic", "meta", "backend", "category"),
    [
        ("triton_poi_fused_add_0", "pointwise(", "{}", Backend.TRITON, "poi"),
        ("triton_red_fused_sum_0", "triton_heuristics.reduction(", "{}", Backend.TRITON, "red"),
        ("triton_per_fused_sum_0", "persistent_reduction(", "{}", Backend.TRITON, "per"),
        ("triton_spl_fused_cumsum_0", "split_scan(", "{}", Backend.TRITON, "spl"),
        ("triton_tem_fused_mm_0", "template(num_stages=2, ", "{}", Backend.TEMPLATE, "tem"),
        ("triton_for_fused_0", "foreach(num_warps=8, ", "{}", Backend.COMBO, "for"),
        (
            "triton_poi_fused_0",
            "pointwise(",
            "{'grid_type': 'SequentialComboKernelGrid'}",
            Backend.COMBO,
            "poi",
        ),
        ("triton__0", "persistent_reduction(", "{}", Backend.TRITON, "per"),
        ("my_kernel_0", "user_autotune(", "{}", Backend.USER, None),
        ("triton_poi_mine_0", "user_autotune(custom_kernel=True, ", "{}", Backend.USER, None),
    ],
)
def test_kinds_of_triton_kernels(
    tmp_path: Path, name: str, heuristic: str, meta: str, backend: Backend, category: str | None
) -> None:
    """The kind is in the name, else in the heuristic; a user's kernel has none."""
    kernel = kernel_of(tmp_path, triton(name, heuristic=heuristic, inductor_meta=meta))

    assert (kernel.backend, kernel.category) == (backend, category)
    assert kernel.heuristic == heuristic.partition("(")[0].rpartition(".")[2]


def test_what_a_template_states_outright_is_kept(tmp_path: Path) -> None:
    """Warps and stages of a template stand in its decorator, beside Inductor's metadata."""
    heuristic = "template(num_stages=2, num_warps=8, "
    source = triton("triton_tem_fused_mm_0", heuristic=heuristic, inductor_meta="{'num_load': 1}")
    meta = kernel_of(tmp_path, source).meta

    assert (meta["num_stages"], meta["num_warps"], meta["num_load"]) == (2, 8, 1)


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        (
            (
                "[instance_descriptor(divisible_by_16=(0, 1), equal_to_1=(), "
                "ids_of_folded_args=(), divisible_by_8=(2,))]"
            ),
            Specialization(divisible_by_16=(0, 1), equal_to_1=(), divisible_by_8=(2,)),
        ),
        (
            "[instance_descriptor(divisible_by_16=(0, 1), equal_to_1=(2,))]",
            Specialization(divisible_by_16=(0, 1), equal_to_1=(2,)),
        ),
        (
            "[AttrsDescriptor((0,), (1, 2))]",
            Specialization(divisible_by_16=(0,), equal_to_1=(1, 2)),
        ),
        (
            (
                "[AttrsDescriptor.from_dict({'arg_properties': {'tt.divisibility': (0, 2), "
                "'tt.equal_to': ()}, 'cls': 'AttrsDescriptor'})]"
            ),
            Specialization(divisible_by_16=(0, 2), equal_to_1=()),
        ),
        (
            "[{(0,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]",
            Specialization(divisible_by_16=(0, 2)),
        ),
        ("[{}]", Specialization(divisible_by_16=())),
        ("[made_up(3)]", Specialization()),
        ("[]", None),
    ],
)
def test_specializations_of_every_generation(
    tmp_path: Path, configs: str, expected: Specialization | None
) -> None:
    """Each spelling of `configs` states argument positions; what it does not state is None."""
    kernel = kernel_of(tmp_path, triton("triton_poi_fused_add_0", configs=configs))

    assert kernel.specialization == expected


@pytest.mark.parametrize("signature", ["{0: '*fp32', 1: '*fp32', 2: 'i32'}", None])
def test_counted_signatures_get_the_names_of_the_arguments(
    tmp_path: Path, signature: str | None
) -> None:
    """Older code counts the arguments; the function below it names them."""
    named = "{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}"
    kernel = kernel_of(tmp_path, triton("triton_poi_fused_add_0", signature=signature or named))

    assert kernel.signature == (("in_ptr0", "*fp32"), ("out_ptr0", "*fp32"), ("xnumel", "i32"))


def test_size_hints_and_literal_metadata(tmp_path: Path) -> None:
    """Hints come as list or dict; metadata keeps literals (None too) and drops the rest."""
    meta = "{'kernel_name': 'k', 'no_x_dim': None, 'hints': set(), 'made': Something(1)}"
    heuristic = "reduction(size_hints=[16, 32], "
    kernel = kernel_of(
        tmp_path, triton("triton_red_fused_sum_0", heuristic=heuristic, inductor_meta=meta)
    )

    assert kernel.size_hints == (16, 32)
    assert kernel.meta == {"constants": {}, "kernel_name": "k", "no_x_dim": None, "hints": set()}
    assert kernel_of(tmp_path, triton("triton_poi_fused_add_0")).size_hints == (64,)


def test_a_users_kernel_keeps_its_place_and_function(tmp_path: Path) -> None:
    """`# Original path:` names the source line; the call's target is the user's function."""
    definition = triton("my_add", comment="# Original path: /home/me/model.py:63").replace(
        "my_add = ", "my_add_0 = "
    )
    compiled = graph(tmp_path, wrapper(definition, body="my_add_0.run(a, b, 8, 1, 1, stream=s0)"))
    (kernel,) = compiled.kernels
    (call,) = compiled.calls

    assert (kernel.name, kernel.function) == ("my_add_0", "my_add")
    assert (kernel.backend, kernel.category) == (Backend.USER, None)
    assert kernel.source == SourceLine(file="/home/me/model.py", line=63)
    assert (call.backend, call.target, call.function) == (Backend.USER, "my_add", "my_add")


def test_a_multi_kernel_lists_its_members(tmp_path: Path) -> None:
    """A multi-kernel is one call; which member ran is not known from the code."""
    definitions = (
        triton("triton_red_fused_softmax_0"),
        triton("triton_per_fused_softmax_1"),
        """multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [
    triton_red_fused_softmax_0,
    triton_per_fused_softmax_1,
], arg_index={})
""",
    )
    compiled = graph(tmp_path, wrapper(*definitions, body="multi_kernel_0.run(a, b, 8, stream=s0)"))
    (call,) = compiled.calls

    assert compiled.kernels[-1].members == (
        "triton_red_fused_softmax_0",
        "triton_per_fused_softmax_1",
    )
    assert (call.backend, call.category, call.function) == (Backend.MULTI, None, None)
    assert (call.kernel, call.numels) == ("multi_kernel_0", (8,))


def test_cpp_kernels_name_their_symbol(tmp_path: Path) -> None:
    """C++ source gives the exported function, whatever brackets and quotes are in it."""
    definition = """cpp_fused_add_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include <x.h>
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{ auto a = "({["; }
''')
"""
    kernel = kernel_of(tmp_path, definition)

    assert (kernel.backend, kernel.function, kernel.category) == (Backend.CPP, "kernel", None)


def test_unreadable_kernel_source_keeps_the_name(tmp_path: Path) -> None:
    """A kernel with a source that Python refuses lacks metadata, and a notice says so."""
    broken = triton("triton_poi_fused_add_0").replace("tl.load(in_ptr0))", "tl.load(in_ptr0")
    read = program(tmp_path, wrapper(broken, body="pass"))
    (kernel,) = read.graphs[0].kernels

    assert [notice.slug for notice in read.notices] == ["kernel-source-unreadable"]
    assert (kernel.function, kernel.category) == ("triton_poi_fused_add_0", "poi")
    assert (kernel.signature, kernel.specialization) == (None, None)


def test_helper_functions_are_not_the_kernel(tmp_path: Path) -> None:
    """The kernel is the function that the heuristic decorates, wherever its helpers stand."""
    helper = "@triton.jit\ndef _triton_helper_fn_add0(a, b):\n    return a + b\n\n@pointwise("
    text = triton("triton_spl_fused_cumsum_0", heuristic="pointwise(").replace(
        "@pointwise(", helper
    )

    assert kernel_of(tmp_path, text).function == "triton_spl_fused_cumsum_0"
