"""C++ kernels: what their loops reach, against running over them, and kernels of real samples."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import pytest

from kernelmap.compiler import load_compiled
from kernelmap.model import Backend
from kernelmap.model.work import Amount
from kernelmap.speed.work import works_of_calls
from speed.work.wrapper_code import loaded, module

KERNEL = """
only = async_compile.cpp_pybinding(['const float*', '{type}*'], r'''
extern "C"  void  kernel(const float* in_ptr0,
                       {type}* out_ptr0)
{{
    #pragma omp parallel for
    for(int64_t x0=int64(0L); x0<int64({rows}L); x0+=int64(1L))
    {{
        for(int64_t x1=int64(0L); x1<int64({columns}L); x1+=int64(16L))
        {{
            if(C10_LIKELY(x1 >= int64(0) && x1 < int64({columns}L)))
            {{
                auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + int64({index}));
                {store}
            }}
        }}
    }}
}}
''')
"""
VECTOR = "tmp0.store(out_ptr0 + static_cast<int64_t>(x1 + {columns}L*x0));"
SCALAR = "out_ptr0[static_cast<int64_t>(x1 + {columns}L*x0)] = tmp0;"
ROWS, COLUMNS = 6, 20


def only(folder: Path, index: str, store: str = VECTOR, kind: str = "float") -> list[Amount]:
    """What a kernel of two loops reads and writes: its first operand is loaded at `index`."""
    text = KERNEL.replace("int64(", "static_cast<int64_t>(").format(
        type=kind,
        rows=ROWS,
        columns=COLUMNS,
        index=index,
        store=store.format(columns=COLUMNS),
    )
    lines = (
        "buf0 = empty_strided_cpu((6, 20), (20, 1), torch.float32)",
        "only(arg0_1, buf0)",
        "return (buf0, )",
    )
    (work,) = works_of_calls(loaded(folder, module(text, *lines)))
    assert work.operands is not None, work.reason
    return [operand.bytes for operand in work.operands]


@pytest.mark.parametrize(
    ("index", "python"),
    [
        ("x1 + 20L*x0", "x1 + 20*x0"),
        ("x1", "x1"),
        ("x0", "x0"),
        ("x0 + 6L*x1", "x0 + 6*x1"),
        ("2L*x1 + 40L*x0", "2*x1 + 40*x0"),
        ("x0 + (static_cast<int64_t>(x1) % static_cast<int64_t>(5L))", "x0 + x1 % 5"),
        (
            "(c10::div_floor_integer(static_cast<int64_t>(x1), static_cast<int64_t>(4L)))",
            "x1 // 4",
        ),
        ("19L + 20L*x0 + (-1L)*x1", "19 + 20*x0 - x1"),
    ],
)
def test_an_access_reaches_what_its_loops_run_over(index: str, python: str, tmp_path: Path) -> None:
    """As many elements as a run over both loops reaches, of a tensor that has enough."""
    places = product(range(ROWS), range(COLUMNS))
    reached = {eval(python, {"x0": x0, "x1": x1}) for x0, x1 in places}  # noqa: S307 -- ours

    read, written = only(tmp_path, index)
    assert read.least <= min(128, len(reached)) * 4 <= read.most
    assert read.most <= 128 * 4
    assert written == Amount.exactly(ROWS * COLUMNS * 4)


@pytest.mark.parametrize("store", [VECTOR, SCALAR])
@pytest.mark.parametrize(("kind", "size"), [("float", 4), ("at::BFloat16", 2), ("int64_t", 8)])
def test_pointers_say_how_large_elements_are(
    store: str, kind: str, size: int, tmp_path: Path
) -> None:
    """Whether an element or a vector of them is stored."""
    _, written = only(tmp_path, "x1 + 20L*x0", store, kind)

    assert written == Amount.exactly(ROWS * COLUMNS * size)


def test_an_index_of_data_is_a_bound(tmp_path: Path) -> None:
    """Where a value leads to is not known: to one element, or to another one every time."""
    read, _ = only(tmp_path, "x1 + 20L*tmp9")

    assert read == Amount(4, ROWS * COLUMNS * 4)


@pytest.mark.parametrize("name", ["cpu_block", "cpu_mlp_train", "cpu_graph_breaks"])
def test_kernels_of_samples_are_counted(name: str, samples: Path) -> None:
    """Every C++ kernel of static shapes: each operand whole at most, every output exactly."""
    program = load_compiled(samples / name)
    kernels = [
        work
        for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
        if call.backend is Backend.CPP
    ]

    assert kernels
    assert all(work.operands for work in kernels)
    sizes = [operand.bytes for work in kernels for operand in work.operands or ()]
    assert sum(size.least == size.most for size in sizes) / len(sizes) > 0.95


def test_a_norm_reads_its_input_once(samples: Path) -> None:
    """Its statistics take a pass of their own: one reading of memory, as for a Triton kernel."""
    program = load_compiled(samples / "cpu_mlp_train")
    (first, *_) = (
        work
        for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
        if "native_layer_norm_0" in call.wrapper
    )
    elements = prod((8, 128, 256))

    by_name = {
        operand.name: operand.bytes for operand in first.operands or () if not operand.written
    }
    assert by_name["primals_3"] == Amount.exactly(elements * 4)


@pytest.mark.parametrize(
    ("store", "has_bytes"),
    [
        ("kernel_micro_gemm<false>(in_ptr0, out_ptr0); " + VECTOR, False),
        ("auto tmp1 = at::native::calc_digamma(tmp0); " + VECTOR, True),
    ],
    ids=["template", "function"],
)
def test_what_is_not_in_the_source_has_a_reason(
    store: str, has_bytes: bool, tmp_path: Path
) -> None:
    """A template reads beside its loops, so its bytes are open, too; a library's function not."""
    text = KERNEL.replace("int64(", "static_cast<int64_t>(").format(
        type="float", rows=6, columns=20, index="x1 + 20L*x0", store=store.format(columns=20)
    )
    lines = ("buf0 = empty_strided_cpu((6, 20), (20, 1), torch.float32)", "only(arg0_1, buf0)")
    (work,) = works_of_calls(loaded(tmp_path, module(text, *lines, "return (buf0, )")))

    assert work.flops is None
    assert work.reason is not None
    assert ("template" in work.reason) is not has_bytes
    assert (work.bytes is not None) is has_bytes
