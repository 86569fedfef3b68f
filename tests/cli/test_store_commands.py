"""record and runs: arguments in, text and exit code out."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from history.store.made import Made, with_op
from kernelmap.cli import main
from kernelmap.history.store.store import Store
from kernelmap.pages.text import format_duration
from pages.hand_tables import HOSTILE, make_tables

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = str(ROOT / "sample_traces" / "cpu_graph_breaks")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is no checkout and below no project, and a store named by the variable."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("KERNELMAP_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(main, args, input=answer)


def store() -> Store:
    return Store("store")


def test_record_prints_the_id_of_a_run_that_is_there() -> None:
    """The id alone stands on stdout; the run has what the options say."""
    result = run(
        "runs", "add", BUNDLE, "--name", "n", "--branch", "b", "--commit", "c", "--tag", "k=v=w"
    )
    assert result.exit_code == 0, result.output

    kept = store().open(result.stdout.strip())
    assert (kept.facts.name, kept.facts.branch, kept.facts.commit) == ("n", "b", "c")
    assert kept.tags == {"k": "v=w"}
    assert kept.facts.table("launches") is None
    assert "recorded into" in result.stderr


def test_record_takes_the_options_of_correlate() -> None:
    """Steps count, and launches are kept where they are asked for."""
    all_steps = run("runs", "add", BUNDLE, "--store", "other").stdout.strip()
    summary = Store("other").open(all_steps).summary
    assert summary.steps is not None

    first = str(summary.steps[0])
    kept = run(
        "runs", "add", BUNDLE, "--store", "other", "--steps", first, "--launches"
    ).stdout.strip()
    one = Store("other").open(kept)
    assert one.summary.steps == (int(first), int(first))
    assert len(one.launches) > 0


def test_a_checkout_is_said(elsewhere: Path) -> None:
    """Without options, branch and commit come from git, and a note says so."""
    commit = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    for words in (["init", "--initial-branch=topic"], [*commit, "commit", "--allow-empty", "-mx"]):
        subprocess.run(["git", *words], cwd=elsewhere, check=True, capture_output=True)  # noqa: S603, S607 -- the test's own repository
    result = run("runs", "add", BUNDLE)
    named = run("runs", "add", BUNDLE, "--branch", "mine")

    assert "note: branch topic, commit" in result.stderr
    assert store().open(result.stdout.strip()).facts.branch == "topic"
    assert "from the checkout" not in named.stderr
    assert store().open(named.stdout.strip()).facts.commit is None


@pytest.mark.parametrize("tag", ["novalue", "=x"])
def test_a_tag_without_a_key_is_wrong_usage(tag: str) -> None:
    """It is refused before anything is read."""
    result = run("runs", "add", "nothing-there", "--tag", tag)

    assert result.exit_code == 2
    assert "key=value" in result.stderr


def test_runs_are_listed_newest_first_in_every_format() -> None:
    """Table, JSON, CSV and Markdown name the same runs; hostile names stay texts."""
    kept = [store().record(with_op("aten.mm", n), name=HOSTILE, branch=f"=b{n}") for n in range(3)]
    newest_first = [stored.id for stored in reversed(kept)]
    document = json.loads(run("runs", "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("runs", "--format", "csv").stdout)))
    table, markdown = run("runs").stdout, run("runs", "--format", "markdown").stdout

    assert [row["run"] for row in document["runs"]] == newest_first
    assert [row["run"] for row in rows] == newest_first
    assert rows[0]["branch"] == "'=b2"
    assert [line.split()[0] for line in table.splitlines()[1:]] == newest_first
    assert [line.split("`")[1] for line in markdown.splitlines()[2:]] == newest_first
    assert f"`{HOSTILE}`" in markdown


def test_runs_can_be_chosen() -> None:
    """By branch; the table shows the newest and says how many more there are."""
    for number in range(4):
        store().record(Made(), branch="main" if number % 2 else "topic")
    only = json.loads(run("runs", "--branch", "main", "--format", "json").stdout)
    short = run("runs", "--top", "1").stdout

    assert [row["branch"] for row in only["runs"]] == ["main", "main"]
    assert "… 3 more" in short
    assert len(json.loads(run("runs", "--top", "1", "--format", "json").stdout)["runs"]) == 1


def test_a_run_is_shown() -> None:
    """Its facts, its tables as correlate shows them, or a report of it."""
    kept = store().record(with_op("aten.mm", 5), name="x", tags={"a": "b"})
    facts = run("runs", "show", "x").stdout
    document = json.loads(run("runs", "show", "x", "--format", "json").stdout)
    table = run("runs", "show", "x", "--by", "op").stdout
    report = run("runs", "show", "x", "-o", "report.html")

    assert f"run         {kept.id}\n" in facts
    assert "tag         a=b\n" in facts
    assert (document["id"], document["tags"]) == (kept.id, {"a": "b"})
    assert table.startswith("GPU time by original op")
    assert report.exit_code == 0, report.output
    assert Path("report.html").read_text().startswith("<!doctype html>")


def test_the_store_may_stand_before_or_behind() -> None:
    """`runs --store X show Y` is `runs show Y --store X`."""
    Store("other").record(Made(), name="x")

    before = run("runs", "--store", "other", "show", "x")
    behind = run("runs", "show", "x", "--store", "other")
    assert (before.exit_code, before.stdout) == (0, behind.stdout)


def test_tags_are_set_and_taken_away() -> None:
    """Both at once; without either it is wrong usage."""
    store().record(Made(), name="x", tags={"old": "1"})
    result = run("runs", "tag", "x", "new=2", "--delete", "old")

    assert result.exit_code == 0, result.output
    assert store().open("x").tags == {"new": "2"}
    assert run("runs", "tag", "x").exit_code == 2


def test_removing_asks_first() -> None:
    """Only yes removes; --yes does not ask; what is not there is an error before anything goes."""
    kept = [store().record(Made(), name=name) for name in ("a", "b", "c")]
    refused = run("runs", "remove", "a", answer="n\n")
    unknown = run("runs", "remove", "a", "nobody", "--yes")
    assert (refused.exit_code, unknown.exit_code) == (1, 2)
    assert len(store().runs()) == 3

    assert run("runs", "remove", "a", answer="y\n").exit_code == 0
    assert run("runs", "remove", "b", kept[1].id, "--yes").exit_code == 0
    assert [stored.facts.name for stored in store().runs()] == ["c"]


def test_a_table_of_a_run_is_printed_in_every_form() -> None:
    """`runs show --by` prints what `correlate --by` prints of the result: as CSV and as JSON, too.

    JSON names the commands for the rows that it leaves out, and for the whole, of the same run.
    """
    store().record(Made())
    shown = json.loads(run("runs", "show", "latest", "--by", "op", "--format", "json").stdout)
    rows = run("runs", "show", "latest", "--by", "op", "--format", "csv").stdout.splitlines()

    assert (shown["format"], shown["table"]) == ("kernelmap.rows", "ops")
    assert len(rows) == len(shown["rows"]) + shown["left_out"]["rows"] + 1
    assert shown["left_out"]["whole"] == "kernelmap runs show latest --by op -o result.json"
    assert run(*shown["left_out"]["whole"].split()[1:]).exit_code == 0
    assert run("runs", "show", "latest", "--by", "op", "--format", "markdown").stdout.count("| ")
    assert run("runs", "show", "latest", "--format", "csv").exit_code == 2


def test_check_fails_where_a_byte_is_another_one() -> None:
    """Exit code 1 and the run's name; 0 where all is as it was recorded."""
    store().record(Made())
    hurt = store().record(Made())
    assert run("runs", "--check").exit_code == 0

    path = Path("store", "runs", hurt.id, "ops.parquet")
    content = bytearray(path.read_bytes())
    content[50] ^= 1
    path.write_bytes(content)
    result = run("runs", "--check")
    assert result.exit_code == 1
    assert hurt.id in result.stderr
    assert "1 run as recorded" in result.stderr


