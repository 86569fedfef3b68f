"""Each kind of notice is said once, whoever it is said of."""

from __future__ import annotations

import shutil
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.cli import main
from kernelmap.model import Notice
from kernelmap.pages.notes import note_lines

NOTICES = st.builds(
    Notice,
    slug=st.sampled_from(["trace-alone", "ranges-lost", "graph-not-run"]),
    message=st.sampled_from(["one", "two", "three", "four", "five"]),
    hint=st.sampled_from([None, "Do this.", "Do that."]),
)
RUNS = st.lists(st.lists(NOTICES, max_size=6), max_size=4)


def _named(runs: list[list[Notice]]) -> list[tuple[str, list[Notice]]]:
    return [(f"run{number}", notices) for number, notices in enumerate(runs)]


@given(RUNS)
def test_no_line_is_printed_twice_and_no_message_is_lost(runs: list[list[Notice]]) -> None:
    """With --debug each message stands once; without it, what is left out is counted."""
    kinds = {notice.slug for notices in runs for notice in notices}
    messages = {
        (notice.slug, notice.message, notice.hint) for notices in runs for notice in notices
    }
    whole = [line for line in note_lines(_named(runs), whole=True) if line.startswith("note: ")]
    assert len(whole) == len(messages)
    short = [line for line in note_lines(_named(runs)) if line.startswith("note: ")]
    counted = sum(int(line.split()[1]) - 1 for line in short if "--debug" in line)
    assert len(short) + counted == len(messages)
    if len(runs) > 1:
        assert len(short) <= 2 * len(kinds)


def test_what_several_runs_say_alike_is_one_line_with_their_names() -> None:
    """The count and the names; a run that alone says it stands before the message."""
    alike = Notice(slug="trace-alone", message="no code was given.", hint="Give it.")
    alone = Notice(slug="ranges-lost", message="2 ranges were lost.")
    lines = note_lines([("a", [alike]), ("b", [alike, alone]), ("c", [alike])])
    assert lines == [
        "note: no code was given (3 runs: a, b, c)",
        "hint: Give it.",
        "note: b: 2 ranges were lost.",
    ]


def test_other_numbers_of_one_kind_are_counted_with_their_runs() -> None:
    """Sixteen runs that each lost another number of ranges are two lines."""
    runs = [
        (name, [Notice(slug="ranges-lost", message=f"{number} ranges were lost.", hint="Again.")])
        for number, name in enumerate("abcd", 2)
    ]
    assert note_lines(runs) == [
        "note: a: 2 ranges were lost.",
        "hint: Again.",
        "note: 3 more notes of this kind, in b, c, d; --debug prints each",
    ]


def test_commands_with_several_inputs_say_each_kind_once(samples: Path, tmp_path: Path) -> None:
    """Diff and gate print one line for what both sides lack, and name the sides."""
    for number in (1, 2, 3):
        shutil.copy(samples / "sim_fleet/rank_0.json.gz", tmp_path / f"{number}.json.gz")
    first, second, third = (str(tmp_path / f"{number}.json.gz") for number in (1, 2, 3))
    for runs, words in (
        (2, ["diff", first, second]),
        (3, ["gate", "--baseline", first, "--baseline", second, third]),
    ):
        run = CliRunner().invoke(main, words)
        notes = [line for line in run.stderr.splitlines() if line.startswith("note: ")]
        assert len(notes) == 1, run.stderr
        assert f"({runs} runs: {first}, {second}" in notes[0]
