"""--like: the inputs of other runs → what each run teaches about the calls of this one.

A bundle is a run; so is a result that kernelmap saved. Whatever else is named, code and profiles,
is one run together; code that comes without a profile belongs to the saved results. Left out: how a
run is matched, and what it teaches (matching/).

A saved result has the call of each launch, but holds no code, and neither grids nor
blocks. It has to name the calls of the code that is given with it; of others nothing is taken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from kernelmap.bundles import bundle_notices, traces_in
from kernelmap.commands import ask_again, name_option
from kernelmap.compiler import CodeFiles, find_code, load_compiled, read_compiled
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.inputs import Inputs, sort, traces_in_folder
from kernelmap.matching import match_launches
from kernelmap.matching.context.decided import BY_HOST_SIDE
from kernelmap.matching.references.learning import (
    LearntRan,
    captures_in,
    files_of_captures,
    files_of_replays,
    learned_sequences,
    sequences_of,
)
from kernelmap.model import NONE, Activity, CompiledProgram, Confidence, Notice, Reason
from kernelmap.model.bundle import is_bundle
from kernelmap.model.learnt import CapturedDetail, Learnt
from kernelmap.model.notices import join_some
from kernelmap.model.paths import require_readable
from kernelmap.model.program import source_files
from kernelmap.model.trace import Int, Trace
from kernelmap.options import Options
from kernelmap.tables.saved import files_of_saved, is_saved, read_saved_tables
from kernelmap.traces import captured_details, is_trace, load_trace, with_captures

if TYPE_CHECKING:  # heavy: loaded where a saved result is read
    import pandas as pd


def runs_in(like: Sequence[Path]) -> list[tuple[Path, ...]]:
    """The paths of each run, a saved result first, in an order that theirs does not change."""
    for path in like:
        require_readable(path)
    paths = sorted({trace for path in like for trace in _traces_of_folder(path)})
    # A bundle with traces and a saved result are each a run of its own.
    single = [path for path in paths if is_saved(path) or (is_bundle(path) and traces_in(path))]
    rest = tuple(path for path in paths if path not in single)
    # Code without a profile tells which calls the saved results speak of.
    if any(map(is_saved, single)) and not any(map(is_trace, rest)):
        return [(path, *rest) if is_saved(path) else (path,) for path in single]
    return [*((path,) for path in single), *((rest,) if rest else ())]


def _traces_of_folder(path: Path) -> Sequence[Path]:
    """The traces in a folder that holds nothing else to learn from; any other path as it is.

    A serving engine writes the captures of all batch sizes into one folder.
    """
    if not path.is_dir() or is_bundle(path) or is_saved(path) or find_code(path).files:
        return (path,)
    return traces_in_folder(path) or (path,)


def _named(sources: Sequence[Path]) -> str:
    """How messages call a run."""
    return " + ".join(sorted(path.name or str(path) for path in sources))


def _without_profile(sources: Sequence[Path]) -> KernelmapError:
    """The error for a run that has code only."""
    return KernelmapError(
        "like-without-profile",
        f"--like {_named(sources)} holds no profile to learn from",
        "Name the profile of that run as well, or a bundle: --like CODE --like PROFILE.",
    )


def learnt_from(
    run: Sequence[Path], code: Sequence[CodeFiles], *, with_inputs: bool = False
) -> Learnt:
    """What one run teaches; its code is its own, else that of the inputs, `code`.

    `with_inputs` asks for the tensors that captured operators were handed, too. Raises
    KernelmapError where it cannot be read, or holds no profile.
    """
    if is_saved(run[0]):
        return saved_run(run[0], load_compiled(*run[1:]) if run[1:] else read_compiled(code))
    inputs = sort(run)
    # A profile of a capture alone has no GPU activity, and teaches all the same.
    trace = load_trace(*_traces_of(inputs), may_be_capture=True)
    trace = with_captures(trace, inputs.captures)
    program = read_compiled(inputs.code or code)
    details = details_of_captures(program, trace, with_inputs=with_inputs)
    matched = match_launches(program, trace, details=details)
    notices = (*bundle_notices(run), *program.notices, *trace.notices)
    return Learnt(
        program=matched.program,
        sequences=learned_sequences(matched.context, matched.matching),
        source=_named(run),
        files=(*trace.sources, *(graph.source for graph in trace.captured), *program.files),
        notices=tuple(replace(n, message=f"{_named(run)}: {n.message}") for n in notices if n.gap),
        lacks=ask_again(["doctor"], run, Options()),
    )


def captures_beside(trace: Trace, inputs: Inputs, options: Options) -> Iterator[Notice]:
    """A notice where profiles of captures were given as part of the run whose replays they show.

    They teach as --like does, but their own work and time count as that of the run.
    """
    if len(trace.sources) == 1 or inputs.bundles:
        return
    captures = files_of_captures(trace)
    if not captures or not files_of_replays(trace):
        return
    taught = [Path(trace.sources[at]) for at in captures]
    places = {path.resolve() for path in taught}
    rest = [path for path in inputs.paths if path.resolve() not in places]
    again = dataclasses.replace(options, like=(*options.like, *taught))
    ask = ask_again(["correlate"], rest, again)
    show = "shows" if len(taught) == 1 else "show"
    yield Notice(
        slug="captures-beside",
        message=f"{join_some([path.name for path in taught])} {show} captures of CUDA or HIP graphs"
        " and no replay. What was captured tells what the replays ran; all else in there counts as"
        " part of this run",
        hint=f"Name captures with {name_option('like')}, so that the time is that of the"
        f" replays alone: `{ask}`",
    )


def details_of_captures(
    program: CompiledProgram, trace: Trace, *, with_inputs: bool = False
) -> Mapping[int, CapturedDetail]:
    """What a second look at the files says of the launches that were captured in `trace`."""
    captures = list(captures_in(trace))
    if not captures:
        return {}
    return captured_details(
        trace, np.concatenate(captures), source_files(program), with_inputs=with_inputs
    )


def _traces_of(run: Inputs) -> tuple[Path, ...]:
    """The traces of a run of --like, or the one that must be meant where it names none."""
    try:
        return run.traces_meant
    except UsageError as error:
        raise _without_profile(run.paths) from error


def saved_run(path: Path, program: CompiledProgram) -> Learnt:
    """What a saved result teaches about the calls of `program`.

    Raises KernelmapError where it was saved without its launches, or where `program` has no code.
    """
    if not program.graphs:
        raise KernelmapError(
            "like-without-code",
            f"--like {path} is a saved result, which holds no code",
            "Give the code as well: --like RESULT --like CODE, or among the inputs.",
        )
    saved = read_saved_tables(path)
    saved_calls, launches = saved.frame("calls"), saved.frame("launches")
    # By a call's id its position in the program, its wrapper and its graph.
    call_of_id = {
        graph.call_id(call): (position, call.wrapper, graph.id)
        for position, (graph, call) in enumerate(program.calls)
    }
    # Rows of launches without a call have no id.
    saved_calls = saved_calls[saved_calls["call"].notna()]
    calls = zip(
        saved_calls["call"], saved_calls["wrapper"], saved_calls["graph"].fillna(""), strict=True
    )
    # Graphs of the saved run that the code does not have as they were: one call that is missing, or
    # has another wrapper, makes all of the graph's ids doubtful.
    strangers = {
        graph
        for name, wrapper, graph in calls
        if name not in call_of_id or call_of_id[name][1] != wrapper
    }
    positions = {name: at for name, (at, _, graph) in call_of_id.items() if graph not in strangers}
    ran = _ran(launches, positions)
    return Learnt(
        program=program,
        sequences=sequences_of(ran, program),
        source=path.name,
        files=tuple(map(str, files_of_saved(path))),
        notices=_differing(path, sorted(strangers)),
    )


def _differing(path: Path, strangers: Sequence[str]) -> tuple[Notice, ...]:
    if not strangers:
        return ()
    return (
        Notice(
            slug="like-code-differs",
            message=f"{path.name} names calls of {', '.join(strangers[:3])} that the code does"
            " not have; what it launched for them is not used.",
            hint="Give the code that the saved result was made with.",
            gap=True,
        ),
    )


def _ran(launches: pd.DataFrame, positions: Mapping[str, int]) -> LearntRan:
    """The columns of saved launches; calls are `positions` in the program."""
    count = len(launches)
    # The columns that a trace would have given, a row per launch; -1 where something is not known.
    name_id, names = launches["name"].factorize()
    rank, pid = (launches[name].astype("string").fillna("") for name in ("rank", "pid"))
    # Processes of two ranks may have one pid.
    process = rank.str.cat(pid, sep="/")
    node, correlation = _ids(launches["graph_node"]), _ids(launches["correlation"])
    # Only nodes of CUDA graphs that were replayed have a number above 0.
    replayed = node > 0
    confidence, method = launches["confidence"], launches["method"].fillna("")
    by_host = method.isin([kind.name.lower() for kind in BY_HOST_SIDE]).to_numpy(dtype=bool)
    exact = confidence.eq(Confidence.EXACT.name.lower()).to_numpy(dtype=bool)
    inferred = confidence.eq(Confidence.INFERRED.name.lower()).to_numpy(dtype=bool)
    # Calls of graphs that differ have no position and become -1.
    call = _ids(launches["call"].map(positions))
    outside = confidence.eq(Confidence.OUTSIDE.name.lower()).to_numpy(dtype=bool)
    beside = launches["reason"].isin([Reason.GLUE.name.lower(), Reason.EAGER.name.lower()])
    invocation = _ids(launches["invocation"])
    processes = process.factorize()[0].astype(np.int64)
    return LearntRan(
        names=tuple(map(str, names)),
        name_id=name_id.astype(np.int64),
        activity=np.array(
            [Activity[activity.upper()] for activity in launches["activity"]], dtype=np.int8
        ),
        # A saved result has neither grids nor blocks.
        shape=np.full((count, 6), NONE, dtype=np.int64),
        process=processes,
        device=_ids(launches["device"]),
        lane=np.where(replayed, NONE, processes),
        # Correlation ids grow with each launch of a process; without them the start has to do.
        when=np.where(correlation >= 0, correlation, launches["start_ns"].to_numpy(dtype=np.int64)),
        replay=np.where(replayed, correlation, NONE),
        # The upper half of a node's id is that of the graph.
        graph=np.where(replayed, node >> 32, NONE),
        node=np.where(replayed, node, NONE),
        call=call,
        invocation=invocation,
        # Taught is only what the host side showed, of a call and an invocation that are known.
        sure=(exact | (inferred & by_host)) & (call >= 0) & (invocation >= 0),
        beside=outside & beside.to_numpy(dtype=bool),
        # It teaches calls alone.
        eager_op=np.full(count, NONE, dtype=np.int64),
        ops=(),
    )


def _ids(column: pd.Series[Any]) -> Int:
    """Whole numbers, -1 for missing ones."""
    return np.asarray(column.fillna(NONE).to_numpy(dtype=np.int64))
