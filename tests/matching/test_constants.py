"""Laws at the edges of the model's constants: a little less or more of each, and one of them fails.

What the model says as a whole is pinned by test_model_figures.py.
"""

# ruff: noqa: SLF001 -- the constants of a model are met where it is private

from __future__ import annotations

from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kernelmap.facts.families import Family
from kernelmap.matching.aligner import amid_decided, by_model, native_decoder
from kernelmap.matching.aligner.decisions import Decisions, decisions_of
from kernelmap.matching.aligner.emissions import EmissionLayout, learn_emission_rates, loose_of
from kernelmap.matching.aligner.entries import entries_of
from kernelmap.matching.aligner.forward_backward import _likeliest, _Loop
from kernelmap.matching.aligner.learning import Learner, Model, Unlearned, _sample_windows
from kernelmap.matching.aligner.network import Network, _arcs_between_sites, network_of
from kernelmap.matching.aligner.pinned import pin_references
from kernelmap.matching.aligner.rates import first_rates, silent_rates
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.matching.aligner.states import AROUND, StateKind
from kernelmap.matching.aligner.tokens import Tokens, _rank_shapes, tokens_of
from kernelmap.matching.aligner.windows import SequenceWindow, windows_of
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.model import CompiledProgram
from matching.bare import graph, run

NOTHING = np.zeros(0, dtype=np.int64)


def read(words: str, *codes: str) -> tuple[Sites, Tokens]:
    """The call sites of graphs, and launches as tokens."""
    graphs = tuple(graph(f"{number}_forward", code) for number, code in enumerate(codes))
    sites = sites_of(CompiledProgram(graphs=graphs))
    launches = run(words).launches
    rows = np.arange(len(launches))
    order = LaunchOrder(rows, rows[None, :], whole=False)
    return sites, tokens_of(
        pin_references(launches, ()).shown, [order], sites, np.full(len(rows), -1)
    )


def learner(words: str, *codes: str, tuned: bool = False) -> Learner:
    """What would learn from launches; `tuned`: the autotuner measured all kernels."""
    sites, tokens = read(words, *codes)
    return Learner(sites, tokens, np.full(len(tokens.words), tuned))


class _Sized:
    """Columns that know how many rows they have."""

    def __init__(self, columns: Any, count: int) -> None:  # noqa: ANN401 -- whatever is asked
        self._columns, self._count = columns, count

    def __len__(self) -> int:
        return self._count

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- as above
        return getattr(self._columns, name)


def state(network: Network, kind: StateKind, site: int) -> int:
    """The first state of a kind at a call site."""
    return int(np.flatnonzero((network.kind == kind) & (network.site == site))[0])


def rate(network: Network, source: int, target: int) -> float:
    """The rate of an arc."""
    arcs = slice(network.start[source], network.start[source + 1])
    return float(network.rate[arcs][network.target[arcs] == target].sum())


# Rates and arcs


def test_the_rates_of_a_model_that_has_read_nothing() -> None:
    """A launch in a hundred is lost, half of what ends is followed by other work, and so on."""
    network = learner("a b", "a b c d e f g").model_so_far().network
    first, second = (state(network, StateKind.GENERATED, site) for site in (0, 1))
    strange = state(network, StateKind.STRANGER, 0)

    assert network.to_stranger[first] == pytest.approx(0.01)
    assert network.to_stranger[strange] == pytest.approx(0.4)
    assert rate(network, first, second) == pytest.approx(0.99 * 0.99)
    assert network.background == pytest.approx(0.5 * 0.95 / 0.975), "5 % are habits around graphs"
    assert network.background_stays == pytest.approx(0.8)
    assert network.ends[first] == pytest.approx(1e-7), "what is given up in its midst"
    assert np.count_nonzero(network.kind == StateKind.BEFORE) == AROUND == 4


def test_the_rates_of_library_calls_that_nobody_has_seen() -> None:
    """A product begins with something in three of ten cases, and so does that, but more rarely."""
    sites, _ = read("a", "a mm")
    rates = first_rates(sites)

    assert rates.preludes[1, :3] == pytest.approx([0.7, 0.3 * 0.79, 0.3 * 0.21 * 0.79])
    nothing, seen = np.zeros(2), np.full(2, 2.0)
    assert silent_rates(sites, 0.01, nothing, seen)[1] == pytest.approx(0.03 * 2 / 4)


