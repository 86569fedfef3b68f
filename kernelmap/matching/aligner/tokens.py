"""Launches → tokens: one number for what a launch shows of itself (name, grid, block).

A token is a device name, whether it was a kernel, a copy or a memset, and its grid and block.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import RESTORED, Family, kernel_family
from kernelmap.matching.aligner.pinned import Shown
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.names.grids import Sizes, may_launch
from kernelmap.model import NONE, Activity
from kernelmap.model.columns import pair_columns
from kernelmap.model.trace import Bool, Int

OUTSIDE, TUNED = -2, -3
"""Instead of a site: the launch belongs to no call; the autotuner launched a kernel of the code."""
_SHAPES = 12
"""Grids and blocks of one name that are told apart, the most frequent ones; a kernel of dynamic
size may have thousands, and each costs a row of the model. Tried on recordings
(scripts/thresholds.py): of three, two calls are wrong where half of the code is withheld; 48
change nothing."""


class LaunchSequence(Struct, frozen=True):
    """One launch sequence: its `order`, the `token` of each launch, and `settled`: its call's site.

    `settled` is -1 where nothing decided the launch before, OUTSIDE or TUNED where no call made it.
    What is `doubted` teaches the model nothing. `device` is one number per process and device.
    """

    order: LaunchOrder
    token: Int
    settled: Int
    doubted: bool = False
    device: int = NONE

    def __len__(self) -> int:
        return len(self.token)

    @property
    def times(self) -> int:
        """How often it ran."""
        return len(self.order.copies)


class Tokens(Struct, frozen=True, kw_only=True):
    """Columns over tokens, and the sequences that are written in them.

    `word` is the number of the device name among those that the code's kernels bear, -1 for others,
    and for kernels whose grid no given call of their name can launch: those run code that was not
    given. `words` are these names. `shape` ranks grid and block within a name, `shapes` counts them
    per word. `other` numbers the tokens of other names, -1 for the code's. `squeezed` are the
    names in lower case, without underscores. `count` is how often each token runs. `grid` is that
    of a token, -1 where it is absent or there are several.
    """

    word: Int
    words: tuple[str, ...]
    shape: Int
    shapes: Int
    other: Int
    name: Int
    family: tuple[Family, ...]
    squeezed: tuple[str, ...]
    count: Int
    grid: Int
    sequences: tuple[LaunchSequence, ...]

    def __len__(self) -> int:
        return len(self.word)

    @property
    def restored(self) -> Bool:
        """Mask of the tokens that benchmarks launch between their measurements."""
        return np.array([family in RESTORED for family in self.family], dtype=bool)

    @property
    def foreign(self) -> Bool:
        """Mask of generated kernels whose code is not given."""
        return np.array([f is Family.GENERATED for f in self.family], dtype=bool) & (self.word < 0)


def tokens_of(launches: Shown, orders: Sequence[LaunchOrder], sites: Sites, settled: Int) -> Tokens:
    """The tokens of all `orders`; `settled` has the site of each launch that was decided before."""
    rows = np.concatenate([order.rows for order in orders])
    of_code = frozenset(name for names in sites.names for name in names)
    of_kernels = np.array([name in of_code for name in launches.names], dtype=bool)
    # `label` is name and activity in one number, `rank` the shape among those of the label; each
    # pair is a token. `of` has the token of each launch, `first` an example launch of each token.
    label = launches.name_id[rows] * len(Activity) + launches.activity[rows]
    rank = _rank_shapes(label, launches.extent[rows])
    kinds, first, of = np.unique(
        label * (_SHAPES + 1) + rank, return_index=True, return_inverse=True
    )
    name, activity = launches.name_id[rows[first]], launches.activity[rows[first]]
    # Rare shapes share the last rank: that token has no grid of its own.
    grid = np.where((rank[first] < _SHAPES)[:, None], launches.grid[rows[first]], NONE)
    # A kernel under a name of the code is the code's only if some call can launch its grid;
    # otherwise it is of the same function for another shape, whose code was not given.
    generated = of_kernels[name] & (activity == Activity.KERNEL)
    generated[generated] = _is_possible_grid(
        sites, [launches.names[n] for n in name[generated]], grid[generated]
    )
    # Names of the code that ran are numbered as words; all other tokens are numbered by `other`.
    word_of_name = np.full(len(launches.names) + 1, NONE, dtype=np.int64)
    code_names = np.unique(name[generated])
    word_of_name[code_names] = np.arange(len(code_names))
    word = np.where(generated, word_of_name[name], NONE)
    shapes = np.zeros(len(code_names), dtype=np.int64)
    np.maximum.at(shapes, word[generated], rank[first][generated] + 1)
    other = np.where(generated, NONE, np.cumsum(~generated) - 1)
    # Each launch counts as often as its sequence ran: once, or once per replay of the graph.
    weights = np.concatenate([np.full(len(o.rows), len(o.copies)) for o in orders])
    family = [
        Family.GENERATED if here else kernel_family(launches.names[number], Activity(kind))
        for number, kind, here in zip(
            name.tolist(), activity.tolist(), generated.tolist(), strict=True
        )
    ]
    # `of` is over the launches of all sequences; these are the ends of each.
    bounds = np.cumsum([0, *(len(order.rows) for order in orders)]).tolist()
    return Tokens(
        word=word,
        words=tuple(launches.names[number] for number in code_names.tolist()),
        shape=rank[first],
        shapes=shapes,
        other=other,
        name=np.unique(label[first], return_inverse=True)[1],
        family=tuple(family),
        squeezed=tuple(
            launches.names[number].lower().replace("_", "") if not here else ""
            for number, here in zip(name.tolist(), generated.tolist(), strict=True)
        ),
        count=np.bincount(of, weights=weights, minlength=len(kinds)),
        grid=grid,
        sequences=tuple(
            LaunchSequence(
                order,
                of[begin:end],
                settled[order.rows],
                device=int(launches.device[order.rows[0]]),
            )
            for order, begin, end in zip(orders, bounds, bounds[1:], strict=False)
        ),
    )


def _is_possible_grid(sites: Sites, names: Sequence[str], grids: Int) -> Bool:
    """Whether some call of each name can launch the grid beside it, as far as sizes are known."""
    sizes_of_name: dict[str, set[Sizes | None]] = {}
    for of_site, sizes in zip(sites.names, sites.sizes, strict=True):
        for name in of_site:
            sizes_of_name.setdefault(name, set()).add(sizes)
    return np.array(
        [
            any(may_launch(sizes, grid) for sizes in sizes_of_name[name])
            for name, grid in zip(names, grids.tolist(), strict=True)
        ],
        dtype=bool,
    )


def _rank_shapes(label: Int, shape: Int) -> Int:
    """The rank of each shape within its label, the most frequent first; rare ones share the last.

    Shapes that are absent rank first.
    """
    # Columns over the distinct pairs of label and shape: how often each runs, and its label.
    of = pair_columns(label, shape)
    times = np.bincount(of)
    label_of = np.zeros(len(times), dtype=np.int64)
    label_of[of] = label
    order = np.lexsort((-times, label_of))
    # Sorted by label and falling count, the rank is the distance from the first pair of the label.
    start = np.flatnonzero(np.diff(label_of[order], prepend=NONE))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(start, np.diff(np.append(start, len(order))))
    return np.minimum(rank, _SHAPES)[of]