def test_leftovers_are_pruned() -> None:
    """What a killed recorder left is taken away; runs stay."""
    store().record(Made())
    store().place.begin("20200101-000000-000000-00000000").add("ops.parquet", b"half")
    result = run("runs", "remove", "--leftovers", "24")

    assert result.exit_code == 0
    assert "1 leftover taken away" in result.stderr
    assert len(store().runs()) == 1


def test_an_extra_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says which package is missing, one how to get it; folders need no extra."""
    store().record(Made())
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    result = run("runs", "--store", "s3://bucket/x")

    assert result.exit_code == 2
    assert "fsspec is not installed" in result.stderr
    assert "[store]" in result.stderr
    assert run("runs").exit_code == 0


def test_a_run_is_listed_with_the_time_of_a_step() -> None:
    """Recordings of one and of all steps stand beside each other with what a step took in each."""
    every = run("runs", "add", BUNDLE, "--name", "every").stdout.strip()
    summary = store().open(every).summary
    assert summary.steps is not None
    run("runs", "add", BUNDLE, "--name", "one", "--steps", str(summary.steps[0]))
    listed = {
        row["name"]: row for row in json.loads(run("runs", "--format", "json").stdout)["runs"]
    }
    headings, *lines = run("runs").stdout.splitlines()

    assert listed["every"]["steps"] == summary.step_count
    assert listed["every"]["step_ns"] == round(summary.total_ns / (summary.step_count or 1))
    assert listed["one"]["step_ns"] == listed["one"]["total_ns"] < summary.total_ns
    assert "time a step" in headings
    assert "whole time" not in headings
    assert format_duration(listed["every"]["step_ns"]) in next(
        line for line in lines if every in line
    )


def test_a_run_without_steps_is_listed_with_its_whole_time() -> None:
    """What no steps divide is called the whole time."""
    tables = make_tables()
    store().record(Made(content=replace(tables, summary=replace(tables.summary, steps=None))))
    headings = run("runs").stdout.splitlines()[0]

    assert "whole time" in headings
    assert "time a step" not in headings
