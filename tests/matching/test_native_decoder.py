"""The decoder in C says what the plain one says."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import fields, replace

from kernelmap.matching import match_launches
from kernelmap.matching.aligner import learning, native_decoder
from kernelmap.matching.aligner.counting import Counts, Posterior
from kernelmap.matching.aligner.emissions import Emissions
from kernelmap.matching.aligner.forward_backward import Decoder
from kernelmap.matching.aligner.native_decoder import NativeDecoder, decoder_of
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float
from kernelmap.matching.aligner.windows import LaunchWindows
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
    """Runs all windows twice and compares."""

    runs = 0

    def add_batch(
        self, windows: LaunchWindows, counts: Counts | None, posterior: Posterior | None
    ) -> None:
        in_python = copy.deepcopy(counts)
        there = None if posterior is None else Posterior()
        here = None if posterior is None else Posterior()
        Decoder.add_batch(self, windows, in_python, there)
        super().add_batch(windows, counts, here)
        for column in fields(Counts) if counts else ():
            one, other = getattr(counts, column.name), getattr(in_python, column.name)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=column.name)
        if posterior is not None and here is not None and there is not None:
            one, other = shares(here), shares(there)
            least = dict.fromkeys({*one, *other}, 0.0)
            assert {**least, **one} == pytest.approx({**least, **other}, abs=1e-6)
            for column in fields(Posterior):
                getattr(posterior, column.name).extend(getattr(here, column.name))
        Both.runs += 1


def shares(posterior: Posterior) -> dict[tuple[int, int, int], float]:
    """How probable each state of each launch is."""
    columns = [np.concatenate(getattr(posterior, column.name)) for column in fields(Posterior)]
    sequence, at, state, share = (column.tolist() for column in columns)
    return dict(zip(zip(sequence, at, state, strict=True), share, strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_both_decoders_are_equal(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is counted and what is probable is the same, in every round of learning."""
    row = next(row for row in ROWS if row.name == name)
    case, world = row.case(3), row.played(3)
    trace, _ = recorded(simulate(case.runs, world), case.runs, row.recording, tmp_path)
    monkeypatch.setattr(learning, "decoder_of", Both)
    monkeypatch.setattr(Both, "runs", 0)

    match_launches(case.given, trace)

    assert Both.runs > 2


def tables() -> tuple[Network, Emissions, LaunchWindows]:
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
    flags = np.zeros(2, dtype=bool)
    windows = LaunchWindows(
        start=np.array([0, 3, 5]),
        token=np.array([0, 1, 0, 0, 0]),
        settled=np.full(5, -1),
        weight=np.ones(5, dtype=np.int64),
        sequence=np.array([0, 1]),
        origin=np.zeros(2, dtype=np.int64),
        opens=flags,
        closes=flags,
        whole=flags,
    )
    return network, emissions, windows


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
    _, _, windows = tables()
    decoder = handed()
    decoder.add_batch(windows, decoder.empty_counts(), Posterior())
    column = (*decoder.integers, *decoder.floats)[at]
    put(decoder, at, np.append(column, column[:1] if len(column) else [0]))

    with pytest.raises(ValueError, match="do not fit"):
        decoder.add_batch(windows, decoder.empty_counts(), Posterior())


@pytest.mark.parametrize("at", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("place", [-1, 2])
def test_places_beyond_a_table_are_refused(at: int, place: int) -> None:
    """No number is a place that its table does not have."""
    _, _, windows = tables()
    decoder = handed()
    put(decoder, at, np.full_like(decoder.integers[at], place))

    with pytest.raises(ValueError, match="do not fit"):
        decoder.add_batch(windows, None, Posterior())


@pytest.mark.parametrize(
    "changed",
    [
        {"token": np.array([0, 2, 0, 0, 0])},
        {"token": np.array([0, -1, 0, 0, 0])},
        {"start": np.array([0, 6, 5])},
        {"start": np.array([0, 3, 6])},
        {"start": np.array([1, 3, 5])},
        {"settled": np.full(4, -1)},
    ],
    ids=["unknown token", "no token", "goes back", "beyond the end", "late", "too few"],
)
def test_windows_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    """Windows name tokens that there are, and lie one behind another."""
    _, _, windows = tables()

    with pytest.raises(ValueError, match="do not fit"):
        handed().add_batch(replace(windows, **changed), None, Posterior())


def test_the_switch_leaves_all_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever doubts the part in C can do without."""
    network, emissions, _ = tables()

    monkeypatch.setenv(SWITCH, "1")
    assert type(decoder_of(network, emissions, np.array([-1, 0]), 1e-3)) is Decoder
    monkeypatch.setenv(SWITCH, "0")
    assert type(decoder_of(network, emissions, np.array([-1, 0]), 1e-3)) is NativeDecoder
