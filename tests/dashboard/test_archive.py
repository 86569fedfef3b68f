"""What the dashboard knows of its store: answers worked out once, and a listing that renews."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest
from pandas.testing import assert_frame_equal

from history.store.made import Made
from kernelmap.dashboard.archive import Archive, NotYetError, Report
from kernelmap.dashboard.pages import page_at
from kernelmap.errors import KernelmapError
from kernelmap.history.store import Store
from kernelmap.pages.address import Address
from kernelmap.pages.page import Note, WaitingNote

WAIT = 30.0  # seconds; far more than anything here takes


class Counted:
    """Work that says how often it was begun, and waits until it may end."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = threading.Event()

    def __call__(self, report: Report) -> str:
        self.begun += 1
        report(1, 3)
        assert self.may_end.wait(WAIT)
        return "answer"


def eventually(ask: Callable[[], str]) -> str:
    """The answer of an archive without patience, however often it says not yet."""
    pause = threading.Event()
    for _ in range(1000):
        try:
            return ask()
        except NotYetError:
            pause.wait(WAIT / 1000)
    raise AssertionError("no answer")


def failing(reason: str) -> KernelmapError:
    return KernelmapError("store-unreadable", reason, "Look.")


def test_a_question_of_many_threads_is_worked_out_once(empty: Store) -> None:
    """However many ask at once, the work is done once and all have its answer."""
    archive, work = Archive(empty, patience=None), Counted()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(archive.ask, "key", "what", work) for _ in range(8)]
        work.may_end.set()
        answers = [future.result(WAIT) for future in asked]

    assert answers == ["answer"] * 8
    assert work.begun == 1


def test_an_answer_is_kept(empty: Store) -> None:
    """A later question for the same key gets the same answer without work."""
    archive = Archive(empty, patience=None)
    first = archive.ask("key", "what", lambda _: object())

    assert archive.ask("key", "what", lambda _: object()) is first
    assert archive.ask("other", "what", lambda _: object()) is not first


def test_who_asks_too_early_is_shown_how_far_it_is(empty: Store) -> None:
    """NotYetError names the question and its progress, and the answer comes in the end."""
    archive, work = Archive(empty, patience=0.0), Counted()
    told_at_last = threading.Event()

    def telling(report: Report) -> str:
        report(1, 3)
        told_at_last.set()
        return work(report)

    with pytest.raises(NotYetError):
        archive.ask("key", "the question", telling)
    assert told_at_last.wait(WAIT)
    with pytest.raises(NotYetError) as waiting:
        archive.ask("key", "the question", telling)
    work.may_end.set()

    assert (waiting.value.what, waiting.value.done, waiting.value.of) == ("the question", 1, 3)
    assert eventually(lambda: archive.ask("key", "the question", telling)) == "answer"
    assert work.begun == 1


def test_a_failure_is_reported_and_asked_again(empty: Store) -> None:
    """All who asked hear why it failed; the next one makes a new attempt."""
    archive = Archive(empty, patience=None)
    attempts: list[int] = []

    def work(_: Report) -> str:
        attempts.append(len(attempts))
        if len(attempts) == 1:
            raise failing("gone")
        return "answer"

    with pytest.raises(KernelmapError, match="gone"):
        archive.ask("key", "what", work)

    assert archive.ask("key", "what", work) == "answer"
    assert len(attempts) == 2


def test_a_failure_in_the_background_is_reported_to_the_next(empty: Store) -> None:
    """A failure of work that nothing waits for is raised at the next question."""
    archive = Archive(empty, patience=0.0)

    def work(_: Report) -> str:
        raise failing("gone")

    def ask() -> str:
        with pytest.raises(KernelmapError, match="gone"):
            archive.ask("key", "what", work)
        return "told"

    assert eventually(ask) == "told"


def test_work_that_runs_into_a_timeout_is_no_waiting(empty: Store) -> None:
    """A TimeoutError of the work is a failure of the work, not a sign to wait longer."""
    archive = Archive(empty, patience=None)

    def work(_: Report) -> str:
        raise TimeoutError("of the store")

    with pytest.raises(TimeoutError, match="of the store"):
        archive.ask("key", "what", work)


def test_questions_do_not_wait_for_one_another(empty: Store) -> None:
    """One that takes long leaves room for another."""
    archive, long = Archive(empty, patience=0.0), Counted()
    with pytest.raises(NotYetError):
        archive.ask("long", "what", long)

    assert eventually(lambda: archive.ask("short", "what", lambda _: "short")) == "short"
    long.may_end.set()


def test_old_answers_are_let_go_and_running_questions_are_not(empty: Store) -> None:
    """After many questions the oldest answer is forgotten, but a running question is not."""
    archive, work = Archive(empty, patience=0.0), Counted()
    begun: list[None] = []

    def first(_: Report) -> str:
        begun.append(None)
        return "first"

    with pytest.raises(NotYetError):
        archive.ask("running", "what", work)
    eventually(lambda: archive.ask("first", "what", first))
    for number in range(60):
        eventually(lambda number=number: archive.ask(number, "what", lambda _: "x"))  # type: ignore[misc] # mypy has no defaults in lambdas
    eventually(lambda: archive.ask("first", "what", first))
    with pytest.raises(NotYetError):
        archive.ask("running", "what", work)
    work.may_end.set()

    assert len(begun) == 2
    assert work.begun == 1


