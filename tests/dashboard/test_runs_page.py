"""The list of runs: all of them once, and those that are looked for."""

from __future__ import annotations

import pytest
from make_history import Simulated, history

from dashboard.looking import column, links, table, text
from kernelmap.dashboard import listed
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import page
from kernelmap.present.address import Address
from kernelmap.present.page import Table
from kernelmap.present.text import visible
from kernelmap.store import Store

HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Runs that say more of themselves."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    store = Store(tmp_path_factory.mktemp("named") / "kept")
    about: tuple[dict[str, object], ...] = (
        {"branch": "Main", "commit": "abc123", "changed": True},
        {"branch": HOSTILE, "name": "<b>nightly</b>"},
        {"name": "weekly", "tags": {"model": "small", "is": HOSTILE}},
    )
    for each, facts in zip(history(8), about, strict=False):
        store.record(Simulated(content=each.tables), **facts)  # type: ignore[arg-type] # as record takes them
    made = Archive(store, patience=None)
    made.look()
    return made


def shown(archive: Archive, **asked: object) -> Table:
    return table(page(Address(page="runs", **asked), archive), "runs")  # type: ignore[arg-type] # fields of Address


def ids(found: Table) -> list[str]:
    return [text(cell) for cell in column(found, "run")]


def test_all_runs_are_there_newest_first(archive: Archive) -> None:
    """Every page has its part of them, and the data of each has all."""
    assert archive.snapshot.listing is not None
    every = [run.id for run in reversed(archive.snapshot.listing.runs)]

    assert ids(shown(archive)) == every
    assert shown(archive).data["run"].tolist() == every


def test_pages_hold_every_run_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Following the links from the first page to the last one passes all runs."""
    monkeypatch.setattr(listed, "ROWS", 10)
    found, seen, steps = shown(archive), [], []
    while True:
        seen += ids(found)
        ways = [link for link in links(found.about) if "next" in link.text]
        if not ways:
            break
        steps.append(ways[0].text)
        found = shown(archive, at=ways[0].to.at)

    assert seen == found.data["run"].tolist()
    assert steps == ["the next 10", "the next 10", "the next 2"]
    assert ids(shown(archive, at=99)) == ids(found)


@pytest.mark.parametrize(
    ("find", "count"),
    [
        ("ABC1", 1),
        ("weekly", 1),
        ("ly", 2),
        ("main", 1),
        ("model=SMALL", 1),
        ("onerror", 2),
        (" weekly ", 1),
        ("no such run", 0),
    ],
)
def test_a_text_is_looked_for_in_all_that_names_a_run(
    named: Archive, find: str, count: int
) -> None:
    """In name, branch, commit and tags, in whichever case."""
    found = shown(named, find=find)

    assert len(found.rows) == len(found.data) == count


def test_a_run_is_found_by_its_id(archive: Archive) -> None:
    """A part of it is enough."""
    wanted = archive.store.open("main~4").id

    assert ids(shown(archive, find=wanted[4:])) == [wanted]


def test_branch_and_gpu_choose(archive: Archive) -> None:
    """Runs of others are left out, of the data too, and the menus offer what there is."""
    found = shown(archive, branch="feature")
    menus = page(Address(page="runs", branch="feature"), archive).menus

    assert set(found.data["branch"]) == {"feature"}
    assert len(found.rows) == 8
    assert not shown(archive, gpu="another").rows
    assert [[each.text for each in menu.options] for menu in menus] == [
        ["all", "main", "feature"],
        ["all", "Simulated GPU"],
    ]


def test_each_run_can_be_compared_with_the_one_before(archive: Archive) -> None:
    """With that of its branch; the first one of a branch has none."""
    found = shown(archive, branch="main")
    ways = column(found, "the one before")
    every = ids(found)

    pairs = [(links(way)[0].to.before, links(way)[0].to.after) for way in ways[:-1]]
    assert pairs == list(zip(every[1:], every[:-1], strict=True))
    assert ways[-1] == ""


def test_hostile_names_stay_text(named: Archive) -> None:
    """They are cells of text, in one line; a menu shows them the same."""
    found = shown(named)
    branches = page(Address(page="runs"), named).menus[0]

    assert visible(HOSTILE) in column(found, "branch")
    assert "<b>nightly</b>" in column(found, "name")
    assert any(visible(HOSTILE) in text(cell) for cell in column(found, "tags"))
    assert not any("\x1b" in text(cell) for row in found.rows for cell in row.cells)
    assert visible(HOSTILE) in [each.text for each in branches.options]
    assert len(shown(named, branch=HOSTILE).rows) == 1
