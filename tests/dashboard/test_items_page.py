"""All items of one kind, as records: now, and against the level some runs before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from history.store.made import Made
from kernelmap.dashboard import listed
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import Taken, item, levels, runs_before
from kernelmap.dashboard.pages import page_at
from kernelmap.history.store import Store
from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.page import Figure, Link, Page, PageTable
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import TABLES
from pages.hand_tables import make_tables

_KINDS = {"op": "ops", "call": "calls", "line": "lines", "graph": "graphs"}


def table(page: Page) -> PageTable:
    return next(section for section in page.sections if isinstance(section, PageTable))


def shown(archive: Archive, query: str) -> PageTable:
    return table(page_at(parse_address("/items", query), archive))


@pytest.mark.parametrize("kind", _KINDS)
def test_all_items_of_the_newest_run_are_there(kind: str, archive: Archive) -> None:
    """Each row of its table once, with its time per step, and links that know branch and GPU."""
    run = archive.store.open("main")
    table_ = shown(archive, f"kind={kind}&branch=main")
    now = table_.data[table_.data["time_ns"].notna()]
    of_run = list(rows_of_frame(TABLES[_KINDS[kind]], run.tables.frame(_KINDS[kind])))
    total = sum(int(str(row["time_ns"])) + int(str(row.get("backward_ns") or 0)) for row in of_run)
    if kind == "op":
        total = sum(int(str(row["time_ns"])) for row in of_run)

    assert len(now) == len(of_run)
    assert now["time_ns"].sum() * 20 == pytest.approx(total)
    keys = {to.key for row in of_run if (to := item(kind, row)) is not None}
    cells = [row.cells[0] for row in table_.rows]
    assert {cell.to.key for cell in cells if isinstance(cell, Link)} >= keys
    assert {cell.to.branch for cell in cells if isinstance(cell, Link)} == {"main"}


def test_what_a_fusion_did_is_seen_against_the_level_before_it(archive: Archive) -> None:
    """Before the change, the new calls are new and the old one is gone; after it, nothing is."""
    far = shown(archive, "kind=call&branch=main&last=22&find=safe_softmax")
    changes = [str(row.cells[-2]) for row in far.rows]

    assert sorted(changes) == ["gone", "new", "new"]
    assert [row.dim for row in far.rows] == [False, False, True]
    near = shown(archive, "kind=call&branch=main&last=5&find=safe_softmax")
    assert len(near.rows) == 2
    assert all(str(row.cells[-2]).endswith("%") for row in near.rows)


def test_the_largest_change_comes_first_where_asked(archive: Archive) -> None:
    """The library call that was planted slower leads, by its own 35 %."""
    table_ = shown(archive, "kind=call&branch=main&last=20&by=change")
    first = table_.data.iloc[0]

    assert first["name"] == "extern_kernels.addmm"
    assert first["change"] == pytest.approx(0.35, abs=0.05)
    changes = (table_.data["time_ns"].fillna(0) - table_.data["before_ns"].fillna(0)).abs()
    assert changes.is_monotonic_decreasing


@pytest.mark.parametrize("text", ["softmax tril", "TRIL Softmax", "tril"])
def test_an_item_is_found_by_any_words_of_it(text: str, archive: Archive) -> None:
    """All words, in any order and case; its ops and places count as well as its name."""
    table_ = shown(archive, f"kind=call&branch=main&last=5&find={text.replace(' ', '+')}")

    assert table_.data["name"].str.contains("tril").tolist() == [True, True]
    assert len(shown(archive, "kind=call&branch=main&find=0_backward/0").rows) == 1
    assert shown(archive, "kind=call&branch=main&find=no+such+thing").rows == ()


def test_pages_hold_each_item_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links lead through all of them; an address beyond the last one shows the last."""
    monkeypatch.setattr(listed, "ROWS", 10)
    asked: Address | None = parse_address("/items", "kind=op&branch=main")
    names: list[str] = []
    while asked is not None:
        page = page_at(asked, archive)
        names += [c.text for row in table(page).rows if isinstance(c := row.cells[0], Link)]
        ways = [way for way in table(page).about if isinstance(way, Link)]
        asked = next((way.to for way in ways if way.text.startswith("the next")), None)

    assert len(names) == len(set(names)) == len(table(page).data)
    beyond = table(page_at(parse_address("/items", "kind=op&branch=main&at=99"), archive))
    assert beyond.rows == table(page).rows


