"""`kernelmap gate`: whether a change may pass."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.alerts import Alerts, alert_options, state_option
from kernelmap.cli.common import (
    AnyPath,
    Command,
    OneOf,
    emit,
    named_store,
    note,
    note_of_runs,
    progress,
    say,
    tags_of,
)
from kernelmap.cli.shared_options import CORRELATION, STORE, chosen_options
from kernelmap.commands import command, input_word
from kernelmap.options import share

if TYPE_CHECKING:
    from kernelmap.compare.comparison import Comparison
    from kernelmap.compare.gate import Limits, Verdict
    from kernelmap.compare.opening import Opened, Origin

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_SUMMARY = "GITHUB_STEP_SUMMARY"
_ROWS = 20  # of a table in a file of Markdown


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`3%` or `0.03` as a share of 1."""
    if value is None:
        return None
    try:
        return share(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _time(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """`20us` as whole nanoseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ns|us|µs|ms|s)", value.strip())
    if match is None:
        raise click.BadParameter(f"{value!r} is no time such as 20us", ctx, param)
    return round(float(match[1]) * _UNITS[match[2]])


@click.command(
    cls=Command,
    shared=(*STORE, *CORRELATION),
    short_help="Fail where a change is slower, or was not reviewed.",
)
@click.argument("inputs", nargs=-1, required=True, type=AnyPath())
@click.option(
    "--lock",
    "locked",
    type=AnyPath(),
    metavar="FILE",
    help="Fail where the code is not what this lock says; needs no GPU and no profile.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="RECORDING",
    help="What to compare with, also a run of the store; several repeats tell how much noise"
    " there is.",
)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --baseline BRANCH: the newest N runs of that branch in the store, on the device of"
    " INPUTS if there are any.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="K=V",
    help="With --last: only runs that bear this tag; may be repeated.",
)
@click.option("--forked", envvar="KERNELMAP_FORKED", hidden=True)
@click.option(
    "--max-regression",
    callback=_share,
    default="3%",
    show_default=True,
    metavar="SHARE",
    help="Fail where something takes longer by more than this, and not by chance.",
)
@click.option(
    "--min-time",
    callback=_time,
    default="20us",
    show_default=True,
    metavar="TIME",
    help="Calls and ops that take less per step are not judged alone.",
)
@click.option(
    "--min-coverage",
    callback=_share,
    metavar="SHARE",
    help="Fail where less of the time is paired with code or known to be outside.",
)
@click.option(
    "--by",
    "levels",
    type=OneOf(("call", "op", "total")),
    multiple=True,
    default=("call", "op", "total"),
    show_default=True,
    help="What is judged; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE",
    help="Write the comparison behind the verdict, as `diff` does: a .json, .md or .html file.",
)
@click.option(
    "--bmf", type=AnyPath(), metavar="FILE", help="Write the times in Bencher Metric Format."
)
@click.option(
    "--pytest-benchmark",
    type=AnyPath(),
    metavar="FILE",
    help="Write the times as the JSON of pytest-benchmark.",
)
@click.option(
    "--prometheus",
    type=AnyPath(),
    metavar="FILE",
    help="Write the times as Prometheus text, for a textfile collector.",
)
@click.option(
    "--summary",
    type=AnyPath(),
    metavar="FILE",
    help="Add the verdict and the causes to this file, as Markdown for a comment.",
)
@click.option(
    "--otlp",
    metavar="URL",
    help="Send the times to a collector as OpenTelemetry metrics; URL is that of its metrics.",
)
@click.option("--wandb", metavar="PROJECT", help="Log the times as a table of a new run of W&B.")
@alert_options("where the gate fails")
@state_option
@click.option(
    "--strict",
    is_flag=True,
    help="Fail as well where a change above the limit may be noise, or nothing could be tested.",
)
@click.pass_context
def gate(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    /,
    *,
    inputs: tuple[Path, ...],
    locked: Path | None,
    baselines: tuple[str, ...],
    last: int | None,
    tags: tuple[str, ...],
    forked: str | None,
    max_regression: float,
    min_time: int,
    min_coverage: float | None,
    levels: tuple[str, ...],
    output: Path | None,
    summary: Path | None,
    strict: bool,
    otlp: str | None,
    wandb: str | None,
    on_change: tuple[str, ...],
    webhook: str | None,
    state: Path | None,
    **metrics: Path | None,
) -> None:
    """Exit with 1 and the reasons where a recording is slower than its baseline, or code changed.

    INPUTS are one recording: code and profile, a bundle or a saved result; for --lock alone code is
    enough. A regression fails where it is significant and larger than --max-regression. One that is
    larger and may be noise is inconclusive: the answer says how many steps would tell, and with
    --strict it fails as well. What was not judged is said. With --last no run is older than one
    whose change is acknowledged (the tag `acknowledged` of `kernelmap runs tag`), and those of the
    main branch end where the branch of INPUTS left it: as the run says, else git, else the variable
    KERNELMAP_FORKED. Where GITHUB_STEP_SUMMARY names a file, the verdict is added to it.

    Example: kernelmap gate --lock kernels.lock torch_compile_debug/
             kernelmap gate --baseline main/ bundle/
             kernelmap gate --baseline main --last 5 --tag model=small bundle/
             kernelmap gate --baseline run1/ --baseline run2/ bundle/ --max-regression 2% --by op
             kernelmap gate --baseline main/ bundle/ --on-change 'python notify.py --channel perf'
    """
    if tags and last is None:
        raise click.UsageError("--tag chooses among the runs of --last.")
    if locked is None and not baselines:
        raise click.UsageError("Say what to compare with: --lock FILE or --baseline RECORDING.")
    from kernelmap.compare.gate import Limits

    alerts = Alerts(
        command=on_change,
        webhook=webhook,
        state=state,
        inputs=tuple(map(str, inputs)),
        baselines=baselines,
    )
    failed = _check_lock(locked, inputs, summary, alerts) if locked is not None else False
    if baselines:
        limits = Limits(
            regression=max_regression, time_ns=min_time, coverage=min_coverage, levels=levels
        )
        of = _Baseline(names=baselines, last=last, tags=tags_of(tags), forked=forked)
        places = {form: place for form, place in metrics.items() if place is not None}
        _require_apart([*places.values(), *filter(None, (summary, output))])
        outputs = _Outputs(metrics=places, page=output, summary=summary, otlp=otlp, wandb=wandb)
        comparison, verdict = _check_times(inputs, of, limits, outputs)
        is_bad = not verdict.passed or (strict and not verdict.conclusive)
        alerts.of_time(comparison, verdict, failed=is_bad)
        failed |= is_bad
    if failed:
        ctx.exit(1)


def _require_apart(places: Sequence[Path]) -> None:
    """Raise UsageError where two outputs are one file, or the folder of one is not there."""
    from kernelmap.outputs.write import require_folder_of

    for place in places:
        require_folder_of(place)
        if sum(place.absolute() == other.absolute() for other in places) > 1:
            raise click.UsageError(f"{place} is named for two outputs; give each a file.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Baseline:
    """What a recording is held against, as the command line names it."""

    names: tuple[str, ...]
    last: int | None
    tags: Mapping[str, str]
    forked: str | None

    def open(self, new: Opened) -> list[Opened]:
        """The recordings; with --last they are runs of the series of `new`, and it is said."""
        from kernelmap.compare.baselines import device_of_side, newest
        from kernelmap.compare.opening import open_side

        names = list(self.names)
        if self.last is not None:
            device, store = device_of_side(new.side), named_store()
            runs = [
                newest(
                    ref,
                    self.last,
                    store=store,
                    tags=self.tags,
                    device=device,
                    of=self._origin(new),
                )
                for ref in self.names
            ]
            names = [run for series in runs for run in series.ids]
            for series in runs:
                for passed in series.passed:
                    say(f"note: {passed}")
        return [open_side(name, store=named_store(), options=chosen_options()) for name in names]

    def _origin(self, new: Opened) -> Origin:
        """Where the recording comes from: as its run says, else the checkout one stands in."""
        from kernelmap.compare.opening import Origin
        from kernelmap.store.checkout import checkout

        if new.origin is not None:
            from msgspec.structs import replace

            return replace(new.origin, forked=self.forked or new.origin.forked)
        here = checkout(Path.cwd())
        branch, forked = (here.branch, here.forked) if here is not None else (None, None)
        return Origin(branch=branch, forked=self.forked or forked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """What to write and send beside the verdict; `metrics` by the name of their format.

    `page` is the comparison of which the verdict is made, as a file.
    """

    metrics: Mapping[str, Path]
    page: Path | None
    summary: Path | None
    otlp: str | None
    wandb: str | None

    def send(self, comparison: Comparison) -> None:
        """Hand the times to services; one that does not take them changes nothing."""
        if self.otlp is None and self.wandb is None:
            return
        from kernelmap.compare.exporters import NotSent, log_wandb, send_otlp

        for send, place in ((send_otlp, self.otlp), (log_wandb, self.wandb)):
            if place is not None:
                try:
                    send(comparison, place)
                except NotSent as error:
                    say(f"note: not sent: {error}")


def _check_lock(
    locked: Path, inputs: tuple[Path, ...], summary: Path | None, alerts: Alerts
) -> bool:
    with progress("comparing"):
        from kernelmap.compare.lock import lock_changes, lock_of, read_lock, review

        expected = read_lock(locked)
        graphs, notices, read = lock_of(inputs)
        changes = lock_changes(expected, graphs)
    note(notices)
    if not changes:
        emit("gate: the code is what the lock says\n")
        alerts.of_code("")
        return False
    text = review(changes)
    anew = command("inspect", *map(input_word, inputs), "--lock", locked)
    number = "1 unreviewed change" if len(changes) == 1 else f"{len(changes)} unreviewed changes"
    emit(f"{text}gate: {number}; once reviewed, `{anew}` writes the new lock\n")
    shown = text.replace("```", "")
    page = f"### kernelmap gate: {number}\n\n```diff\n{shown}```\n"
    _summarize(page, [locked, *read], summary)
    alerts.of_code(text)
    return True


def _check_times(
    inputs: tuple[Path, ...], of: _Baseline, limits: Limits, outputs: _Outputs
) -> tuple[Comparison, Verdict]:
    with progress("comparing"):
        from kernelmap.compare.baselines import baseline_of
        from kernelmap.compare.comparison import compare
        from kernelmap.compare.gate import judge
        from kernelmap.compare.opening import open_inputs
        from kernelmap.outputs.write import page_form, require_folder_of, write_files

        for place in outputs.metrics.values():
            require_folder_of(place)
        if outputs.page is not None:
            page_form(outputs.page)
            require_folder_of(outputs.page)
        new = open_inputs(inputs, store=named_store(), options=chosen_options())
        opened = of.open(new)
        base = baseline_of(opened)
        opened.append(new)
        comparison = compare(base.side, opened[-1].side, floor=base.floor)
        verdict = judge(comparison, limits, base.words)
    note_of_runs([(recording.side.title, recording.notices) for recording in opened])
    read = [path for recording in opened for path in recording.files]
    if outputs.metrics:
        from kernelmap.compare.metrics import FORMATS

        texts = {place: FORMATS[form](comparison) for form, place in outputs.metrics.items()}
        encoded = {place: text.encode(errors="backslashreplace") for place, text in texts.items()}
        draws = {place: methodcaller("writelines", [raw]) for place, raw in encoded.items()}
        write_files(draws, read)
        say(f"wrote {', '.join(map(str, draws))}")
    if outputs.page is not None:
        from kernelmap.cli.diff import written
        from kernelmap.outputs.write import write_text

        write_text(outputs.page, written(comparison, page_form(outputs.page), _ROWS), read)
        say(f"wrote {outputs.page}")
    outputs.send(comparison)
    _show(comparison, verdict, read, outputs.summary)
    return comparison, verdict


def _show(
    comparison: Comparison, verdict: Verdict, read: Sequence[Path], summary: Path | None
) -> None:
    from kernelmap.compare.comment import comment
    from kernelmap.compare.gate import spoken

    emit(f"{spoken(comparison, verdict)}\n")
    _summarize(comment(comparison, verdict), read, summary)


def _summarize(text: str, read: Sequence[Path], summary: Path | None) -> None:
    """Add to `summary` and to the page that a CI job shows; never to a file that was `read`."""
    shown = os.environ.get(_SUMMARY)
    from kernelmap.outputs.write import append_text

    for place in (Path(shown) if shown else None, summary):
        if place is not None:
            append_text(place, text, read)
