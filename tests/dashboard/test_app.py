"""The server: pages, downloads, and what an unknown or hostile request gets."""

from __future__ import annotations

import csv as stdlib_csv
import io
import json
import re
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from make_history import Simulated, history
from msgspec.structs import replace

from dashboard.asking import client
from kernelmap.dashboard.app import data_href
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.pages import PAGES, page_at
from kernelmap.history.store import Store
from kernelmap.pages import csv
from kernelmap.pages.address import Address
from kernelmap.pages.page import Figure, PageTable

if TYPE_CHECKING:
    from werkzeug.test import Client

_MORE_THAN_WORKERS = 4
HOSTILE = "<img src=x onerror=alert(1)>"
FORMULAS = ("=HYPERLINK(1)", "+1", "-1+1", "@SUM(A1)", "'=1", "\t=1")


@pytest.fixture(scope="module")
def browser(archive: Archive) -> Client:
    return client(archive)


def cells(text: str) -> list[dict[str, str]]:
    """The rows as any reader of CSV sees them."""
    return list(stdlib_csv.DictReader(io.StringIO(text, newline="")))


VIEWS = ("/", *(f"/{name}" for name in PAGES), "/item?kind=op&key=aten.mm", "/run", "/nothing")


@pytest.mark.parametrize("url", VIEWS)
def test_a_page_is_whole_and_asks_nobody_else(browser: Client, url: str) -> None:
    """It has its title, its sections and its bar, and no script but files of this server."""
    text = browser.get(url).text
    scripts = re.findall(r"<script([^>]*)>", text)
    runs = [attributes for attributes in scripts if "application/json" not in attributes]

    assert "· kernelmap</title>" in text
    assert text.count("<h1") == 1
    assert 'class="card' in text
    assert text.count("<nav") == 1
    assert all(attributes.startswith(' src="/static/') for attributes in runs)
    assert not re.findall(r' on\w+="', text)
    assert all(place.startswith("/") for place in re.findall(r'(?:src|href)="([^"]*)"', text))


def test_all_files_of_a_page_are_there(browser: Client) -> None:
    """Its style and its scripts, which a browser that has them does not fetch again."""
    named = re.findall(r'(?:src|href)="(/static/[^"]*)"', browser.get("/").text)

    assert {name.rpartition(".")[2] for name in named} == {"css", "js"}
    for name in named:
        answer = browser.get(name)
        again = browser.get(name, headers={"If-None-Match": answer.headers["ETag"]})

        assert answer.status_code == 200
        assert answer.mimetype == ("text/css" if name.endswith("css") else "text/javascript")
        assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "..%2fapp.py", "%00", "page.css%00", ""])
def test_no_other_file_is_served(browser: Client, name: str) -> None:
    """What pages name is all that there is."""
    assert browser.get(f"/static/{name}").status_code == 404


def test_every_menu_leads_to_addresses(browser: Client) -> None:
    """Without scripts each choice is a link, and a field is a form that keeps what was chosen."""
    history_page = browser.get("/").text
    items = browser.get("/items?kind=line&branch=main").text

    assert re.search(
        r'<details class="menu">.*?branch.*?href="/\?branch=feature"', history_page, re.DOTALL
    )
    assert '<form class="card form" method="get" action="/items">' in items
    assert '<input type="hidden" name="branch" value="main">' in items
    assert '<input name="find" value="" autocomplete="off">' in items


def test_a_form_sends_texts_as_they_are(browser: Client) -> None:
    """A tab in what was looked for is in the field again, not the escape that readers are shown."""
    text = browser.get("/items?kind=line&find=a%09%22%3Cb%3E").text

    assert 'name="find" value="a\t&#34;&lt;b&gt;"' in text


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"fleet"}))  # no run here is of a fleet
def test_downloads_are_the_frames(browser: Client, archive: Archive, name: str, form: str) -> None:
    """Each chart's and table's file has every row and every column of its frame."""
    asked = Address(page=name)
    sections = [
        section
        for section in page_at(asked, archive).sections
        if isinstance(section, Figure | PageTable)
    ]

    assert sections
    for section in sections:
        answer = browser.get(data_href(asked, section.id, form))

        assert answer.status_code == 200
        assert answer.mimetype == {"csv": "text/csv", "json": "application/json"}[form]
        assert answer.headers["Content-Disposition"].startswith("attachment; ")
        rows = json.loads(answer.text) if form == "json" else cells(answer.text)
        assert len(rows) == len(section.data)
        for row, (_, wanted) in zip(rows, section.data.iterrows(), strict=True):
            assert list(row) == list(section.data.columns)
            for column, value in wanted.items():
                assert same(row[str(column)], value), column


