"""--like: what was named there → runs to learn from, each read by itself.

A bundle is a run; so is a result that kernelmap saved. Whatever else is named, code and profiles,
is one run together; code that comes without a profile belongs to the saved results. Left out: how a
run is matched, and what it teaches (matching/).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kernelmap.bundles import bundle_notices, traces_in
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.inputs import captures_in, sort, trace_meant
from kernelmap.matching import match
from kernelmap.matching.lessons.learning import lessons
from kernelmap.model.bundle import is_bundle
from kernelmap.model.learnt import Learnt
from kernelmap.model.paths import require_readable
from kernelmap.outputs.saved import is_saved
from kernelmap.saved_runs import saved_run
from kernelmap.traces import is_trace, load_trace, with_captures


def runs_in(like: Sequence[Path]) -> list[tuple[Path, ...]]:
    """The paths of each run, a saved result first, in an order that theirs does not change."""
    for path in like:
        require_readable(path)
    paths = sorted(set(like))
    single = [path for path in paths if is_saved(path) or (is_bundle(path) and traces_in(path))]
    rest = tuple(path for path in paths if path not in single)
    if any(map(is_saved, single)) and not any(map(is_trace, rest)):
        return [(path, *rest) if is_saved(path) else (path,) for path in single]
    return [*((path,) for path in single), *((rest,) if rest else ())]


def named(sources: Sequence[Path]) -> str:
    """How messages call a run."""
    return " + ".join(sorted(path.name or str(path) for path in sources))


def _without_profile(sources: Sequence[Path]) -> KernelmapError:
    """The error for a run that has code only."""
    return KernelmapError(
        "like-without-profile",
        f"--like {named(sources)} holds no profile to learn from",
        "Name the profile of that run as well, or a bundle: --like CODE --like PROFILE.",
    )


def learnt_from(run: Sequence[Path], code: Sequence[Path]) -> Learnt:
    """What one run teaches; its code is its own, else that of the inputs, `code`.

    Raises KernelmapError where it cannot be read, or holds no profile.
    """
    if is_saved(run[0]):
        return saved_run(run[0], load_compiled(*(run[1:] or code)))
    own, traces = sort(run)
    trace = with_captures(load_trace(*(traces or _traces_of(run))), captures_in(run))
    program = load_compiled(*(own or code))
    matched = match(program, trace)
    notices = (*bundle_notices(run), *program.notices, *trace.notices)
    return Learnt(
        program=matched.program,
        sequences=lessons(matched.situation, matched.matching),
        source=named(run),
        files=(*trace.sources, *(each.source for each in trace.captured), *program.files),
        notices=tuple(replace(n, message=f"{named(run)}: {n.message}") for n in notices if n.gap),
    )


def _traces_of(run: Sequence[Path]) -> list[Path]:
    """The trace that must be meant where a run of --like names none."""
    try:
        return trace_meant(run)
    except UsageError as error:
        raise _without_profile(run) from error
