"""The decoder in C says what the one in numpy says, to the last bit."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import fields, replace

from kernelmap.matching import match
from kernelmap.matching.aligner import learning, native_decoder
from kernelmap.matching.aligner.counting import Counts, Posterior
from kernelmap.matching.aligner.emissions import Emissions
from kernelmap.matching.aligner.forward_backward import Decoder
from kernelmap.matching.aligner.native_decoder import NativeDecoder, decoder_of
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float
from kernelmap.matching.aligner.windows import Batch, Window
from kernelmap.model.trace import Int
from kernelmap.native import SWITCH
from worlds import simulate
from worlds.hard import ROWS
from worlds.recordings import recorded

pytestmark = pytest.mark.skipif(not native_decoder.is_built(), reason="the decoder was not built")
NAMES = (
    "sorts at edges, 2 to 4 invocations",
    "sorts at edges, replays",  # windows that are launched as a whole
    "8 graphs, legacy names, 5 % lost",  # many windows, of unlike lengths
    "vendor names, sorts at edges",
    "autotuning before the first step",  # launches that were decided before
)


class Both(NativeDecoder):
    """Runs every batch twice and compares."""

    runs = 0

    def run(self, batch: Batch, counts: Counts | None, posterior: Posterior | None) -> None:
        in_numpy = copy.deepcopy(counts)
        there, here = Posterior(), Posterior()
        Decoder.run(self, batch, in_numpy, None if posterior is None else there)
        super().run(batch, counts, None if posterior is None else here)
        for column in fields(Counts) if counts else ():
            one, other = getattr(counts, column.name), getattr(in_numpy, column.name)
            np.testing.assert_array_equal(one, other, err_msg=column.name)
        for column in fields(Posterior):
            one, other = getattr(here, column.name), getattr(there, column.name)
            assert len(one) == (posterior is not None)
            if posterior is not None:
                np.testing.assert_array_equal(one[0], np.concatenate(other), strict=True)
                getattr(posterior, column.name).extend(one)
        Both.runs += 1


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_both_decoders_are_equal(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is counted and what is probable are the same doubles, in every round of learning."""
    row = next(row for row in ROWS if row.name == name)
    case, world = row.case(3), row.played(3)
    trace, _ = recorded(simulate(case.runs, world), case.runs, row.recording, tmp_path)
    monkeypatch.setattr(learning, "decoder_of", Both)
    monkeypatch.setattr(Both, "runs", 0)

    match(case.given, trace)

    assert Both.runs > 2


def tables() -> tuple[Network, Emissions, Batch]:
    """A call of one kernel, and two windows in which it is launched."""
    none, one = np.zeros(0, dtype=np.int64), np.ones(2)
    zeros = np.zeros(2, dtype=np.int64)
    network = Network(
        kind=np.array([0, 1]),
        site=np.array([-1, 0]),
        place=zeros,
        word=np.array([-1, 0]),
        start=np.zeros(3, dtype=np.int64),
        target=none,
        rate=np.zeros(0),
        stranger=zeros,
        to_stranger=np.zeros(2),
        ends=one,
        entry=np.array([1]),
        entry_rate=np.ones(1),
        background=0.2,
        background_stays=0.3,
    )
    emissions = Emissions(
        row=zeros,
        column=zeros,
        word_of_state=network.word,
        word_of_token=np.array([0, -1]),
        rate=np.ones(1),
        background=np.array([0.01, 1.0]),
        stranger=np.array([0.01, 1.0]),
    )
    token = np.array([[0, 1, 0], [0, 0, -1]])
    flags = np.zeros(2, dtype=bool)
    batch = Batch(
        windows=(Window(0, 0, 3, 0, 3), Window(1, 0, 2, 0, 2)),
        token=token,
        settled=np.full((2, 3), -1),
        weight=np.ones((2, 3), dtype=np.int64),
        length=np.array([3, 2]),
        opens=flags,
        closes=flags,
        whole=flags,
        decided=False,
        any_whole=False,
    )
    return network, emissions, batch


def put(decoder: NativeDecoder, at: int, column: Int | Float) -> None:
    """Have one column handed over as another."""
    columns: list[Any] = [*decoder.integers, *decoder.floats]
    columns[at] = column
    count = len(decoder.integers)
    decoder.integers, decoder.floats = tuple(columns[:count]), tuple(columns[count:])


def handed() -> NativeDecoder:
    """A decoder in C of the tables above."""
    network, emissions, _ = tables()
    return NativeDecoder(network, emissions, np.array([-1, 0]), 1e-3)


OF_EMISSIONS = 15 + 4  # its places are looked at one by one
PLACES = {"stranger": 2, "entry state": 12, "state to begin in": 14}


@pytest.mark.parametrize("at", [at for at in range(24) if at != OF_EMISSIONS])
def test_columns_of_another_length_are_refused(at: int) -> None:
    """Where tables do not fit together nothing is read, as a place may lie behind an end."""
    _, _, batch = tables()
    decoder = handed()
    decoder.run(batch, decoder.counts(), Posterior())
    column = (*decoder.integers, *decoder.floats)[at]
    put(decoder, at, np.append(column, column[:1] if len(column) else [0]))

    with pytest.raises(ValueError, match="do not fit"):
        decoder.run(batch, decoder.counts(), Posterior())


@pytest.mark.parametrize("at", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("place", [-1, 2])
def test_places_beyond_a_table_are_refused(at: int, place: int) -> None:
    """No number is a place that its table does not have."""
    _, _, batch = tables()
    decoder = handed()
    put(decoder, at, np.full_like(decoder.integers[at], place))

    with pytest.raises(ValueError, match="do not fit"):
        decoder.run(batch, None, Posterior())


@pytest.mark.parametrize(
    "changed",
    [
        {"token": np.array([[0, 2, 0], [0, 0, -1]])},
        {"token": np.array([[0, -1, 0], [0, 0, -1]])},
        {"length": np.array([2, 3])},
        {"length": np.array([4, 2])},
        {"settled": np.full((2, 2), -1)},
    ],
    ids=["unknown token", "no token", "longest last", "beyond the end", "too narrow"],
)
def test_windows_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    """Windows name tokens that there are, the longest window first."""
    _, _, batch = tables()

    with pytest.raises(ValueError, match="do not fit"):
        handed().run(replace(batch, **changed), None, Posterior())


def test_the_switch_leaves_all_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever doubts the part in C can do without."""
    network, emissions, _ = tables()

    monkeypatch.setenv(SWITCH, "1")
    assert type(decoder_of(network, emissions, np.array([-1, 0]), 1e-3)) is Decoder
    monkeypatch.setenv(SWITCH, "0")
    assert type(decoder_of(network, emissions, np.array([-1, 0]), 1e-3)) is NativeDecoder
