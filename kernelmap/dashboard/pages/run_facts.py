"""What is known of a run without opening its tables, for its page: facts and notices."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.listed import branch, tags, time
from kernelmap.dashboard.page import Cells, Column, Link, Row, Section, Table, Tone, Words
from kernelmap.dashboard.series import gpu, recorded
from kernelmap.model.notices import count
from kernelmap.outputs.terminal import facts as window_facts
from kernelmap.outputs.text import duration, visible
from kernelmap.store.listing import Listed

_NAMED = 12  # inputs, and notices


def facts_table(run: Listed) -> Table:
    """Code, machine, window, time and inputs, a row each; the data has every known fact."""
    told = [(name, cells) for name, cells in _facts(run) if cells]
    return Table(
        id="facts",
        title="What ran",
        columns=(Column(name="fact"), Column(name="")),
        rows=tuple(Row(cells=each) for each in told),
        data=pd.DataFrame(_data(run), columns=["fact", "value"]),
    )


def notices(run: Listed) -> tuple[Section, ...]:
    """What could not be used when the run was made; empty where all was."""
    told = run.facts.notices
    if not told:
        return ()
    lines = [(visible(f"{each.message} {each.hint or ''}".strip()),) for each in told[:_NAMED]]
    if len(told) > _NAMED:
        lines.append((f"{len(told) - _NAMED} more: `kernelmap runs show {run.id}`.",))
    tone = Tone.WARNING if any(each.gap for each in told) else Tone.DIM
    return (Words(title="What could not be used", lines=tuple(lines), tone=tone),)


def _facts(run: Listed) -> Iterator[tuple[str, Cells]]:
    facts, window = run.facts, run.facts.window
    changed = " with changes that it lacks" if facts.changed else ""
    at = "" if facts.commit is None else f" · commit {visible(facts.commit)}{changed}"
    history = Link(branch(facts), Address(branch=facts.branch, gpu=gpu(facts)))
    yield "run", f"{run.id} · recorded {recorded(facts.created)} UTC by kernelmap {facts.kernelmap}"
    yield "branch", (history, at)
    yield "tags", visible(tags(run))
    versions = [
        f"{name} {visible(value)}"
        for name in ("torch", "triton", "cuda", "rocm")
        if (value := getattr(facts, name)) is not None
    ]
    yield "machine", " · ".join([visible(gpu(facts)), *versions])
    devices = len(window.devices)
    yield "window", visible(" · ".join(window_facts(window)[devices:]))
    whole = f"{duration(window.total_ns)} in all, {duration(window.busy_ns)} of it busy"
    yield "time", f"{time(facts)} · {whole}" if window.steps else whole
    names = [visible(each.name) for each in facts.inputs[:_NAMED]]
    more = len(facts.inputs) - len(names)
    yield "made from", ", ".join([*names, *([f"{count(more, 'more file')}"] if more else [])])


def _data(run: Listed) -> Iterator[tuple[str, object]]:
    facts, window = run.facts, run.facts.window
    for name in ("id", "created", "name", "branch", "commit", "changed"):
        yield name, getattr(facts, name)
    yield from ((f"tag {key}", value) for key, value in sorted(run.tags.items()))
    yield from (("gpu", each) for each in facts.gpus)
    for name in ("torch", "triton", "cuda", "rocm", "kernelmap"):
        yield name, getattr(facts, name)
    for name in ("side", "total_ns", "busy_ns", "launches", "invocations", "calls", "calls_seen"):
        yield name, getattr(window, name)
    first, last = window.steps or (None, None)
    yield from (("first step", first), ("last step", last))
    yield from ((f"share {bucket}", share) for bucket, share in window.coverage.items())
    yield from ((f"input {each.name}", each.sha256) for each in facts.inputs)
    yield from (("notice", each.message) for each in facts.notices)