def test_the_rates_of_what_the_autotuner_measures() -> None:
    """It measures one kernel in fifty, and clears memory behind seven launches of ten."""
    network = learner("a b", "a b", tuned=True).model_so_far().network
    first, clearing = state(network, StateKind.GENERATED, 0), state(network, StateKind.CLEARING, 1)
    measured = state(network, StateKind.MEASURED, 1)

    assert rate(network, first, clearing) == pytest.approx(0.99 * 0.99 * 0.02 / 2)
    assert rate(network, measured, clearing) == pytest.approx(0.7)


def test_how_far_arcs_lead() -> None:
    """Over 23 calls that launch nothing, and no further than one case in a million."""
    sites, _ = read("a", "a " + "mm " * 30)
    (source, target, _), _ = _arcs_between_sites(sites, np.full(len(sites), 0.99))
    assert target[source == 0].max() == 24

    sites, _ = read("a", "a b c d e")
    for silent, reach in ((1.1e-6, 2), (0.9e-6, 1), (1.9e-6, 2), (0.6e-6, 1)):
        (source, target, _), _ = _arcs_between_sites(sites, np.full(len(sites), silent))
        assert target[source == 0].max() == reach


# Emissions


def test_what_runs_outside_of_calls() -> None:
    """Names of the code twenty times more rarely than others; four names did not happen to run."""
    _, tokens = read("a o p q", "a")
    nothing = np.zeros(len(tokens))
    behind, _ = loose_of(tokens, nothing, nothing)
    of_code = tokens.word >= 0

    assert behind[of_code] == pytest.approx(0.05 / 4 / (0.05 / 4 + 3 / 4 + 4 / 4))
    seen = np.where(of_code, 10.0, 0.0)
    after, _ = loose_of(tokens, seen, nothing)
    assert after[of_code] == pytest.approx((3 + 22 * behind[of_code]) / 25), (
        "three of ten are learned"
    )


def test_strangers_are_hardly_other_compiled_code() -> None:
    """By four orders of magnitude."""
    _, tokens = read("a o foreign", "a")
    nothing = np.zeros(len(tokens))
    _, strange = loose_of(tokens, nothing, nothing)
    foreign = tokens.foreign
    other = (tokens.word < 0) & ~foreign

    assert strange[foreign] / strange[other] == pytest.approx(1e-4)


def test_a_place_has_a_habit_from_six_of_ten_launches_on() -> None:
    """Then it is learned, with a third of an observation of what was expected."""
    _, tokens = read("o p", "a")
    states: Any = SimpleNamespace(kind=np.array([StateKind.MAIN]), word=np.array([-1]))
    layout = EmissionLayout(row=np.array([0]), size=2, others=2, fixed=np.array([False]))
    prior = np.array([0.5, 0.5])
    shared = np.array([False])

    for most, habit in ((5.5, False), (6.5, True), (5.9, False), (6.1, True)):
        seen = np.array([most, 10 - most])
        after = learn_emission_rates(layout, prior, seen, states, tokens, shared)
        assert after[0] == pytest.approx((most + 0.15) / 10.3 if habit else 0.5)


def test_a_kernel_that_bears_the_name_of_the_operator_is_likelier() -> None:
    """Four times as likely as another one of its family."""
    prior = learner("a sort_x radixs a", "a cumsum a")
    assert prior is not None
    sites, tokens = read("a devicescan devicescan_cumsum a", "a cumsum a")
    model = Learner(sites, tokens, np.zeros(len(tokens.words), dtype=bool)).model_so_far()
    emissions = model.decoder.emissions
    main = state(model.network, StateKind.MAIN, 1)
    rates = emissions.rate[emissions.row[main] + emissions.column[tokens.word < 0]]

    assert rates.max() / rates.min() == pytest.approx(4.0)


def test_calls_of_no_known_kernel_launch_names_that_say_nothing() -> None:
    """Half as readily as one of their own family."""
    sites, tokens = read("a vendor_kernel_1 a", "a mm a")
    model = Learner(sites, tokens, np.zeros(len(tokens.words), dtype=bool)).model_so_far()
    emissions = model.decoder.emissions
    rates = [
        float(emissions.rate[emissions.row[state(model.network, kind, 1)]])
        for kind in (StateKind.MAIN, StateKind.PRELUDE)
    ]

    assert rates == pytest.approx([0.5, 0.05])


