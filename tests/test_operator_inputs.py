"""The table of operators: shapes and Python of what ran outside of compiled code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import kernelmap
from examples import seeds
from kernelmap.cli import main
from kernelmap.correlation import Correlation
from kernelmap.history.store import Store
from kernelmap.options import Options
from kernelmap.tables.json import dump_json
from kernelmap.tables.rows import Row
from kernelmap.traces.operator_inputs import inputs_of_launches
from worlds.engine import BATCHES, Engine, capture, replay

ASKED = Options(operators=True, wall=False, work=False)


def operators(*sources: Path, options: Options = ASKED) -> list[Row]:
    """The rows of the table of operators."""
    return list(kernelmap.correlate(*sources, options=options).tables.rows("operators"))


def write_trace(path: Path, called: Sequence[tuple[str, str, dict[str, object]]]) -> Path:
    """A kernel of 5 us in each of these operators, by the function that called it."""
    events: list[dict[str, object]] = []
    for number, (name, function, said) in enumerate(called):
        begin, here, ids = (
            100 * number,
            {"ph": "X", "pid": 1, "tid": 1},
            {"correlation": number + 1},
        )
        events += [
            here | {"cat": "python_function", "name": function, "ts": begin, "dur": 90},
            here
            | {"cat": "cpu_op", "name": name, "ts": begin + 5, "dur": 80}
            | {"args": {"External id": number + 1, **said}},
            here
            | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": begin + 10, "dur": 2}
            | {"args": ids},
            {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "k", "ts": begin + 20}
            | {"dur": 5, "args": ids | {"device": 0, "stream": 7}},
        ]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


SMALL: dict[str, object] = {
    "Input Dims": [[8, 64], [], [[2], [2]]],
    "Input type": ["c10::BFloat16", "Scalar", "TensorList"],
    "Concrete Inputs": ["", "1.0", ""],
}
LARGE: dict[str, object] = {"Input Dims": [[512, 64]], "Input type": ["float"]}
FORWARD, DECODE = "model.py(7): forward", "model.py(30): decode"


def test_a_row_per_operator_shapes_and_function(tmp_path: Path) -> None:
    """Launches of one operator, one function and equal shapes are added up; all else is apart."""
    path = write_trace(
        tmp_path / "t.json",
        [
            ("sgl::norm", FORWARD, SMALL),
            ("sgl::norm", FORWARD, SMALL),
            ("sgl::norm", DECODE, SMALL),
            ("sgl::norm", FORWARD, LARGE),
            ("vllm::attend", DECODE, {}),
        ],
    )
    rows = operators(path)

    assert [
        (row["name"], row["input_shapes"], row["python_call"], row["launches"], row["time_ns"])
        for row in rows
    ] == [
        ("sgl.norm", "bf16[8, 64]", "in forward (model.py:7)", 2, 10_000),
        ("sgl.norm", "bf16[8, 64]", "in decode (model.py:30)", 1, 5_000),
        ("sgl.norm", "f32[512, 64]", "in forward (model.py:7)", 1, 5_000),
        ("vllm.attend", None, "in decode (model.py:30)", 1, 5_000),
    ]
    assert {row["origin"] for row in rows} == {"outside"}


def test_many_tensors_are_named_in_part(tmp_path: Path) -> None:
    """An operator that is handed hundreds of tensors has no text of hundreds."""
    said: dict[str, object] = {"Input Dims": [[4]] * 300, "Input type": ["float"] * 300}
    (row,) = operators(write_trace(tmp_path / "t.json", [("aten::big", FORWARD, said)]))
    assert row["input_shapes"] == ", ".join([*["f32[4]"] * 12, "288 more"])


def test_what_was_not_recorded_is_said_below_the_table(tmp_path: Path) -> None:
    """Without shapes the column is missing, and a line says how they are recorded."""
    path = write_trace(tmp_path / "t.json", [("sgl::norm", FORWARD, {})])
    shown = CliRunner().invoke(main, ["correlate", str(path), "--by", "operator"])
    assert "record_shapes=True" in shown.stdout
    assert "with_stack" not in shown.stdout
    told = write_trace(tmp_path / "u.json", [("sgl::norm", FORWARD, SMALL)])
    shown = CliRunner().invoke(main, ["correlate", str(told), "--by", "operator"])
    assert "bf16[8, 64]" in shown.stdout
    assert "To record" not in shown.stdout


def test_who_does_not_ask_has_no_such_table(tmp_path: Path) -> None:
    """It is null in JSON, read back as a table that was not asked for, and no part of a run."""
    path = write_trace(tmp_path / "t.json", [("sgl::norm", FORWARD, SMALL)])
    kept = Store(tmp_path / "store").record(kernelmap.correlate(path))
    assert kept.facts.table("operators") is None
    plain = kernelmap.correlate(path).write(tmp_path / "plain.json")
    assert json.loads(plain.read_text())["operators"] is None
    assert "operators" in kernelmap.load(plain).tables.without
    asked = kernelmap.correlate(path, options=ASKED).write(tmp_path / "asked.json")
    assert list(kernelmap.load(asked).tables.rows("operators")) == operators(path)


def without_operators(run: Correlation) -> object:
    """All that a result says but for the table of operators."""
    said = json.loads(dump_json(run.tables, launches=True))
    return {name: part for name, part in said.items() if name != "operators"}


@pytest.mark.parametrize("hip", [False, True], ids=["cuda", "hip"])
@pytest.mark.parametrize("seed", seeds(2))
def test_shapes_of_replays_are_those_of_their_captures(
    tmp_path: Path, seed: int, hip: bool
) -> None:
    """What a launch was handed is true or not said, and asking for it changes nothing else.

    Captures of batches one and two launch kernels of equal names, and replays of HIP state no grids
    that would tell them apart: of these nothing may be said.
    """
    engine = Engine(layers=4, hip=hip, shapes=True, seed=seed)
    path, taught = tmp_path / "steps.json", tmp_path / "capture.json"
    truth = replay(path, engine, ["prefill", *BATCHES, 8, 8, 1])
    capture(taught, engine, [*BATCHES, "prefill"])
    asked = kernelmap.correlate(path, options=Options(wall=False, operators=True, like=(taught,)))

    assert without_operators(
        kernelmap.correlate(path, options=Options(wall=False, like=(taught,)))
    ) == without_operators(asked)
    inputs = inputs_of_launches(asked.trace, asked.matching)
    told: Counter[bool | None] = Counter()
    for row, code in enumerate(inputs.code.tolist()):
        expected = truth[int(asked.trace.launches.event[row])].inputs
        told[None if code < 0 else inputs.texts[code] == expected] += 1
    assert told[False] == 0
    assert told[True] > (0.5 if hip else 0.8) * sum(told.values())
    rows = asked.tables.rows("operators")
    assert sum(int(str(row["time_ns"])) for row in rows) == asked.summary.total_ns
