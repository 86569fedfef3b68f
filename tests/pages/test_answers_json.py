"""JSON of `inspect`, `which` and `explain`: all that is known, in types that JSON has."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.matching.explaining.explain import Explanation
from kernelmap.model import CompiledProgram, KernelDef, Specialization, WrapperCall
from kernelmap.pages import documents
from kernelmap.tables.json import indent_json
from tiny import graph

KERNEL = "triton_poi_fused_add_0"

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
LITERALS = st.recursive(
    SCALARS | st.complex_numbers() | st.sets(st.integers() | st.text()),
    lambda it: (
        st.lists(it, max_size=3)
        | st.tuples(it)
        | st.dictionaries(st.text() | st.tuples(st.integers()) | st.integers(), it, max_size=3)
    ),
    max_leaves=8,
)


def stated() -> tuple[KernelDef, WrapperCall]:
    made = graph("0_forward", KERNEL)
    kernel = replace(
        made.kernels[0],
        heuristic="pointwise",
        signature=(("in_ptr0", "*fp32"), ("xnumel", "i32")),
        specialization=Specialization(divisible_by_16=(0, 1)),
        size_hints=(4096,),
        node_map=(("add", ("add_1",)),),
        meta={"num_warps": 4, "constants": {(1,): 1}, "autotune_hints": {"b", "a"}},
    )
    return kernel, replace(made.calls[0], stream=1, numels=(4000,))


def shown() -> dict[str, list[dict[str, object]]]:
    kernel, call = stated()
    given_graph = replace(graph("0_forward", KERNEL), kernels=(kernel,), calls=(call,))
    document = json.loads(documents.of_program(CompiledProgram(graphs=(given_graph,))))
    stated_graph: dict[str, list[dict[str, object]]] = document["graphs"][0]
    return stated_graph


def test_inspect_shows_what_a_definition_states() -> None:
    """Signature, specialization, sizes and metadata of a kernel stand in the JSON."""
    (kernel,) = shown()["kernels"]

    assert kernel["heuristic"] == "pointwise"
    assert kernel["signature"] == [["in_ptr0", "*fp32"], ["xnumel", "i32"]]
    assert kernel["specialization"] == {
        "divisible_by_16": [0, 1],
        "equal_to_1": None,
        "divisible_by_8": None,
    }
    assert kernel["size_hints"] == [4096]
    assert kernel["node_map"] == [["add", ["add_1"]]]
    assert kernel["meta"] == {
        "num_warps": 4,
        "constants": {"(1,)": 1},
        "autotune_hints": ["a", "b"],
    }


def test_inspect_shows_what_a_call_states() -> None:
    """The sizes of a launch and the device whose stream it takes stand in the JSON."""
    (call,) = shown()["calls"]

    assert (call["call"], call["numels"], call["device"]) == ("0_forward/0", [4000], 1)


@given(st.dictionaries(st.text(), LITERALS, max_size=4))
def test_any_literal_of_the_code_can_be_shown(meta: dict[str, object]) -> None:
    """Whatever Python's literals give, the document is JSON."""
    made = graph("0_forward", KERNEL)
    kernels = tuple(replace(kernel, meta=meta) for kernel in made.kernels)
    text = documents.of_program(CompiledProgram(graphs=(replace(made, kernels=kernels),)))

    assert len(json.loads(text)["graphs"][0]["kernels"][0]["meta"]) == len(meta)


@given(st.text(st.characters(categories=["L", "Cs", "P"])))
def test_odd_bytes_of_a_path_become_escapes(text: str) -> None:
    """What UTF-8 cannot hold is escaped, all else is as it was."""
    explanation = Explanation(title="t", verdict="v", evidence=(text,))
    (again,) = json.loads(documents.of_explanation(explanation))["evidence"]

    assert again == text.encode("utf-8", "backslashreplace").decode()
    assert json.loads(indent_json({text: [text]})) == {again: [again]}