def test_shapes_of_a_name_that_are_told_apart() -> None:
    """The twelve most frequent shapes are kept apart, and all others are one."""
    assert _rank_shapes(np.zeros(30, dtype=np.int64), np.arange(30)).max() == 12


# The decoder


def test_improbable_states_are_not_followed() -> None:
    """Those of less than a ten-millionth of the likeliest."""
    front = _likeliest(dict(enumerate([1.0, 1.3e-7, 0.8e-7, 1.9e-7, 0.6e-7])))

    assert list(front) == [0, 1, 3]


def test_other_work_hardly_runs_in_what_is_launched_as_a_whole() -> None:
    """One launch in fifty."""
    model = learner("a b", "a b").model_so_far()
    window: Any = SimpleNamespace(settled=[-1], whole=True)
    loop = _Loop(model.decoder, None)

    shares = loop._agreeing({0: 1.0, 1: 1.0}, window, 0)
    assert list(shares.values()) == pytest.approx([0.02, 1.0])


def test_states_that_hardly_launch_a_token_are_no_beginning() -> None:
    """A state begins only with a token that it launches at more than a hundred-thousandth."""
    for emitted, begins in ((0.8e-5, 0), (1.5e-5, 2)):
        columns = SimpleNamespace(
            entry=np.array([1]),
            entry_rate=np.ones(1),
            kind=np.array([StateKind.BACKGROUND, StateKind.MAIN]),
        )
        network: Any = _Sized(columns, 2)
        emissions: Any = SimpleNamespace(
            column=np.zeros(1, dtype=np.int64),
            word_of_state=np.full(2, -1),
            word_of_token=np.full(1, -1),
            row=np.array([0, 0]),
            rate=np.array([emitted]),
        )
        entries = entries_of(network, emissions)
        assert len(entries.state) + len(entries.begins) == begins


def test_a_decoder_that_was_built_is_of_this_source() -> None:
    """Another version would be passed over in silence."""
    built = find_spec("kernelmap.matching.aligner._decoder") is not None
    assert native_decoder.is_built() == built


# Windows and samples


def tokens_in_row(count: int, times: int = 1) -> Any:  # noqa: ANN401 -- what is asked of a sequence
    """A sequence of launches."""
    rows = np.zeros(count, dtype=np.int64)
    order = SimpleNamespace(whole=False)
    sequence = SimpleNamespace(
        token=rows, settled=rows - 1, order=order, times=times, doubted=False
    )
    return _Sized(sequence, count)


def test_windows_are_cut_where_that_is_worth_it() -> None:
    """At least 128 launches each, and no more than 512 of them."""
    assert len(windows_of([tokens_in_row(300)], 64)) == 3
    assert len(windows_of([tokens_in_row(256)], 64)) == 1
    assert len(windows_of([tokens_in_row(512 * 200)], 64)) == 512