def same(read: object, value: object) -> bool:
    """Whether what a file says is what a frame holds."""
    if value is None or value != value:  # noqa: PLR0124 -- NaN
        return read in (None, "")
    if isinstance(read, str) and isinstance(value, str):
        return value in (read, csv.original_text(read))
    if isinstance(value, list):
        return read in (value, "; ".join(value))
    return (
        read == value or str(value) == read or float(str(read)) == pytest.approx(float(str(value)))
    )


def test_the_view_of_a_download_is_that_of_its_url(browser: Client) -> None:
    """The choices in the URL choose what is downloaded."""
    everything = cells(browser.get("/data/times.csv/").text)
    filtered = cells(browser.get("/data/times.csv/history?branch=feature").text)

    assert {row["branch"] for row in everything} == {"main", "feature"}
    assert filtered == [row for row in everything if row["branch"] == "feature"]


def test_no_download_holds_a_formula(tmp_path: Path) -> None:
    """A branch or commit named like a formula is a text in every spreadsheet; JSON has it as is."""
    store = Store(tmp_path / "named")
    (recording,) = history(1)
    for name in FORMULAS:
        store.record(Simulated(content=recording.tables), branch=name, commit=name, name=name)
    archive = Archive(store, patience=None)
    archive.look()
    browser = client(archive)
    rows = cells(browser.get("/data/times.csv/").text)

    assert not any(cell.startswith(tuple("=+-@\t")) for row in rows for cell in row.values())
    assert [csv.original_text(row["branch"]) for row in rows] == list(FORMULAS)
    assert [row["commit"] for row in json.loads(browser.get("/data/times.json/").text)] == list(
        FORMULAS
    )


@pytest.mark.parametrize(
    "path",
    [
        "/data/nothing.csv/",
        "/data/times.exe/",
        "/data/times.CSV/",
        "/data/times.csv/nothing",
        f"/data/{HOSTILE}.csv/",
    ],
)
def test_what_is_not_there_is_not_downloaded(browser: Client, path: str) -> None:
    """Unknown sections, forms and pages are plain refusals that repeat nothing."""
    answer = browser.get(path)

    assert answer.status_code == 404
    assert "onerror" not in answer.text
    assert answer.mimetype == "text/plain" or "<img" not in answer.text


def test_asking_for_an_icon_is_no_error(browser: Client) -> None:
    """Browsers ask for one by themselves; there is none, and the console stays empty."""
    assert browser.get("/favicon.ico").status_code == 204


def test_a_download_that_is_not_ready_says_when_to_ask(planted: Store) -> None:
    """While its frame is being worked out a download is refused for a moment, not for good."""
    slow = Archive(planted, patience=0.0)
    slow.look()
    done = threading.Event()
    for number in range(_MORE_THAN_WORKERS):
        with suppress(NotYetError):
            slow.ask(number, "a question that takes long", lambda _: done.wait())
    answer = client(slow).get("/data/times.csv/")
    done.set()

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    "url",
    [
        "/nothing",
        f"/{HOSTILE}",
        f"/history?branch={HOSTILE}&gpu={HOSTILE}&graph={HOSTILE}",
        f"/runs?find={quote(HOSTILE)}",
        f"/items?kind=op&find={quote(HOSTILE)}",
        "/history?last=99999999999999999999&at=0",
        "/history?last=" + "9" * 5000,
        "/run?run=nothing",
        "/run?run=%00",
        "/compare?before=..%2F..&after=x",
        "/item?kind=nothing&key=%00",
        "/item?kind=line&key=%09%23",
        "/?find=%ed%a0%80%ff",
        "/" + "a/" * 5000,
        *(f"/{name}?graph=x&find=%27%3B--&at=9&by=x&run=~0" for name in PAGES),
    ],
)
def test_no_url_is_an_error_of_the_server(browser: Client, url: str) -> None:
    """Whatever a URL asks for, the answer is a page, in which the URL is only text."""
    answer = browser.get(url)

    assert answer.status_code in (200, 404)
    assert '<div class="page">' in answer.text
    assert "Traceback" not in answer.text
    assert "<img" not in answer.text


