"""What `--try` measures: what the reasons of a call propose, and why nothing for the others."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kernelmap.model.roofline import BESIDE_CALLS, Slug
from kernelmap.repro.answer import ReproSource, make_script, read_source
from kernelmap.repro.configurations import KernelConfig, LaunchPlan, plan_launch
from kernelmap.repro.grids import GridRule
from kernelmap.repro.kernel_text import TritonKernel
from kernelmap.repro.library_tries import LibraryOperand, plan_library_tries
from kernelmap.repro.operands import CallTensor
from kernelmap.repro.recorded import NOT_RECORDED, CallReason, RecordedCall
from kernelmap.repro.script_texts import CHANGE, COMPARE, TRY_OTHERS
from kernelmap.repro.tries import NOT_TRIED, CallTries, plan_tries

LAUNCHED = LaunchPlan(
    grid="",
    configs=(KernelConfig(blocks=(("XBLOCK", 64), ("R0_BLOCK", 32)), warps=4),),
    says="as recorded",
    rule=GridRule(sizes=(1024,), blocks=("XBLOCK",)),
    reach={"XBLOCK": 1024, "R0_BLOCK": 4096},
    processors=132,
)


def recorded_with(*slugs: Slug, saves_ns: int | None = 8_000) -> RecordedCall:
    """A call of 10 µs with a limit of 1 µs; each of its reasons could win so much."""
    reasons = tuple(CallReason(slug=one, saves_ns=saves_ns, evidence="it is so") for one in slugs)
    return RecordedCall(time_ns=10_000, limit_ns=1_000, executions=1, reasons=reasons)


def configs_of(tries: CallTries) -> list[dict[str, Any]]:
    return [ast.literal_eval(one.text) for one in tries.tried]


@pytest.mark.parametrize("slug", [one for one in Slug if one not in BESIDE_CALLS])
def test_each_reason_is_tried_or_says_why_not(slug: Slug) -> None:
    """Every kind of a call's reasons has an answer, for a kernel and for an operator."""
    said = f"{slug}, at most 8.00 us"
    tries = plan_tries(LAUNCHED, recorded_with(slug))
    answers = [one for one in tries.tried if one.reason == said]
    assert answers or said in dict(tries.untried)
    # Only kernels of a library have helpers.
    assert bool(answers) == (slug not in NOT_TRIED and slug is not Slug.HELPER_KERNELS)
    ((reason, _),) = plan_library_tries("aten.sort", (), recorded_with(slug)).untried
    assert reason == said


def test_a_small_grid_gets_more_blocks_until_each_multiprocessor_has_one() -> None:
    """Smaller blocks, and nothing else; the recorded grid has sixteen blocks."""
    found = configs_of(plan_tries(LAUNCHED, recorded_with(Slug.SMALL_GRID)))
    assert [one["XBLOCK"] for one in found] == [32, 32, 16, 16, 8, 8, 4, 4]
    assert {one["R0_BLOCK"] for one in found} == {32}
    rows = replace(LAUNCHED, configs=(KernelConfig(blocks=(("XBLOCK", 1),), warps=4),))
    tries = plan_tries(rows, recorded_with(Slug.SMALL_GRID))
    assert not tries.tried
    assert "splits its rows" in tries.untried[0][1]


def test_strided_access_gets_other_shapes_of_as_many_elements() -> None:
    """First those that reach further along one axis and as much less along the other."""
    found = configs_of(plan_tries(LAUNCHED, recorded_with(Slug.STRIDED_ACCESS)))
    assert [(one["XBLOCK"], one["R0_BLOCK"]) for one in found[:4]] == [
        (128, 16),
        (32, 64),
        (256, 8),
        (16, 128),
    ]


def test_a_last_wave_gets_more_places_or_other_blocks() -> None:
    """Half of the warps make room for twice as many blocks at once."""
    found = configs_of(plan_tries(LAUNCHED, recorded_with(Slug.LAST_WAVE)))
    assert [one["num_warps"] for one in found] == [2, 1, 8, 4, 4, 4, 4]
    assert [one["XBLOCK"] for one in found] == [64, 64, 64, 32, 128, 16, 256]


