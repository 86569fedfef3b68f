"""Profiles of captures that are given without --like: the answer says what they are good for."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.cli import main
from kernelmap.model import Confidence
from worlds.engine import Engine, capture, replay

SIZES = (4, 8)


def engine_files(folder: Path, *, marked: bool = True, steps: Sequence[str] = ("steps",)) -> Engine:
    """A profile of each name in `steps`, and one of the captures of each batch size."""
    folder.mkdir(parents=True, exist_ok=True)
    engine = Engine(layers=2, hip=not marked)
    for name in steps:
        replay(folder / f"{name}.json", engine, [8, 8, 4])
    for size in SIZES:
        capture(folder / f"bs_{size}.json", engine, [size], marked=marked)
    return engine


def hint_of(*given: Path) -> str:
    """What is said to do next, where the inputs cannot be used."""
    with pytest.raises(kernelmap.KernelmapError) as caught:
        kernelmap.correlate(*given)
    return caught.value.hint


def command_in(text: str) -> list[str]:
    """The words of the command that a message tells people to copy, without the program's."""
    found = re.search(r"`kernelmap (.*)`", text)
    assert found is not None
    return shlex.split(found[1])


def ops(result: kernelmap.Correlation) -> dict[str, int]:
    return {row.name: row.time_ns for row in result.attribution.ops}


@pytest.mark.parametrize("steps", [("steps",), ("decode", "prefill")])
def test_a_folder_of_replays_and_captures_gets_a_command_that_works(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    """It names one profile of replays, and the captures with --like; nothing in it is unknown."""
    engine_files(tmp_path / "run", steps=steps)
    words = command_in(hint_of(tmp_path / "run"))
    ran = CliRunner().invoke(main, words)
    captures = [tmp_path / "run" / f"bs_{size}.json" for size in SIZES]
    path = tmp_path / "run" / f"{steps[0]}.json"

    assert words[:2] == ["correlate", str(path)]
    assert ran.exit_code == 0
    assert "unknown" not in ran.stdout
    folder = kernelmap.correlate(path, like=tmp_path / "run")
    assert ops(folder) == ops(kernelmap.correlate(path, like=captures))


def test_a_folder_of_captures_alone_is_named_beside_replays(tmp_path: Path) -> None:
    """No profile is there that it could tell of, so the command has a place for one."""
    engine_files(tmp_path / "captures", steps=())

    assert command_in(hint_of(tmp_path / "captures")) == [
        *("correlate", "REPLAYS", "--like", str(tmp_path / "captures")),
    ]


def test_a_folder_without_captures_keeps_its_answer(tmp_path: Path) -> None:
    """Profiles of two runs are no captures and no ranks."""
    engine_files(tmp_path, steps=("first", "second"))
    for size in SIZES:
        (tmp_path / f"bs_{size}.json").unlink()

    assert "ranks of one run" in hint_of(tmp_path)


@pytest.mark.parametrize("marked", [True, False])
def test_a_capture_alone_says_how_it_serves(tmp_path: Path, marked: bool) -> None:
    """Nothing ran in it; whether or not its begin and end were recorded, --like is named."""
    engine_files(tmp_path, marked=marked)
    path = tmp_path / "bs_8.json"

    assert command_in(hint_of(path)) == ["correlate", "REPLAYS", "--like", str(path)]


@pytest.mark.parametrize("marked", [True, False])
def test_captures_given_beside_replays_are_told_apart(tmp_path: Path, marked: bool) -> None:
    """They teach, nothing of them is lost, and the notice has the command that leaves them out."""
    engine_files(tmp_path, marked=marked)
    path, *captures = (tmp_path / f"{name}.json" for name in ("steps", "bs_4", "bs_8"))
    beside = kernelmap.correlate(path, *captures)
    notices = {notice.slug: notice for notice in beside.notices}
    like = kernelmap.correlate(path, like=captures)

    assert not {"activity-missing", "captured-only"} & notices.keys()
    assert command_in(notices["captures-beside"].hint or "") == [
        *("correlate", str(path), *(word for it in captures for word in ("--like", str(it)))),
    ]
    assert ops(beside) == ops(like)
    assert not beside.matching.with_confidence(Confidence.EXACT).any()
    assert "captures-beside" not in {notice.slug for notice in like.notices}


@pytest.mark.corpus
def test_a_capture_in_which_one_kernel_ran_may_be_lost_work(corpus: Path) -> None:
    """Nobody knows which it is, so both are said; beside its replay it is known."""
    case = corpus / "cases" / "captured_eager"
    path = case / "capture_with_one_kernel.json"
    alone = {notice.slug: notice for notice in kernelmap.correlate(path).notices}
    beside = kernelmap.correlate(case / "replay.json", path)

    assert "--like" in (alone["activity-missing"].hint or "")
    assert [notice.slug for notice in beside.notices] == ["captures-beside"]


def test_ranks_that_capture_and_replay_are_ranks(tmp_path: Path) -> None:
    """A program that captures its own graphs shows both in each file."""
    engine_files(tmp_path / "parts")
    replays, captures = (
        json.loads((tmp_path / "parts" / f"{name}.json").read_text("utf-8"))
        for name in ("steps", "bs_8")
    )
    for event in captures["traceEvents"]:  # ids of its own, long before
        event["ts"] -= 1_000_000
        if "correlation" in event.get("args", {}):
            event["args"]["correlation"] += 10**6
    replays["traceEvents"] += captures["traceEvents"]
    for rank in range(2):
        stated = replays | {"distributedInfo": {"rank": rank, "world_size": 2}}
        (tmp_path / f"rank_{rank}.json").write_text(json.dumps(stated), encoding="utf-8")
    result = kernelmap.correlate(*(tmp_path / f"rank_{rank}.json" for rank in range(2)))

    assert {process.rank for process in result.trace.processes} == {0, 1}
    assert "captures-beside" not in {notice.slug for notice in result.notices}