ODD = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["/", "/static/", "/data/", "/data/times.csv/", "/report/"]), ODD, ODD)
@example("/", "/evil.example/..//", "")
@example("/report/", "latest~99999999999999999999999", "")
@example("/report/", "../../etc", "")
@example("/data/", "times.csv/../x", "branch=\0&last=x")
@example("/data/", ".", "")
def test_no_path_is_an_error_of_the_server(
    browser: Client, root: str, rest: str, query: str
) -> None:
    """Whatever is asked for by whatever method, the answer is a page, a file or a refusal."""
    # As a server hands it on: a client would take `//host` for the name of another one.
    asked = {"PATH_INFO": f"{root}{rest}".encode().decode("latin-1")}
    for method in ("GET", "HEAD", "POST", "X"):
        answer = browser.open("/", method=method, query_string=query, environ_overrides=asked)

        assert answer.status_code < 500
        assert method == "GET" or not answer.data or answer.status_code == 405


@pytest.mark.parametrize("url", [*VIEWS, "/static/page.css", "/data/times.csv/", "/report/x"])
def test_a_head_is_the_answer_without_its_body(browser: Client, url: str) -> None:
    """HEAD has the status and the headers of GET."""
    head, got = browser.head(url), browser.get(url)

    assert head.data == b""
    assert (head.status_code, head.headers) == (got.status_code, got.headers)


def test_a_page_that_the_browser_has_is_not_sent_again(planted: Store) -> None:
    """While the store has not changed the answer is short; then it is the page with its new run."""
    archive = Archive(planted, patience=None)
    archive.look()
    browser = client(archive)
    first = browser.get("/runs")
    has = {"If-None-Match": first.headers["ETag"]}

    assert first.headers["ETag"].strip('"') in first.text
    assert browser.get("/runs", headers=has).status_code == 304
    assert client(archive).get("/runs", headers=has).status_code == 200  # another server
    archive.snapshot = replace(archive.snapshot, seen=archive.snapshot.seen + 1)
    assert browser.get("/runs", headers=has).status_code == 200


@pytest.mark.parametrize("mark", ["x", '""', '"', "W/", "\x1b", '"' + "x" * 9999])
def test_what_a_browser_claims_to_have_is_not_trusted(browser: Client, mark: str) -> None:
    """Odd claims of what was seen lead to the page."""
    assert browser.get("/", headers={"If-None-Match": mark}).status_code == 200


def test_a_page_that_waits_is_never_kept(planted: Store) -> None:
    """What is still being worked out has no mark, says how far it is, and comes again unasked."""
    archive = Archive(planted, patience=0.0)
    archive.look()
    browser = client(archive)
    first = browser.get("/")
    archive.patience = None
    then = browser.get("/")

    assert "ETag" not in first.headers
    assert "data-mark" not in first.text
    assert '<div class="waiting" role="status"><progress' in first.text
    assert '<noscript><meta http-equiv="refresh"' in first.text
    assert "ETag" in then.headers
    assert "waiting" not in then.text
    assert "noscript" not in then.text


@pytest.fixture
def copied(planted: Store, tmp_path: Path) -> Path:
    """A copy of the small history, to be changed."""
    shutil.copytree(Path(planted.place.address("")), tmp_path / "store")
    return tmp_path / "store"


def test_a_damaged_run_is_named_and_the_rest_shown(copied: Path) -> None:
    """A run whose file was cut is passed over, by name, above a page that works."""
    run = Store(copied).runs()[3]
    file = copied / "runs" / run.id / "calls.parquet"
    file.write_bytes(file.read_bytes()[:-9])
    archive = Archive(Store(copied), patience=None)
    archive.look()
    text = client(archive).get("/").text

    assert re.search(rf'<section class="card words warning">\s*<p>[^<]*{run.id}', text)
    assert "data-figure" in text


def test_a_store_that_vanishes_comes_back(copied: Path) -> None:
    """While the store is away the page says so and shows what it knew; then it recovers."""
    archive = Archive(Store(copied), patience=None)
    browser = client(archive)
    seen = []
    for place in (copied, copied.with_name("away"), copied):
        if place.name == "away":
            copied.rename(place)
        elif copied.with_name("away").exists():
            copied.with_name("away").rename(copied)
        archive.look()
        seen.append(browser.get("/"))

    assert ["warning" in answer.text for answer in seen] == [False, True, False]
    assert all("data-figure" in answer.text for answer in seen)
    assert len({answer.headers["ETag"] for answer in seen}) == 3
