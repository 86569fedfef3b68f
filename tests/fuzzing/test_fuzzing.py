"""Damaged inputs of every kind: some of them anew in each run of the tests, and all findings."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest
from pyarrow import parquet

from examples import an_eighth, examples, some
from fuzzing import laws
from fuzzing.kept import load_case, save_case
from fuzzing.laws import Case, case, tried, unbalanced
from fuzzing.mutate import damaged
from fuzzing.seeds import SEEDS
from fuzzing.signing import signed
from fuzzing.targets import TARGETS
from kernelmap.compiler import load

FINDINGS = sorted((Path(__file__).parent / "findings").glob("*.zip"))
CASES, SEED = examples(8, dear=True), 17
"""Of each kind; the same ones in every run, so that what fails here fails everywhere."""
NUMBERS = examples(20, dear=True)


@pytest.mark.parametrize("kind", TARGETS)
def test_no_damage_breaks_a_law(kind: str, tmp_path: Path) -> None:
    """An answer or an error of ours, the input as it was, sums that hold, bounded time and memory.

    A failure leaves its case in a file, which `scripts/fuzz.py --again FILE` tries once more.
    """
    for number in range(CASES):
        it = case(kind, SEED, number)
        outcome = tried(it)
        kept = save_case(it, tmp_path / f"{kind}-{number}.zip") if outcome.wrong else None

        assert outcome.wrong is None, f"{it.command}\n{kept}\n{outcome.wrong}"


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_what_was_once_a_finding_is_none(path: Path) -> None:
    """Every input that broke a law once holds them all."""
    outcome = tried(load_case(path))

    assert outcome.wrong is None, outcome.wrong


@pytest.mark.parametrize("kind", an_eighth(TARGETS))
def test_what_is_not_damaged_is_answered(kind: str) -> None:
    """Every command of a kind answers to some of its inputs as they are: it does ask something."""
    for command in dict.fromkeys(TARGETS[kind].commands):
        answers = (tried(Case(kind, tree, command)) for tree in SEEDS[kind]())

        assert any(outcome.exit_code == 0 and outcome.wrong is None for outcome in answers), command


@pytest.mark.sampled
@pytest.mark.parametrize("kind", TARGETS)
def test_a_case_is_that_of_its_number(kind: str, tmp_path: Path) -> None:
    """The same seed and number give the same case, others give others, and a file keeps it."""
    cases = [case(kind, 1, number) for number in range(12)]

    assert cases == [case(kind, 1, number) for number in range(12)]
    assert len({str((it.tree, it.command)) for it in cases}) > 6
    assert load_case(save_case(cases[0], tmp_path / "case.zip")) == cases[0]


@pytest.mark.sampled
@pytest.mark.parametrize("kind", TARGETS)
def test_a_case_is_that_of_its_number_whatever_came_before(kind: str) -> None:
    """No case leaves anything behind that changes the next ones."""
    alone = {number: case(kind, 5, number) for number in reversed(range(NUMBERS))}

    assert alone == {number: case(kind, 5, number) for number in range(NUMBERS)}


@pytest.mark.sampled
@pytest.mark.parametrize("kind", TARGETS)
def test_most_damage_is_damage(kind: str) -> None:
    """What chance does to an input seldom leaves it as it was, and never changes its seeds."""
    tree = SEEDS[kind]()[0]
    before = dict(tree)
    chance = Random(3)  # noqa: S311 -- damage, no secrets
    other = [damaged(tree, chance, TARGETS[kind].main) != before for _ in range(20)]

    assert sum(other) >= 12
    assert dict(tree) == before


@pytest.mark.parametrize("kind", an_eighth(["saved", "store"]))
def test_tables_may_be_empty(kind: str) -> None:
    """Every table without its rows, as of a program that never ran, breaks no law."""
    (tree,) = SEEDS[kind]()
    emptied = {name: _empty(data) for name, data in tree.items() if name.endswith(".parquet")}
    commands = sorted(set(TARGETS[kind].commands))
    pairs = [(name, it) for at, name in enumerate(emptied) for it in commands[at % 2 :: 2]]
    for name, command in some(pairs):
        outcome = tried(Case(kind, signed(tree, {**tree, name: emptied[name]}), command))
        assert outcome.wrong is None, (name, command, outcome.wrong)
    for command in commands:
        outcome = tried(Case(kind, signed(tree, {**tree, **emptied}), command))
        assert outcome.wrong is None, (command, outcome.wrong)


def _empty(data: bytes) -> bytes:
    written = io.BytesIO()
    parquet.write_table(parquet.read_table(io.BytesIO(data)).slice(0, 0), written)
    return written.getvalue()


@pytest.mark.parametrize("kind", ["store", "bundle"])
def test_a_manifest_can_have_the_digests_of_what_was_damaged(kind: str) -> None:
    """Then the reader of a table sees the damage, and not only the comparison of digests."""
    (tree,) = SEEDS[kind]()
    name = next(name for name in sorted(tree) if not name.endswith(".toml"))
    damage = {**tree, name: tree[name] + b" "}
    command = TARGETS[kind].commands[-1]

    assert signed(tree, tree) == tree
    assert signed(tree, damage) != damage
    assert tried(Case(kind, signed(tree, damage), command)).wrong is None


def test_the_laws_can_be_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback, a changed input, a hang and a sum that does not hold are all noticed."""
    it = Case("generated", SEEDS["generated"]()[0], "inspect {in}")

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    def change(*paths: Path, **_: object) -> None:
        (paths[0] / "new").write_bytes(b"x")
        raise SystemExit(0)

    def hang(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(load, "find_code", fail)
    assert "ZeroDivisionError" in (tried(it).wrong or "")
    monkeypatch.setattr(load, "find_code", change)
    assert "the input is not" in (tried(it).wrong or "")
    monkeypatch.setattr(laws, "SECONDS", 0.2)
    monkeypatch.setattr(load, "find_code", hang)
    assert "took more than" in (tried(it).wrong or "")
    row = '{"time_ns": 3, "share": 1.0}'
    good = f'{{"summary": {{"total_ns": 3}}, "ledger": [{row}], "ops": [{row}]}}'
    assert unbalanced(good) is None
    assert unbalanced(good.replace('"ops": [', f'"ops": [{row}, '))
    assert unbalanced(good.replace('"total_ns": 3', '"total_ns": 4'))
    assert unbalanced(good.replace("1.0", "1.1"))
