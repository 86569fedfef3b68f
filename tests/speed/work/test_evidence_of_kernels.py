"""What the source of a kernel says beside its bytes: functions, places that data give, uneven rows.

Kernels run over 128 floats, in rows of 8 where they say so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.model.work import CodeEvidence
from kernelmap.speed.work import evidence_of_code, works_of_calls
from kernelmap.speed.work.costly_functions import INSTRUCTIONS
from speed.work.wrapper_code import allocated, kernel, loaded, module, run

LOAD, STORE = "tmp0 = tl.load(in_ptr0 + (x0), xmask)", "tl.store(out_ptr0 + (x0), tmp1, xmask)"
INDEX = "tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = tmp0 + 128"
ELEMENTS = 128


def evidence_of(folder: Path, *lines: str, index: str = "fp32") -> CodeEvidence:
    definition = kernel("only", "\n".join(lines), in_ptr0=index, in_ptr1="fp32", out_ptr0="fp32")
    calls = (allocated("buf0"), run("only", "arg0_1", "arg1_1", "buf0"), "return (buf0, )")
    program = loaded(folder, module(definition, *calls))
    return evidence_of_code(program, works_of_calls(program))


def test_functions_are_counted_on_data_and_on_indices(tmp_path: Path) -> None:
    """Each runs for every element, also where its value depends on a part of the index only."""
    lines = (LOAD, "tmp1 = libdevice.tanh(tmp0) * tl_math.cos((x0 % 8).to(tl.float32))", STORE)
    (found,) = evidence_of(tmp_path, *lines).functions

    assert dict(found.functions) == {"tanh": ELEMENTS, "cos": ELEMENTS}
    needed = INSTRUCTIONS["libdevice.tanh"] + INSTRUCTIONS["tl_math.cos"]
    assert found.instructions >= needed * ELEMENTS


def test_plain_arithmetic_is_no_function(tmp_path: Path) -> None:
    """Products, roots and casts are an instruction or two."""
    lines = (LOAD, "tmp1 = libdevice.sqrt(tmp0 * tmp0) + 1.0", STORE)

    assert not evidence_of(tmp_path, *lines).functions


@pytest.mark.parametrize(
    ("access", "listed"),
    [
        pytest.param("tmp2 = tl.load(in_ptr1 + (tmp1), xmask)", True, id="an element"),
        pytest.param("tmp2 = tl.load(in_ptr1 + (tmp1 + 64*(x0 // 8)), xmask)", True, id="in rows"),
        pytest.param("tmp2 = tl.load(in_ptr1 + ((x0 % 8) + 8*tmp1), xmask)", False, id="a row"),
        pytest.param("tmp2 = tl.load(in_ptr1 + (x0*x0 // 3), xmask)", False, id="no data"),
        pytest.param("tmp2 = tl.load(in_ptr1 + (x0), xmask)", False, id="in order"),
    ],
)
def test_single_elements_at_places_that_data_give_are_listed(
    access: str, listed: bool, tmp_path: Path
) -> None:
    """Rows lie together, and an index that nothing loaded says where it leads."""
    found = evidence_of(tmp_path, INDEX, access, STORE.replace("tmp1", "tmp2"), index="i64")

    assert [(one.elements, one.is_atomic) for one in found.indirect] == [(ELEMENTS, False)] * listed


def test_atomic_additions_are_told_from_loads(tmp_path: Path) -> None:
    """What adds at a place waits for others that add there."""
    add = "tl.atomic_add(out_ptr0 + (tl.broadcast_to(tmp1, [XBLOCK])), 1.0, xmask)"
    (found,) = evidence_of(tmp_path, INDEX, add, index="i64").indirect

    assert (found.name, found.is_atomic) == ("buf0", True)


@pytest.mark.parametrize(
    ("index", "apart"),
    [
        ("(x0 % 8) + 9*(x0 // 8)", 36),
        ("(x0 % 8) + 12*(x0 // 8)", None),  # 48 bytes
        ("x0", None),
        ("9*(x0 % 8) + 8*(x0 // 8)", None),  # no elements side by side
    ],
)
def test_rows_off_sixteen_bytes_are_uneven(index: str, apart: int | None, tmp_path: Path) -> None:
    """Where elements lie side by side in rows that a multiple of 16 bytes does not separate."""
    lines = (LOAD.replace("(x0)", f"({index})"), "tmp1 = tmp0 + 1.0", STORE)

    found = evidence_of(tmp_path, *lines).uneven_rows
    assert [one.rows for one in found] == ([] if apart is None else [(("arg0_1", apart),)])


def test_unlike_indices_that_are_no_sums_reach_unlike_elements(tmp_path: Path) -> None:
    """Four loads of a window count four times where nothing says that they meet."""
    lines = [f"tmp{n} = tl.load(in_ptr1 + ({n} + x0*x0 // 3), xmask)" for n in range(4)]
    definition = kernel("only", "\n".join(lines), in_ptr0="fp32", in_ptr1="fp32", out_ptr0="fp32")
    calls = (
        "buf0 = empty_strided_cuda((4096, ), (1, ), torch.float32)",
        run("only", "buf0", "buf0", "buf0"),
        "return (buf0, )",
    )
    (work,) = works_of_calls(loaded(tmp_path, module(definition, *calls)))

    assert work.bytes is not None
    assert work.bytes.most == 4 * ELEMENTS * 4
