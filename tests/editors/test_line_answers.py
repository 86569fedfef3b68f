"""What an editor shows of recorded lines: hints, hovers and lenses, with the figures of tables."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

import kernelmap
from editors.recorded_lines import FILE, line, recording
from kernelmap import Options
from kernelmap.correlation import Correlation
from kernelmap.editors.answers import OpenFile, hints_of, hover_of, lenses_of, open_file
from kernelmap.editors.from_result import lines_of_result
from kernelmap.editors.recorded import CallOfLines, HowSure, RecordedLines
from kernelmap.pages.render.markdown import render_markdown
from kernelmap.pages.text import format_duration, format_percent
from kernelmap.tables.rows import whole_number

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "scripts" / "gpu_cases"
"""The files from which the samples were recorded, under another path."""
RECORDED = ("cuda_language_train", "cuda_captured_eager", "cpu_mlp_train", "cuda_reason_pairs")


@cache
def correlated(sample: str) -> Correlation:
    return kernelmap.correlate(
        ROOT / "sample_traces" / sample, options=Options(wall=False, memory=False)
    )


@cache
def lines_of(sample: str) -> RecordedLines:
    result = correlated(sample)
    return lines_of_result(result, sample, result.again("correlate", "--open"))


def shown(recorded: RecordedLines, text: str, *, is_newer: bool = False) -> OpenFile:
    """The recording in a file of its own path."""
    found = open_file(recorded, Path(FILE), text, is_newer=is_newer)
    assert found is not None
    return found


@pytest.mark.parametrize("sample", RECORDED)
def test_figures_are_those_of_the_table_of_lines(sample: str) -> None:
    """Time, share and headroom of a hint are the row of `correlate --by line`, per step."""
    result, recorded = correlated(sample), lines_of(sample)
    name = recorded.files[0]
    source = SOURCES / Path(name).name
    found = open_file(recorded, source, source.read_text())
    assert found is not None
    hints = {hint.at + 1: hint for hint in hints_of(found)}
    rows = {row["line"]: row for row in result.tables.rows("lines") if row["file"] == name}
    times = {
        number: whole_number(row, "time_ns") + whole_number(row, "backward_ns")
        for number, row in rows.items()
    }
    steps = result.summary.counted_steps
    assert steps

    assert hints.keys() == {number for number, time_ns in times.items() if time_ns}
    for number, hint in hints.items():
        row, time_ns = rows[number], times[number]
        first, second, *rest = hint.text.split(" · ")
        assert first == f"{format_duration(time_ns / steps)}/step"
        share = row["share"]
        assert isinstance(share, float)
        assert second == format_percent(share)
        if isinstance(row["headroom_ns"], int):
            assert rest[0] == f"{format_duration(row['headroom_ns'] / steps)} headroom"
        assert hint.about.startswith(f"{format_duration(time_ns)} in steps ")


def test_a_line_that_is_less_than_exact_says_so() -> None:
    """In the hint by a word, in the hover with the launches and why."""
    source = SOURCES / "layers.py"
    found = open_file(lines_of("cuda_captured_eager"), source, source.read_text())
    assert found is not None
    hints = {hint.at + 1: hint.text for hint in hints_of(found)}
    assert hints[70].endswith("in part ambiguous")
    assert hints[77].endswith(" · ambiguous")
    page = hover_of(found, 69)
    assert page is not None
    text = render_markdown(page)
    assert "`inferred: 48 launches, 58.72 µs: its place among the other launches" in text
    assert "`ambiguous: 96 launches, 119.7 µs: each call that it may belong to" in text
    assert "89.1 % unknown" in text


@pytest.mark.parametrize("sample", RECORDED)
def test_evidence_adds_up_to_the_calls_of_the_line(sample: str) -> None:
    """Each launch of the calls that a line is part of has its confidence, once: `at most`."""
    for each in lines_of(sample).lines:
        assert sum(part.time_ns for part in each.evidence or ()) == each.involved_ns, each


def test_a_hover_has_calls_and_evidence() -> None:
    """The calls that work for the line, how sure each is, and the ledger of the window."""
    source = SOURCES / "models.py"
    found = open_file(lines_of("cuda_language_train"), source, source.read_text())
    assert found is not None
    page = hover_of(found, 89)
    assert page is not None
    text = render_markdown(page)

    assert "forward 190.8 µs, backward 326.2 µs" in text
    assert "| `0_backward/91` | `extern_kernels.mm` | 10.30 µs | 0.5 % | 3 | exact |" in text
    assert "exact: 276 launches, 578.6 µs: a host range names the call" in text
    assert "the window: 70.1 % exact + 29.9 % outside" in text
    assert hover_of(found, 0) is None


def test_without_steps_times_are_of_the_window() -> None:
    """A hint says `/step` only where steps are known."""
    alone = shown(recording(line(1, "x = y"), steps=None, step_count=None), "x = y")
    assert [hint.text for hint in hints_of(alone)] == ["300 ns · 10.0 %"]
    assert [hint.about for hint in hints_of(alone)] == ["300 ns, 10.0 % of all GPU time"]
    stepped = shown(recording(line(1, "x = y")), "x = y")
    assert [hint.text for hint in hints_of(stepped)] == ["100 ns/step · 10.0 %"]


def test_a_line_of_another_version_has_no_hint() -> None:
    """It is left out, and the lens says how much time that is."""
    found = shown(recording(line(1, "x = y"), line(2, "return x")), "x = z\nreturn x")
    assert [hint.at for hint in hints_of(found)] == [1]
    assert hover_of(found, 0) is None
    texts = [lens.text for lens in lenses_of(found)]
    assert texts[0].startswith(
        "kernelmap: bundle · 600 ns of 3.00 µs GPU time in steps 4 to 6 · 70.0"
    )
    assert texts[1:] == ["1 line with 300 ns recorded on another version of this file: not shown"]
    assert len(lenses_of(shown(recording(line(1, "x = y")), "x = y"))) == 1


def test_what_a_recording_lost_is_said() -> None:
    """As a number above the file, and in words where somebody asks about a line."""
    found = shown(recording(line(1, "x = y"), gaps=("12 kernels were lost",)), "x = y")
    assert [lens.text.endswith(" · 1 gap") for lens in lenses_of(found)] == [True]
    page = hover_of(found, 0)
    assert page is not None
    assert "- `12 kernels were lost`" in render_markdown(page)


def test_what_cannot_bear_figures_has_none() -> None:
    """A recording that lost kernels says so above the file; `--anyway` shows its lines."""
    result, source = correlated("cuda_lost_kernels"), SOURCES / "models.py"
    found = open_file(lines_of("cuda_lost_kernels"), source, source.read_text())
    assert found is not None
    assert hints_of(found) == ()
    assert [hover_of(found, line.at) for line in found.lines if line.at is not None] == [None]
    (lens,) = lenses_of(found)
    assert lens.text.startswith("kernelmap: cuda_lost_kernels is refused: 35 of ")
    anyway = open_file(lines_of_result(result, "lost", "", anyway=True), source, source.read_text())
    assert anyway is not None
    assert len(hints_of(anyway)) == 1


def test_a_moved_line_says_where_it_was() -> None:
    """Its hover has the number that the recording has, which commands and reports show."""
    found = shown(recording(line(1, "x = y")), "\nx = y")
    page = hover_of(found, 1)
    assert page is not None
    assert "Recorded as line 1." in render_markdown(page)


def test_a_function_says_whether_its_file_is_newer() -> None:
    """The recording has no text of a function that could be compared."""
    function = line(None, "in step", function_line=1, evidence=())
    text = "def step(x):\n    return x\n"
    (hint,) = hints_of(shown(recording(function), text))
    assert hint.text == "100 ns/step · 10.0 %"
    (hint,) = hints_of(shown(recording(function), text, is_newer=True))
    assert hint.text.endswith("recorded before this file changed")
    page = hover_of(shown(recording(function), text, is_newer=True), 0)
    assert page is not None
    assert "which statement of it ran, no profile says" in render_markdown(page)


def test_eager_time_says_that_it_ran_outside_compiled_code() -> None:
    """Of a function in its hint; that of a file as a whole has no line, and none is missing."""
    sure = HowSure(confidence="outside", why="frames", launches=3, time_ns=300)
    step = line(None, "in step", function_line=1, evidence=(sure,))
    module = line(None, "in <module>", evidence=(sure,))
    found = shown(recording(step, module), "def step(x):\n    return x\n")
    assert [hint.text for hint in hints_of(found)] == [
        "100 ns/step · 10.0 % · outside compiled code"
    ]
    assert len(lenses_of(found)) == 1


def test_a_file_is_found_by_its_path_a_folder_or_its_lines(tmp_path: Path) -> None:
    """Of a recording from elsewhere: as `path_map` says, or where all lines are in the file."""
    recorded = recording(line(1, "x = y"), line(2, "return x"))
    text, changed = "x = y\nreturn x", "x = z\nreturn x"
    here = tmp_path / "model.py"
    assert open_file(recorded, here, text) is not None
    assert open_file(recorded, here, changed) is None
    assert open_file(recorded, here, changed, folders={"/recorded": str(tmp_path)}) is not None
    assert open_file(recorded, tmp_path / "other.py", text) is None

    # A file that is there under the recorded path is that one, and no copy is.
    here.write_text(text)
    copy = tmp_path / "old" / "model.py"
    of_here = recording(line(1, "x = y", file=str(here)))
    assert open_file(of_here, here, text) is not None
    assert open_file(of_here, copy, text) is None


def test_two_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """The one whose path ends like the recorded one; none where two do."""
    recorded = recording(
        line(1, "x = 1", file="/r/a/model.py"), line(1, "x = 2", file="/r/b/model.py")
    )
    found = open_file(recorded, tmp_path / "b" / "model.py", "x = 2")
    assert found is not None
    assert found.name == "/r/b/model.py"
    assert open_file(recorded, tmp_path / "model.py", "x = 2") is None


def test_a_file_of_the_same_name_is_not_taken_for_the_recorded_one() -> None:
    """A simulated model is no file of ours, though one of that name is there."""
    source = SOURCES / "models.py"
    recorded = lines_of("sim_gpt_train")
    assert "/home/user/models.py" in recorded.files
    assert open_file(recorded, source, source.read_text()) is None


def test_names_of_a_recording_are_shown_as_data() -> None:
    """A kernel's name cannot become a link, a heading or a second line of a hover."""
    name = "[run](command:rm)\n# `x` <b>"
    call = CallOfLines(
        call="0/0", wrapper=name, time_ns=1, share=0.1, launches=1, lines=1, evidence=()
    )
    each = line(1, "x = y", evidence=(HowSure(confidence="exact", why="w", launches=1, time_ns=1),))
    found = shown(recording(replace(each, calls=(0,)), calls=(call,)), "x = y")
    page = hover_of(found, 0)
    assert page is not None
    assert r"``[run](command:rm)\n# `x` <b>``" in render_markdown(page)


def test_the_page_shows_what_an_editor_shows(request: pytest.FixtureRequest) -> None:
    """The example of docs/in-your-editor.md is made of the sample that it names.

    `--update-golden` writes it anew.
    """
    page = ROOT / "docs" / "in-your-editor.md"
    pattern = re.compile(
        r"(<!-- hints of: (\w+) (\d+) (\d+) -->\n```text\n)(.*?)(```\n)", re.DOTALL
    )
    found = pattern.search(page.read_text(encoding="utf-8"))
    assert found is not None
    sample, first, last = found[2], int(found[3]), int(found[4])
    source = SOURCES / "models.py"
    opened = open_file(lines_of(sample), source, source.read_text())
    assert opened is not None
    hints = {hint.at + 1: hint.text for hint in hints_of(opened)}
    code = dict(
        enumerate(
            dedent("\n".join(source.read_text().split("\n")[first - 1 : last])).split("\n"), first
        )
    )
    example = "".join(f"{code[at]}  {hints.get(at, '')}".rstrip() + "\n" for at in code)
    if request.config.getoption("--update-golden"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(found[0], found[1] + example + found[6]), encoding="utf-8")
    else:
        assert found[5] == example