def test_the_generation_grows_only_when_something_changed(empty: Store) -> None:
    """Looking twice is one generation; a run, a tag and a removal are one each."""
    archive = Archive(empty)
    run = empty.record(Made(), branch="main")
    seen = [archive.look().generation, archive.look().generation]
    empty.tag(run.id, {"a": "b"})
    seen += [archive.look().generation, archive.look().generation]
    other = empty.record(Made(), branch="main")
    seen += [archive.look().generation, archive.look().generation]
    empty.remove(other.id)
    seen += [archive.look().generation, archive.look().generation]
    steps = [after - before for before, after in pairwise(seen)]

    assert steps == [0, 1, 0, 1, 0, 1, 0]


def test_a_store_that_vanishes_leaves_what_was_known(empty: Store, tmp_path: Path) -> None:
    """Its runs stay; its absence counts as one change, and so does its return."""
    run = empty.record(Made(), branch="main")
    archive = Archive(empty)
    before = archive.look()
    shutil.move(tmp_path / "empty", tmp_path / "away")
    gone, still = archive.look(), archive.look()
    shutil.move(tmp_path / "away", tmp_path / "empty")
    back = archive.look()

    assert before.listing is not None
    assert [stored.facts.id for stored in before.listing.runs] == [run.id]
    assert gone.listing == before.listing
    assert gone.trouble is not None
    assert (gone.seen, still.seen) == (before.seen + 1,) * 2
    assert (back.listing, back.trouble) == (before.listing, None)
    assert back.seen == gone.seen + 1
    assert back.generation == gone.generation == before.generation


def test_the_page_says_that_the_store_is_away_and_recovers(empty: Store, tmp_path: Path) -> None:
    """While the store is away, a warning stands above the known runs; later it is gone."""
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    empty.record(Made(), branch="main")
    archive = Archive(empty, patience=None)

    def looked() -> list[object]:
        archive.look()
        return list(page_at(Address(), archive).sections)

    before = looked()
    shutil.move(tmp_path / "empty", tmp_path / "away")
    first = looked()[0]
    shutil.move(tmp_path / "away", tmp_path / "empty")

    assert isinstance(first, Note)
    assert "is no store yet" in str(first.lines)
    assert [type(section) for section in looked()] == [type(section) for section in before]


def test_before_the_first_look_the_page_waits(empty: Store) -> None:
    """A server that has just begun says that it reads the store."""
    page = page_at(Address(), Archive(empty))

    assert page.waits
    assert isinstance(page.sections[0], WaitingNote)


def test_a_run_that_is_recorded_meanwhile_appears(empty: Store) -> None:
    """Watching lists again by itself, until it is closed."""
    archive = Archive(empty)
    empty.record(Made())
    archive.watch()
    count = _until(lambda: len(archive.snapshot.listing.runs) if archive.snapshot.listing else 0, 1)
    empty.record(Made())
    then = _until(lambda: len(archive.snapshot.listing.runs) if archive.snapshot.listing else 0, 2)
    archive.close()

    assert (count, then) == (1, 2)


QUESTIONS: tuple[tuple[str, dict[str, str | int | None]], ...] = (
    ("ops", {"name": "aten.mm"}),
    ("ops", {"name": "no such op"}),
    ("graphs", {}),
    ("calls", {"graph": "0_forward", "config": None}),
    ("lines", {"file": "(no source line known)", "line": None, "code": None}),
)


@pytest.mark.parametrize(("table", "where"), QUESTIONS)
def test_rows_of_few_runs_are_those_that_the_store_gives(
    planted: Store, table: str, where: dict[str, str | int | None]
) -> None:
    """A table that is read once and looked through gives what the store gives, to the cell."""
    archive = Archive(planted, patience=None)
    archive.look()

    expected = planted.history(table, where)
    assert_frame_equal(archive.history(table, where), expected)
    assert archive.history(table, where).attrs == expected.attrs


def test_a_table_of_few_runs_is_read_once(planted: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many ops are asked for: each reading would open every run."""
    archive = Archive(planted, patience=None)
    archive.look()
    read = Mock(wraps=planted.history)
    monkeypatch.setattr(archive, "store", Mock(wraps=planted, history=read))
    for name in ("aten.mm", "aten.bmm", "aten.add"):
        assert len(archive.history("ops", {"name": name}))

    assert read.call_count == 1


def test_a_run_is_read_once_for_all_its_comparisons(
    planted: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is compared with its neighbors on both sides is opened once."""
    archive = Archive(planted, patience=None)
    archive.look()
    first, second, third = [run.id for run in planted.runs()[:3]]
    opened = Mock(wraps=planted.open)
    monkeypatch.setattr(archive, "store", Mock(wraps=planted, open=opened))
    archive.comparison(first, second)
    archive.comparison(second, third)

    assert [call.args for call in opened.call_args_list] == [(first,), (second,), (third,)]


def _until(look: Callable[[], int], wanted: int) -> int:
    pause = threading.Event()
    for _ in range(1000):
        if look() == wanted:
            break
        pause.wait(WAIT / 1000)
    return look()


def test_a_damaged_run_is_named_and_the_others_are_shown(empty: Store, tmp_path: Path) -> None:
    """One broken manifest takes nothing from the other runs."""
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    empty.record(Made(), branch="main")
    broken = empty.record(Made(), branch="main")
    for path in (tmp_path / "empty").rglob("*"):
        if path.is_file() and broken.id in str(path) and path.suffix == ".parquet":
            path.write_bytes(b"")
    archive = Archive(empty, patience=None)
    look = archive.look()
    page = page_at(Address(), archive)

    assert look.listing is not None
    assert len(look.listing.runs) == 1
    assert isinstance(page.sections[0], Note)
    assert broken.id in str(page.sections[0].lines)
    assert len(page.sections) > 1
