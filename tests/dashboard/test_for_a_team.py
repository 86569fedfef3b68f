"""What a team needs of the dashboard: notes on changes, links to commits, and honest answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from make_history import Simulated, history

from dashboard.asking import client
from dashboard.looking import column, links, of_kind, table, text, warnings
from history.store.made import taking
from kernelmap.cli import main
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import missing, page_at
from kernelmap.dashboard.project import Project, read_project
from kernelmap.errors import UsageError
from kernelmap.history.store import Store
from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.page import Bar, Figure
from kernelmap.pages.render import html


@pytest.mark.parametrize(
    "url",
    [
        "/nothing",
        "/run?run=nope",
        "/?branch=nope",
        "/runs?gpu=nope",
        "/compare?before=x&after=main",
        "/item?kind=op&key=nope",
        "/item?kind=call&key=nope&branch=main",
        "/item?kind=nothing&key=aten.mm",
        "/item",
    ],
)
def test_what_is_not_there_is_404_and_said(archive: Archive, url: str) -> None:
    """An unknown page, run, branch, device or item: the status says so, and so does the page."""
    path, _, query = url.partition("?")
    asked = parse_address(path, query)

    assert client(archive).get(url).status_code == 404
    assert missing(asked, archive) is not None
    assert any(
        any(word in line for word in ("nope", "nothing", "'x'", "An item has a kind"))
        for line in warnings(page_at(asked, archive))
    )


@pytest.mark.parametrize(
    "url",
    [
        "/",
        "/?branch=main",
        "/run?run=main~1",
        "/compare",
        "/runs?find=q",
        "/item?kind=op&key=aten.mm",
    ],
)
def test_what_is_there_is_200(archive: Archive, url: str) -> None:
    """A page that has nothing to show because of a search is still a page."""
    assert client(archive).get(url).status_code == 200


def test_a_document_says_its_language(archive: Archive) -> None:
    """Readers of screens have to know it."""
    assert '<html lang="en">' in client(archive).get("/").text


def test_each_branch_is_set_against_main_where_it_left(archive: Archive) -> None:
    """The page Compare offers a branch's newest run against main's at its fork, of one device."""
    table_ = table(page_at(Address(page="compare"), archive), "branches")
    (way,) = links(column(table_, "")[0])
    newest = {run.facts.branch: run for run in archive.store.runs()}
    (fork,) = [
        run.id
        for run in archive.store.runs()
        if run.facts.branch == "main" and run.facts.commit == newest["feature"].facts.forked
    ]

    assert fork != newest["main"].id
    assert (way.to.before, way.to.after) == (fork, newest["feature"].id)
    assert column(table_, "the run before is") == ["at the fork"]


def branched(folder: Path, *, forked: str | None = "b") -> tuple[Archive, dict[str, str]]:
    """Main becomes 3 % slower after a branch left it, which is 1.3 % slower than where it left.

    Another branch that left at the same commit is 20 % slower, and older.
    """
    store, ids = Store(folder / "branched"), {}
    for commit, branch, time_ns in (
        ("a", "main", 98_000),
        ("b", "main", 100_000),
        ("c", "main", 103_000),
        ("f", "slow", 120_000),
        ("d", "topic", 101_300),
        ("e", "main", 103_000),
    ):
        left = None if branch == "main" else forked
        run = store.record(taking(time_ns), branch=branch, commit=commit, forked=left)
        ids[commit] = run.id
    archive = Archive(store, patience=None)
    archive.look()
    return archive, ids


def test_a_branch_is_not_praised_for_what_main_became(tmp_path: Path) -> None:
    """1.3 % slower than its fork is not 1.7 % faster than main; what changed most is first."""
    archive, ids = branched(tmp_path)
    pairs = table(page_at(Address(page="compare"), archive), "branches")

    assert pairs.data["branch"].tolist() == ["slow", "topic"]
    assert pairs.data["before"].tolist() == [ids["b"], ids["b"]]
    assert [text_.replace(" ", "") for text_ in map(str, column(pairs, "change"))] == [
        "+20.0%",
        "+1.3%",
    ]


@pytest.mark.parametrize(
    ("forked", "commit", "word"),
    [("b", "b", "at the fork"), (None, "c", "is not known"), ("z", "c", "was not recorded")],
)
def test_it_is_said_which_run_of_main_was_taken(
    forked: str | None, commit: str, word: str, tmp_path: Path
) -> None:
    """Where nobody said where a branch left, or main was not recorded there, the page says so."""
    archive, ids = branched(tmp_path, forked=forked)
    pairs = table(page_at(Address(page="compare"), archive), "branches")

    assert pairs.data["before"].tolist() == [ids[commit], ids[commit]]
    assert all(word in str(cell) for cell in column(pairs, "the run before is"))
    (only,) = [
        row
        for row in table(page_at(Address(page="compare", after="topic"), archive), "runs").rows
        if row.cells[0] == "before"
    ]
    assert ids[commit] in text(only.cells[1])


def test_a_tag_makes_series_of_its_own(tmp_path: Path) -> None:
    """`per` tells runs of one branch apart by a tag that the project does not name."""
    store = Store(tmp_path / "store")
    for recording, model in zip(history(6), "ababab", strict=True):
        store.record(Simulated(content=recording.tables), branch="main", tags={"model": model})
    archive = Archive(store, patience=None)
    archive.look()

    def names(asked: Address) -> set[str]:
        (chart,) = of_kind(page_at(asked, archive), Figure)
        return set(chart.data["series"])

    assert len(names(Address())) == 1
    assert len(names(Address(per="model"))) == 2


def test_a_note_stands_beside_its_change(planted: Store, tmp_path: Path) -> None:
    """The tag `acknowledged` sets a change back; the run itself stays as it was."""
    shutil.copytree(Path(planted.place.address("")), tmp_path / "store")
    store = Store(tmp_path / "store")
    archive = Archive(store, patience=None)
    archive.look()
    changes = table(page_at(Address(), archive), "changes")
    marked = str(changes.data["run"].iloc[0])
    before = (tmp_path / "store" / "runs" / marked / "run.toml").read_bytes()
    command = [
        "runs",
        "tag",
        marked,
        "acknowledged=a <b>new</b> mask",
        "--store",
        str(tmp_path / "store"),
    ]
    assert CliRunner().invoke(main, command).exit_code == 0
    archive.look()
    changes = table(page_at(Address(), archive), "changes")

    assert changes.data["acknowledged"].iloc[0] == "a <b>new</b> mask"
    assert changes.rows[0].dim
    assert "acknowledged: a <b>new</b> mask" in text(changes.rows[0].cells[-1])
    assert (tmp_path / "store" / "runs" / marked / "run.toml").read_bytes() == before
    undone = CliRunner().invoke(main, [*command[:3], "--delete", "acknowledged", *command[4:]])
    assert undone.exit_code == 0
    archive.look()
    assert not table(page_at(Address(), archive), "changes").rows[0].dim


def test_commits_and_authors_lead_to_where_they_are_shown(tmp_path: Path) -> None:
    """Templates of pyproject.toml make links, whatever the names hold; else there are none."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kernelmap]\ncommit_url = "https://a.example/c/{commit}"\n'
        'author_url = "https://a.example/{author}"\n'
    )
    settings = read_project(tmp_path)
    (way,) = links(settings.commit("abc", "a/b?c"))

    assert way.url == "https://a.example/c/a%2Fb%3Fc"
    (author,) = links(settings.tag("author", "jo <x>"))
    assert author.url == "https://a.example/jo%20%3Cx%3E"
    assert not links(settings.tag("model", "small"))
    assert not links(Project().commit("abc", "abc"))


@pytest.mark.parametrize("stated", ["3", '"https://a.example/"', '"javascript:{commit}"'])
def test_a_template_is_an_address_of_the_web(tmp_path: Path, stated: str) -> None:
    """Anything else is an error that names the file."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.kernelmap]\ncommit_url = {stated}\n")
    with pytest.raises(UsageError, match=r"pyproject\.toml") as caught:
        read_project(tmp_path)

    assert caught.value.slug == "wrong-link"


def test_a_waterfall_begins_at_zero_or_shows_a_break(archive: Archive) -> None:
    """The two bars of the total are drawn broken where their left part is cut off."""
    runs = [run.id for run in archive.store.runs() if run.facts.branch == "main"]
    asked = Address(page="compare", before=runs[0], after=runs[-1])
    table_ = table(page_at(asked, archive), "causes")
    bars = [cell for cell in column(table_, "") if isinstance(cell, Bar)]
    cut = "break" in text(table_.about)

    assert cut
    assert [bar.broken for bar in bars] == [True, *[False] * (len(bars) - 2), True]
    assert "broken" in html.render_sections(page_at(asked, archive), html.Places())
