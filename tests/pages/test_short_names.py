"""Names of one column in little room: they fit, they stay apart, and what fits stays whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kernelmap.pages.page import Bar, CellKind, Page, PageColumn, PageRow, PageTable
from kernelmap.pages.render import terminal
from kernelmap.pages.render.short_names import (
    shorten_list,
    shorten_names,
    shortest_list,
    width_to_tell_apart,
)
from kernelmap.pages.text import make_visible

NUMBERED = 8
"""Characters in which any name of a hundred has room for a number: `a…#100`."""

_words = st.sampled_from(("triton", "poi", "fused", "add", "mul", "float", "aten", "1", "16", "<"))
_joined = st.lists(_words, min_size=1, max_size=12).map("_".join)
_paths = st.lists(st.sampled_from(("home", "me", "net", "model.py:7", "a")), min_size=1, max_size=6)
names = st.lists(
    _joined | _paths.map("/".join) | st.text().map(make_visible), min_size=1, max_size=30
)


@given(names, st.integers(NUMBERED, 60), st.booleans())
def test_distinct_names_stay_distinct(column: list[str], width: int, paths: bool) -> None:
    """As many texts are distinct after shortening as before."""
    assert len(set(shorten_names(column, width, paths=paths))) == len(set(column))


@given(names, st.integers(0, 60), st.booleans())
def test_a_shortened_name_fits(column: list[str], width: int, paths: bool) -> None:
    """No text is wider than asked for, and a name that fits is not touched."""
    for name, short in zip(column, shorten_names(column, width, paths=paths), strict=True):
        assert cell_len(short) <= width
        assert short == name or cell_len(name) > width


@given(st.lists(_joined, min_size=1, max_size=30))
def test_the_width_that_is_asked_for_needs_no_number(column: list[str]) -> None:
    """In the width that tells names apart each says a part of its own, and none has a number.

    A name of the same words as another, in another order or number, has no such part.
    """
    distinct = {frozenset(name.split("_")): name for name in column}
    column = list(distinct.values())
    width = max(width_to_tell_apart(column, 500), 1)

    assert not any("#" in short for short in shorten_names(column, width))


def test_what_names_share_gives_way_first() -> None:
    """Two kernels that differ in one argument of a template show that argument."""
    functor = "void at::native::multi_tensor_apply_kernel<TensorListMetadata<3>, std::{}<float>>"
    short = shorten_names([functor.format("multiplies"), functor.format("divides")], 30)

    assert "multiplies" in short[0]
    assert "divides" in short[1]


def test_a_name_of_cpp_is_recognized_by_its_function() -> None:
    """Namespaces and what is returned say less of a kernel than its function does."""
    name = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int, T2)"

    assert all(
        "vectorized_" in shorten_names([name, "extern_kernels.mm"], width)[0]
        for width in range(24, len(name))
    )


def test_a_path_keeps_its_file_and_line() -> None:
    """Folders give way, those of least use first; two files of one name keep what differs."""
    paths = ["/home/me/net/blocks/layer.py:90", "/home/me/net/heads/layer.py:90", "a.py:1"]
    short = shorten_names(paths, 20, paths=True)

    assert short == ["…blocks/layer.py:90", "…heads/layer.py:90", "a.py:1"]


def test_a_list_shows_whole_entries() -> None:
    """Ids are never cut: the list ends earlier, and says how many more there are."""
    listed = "0_backward/25, 0_backward/3, 0_backward/117"

    assert shorten_list(listed, 32) == "0_backward/25, 0_backward/3 +1"
    assert shorten_list(listed, len(shortest_list(listed))) == "0_backward/25 +2"


def _table(*columns: PageColumn, rows: int = 3) -> PageTable:
    """Names that differ in the middle, beside columns of figures."""
    cells = {
        CellKind.NAME: "aten._scaled_dot_product_cudnn_{}_backward.default",
        CellKind.ID: "0_backward/{}",
        CellKind.TEXT: "equal",
    }
    return PageTable(
        title="",
        columns=columns,
        rows=tuple(
            PageRow(
                cells=tuple(
                    Bar(0, 1)
                    if column.kind is CellKind.BAR
                    else cells.get(column.kind, "12.34 µs").format(10 + row)
                    for column in columns
                )
            )
            for row in range(rows)
        ),
    )


@pytest.mark.parametrize("width", [60, 80, 100, 130])
def test_figures_do_not_push_the_name_out(width: int) -> None:
    """However many optional columns there are, a third of the line is the name's."""
    figures = [PageColumn(name=f"figure {at}", kind=CellKind.NUMBER, rank=at) for at in range(1, 9)]
    shown = _table(PageColumn(name="op", kind=CellKind.NAME, least=10), *figures)
    lines = terminal.render_text(Page(title="", sections=(shown,)), width).plain.splitlines()
    drawn = [re.split(r"  +", line)[0] for line in lines[1:4]]

    assert max(map(cell_len, lines)) <= width
    assert len(set(drawn)) == len(shown.rows)
    assert all(len(name) >= min(width // 4, 40) for name in drawn)


@pytest.mark.parametrize("width", [40, 60, 80, 130])
def test_an_id_is_never_cut(width: int) -> None:
    """What a command takes stands whole, or not at all."""
    call = PageColumn(name="call", kind=CellKind.ID, least=4, rank=1)
    shown = _table(PageColumn(name="op", kind=CellKind.NAME, least=10), call)
    text = terminal.render_text(Page(title="", sections=(shown,)), width).plain

    assert re.findall(r"\s(0_\S*)", text) in ([], [f"0_backward/{10 + row}" for row in range(3)])


def test_rows_of_one_name_show_what_tells_them_apart() -> None:
    """The column that tells equal names apart stays as long as the name does."""
    equal = PageColumn(name="kernel", kind=CellKind.NAME, least=10)
    figures = [PageColumn(name=f"figure {at}", kind=CellKind.NUMBER, rank=1) for at in range(9)]
    telling = PageColumn(name="call", kind=CellKind.ID, least=4, rank=9, tells=True)
    rows = tuple(
        PageRow(cells=("extern_kernels.mm", *["12.34 µs"] * 9, f"0_backward/{row}"))
        for row in range(3)
    )
    shown = PageTable(title="", columns=(equal, *figures, telling), rows=rows)
    text = terminal.render_text(Page(title="", sections=(shown,)), 60).plain

    assert all(f"0_backward/{row}" in text for row in range(3))


@pytest.mark.parametrize("width", [30, 40, 50, 60])
def test_what_tells_rows_apart_breaks_no_line(width: int) -> None:
    """Where there is no room at all, such columns give way as well, the last of all."""
    columns = (
        PageColumn(name="kernel", kind=CellKind.NAME, least=26),
        PageColumn(name="graph", kind=CellKind.ID, least=12, rank=2, tells=True),
        PageColumn(name="device name", least=16, rank=1, tells=True),
    )
    rows = tuple(
        PageRow(
            cells=("extern_kernels.mm", f"{row}_backward_graph", f"nvjet_sm90_tst_{row}x64_TNT")
        )
        for row in range(3)
    )
    shown = PageTable(title="", columns=columns, rows=rows)
    lines = terminal.render_text(Page(title="", sections=(shown,)), width).plain.splitlines()

    assert max(map(cell_len, lines)) <= width
