"""Calls the decoder in C, which takes the steps of forward_backward.py, many times as fast.

Built where there is a compiler, like the scanner of traces (docs/decisions/0033 and 0058).
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.counting import Counts, Posterior
from kernelmap.matching.aligner.emissions import Emissions
from kernelmap.matching.aligner.forward_backward import BEAM, WITHIN, Decoder
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float
from kernelmap.matching.aligner.windows import LaunchWindows
from kernelmap.model.trace import Bool, Int
from kernelmap.native import is_wanted, part

_decoder = part("kernelmap.matching.aligner._decoder", 3)  # as in _decoder.c


def is_built() -> bool:
    """Whether there was a compiler when kernelmap was installed."""
    return _decoder is not None


def decoder_of(network: Network, emissions: Emissions, calls: Int, doubt: float) -> Decoder:
    """The decoder that runs here; the arguments are those of `Decoder`."""
    native = is_built() and is_wanted()
    return (NativeDecoder if native else Decoder)(network, emissions, calls, doubt)


class NativeDecoder(Decoder):
    """Runs one model over windows of launches, in C."""

    def __init__(self, network: Network, emissions: Emissions, calls: Int, doubt: float) -> None:
        super().__init__(network, emissions, calls, doubt)
        entries = self.entries
        # The model's tables in the order in which the code in C takes them.
        self.integers = _whole_numbers(
            network.start,
            network.target,
            network.stranger,
            self.loose,
            self.beside,
            self.tuned,
            calls,
            emissions.word_of_state,
            emissions.row,
            emissions.word_of_token,
            emissions.column,
            entries.start,
            entries.state,
            entries.begins_start,
            entries.begins,
        )
        self.floats = _as_contiguous_floats(
            network.rate,
            network.to_stranger,
            network.ends,
            self.entry_rate,
            emissions.rate,
            emissions.background,
            emissions.stranger,
            entries.rate,
            entries.begins_rate,
        )
        stays = network.background_stays
        self.numbers = (network.background, stays, BEAM, WITHIN, doubt)

    def add_batch(
        self, windows: LaunchWindows, counts: Counts | None, posterior: Posterior | None
    ) -> None:
        """Add what the windows show to `counts` and `posterior`."""
        if _decoder is None:
            raise RuntimeError("the decoder was not built")
        launches = _whole_numbers(
            windows.token,
            windows.settled,
            windows.weight,
            windows.start,
            windows.opens,
            windows.closes,
            windows.whole,
            windows.sequence,
            windows.origin,
        )
        # The code in C adds to these arrays in place: two plain numbers become an array for that.
        idle = np.array([counts.rested, counts.stayed]) if counts else np.zeros(2)
        sums = counts and (
            counts.emitted,
            counts.background,
            counts.stranger,
            counts.arc,
            counts.entered,
            counts.ended,
            counts.strayed,
            idle,
        )
        integers = (*self.integers, *launches)
        wanted = posterior is not None
        columns = _decoder.run(integers, self.floats, self.numbers, sums, wanted)
        if counts:
            counts.rested, counts.stayed = idle.tolist()
        if posterior is not None:
            sequence, at, state, share = columns
            posterior.sequence.append(np.frombuffer(sequence, dtype=np.int32))
            posterior.at.append(np.frombuffer(at, dtype=np.int32))
            posterior.state.append(np.frombuffer(state, dtype=np.int32))
            posterior.share.append(np.frombuffer(share, dtype=np.float32))


def _whole_numbers(*columns: Int | Bool) -> tuple[Int, ...]:
    return tuple(np.ascontiguousarray(column, dtype=np.int64) for column in columns)


def _as_contiguous_floats(*columns: Float) -> tuple[Float, ...]:
    return tuple(np.ascontiguousarray(column, dtype=np.float64) for column in columns)