def test_menus_keep_what_is_looked_for_and_begin_anew(archive: Archive) -> None:
    """Another kind or branch keeps the text, and shows its first page."""
    page = page_at(parse_address("/items", "kind=op&find=mm&at=2"), archive)
    options = [option.to for menu in page.menus for option in menu.options]

    assert {menu.label for menu in page.menus} == {"of", "by", "branch", "device", "against"}
    assert {to.find for to in options} == {"mm"}
    assert {to.at for menu in page.menus for to in (o.to for o in menu.options)} <= {None, 2}
    assert all(o.to.at is None for m in page.menus if m.label != "against" for o in m.options)


def test_a_branch_that_is_not_there_is_said(archive: Archive) -> None:
    """No table, and no error either."""
    page = page_at(parse_address("/items", "branch=nobody"), archive)

    assert not any(isinstance(section, PageTable) for section in page.sections)
    assert "no run has this branch" in str(page.sections)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("total_ns", [0, 12_340_000])
def test_whatever_a_list_names_has_its_page(kind: str, total_ns: int, empty: Store) -> None:
    """Also hostile names, a single run, and a window without any time: text, chart, no error."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    tables = make_tables()
    summary = replace(tables.summary, total_ns=total_ns)
    calls = tables.frame("calls").assign(fingerprint=tables.frame("calls")["call"])
    frames = {**tables.frames, "calls": calls}
    empty.record(Made(content=replace(tables, summary=summary, frames=frames)))
    archive = Archive(empty, patience=None)
    archive.look()
    table_ = shown(archive, f"kind={kind}")
    cells = [link for row in table_.rows if isinstance(link := row.cells[0], Link)]

    assert len(cells) >= len(table_.rows) - 1  # the rest row of calls has no page
    for link in cells:
        sections = page_at(link.to, archive).sections
        assert sum(isinstance(section, Figure) for section in sections) == 3, link


@given(st.integers(1, 40), st.integers(1, 60))
def test_the_level_lies_where_it_was_asked_for(count: int, back: int) -> None:
    """The level is of up to five runs around the one so far back, never of the newest."""
    runs = [f"{at:02}" for at in range(count)]
    near = runs_before(runs, back)

    assert list(near) == sorted(near)
    assert len(near) <= 5
    assert runs[-1] not in near
    if count > 1:
        assert runs[max(count - 1 - back, 0)] in near


_ITEMS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 10**9))


def run_of(times: dict[str, int]) -> dict[str, Taken]:
    return {key: Taken(key=key, row={"name": key}, time_ns=ns) for key, ns in times.items()}


@given(_ITEMS, st.lists(_ITEMS, min_size=1, max_size=5))
def test_each_item_has_one_row(now: dict[str, int], before: list[dict[str, int]]) -> None:
    """First come the items of now, longest first, then those of at least half the earlier runs."""
    item_rows = levels(run_of(now), [run_of(earlier) for earlier in before], (2, [2] * len(before)))
    usual = {
        key for key in "abcdef" if 2 * sum(key in earlier for earlier in before) >= len(before)
    }

    names = [row.item.name for row in item_rows]
    assert sorted(names) == sorted({*now, *usual & {k for earlier in before for k in earlier}})
    times = [row.now_ns for row in item_rows if row.now_ns is not None]
    assert times == sorted((ns / 2 for ns in now.values()), reverse=True)
    assert all(row.now_ns is None for row in item_rows[len(times) :])
    assert {row.item.name for row in item_rows if row.before_ns is not None} <= usual
