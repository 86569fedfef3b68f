"""The work of calls of C++ wrappers: that of the Python wrapper of the same model.

generated/wrappers.json.gz has pairs of one graph's code, in Python and in C++ (`cpp_wrapper`), that
torch 2.13 wrote: for an H100 by `scripts/fake_gpu/generate.py CASE [--cpp]`, and for a CPU.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from compiler.cpp_code import launcher, read, wrapper
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.model.work import CodeEvidence, Work
from kernelmap.speed.work import evidence_of_code, works_of_calls

PAIRS: dict[str, list[list[str]]] = json.loads(
    gzip.decompress((Path(__file__).parent / "generated" / "wrappers.json.gz").read_bytes())
)
SAMPLE = Path(__file__).parents[3] / "sample_traces" / "aoti_block" / "classifier"
POI = "triton_poi_fused_add_0"


def program(folder: Path, text: str) -> CompiledProgram:
    path = folder / "output_code.py"
    folder.mkdir()
    path.write_text(text, encoding="utf-8")
    return load_compiled(path)


def both(folder: Path, case: str) -> list[tuple[CompiledProgram, CompiledProgram]]:
    """The graphs of a case, from Python and from C++."""
    return [
        (program(folder / f"py{at}", python), program(folder / f"cpp{at}", cpp))
        for at, (python, cpp) in enumerate(PAIRS[case])
    ]


def said(work: Work) -> tuple[object, ...]:
    return work.bytes, work.flops, work.dtype, work.reason


@pytest.mark.parametrize("case", PAIRS)
def test_a_wrapper_in_cpp_states_the_work_of_the_one_in_python(tmp_path: Path, case: str) -> None:
    """Bytes, operations and dtype are equal, call by call; C++ may know what Python does not.

    What AOTAutograd's graph is handed (dtypes of inputs) stands in the Python alone where no kernel
    takes it: of such calls C++ may say nothing, and says why.
    """
    for python, cpp in both(tmp_path, case):
        pairs = list(zip(works_of_calls(python), works_of_calls(cpp), strict=True))
        stated = [(one, other) for one, other in pairs if one.operands is not None]
        silent = [other for _, other in stated if other.operands is None]

        assert all((other.reason or "").startswith("the dtype of") for other in silent)
        assert len(silent) <= 1
        kept = [(said(one), said(other)) for one, other in stated if other.operands is not None]
        assert [one for one, _ in kept] == [other for _, other in kept]


@pytest.mark.sampled
@pytest.mark.parametrize("case", PAIRS)
def test_a_wrapper_in_cpp_shows_the_same_reasons(tmp_path: Path, case: str) -> None:
    """Intermediates, copies, strided access, repeated values: found in C++ as in Python."""

    def shown(program: CompiledProgram) -> tuple[object, ...]:
        evidence_: CodeEvidence = evidence_of_code(program, works_of_calls(program))
        return (
            [(v.writer, v.stored, v.loads, v.kept is None) for v in evidence_.intermediates],
            [(copy.call, copy.elements, copy.dtypes) for copy in evidence_.copies],
            [(strided.call, strided.wasted) for strided in evidence_.strided],
            [(again.call, again.before, again.operations) for again in evidence_.repeated],
            evidence_.processors,
        )

    for python, cpp in both(tmp_path, case):
        assert shown(python) == shown(cpp)


def test_the_model_states_its_constants_and_inputs() -> None:
    """AOTInductor's sample, by hand: two products of float32, a norm, a softmax, the largest 3."""
    all_works = works_of_calls(load_compiled(SAMPLE))
    rows, width, hidden, classes = 32, 64, 256, 48

    products = [2 * rows * width * hidden, 2 * rows * hidden * classes]
    assert [all_works[0].flops, all_works[2].flops] == products
    up = 4 * (hidden + rows * width + width * hidden + rows * hidden)
    down = 4 * (classes + rows * hidden + hidden * classes + rows * classes)
    assert [work.bytes and work.bytes.most for work in (all_works[0], all_works[2])] == [up, down]
    assert all_works[4].bytes is not None
    assert all_works[4].bytes.most == 4 * rows * classes + rows * 3 * 4


ALLOCATED = """
static constexpr int64_t int_array_0[] = {64L, };
static constexpr int64_t int_array_1[] = {1L, };
AtenTensorHandle buf0_handle;
AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(1, int_array_0, int_array_1,
    cached_torch_dtype_float32, cached_torch_device_type_cuda, this->device_idx_, &buf0_handle));
RAIIAtenTensorHandle buf0(buf0_handle);
"""


@pytest.mark.parametrize(
    ("call", "number", "reason"),
    [
        ("aoti_torch_cuda_sort(buf0, 0L, 0, &buf1_handle, &buf2_handle)", None, "shape of its re"),
        ("aoti_torch_zero_(buf0.get())", 4 * 64, None),
        ("aoti_torch_cuda_mm_out(buf0, arg0, arg1)", None, "the shape of operand 0 is not known"),
        ("aoti_torch_proxy_executor_call_function(proxy, 0, 0, nullptr, 1, t)", None, "no formula"),
        ("aoti_torch_cuda_mm_out(", None, "its statement is not given"),
        ("aoti_torch_cuda_mm_out(buf0, {{{(((", None, "its statement is not given"),
    ],
)
def test_what_the_code_does_not_say_has_its_reason(
    tmp_path: Path, call: str, number: int | None, reason: str | None
) -> None:
    """A call whose operands are not stated, packed or cut off has no work, and says why."""
    (work,) = works_of_calls(
        read(tmp_path, wrapper(f"{ALLOCATED}AOTI_TORCH_ERROR_CODE_CHECK({call});"))
    )

    assert (work.bytes and work.bytes.most) == number
    assert (reason or "") in (work.reason or "")


def test_a_launch_without_a_function_of_its_own(tmp_path: Path) -> None:
    """Older code puts what a kernel is handed into an array, and launches on the spot."""
    body = f"""{ALLOCATED}
    CUdeviceptr var_0 = reinterpret_cast<CUdeviceptr>(buf0.data_ptr());
    auto var_1 = 64L;
    void* kernel_args_var_0[] = {{&var_0, &var_1}};
    launchKernel(kernels.{POI}, 1, 1, 1, 4, 0, kernel_args_var_0, stream);"""
    definition = launcher(POI).replace(
        "tl.store(in_ptr0, 1.0)", "tl.store(in_ptr0 + (x0), 1.0, xmask)"
    )
    definition = definition.replace("def triton_poi_fused_add_0(in_ptr0, xnumel):", KERNEL)
    (work,) = works_of_calls(read(tmp_path, wrapper(body, definition)))

    assert work.bytes is not None
    assert work.bytes.most == 4 * 64
    assert [(one.name, one.written) for one in work.operands or ()] == [("buf0", True)]


KERNEL = """def triton_poi_fused_add_0(in_ptr0, xnumel):
        xnumel = 64
        xindex = tl.program_id(0) + tl.arange(0, 64)[:]
        xmask = xindex < xnumel
        x0 = xindex"""
