"""The rules of the matcher, each with what stands in for it when it is switched off.

A rule is switched off from outside: where a module uses the rule's function, it gets one that does
nothing. The package knows nothing of that.
"""

# ruff: noqa: ANN401, ARG001, ARG005 -- what stands in takes whatever the rule's function takes

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from kernelmap.matching.aligner.once import SeenOnce

Stand = Callable[..., Any]
"""What is called instead of a rule's function: it takes whatever that one takes."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by its name: what it says, and for each place that uses it what stands in there.

    A place is a module of the aligner, or of another folder of the matcher, and an attribute:
    `decisions.SURE`, `learning.Learner._prune`, `context.survey.parted`.
    `learns`: without it the model learns something else. `case` is what users do that it is for,
    where nothing that is measured here shows it.
    """

    name: str
    says: str
    stands: dict[str, Any] = field(default_factory=dict)
    learns: bool = False
    case: str = ""


def _first(one: Any, *_: Any, **__: Any) -> Any:
    return one


def _nothing_of(number: int) -> Stand:
    """A mask of nothing, as long as the argument with this number."""
    return lambda *columns, **_: np.zeros(len(columns[number]), dtype=bool)


def _empty(*_: Any, **__: Any) -> tuple[()]:
    return ()


def _none(*_: Any, **__: Any) -> None:
    return None


def _true(*_: Any, **__: Any) -> bool:
    return True


def _false(*_: Any, **__: Any) -> bool:
    return False


def _no_gaps(clear: Any, *_: Any) -> Any:
    return tuple(np.full((2, len(clear)), -1))


def _all_probable(looked: Any, site: Any, *_: Any) -> Any:
    return SeenOnce(np.ones(len(site)), looked)


def _no_members(launches: Any, program: Any, sequences: Any, decisions: Any, *rest: Any) -> Any:
    sites = rest[-1]
    return [
        np.where([len(sites.members[of]) == 1 for of in decided.of_run.tolist()], 0, -1)
        * np.ones((sequence.times, 1), dtype=np.int64)
        for sequence, decided in zip(sequences, decisions, strict=True)
    ]


