"""Which ops a call's time belongs to."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.attribution.divide import divide_call, share_out
from kernelmap.model import (
    Backend,
    CompiledGraph,
    FxNode,
    KernelDef,
    Origins,
    Stage,
    WrapperCall,
)
from tiny import call, graph


def origins(*aten: str, ordered: bool = True) -> Origins:
    return Origins(nodes=("n",), aten=aten, ordered=ordered)


def ops(statement: WrapperCall, owner: CompiledGraph | None = None) -> tuple[tuple[str, ...], ...]:
    division = divide_call(owner or graph("g"), statement)
    return division.ops, division.involved_ops


@given(st.integers(0, 10**15), st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_parts_add_up(time_ns: int, weights: list[int]) -> None:
    """The parts of a call add up to it, and each is at most a nanosecond off its weight."""
    shared = share_out(time_ns, weights)
    fair = weights if any(weights) else [1] * len(weights)

    assert sum(shared) == time_ns
    for part, weight in zip(shared, fair, strict=True):
        assert abs(part - Fraction(time_ns * weight, sum(fair))) < 1


def test_a_library_call_belongs_to_its_own_op() -> None:
    """What else its comment lists are the ops of its inputs."""
    addmm = replace(call(0, "aten.addmm"), origins=origins("aten.gelu", "aten.t", "aten.addmm"))

    assert ops(addmm) == (("aten.addmm",), ("aten.addmm",))


def test_a_decomposed_library_call_belongs_to_the_op_it_stands_for() -> None:
    """extern_kernels.mm made from a linear layer's addmm is aten.addmm: the list's last worker."""
    mm = replace(call(0, "aten.mm"), origins=origins("aten.gelu", "aten.addmm", "aten.t"))

    assert ops(mm)[0] == ("aten.addmm",)


def test_a_library_call_without_a_list_belongs_to_its_target() -> None:
    """An empty list names no other op, so the target has the time."""
    randint = replace(call(0, "aten.randint"), origins=origins())

    assert ops(randint)[0] == ("aten.randint",)


def test_a_fused_kernel_is_shared_by_the_ops_that_work() -> None:
    """Views ride along: involved, not charged."""
    fused = replace(call(0, "triton_a"), origins=origins("aten.view", "aten.gelu", "aten.add"))

    assert ops(fused) == (("aten.gelu", "aten.add"), ("aten.view", "aten.gelu", "aten.add"))


def test_an_aliasing_op_alone_is_charged() -> None:
    """The aliasing op is the only one there, so it has the time."""
    copy = replace(call(0, "triton_a"), origins=origins("aten.view", "aten.permute"))

    assert ops(copy)[0] == ("aten.view", "aten.permute")


def test_a_template_belongs_to_its_anchor() -> None:
    """Epilogue ops are involved, not charged."""
    template = replace(
        call(0, "triton_tem_fused_0"),
        backend=Backend.TEMPLATE,
        origins=origins("aten.view", "aten.addmm", "aten.relu"),
    )

    assert ops(template) == (("aten.addmm",), ("aten.view", "aten.addmm", "aten.relu"))


def test_a_user_kernel_belongs_to_itself() -> None:
    """The user wrote the kernel: its function is the op."""
    kernel = KernelDef(
        name="my_add_0", function="my_add", backend=Backend.USER, first_line=1, last_line=2
    )
    owner = replace(graph("g"), kernels=(kernel,))
    statement = replace(
        call(0, "my_add_0"), backend=Backend.USER, kernel="my_add_0", origins=origins()
    )

    assert ops(statement, owner)[0] == ("my_add",)


def test_a_kernel_whose_list_is_empty_has_the_ops_of_its_nodes() -> None:
    """Inductor lists nothing for a fused foreach kernel: its nodes say what it computes."""
    targets = {
        "mul": "aten._foreach_mul.Scalar",
        "item": "aten.view.default",
        "sqrt": "aten._foreach_sqrt.default",
    }
    nodes = tuple(
        FxNode(name=name, stage=Stage.POST_GRAD, target=target) for name, target in targets.items()
    )
    owner = replace(graph("g"), nodes=nodes)
    named = replace(call(0, "triton_for_fused_0"), origins=origins(), nodes=tuple(targets))
    unnamed = replace(named, nodes=None)

    assert ops(named, owner)[0] == ("aten._foreach_mul", "aten._foreach_sqrt")
    assert ops(unnamed, owner)[0] == ("triton_for_fused_0",)


def test_a_library_call_is_charged_to_its_own_nodes() -> None:
    """The nodes of its inputs are involved; where none is its own, those that work share."""
    targets = {"view": "aten.view.default", "gelu": "aten.gelu.default", "mm": "aten.mm.default"}
    nodes = tuple(
        FxNode(name=name, stage=Stage.POST_GRAD, target=target) for name, target in targets.items()
    )
    owner = replace(graph("g"), nodes=nodes)
    mm = replace(call(0, "aten.mm"), origins=origins("aten.gelu", "aten.mm"), nodes=tuple(targets))
    bmm = replace(mm, target="aten.bmm", origins=origins("aten.bmm"))

    assert [part.node for part in divide_call(owner, mm).parts] == ["mm"]
    assert divide_call(owner, mm).involved_nodes == ("view", "gelu", "mm")
    assert [part.node for part in divide_call(owner, bmm).parts] == ["gelu", "mm"]


@pytest.mark.parametrize(
    ("target", "stage"),
    [
        ("view", Stage.PRE_GRAD),
        ("torch.transpose", Stage.PRE_GRAD),
        ("aten.view.default", Stage.POST_GRAD),
    ],
)
def test_a_view_that_a_comment_lists_has_no_time(target: str, stage: Stage) -> None:
    """As a user calls it or as ATen does; where a call is listed with views alone, they have it."""
    view = FxNode(name="view", stage=stage, target=target)
    gelu = FxNode(name="gelu", stage=Stage.PRE_GRAD, target="torch.nn.functional.gelu")
    statement = replace(call(0, "triton_poi_fused_gelu_0"), listed=(view, gelu))

    def timed(statement: WrapperCall) -> set[str | None]:
        return {part.listed for part in divide_call(graph("g"), statement).parts}

    assert timed(statement) == {"gelu"}
    assert timed(replace(statement, listed=(view,))) == {"view"}