def test_few_warps_get_more() -> None:
    """In the block first, then by smaller blocks; a block has 32 at most."""
    found = configs_of(plan_tries(LAUNCHED, recorded_with(Slug.LOW_OCCUPANCY)))
    assert [one["num_warps"] for one in found[:3]] == [8, 16, 32]
    assert all(one["num_warps"] == 4 for one in found[3:])


@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(NOT_RECORDED, id="no profile"),
        pytest.param(recorded_with(), id="no reason"),
        pytest.param(recorded_with(Slug.START_AND_END, saves_ns=2_000), id="a small one"),
        pytest.param(recorded_with(Slug.WRITTEN_AND_READ), id="one of the limit"),
    ],
)
def test_headroom_without_a_reason_is_tried_around_the_recorded_configuration(
    recorded: RecordedCall,
) -> None:
    """Blocks, warps and stages; a loop along a row may become one pass."""
    found = configs_of(plan_tries(LAUNCHED, recorded))
    assert {"XBLOCK": 32, "R0_BLOCK": 32, "num_warps": 4, "num_stages": 1} in found
    assert len(found) == 12


def test_an_explained_call_is_not_measured_otherwise() -> None:
    """Start and end take it all: another configuration would be a lottery."""
    tries = plan_tries(LAUNCHED, recorded_with(Slug.START_AND_END))
    assert not tries.tried
    assert tries.untried == (("start-and-end, at most 8.00 us", NOT_TRIED[Slug.START_AND_END]),)


def test_a_row_that_is_looped_over_may_be_one_block() -> None:
    """A looped reduction is a persistent one where its block has the whole row."""
    found = configs_of(plan_tries(replace(LAUNCHED, reach={"R0_BLOCK": 128}), NOT_RECORDED))
    assert {"XBLOCK": 64, "R0_BLOCK": 128, "num_warps": 4, "num_stages": 1} in found


def test_a_grid_that_is_a_number_fits_its_own_blocks_only() -> None:
    """With half the block the same grid computes half of the result, in half of the time."""
    kernel = TritonKernel(
        name="k",
        text="",
        imports=(),
        parameters=("in_ptr0", "xnumel", "ynumel"),
        blocks=("YBLOCK", "XBLOCK"),
        constants={},
        signature={},
        meta={"": {}, "inductor_meta": {"grid_type": "Grid2DWithYZOverflow"}},
        body="",
    )
    recorded = RecordedCall(
        grid=(4, 4, 1), block=(128, 1, 1), blocks={"YBLOCK": 16, "XBLOCK": 16}, warps=4
    )
    plan = plan_launch(kernel, {"xnumel": 64, "ynumel": 64}, (), recorded, "")
    assert plan.grid == "(4, 4, 1)"
    found = configs_of(plan_tries(plan, recorded))
    assert found
    assert {(one["YBLOCK"], one["XBLOCK"]) for one in found} == {(16, 16)}


def operand(variable: str, shape: tuple[int, ...], dtype: str = "bfloat16") -> LibraryOperand:
    stride = (shape[-1], 1) if len(shape) == 2 else (1,) * len(shape)
    return LibraryOperand(
        variable=variable,
        tensor=CallTensor(memory=variable, shape=shape, stride=stride),
        dtype=dtype,
    )


def test_rows_that_begin_unevenly_are_padded_in_all_operands() -> None:
    """Both sides of a sum get the same length, and the result the sizes of its operands."""
    operands = (operand("a", (8, 77)), operand("b", (77, 30)), operand("out", (8, 30)))
    tries = plan_library_tries("aten.mm", operands, recorded_with(Slug.UNEVEN_PRODUCT))
    assert configs_of(tries) == [{"padded": {"a": (8, 80), "b": (80, 32), "out": (8, 32)}}]
    even = plan_library_tries("aten.mm", operands[:0], recorded_with(Slug.UNEVEN_PRODUCT))
    assert not even.tried
    assert "multiples of 16 bytes" in even.untried[0][1]


