"""The server: pages, downloads, and what an unknown or hostile request gets."""

from __future__ import annotations

import csv as stdlib_csv
import io
import json
import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from make_history import Simulated, history

from dashboard.asking import UPDATE, question

pytest.importorskip("dash", reason="dash is not installed")

from flask.testing import FlaskClient

from kernelmap.dashboard.app import app
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.components import data_href
from kernelmap.dashboard.pages import PAGES, page
from kernelmap.outputs import csv
from kernelmap.present.address import Address
from kernelmap.present.page import Figure, Table
from kernelmap.store import Store

_MORE_THAN_WORKERS = 4
HOSTILE = "<img src=x onerror=alert(1)>"
FORMULAS = ("=HYPERLINK(1)", "+1", "-1+1", "@SUM(A1)", "'=1", "\t=1")


@pytest.fixture(scope="module")
def browser(archive: Archive) -> FlaskClient:
    client: FlaskClient = app(archive).server.test_client()
    return client


def shown(browser: FlaskClient, path: str, query: str = "", seen: object = None) -> Any:  # noqa: ANN401 -- JSON
    """What the callback answers to a URL; empty where the browser keeps what it has."""
    answer = browser.post(UPDATE, json=question(path, query, seen))
    assert answer.status_code == 200, answer.text
    return answer.get_json()["response"]


def cells(text: str) -> list[dict[str, str]]:
    """The rows as any reader of CSV sees them."""
    return list(stdlib_csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("path", ["/", *(f"/{name}" for name in PAGES), "/nothing", "/a/b"])
def test_every_path_gets_the_same_shell(browser: FlaskClient, path: str) -> None:
    """The server gives one document; what the URL asks for comes by the callback."""
    shells = {re.sub(r'"end_id":"[^"]*"', "", browser.get(url).text) for url in (path, "/")}

    assert len(shells) == 1


def test_every_script_of_the_shell_is_allowed_by_name(browser: FlaskClient) -> None:
    """Inline scripts run by their hashes alone: the policy has no unsafe words for scripts."""
    answer = browser.get("/")
    text = re.sub(r"<!--.*?-->", "", answer.text, flags=re.DOTALL)
    policy = answer.headers["Content-Security-Policy"]
    scripts = next(
        directive for directive in policy.split("; ") if directive.startswith("script-src")
    )
    without_source = [tag for tag in re.findall(r"<script[^>]*>", text) if "src=" not in tag]
    inline = [tag for tag in without_source if "application/json" not in tag]

    assert "unsafe" not in scripts
    assert len(re.findall(r"'sha256-", scripts)) >= len(inline) > 0
    assert all(url.startswith("/") for url in re.findall(r'(?:src|href)="([^"]*)"', text))


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"fleet"}))  # no run here is of a fleet
def test_downloads_are_the_frames(
    browser: FlaskClient, archive: Archive, name: str, form: str
) -> None:
    """Each chart's and table's file has every row and every column of its frame."""
    asked = Address(page=name)
    sections = [
        section for section in page(asked, archive).sections if isinstance(section, Figure | Table)
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
        return value in (read, csv.original(read))
    if isinstance(value, list):
        return read in (value, "; ".join(value))
    return (
        read == value or str(value) == read or float(str(read)) == pytest.approx(float(str(value)))
    )


def test_the_view_of_a_download_is_that_of_its_url(browser: FlaskClient) -> None:
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
    browser = app(archive).server.test_client()
    rows = cells(browser.get("/data/times.csv/").text)

    assert not any(cell.startswith(tuple("=+-@\t")) for row in rows for cell in row.values())
    assert [csv.original(row["branch"]) for row in rows] == list(FORMULAS)
    assert [row["commit"] for row in browser.get("/data/times.json/").json] == list(FORMULAS)


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
def test_what_is_not_there_is_not_downloaded(browser: FlaskClient, path: str) -> None:
    """Unknown sections, forms and pages are plain refusals that repeat nothing."""
    answer = browser.get(path)

    assert answer.status_code == 404
    assert "onerror" not in answer.text
    assert answer.mimetype == "text/plain" or "<img" not in answer.text


def test_an_icon_is_where_browsers_look_for_one(browser: FlaskClient) -> None:
    """A refusal or a plain text names no icon, so a browser asks for this one."""
    answer = browser.get("/favicon.ico", follow_redirects=True)

    assert (answer.status_code, answer.mimetype) == (200, "image/x-icon")


def test_a_download_that_is_not_ready_says_when_to_ask(planted: Store) -> None:
    """While its frame is being worked out a download is refused for a moment, not for good."""
    slow = Archive(planted, patience=0.0)
    slow.look()
    done = threading.Event()
    for number in range(_MORE_THAN_WORKERS):
        with suppress(NotYetError):
            slow.ask(number, "a question that takes long", lambda _: done.wait())
    answer = app(slow).server.test_client().get("/data/times.csv/")
    done.set()

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/nothing", ""),
        (f"/{HOSTILE}", ""),
        ("/history", f"?branch={HOSTILE}&gpu={HOSTILE}&graph={HOSTILE}"),
        ("/history", "?last=99999999999999999999&at=0"),
        ("/run", "?run=nothing"),
        ("/compare", "?before=..%2F..&after=x"),
        ("/item", "?kind=nothing&key=%00"),
        ("/item", "?kind=line&key=%09%23"),
        *((f"/{name}", "?graph=x&find=%27%3B--&at=9&by=x&run=~0") for name in PAGES),
    ],
)
def test_no_url_is_an_error_of_the_server(browser: FlaskClient, path: str, query: str) -> None:
    """Whatever a URL asks for, the callback answers with a page."""
    answer = shown(browser, path, query)

    assert answer["page"]["children"]["props"]["className"] == "page"
    assert "Traceback" not in json.dumps(answer)


def test_a_view_that_the_browser_has_is_not_sent_again(browser: FlaskClient) -> None:
    """A tick while nothing changed costs nothing; another URL is answered."""
    first = shown(browser, "/")
    seen = first["seen"]["data"]

    assert not shown(browser, "/", seen=seen)
    assert shown(browser, "/", "?branch=main", seen=seen)["page"]


@pytest.mark.parametrize("seen", [None, "x", [], {}, {"href": 3}, {"href": "/", "seen": "x"}])
def test_what_a_browser_claims_to_have_is_not_trusted(browser: FlaskClient, seen: object) -> None:
    """Odd claims of what was seen lead to the page."""
    assert shown(browser, "/", seen=seen)["page"]


def test_the_tick_is_quick_while_something_is_worked_out(planted: Store) -> None:
    """A page that waits asks soon again, a whole one later, and sends what is new."""
    archive = Archive(planted, patience=0.0)
    archive.look()
    browser = app(archive).server.test_client()
    first = shown(browser, "/")
    archive.patience = None
    then = shown(browser, "/", seen=first["seen"]["data"])

    assert first["seen"]["data"]["open"]
    assert not then["seen"]["data"]["open"]
    assert first["tick"]["interval"] < then["tick"]["interval"]
    assert first["page"] != then["page"]
