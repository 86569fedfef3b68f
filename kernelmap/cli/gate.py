"""`kernelmap gate`: whether a change may pass."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import (
    AnyPath,
    Command,
    OneOf,
    emit,
    named_store,
    note,
    note_of_runs,
    progress,
    remark,
    say,
    tags_of,
)
from kernelmap.cli.gone_options import gone_options
from kernelmap.cli.on_change import on_change_option, tell_command
from kernelmap.cli.shared_options import FIGURES, STORE, chosen_options, require_bearing
from kernelmap.cli.standard_input import inputs
from kernelmap.options import nanoseconds, share

if TYPE_CHECKING:
    from kernelmap.history.compare.gate.findings import GateLimits
    from kernelmap.history.compare.gate.times import BaselineChoice, JudgedTimes

_SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file that GitHub shows on the page of a job


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outlets:
    """Where the answer goes beside the exit code, as the options say it."""

    form: str | None
    output: Path | None
    summary: Path | None
    on_change: tuple[str, ...]
    named: Mapping[str, object]
    """What the command line called inputs and baselines: an alert says it."""


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
    try:
        return nanoseconds(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command(
    cls=Command,
    shared=(*STORE, *FIGURES),
    short_help="Fail where a change is slower, or was not reviewed.",
)
@inputs
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
    "--max-memory",
    callback=_share,
    metavar="SHARE",
    help="Fail where the peak of a graph's memory, by its code, grows by more than this share of"
    " the highest peak. With --lock any growth fails, unless this says more.",
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
    "--format",
    "form",
    type=OneOf(("table", "json")),
    help="Print the comparison with the verdict as JSON, of --lock alone what changed; the words go"
    " to stderr.  [default: table]",
)
@click.option(
    "-o",
    "--output",
    type=AnyPath(),
    metavar="FILE",
    help="Write the comparison behind the verdict, as `diff` does: a .json, .md or .html file.",
)
@click.option(
    "--summary",
    type=AnyPath(),
    metavar="FILE",
    help="Add the verdict and the causes to this file, as Markdown for a comment.",
)
@on_change_option
@click.option(
    "--strict",
    is_flag=True,
    help="Fail as well where a change above the limit may be noise, or nothing could be tested.",
)
@gone_options("gate")
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
    max_memory: float | None,
    levels: tuple[str, ...],
    form: str | None,
    output: Path | None,
    summary: Path | None,
    on_change: tuple[str, ...],
    strict: bool,
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
             kernelmap gate --lock kernels.lock torch_compile_debug/ --max-memory 2%
             kernelmap gate --baseline main/ bundle/ --on-change 'python notify.py --channel perf'
    """
    if tags and last is None:
        raise click.UsageError("--tag chooses among the runs of --last.")
    if locked is None and not baselines:
        raise click.UsageError("Say what to compare with: --lock FILE or --baseline RECORDING.")
    if not baselines and output is not None:
        raise click.UsageError("-o is a comparison of times: --baseline.")
    _require_places(output, summary)
    from kernelmap.history.compare.gate.findings import GateLimits
    from kernelmap.history.compare.gate.times import BaselineChoice

    named = {"inputs": [*map(str, inputs)], "baselines": baselines}
    outlets = _Outlets(form=form, output=output, summary=summary, on_change=on_change, named=named)
    # Where times are judged as well, their document is the one on stdout.
    prints = form == "json" and not baselines
    failed = locked is not None and _check_code(
        locked, inputs, outlets, max_memory or 0.0, prints=prints
    )
    if baselines:
        choice = BaselineChoice(
            names=baselines,
            last=last,
            tags=tags_of(tags),
            forked=forked,
            store=named_store(),
            options=chosen_options(),
        )
        limits = GateLimits(
            regression=max_regression,
            time_ns=min_time,
            coverage=min_coverage,
            memory=max_memory,
            levels=levels,
        )
        # The times are judged even where the code failed already, so that one run says both.
        failed |= _check_times(inputs, choice, limits, outlets, strict=strict)
    if failed:
        ctx.exit(1)


