"""Which kernels each state of the model launches, and how often: its emission probabilities."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import Float, StateKind, States
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.matching.names.expectations import EXPECTED, expected_of, weigh_family
from kernelmap.matching.names.grids import may_launch
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int


class Emissions(Struct, frozen=True, kw_only=True):
    """Probabilities of tokens. `rate[row[s] + column]` is that of a token in state s.

    The column of a token is its `shape` among the code's names, which only states of its word
    launch, and `other` among the rest. Background and strangers launch anything.
    """

    row: Int
    column: Int
    word_of_state: Int
    word_of_token: Int
    rate: Float
    background: Float
    stranger: Float


class EmissionLayout(Struct, frozen=True, kw_only=True):
    """Where the rows of `Emissions.rate` lie: (states,), and the rate's size.

    `fixed` marks states whose rates are not learned: of names that calls of known sizes bear and
    calls of unknown ones. Code for one size must not win over code for any size just because it
    shows the same each time.
    """

    row: Int
    size: int
    others: int
    fixed: Bool


def layout_of(states: States, tokens: Tokens, sites: Sites) -> EmissionLayout:
    """One row per state that launches certain tokens only."""
    # `width` is the number of rates of each state: one per shape of its word, or, without a word,
    # one per token of all other names. Background and strangers have tables of their own.
    others = int((tokens.other >= 0).sum())
    width = np.full(len(states.kind), others, dtype=np.int64)
    named = states.word >= 0
    width[named] = tokens.shapes[states.word[named]]
    width[np.isin(states.kind, (StateKind.BACKGROUND, StateKind.STRANGER))] = 0
    row = np.cumsum(width) - width
    # Names that calls of stated sizes bear, and calls of any size, too. (-1, the site of the
    # background, picks the last row; `named` masks it.)
    known = np.array([sizes is not None for sizes in sites.sizes], dtype=bool)[states.site]
    both = np.intersect1d(states.word[named & known], states.word[named & ~known])
    fixed = named & np.isin(states.word, both)
    return EmissionLayout(row=row, size=int(width.sum()), others=others, fixed=fixed)


_FOREIGN = 1e-4
"""How often a kernel of other compiled code runs amid a graph whose code is given: hardly, for both
are launched as a whole. At 0 one such launch would break the sequence; with much more, the given
graph is seen where the other ran. Chosen; no recording depends on it (1e-5 and 1e-3 tried)."""
_STRANGE_CODE = 0.05
"""How often a kernel of the code runs outside of its calls, but for what the autotuner measures:
code that was not given may share it. Tried on recordings (scripts/thresholds.py): at 0.2 two calls
of kernels alone are taken for such code, and 13 where launches were lost; three more are right
where half of the code is withheld; 0.01 changes nothing."""
_SLOW = 0.3
"""Launches under the code's names, outside of its calls, count three tenths in learning. Tried on
recordings (scripts/thresholds.py): at 0.1 code that is withheld is hardly learned, 6 of its calls
are wrong; at 0.9 misread invocations teach as well, 10 calls are lost where launches were lost."""
_IMPOSSIBLE = float(np.finfo(np.float64).eps)
"""Of grids that a call cannot launch: not zero, for what is known from elsewhere stays possible."""
_UNSEEN = 4
"""Names that may run in the background, besides those that do. Tried on recordings
(scripts/thresholds.py): at 1 two calls of kernels alone are not found; at 16 one launch has
misleading candidates."""
_CONSTANT = 0.6
"""Share of one name from which on a place has a habit. Tried on recordings
(scripts/thresholds.py): at 0.8, 11 calls are lost where launches were lost, and 15 more launches
have misleading candidates where half of the code is withheld; at 0.4 hardly anything changes, but
two kernels that take turns would make a habit."""
_KAPPA = 0.3
"""What was expected at first weighs as much as a third of one launch: the profile soon decides.
Tried on recordings (scripts/thresholds.py): at 0.1, 11 calls are lost where launches were lost; at
1, five more launches have misleading candidates where half of the code is withheld."""


def prior_of(sites: Sites, states: States, tokens: Tokens, layout: EmissionLayout) -> Float:
    """The rates before anything is learned."""
    rate = np.zeros(layout.size)
    # Per word, how often each shape of it runs, and half a launch more.
    of_word = [
        np.bincount(
            tokens.shape[tokens.word == word],
            weights=tokens.count[tokens.word == word],
            minlength=int(tokens.shapes[word]),
        )
        for word in range(len(tokens.words))
    ]
    of_word = [(times + 0.5) / (times + 0.5).sum() for times in of_word]
    grids_of_word = _grids_of_words(tokens)
    targets: dict[tuple[str, int], Float] = {}
    # What the autotuner clears and copies; and what runs beside graphs: as in the background.
    clearing = _spread_over_tokens(tokens, tokens.restored.astype(float))
    nothing = np.zeros(len(tokens))
    idle = loose_of(tokens, nothing, nothing)[0][tokens.word < 0]
    for state in range(1, len(states.kind)):
        begin, kind = int(layout.row[state]), int(states.kind[state])
        word = int(states.word[state])
        if word >= 0:
            sizes = sites.sizes[int(states.site[state])]
            # A grid that these sizes cannot have speaks for another call of the name.
            may = np.array([may_launch(sizes, grid) for grid in grids_of_word[word]])
            rate[begin : begin + len(may)] = of_word[word] * np.where(may, 1.0, _IMPOSSIBLE)
        elif kind == StateKind.CLEARING:
            rate[begin : begin + layout.others] = clearing
        elif kind in (StateKind.BEFORE, StateKind.AFTER):
            rate[begin : begin + layout.others] = idle
        elif kind != StateKind.STRANGER:
            site = int(states.site[state])
            # Places of one kind launch the same, whichever call of the operator it is.
            key = sites.target[site], kind
            if key not in targets:
                targets[key] = _of_target(tokens, *key, sites.family[site] or Family.OTHER)
            rate[begin : begin + layout.others] = targets[key]
    return rate


def _grids_of_words(tokens: Tokens) -> list[list[list[int]]]:
    """The grid of each shape of each word."""
    grids = [[[NONE] * 3] * shapes for shapes in tokens.shapes.tolist()]
    for token in np.flatnonzero(tokens.word >= 0).tolist():
        grids[int(tokens.word[token])][int(tokens.shape[token])] = tokens.grid[token].tolist()
    return grids


def emissions_of(
    states: States, tokens: Tokens, layout: EmissionLayout, rate: Float, loose: tuple[Float, Float]
) -> Emissions:
    """Emissions of the states; `loose` are the rates of background and strangers."""
    return Emissions(
        row=layout.row,
        column=np.where(tokens.word >= 0, tokens.shape, tokens.other),
        word_of_state=states.word,
        word_of_token=tokens.word,
        rate=rate,
        background=loose[0],
        stranger=loose[1],
    )


def loose_of(tokens: Tokens, background: Float, stranger: Float) -> tuple[Float, Float]:
    """Rates of all tokens in the background and for strangers, from how often they were seen."""
    # Every name is as probable as any other, however often it runs; within a name its tokens share
    # by their counts. `flat` is (tokens,), with a sum of 1.
    names = np.bincount(tokens.name)
    flat = tokens.count / np.bincount(tokens.name, weights=tokens.count)[tokens.name] / len(names)
    unseen = _UNSEEN / len(names)
    discount = np.where(tokens.word >= 0, _STRANGE_CODE, 1.0)
    behind = flat * discount
    strange = flat * discount * np.where(tokens.foreign, _FOREIGN, 1.0)
    # There are names that did not happen to run.
    behind, strange = behind / (behind.sum() + unseen), strange / (strange.sum() + unseen)
    # The first belief counts like so many launches, more where there are many names to spread over.
    strength = 20 + 0.5 * len(names)
    # What bears a name of the code is hardly ever a stranger: be slow to learn that it is.
    slow = np.where(tokens.word >= 0, _SLOW, 1.0)
    background, stranger = slow * background, slow * stranger
    one = (background + strength * behind) / (background.sum() + strength)
    other = (stranger * np.where(tokens.foreign, _FOREIGN, 1.0) + strength * strange) / (
        stranger.sum() + strength
    )
    return one, other


def learn_emission_rates(
    layout: EmissionLayout, prior: Float, seen: Float, states: States, tokens: Tokens, shared: Bool
) -> Float:
    """The rates after `seen` of them; a place that has no habit keeps its prior.

    `shared` marks states of several graphs, each of which may have a habit.
    """
    # `seen` is over rates, `total` over states: how often the state launched anything.
    owner = owners_of(layout)
    total = np.bincount(owner, weights=seen, minlength=len(layout.row))
    named = states.word >= 0
    # Not learned: names of calls of known and unknown sizes; the autotuner's launches; and places
    # without a habit, which launch now this, now that.
    fixed = layout.fixed | np.isin(states.kind, (StateKind.CLEARING, StateKind.MEASURED))
    fixed |= ~named & ~shared & (share_of_commonest_name(layout, seen, states, tokens) < _CONSTANT)
    rate = (seen + _KAPPA * prior) / (total + _KAPPA)[owner]
    return np.where(fixed[owner], prior, rate)


def owners_of(layout: EmissionLayout) -> Int:
    """The state that each rate is of."""
    width = np.diff(np.append(layout.row, layout.size))
    return np.repeat(np.arange(len(width)), width)


def share_of_commonest_name(
    layout: EmissionLayout, seen: Float, states: States, tokens: Tokens
) -> Float:
    """The share of the most frequent name in what each state launched; 1 for those of a word."""
    share = np.ones(len(states.kind))
    # Only states of library work have a choice of names; those of a word always launch that word.
    width = np.diff(np.append(layout.row, layout.size))
    free = np.flatnonzero((states.word < 0) & (width > 0))
    if not len(free) or not layout.others:
        return share
    # `table` is (free states, tokens of other names). Tokens of one name differ by their grid only,
    # so their columns are added up.
    names = np.unique(tokens.name[tokens.word < 0], return_inverse=True)[1]
    table = seen[layout.row[free][:, None] + np.arange(layout.others)]
    order = np.argsort(names, kind="stable")
    starts = np.flatnonzero(np.diff(names[order], prepend=-1))
    by_name = np.add.reduceat(table[:, order], starts, axis=1)
    total = by_name.sum(axis=1)
    share[free] = np.where(total > 0, by_name.max(axis=1) / np.maximum(total, 1e-12), 1.0)
    return share


_UNNAMED = 0.5
"""How readily calls launch kernels of no family, where none of their own family ever run. With next
to nothing, libraries whose kernels bear no name of their kind are never placed (docs/rules.md,
nameless: 61 points of a simulated row); with 1, more is placed there, and more of it wrong. Chosen;
no recording depends on it (0.1 and 0.9 tried). One would that has the kernels of a vendor's own
libraries under names without a family, and no host side."""
_AKIN = 4.0
"""How much likelier a kernel is for an operator whose name it bears. Tried on recordings
(scripts/thresholds.py): at 16 three calls are not found where half of the code is withheld; at 1
nothing changes, but simulated rows lose up to 14 points (docs/rules.md, akin)."""


def _of_target(tokens: Tokens, target: str, kind: int, family: Family) -> Float:
    """What a place of a library call launches, by its operator."""
    # `aten.cumsum` is akin to a kernel with `cumsum` in its name. A stem of two letters, such as
    # `mm`, would be found in names by chance.
    stem = (target.partition(".")[2] or target).strip("_").replace("_", "").lower()
    akin = np.array([len(stem) > 2 and stem in name for name in tokens.squeezed])  # noqa: PLR2004
    expected = expected_of(target, family)
    place = expected.main if kind == StateKind.MAIN else expected.behind
    if kind == StateKind.PRELUDE:
        place = expected.before
    weights = np.array(
        [weigh_family(place, launched, main_of=family) for launched in tokens.family]
    )
    if _is_nameless(tokens, family):
        # Its kernels bear names that say nothing: those of a vendor.
        unnamed = np.array([launched is Family.OTHER for launched in tokens.family])
        weights = np.where(unnamed, _UNNAMED * (0.1 if kind == StateKind.PRELUDE else 1.0), weights)
    weights = weights * np.where(akin, _AKIN, 1.0)
    # No library call launches a generated kernel.
    weights[tokens.word >= 0] = 0.0
    return _spread_over_tokens(tokens, weights)


def is_nameless_call(tokens: Tokens, sites: Sites) -> Bool:
    """Mask of the calls of which no kernel bears a name of their kind; False at last, for none.

    Of a call with launches that were decided before, the names are known by these.
    """
    is_nameless = {
        family: family is not None and _is_nameless(tokens, family) for family in {*sites.family}
    }
    mask = np.array([*(is_nameless[family] for family in sites.family), False], dtype=np.bool_)
    for sequence in tokens.sequences:
        mask[sequence.settled[sequence.settled >= 0]] = False
    return mask


def _is_nameless(tokens: Tokens, family: Family) -> bool:
    expected = set(EXPECTED[family].main) - {Family.OTHER}
    return family is not Family.OTHER and not expected & set(tokens.family)


def _spread_over_tokens(tokens: Tokens, weights: Float) -> Float:
    """`weights` of families, shared by their names and these by their tokens; over `other`."""
    # The names of a family share its weight equally, and the tokens of a name by their counts.
    others = tokens.word < 0
    label = np.array([family.value for family in tokens.family])
    name, label = tokens.name[others], label[others]
    token_weight, count = weights[others], tokens.count[others]
    if not len(token_weight):
        return np.empty(0)
    of_name = np.bincount(name, weights=count)[name]
    pairs = np.unique(np.stack([label, name]), axis=1)[0]
    names = np.bincount(pairs, minlength=int(label.max()) + 1)[label]
    shared = token_weight * count / of_name / names
    # Less than 1 stays so: where no family that fits ever ran, what did run is improbable here.
    return np.asarray(shared / max(float(shared.sum()), 1.0))
