"""Pages on disk: the same as live, without a network, and nothing of the user's in danger."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec
import pytest
from click.testing import CliRunner
from make_history import Simulated, history
from msgspec.structs import replace

from dashboard.looking import table
from examples import is_quick
from kernelmap.cli import main
from kernelmap.dashboard import export as exporting
from kernelmap.dashboard import export_folder
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.export import Exported, export_pages
from kernelmap.dashboard.pages import PAGES, page_at
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.history.store import Store
from kernelmap.pages.address import Address
from kernelmap.pages.csv import written
from kernelmap.pages.page import Figure, PageTable
from made_once import made_once

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog

FEW: Mapping[str, int] = {
    "history": 5,
    "compare": 6,
    "items": 2,
    "item": 4,
    "fleet": 1,
    "runs": 2,
    "run": 4,
    "coverage": 2,
}
USUAL = exporting.LIMITS
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(1)</script>"


class Seen(HTMLParser):
    """What a page refers to, and which elements it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.refers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "action", "srcset", "data"):
                self.refers.append(value or "")


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    """Exports of a few views are enough, and take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "LIMITS", FEW)
        yield


@pytest.fixture(scope="module")
def done(planted: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Exported]:
    """The pages of the simulated history, few of each kind."""

    def make(folder: Path) -> None:
        exported = export_pages(planted, folder / "pages")
        (folder / "exported.json").write_bytes(msgspec.json.encode(exported))

    made = made_once(tmp_path_factory, "export", make)
    exported = msgspec.json.decode((made / "exported.json").read_bytes(), type=Exported)
    return made / "pages", exported


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    """The pages of a store whose branches, names, commits and tags are attacks."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    folder = made_once(tmp_path_factory, "hostile", _attacked)
    return folder / "pages", Store(folder / "store")


def _attacked(folder: Path) -> None:
    store = Store(folder / "store")
    for at, recording in enumerate(history(8)):
        text = (IMAGE, SCRIPT)[at % 2]
        store.record(
            Simulated(content=recording.tables),
            branch=text,
            commit=f"{text}{at}",
            name=f"{text}{at}",
            tags={"tag": text},
        )
    export_pages(store, folder / "pages")


def test_every_page_of_the_bar_is_on_disk(done: tuple[Path, Exported]) -> None:
    """index.html leads to every page, and the count that is reported is that of the files."""
    target, exported = done
    pages = [name for name in files(target) if name.endswith(".html")]
    links = Seen((target / "index.html").read_text("utf-8")).refers

    assert exported.pages == len(pages)
    for name in PAGES:
        assert (
            "index.html" in links
            if name == "history"
            else any(link.startswith(f"{name}-") for link in links)
        )


def test_all_that_pages_refer_to_lies_beside_them(done: tuple[Path, Exported]) -> None:
    """Links of pages and of points all lead to files inside the folder."""
    target, _ = done
    for name, content in files(target).items():
        if not name.endswith(".html"):
            continue
        text = content.decode()
        points = re.findall(r'"customdata":(\[[^\]]*\])', text)
        hrefs = [href for point in points for href in json.loads(point) if isinstance(href, str)]
        for href in Seen(text).refers + hrefs:
            parts = urlsplit(href)

            assert (parts.scheme, parts.netloc) == ("", ""), (name, href)
            assert (target / unquote(parts.path)).is_file(), (name, href)


def refers_to_what_is_there(target: Path) -> int:
    """How many links lead from page to page, each to a file of the folder."""
    count = 0
    for path in target.glob("*.html"):
        for href in Seen(path.read_text("utf-8")).refers:
            assert (target / unquote(urlsplit(href).path)).is_file(), (path.name, href)
            count += href.endswith(".html")
    return count


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of two runs of few calls: all of its pages are some dozens."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")

    def record(folder: Path) -> None:
        store = Store(folder / "store")
        for recording in history(2):
            frames = {name: frame.iloc[:5] for name, frame in recording.tables.frames.items()}
            few = replace(recording.tables, frames=frames)
            store.record(Simulated(content=few), branch="main", commit="c")

    return Store(made_once(tmp_path_factory, "two_runs", record) / "store")


@pytest.mark.thorough
def test_all_pages_are_written_where_they_are_asked_for(small: Store, tmp_path: Path) -> None:
    """With `whole` nothing is left out, and every link leads to a file."""
    told: list[tuple[int, int]] = []
    exported = export_pages(
        small, tmp_path / "pages", whole=True, report=lambda *far: told.append(far)
    )

    assert (exported.left_out, exported.summary) == ({}, None)
    assert sum(name.startswith("item-") for name in files(tmp_path / "pages")) > FEW["item"]
    assert refers_to_what_is_there(tmp_path / "pages") > exported.pages
    assert [made for made, _ in told] == list(range(1, exported.pages + 1))
    assert told[-1][1] == 0


