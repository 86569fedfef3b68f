"""Names that attack: what stands in an input moves no cursor, runs no formula, breaks no table."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from examples import an_eighth
from hostile import digest, moving, run
from kernelmap.cli import main
from kernelmap.tables.schema import BY
from pages.packed_page import Json

EVIL = "=1+1|\u202eab\x1b[31m\x9b2J\x07\r\n\t`x`</script><img src=x>\u200b\u2028```\ud800"
FORMS = ("table", "csv", "markdown", "json")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 -- spreadsheets read the wide signs alike


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample whose kernels, operators, ranges, GPU, comments and files bear hostile names."""
    sample = Path(__file__).resolve().parent.parent / "sample_traces" / "sim_mlp_train"
    folder = Path(shutil.copytree(sample, tmp_path_factory.mktemp("run") / "run"))
    packed = folder / "profile.json.gz"
    trace = json.loads(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    for at, event in enumerate(trace["traceEvents"]):
        if event.get("cat") == "kernel" and at % 3 == 0:
            event["name"] = EVIL + event["name"]
        if event.get("cat") in ("cpu_op", "user_annotation") and at % 5 == 0:
            event["name"] += EVIL
    trace["deviceProperties"] = [{"id": 0, "name": EVIL}]
    (folder / "p\x1b[31m\u202e|`.json").write_text(json.dumps(trace))
    for code in folder.rglob("output_code.py"):
        mark = "# Topologically Sorted Source Nodes: ["
        written = code.read_text().replace(mark, f"{mark}evil\x1b[31m\u202e|=1`, ")
        code.write_text(written, newline="")
    return folder


@pytest.mark.parametrize(("form", "by"), an_eighth(product(FORMS, BY)))
def test_tables_hold_nothing_that_acts(by: str, form: str, hostile_run: Path) -> None:
    """Printed in any form, by any row: no cursor moves; a tab stands at most inside a cell."""
    printed = run("correlate", hostile_run, "--by", by, "--format", form, reads=hostile_run).stdout

    assert moving(printed) <= ({"\t"} if form == "csv" else set())
    if form == "csv":
        cells = list(csv.reader(io.StringIO(printed)))
        assert len({len(row) for row in cells}) == 1
        names = [cell for row in cells for cell in row if not re.fullmatch(r"[-+.e\d]*", cell)]
        assert not any(name.startswith(_FORMULA) for name in names)
    if form == "markdown":
        tables = [rows for block in printed.split("\n\n") if (rows := list(_rows(block)))]
        # No engine marks a step here, and no name that is hostile could mark one.
        assert tables or by == "step-kind"
        for rows_of_one in tables:
            assert len({_bars(line) for line in rows_of_one}) == 1
        assert "<img" not in re.sub(r"(`+).*?\1", "", printed)


QUESTIONS = {
    "doctor": ("doctor",),
    "doctor in Markdown": ("doctor", "--format", "markdown"),
    "inspect": ("inspect",),
    "inspect in JSON": ("inspect", "--format", "json"),
    "explain a launch": ("explain", "3"),
    "explain a call": ("explain", "0_forward/1"),
    "explain in Markdown": ("explain", "3", "--format", "markdown"),
    "explain in JSON": ("explain", "3", "--format", "json"),
    "which": ("which", EVIL.replace("\ud800", "")),
    "lock": ("inspect", "--format", "lock"),
    "listing": ("annotate", "--listing"),
    "diff": ("diff",),
    "diff in Markdown": ("diff", "--format", "markdown"),
    "diff in JSON": ("diff", "--format", "json"),
    "wrong usage": ("correlate", f"--{EVIL[:9]}"),
    "no such path": ("correlate", f"no{EVIL[:9]}"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_and_errors_hold_nothing_that_acts(
    question: str, hostile_run: Path, samples: Path
) -> None:
    """Whatever is asked, of whatever name, neither output holds a character that acts."""
    other = [samples / "sim_mlp_train"] if question.startswith("diff") else []
    done = run(*QUESTIONS[question], hostile_run, *other, reads=hostile_run)

    assert not moving(done.stdout)
    assert not moving(done.stderr)


def test_pages_hold_nothing_that_acts(hostile_run: Path, tmp_path: Path) -> None:
    """Pages hold names as text; what a report unpacks, its script shows (see dom.js)."""
    page, compared = tmp_path / "report.html", tmp_path / "diff.html"
    run("correlate", hostile_run, "-o", page, reads=hostile_run)
    run("diff", hostile_run, hostile_run, "-o", compared, reads=hostile_run)

    assert EVIL[:6] not in page.read_text()
    assert not moving(compared.read_text())
    assert "<img src=x>" not in page.read_text()
    assert "<img src=x>" not in compared.read_text()


def test_what_is_added_to_a_trace_is_shown(hostile_run: Path, tmp_path: Path) -> None:
    """Our own facts in an annotated trace hold nothing that acts; the trace itself stays."""
    wrote = tmp_path / "annotated.json"
    run("annotate", hostile_run, "-o", wrote, reads=hostile_run)
    events = json.loads(wrote.read_text())["traceEvents"]
    ours = [event["args"]["kernelmap"] for event in events if "kernelmap" in event.get("args", {})]

    assert ours
    assert not any(moving(text) for text in _texts(ours))


@pytest.mark.parametrize("by_link", [False, True])
def test_the_page_of_a_ci_job_is_never_an_input(
    by_link: bool, samples: Path, tmp_path: Path
) -> None:
    """Where GITHUB_STEP_SUMMARY leads to a file that was read, nothing is added to it."""
    folder = Path(shutil.copytree(samples / "sim_mlp_train", tmp_path / "run"))
    code = folder / "model__0_forward_1.0" / "output_code.py"
    locked = tmp_path / "x.lock"
    run("inspect", folder, "--lock", locked, reads=folder)
    code.write_text(code.read_text().replace("extern_kernels.addmm", "extern_kernels.mm"))
    place = tmp_path / "summary"
    place.symlink_to(code)
    before = digest(tmp_path)
    for summary in (code, locked):
        place.unlink(missing_ok=True)
        place.symlink_to(summary)
        named = place if by_link else summary
        for options in (("--lock", locked), ("--baseline", samples / "sim_mlp_train")):
            done = CliRunner().invoke(
                main,
                ["gate", *map(str, options), str(folder)],
                env={"GITHUB_STEP_SUMMARY": str(named)},
            )
            if options[0] == "--lock" or summary == code:
                assert done.exit_code == 2
                assert "was read and would be overwritten" in done.stderr
                assert digest(tmp_path) == before


def _rows(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.startswith("| "))


def _bars(line: str) -> int:
    """How many bars divide a line into cells."""
    return len(re.findall(r"(?<!\\)\|", line))


def _texts(value: Json) -> Iterator[str]:
    """All texts in a value of JSON, those in texts that are JSON themselves included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
        if value.startswith(("{", "[")):
            try:
                yield from _texts(json.loads(value))
            except ValueError:
                return
