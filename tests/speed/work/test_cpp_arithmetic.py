"""The operations of C++ kernels: by hand, whole and in parts, and beside the same in Triton."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compiler import load_compiled
from kernelmap.model import Backend
from kernelmap.speed.work import works_of_calls
from kernelmap.speed.work.cpp_arithmetic import operations_of
from kernelmap.speed.work.cpp_loops import iter_statements

LOAD = "auto tmp{n} = at::vec::Vectorized<float>::loadu(in_ptr0 + INT({index}), INT(16));"
SCALAR = "auto tmp{n} = in_ptr0[INT({index})];"
ROWS, COLUMNS = 6, 20


def cast(text: str) -> str:
    return text.replace("INT(", "static_cast<int64_t>(")


def loop(axis: str, first: str, last: str, body: str, step: str = "16L") -> str:
    return (
        f"for(int64_t {axis}=INT({first}); {axis}<INT({last}); {axis}+=INT({step}))\n{{{body}}}\n"
    )


def count(source: str) -> int | None:
    return operations_of(iter_statements(cast(source), {}))


def in_loops(body: str) -> str:
    return loop("x0", "0L", "6L", loop("x1", "0L", "20L", body), "1L")


@pytest.mark.parametrize(
    ("statement", "per_element"),
    [
        ("auto tmp1 = tmp0 + tmp0;", 1),
        ("auto tmp1 = tmp0 * static_cast<float>(2.0);", 1),
        ("auto tmp1 = (tmp0 - tmp0) / tmp0;", 2),
        ("auto tmp1 = tmp0.exp();", 1),
        ("auto tmp1 = std::exp(tmp0);", 1),
        ("auto tmp1 = 1 / std::sqrt(tmp0);", 2),
        ("auto tmp1 = fmadd(tmp0, tmp0, tmp0);", 2),
        ("auto tmp1 = at::vec::maximum(tmp0, tmp0);", 1),
        ("tmp_acc0_vec = tmp_acc0_vec + tmp0;", 1),
        ("out_ptr0[INT(x1 + 20L*x0)] = tmp0 * tmp0;", 1),
        ("auto tmp1 = at::vec::Vectorized<float>(tmp0);", 0),
        ("auto tmp1 = at::vec::VecMask<float,1>(tmp0 > tmp0);", 0),
        ("auto tmp1 = c10::convert<int32_t>(tmp0);", 0),
        ("auto tmp1 = tmp0 ? tmp0 : tmp0;", 0),
        ("auto tmp1 = static_cast<float>(2.0); auto tmp2 = tmp1 * tmp1;", 0),
        ("tmp0.store(out_ptr0 + INT(x1 + 20L*x0));", 0),
        ("auto tmp9 = in_ptr1[INT(x1 + 20L*x0 + (-1L)*x1)];", 0),
    ],
)
@pytest.mark.parametrize("load", [LOAD, SCALAR])
def test_operations_count_once_for_every_element(
    load: str, statement: str, per_element: int
) -> None:
    """Arithmetic and functions do; loads, stores, casts, selections and what is constant do not."""
    body = load.format(n=0, index="x1 + 20L*x0") + statement

    assert count(in_loops(body)) == per_element * ROWS * COLUMNS


def test_what_depends_on_an_outer_loop_only_counts_for_its_elements() -> None:
    """As in Triton, where a row's mean is made once for a row, wherever the statement stands."""
    body = SCALAR.format(n=0, index="x0") + "auto tmp1 = tmp0 * tmp0;"

    assert count(in_loops(body)) == ROWS


def test_a_sum_is_of_its_row_behind_the_loop() -> None:
    """A value that a loop summed up no longer depends on it."""
    inner = loop("x1", "0L", "20L", LOAD.format(n=0, index="x1 + 20L*x0") + "acc = acc + tmp0;")
    source = loop("x0", "0L", "6L", inner + "auto tmp1 = acc / static_cast<float>(20.0);", "1L")

    assert count(source) == ROWS * COLUMNS + ROWS


def test_vectors_and_their_tail_are_one_loop() -> None:
    """The same work written as whole vectors and a tail, in branches or in two loops."""
    work = SCALAR.format(n=0, index="x1 + 20L*x0") + "auto tmp1 = tmp0 * tmp0;"
    tail = loop("x1_tail", "16L", "20L", work.replace("x1", "x1_tail"), "1L")
    branches = (
        f"if(C10_LIKELY(x1 >= INT(0) && x1 < INT(16L)))\n{{{work}}}\n"
        f"if(C10_UNLIKELY(x1 >= INT(16L) && x1 < INT(20L)))\n{{{tail}}}\n"
    )
    two = loop("x1", "0L", "16L", work) + loop("x1", "16L", "20L", work, "1L")

    assert count(in_loops(work)) == ROWS * COLUMNS
    assert count(in_loops(branches)) == ROWS * COLUMNS
    assert count(loop("x0", "0L", "6L", two, "1L")) == ROWS * COLUMNS


@pytest.mark.parametrize("source", [loop("x0", "0L", "ks0", "auto tmp1 = x0 * x0;"), "micro_gemm("])
def test_what_is_not_known_is_none(source: str) -> None:
    """A loop whose end is a symbol, and the products of a library."""
    assert count(source) is None


@given(st.text(alphabet="{}()[];=<>@#*+-/ \nautotmp01xfori64_L,.:&", max_size=300))
def test_any_text_is_read(source: str) -> None:
    """No text is an error."""
    operations = operations_of(iter_statements(source, {}))

    assert operations is None or operations >= 0


def test_gelu_is_as_much_in_cpp_as_in_triton(tmp_path: Path, samples: Path) -> None:
    """Five operations for every element: of a recording on a CPU, and of what a GPU would run."""
    packed = Path(__file__).parent / "generated" / "wrappers.json.gz"
    python, _ = json.loads(gzip.decompress(packed.read_bytes()))["mlp"][1]
    (tmp_path / "output_code.py").write_text(python, encoding="utf-8")
    for program in (
        load_compiled(tmp_path / "output_code.py"),
        load_compiled(samples / "cpu_block"),
    ):
        (work,) = (
            work
            for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
            if (call.kernel or "").endswith(("_fused_gelu_view_1", "_fused_gelu_view_2"))
        )
        assert work.bytes is not None
        elements = work.bytes.most // 8  # read and written in float32

        assert work.flops == 5 * elements


@pytest.mark.parametrize("name", ["cpu_block", "cpu_mlp_train", "cpu_graph_breaks", "aoti_block"])
def test_kernels_of_samples_have_operations(name: str, samples: Path) -> None:
    """Every C++ kernel whose bytes are known, too."""
    program = load_compiled(samples / name)
    kernels = [
        work
        for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
        if call.backend is Backend.CPP and work.operands is not None
    ]

    assert kernels
    assert all(work.flops is not None and work.dtype == "float32" for work in kernels)
