"""What names a run: ids, branches, names, tags, and what is ambiguous."""

from __future__ import annotations

import pytest

from kernelmap.errors import UsageError
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import resolve
from pages.hand_tables import make_tables

SUMMARY = make_tables().summary


def run(
    number: int, *, branch: str | None = "main", name: str | None = None, **tags: str
) -> Listed:
    """The run of that minute."""
    facts = RunFacts(
        id=f"20261121-18{number:02}00-000000-0000000{number:x}",
        version=1,
        created="",
        kernelmap="0",
        window=SUMMARY,
        tables=(),
        branch=branch,
        name=name,
    )
    return Listed(facts=facts, tags=tags)


RUNS = (
    run(0, name="nightly"),
    run(1, branch="topic", model="small"),
    run(2, model="large", name="only"),
    run(3, name="nightly"),
    run(4, branch=None, model="small"),
    run(5, name="topic"),
)


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        ("latest", 5),
        ("latest~2", 3),
        ("main", 5),
        ("main~0", 5),
        ("main~3", 0),
        ("only", 2),
        ("only~0", 2),
        ("model=large", 2),
        ("model=small~0", 4),
        ("model=small~1", 1),
        ("nightly~0", 3),
        ("nightly~1", 0),
        ("20261121-1803", 3),
        ("20261121-1803~1", 2),
        (RUNS[4].id, 4),
    ],
)
def test_a_ref_names_one_run(ref: str, number: int) -> None:
    """A branch and `latest` mean their newest run; `~N` counts back among those of that name."""
    assert resolve(ref, RUNS) == RUNS[number]


@pytest.mark.parametrize(
    "ref", ["", "~1", "nobody", "main~4", "latest~99999", "model=", "model", "20261121-1809", "="]
)
def test_what_names_nothing_is_said(ref: str) -> None:
    """There is no guess."""
    with pytest.raises(UsageError) as caught:
        resolve(ref, RUNS)
    assert caught.value.slug == "no-such-run"


@pytest.mark.parametrize(
    ("ref", "numbers"),
    [
        ("nightly", (0, 3)),
        ("model=small", (1, 4)),
        ("topic", (1, 5)),
        ("20261121-180", (1, 2, 3, 4, 5)),
        ("20261121-180~1", (1, 2, 3, 4, 5)),
    ],
)
def test_several_are_listed(ref: str, numbers: tuple[int, ...]) -> None:
    """Names, tags, beginnings of ids, and a branch that is a name as well: all candidates."""
    with pytest.raises(UsageError) as caught:
        resolve(ref, RUNS)
    assert caught.value.slug == "ambiguous-run"
    assert [candidate for candidate in RUNS if candidate.id in caught.value.message] == [
        RUNS[number] for number in numbers
    ]


def test_a_whole_id_is_nothing_else() -> None:
    """A run that was named like another one's id does not hide it."""
    odd = run(6, name=RUNS[0].id)

    assert resolve(RUNS[0].id, (*RUNS, odd)) == RUNS[0]


def test_a_name_may_look_like_a_step_back() -> None:
    """`a~1` is the run of that name before it is anything else."""
    odd = (run(6, name="a"), run(7, name="a"), run(8, name="a~1"))

    assert resolve("a~1", odd) == odd[2]
