"""One run's page: its tables whole, its facts, the way on, and its whole report as a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from make_history import Simulated, history
from msgspec.structs import replace

from dashboard.asking import client
from dashboard.looking import all_links, column, links, of_kind, table, text, warnings
from kernelmap.dashboard import listed
from kernelmap.dashboard.app import packed
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import page_at
from kernelmap.dashboard.pages.run import TABLES_SHOWN
from kernelmap.history.store import Store
from kernelmap.model import Notice
from kernelmap.pages.address import Address
from kernelmap.pages.columns import VIEWS
from kernelmap.pages.page import Figure, Note, PageTable
from kernelmap.pages.text import make_visible
from kernelmap.tables.schema import BY
from pages.hand_tables import make_tables

NEWEST = Address(page="run", run="main")


@pytest.mark.parametrize("by", TABLES_SHOWN)
def test_a_table_is_that_of_the_run(archive: Archive, by: str) -> None:
    """The rows stand in the table's own order, and the data is the table."""
    run = archive.store.open("main")
    table_ = table(page_at(NEWEST.with_changes(by=by), archive), BY[by])
    frame = run.tables.frame(BY[by])

    assert len(table_.rows) == min(len(frame), listed.ROWS)
    assert table_.data.equals(frame)


@pytest.mark.parametrize(
    ("by", "key"), [("op", "name"), ("call", "fingerprint"), ("graph", "graph")]
)
def test_rows_lead_to_their_history(archive: Archive, by: str, key: str) -> None:
    """Rows link by the key that they have in other runs; time without an owner has no link."""
    table_ = table(page_at(NEWEST.with_changes(by=by), archive), BY[by])
    titles = column(table_, VIEWS[BY[by]].noun)
    keys = [cell[0].to.key if (cell := links(title)) else None for title in titles]
    rests = [text(title).startswith("(") for title in titles]

    assert [
        None if rest else name for name, rest in zip(table_.data[key], rests, strict=True)
    ] == keys
    assert any(keys)