def _require_places(output: Path | None, summary: Path | None) -> None:
    """Raise UsageError where something cannot be written, before anything is compared."""
    from kernelmap.pages.write import page_form, require_folder_of

    if output is not None:
        page_form(output)
    for place in filter(None, (output, summary)):
        require_folder_of(place)
    if output is not None and summary is not None and output.absolute() == summary.absolute():
        raise click.UsageError(f"{output} is named for two outputs; give each a file.")


def _check_code(
    locked: Path, inputs: Sequence[Path], outlets: _Outlets, max_memory: float, *, prints: bool
) -> bool:
    """Say what differs from the lock; whether anything does."""
    with progress("comparing"):
        from kernelmap.history.compare.gate.written import alert_of_code, dumps_gate_of_code
        from kernelmap.history.compare.lock.review import review_code

        review = review_code(locked, inputs, max_memory)
    note(review.notices)
    if prints:
        emit(dumps_gate_of_code(review.changes))
    _speak(review.text, outlets)
    if not review.changes:
        return False
    _summarize(review.comment, review.files, outlets)
    _tell(alert_of_code(review.changes), outlets)
    return True


def _check_times(
    inputs: Sequence[Path],
    choice: BaselineChoice,
    limits: GateLimits,
    outlets: _Outlets,
    *,
    strict: bool,
) -> bool:
    """Say and write how the times compare with the baseline; whether the gate fails for it."""
    with progress("comparing"):
        from kernelmap.history.compare.gate.times import judge_times
        from kernelmap.history.compare.gate.verdict import speak_verdict
        from kernelmap.history.compare.gate.written import alert_of_times, write_comment
        from kernelmap.pages.write import page_form, write_text

        judged = judge_times(inputs, choice, limits)
    for _, notices in judged.notices:
        require_bearing(notices, outlets.form)
    comparison, verdict = judged.comparison, judged.verdict
    failed = verdict.fails(strict=strict)
    for text in judged.passed_over:
        remark(f"note: {text}")
    note_of_runs(judged.notices)
    if outlets.output is not None:
        form = page_form(outlets.output)
        write_text(outlets.output, _written(judged, form, failed=failed), judged.files)
        remark(f"wrote {outlets.output}")
    if outlets.form == "json":
        emit(_written(judged, "json", failed=failed))
    _speak(f"{speak_verdict(comparison, verdict)}\n", outlets)
    _summarize(write_comment(comparison, verdict), judged.files, outlets)
    if failed:
        _tell(alert_of_times(comparison, verdict), outlets)
    return failed


def _written(judged: JudgedTimes, form: str, *, failed: bool) -> str:
    """The comparison behind the verdict, as JSON with the verdict, Markdown or HTML."""
    from kernelmap.history.compare.gate.written import dumps_gate
    from kernelmap.history.compare.texts.shown import render_comparison

    if form == "json":
        return dumps_gate(judged.comparison, judged.verdict, failed=failed)
    return render_comparison(judged.comparison, form)


def _speak(text: str, outlets: _Outlets) -> None:
    """Print the words of the verdict; on stderr where stdout is for JSON."""
    if outlets.form != "json":
        emit(text)
        return
    for line in text.splitlines():
        say(line)


def _summarize(text: str, read: Sequence[Path], outlets: _Outlets) -> None:
    """Add to --summary and to the page that a CI job shows; never to a file that was `read`."""
    from kernelmap.pages.write import append_text

    # The page of the CI job, if there is one, and the file that is asked for.
    shown = os.environ.get(_SUMMARY)
    for place in (Path(shown) if shown else None, outlets.summary):
        if place is not None:
            append_text(place, text, read)


def _tell(alert: Mapping[str, object], outlets: _Outlets) -> None:
    """Hand the alert to the command of --on-change, where one is named."""
    if outlets.on_change:
        tell_command(outlets.on_change, {**alert, **outlets.named})
