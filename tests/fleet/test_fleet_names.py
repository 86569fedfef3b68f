"""Collectives of a fleet by any name: the figures stay, and what is not matched is said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import examples
from fleet_runs import answer
from kernelmap.facts.communication import operator_of_kernel
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.rank import _count_collectives, _ends_of_collectives
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.rows import Row
from known_names import names_under
from worlds.turns import Turns, write_turns

_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_KNOWN = names_under("Kernels that communicate")
_NAMES = {"name", "key"}  # of rows that are called like an op
_STATED = ("Collective name", "In msg nelems", "Out msg nelems", "dtype", "Group size")

Event = dict[str, object]


def _changed(folder: Path, samples: Path, change: Callable[[int, Event], None]) -> Path:
    """The sample's ranks with what `change` makes of each kernel of NCCL, given its rank."""
    for rank in range(8):
        name = f"rank_{rank}.json.gz"
        document = json.loads(gzip.decompress((samples / "sim_fleet" / name).read_bytes()))
        for event in document["traceEvents"]:
            if str(event.get("name")).startswith("nccl"):
                change(rank, event)
        (folder / name).write_bytes(gzip.compress(json.dumps(document).encode(), 1))
    return folder


def _figures(fleet: Fleet) -> Mapping[str, list[Row]]:
    """All rows of an answer, those of ops without their names."""
    nameless = {"spread", "by_op"}
    return {
        name: sorted(
            (
                {key: row[key] for key in row if name not in nameless or key not in _NAMES}
                for row in fleet.rows[name]
            ),
            key=repr,
        )
        for name in FLEET
    }


@pytest.fixture(scope="module")
def usual(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return answer(samples / "sim_fleet", keep=tmp_path_factory.mktemp("kept"))


@settings(max_examples=examples(6))
@given(gather=st.sampled_from(_KNOWN), reduce=st.sampled_from(_KNOWN))
def test_another_name_changes_no_figure(
    samples: Path,
    usual: Fleet,
    tmp_path_factory: pytest.TempPathFactory,
    gather: str,
    reduce: str,
) -> None:
    """Collectives under names of any communication library give the answer of NCCL's names."""
    assume(operator_of_kernel(gather) != operator_of_kernel(reduce))
    names = {_GATHER: gather, _REDUCE: reduce}
    folder = _changed(
        tmp_path_factory.mktemp("renamed"),
        samples,
        lambda _, event: event.update(name=names[str(event["name"])]),
    )
    renamed = answer(folder, keep=tmp_path_factory.mktemp("kept"))

    assert renamed.matched == usual.matched == 8
    assert _figures(renamed) == _figures(usual)
    assert renamed.notices == usual.notices


def test_what_the_profile_states_holds_under_a_name_that_nobody_knows(
    samples: Path, usual: Fleet, tmp_path: Path
) -> None:
    """A kernel for which Kineto states a collective is one, however it is called."""
    folder = _changed(tmp_path, samples, lambda _, event: event.update(name="kernel_7"))
    fleet = answer(folder, keep=tmp_path / "kept")

    assert fleet.matched == usual.matched
    for name in ("ranks", "steps", "communication", "what_if"):
        assert fleet.rows[name] == usual.rows[name]


def _without_arguments(names: Mapping[str, str]) -> Callable[[int, Event], None]:
    """A change of names that leaves out what Kineto states, but for the group."""

    def change(rank: int, event: Event) -> None:
        event["name"] = names.get(f"{rank}", names[str(event["name"])])
        arguments = event["args"]
        assert isinstance(arguments, dict)
        event["args"] = {key: value for key, value in arguments.items() if key not in _STATED}

    return change


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    [
        "mscclKernel_Sum_float_Simple",
        "two_shot_all_reduce_kernel",
        "void deep_ep::internode_ll::combine<false, 7168, 11, 4>(void*)",
    ],
)
def test_without_arguments_the_name_is_enough(
    samples: Path, usual: Fleet, tmp_path: Path, name: str
) -> None:
    """As in an export of Nsight Systems: the order of a step says which ones are the same."""
    change = _without_arguments({_GATHER: _GATHER, _REDUCE: name})
    fleet = answer(_changed(tmp_path, samples, change), keep=tmp_path / "kept")

    assert fleet.matched == usual.matched
    for table in ("ranks", "steps", "what_if"):
        assert fleet.rows[table] == usual.rows[table]
    assert not fleet.notices


def test_a_name_that_does_not_tell_is_what_the_others_call(
    samples: Path, usual: Fleet, tmp_path: Path
) -> None:
    """One rank's kernels are generic: they are the collectives that the other ranks run there."""
    change = _without_arguments(
        {_GATHER: _GATHER, _REDUCE: _REDUCE, "3": "ncclDevKernel_Generic_1"}
    )
    fleet = answer(_changed(tmp_path, samples, change), keep=tmp_path / "kept")

    assert fleet.matched == usual.matched
    assert {row["name"]: row["ranks"] for row in fleet.rows["communication"]} == {
        "all_gather": 8,
        "all_reduce": 8,
    }
    assert fleet.rows["what_if"] == usual.rows["what_if"]


def test_a_collective_that_no_other_rank_has_is_said(samples: Path, tmp_path: Path) -> None:
    """Collectives that could not be matched are counted, with their ranks and the reason."""

    def change(rank: int, event: Event) -> None:
        arguments = event["args"]
        assert isinstance(arguments, dict)
        if rank == 6:
            arguments["Process Group Name"] = "another"
        elif arguments["Collective name"] == "allreduce" and rank == 2:
            arguments["dtype"] = "Half"

    fleet = answer(_changed(tmp_path, samples, change), keep=tmp_path / "kept")
    (notice,) = fleet.notices

    assert notice.slug == "collectives-unmatched"
    assert notice.message.startswith("12 collectives of single ranks")
    assert "8 on 1 rank (6; allgather_base, allreduce), because no other rank" in notice.message
    assert "4 on 1 rank (2; allreduce), because most ranks have another" in notice.message


def test_a_send_is_counted_and_not_matched(samples: Path, tmp_path: Path) -> None:
    """What goes between two ranks is said to be left out."""

    def change(_: int, event: Event) -> None:
        arguments = event["args"]
        assert isinstance(arguments, dict)
        if arguments["Collective name"] == "allreduce":
            arguments["Collective name"] = "send"

    fleet = answer(_changed(tmp_path, samples, change), keep=tmp_path / "kept")
    (notice,) = fleet.notices

    assert fleet.matched == 4
    assert "32 on 8 ranks" in notice.message
    assert "between two ranks" in notice.message


def test_sends_count_for_no_step() -> None:
    """A rank that sends more often has as many collectives as the others, and as many ends."""
    rows: list[Row] = [
        {"group": "0", "step": step, "position": at, "name": name, "start_ns": at, "dur_ns": 1}
        for step in (1, 2)
        for name, count in (("send", 3), ("all_reduce", 2))
        for at in range(count)
    ]

    assert _count_collectives(rows) == {"0": {1: 2, 2: 2}}
    assert {group: len(ends) for group, ends in _ends_of_collectives(rows).items()} == {"0": 4}


def test_a_step_with_another_number_is_said(tmp_path: Path) -> None:
    """The collectives of a step in which a rank lacks one are not matched there, which is said."""
    write_turns(tmp_path, Turns(steps=8, in_turn=False, lacks={1: 2}))
    fleet = answer(tmp_path, keep=tmp_path / "kept")
    (notice,) = fleet.notices

    assert notice.slug == "collectives-unmatched"
    assert "3 on 1 rank (1;" in notice.message
    assert "more or fewer" in notice.message