def test_what_is_left_out_is_said_with_the_command_that_writes_it(
    done: tuple[Path, Exported],
) -> None:
    """A reader of a page without a link finds how to have the page behind it."""
    target, exported = done

    assert "`kernelmap dashboard --export DIR --all` writes them" in (exported.summary or "")
    assert "kernelmap dashboard --export DIR --all" in (target / "index.html").read_text("utf-8")


def test_the_usual_export_is_some_seventy_pages() -> None:
    """A CI job waits for the pages: the limits of all kinds together hold them to about 70."""
    assert sum(USUAL.values()) <= 75


def test_a_choice_never_leads_to_the_page_that_it_is_on(done: tuple[Path, Exported]) -> None:
    """An axis that is not on disk is no link: it would lead to the same chart as before."""
    for path in done[0].glob("*.html"):
        for href, now in re.findall(r'<li><a href="([^"]+)"( class="now")?', path.read_text()):
            assert bool(now) == (href == path.name), (path.name, href)


@pytest.mark.thorough
def test_the_usual_export_has_what_is_new_and_marked(
    planted: Store, archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each mark of the first page has its comparison, and each branch its newest run."""
    monkeypatch.setattr(exporting, "LIMITS", USUAL)
    export_pages(planted, tmp_path / "pages")
    written_pages = {path.name for path in (tmp_path / "pages").glob("*.html")}
    marks = table(page_at(Address(), archive), "changes").data
    newest = {run.facts.branch: run.id for run in planted.runs()}

    assert len(marks) > 2
    for before, after in zip(marks["before"], marks["after"], strict=True):
        assert any(before in name and after[:15] in name for name in written_pages)
    for run_id in newest.values():
        assert any(name.startswith(f"run-{run_id}") for name in written_pages)


def test_marks_lead_to_their_comparisons(done: tuple[Path, Exported]) -> None:
    """A click on a mark of the first chart opens a page on disk."""
    target, _ = done
    text = (target / "index.html").read_text("utf-8")

    assert re.search(r'"customdata":\[[^\]]*"compare-[^"]*\.html"', text)


def test_limits_hold_and_what_they_cut_is_said(done: tuple[Path, Exported]) -> None:
    """No kind has more views than its limit, and each page says how many there are elsewhere."""
    target, exported = done
    names = [name for name in files(target) if name.endswith(".html") and name != "index.html"]
    for kind, limit in FEW.items():
        assert sum(name.startswith(f"{kind}-") for name in names) <= limit
    assert exported.left_out["run"] > 0
    assert exported.summary is not None
    for name in names:
        assert exported.summary[1:] in (target / name).read_text("utf-8")


def test_the_data_beside_a_page_are_its_frames(
    done: tuple[Path, Exported], archive: Archive
) -> None:
    """Charts and tables have their data as CSV and JSON, the same as the server gives."""
    target, _ = done
    for section in page_at(Address(), archive).sections:
        assert isinstance(section, Figure | PageTable)
        for form in ("csv", "json"):
            held = (target / "data" / f"index.{section.id}.{form}").read_bytes().decode()

            assert held == written(section, form)


def test_hostile_names_stay_text(hostile: tuple[Path, Store]) -> None:
    """No name becomes an element or an attribute, in HTML or in the JSON of figures."""
    target, _ = hostile
    for name, content in files(target).items():
        assert re.fullmatch(r"[\w./-]+", name)
        if name.endswith(".html"):
            text = content.decode()
            scripts = re.findall(r"<script[^>]*>(?=[^<])", text)

            assert "img" not in Seen(text).tags
            assert "<img" not in text
            assert all('type="application/json"' in script for script in scripts)
            assert text.count("<script") == text.count("</script>")


def test_an_empty_store_is_one_page(tmp_path: Path) -> None:
    """A store without runs says so on its first page."""
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    store = Store(tmp_path / "store")
    (recording,) = history(1)
    store.remove(store.record(Simulated(content=recording.tables)).id)
    exported = export_pages(store, tmp_path / "pages")

    assert (exported.runs, exported.left_out) == (0, {})
    assert "The store is empty" in (tmp_path / "pages" / "index.html").read_text("utf-8")


def test_without_a_store_nothing_is_written(tmp_path: Path) -> None:
    """A store that is none is an error, not a page about it."""
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    with pytest.raises(KernelmapError) as caught:
        export_pages(Store(tmp_path / "nothing"), tmp_path / "pages")

    assert caught.value.slug == "no-store"
    assert not list(tmp_path.iterdir())


def fill(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "index.html").write_text("page", encoding="utf-8")
    (folder / "data" / "a.csv").write_text("a", encoding="utf-8")


def test_an_export_replaces_an_empty_folder_and_an_earlier_one(tmp_path: Path) -> None:
    """New, empty, or ours: these places are written, and nothing is left beside them."""
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty", "new"):
        export_folder.write(tmp_path / name, fill)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new"]
    assert set(files(tmp_path / "new")) == {"index.html", "data/a.csv", export_folder.MARKER}


@pytest.mark.parametrize("spoil", ["foreign", "added", "changed", "nested", "link", "marker"])
def test_nothing_of_the_users_is_overwritten(tmp_path: Path, spoil: str) -> None:
    """A folder with anything else in it is refused and stays as it is, to the byte."""
    target = tmp_path / "pages"
    if spoil == "foreign":
        target.mkdir()
        (target / "thesis.txt").write_text("mine", encoding="utf-8")
    else:
        export_folder.write(target, fill)
    if spoil == "added":
        (target / "notes.txt").write_text("mine", encoding="utf-8")
    elif spoil == "changed":
        (target / "index.html").write_text("mine", encoding="utf-8")
    elif spoil == "nested":
        (target / "data" / "mine").mkdir()
    elif spoil == "link":
        (target / "index.html").unlink()
        (target / "index.html").symlink_to(tmp_path / "elsewhere")
    elif spoil == "marker":
        (target / export_folder.MARKER).write_text("[]", encoding="utf-8")
    before = files(target)
    with pytest.raises(UsageError) as caught:
        export_folder.write(target, fill)

    assert caught.value.slug == "export-in-the-way"
    assert files(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_a_file_is_no_place_for_pages(tmp_path: Path) -> None:
    """A file of that name stays."""
    (tmp_path / "pages").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError):
        export_folder.write(tmp_path / "pages", fill)

    assert (tmp_path / "pages").read_text("utf-8") == "mine"


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    """Whole or not at all: after an error the earlier export stands, and nothing beside it."""
    target = tmp_path / "pages"
    export_folder.write(target, fill)
    before = files(target)

    def fail(folder: Path) -> None:
        fill(folder)
        raise KernelmapError("store-unreadable", "the store went away", "Look.")

    with pytest.raises(KernelmapError, match="went away"):
        export_folder.write(target, fail)

    assert files(target) == before
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


def test_what_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """The place is looked at again when the pages are ready."""
    target = tmp_path / "pages"

    def meanwhile(folder: Path) -> None:
        fill(folder)
        target.mkdir()
        (target / "mine").write_text("mine", encoding="utf-8")

    with pytest.raises(UsageError):
        export_folder.write(target, meanwhile)

    assert set(files(target)) == {"mine"}


def test_the_command_says_where_the_pages_are(hostile: tuple[Path, Store], tmp_path: Path) -> None:
    """`kernelmap dashboard --export` writes, tells on stderr, and serves nothing.

    The same store gives the same bytes: it writes what was written before, file by file.
    """
    place = str(hostile[0].parent / "store")
    out = CliRunner().invoke(
        main, ["dashboard", "--store", place, "--export", str(tmp_path / "pages")]
    )

    assert out.exit_code == 0, out.output
    assert "pages of 8 runs" in out.stderr
    assert "linked, but not among these pages" in out.stderr
    assert files(tmp_path / "pages") == files(hostile[0])


def test_the_command_says_how_far_it_is(
    small: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal a line per 25 pages goes to stderr, and none to stdout.

    What is written with `--all` is what `whole` writes, which a test above looks at.
    """

    def told(_store: Store, _target: Path, **how: Any) -> Exported:  # noqa: ANN401 -- any options
        assert how["whole"]
        for made in range(1, 31):
            how["report"](made, 30 - made)
        return Exported(pages=30, runs=2, left_out={})

    monkeypatch.setattr(exporting, "export_pages", told)
    where = ["--store", str(small.place.address("")), "--export", str(tmp_path / "pages")]
    out = CliRunner().invoke(main, ["dashboard", *where, "--all"])

    assert out.exit_code == 0, out.output
    assert re.search(r"^writing pages: 25 done, at least 5 to go$", out.stderr, re.MULTILINE)
    assert not out.stdout


def test_all_is_of_an_export(small: Store) -> None:
    """The live dashboard has all pages, so `--all` there is a mistake that is said."""
    out = CliRunner().invoke(main, ["dashboard", "--store", str(small.place.address("")), "--all"])

    assert out.exit_code == 2
    assert "--all is for --export" in out.stderr


@pytest.mark.browser
def test_pages_open_from_disk_without_a_network(
    browser: Browser, done: tuple[Path, Exported], hostile: tuple[Path, Store]
) -> None:
    """Every page draws its charts, says nothing on the console, and asks for files alone.

    In `quick` one page of each kind, with hostile names; the tests below open plain ones.
    """
    plain, attacked = (sorted(folder.glob("*.html")) for folder in (done[0], hostile[0]))
    kinds = {path.name.partition("-")[0]: path for path in attacked}
    said: list[str] = []
    asked: list[str] = []

    def hear(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", hear)
    page.on("request", lambda request: asked.append(request.url))
    for path in kinds.values() if is_quick() else [*plain, *attacked]:
        page.goto(path.as_uri())
        charts = page.locator(".chart").count()
        page.wait_for_function(
            "(n) => document.querySelectorAll('.chart .main-svg').length >= n", arg=charts
        )

        assert page.locator("#page img").count() == 0
    page.close()

    assert said == []
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data", "blob"}


@pytest.mark.thorough
@pytest.mark.browser
def test_tables_on_disk_sort(browser: Browser, done: tuple[Path, Exported]) -> None:
    """The policy of the pages lets the script run that sorts: from shortest to longest time."""
    page = browser.new_page()
    page.goto(next(done[0].glob("items-*.html")).as_uri())
    heading = page.locator("#items th", has_text="time a step")
    before = page.locator("#items tbody td:nth-child(1)").all_inner_texts()
    heading.get_by_role("button").click()
    heading.get_by_role("button").click()
    after = page.locator("#items tbody td:nth-child(1)").all_inner_texts()
    page.close()

    assert after != before
    assert sorted(after) == sorted(before)


@pytest.mark.browser
def test_a_page_on_disk_cannot_ask_the_network(
    browser: Browser, done: tuple[Path, Exported]
) -> None:
    """The policy forbids what a script could try: requests, images, frames, more scripts."""
    page = browser.new_page()
    page.goto((done[0] / "index.html").as_uri())
    blocked = page.evaluate(
        """async () => {
          const seen = [];
          document.addEventListener("securitypolicyviolation",
            (event) => seen.push(event.effectiveDirective));
          const where = "http" + "://127.0.0.1:9/x";
          await fetch(where).catch(() => null);
          for (const tag of ["img", "script", "iframe"]) {
            const made = document.createElement(tag);
            made.src = where;
            document.body.append(made);
          }
          const inline = document.createElement("script");
          inline.textContent = "window.ran = true";
          document.body.append(inline);
          await new Promise((done) => setTimeout(done, 300));
          return [seen, window.ran === undefined];
        }"""
    )
    page.close()

    assert set(blocked[0]) >= {"connect-src", "img-src", "script-src-elem", "frame-src"}
    assert blocked[1]


@pytest.mark.thorough
@pytest.mark.browser
def test_a_reader_goes_from_a_mark_to_its_cause(
    browser: Browser, done: tuple[Path, Exported]
) -> None:
    """Links, a click on a mark, menus and keys work on disk as they do live."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((done[0] / "index.html").as_uri())
    page.wait_for_selector(".main-svg")
    page.locator("tbody td:first-child a").first.click()
    page.wait_for_url("**/compare-*.html")
    title = page.title()
    page.keyboard.press("1")
    page.wait_for_url("**/index.html")
    page.locator(".menu summary").first.click()
    page.get_by_role("link", name="main", exact=True).click()
    page.wait_for_url("**/history-main-*.html")
    page.keyboard.press("t")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.close()

    assert title == "Compare · kernelmap"
    assert theme == "dark"


@pytest.mark.browser
def test_hostile_branches_are_read_as_they_are(
    browser: Browser, hostile: tuple[Path, Store]
) -> None:
    """In menus, tables and legends stands the text itself."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((hostile[0] / "index.html").as_uri())
    page.wait_for_selector(".main-svg")
    menu = page.locator(".menu li a").all_text_contents()
    legend = page.locator(".legendtext").all_text_contents()
    page.close()

    assert {IMAGE, SCRIPT} <= set(menu)
    assert {IMAGE, SCRIPT} == set(legend)
