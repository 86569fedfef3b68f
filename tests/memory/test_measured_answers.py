"""What was measured, as users see it: tables, pages, JSON, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.cli import main
from kernelmap.errors import KernelmapError
from kernelmap.tables.memory_measured import MEASURED_TABLES
from tiny_memory import TinyAllocator
from tiny_snapshot import TinySnapshot
from traces.kineto_text import KINETO, frame, note, pair, text, write

SAMPLES = Path(__file__).parents[2] / "sample_traces"
LLAMA = SAMPLES / "cuda_memory_llama"
KINDS = ("kept_bytes", "code_bytes", "beside_bytes", "eager_bytes", "unread_bytes")


def test_the_kinds_of_bytes_at_each_peak_add_up_to_it() -> None:
    """And so do the rows of who holds them; the code's own word stands beside."""
    result = kernelmap.memory_of(LLAMA)

    measured = json.loads(result.render("json"))["measured"]
    held = json.loads(result.render("json"))["held"]
    assert {row["kind"] for row in measured} == {"recording", "step", "graph"}
    keys = ("kind", "pid", "device", "step", "graph", "invocation")
    for row in measured:
        assert sum(row[kind] for kind in KINDS) == row["peak_bytes"]
        own = [one for one in held if all(one[key] == row[key] for key in keys)]
        assert sum(one["bytes"] for one in own) == row["peak_bytes"]
        assert sum(one["share"] for one in own) == pytest.approx(1.0 if own else 0.0)
    backward = [row for row in measured if row["graph"] == "0_backward" and row["device"] == 0]
    assert {row["beside_bytes"] for row in backward} == {532_992}
    assert {row["peak_bytes"] - row["start_bytes"] for row in backward} == {1_319_424}
    assert {row["code_growth_bytes"] for row in backward} == {786_432}


def test_results_have_the_tables_as_frames() -> None:
    """By the words that JSON has for them."""
    result = kernelmap.memory_of(LLAMA, LLAMA / "memory_snapshot.pickle.gz")

    for word, table in MEASURED_TABLES.items():
        frame = getattr(result, word)
        assert list(frame.columns) == list(table.by_name)
        # The sample is older than what a capture counts and finds.
        assert len(frame) > 0 or word in ("counted", "model_tensors")
    chosen = result.of_graphs(["0_forward"])
    assert set(chosen.measured["graph"].dropna()) == {"0_forward"}
    assert len(chosen.snapshot_lines) == len(result.snapshot_lines)


def test_the_page_says_what_was_measured() -> None:
    """Peaks beside the code's, who held the largest, and the lines of a snapshot."""
    arguments = ["memory", str(LLAMA), str(LLAMA / "memory_snapshot.pickle.gz"), "--top", "4"]

    shown = CliRunner().invoke(main, arguments, catch_exceptions=False)

    assert shown.exit_code == 0
    for words in (
        "Measured by the profiler",
        "533 kB",
        "75.5 MB at the peak of step 4 on GPU 0",
        "(there before the recording)",
        "127 MB asked for at the peak in memory_snapshot.pickle.gz",
        "models.py:85",
    ):
        assert words in shown.output


def test_a_profile_without_memory_events_shows_none() -> None:
    """The page is that of the code alone."""
    result = kernelmap.memory_of(SAMPLES / "cuda_mlp_train")

    assert not result.in_use
    assert "Measured" not in result.render("markdown")
    assert json.loads(result.render("json"))["measured"] == []


def test_code_and_a_snapshot_are_enough(tmp_path: Path) -> None:
    """No profile is needed to say which lines held the bytes."""
    code = LLAMA / "rank_0" / "code"
    snapshot = TinySnapshot()
    snapshot.alloc(600, "model.py:12:forward")
    snapshot.event("oom", size=1 << 30, device_free=7, frames=[])

    result = kernelmap.memory_of(code, snapshot.dump(tmp_path / "snapshot.pickle"))

    assert [row["line"] for row in result.in_use.rows["snapshot_lines"]] == ["model.py:12"]
    assert "Out of memory: 1 allocation failed, the last of 1.07 GB" in result.render("markdown")


def test_a_snapshot_alone_is_enough(tmp_path: Path) -> None:
    """Lines of code that is not given tell rows of one user's line apart."""
    snapshot = TinySnapshot()
    for size, line in ((600, 7), (700, 9)):
        snapshot.alloc(size, f"cache/c{'a' * 51}.py:{line}:call", "model.py:12:forward")

    shown = kernelmap.memory_of(snapshot.dump(tmp_path / "snapshot.pickle")).render("markdown")

    assert "aaa.py:7" in shown
    assert "aaa.py:9" in shown
    assert "No graph" not in shown


