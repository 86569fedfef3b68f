"""Training sequences from reference runs: launches whose calls are known, pinned to them.

The model learns from both; only the launches of the trace are placed. A name is one name however
it is spelled. Grid and block of a name tell where both runs have them, and have some in common: the
autotuner may have chosen other blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.names.spelling import key_of_spelling
from kernelmap.model import NONE, Activity
from kernelmap.model.columns import pair_columns, size_hash
from kernelmap.model.learnt import LearntSequence
from kernelmap.model.trace import Int, Launches, Small

_ABSENT = (NONE,) * 6


class Shown(Struct, frozen=True):
    """What launches show of themselves, as columns: those of a trace, then those of references.

    `extent` is one number per grid and block, -1 where they are absent or tell nothing; `grid` is
    -1 where it is absent; (n, 3). `device` is one number per process and device.
    """

    names: tuple[str, ...]
    name_id: Int
    activity: Small
    extent: Int
    grid: Int
    device: Int


class Pinned(Struct, frozen=True):
    """Sequences of references: their `orders` count rows in `shown`, behind those of the trace.

    `call` is the position of each of their launches' call in the program, -1 without one.
    """

    shown: Shown
    orders: tuple[LaunchOrder, ...]
    call: Int


def pin_references(launches: Launches, references: Sequence[LearntSequence]) -> Pinned:
    """The launches of a trace and of `references`, all of whose launches have names."""
    # Names that only references have are numbered behind those of the trace.
    numbers = {key_of_spelling(name): number for number, name in enumerate(launches.names)}
    names = list(launches.names)
    flat = [launch for sequence in references for launch in sequence.launches]
    name_id = np.empty(len(flat), dtype=np.int64)
    for at, launch in enumerate(flat):
        name = launch.name or ""
        name_id[at] = numbers.setdefault(key_of_spelling(name), len(names))
        if name_id[at] == len(names):
            names.append(name)
    # Columns over the launches of all references, to be put behind those of the trace.
    activity = np.array([launch.activity for launch in flat], dtype=np.int8)
    shape = np.array([launch.shape or _ABSENT for launch in flat], dtype=np.int64).reshape(-1, 6)
    orders = []
    row = len(launches)
    for sequence in references:
        rows = np.arange(row, row + len(sequence))
        row += len(sequence)
        orders.append(LaunchOrder(rows, rows[None, :], whole=True))
    here = size_hash(np.concatenate([launches.grid, launches.block], axis=1))
    shown = Shown(
        names=tuple(names),
        name_id=np.concatenate([launches.name_id, name_id]),
        activity=np.concatenate([launches.activity, activity]),
        extent=np.concatenate([here, size_hash(shape)]),
        grid=np.concatenate([launches.grid, shape[:, :3]]),
        device=np.concatenate(
            [
                pair_columns(launches.process, launches.device),
                np.full(len(flat), NONE, dtype=np.int64),
            ]
        ),
    )
    call = np.array([launch.calls[0] if launch.calls else NONE for launch in flat], dtype=np.int64)
    return Pinned(
        _keep_common_extents(shown, len(launches)) if orders else shown, tuple(orders), call
    )


def _keep_common_extents(shown: Shown, traced: int) -> Shown:
    """The columns with the extents only of names that have some in common, none absent.

    The first `traced` rows are those of the trace.
    """
    # Masks over launches, by their name and activity: whether a reference has it, whether some
    # launch of it has no grid, whether trace and references share a grid.
    label = shown.name_id * len(Activity) + shown.activity
    taught = np.isin(label, label[traced:])
    absent = np.isin(label, label[shown.extent < 0])
    kinds, of = np.unique(np.stack([label, shown.extent]), axis=1, return_inverse=True)
    of = of.reshape(-1)
    # `both` is over distinct pairs of label and extent: whether it ran here, and in a reference.
    both = np.bincount(of[:traced], minlength=kinds.shape[1]) > 0
    both &= np.bincount(of[traced:], minlength=kinds.shape[1]) > 0
    common = np.isin(label, kinds[0, both])
    # Names that no reference has keep their grids: there is nothing to compare them with.
    tells = ~taught | (common & ~absent)
    return replace(shown, extent=np.where(tells, shown.extent, NONE))
