"""--top, --by, --columns and --where bound JSON, CSV and Markdown; what is left out is said."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import main
from kernelmap.tables.schema import BY, TABLES


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "200"})


def answer(*words: str) -> Any:  # noqa: ANN401 -- JSON
    done = run(*words, "--format", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def sample(samples: Path) -> str:
    return str(samples / "cuda_language_train")


def test_a_bounded_answer_is_small_and_says_what_it_leaves_out(sample: str) -> None:
    """Three rows of a step fit into 3 kB; shown and left out are the window, to the ns."""
    done = run("correlate", sample, "--format", "json", "--top", "3")
    document = json.loads(done.stdout)
    shown_ns = sum(row["time_ns"] for row in document["rows"])

    assert len(done.stdout) < 3_000
    assert (document["format"], document["version"]) == ("kernelmap.rows", 1)
    assert len(document["rows"]) == 3
    assert shown_ns + document["left_out"]["time_ns"] == document["summary"]["total_ns"]
    assert document["units"]["time_ns"] == "ns"


@pytest.mark.sampled
@pytest.mark.parametrize("by", [*BY, "memory"])
def test_each_option_bounds_json(sample: str, by: str) -> None:
    """--by alone gives one table, at most 20 rows of it; the names are those of the table."""
    document = answer("correlate", sample, "--by", by)
    columns = TABLES[BY[by]].by_name if by in BY else None

    assert document["table"] == BY.get(by, by)
    assert len(document["rows"]) <= 20
    assert columns is None or all(set(row) <= set(columns) for row in document["rows"])
    if columns and document["rows"]:
        assert {*document["rows"][0], *document["left_out"]["columns"]} == set(columns)


def test_the_whole_is_what_it_was(sample: str) -> None:
    """Without any of the four JSON has everything, whatever a setting of the project says."""
    whole = answer("correlate", sample)
    assert whole["format"] == "kernelmap.correlation"
    assert set(whole) >= {"summary", "ledger", "ops", "calls", "kernels", "lines", "notices"}


def test_settings_do_not_bound_json(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`by` and `top` of pyproject.toml say how a terminal's table looks."""
    (tmp_path / "pyproject.toml").write_text('[tool.kernelmap]\nby = "line"\ntop = 3\n')
    monkeypatch.chdir(tmp_path)
    assert answer("correlate", sample)["format"] == "kernelmap.correlation"