def test_a_long_profile_is_learned_from_a_sample() -> None:
    """A longer profile is learned from forty thousand of its launches."""
    for total, kept in ((79_000, 79), (80_000, 40), (160_000, 40)):
        assert len(_sample_windows([SequenceWindow(0, 0, 0, 0, 1000)] * (total // 1000))) == kept


# Learning


def test_a_model_reads_five_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time it expects what it has learned before."""
    rounds: list[int] = []
    monkeypatch.setattr(Learner, "_learn_round", lambda _self, _, number: rounds.append(number))
    learner("a b", "a b").learn_model()

    assert rounds == [0, 1, 2, 3, 4]


def test_what_another_run_decided_is_hardly_wrong() -> None:
    """For one launch in ten thousand."""
    assert learner("a b", "a b").model_so_far().decoder.doubt == pytest.approx(1e-4)


def kept_place(code: str, runs: float, gamma: float, kind: StateKind) -> bool:
    """Whether a place is kept that so many of the visits of a library call have."""
    learning = learner("a radixsort gemm a", code)
    states, layout = learning._states, learning._layout
    place = int(np.flatnonzero((states.kind == kind) & (states.site == 1))[-1 if kind == 2 else 0])
    emitted = np.zeros(layout.size)
    emitted[layout.row] = 1.0  # one name: a habit
    visits = np.full(len(states.kind), float(runs))
    visits[place] = gamma
    which = int(states.place[place])
    learning._prune_places(emitted, visits, np.full(len(learning._sites), runs))
    return bool(learning._kept[1, which])


@pytest.mark.parametrize(
    ("code", "runs", "gamma", "kept"),
    [
        ("a mm a", 100, 48, False),
        ("a mm a", 100, 52, True),
        ("a mm a", 0.008, 0.0, True),  # a call that never ran shows nothing
        ("a mm a", 0.012, 0.0, False),
        ("a sort a", 100, 48, False),
        ("a sort a", 100, 52, True),
        ("a sort a", 4, 1.4, False),  # few visits: half of one more or less says nothing
        ("a sort a", 4, 1.6, True),
        ("a sort a", 7, 3.2, True),
        ("a sort a", 8, 3.8, False),
    ],
)
def test_a_place_that_most_visits_lack_is_none(
    code: str, runs: float, gamma: float, kept: bool
) -> None:
    """Half of the visits; of sorts, which may take another pass, with a doubt if they are few."""
    assert kept_place(code, runs, gamma, StateKind.PRELUDE) == kept


# Decisions


def decide(code: str, shares: list[dict[int, float]], names: str, once: float = 1.0) -> Decisions:
    """The decisions about launches: the shares of each call site, and what one invocation shows."""
    sites, tokens = read(names, code)
    pairs = [
        (at, site, share)
        for at, of_launch in enumerate(shares)
        for site, share in of_launch.items()
    ]
    at, site = (np.array([pair[column] for pair in pairs], dtype=np.int64) for column in (0, 1))
    share = np.array([pair[2] for pair in pairs])
    count = len(sites)
    # A state per site, and the background.
    kind = np.array(
        [*np.where(sites.generated, StateKind.GENERATED, StateKind.MAIN), StateKind.BACKGROUND]
    )
    token = tokens.sequences[0].token
    every = np.arange(len(token))
    looked = Unlearned(
        [np.zeros(len(token), dtype=np.int64)],
        [every],
        [np.array([max(of_launch, key=of_launch.__getitem__) for of_launch in shares])],
        [np.where(every == len(token) - 1, once, 1.0)],
    )
    model: Model = SimpleNamespace(  # type: ignore[assignment] # what is asked
        states=SimpleNamespace(
            kind=kind, site=np.array([*range(count), -1]), place=np.zeros(count + 1, dtype=int)
        ),
        calls=np.array([*range(count), -1]),
        unlearned=looked,
        rates=SimpleNamespace(loss=0.01),
    )
    posterior: Any = SimpleNamespace(
        sequence=[np.zeros(len(at), dtype=np.int64)], at=[at], state=[site], share=[share]
    )
    (decided,) = decisions_of(posterior, model, tokens, sites)
    return decided


def test_a_call_is_inferred_from_a_posterior_of_95_percent() -> None:
    """Of a generated kernel as of memory that is cleared."""
    for share, sure in ((0.96, True), (0.94, False), (0.971, True)):
        assert decide("a b", [{0: 1.0}, {1: share}], "a b").sure[1] == sure
        cleared = decide("a zero_ b", [{0: 1.0}, {1: share}, {2: 1.0}], "a fill b")
        assert cleared.sure[1] == sure


def test_candidates_hold_nine_tenths_together() -> None:
    """With less none is named."""
    for second, named_ in ((0.42, True), (0.38, False), (0.44, True)):
        several = decide("a b b", [{0: 1.0}, {1: 0.5, 2: second}], "a b").several
        assert bool(several) == named_


def test_single_invocations_show_what_is_inferred() -> None:
    """It takes four fifths, and nine tenths for calls whose kernels have meaningless names."""
    for once, sure in ((0.78, False), (0.85, True), (0.88, True)):
        assert decide("a b", [{0: 1.0}, {1: 1.0}], "a b", once).sure[1] == sure
    nameless = [
        decide("a b mm", [{0: 1.0}, {1: 1.0}, {2: 1.0}], "a b vendor", once).sure[2]
        for once in (0.85, 0.95)
    ]
    assert nameless == [False, True]


def test_one_launch_alone_has_no_order() -> None:
    """Two under names of the code have one."""
    for words, placed in (("a o o", False), ("a b o", True)):
        trace = run(words)
        rows = np.arange(len(trace.launches))
        order = LaunchOrder(rows, rows[None, :], whole=False)
        sites = sites_of(CompiledProgram(graphs=(graph("0_forward", "a b"),)))
        context: Any = SimpleNamespace(trace=trace)
        taught = pin_references(trace.launches, ())
        kept = by_model._with_names(context, [order], sites, taught, np.full(len(rows), -1))
        assert bool(kept) == placed


# Launches amid decided ones


def amid(site: list[int], single: list[bool], invocation: list[int]) -> tuple[Any, Any, Any]:
    """Context, matching and pins of launches in a row, of one process."""
    count = len(site)
    rows = np.arange(count)
    launches = SimpleNamespace(
        process=np.zeros(count, dtype=int),
        device=np.zeros(count, dtype=int),
        start_ns=rows,
        correlation=rows + 1,
        api=np.full(count, -1),
        graph_node=np.zeros(count, dtype=int),
        graph=np.zeros(count, dtype=int),
    )
    launches_ = _Sized(launches, count)
    replayed = np.zeros(count, dtype=bool)
    context = SimpleNamespace(
        trace=SimpleNamespace(launches=launches_, apis=SimpleNamespace(thread=rows)),
        host=SimpleNamespace(replayed=replayed),
        program=SimpleNamespace(graph_of_call=np.zeros(count + 1, dtype=int)),
    )
    match_ = SimpleNamespace(
        call=np.array(site), invocation=np.array(invocation), open=np.array(site) < 0
    )
    pins = SimpleNamespace(
        site=np.array(site), single=np.array(single), skipped=np.zeros(count, dtype=bool), tuned=()
    )
    return context, match_, pins


def test_a_lost_launch_is_looked_at_with_two_hundred_around() -> None:
    """Where no kernel that is pinned is nearer."""
    count = 1001
    context, match_, pins = amid([-1] * count, [False] * count, [-1] * count)
    lost = np.arange(count) == 500

    (window,) = amid_decided._iter_windows_with_losses(context, match_, lost, pins)
    assert window.rows.tolist() == list(range(300, 701))


def test_threads_are_apart_where_they_interrupt_one_another() -> None:
    """Threads are apart where more than one invocation in ten is interrupted."""
    for interrupted, apart in ((2, False), (3, True)):
        thread, call, invocation = [], [], []
        for number in range(20):
            middle = [(7, -1, -1)] if number < interrupted else []
            for of, called, numbered in [(1, 0, number), *middle, (1, 0, number)]:
                thread.append(of)
                call.append(called)
                invocation.append(numbered)
        thread.append(7)
        call.append(-1)
        invocation.append(-1)
        rows = np.arange(len(thread))
        context: Any = SimpleNamespace(
            trace=SimpleNamespace(
                launches=_Sized(SimpleNamespace(api=rows), len(rows)),
                apis=SimpleNamespace(thread=np.array(thread)),
            ),
            program=SimpleNamespace(graph_of_call=np.zeros(2, dtype=int)),
        )
        match_: Any = SimpleNamespace(call=np.array(call), invocation=np.array(invocation))
        pinned_ = rows[np.array(call) >= 0]
        assert amid_decided._do_threads_interleave(context, match_, pinned_, rows) == apart


def test_helpers_follow_their_kernel() -> None:
    """And what a library launches before a kernel never comes behind it."""
    sites, tokens = read("a nhwctonchw fprop nchwtonhwc a", "a convolution a")
    model = Learner(sites, tokens, np.zeros(len(tokens.words), dtype=bool)).model_so_far()
    emissions = model.decoder.emissions

    def launches(kind: StateKind, family: Family) -> bool:
        token = tokens.family.index(family)
        row = emissions.row[state(model.network, kind, 1)]
        return bool(emissions.rate[row + emissions.column[token]] > 0)

    assert launches(StateKind.PRELUDE, Family.PRELUDE)
    assert not launches(StateKind.PRELUDE, Family.HELPER)
    assert launches(StateKind.FOLLOWER, Family.HELPER)
    assert not launches(StateKind.FOLLOWER, Family.PRELUDE)


def test_an_invocation_begins_with_libraries_only_ahead_of_its_first_kernel() -> None:
    """If that kernel was lost, the invocation begins with the next one, not with a library call."""
    sites, tokens = read("a b", "mm a mm b")
    words = np.zeros(len(tokens.words), dtype=bool)
    learning = Learner(sites, tokens, words)
    network = network_of(sites, learning.model_so_far().states, first_rates(sites))

    assert set(network.site[network.entry]) == {0, 1, 3}