def test_a_question_about_time_says_where_a_snapshot_is_read(tmp_path: Path) -> None:
    """It is no input that is passed over in silence."""
    path = TinySnapshot().dump(tmp_path / "snapshot.pickle")

    notices = kernelmap.correlate(SAMPLES / "cuda_mlp_train", path).notices

    assert [notice.slug for notice in notices if "snapshot" in notice.slug] == [
        "snapshot-says-no-time"
    ]


def test_names_of_a_snapshot_are_shown_as_text(tmp_path: Path) -> None:
    """Whatever a stack names: neither marks of HTML nor colors of a terminal."""
    snapshot = TinySnapshot()
    snapshot.alloc(600, "<script>alert(1)</script>.py:12:forward")
    snapshot.alloc(700, "\x1b[31m.py:3:forward")
    path = snapshot.dump(tmp_path / "snapshot.pickle")

    code = LLAMA / "rank_0" / "code"
    result = kernelmap.memory_of(code, path)
    shown = CliRunner().invoke(main, ["memory", str(code), str(path)], color=True)

    assert "<script>alert(1)</script>.py" not in result.render("html")
    assert "\x1b[31m.py" not in shown.output
    assert "x1b[31m.py" in shown.output


def test_a_hostile_snapshot_among_inputs_is_an_error(tmp_path: Path) -> None:
    """With a next step; nothing of it runs."""
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(b"\x80\x02}(X\x08\x00\x00\x00segmentscos\nsystem\n.")

    with pytest.raises(KernelmapError) as caught:
        kernelmap.memory_of(LLAMA / "rank_0" / "code", path)

    assert caught.value.slug == "pickle-not-plain"


def test_another_pickle_is_no_input(tmp_path: Path) -> None:
    """The error says what it is."""
    path = tmp_path / "weights.pickle"
    path.write_bytes(b"\x80\x02}.")

    with pytest.raises(KernelmapError, match="only memory snapshots of torch are read"):
        kernelmap.memory_of(LLAMA / "rank_0" / "code", path)


def test_a_profile_without_code_is_measured_as_well(tmp_path: Path) -> None:
    """Eager programs have peaks, too: by operator."""
    memory = TinyAllocator(held=1_000)
    memory.alloc(500, 120_000)
    path = write(tmp_path / "t.json", text([*pair(), *memory.kineto()], KINETO))

    result = kernelmap.memory_of(path)

    (row,) = result.in_use.rows["measured"]
    assert [row[kind] for kind in KINDS] == [1_000, 0, 0, 500, 0]
    assert (row["kind"], row["peak_op"]) == ("recording", "aten.mm")


def test_a_run_of_which_only_the_range_is_known_is_not_eager(tmp_path: Path) -> None:
    """As in a capture, whose launches run elsewhere: its bytes are of a graph that is not given."""
    memory = TinyAllocator()
    memory.alloc(500, 410_000)
    mark = note("## Call CompiledFxGraph fkeyfkeyfkeyfkey ##", 400, 50)
    path = write(tmp_path / "t.json", text([*pair(), mark, *memory.kineto()], KINETO))

    result = kernelmap.memory_of(path)

    (row,) = result.in_use.rows["measured"]
    assert [row[kind] for kind in KINDS] == [0, 0, 0, 0, 500]
    assert "(graph fkeyfkeyfkeyf)" in result.render("markdown")


def test_eager_bytes_are_told_by_function_where_frames_say_so(tmp_path: Path) -> None:
    """The user's function that was open, as the profiler names it."""
    memory = TinyAllocator()
    memory.alloc(500, 120_000)
    frames = [frame("train.py(3): <module>", 1, 900), frame("train.py(12): step", 50, 200)]
    path = write(tmp_path / "t.json", text([*frames, *pair(), *memory.kineto()], KINETO))

    result = kernelmap.memory_of(path)

    (held,) = result.in_use.rows["held"]
    assert (held["op"], held["function"]) == ("aten.mm", "in step (train.py)")


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    """Code, profile and snapshot in any order give one answer."""
    snapshot = TinySnapshot()
    snapshot.alloc(600, "model.py:12:forward")
    rank = LLAMA / "rank_0"
    inputs = [rank / "code", rank / "trace.json.gz", snapshot.dump(tmp_path / "s.pickle")]

    one, other = (kernelmap.memory_of(*order) for order in (inputs, inputs[::-1]))

    assert one.in_use == other.in_use
