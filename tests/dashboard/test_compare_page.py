"""Two runs on one page: what adds up, what leads where, and what is said where it cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from make_history import Simulated, history
from msgspec.structs import replace

import kernelmap
from dashboard.looking import all_links, column, links, of_kind, table, text, warnings
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import rows_of
from kernelmap.dashboard.pages import compare, page_at
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.texts.show import BY
from kernelmap.history.compare.texts.words import lines_of_changes
from kernelmap.history.store import Store
from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.page import Form, Note, PageTable, WaitingNote
from kernelmap.pages.text import format_signed, make_visible

SAMPLE = Path(__file__).resolve().parents[2] / "sample_traces" / "cpu_block"
FUSED, ADDED = "c0007", "c0021"
"""The commits that broke a fusion up, and added a launch."""


def run_of(archive: Archive, commit: str) -> str:
    """The id of the run of a commit."""
    assert archive.snapshot.listing is not None
    (run_id,) = [run.id for run in archive.snapshot.listing.runs if run.facts.commit == commit]
    return run_id


def fused(archive: Archive, **more: str) -> Address:
    """The comparison over the commit that broke a fusion up."""
    after = run_of(archive, FUSED)
    return Address(page="compare", before=f"{after}~1", after=after, **more)  # type: ignore[arg-type] # texts


def compared(archive: Archive, asked: Address) -> Comparison:
    """What the page at `asked` is made from."""
    ids = [archive.store.open(ref or "").id for ref in (asked.before, asked.after)]
    return archive.comparison(*ids)


def test_causes_lead_from_the_time_before_to_the_time_after(archive: Archive) -> None:
    """The bars of the waterfall add up, to the ns."""
    asked = fused(archive)
    ns = table(page_at(asked, archive), "causes").data["ns"].tolist()

    assert ns[0] + sum(ns[1:-1]) == ns[-1]
    assert ns[-1] - ns[0] == compared(archive, asked).change_ns


@pytest.mark.parametrize("by", list(BY))
def test_every_table_adds_up_to_the_change(archive: Archive, by: str) -> None:
    """The changes, and the same by op, line, call and graph; the data holds all rows."""
    asked = fused(archive, by=by)
    page, whole = page_at(asked, archive), compared(archive, asked)
    rolled = table(page, BY[by])

    assert table(page, "changes").data["change_ns"].sum() == whole.change_ns
    assert rolled.data["change_ns"].sum() == whole.change_ns
    assert rolled.data["before_ns"].sum() == pytest.approx(whole.before_ns, abs=len(rolled.data))
    assert len(rolled.data) == len(whole.tables[BY[by]])
    assert len(table(page, "changes").data) == len(whole.changes)


def test_rows_that_are_not_shown_stand_in_one(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown still adds up, and the data still has all."""
    # a private: no run of the history has more changes than are shown, and nobody chooses how many
    monkeypatch.setattr(compare, "_SHOWN", 3)
    asked = fused(archive, by="call")
    page, whole = page_at(asked, archive), compared(archive, asked)
    changed = [row.change_ns for row in whole.tables["calls"] if row.change_ns]
    rows = column(table(page, "calls"), "change")
    causes = column(table(page, "changes"), "a step")

    assert rows == [*map(format_signed, changed[:3]), format_signed(sum(changed[3:]))]
    assert causes == [format_signed(line.change_ns) for line in lines_of_changes(whole, 3)]
    assert sum(line.change_ns for line in lines_of_changes(whole, 3)) == whole.change_ns
    assert len(table(page, "calls").data) == len(whole.tables["calls"])


def test_a_planted_cause_leads_to_its_calls(archive: Archive) -> None:
    """A fusion that was broken up is listed with links to the calls that it became."""
    asked = fused(archive)
    changes = table(page_at(asked, archive), "changes")
    at = column(changes, "cause").index("fused otherwise")
    places = links(column(changes, "where")[at])
    calls = archive.store.open(asked.after or "").calls.set_index("call")["fingerprint"]

    assert len(places) == 2
    assert [link.to.key for link in places] == [calls[link.text] for link in places]
    assert {(link.to.page, link.to.kind) for link in places} == {("item", "call")}


