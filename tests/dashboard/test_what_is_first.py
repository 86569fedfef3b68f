"""What a page shows first is what changed; what says nothing takes no room."""

from __future__ import annotations

import pytest

from dashboard.looking import links, of_kind, table, text
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.html_page import Around, render_page
from kernelmap.dashboard.pages import page_at
from kernelmap.history.compare.texts.show import table_of_causes
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Figure,
    Form,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
)
from kernelmap.pages.render import html
from kernelmap.pages.text import signed_percent

KERNEL = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<" + "float, " * 40 + ">"


def first_two(archive: Archive) -> Address:
    (one, other) = archive.snapshot.listing.runs[3:5] if archive.snapshot.listing else ()
    return Address(page="compare", before=one.id, after=other.id)


def test_the_history_begins_with_what_changed(archive: Archive) -> None:
    """The table of the marks and their causes stands above the chart."""
    first, second = page_at(Address(), archive).sections[:2]

    assert isinstance(first, PageTable)
    assert first.id == "changes"
    assert isinstance(second, Figure)


def test_an_item_begins_with_what_changed(archive: Archive) -> None:
    """As the first page does."""
    shown = page_at(Address(page="item", kind="op", key="aten.mm"), archive)

    assert getattr(shown.sections[0], "id", None) == "changes"


def test_a_comparison_begins_with_its_answer(archive: Archive) -> None:
    """How much faster or slower, and from which run to which; the way to others is at the end."""
    asked = first_two(archive)
    shown = page_at(asked, archive)
    first, last = shown.sections[0], shown.sections[-1]

    assert isinstance(first, Note)
    assert first.title == "nothing stands out from noise"
    assert "a step" in text(first.lines[0])
    assert text(first.lines[1]) == "From c0003 of main to c0004 of main."
    assert [link.to.run for link in links(first.lines[1])] == [asked.before, asked.after]
    assert isinstance(last, Form)


def test_a_run_says_first_what_it_took_against_the_one_before(archive: Archive) -> None:
    """A reader of one run sees whether it is slower without opening a comparison."""
    (newest,) = archive.snapshot.listing.runs[-1:] if archive.snapshot.listing else ()
    note = of_kind(page_at(Address(page="run", run=newest.id), archive), Note)[0]

    assert text(note.lines[0]).endswith(" % against the run before")
    assert " ms a step, " in text(note.lines[0])


@pytest.mark.parametrize("ratio", [0.99951, 0.9999, 1, 1.0001, 1.00049])
def test_no_change_has_no_sign(ratio: float) -> None:
    """What rounds to nothing is neither more nor less."""
    assert signed_percent(ratio - 1) == "0.0 %"


def test_a_change_of_many_times_is_said_in_times() -> None:
    """108.8x is read at once, +10775.0 % is not."""
    assert signed_percent(107.75) == "108.8x"


def test_items_that_did_not_change_have_no_sign(archive: Archive) -> None:
    """In the list of ops no change is `-0.0 %` or `+0.0 %`."""
    shown = table(page_at(Address(page="items", kind="op"), archive), "items")
    said = {text(cell) for row in shown.rows for cell in row.cells}

    assert not said & {"-0.0%", "+0.0%", "-0.0 %", "+0.0 %"}


def one(*rows: PageRow) -> Page:
    columns = (
        PageColumn(name="kernel", kind=CellKind.NAME),
        PageColumn(name="", kind=CellKind.BAR),
    )
    return Page(
        title="One", sections=(PageTable(title="Kernels", columns=columns, rows=rows, id="k"),)
    )


def both(shown: Page) -> tuple[str, str]:
    """A file of its own and a page of the dashboard, in which classes can be looked for."""
    around = Around(places=html.Places(), static="", titles={})
    return html.render_document(shown, title="One"), render_page(shown, Address(), around)


def test_a_bar_of_nothing_is_not_drawn() -> None:
    """An op without time has no bar, not even two pixels of one."""
    for nothing, something in zip(
        both(one(PageRow(cells=("a", Bar(0.0, 0.0))))),
        both(one(PageRow(cells=("a", Bar(0.0, 0.1))))),
        strict=True,
    ):
        assert "bar plain" not in nothing
        assert "bar plain" in something


def test_a_table_without_rows_is_a_line() -> None:
    """Its title and why it is empty, and no data to download."""
    for shown in both(one()):
        assert "card none" in shown
        assert "Nothing." in shown


def test_a_long_kernel_name_is_folded_and_all_of_it_is_there() -> None:
    """Eight lines of a C++ kernel stand in its cell; opening it shows the rest."""
    for shown in both(one(PageRow(cells=(KERNEL, Bar(0.0, 0.1))))):
        assert "long" in shown
        assert KERNEL in shown.replace("&lt;", "<").replace("&gt;", ">")
    for shown in both(one(PageRow(cells=("short", Bar(0.0, 0.1))))):
        assert "<summary>" not in shown


def test_a_waterfall_is_not_sorted(archive: Archive) -> None:
    """Its bars begin where the ones above them end."""
    asked = first_two(archive)

    assert table_of_causes(archive.comparison(asked.before or "", asked.after or "")).ordered