RULES: tuple[Rule, ...] = (
    Rule(
        "once",
        "a call is believed where one invocation shows it, too",
        {"decisions.seen_once": _all_probable},
    ),
    Rule(
        "once: gaps",
        "between two clear kernels only the calls there are compared",
        {"once.around_gaps": _no_gaps},
    ),
    Rule(
        "once: continued",
        "a clear launch vouches for what its operator launches next elsewhere",
        {"once.is_vouched_for": _nothing_of(0)},
    ),
    Rule(
        "once: like",
        "launches in the same surroundings speak for one another",
        {"once._among_like": _first},
    ),
    Rule(
        "once: candidates",
        "where only learning chose, all that one invocation leaves open is named",
        {"decisions.candidates_by_one": lambda *_: {}},
    ),
    Rule(
        "twins",
        "the other half tells which compilation ran",
        {"decisions.told_by_other_half": _none},
    ),
    Rule(
        "mixed",
        "graphs that run at the same time on one stream are each in order",
        {"by_model.mixed_decisions": _none},
    ),
    Rule(
        "nameless",
        "calls whose kernels bear no name of their kind launch kernels of no family",
        {
            "decisions.is_nameless_call": lambda _, sites: np.zeros(len(sites) + 1, dtype=bool),
            "emissions._is_nameless": _false,
        },
        learns=True,
    ),
    Rule(
        "hangs_together",
        "little else stands between library work and the kernels of its graph",
        {"decisions.hangs_together": lambda run, site, sure, *_: sure.copy()},
    ),
    Rule(
        "leads_nowhere",
        "what prepares a kernel needs that kernel in its invocation",
        {"decisions.leads_nowhere": _nothing_of(0)},
    ),
    Rule(
        "amid_decided: suits",
        "a launch is of a family that its operator may launch",
        {"amid_decided.may_launch_family": _true},
        case="a copy amid compiled code that lost a range (tests/matching/test_between_ranges.py)",
    ),
    Rule(
        "many",
        "amid the many launches of a sort a doubtful one is still the sort's",
        {"decisions.SORTING": frozenset()},
    ),
    Rule(
        "beliefs",
        "an invocation is believed that lacks no more than losses explain",
        {"by_model.drop_unbelievable_invocations": lambda _, decisions, *__: list(decisions)},
    ),
    Rule(
        "beliefs: explains",
        "what it lacks, others of its graph lack as rarely as losses are",
        {"beliefs._Usual.is_explained_by_losses": _true},
    ),
    Rule(
        "learned again",
        "what is doubted in a CUDA graph teaches nothing: the model is learned again",
        {"by_model._drop_doubted_sequences": _first},
        learns=True,
    ),
    Rule(
        "measured",
        "kernels in series are the autotuner's",
        {
            "by_model.measured_words": lambda tokens, _: np.zeros(len(tokens.words), dtype=bool),
            "amid_decided.measured_words": lambda tokens, _: np.zeros(
                len(tokens.words), dtype=bool
            ),
        },
        learns=True,
    ),
    Rule(
        "segments",
        "of equal layers the place in the step tells which one ran",
        {"by_model.members_of": _no_members},
    ),
    Rule(
        "self-taught references",
        "a trace teaches what its own host side shows elsewhere",
        {"references.by_order.learned_sequences": _empty},
        learns=True,
    ),
    Rule(
        "references of captures",
        "what a capture launched teaches",
        {"references.learning.of_captures": _empty},
        learns=True,
    ),
    Rule(
        "may_teach",
        "a reference teaches where the trace has all of its library kernels",
        {"references.by_order._may_teach": _true},
        learns=True,
    ),
    Rule(
        "grids",
        "a kernel whose grid no call of its name can launch is foreign",
        {"tokens._is_possible_grid": lambda sites, names, grids: np.ones(len(names), dtype=bool)},
        learns=True,
    ),
    Rule(
        "grids of calls",
        "a call launches only grids of its sizes",
        {"emissions.may_launch": _true},
        learns=True,
    ),
    Rule(
        "akin",
        "a kernel that bears an operator's name is likelier its own",
        {"emissions._AKIN": 1.0},
        learns=True,
    ),
    Rule(
        "pruned",
        "places of a call that hardly any visit has are left out",
        {"learning.Learner._prune_places": _none},
        learns=True,
    ),
    Rule(
        "few sorts",
        "of few visits of a sort one more or less says nothing",
        {"learning._FEW": 0},
        learns=True,
    ),
    Rule(
        "references first",
        "references are learned from once before the profile is",
        {"learning.Learner._learn_from_references": _none},
        learns=True,
    ),
    Rule(
        "threads",
        "launches follow one another per thread, and threads in turns are one",
        {
            "context.launch_order._thread_or_stream": lambda context, rows: (
                -1 - context.trace.launches.stream[rows].astype(np.int64)
            )
        },
    ),
    Rule(
        "threads in turns",
        "threads that take turns, as autograd's, are one",
        {"context.launch_order._take_turns": _false},
    ),
    Rule(
        "amid_decided",
        "launches that lost their host side amid decided ones are placed by the model",
        {"match.place_lost_launches": _empty},
    ),
    Rule(
        "amid_decided: threads",
        "threads that launch amid another's invocations are read apart",
        {"amid_decided._do_threads_interleave": _false},
    ),
    Rule(
        "amid_decided: tuned",
        "a launch between benchmarks of one kernel is the autotuner's",
        {"amid_decided.amid_tuned": _false},
    ),
    Rule(
        "amid_decided: agrees",
        "what the host range around a launch does not stand for is not its call",
        {"amid_decided._WindowReading._agrees_with_host_range": _true},
        case="a first run that the recording cuts off (tests/matching/test_first_runs.py)",
    ),
    Rule(
        "cut off",
        "the ends of the bare thread are parts of invocations that the recording cut",
        {"context.survey.part_cut_invocations": lambda span, *_: ([], span)},
    ),
    Rule(
        "benchmarked alone",
        "kernels in a row outside of graph ranges are the autotuner's",
        {"context.survey._find_benchmarked_kernels": _empty},
        case="a compilation that is recorded in part (tests/matching/test_cut_off.py)",
    ),
    Rule(
        "tuned alone",
        "without graph ranges, series with memory cleared in between are the autotuner's",
        {"context.survey._tuned_alone": _empty},
        case="the same without graph ranges (tests/matching/test_first_runs.py)",
    ),
)


@contextmanager
def switched_off(rules: Sequence[Rule], entered: set[str] | None = None) -> Iterator[None]:
    """While this holds, nothing of `rules` is asked.

    With `entered` the rules stay on, and the names of those that are asked are added there.
    """
    undo: list[tuple[Any, str, Any]] = []
    try:
        for rule in rules:
            for place, stand in rule.stands.items():
                owner, attribute = _place(place)
                old = owner.__dict__[attribute]
                new = stand if entered is None else _noted(old, rule.name, entered)
                undo.append((owner, attribute, old))
                setattr(owner, attribute, new)
        yield
    finally:
        for owner, attribute, old in reversed(undo):
            setattr(owner, attribute, old)


def _noted(old: Any, name: str, entered: set[str]) -> Any:
    if not callable(old) or isinstance(old, type):
        entered.add(name)
        return old

    def noted(*arguments: Any, **named: Any) -> Any:
        entered.add(name)
        return old(*arguments, **named)

    return noted


def _place(place: str) -> tuple[Any, str]:
    """The module or class of a place, and the attribute in it."""
    *owners, attribute = place.split(".")
    module = "aligner." + owners.pop(0) if owners[0] not in _ELSEWHERE else ".".join(owners[:2])
    owners = [] if module.split(".")[0] in _ELSEWHERE else owners
    owner: Any = import_module(f"kernelmap.matching.{module}")
    for name in owners:
        owner = getattr(owner, name)
    return owner, attribute


_ELSEWHERE = ("context", "evidence", "graphs", "match", "references")