@pytest.mark.parametrize(("by", "column_of"), [("op", "name"), ("graph", "graph")])
def test_rows_lead_to_what_they_name(archive: Archive, by: str, column_of: str) -> None:
    """A row's link has the key of the row of the run's own table."""
    asked = fused(archive, by=by)
    name = BY[by]
    cells = column(table(page_at(asked, archive), name), by)
    keys_of_run = set(getattr(archive.store.open(asked.after or ""), name)[column_of])
    keys = {link.to.key for cell in cells for link in links(cell)}

    assert keys
    assert keys <= keys_of_run
    assert not any(links(cell) for cell in cells if text(cell).startswith("("))


def test_a_gone_call_leads_to_what_it_was(archive: Archive) -> None:
    """A call of the run before alone is looked up there, not by its place in the run after."""
    added = run_of(archive, ADDED)
    asked = Address(page="compare", before=added, after=f"{added}~1", by="call")
    cells = column(table(page_at(asked, archive), "calls"), "call")
    (gone,) = [cell for cell in cells if text(cell).endswith("(gone)")]
    (link,) = links(gone)
    calls = archive.store.open(added).calls.set_index("call")["fingerprint"]

    assert link.to.key == calls[link.text.partition(" ")[0]]


def test_the_two_can_be_swapped(archive: Archive) -> None:
    """The link leads to the opposite change, and its permalink says so."""
    page = page_at(fused(archive), archive)
    (swapped,) = [link for link in all_links(page) if link.text == "swap the two"]
    back = page_at(parse_address(*swapped.to.href.split("?")), archive)
    there, here = (table(shown_page, "causes").data["ns"].tolist() for shown_page in (page, back))

    assert (there[0], there[-1]) == (here[-1], here[0])
    assert (
        table(back, "runs").data["run"].tolist() == table(page, "runs").data["run"].tolist()[::-1]
    )


def test_either_run_can_be_stepped(archive: Archive) -> None:
    """The runs before and after are those of its branch; the ends have one neighbor."""
    asked = Address(page="compare", before="main~23", after="main")
    before, after = column(table(page_at(asked, archive), "runs"), "instead of it")
    run = archive.store.open

    assert [(link.text, link.to.before) for link in links(before)] == [
        ("the run after", run("main~22").id)
    ]
    assert [(link.text, link.to.after) for link in links(after)] == [
        ("the run before", run("main~1").id)
    ]


@pytest.mark.parametrize("ref", ["main~3", "latest", "feature", "latest~2"])
def test_runs_are_named_as_the_command_line_does(archive: Archive, ref: str) -> None:
    """Every way to name a run means the same here."""
    page = page_at(Address(page="compare", before="main~5", after=ref), archive)

    assert table(page, "runs").data["run"].tolist() == [
        archive.store.open(name).id for name in ("main~5", ref)
    ]


@pytest.mark.parametrize("side", ["before", "after"])
def test_of_one_run_the_neighbor_is_the_other(archive: Archive, side: str) -> None:
    """The one before where `after` is given, else the one after."""
    asked = Address(page="compare").with_changes(**{side: "main~4"})
    ids = [archive.store.open(f"main~{back}").id for back in (5, 4, 3)]

    shown = table(page_at(asked, archive), "runs").data["run"].tolist()
    assert shown == (ids[:2] if side == "after" else ids[1:])


def test_without_runs_the_newest_of_each_branch_are_offered(archive: Archive) -> None:
    """The newest run of each branch is offered against the one before it."""
    table_ = table(page_at(Address(page="compare"), archive), "newest")
    pairs = {(row["branch"], row["before"], row["after"]) for row in table_.data.to_dict("records")}

    assert pairs == {
        (branch, archive.store.open(f"{branch}~1").id, archive.store.open(branch).id)
        for branch in ("main", "feature")
    }
    assert [links(cell)[0].to.after for cell in column(table_, "")] == table_.data["after"].tolist()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [("nobody", "main", "nobody"), ("main", "2026", "2026"), (None, "main~23", "no other run")],
)
def test_a_run_that_is_not_there_is_said(
    archive: Archive, before: str | None, after: str, said: str
) -> None:
    """The page warns, says what to do, and keeps the form with what was written."""
    page = page_at(Address(page="compare", before=before, after=after), archive)
    (form,) = of_kind(page, Form)
    (warning,) = warnings(page)

    assert said in warning
    assert "kernelmap runs" in warning or "Give an id" in warning
    assert [field.value for field in form.fields] == [before or "", after]
    assert not [section for section in of_kind(page, PageTable) if section.id == "causes"]


