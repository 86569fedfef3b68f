"""What the oracle says of two answers."""

from __future__ import annotations

import copy

from oracle import SAMPLES, answer
from oracle_differences import Json, differences, judged_changes

from kernelmap import correlate

LAUNCH: Json = {
    "launch": 0, "event": 7, "start_ns": 1, "dur_ns": 2, "device": 0, "stream": 7, "pid": "1",
    "rank": None, "name": "mm", "graph_node": None, "call": "0_forward/1", "confidence": "exact",
    "candidates": None,
}  # fmt: skip


def _answer(**changed: object) -> Json:
    return {"launches": [{**LAUNCH, **changed}], "ops": [{"name": "aten.mm", "origin": "compiled"}]}


def test_equal_answers_have_no_difference() -> None:
    """The same sample gives the same answer twice, and the oracle has nothing to say."""
    sample = [str(SAMPLES / "cpu_mlp_train")]

    assert list(differences(answer(sample), answer(sample))) == []


def test_an_answer_holds_every_launch() -> None:
    """What is compared covers the whole trace."""
    sample = SAMPLES / "sim_mlp_train"

    assert len(answer([str(sample)])["launches"]) == len(correlate(sample).trace.launches)


def test_a_changed_pairing_is_named_with_its_confidences() -> None:
    """A launch that lost its exact call is listed by what changed."""
    (change,) = differences(_answer(), _answer(call=None, confidence="outside"))

    assert change == ("launches: exact→outside, columns call, confidence", "1 (mm 1)")


def test_a_renumbered_launch_is_the_same_launch() -> None:
    """More rows before a launch change its number, not what is concluded about it."""
    assert list(differences(_answer(), _answer(launch=5, event=9))) == []


def test_rows_that_come_and_go_are_named() -> None:
    """A table with another row differs, whatever else stays."""
    old, new = _answer(), copy.deepcopy(_answer())
    new["ops"].append({"name": "aten.add", "origin": "outside"})

    assert [kind for kind, _ in differences(old, new)] == ["ops: row new"]


def test_a_changed_launch_of_a_world_is_judged() -> None:
    """The truth tells whether a change made an answer right or wrong."""
    old, new = _answer(), _answer(call="0_forward/2")

    assert judged_changes(old, new, [["0_forward/1", 0]]) == {("exact→exact", True, False): 1}