def test_pages_of_a_table_hold_every_row_once(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order; a page behind the last one is the last one."""
    monkeypatch.setattr(listed, "ROWS", 7)
    calls = archive.store.open("main").calls
    pages = [
        table(page_at(NEWEST.with_changes(by="call", at=at), archive), "calls")
        for at in range(1, 7)
    ]
    count = -(-len(calls) // 7)
    shown = [cell for table_ in pages[:count] for cell in column(table_, "where")]

    assert [cell or None for cell in shown] == [
        None if missing else call
        for call, missing in zip(calls["call"], calls["call"].isna(), strict=True)
    ]
    assert pages[count].rows == pages[count - 1].rows
    assert all(table_.data.equals(calls) for table_ in pages)


def test_the_ledger_stands_above_the_tables(archive: Archive) -> None:
    """Its data is the ledger, and its bars add up to the window."""
    (ledger,) = of_kind(page_at(NEWEST, archive), Figure)
    run = archive.store.open("main")

    assert ledger.data.equals(run.ledger)
    assert sum(bar.x[0] for bar in ledger.plot.data) == run.summary.total_ns


def test_a_run_of_a_serving_engine_has_its_steps(archive: Archive, tmp_path: Path) -> None:
    """A table by kind and batch with the steady state; a run of no engine has none at all."""
    store = Store(tmp_path / "store")
    store.record(Simulated(content=make_tables()))
    made = Archive(store, patience=None)
    made.look()
    page = page_at(Address(page="run"), made)
    kinds = table(page, "step_kinds")

    shown = [
        [text(row.cells[0]), text(cell)]
        for row, cell in zip(kinds.rows, column(kinds, "busy"), strict=True)
    ]
    assert shown == [["decode", "75.0 %"], ["prefill", ""], ["(in no step)", ""]]
    assert "steps 3 to 5: 3 steps of decode" in "".join(map(text, kinds.about))
    assert not [it for it in of_kind(page_at(NEWEST, archive), PageTable) if it.id == "step_kinds"]


def test_a_run_leads_to_its_neighbors_and_its_report(archive: Archive) -> None:
    """It links to the change since the run before, to both neighbors, and to its own report."""
    run = archive.store.open
    ways = {
        link.text: link for link in all_links(page_at(Address(page="run", run="main~3"), archive))
    }
    before, chosen, after = (run(f"main~{back}").id for back in (4, 3, 2))

    assert ways["what changed since the run before"].to == Address(
        page="compare", before=before, after=chosen
    )
    assert ways["the run before"].to.run == before
    assert ways["the run after"].to.run == after
    assert (ways["The whole report"].to.href, ways["The whole report"].leaves) == (
        f"/report/{chosen}",
        True,
    )


def test_the_facts_are_those_of_the_run(archive: Archive) -> None:
    """The data has every fact; the rows show those that a person asks for first."""
    run = archive.store.open("main")
    facts = table(page_at(NEWEST, archive), "facts")
    recorded = dict(zip(facts.data["fact"], facts.data["value"], strict=True))
    shown = dict(zip(map(text, column(facts, "fact")), map(text, column(facts, "")), strict=True))

    assert (recorded["id"], recorded["total_ns"], recorded["share exact"]) == (
        run.id,
        run.summary.total_ns,
        run.summary.coverage["exact"],
    )
    assert shown["branch"] == f"main · commit {run.facts.commit}"
    assert "steps 0 to 19" in shown["window"]


def test_an_unknown_run_is_said(archive: Archive) -> None:
    """The page warns and says what to do."""
    (warning,) = warnings(page_at(Address(page="run", run="nobody"), archive))

    assert "no run is named 'nobody'" in warning
    assert "kernelmap runs" in warning


@pytest.fixture
def hostile(tmp_path: Path) -> Archive:
    """One run whose every name is hostile, with something that could not be used."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    made = next(history(8))
    notice = Notice(slug="lost", message="<u>lost</u>\x1b[2J", hint="<s>look</s>", gap=True)
    tables = replace(made.tables, notices=(notice,))
    store = Store(tmp_path / "kept")
    store.record(
        Simulated(content=tables),
        branch="<b>\u202e",
        name="<i>\x1b",
        commit="<u>",
        tags={"<tag>": "</td>"},
    )
    archive = Archive(store, patience=None)
    archive.look()
    return archive


def test_hostile_names_stay_text(hostile: Archive) -> None:
    """They are texts in one line, wherever they stand."""
    page = page_at(Address(page="run"), hostile)
    facts = dict(
        zip(*(map(text, column(table(page, "facts"), name)) for name in ("fact", "")), strict=True)
    )

    assert facts["branch"] == make_visible("<b>\u202e") + " · commit <u>"
    assert facts["tags"] == "<tag>=</td>"
    assert of_kind(page, Note)[0].title == make_visible("<i>\x1b")


def test_what_could_not_be_used_is_a_warning(hostile: Archive) -> None:
    """With what to do about it."""
    (warning,) = warnings(page_at(Address(page="run"), hostile))

    assert warning == make_visible("<u>lost</u>\x1b[2J") + ". <s>look</s>"


def test_a_damaged_run_is_said_and_its_facts_are_shown(hostile: Archive) -> None:
    """A damaged table is not shown; the page says which run is damaged and what to do."""
    run = hostile.store.open("latest").id
    file = Path(hostile.store.place.address(f"runs/{run}/calls.parquet"))
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(bytes(raw))
    page = page_at(Address(page="run"), hostile)
    _, warning = warnings(page)

    assert f"run {run} is damaged" in warning
    assert "record the run's inputs again" in warning
    assert [table_.id for table_ in of_kind(page, PageTable)] == ["facts"]


@pytest.mark.sampled
@pytest.mark.parametrize("by", TABLES_SHOWN)
def test_a_window_without_time_has_a_page(tmp_path: Path, by: str) -> None:
    """Its tables say that they are empty, and nothing is divided by nothing."""
    made = next(history(8))
    nothing = replace(
        made.tables.summary, total_ns=0, busy_ns=0, launches=0, coverage={}, steps=None
    )
    frames = {name: frame.iloc[:0] for name, frame in made.tables.frames.items()}
    store = Store(tmp_path / "kept")
    store.record(Simulated(content=replace(made.tables, summary=nothing, frames=frames)))
    archive = Archive(store, patience=None)
    archive.look()
    table_ = table(page_at(Address(page="run", by=by), archive), BY[by])

    assert table_.rows == ()
    assert table_.empty == f"No {BY[by]} in this window."


def test_the_report_is_what_the_command_line_writes(archive: Archive, tmp_path: Path) -> None:
    """The same bytes, made in memory: the store stays as it was."""
    root = Path(archive.store.place.address(""))
    run = archive.store.open("main")
    before = sorted(root.rglob("*"))
    made = packed(run.id, archive)

    assert gzip.decompress(made) == run.write(tmp_path / "report.html").read_bytes()
    assert sorted(root.rglob("*")) == before


def test_the_report_is_served_with_its_own_policy(archive: Archive) -> None:
    """Its scripts may run by their hashes; an unknown run is said in plain text."""
    browser = client(archive)
    run = archive.store.open("main").id
    plain, small = (
        browser.get(f"/report/{run}", headers={"Accept-Encoding": encoding})
        for encoding in ("identity", "gzip")
    )
    unknown = browser.get("/report/<script>")

    assert plain.mimetype == small.mimetype == "text/html"
    assert plain.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert b"script-src &#39;sha256-" in plain.data or b"script-src 'sha256-" in plain.data
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == plain.data
    assert (unknown.status_code, unknown.mimetype) == (404, "text/plain")


def test_a_report_on_its_way_is_asked_for_again(archive: Archive) -> None:
    """The answer comes at once, and the browser comes back by itself."""
    hasty = Archive(archive.store, patience=0, snapshot=archive.snapshot)
    run = archive.store.open("main~1").id
    answer = client(hasty).get(f"/report/{run}")
    hasty.close()

    assert answer.headers["Refresh"]
    assert answer.mimetype == "text/plain"
    assert run in answer.text