def test_the_form_keeps_the_choice_of_a_table(archive: Archive) -> None:
    """Other runs are shown by the same; a word that is no choice is none."""
    (form,) = of_kind(page_at(fused(archive, by="line"), archive), Form)
    (menu,) = page_at(fused(archive, by="nothing"), archive).menus

    assert form.to == Address(page="compare", by="line")
    assert menu.chosen == "op"


def test_what_is_known_is_shown_while_the_rest_is_worked_out(archive: Archive) -> None:
    """The two runs are named at once, while the comparison is still being computed."""
    hasty = Archive(archive.store, patience=0, snapshot=archive.snapshot)
    page = page_at(fused(archive), hasty)
    hasty.close()

    assert of_kind(page, WaitingNote)
    assert len(table(page, "runs").rows) == 2


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """Names of runs and branches are cells of text, in one line, and never leave their cell."""
    hostile = "<script>alert(1)</script>\x1b[2J"
    store = Store(tmp_path / "kept")
    for recording in history(8):
        store.record(
            Simulated(content=recording.tables),
            branch=hostile,
            name="<b>a</b>",
            tags={"<i>": "</td>"},
        )
    archive = Archive(store, patience=None)
    archive.look()
    page = page_at(Address(page="compare", before="latest~1", after="latest"), archive)
    shown = table(page, "runs")

    assert column(shown, "branch") == [make_visible(hostile)] * 2
    assert column(shown, "name") == ["<b>a</b>"] * 2
    assert not any("\x1b" in text(cell) for row in shown.rows for cell in row.cells)


def test_what_differs_beside_the_code_is_a_warning(archive: Archive, tmp_path: Path) -> None:
    """Two runs that nothing makes hard to compare are said to be comparable; others warn."""
    store = Store(tmp_path / "kept")
    small, large = (Simulated(content=recording.tables) for recording in list(history(8))[:2])
    store.record(small, branch="main")
    other = replace(large.content.summary, devices=("Another GPU",))
    store.record(Simulated(content=replace(large.content, summary=other)), branch="main")
    mixed = Archive(store, patience=None)
    mixed.look()
    alike = page_at(fused(archive), archive)
    unlike = page_at(Address(page="compare", before="latest~1", after="latest"), mixed)

    assert not warnings(alike)
    assert any("comparable" in text(line) for note in of_kind(alike, Note) for line in note.lines)
    assert [warning for warning in warnings(unlike) if "Another GPU" in warning]


def test_a_line_leads_to_its_history(tmp_path: Path) -> None:
    """Its key means the rows of the line, and no others."""
    store, result = Store(tmp_path / "kept"), kernelmap.correlate(SAMPLE)
    moved = {name: np.roll(result.lines[name], 1) for name in ("time_ns", "backward_ns")}
    frames = {**result.tables.frames, "lines": result.lines.assign(**moved)}
    store.record(result)
    store.record(Simulated(content=replace(result.tables, frames=frames)))
    archive = Archive(store, patience=None)
    archive.look()
    asked = Address(page="compare", before="latest~1", after="latest", by="line")
    cells = column(table(page_at(asked, archive), "lines"), "line")
    ways = [link for cell in cells for link in links(cell)]
    filters = [rows_of(link.to.kind, link.to.key) for link in ways]

    assert len(ways) == result.lines["code"].notna().sum()
    assert [f"{where['file']}: {where['code']}" for _, where in filter(None, filters)] == [
        link.text for link in ways
    ]