def test_a_type_is_changed_only_where_a_reason_proposes_it() -> None:
    """TensorFloat32 and bfloat16 answer `float32-product`, and no other reason."""
    operands = (operand("a", (8, 8), "float32"), operand("b", (8, 8), "float32"))
    found = {
        slug: configs_of(plan_library_tries("aten.mm", operands, recorded_with(slug)))
        for slug in Slug
        if slug not in BESIDE_CALLS
    }
    assert found.pop(Slug.FLOAT32_PRODUCT) == [{"precision": "high"}, {"bfloat16": ["a", "b"]}]
    assert not [
        one for tried in found.values() for one in tried if {"precision", "bfloat16"} & set(one)
    ]


@pytest.fixture(scope="module")
def pairs(samples: Path) -> ReproSource:
    """A recording of an H100: kernels with and without each reason."""
    return read_source(samples / "cuda_reason_pairs")


def test_a_script_prints_each_try_below_its_reason(pairs: ReproSource) -> None:
    """With the headroom that it should win, and what shows the reason beside the list."""
    text = make_script(pairs, ("0_inference/0",), try_others=True).text
    ast.parse(text)
    assert '    ("strided-access, at most 37.54 us", {"XBLOCK": 1024,' in text
    assert "# strided-access, at most 37.54 us: neighbouring threads of 0_inference/0 do" in text
    assert "right &= try_1()" in text
    assert "not tried  strided-access, at most 37.54 us: another layout of the tensor" in text


def test_a_script_says_for_which_reason_nothing_is_tried(pairs: ReproSource) -> None:
    """Functions stay what they are in every configuration: the script measures none."""
    text = make_script(pairs, ("6_inference/0",), try_others=True).text
    assert "any configuration computes the same functions" in text
    assert "TRIES_1" not in text
    assert "try_others" not in make_script(pairs, ("0_inference/0",)).text


def test_a_float32_product_is_tried_on_tensor_cores(samples: Path) -> None:
    """Under the setting that roofline names, and with operands of another type."""
    source = read_source(samples / "cuda_memory_mlp")
    text = make_script(source, ("0_backward/6",), try_others=True).text
    ast.parse(text)
    assert "{'precision': 'high'}" in text
    assert "{'library': 'cublaslt'}" in text  # which may add up the parts in the same kernel
    assert "def change(other, inputs):" in text


RUN = """
import torch
import torch.nn.functional

torch.manual_seed(0)
made = {
    "a": torch.randn(6, 77), "b": torch.randn(30, 77).mT, "out": torch.zeros(6, 30),
    "x": torch.randn(2, 3, 8, 8), "w": torch.randn(4, 3, 3, 3),
}

def make_inputs():
    return {name: value.clone(memory_format=torch.preserve_format) for name, value in made.items()}

def measure(function, config):
    function()

def product(config, a, b, out, x, w):
    assert a.stride(-1) == 1 and b.stride(-2) == 1
    return torch.mm(a, b, out=out)

def convolution(config, a, b, out, x, w):
    assert x.is_contiguous(memory_format=torch.channels_last) == ("channels_last" in config)
    return torch.convolution(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)

def wrong(config, a, b, out, x, w):
    return torch.mm(a, b, out=out) * (2 if config else 1)

padded = {"padded": {"a": (8, 80), "b": (80, 32), "out": (8, 32)}}
rounded = {"bfloat16": ["a", "b", "out"]}
of_products = [("p", padded), ("r", rounded), ("s", {"precision": "high"})]
images = [("c", {"channels_last": ["x", "w"], "benchmark": True})]
print(try_others(of_products, product, {}, (), 1e-3, change))
print(torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark)
print(try_others(images, convolution, {}, (), 1e-3, change))
print(try_others(of_products[2:], wrong, {}, (), 1e-3, change))
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
@pytest.mark.thorough
def test_other_forms_of_the_operands_give_the_same_result(tmp_path: Path) -> None:
    """Padded, rounded, in another layout: the same but for rounding, and what differs is WRONG.

    Settings of torch are afterwards as they were.
    """
    path = tmp_path / "case.py"
    path.write_text(COMPARE + TRY_OTHERS + CHANGE + RUN, encoding="utf-8")
    done = subprocess.run(  # noqa: S603 -- our own code, in an interpreter of its own
        [sys.executable, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert [line for line in said if not line.startswith("  ")] == [
        "True",
        "highest False",
        "True",
        "False",
    ]
    assert not [line for line in said if "failed" in line]
    assert len([line for line in said if "WRONG" in line]) == 1
