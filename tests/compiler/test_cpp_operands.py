"""The variables of calls in C++ wrappers, and the names that the debug printer has for calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.cpp_code import read, wrapper
from debug_printer.printed_code import ADD, ADDMM, CALLS, LOG, SORT, code
from kernelmap.compiler import load_compiled
from kernelmap.model import Operands
from kernelmap.model.printed import may_be_printed, names_of

OPERANDS = [
    Operands(names=("buf0", "w", "arg0_1"), memory=("buf0", "w", "arg0_1")),
    Operands(names=("buf1",), memory=("buf0",)),
    Operands(names=("buf1",), memory=("buf0",), results=("buf3", "buf4")),
    Operands(names=("buf5", "w", "buf3"), memory=("buf5", "w", "buf3")),
    Operands(names=("proxy",), memory=("proxy",)),
    Operands(names=("buf6", "buf5"), memory=("buf6", "buf5")),
]


def test_operands_are_tensors_by_name(tmp_path: Path) -> None:
    """Variables handed over alone or as `data_ptr()`, results, and memory that moved."""
    (compiled,) = load_compiled(code(tmp_path)).graphs

    assert [call.operands for call in compiled.calls] == OPERANDS


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_printers_statements_name_the_call_below(tmp_path: Path, level: int) -> None:
    """A statement before a launch names it; one after it names nothing."""
    (compiled,) = load_compiled(code(tmp_path, level)).graphs

    assert [call.operands and call.operands.printed for call in compiled.calls] == [
        name for name, _, _ in CALLS
    ]
    assert [call.wrapper for call in compiled.calls][2] == "aoti_torch_cpu_sort_stable"


def test_a_filter_leaves_calls_without_statements(tmp_path: Path) -> None:
    """In code compiled with a filter the printer speaks of the named kernels alone."""
    (compiled,) = load_compiled(code(tmp_path, 2, only=[ADDMM])).graphs

    assert [may_be_printed(compiled, call) for call in compiled.calls] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    assert names_of(compiled.calls[1]) == (LOG,)


def test_names_without_the_printers_statements(tmp_path: Path) -> None:
    """Calls that make their results may have two names; looked-up operators and glue have none."""
    (compiled,) = load_compiled(code(tmp_path)).graphs
    names = [names_of(call) for call in compiled.calls]

    assert names == [
        (ADDMM,),
        (LOG,),
        ("aoti_torch_cpu_sort_stable", SORT),
        (ADDMM,),
        (),
        (ADD,),
    ]
    assert all(may_be_printed(compiled, call) == bool(names_of(call)) for call in compiled.calls)


def test_a_view_of_reused_memory_keeps_its_origin(tmp_path: Path) -> None:
    """`reinterpret_tensor_wrapper` on the right side of a declaration moves memory as well."""
    body = (
        "cpp_fused_a_0((float*)(buf1.data_ptr()));\n"
        "auto buf2 = wrap_with_raii_handle_if_needed("
        "reinterpret_tensor_wrapper(buf1, 1, a, b, 0L)); buf1.reset();  // reuse\n"
        "auto buf3 = std::move(buf2);\n"
        "cpp_fused_b_1((float*)(buf3.data_ptr()), nullptr);\n"
    )
    (compiled,) = read(tmp_path, wrapper(body)).graphs

    assert [call.operands for call in compiled.calls] == [
        Operands(names=("buf1",), memory=("buf1",)),
        Operands(names=("buf3",), memory=("buf1",)),
    ]


def test_texts_that_only_look_like_the_printer_name_nothing(tmp_path: Path) -> None:
    """Other formats of printf, and statements without texts, leave calls as they are."""
    body = (
        'printf("[ before_launch: \\n");\nprintf(name);\nprintf("%d");\n'
        "aoti_torch_save_tensor_handle(buf0);\naoti_torch_print_tensor_handle(buf0, msg);\n"
        "cpp_fused_a_0((float*)(buf1.data_ptr()));\n"
    )
    (compiled,) = read(tmp_path, wrapper(body)).graphs

    assert [call.operands and call.operands.printed for call in compiled.calls] == [None]