@pytest.mark.parametrize(
    "words",
    [
        ["correlate", "{}", "--top", "3"],
        ["correlate", "{}", "--by", "line", "--where", "time_ns>50us"],
        ["correlate", "{}", "--by", "launch", "--top", "1", "--where", "confidence=exact"],
        ["correlate", "{}", "--by", "call", "--sort", "headroom", "--top", "2"],
        ["correlate", "{}", "--roofline", "--top", "2"],
        ["memory", "{}", "--top", "2"],
        ["inspect", "{}", "--where", "backend=triton"],
    ],
)
def test_the_commands_in_an_answer_answer(
    sample: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rows_by` gives every row of the table, `whole` everything, `next` what it says."""
    monkeypatch.chdir(tmp_path)
    document = answer(*(word.format(sample) for word in words))
    left_out = document["left_out"]
    every = json.loads(run(*shlex.split(left_out["rows_by"])[1:]).stdout)

    assert every["left_out"]["rows"] == 0
    assert len(every["rows"]) == len(document["rows"]) + left_out["rows"]
    assert every["order"] == document["order"]
    assert document["next"]
    for question in document["next"]:
        done = run(*shlex.split(question["command"])[1:])
        assert done.exit_code == 0, done.stderr
    whole = run(*shlex.split(left_out["whole"])[1:]).stdout
    assert json.loads(whole or (tmp_path / "result.json").read_text())["format"]


def test_the_calls_behind_a_row_are_its_calls(sample: str) -> None:
    """The first question after a line leads to the calls of that line alone."""
    document = answer("correlate", sample, "--by", "line")
    row = next(row for row in document["rows"] if row.get("line") is not None)
    question = document["next"][0]
    calls = json.loads(run(*shlex.split(question["command"])[1:]).stdout)
    place = f"{row['file']}:{row['line']}"

    assert calls["table"] == "calls"
    assert calls["rows"]
    assert all(place in call["source"] for call in calls["rows"])
    assert (
        len(calls["rows"]) + calls["left_out"]["rows"] - calls["left_out"]["unmatched"]
        == row["calls"]
    )


def test_columns_and_conditions_mean_the_same_in_every_form(sample: str) -> None:
    """JSON, lines of JSON, CSV, Markdown and the terminal have the same rows and columns."""
    condition = "time_ns>10us and ops=aten.mm"
    chosen = ("--columns", "call,time_ns,ops", "--where", condition, "--top", "50")
    words = ("correlate", sample, "--by", "call", *chosen)
    rows = answer(*words)["rows"]
    lines = [json.loads(line) for line in run(*words, "--format", "jsonl").stdout.splitlines()]
    table = list(csv.DictReader(run(*words, "--format", "csv").stdout.splitlines()))
    shown = run(*words).stdout
    markdown = run(*words, "--format", "markdown").stdout

    assert rows
    assert [list(row) for row in rows] == [["call", "time_ns", "ops"]] * len(rows)
    assert (lines[0]["format"], lines[1:]) == ("kernelmap.rows", rows)
    assert [row["call"] for row in table] == [row["call"] for row in rows]
    for row in rows:
        assert row["call"] in shown
        assert row["call"] in markdown
    assert f"{len(rows)} of 186 rows" in shown


def test_csv_and_lines_have_all_rows_until_a_number_is_given(sample: str) -> None:
    """A pipe loses nothing that nobody asked it to lose."""
    for form, head in (("csv", 1), ("jsonl", 1)):
        whole = run("correlate", sample, "--by", "call", "--format", form).stdout.splitlines()
        three = run("correlate", sample, "--by", "call", "--format", form, "--top", "3").stdout
        assert len(whole) == 186 + head
        assert three.splitlines()[head:] == whole[head : head + 3]


def test_files_of_one_table_are_bounded_and_others_refuse(sample: str, tmp_path: Path) -> None:
    """-o FILE.csv and .md take a selection; whatever holds several tables says that it does not."""
    words = ("correlate", sample, "--by", "line", "--where", "time_ns>50us")
    target = tmp_path / "lines.csv"
    assert run(*words, "--columns", "file,line,time_ns", "-o", str(target)).exit_code == 0
    assert target.read_text().splitlines()[0] == "file,line,time_ns"
    for name in ("all.json", "folder", "report.html"):
        refused = run(*words, "-o", str(tmp_path / name))
        assert refused.exit_code == 2
        assert "holds whole tables" in refused.stderr


def test_a_name_that_is_empty_is_said(sample: str) -> None:
    """A variable of the shell that was never set chooses no columns, and that is wrong usage."""
    for text in ("", ",", "name,,time_ns"):
        refused = run("correlate", sample, "--columns", text)
        assert refused.exit_code == 2
        assert "a name is empty" in refused.stderr


def test_launches_are_of_the_whole(sample: str) -> None:
    """--launches with a bound is wrong usage that names the table of launches."""
    refused = run("correlate", sample, "--format", "json", "--launches", "--top", "3")
    assert refused.exit_code == 2
    assert "--by launch" in refused.stderr


@pytest.mark.sampled
@pytest.mark.parametrize("words", [["--top", "2"], ["--by", "op", "--top", "2"]])
def test_a_comparison_is_bounded(samples: Path, words: list[str]) -> None:
    """What is left out of the change is said; the finding stands before any row."""
    sides = (str(samples / "sim_mlp_train"), str(samples / "sim_gpt_train"))
    document = answer("diff", *sides, *words)
    about = document["about"]

    assert about["finding"]
    assert len(document["rows"]) == 2
    shown_ns = sum(row["change_ns"] for row in document["rows"])
    assert shown_ns + document["left_out"]["change_ns"] == about["change_ns"]


@pytest.mark.parametrize("words", [["--top", "2"], ["--by", "call", "--top", "2"]])
def test_a_fleet_is_bounded(samples: Path, tmp_path: Path, words: list[str]) -> None:
    """The slowest ranks, or the rows in which ranks differ most, with what all ranks say."""
    place = ("fleet", str(samples / "sim_fleet"), "--workers", "0", "--keep", str(tmp_path))
    document = answer(*place, *words)

    assert document["about"]["ranks_read"] == 8
    assert document["about"]["headline"].endswith("3 are slow")
    assert len(document["rows"]) == 2
