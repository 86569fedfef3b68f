"""What kernel_information.json states of library calls: their keys, and operands for their work.

Entries are written after those of torch 2.14.1 (`create_kernel_information_json`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

import kernelmap
from compiler.cpp_code import HANDLE, put, wrapper
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.model.program import LibraryFacts, TensorType
from kernelmap.model.work import Work
from kernelmap.speed.work import works_of_calls
from traces.kineto_text import op, pair, text, write

KEY = "aoti_torch_cuda_addmm_out:1"
CALL = f"""
    {HANDLE}{KEY}
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_addmm_out(buf0, arg0, arg1, arg2, 1L, 1L));
"""
ENTRY: dict[str, object] = {
    "stack_traces": [],
    "post_grad_nodes": ["addmm"],
    "pre_grad_nodes": ["linear"],
    "extern_semantic_key": "linear",
    "input_shapes": [[16], [8, 32], [32, 16]],
    "input_dtypes": ["torch.float16", "torch.float16", "torch.float16"],
    "output_shape": [8, 16],
    "output_dtype": "torch.float16",
}
HALVES = (8 * 32 + 32 * 16 + 16 + 8 * 16) * 2


def _read(folder: Path, entry: dict[str, object], body: str = CALL) -> CompiledProgram:
    program = load_compiled(put(folder, wrapper(body), information={KEY: entry}))
    assert program.notices == ()
    return program


def _work(program: CompiledProgram) -> Work:
    (work,) = works_of_calls(program)
    return work


def test_a_library_call_has_what_its_entry_states(tmp_path: Path) -> None:
    """Key, operands and result, by the handle of the call; symbols stay texts."""
    entry = {**ENTRY, "input_shapes": [[16], ["s77", 32], [32, 16]]}
    (graph,) = _read(tmp_path, entry).graphs

    half = "float16"
    assert graph.calls[0].library == LibraryFacts(
        semantic_key="linear",
        inputs=(
            TensorType((16,), half),
            TensorType(("s77", 32), half),
            TensorType((32, 16), half),
        ),
        output=TensorType((8, 16), half),
    )


def test_operands_that_the_code_does_not_state_are_those_of_the_entry(tmp_path: Path) -> None:
    """Without an entry's shapes nothing is known of the work; with them all of it is."""
    bare = {key: ENTRY[key] for key in ("stack_traces", "post_grad_nodes", "pre_grad_nodes")}
    without, stated = _work(_read(tmp_path / "a", bare)), _work(_read(tmp_path / "b", ENTRY))

    assert without.bytes is None
    assert stated.bytes is not None
    assert (stated.bytes.least, stated.bytes.most, stated.dtype) == (HALVES, HALVES, "float16")
    assert stated.flops == 2 * 8 * 32 * 16


def test_what_the_code_states_stays(tmp_path: Path) -> None:
    """A buffer that the code allocates has the code's shape and type, whatever the entry says."""
    body = f"""
    static constexpr int64_t int_array_0[] = {{4L, 16L}};
    static constexpr int64_t int_array_1[] = {{16L, 1L}};
    AtenTensorHandle buf0_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_0, int_array_1,
        cached_torch_dtype_float32, cached_torch_device_type_cuda, 0, &buf0_handle));
    RAIIAtenTensorHandle buf0(buf0_handle);
    {CALL}
    """
    work = _work(_read(tmp_path, ENTRY, body))

    written = [operand.bytes.most for operand in work.operands or () if operand.written]
    assert written == [4 * 16 * 4]


@pytest.mark.parametrize(
    "change",
    [
        {"input_shapes": [[16], ["s77", 32], [32, 16]]},
        {"input_shapes": [[8, 32], [32, 16]], "input_dtypes": ["torch.float16", "torch.float16"]},
        {"input_dtypes": ["torch.float16", "torch.quint8", "torch.float16"]},
        {"input_dtypes": ["torch.float16"]},
        {"input_shapes": [[16], [-8, 32], [32, 16]]},
        {"input_shapes": "odd", "output_shape": {"a": 1}},
        {"input_shapes": [[16], [8.5, 32], [32, 16]]},
    ],
)
def test_operands_that_cannot_be_placed_are_not_used(
    tmp_path: Path, change: dict[str, object]
) -> None:
    """Symbols, other numbers of tensors, unknown types and odd values leave the work unknown."""
    assert _work(_read(tmp_path, {**ENTRY, **change})).flops is None


@pytest.mark.parametrize("key", [None, "", 7, ["linear"]])
def test_a_key_that_is_no_text_is_none(tmp_path: Path, key: object) -> None:
    """Kernels and library calls of several nodes have none."""
    (graph,) = _read(tmp_path, {**ENTRY, "extern_semantic_key": key}).graphs

    assert graph.calls[0].library is not None
    assert graph.calls[0].library.semantic_key is None


def test_the_table_of_calls_has_the_key(tmp_path: Path) -> None:
    """It is the same for every device, so tables of several can be joined by it."""
    trace = write(tmp_path / "trace.json", text([op("aten::add", 0, 9), *pair()]))
    code = put(tmp_path / "code", wrapper(CALL), information={KEY: ENTRY})

    calls = kernelmap.correlate(code, trace).calls

    by_call = dict(zip(calls["wrapper"], calls["semantic_key"], strict=True))
    assert by_call["aoti_torch_cuda_addmm_out"] == "linear"
