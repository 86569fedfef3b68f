"""Which line of a text is a recorded line: in place, moved, edited, or not to be told."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from editors.recorded_lines import line, of_text
from examples import examples
from kernelmap.editors.places import (
    LineEdit,
    LineState,
    PlacedLine,
    check_followed,
    follow_edit,
    place_lines,
    split_lines,
)

TEXT = """import torch

class Block:
    def forward(self, x):
        x = self.up(x)
        x = x.relu()
        return self.down(x)
"""
RECORDED = of_text(TEXT, [5, 6, 7])


def places(placed: tuple[PlacedLine, ...]) -> list[int | None]:
    return [each.at for each in placed]


def states(placed: tuple[PlacedLine, ...]) -> list[str]:
    return [each.state.value for each in placed]


def apply_edit(text: str, edit: LineEdit) -> str:
    """The text after an edit, as an editor makes it."""
    lines = text.split("\n")
    before = [*lines[: edit.start], lines[edit.start][: edit.start_character]]
    after = [lines[edit.end][edit.end_character :], *lines[edit.end + 1 :]]
    return "\n".join(before) + edit.text + "\n".join(after)


def edited(text: str, *edits: LineEdit) -> tuple[str, tuple[PlacedLine, ...]]:
    """The text after the edits, and where the recorded lines are then."""
    placed = place_lines(RECORDED, text)
    for edit in edits:
        text = apply_edit(text, edit)
        placed = check_followed(follow_edit(placed, edit), text)
    return text, placed


def test_a_line_is_the_recorded_one_where_its_text_stands() -> None:
    """Whatever indents it; a text that no longer stands at its number has no place."""
    assert places(place_lines(RECORDED, TEXT)) == [4, 5, 6]
    changed = TEXT.replace("x.relu()", "x.gelu()")
    placed = place_lines(RECORDED, changed)
    assert places(placed) == [4, None, 6]
    assert states(placed) == ["same", "lost", "same"]


def test_lines_move_together_or_not_at_all() -> None:
    """Where all are still there, and in order, they moved; else nobody can know."""
    assert places(place_lines(RECORDED, "import os\n" + TEXT)) == [5, 6, 7]
    assert all(each.has_moved for each in place_lines(RECORDED, "\n" + TEXT))
    one_changed = "import os\n" + TEXT.replace("x.relu()", "x.gelu()")
    assert places(place_lines(RECORDED, one_changed)) == [None, None, None]
    in_another_order = TEXT.replace("self.up", "x.swap").replace("self.down", "self.up")
    in_another_order = "\n" + in_another_order.replace("x.swap", "self.down")
    assert places(place_lines(RECORDED, in_another_order)) == [None, None, None]


def test_a_line_that_stands_twice_moves_with_its_neighbours() -> None:
    """Models repeat `x = x.relu()`: where the lines around it have moved to, it has, too."""
    text = TEXT + "\ndef other(x):\n    x = x.relu()\n"
    assert places(place_lines(RECORDED, "import os\n" + text)) == [5, 6, 7]
    # Between two lines that moved by different ways it is where its text stands.
    parted = text.replace("        return", "\n        return")
    assert places(place_lines(RECORDED, "import os\n" + parted)) == [5, 6, 8]
    twice = text.replace("        x = x.relu()\n", "        x = x.relu()\n        x = x.relu()\n")
    assert places(place_lines(RECORDED, "import os\n" + twice)) == [None, None, None]


def test_a_twin_is_not_taken_for_the_line() -> None:
    """A second class with the same statements never ran: its lines are not the recorded ones."""
    twin = TEXT.replace("class Block", "class Twin").removeprefix("import torch\n\n")
    two = TEXT.replace("import torch\n", "import torch\n\n" + twin)
    assert places(place_lines(RECORDED, "\n\n" + two)) == [None, None, None]


def test_a_class_that_is_deleted_takes_its_lines_with_it() -> None:
    """The editor told what was deleted: a twin below is not taken for it."""
    twin = TEXT.replace("class Block", "class Twin").removeprefix("import torch\n\n")
    text = TEXT + "\n" + twin
    placed = place_lines(RECORDED, text)
    edit = LineEdit(start=2, start_character=0, end=7, end_character=0, text="")
    after = apply_edit(text, edit)
    placed = check_followed(follow_edit(placed, edit), after)

    assert after.count("self.up(x)") == 1
    assert states(placed) == ["lost", "lost", "lost"]


def test_a_line_without_a_recorded_text_is_not_shown() -> None:
    """Nothing tells whether it is the same."""
    assert states(place_lines([line(5, None)], TEXT)) == ["unchecked"]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ((0, 0, 0, 0, "import os\n"), [5, 6, 7]),  # a line above
        ((4, 8, 4, 8, "\n        "), [5, 6, 7]),  # Enter before the statement
        ((4, 22, 4, 22, "\n        y = x"), [4, 6, 7]),  # Enter behind it
        ((5, 0, 5, 0, "        y = x\n"), [4, 6, 7]),  # a line put before it
        ((5, 0, 6, 0, ""), [4, None, 5]),  # the line is deleted
        ((4, 22, 5, 20, ""), [4, None, 5]),  # the same from the end of the one above
    ],
)
def test_lines_are_followed_through_an_edit(
    edit: tuple[int, int, int, int, str], expected: list[int | None]
) -> None:
    """Each kind of edit beside, before and behind a line leaves it where its text is."""
    start, start_character, end, end_character, text = edit
    made = LineEdit(
        start=start,
        start_character=start_character,
        end=end,
        end_character=end_character,
        text=text,
    )
    _, placed = edited(TEXT, made)

    assert [
        at if each.state is LineState.SAME else None
        for at, each in zip(places(placed), placed, strict=True)
    ] == expected


def test_an_edited_line_is_known_as_another_version() -> None:
    """It keeps its place, and is the recorded line again when the edit is taken back."""
    edit = LineEdit(start=5, start_character=14, end=5, end_character=18, text="gelu")
    back = LineEdit(start=5, start_character=14, end=5, end_character=18, text="relu")
    _, placed = edited(TEXT, edit)
    assert states(placed) == ["same", "edited", "same"]
    assert places(placed) == [4, 5, 6]
    assert states(edited(TEXT, edit, back)[1]) == ["same", "same", "same"]


def test_deleting_and_undoing_brings_a_line_back() -> None:
    """When every line stands where it was recorded, what happened between does not matter."""
    gone = LineEdit(start=5, start_character=0, end=6, end_character=0, text="")
    undone = LineEdit(
        start=5, start_character=0, end=5, end_character=0, text="        x = x.relu()\n"
    )
    assert states(edited(TEXT, gone)[1])[1] == "lost"
    assert states(edited(TEXT, gone, undone)[1]) == ["same"] * 3


def test_a_function_stands_at_its_def() -> None:
    """By name and by the line of its first decorator; elsewhere it is another version."""
    text = "@compiled\ndef step(x):\n    return x\n"
    function = [line(None, "in step", function_line=1)]
    assert places(place_lines(function, text)) == [1]
    assert states(place_lines(function, text)) == ["function"]
    assert places(place_lines(function, "\n" + text)) == [None]
    assert places(place_lines(function, text.replace("step", "other"))) == [None]
    assert places(place_lines(function, text + "def (")) == [None]  # nothing can be read of it

    edit = LineEdit(start=0, start_character=0, end=0, end_character=0, text="import os\n")
    followed = follow_edit(place_lines(function, text), edit)
    assert places(check_followed(followed, apply_edit(text, edit))) == [2]


_WORDS = st.sampled_from(["", "a", "\n", "b\n", "\n\n", "x = 1\ny = 2", "    "])


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> LineEdit:
    lines = text.split("\n")
    ends = sorted(
        (at, draw(st.integers(0, len(lines[at]))))
        for at in (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    )
    (start, start_character), (end, end_character) = ends
    return LineEdit(
        start=start,
        start_character=start_character,
        end=end,
        end_character=end_character,
        text=draw(_WORDS),
    )


@given(st.data())
@settings(max_examples=examples(200))
def test_what_is_called_the_same_line_is_it(data: st.DataObject) -> None:
    """Through any edits, a line in state `same` is the one whose letters were never touched.

    Every recorded line has letters that no edit brings, so wherever they stand is the line.
    """
    text = "\n".join(f"    line{number}()" for number in range(6))
    recorded = of_text(text, [1, 3, 4, 6])
    placed = place_lines(recorded, text)
    for _ in range(data.draw(st.integers(1, 4))):
        edit = data.draw(edits_of(text))
        text = apply_edit(text, edit)
        placed = check_followed(follow_edit(placed, edit), text)

    for each in placed:
        whole = [at for at, now in enumerate(split_lines(text)) if now.strip() == each.line.code]
        assert (each.at if each.state is LineState.SAME else None) in (*whole, None)
        # A line that stands there as it was is found, but where it came back by an undo.
        assert whole == [] or each.state is LineState.SAME
