"""The list of runs: all of them once, and those that are looked for."""

from __future__ import annotations

import pytest
from make_history import Simulated, history

from dashboard.looking import column, links, table, text
from kernelmap.dashboard import listed
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import page_at
from kernelmap.history.store import Store
from kernelmap.pages.address import Address
from kernelmap.pages.page import PageTable
from kernelmap.pages.text import make_visible

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
    for recording, facts in zip(history(8), about, strict=False):
        store.record(Simulated(content=recording.tables), **facts)  # type: ignore[arg-type] # as record takes them
    made = Archive(store, patience=None)
    made.look()
    return made


def shown(archive: Archive, **asked: object) -> PageTable:
    return table(page_at(Address(page="runs", **asked), archive), "runs")  # type: ignore[arg-type] # fields of Address


def ids(table_: PageTable) -> list[str]:
    return [text(cell) for cell in column(table_, "run")]


def test_all_runs_are_there_newest_first(archive: Archive) -> None:
    """Every page has its part of them, and the data of each has all."""
    assert archive.snapshot.listing is not None
    every = [run.id for run in reversed(archive.snapshot.listing.runs)]

    assert ids(shown(archive)) == every
    assert shown(archive).data["run"].tolist() == every


def test_pages_hold_every_run_once(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Following the links from the first page to the last one passes all runs."""
    monkeypatch.setattr(listed, "ROWS", 10)
    table_, seen, steps = shown(archive), [], []
    while True:
        seen += ids(table_)
        ways = [link for link in links(table_.about) if "next" in link.text]
        if not ways:
            break
        steps.append(ways[0].text)
        table_ = shown(archive, at=ways[0].to.at)

    assert seen == table_.data["run"].tolist()
    assert steps == ["the next 10", "the next 10", "the next 2"]
    assert ids(shown(archive, at=99)) == ids(table_)


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
    table_ = shown(named, find=find)

    assert len(table_.rows) == len(table_.data) == count


def test_a_run_is_found_by_its_id(archive: Archive) -> None:
    """A part of it is enough."""
    wanted = archive.store.open("main~4").id

    assert ids(shown(archive, find=wanted[4:])) == [wanted]


def test_branch_and_gpu_choose(archive: Archive) -> None:
    """Other runs are left out, of the data as well; the menus offer the values that there are."""
    table_ = shown(archive, branch="feature")
    menus = page_at(Address(page="runs", branch="feature"), archive).menus

    assert set(table_.data["branch"]) == {"feature"}
    assert len(table_.rows) == 8
    assert not shown(archive, gpu="another").rows
    assert [[option.text for option in menu.options] for menu in menus] == [
        ["all", "main", "feature"],
        ["all", "Simulated GPU"],
    ]


def test_each_run_can_be_compared_with_the_one_before(archive: Archive) -> None:
    """A run is compared with the one before it on its branch; the first one has none."""
    table_ = shown(archive, branch="main")
    ways = column(table_, "the one before")
    every = ids(table_)

    pairs = [(links(way)[0].to.before, links(way)[0].to.after) for way in ways[:-1]]
    assert pairs == list(zip(every[1:], every[:-1], strict=True))
    assert ways[-1] == ""


def test_hostile_names_stay_text(named: Archive) -> None:
    """They are cells of text, in one line; a menu shows them the same."""
    table_ = shown(named)
    branches = page_at(Address(page="runs"), named).menus[0]

    assert make_visible(HOSTILE) in column(table_, "branch")
    assert "<b>nightly</b>" in column(table_, "name")
    assert any(make_visible(HOSTILE) in text(cell) for cell in column(table_, "tags"))
    assert not any("\x1b" in text(cell) for row in table_.rows for cell in row.cells)
    assert make_visible(HOSTILE) in [option.text for option in branches.options]
    assert len(shown(named, branch=HOSTILE).rows) == 1
