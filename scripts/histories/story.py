"""What happens to a model from commit to commit: its code, its calls' costs, and what was planted.

A `State` is one commit. Each event gives the next state and says what it planted: the cause that a
comparison has to name, the calls that it has to name, and by how much the step changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from histories.play import Cost
from histories.variants import KINDS, renumbered, split_kernel, with_call
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.pipeline import correlate
from kernelmap.tables.fingerprints import fingerprint_program
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import CALLS

Key = tuple[str, str]
"""Graph and fingerprint of a call."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """What an event did: the cause's name, wrappers before and after, ns per step.

    `cause` is None for what must not be reported as a change.
    """

    what: str
    cause: str | None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    change_ns: int = 0


@dataclass(frozen=True, kw_only=True)
class State:
    """One commit: the text of each generated file, and what each call costs."""

    texts: Mapping[str, str]
    costs: Mapping[Key, Cost]

    @cached_property
    def program(self) -> CompiledProgram:
        """The code as kernelmap reads it."""
        with tempfile.TemporaryDirectory() as name:
            for folder, text in self.texts.items():
                place = Path(name, folder)
                place.mkdir(parents=True)
                (place / "output_code.py").write_text(text, encoding="utf-8")
            return load_compiled(Path(name))

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Graph and fingerprint of each call of the program."""
        prints = fingerprint_program(self.program).calls
        return tuple(
            (graph.id, call_print.fingerprint if call_print else call.wrapper)
            for (graph, call), call_print in zip(self.program.calls, prints, strict=True)
        )

    def cost_list(self) -> list[Cost]:
        """What each call of the program costs, in its order."""
        return [self.costs[key] for key in self.keys]

    def call_of(self, wrapper: str) -> tuple[Key, Cost]:
        """The first call that is written so."""
        for (_, call), key in zip(self.program.calls, self.keys, strict=True):
            if call.wrapper == wrapper:
                return key, self.costs[key]
        raise ValueError(f"no call {wrapper}")


def first_state(sample: Path) -> State:
    """The code of a sample, and its calls' medians; a call that never ran costs 3 µs.

    Configurations are invented where the sample's profile was recorded without shapes.
    """
    correlation = correlate(sample)
    row_of_call = {str(row["call"]): row for row in rows_of_frame(CALLS, correlation.calls)}
    texts = {path.parent.name: path.read_text("utf-8") for path in sample.rglob("output_code.py")}
    state = State(texts=texts, costs={})
    costs = {}
    for (graph, call), key in zip(state.program.calls, state.keys, strict=True):
        row = row_of_call.get(graph.call_id(call), {})
        names, median = row.get("device_names"), row.get("p50_ns")
        config = row.get("config")
        costs[key] = Cost(
            ns=median if isinstance(median, int) else 3_000,
            device_name=names[0] if isinstance(names, list) else call.wrapper,
            config=config if isinstance(config, str) else _invented(call.kernel),
        )
    return replace(state, costs=costs)


def longer(state: State, factor: int) -> State:
    """The same with calls that take `factor` times as long: a larger model of the same shape."""
    costs = {key: replace(cost, ns=cost.ns * factor) for key, cost in state.costs.items()}
    return State(texts=state.texts, costs=costs)


def numbered_otherwise(state: State, by: int) -> tuple[State, Planted]:
    """All kernels, buffers, inputs, nodes and handles get other numbers: nothing changed."""
    texts = {name: renumbered(text, dict.fromkeys(KINDS, by)) for name, text in state.texts.items()}
    return State(texts=texts, costs=state.costs), Planted(what="renumbered", cause=None)


def fused_otherwise(state: State, wrapper: str, factor: float) -> tuple[State, Planted]:
    """A kernel becomes two that take `factor` of its time together."""
    key, cost = state.call_of(wrapper)
    texts = {
        name: split_kernel(text, wrapper) if f"{wrapper}.run(" in text else text
        for name, text in state.texts.items()
    }
    later = State(texts=texts, costs=state.costs)
    new = [other for other in later.keys if other not in state.costs]
    wrappers = [
        call.wrapper
        for (_, call), other in zip(later.program.calls, later.keys, strict=True)
        if other in new
    ]
    often = state.keys.count(key)
    part = round(cost.ns * often * factor / len(new))
    costs = {k: c for k, c in state.costs.items() if k != key}
    costs |= {
        other: Cost(ns=part, device_name=name) for other, name in zip(new, wrappers, strict=True)
    }
    planted = Planted(
        what="a fusion was broken up",
        cause="fused otherwise",
        before=(wrapper,),
        after=tuple(wrappers),
        change_ns=part * len(new) - cost.ns * often,
    )
    return State(texts=texts, costs=costs), planted


def tuned_otherwise(
    state: State, wrapper: str, config: str, factor: float
) -> tuple[State, Planted]:
    """The autotuner chose another configuration for one kernel."""
    key, cost = state.call_of(wrapper)
    later = replace(cost, ns=round(cost.ns * factor), config=config)
    return _changed(state, key, later), Planted(
        what="an autotuner chose another configuration",
        cause="configuration changed",
        before=(wrapper,),
        after=(wrapper,),
        change_ns=later.ns - cost.ns,
    )


def other_library(state: State, wrapper: str, name: str, factor: float) -> tuple[State, Planted]:
    """A library runs another kernel for one call."""
    key, cost = state.call_of(wrapper)
    later = replace(cost, ns=round(cost.ns * factor), device_name=name)
    return _changed(state, key, later), Planted(
        what="a library switched its kernel",
        cause="library kernel switched",
        before=(wrapper,),
        after=(wrapper,),
        change_ns=later.ns - cost.ns,
    )


def one_more(state: State, wrapper: str) -> tuple[State, Planted]:
    """A kernel is called once more."""
    _, cost = state.call_of(wrapper)
    texts = {}
    for name, text in state.texts.items():
        line = next((line for line in text.split("\n") if f"{wrapper}.run(" in line), None)
        texts[name] = text if line is None else with_call(text, line, line.strip())
    later = State(texts=texts, costs=state.costs)
    costs = {key: state.costs.get(key, cost) for key in later.keys}
    return State(texts=texts, costs=costs), Planted(
        what="a launch was added",
        cause="new call",
        after=(wrapper,),
        change_ns=cost.ns,
    )


def slower(state: State, wrapper: str, factor: float) -> tuple[State, Planted]:
    """The same code of one call takes longer."""
    key, cost = state.call_of(wrapper)
    later = replace(cost, ns=round(cost.ns * factor))
    return _changed(state, key, later), Planted(
        what="one call became slower",
        cause="same code",
        before=(wrapper,),
        after=(wrapper,),
        change_ns=later.ns - cost.ns,
    )


def _invented(kernel: str | None) -> str | None:
    return None if kernel is None else "XBLOCK=256 num_warps=4 num_stages=1"


def _changed(state: State, key: Key, cost: Cost) -> State:
    return State(texts=state.texts, costs={**state.costs, key: cost})
