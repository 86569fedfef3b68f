"""`kernelmap gate`: whether a change may pass."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelmap.cli.common import AnyPath, Command, debug, emit, note, progress, say
from kernelmap.cli.stores import store_option

if TYPE_CHECKING:
    from kernelmap.compare.comparison import Comparison
    from kernelmap.compare.gate import Limits, Verdict

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_SUMMARY = "GITHUB_STEP_SUMMARY"


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`3%` or `0.03` as a share of 1."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", value.strip())
    share = float(found[1]) / (100 if found[2] else 1) if found else 2.0
    if share > 1:
        raise click.BadParameter(f"{value!r} is no share such as 3% or 0.03", ctx, param)
    return share


def _time(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """`20us` as whole nanoseconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ns|us|µs|ms|s)", value.strip())
    if found is None:
        raise click.BadParameter(f"{value!r} is no time such as 20us", ctx, param)
    return round(float(found[1]) * _UNITS[found[2]])


@click.command(cls=Command, short_help="Fail where a change is slower, or was not reviewed.")
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
    help="With --baseline BRANCH: the newest N runs of that branch in the store.",
)
@store_option
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
    type=click.Choice(("call", "op", "total")),
    multiple=True,
    default=("call", "total"),
    show_default=True,
    help="What is judged; may be repeated.",
)
@click.option(
    "--bmf", type=AnyPath(), metavar="FILE", help="Write the times in Bencher Metric Format."
)
@debug
@click.pass_context
def gate(  # noqa: PLR0913 -- one parameter per option
    ctx: click.Context,
    *,
    inputs: tuple[Path, ...],
    locked: Path | None,
    baselines: tuple[str, ...],
    last: int | None,
    store: str | None,
    max_regression: float,
    min_time: int,
    min_coverage: float | None,
    levels: tuple[str, ...],
    bmf: Path | None,
) -> None:
    """Exit with 1 and the reasons where a recording is slower than its baseline, or code changed.

    INPUTS are one recording: code and profile, a bundle or a saved result; for --lock alone code is
    enough. A regression fails where it is significant and larger than --max-regression. Where
    GITHUB_STEP_SUMMARY names a file, the verdict is added to it.

    Example: kernelmap gate --lock kernels.lock torch_compile_debug/
             kernelmap gate --baseline main/ bundle/
             kernelmap gate --baseline main --last 5 bundle/
             kernelmap gate --baseline run1/ --baseline run2/ bundle/ --max-regression 2% --by op
    """
    if locked is None and not baselines:
        raise click.UsageError("Say what to compare with: --lock FILE or --baseline RECORDING.")
    from kernelmap.compare.gate import Limits

    failed = _check_lock(locked, inputs) if locked is not None else False
    if baselines:
        limits = Limits(
            regression=max_regression, time_ns=min_time, coverage=min_coverage, levels=levels
        )
        if last is not None:
            from kernelmap.compare.opening import newest

            baselines = tuple(run for ref in baselines for run in newest(ref, last, store=store))
        failed |= _check_times(inputs, baselines, limits, bmf, store)
    if failed:
        ctx.exit(1)


def _check_lock(locked: Path, inputs: tuple[Path, ...]) -> bool:
    with progress("comparing"):
        from kernelmap.compare.lock_changes import lock_changes
        from kernelmap.compare.locking import lock_of, read_lock

        expected = read_lock(locked)
        found, notices, _ = lock_of(inputs)
        changes = lock_changes(expected, found)
    note(notices)
    if not changes:
        emit("gate: the code is what the lock says\n")
        return False
    text = "".join(change.text() for change in changes)
    number = "1 unreviewed change" if len(changes) == 1 else f"{len(changes)} unreviewed changes"
    emit(f"{text}gate: {number}; once reviewed, `kernelmap lock` writes the new lock\n")
    _summarize(f"### kernelmap gate: {number}\n\n```diff\n{text.replace('```', '')}```\n")
    return True


def _check_times(
    inputs: tuple[Path, ...],
    baselines: tuple[str, ...],
    limits: Limits,
    bmf: Path | None,
    store: str | None,
) -> bool:
    with progress("comparing"):
        from kernelmap.compare.baseline import baseline
        from kernelmap.compare.comparison import compare
        from kernelmap.compare.gate import judge
        from kernelmap.compare.opening import open_inputs, open_side
        from kernelmap.outputs.write import require_folder_of, write_files

        if bmf is not None:
            require_folder_of(bmf)
        opened = [open_side(name, store=store) for name in baselines]
        known = baseline([each.side for each in opened])
        opened.append(open_inputs(inputs, store=store))
        found = compare(known.side, opened[-1].side, floor=known.floor)
        verdict = judge(found, limits)
    note([notice for each in opened for notice in each.notices])
    if bmf is not None:
        from kernelmap.compare import bencher

        text = bencher.dumps(found).encode()
        read = [path for each in opened for path in each.files]
        write_files({bmf: lambda handle: handle.writelines([text])}, read)
        say(f"wrote {bmf}")
    _tell(found, verdict)
    return not verdict.passed


def _tell(found: Comparison, verdict: Verdict) -> None:
    from kernelmap.compare import show_markdown
    from kernelmap.compare.words import headline
    from kernelmap.outputs.markdown import code
    from kernelmap.outputs.text import visible

    word = "passed" if verdict.passed else f"failed for {len(verdict.reasons)} reasons"
    word = word.replace("1 reasons", "1 reason") if len(verdict.reasons) == 1 else word
    lines = [*(f"- {visible(reason)}" for reason in verdict.reasons), headline(found)]
    lines += [f"note: {visible(text)}" for text in verdict.notes]
    emit("\n".join([*lines, f"gate: {word}", ""]))
    listed = [f"- {code(reason)}" for reason in (*verdict.reasons, *verdict.notes)]
    _summarize(
        "\n".join([f"## kernelmap gate {word}", "", *listed, "", show_markdown.render(found)])
    )


def _summarize(text: str) -> None:
    """Add to the page that a CI job shows, where there is one."""
    place = os.environ.get(_SUMMARY)
    if not place:
        return
    from kernelmap.errors import unwritable

    try:
        with Path(place).open("a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)
    except OSError as error:
        raise unwritable(place, error) from error
