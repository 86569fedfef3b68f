"""--like: what was named there → runs to learn from, each read by itself.

A bundle is a run; so is a result that kernelmap saved. Whatever else is named, code and profiles,
is one run together; code that comes without a profile belongs to the saved results. Left out: how a
run is correlated, which pipeline.py does, and what it teaches (matching/learning.py).

A saved result tells which launch belongs to which call, but holds no code: it is read with code
that is given, and has to name that code's calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelmap.bundles import traces_in
from kernelmap.errors import KernelmapError
from kernelmap.matching.learning import lessons_of
from kernelmap.matching.ran import BY_HOST_SIDE, Ran
from kernelmap.model import NONE, Activity, CompiledProgram, Confidence, Notice, Reason
from kernelmap.model.bundle import is_bundle
from kernelmap.model.learnt import Learnt
from kernelmap.model.paths import is_folder, is_regular, require_readable
from kernelmap.model.trace import Int
from kernelmap.traces import is_trace

if TYPE_CHECKING:  # heavy: loaded where a saved result is read
    import pandas as pd

_BEGIN = b'{\n"format": "kernelmap.correlation"'
_LEDGER = "ledger.parquet"


def runs_in(like: Sequence[Path]) -> list[tuple[Path, ...]]:
    """The paths of each run, a saved result first, in an order that theirs does not change."""
    for path in like:
        require_readable(path)
    named = sorted(set(like))
    single = [path for path in named if is_saved(path) or (is_bundle(path) and traces_in(path))]
    rest = tuple(path for path in named if path not in single)
    if any(map(is_saved, single)) and not any(map(is_trace, rest)):
        return [(path, *rest) if is_saved(path) else (path,) for path in single]
    return [*((path,) for path in single), *((rest,) if rest else ())]


def is_saved(path: Path) -> bool:
    """Whether a correlation was saved at `path`, by its beginning."""
    if is_folder(path):
        return is_regular(path / _LEDGER)
    if not is_regular(path):
        return False
    with path.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN


def named(sources: Sequence[Path]) -> str:
    """How messages call a run."""
    return " + ".join(path.name or str(path) for path in sources)


def without_profile(sources: Sequence[Path]) -> KernelmapError:
    """The error for a run that has code only."""
    return KernelmapError(
        "like-without-profile",
        f"--like {named(sources)} holds no profile to learn from",
        "Name the profile of that run as well, or a bundle: --like CODE --like PROFILE.",
    )


def saved_run(path: Path, program: CompiledProgram) -> Learnt:
    """What a saved result teaches about the calls of `program`.

    Raises KernelmapError where it was saved without its launches, or where `program` has no code.
    """
    from kernelmap.outputs.saved import load

    if not program.graphs:
        raise KernelmapError(
            "like-without-code",
            f"--like {path} is a saved result, which holds no code",
            "Give the code as well: --like RESULT --like CODE, or among the inputs.",
        )
    saved = load(path)
    known = {
        graph.call_id(call): (position, call.wrapper)
        for position, (graph, call) in enumerate(program.calls)
    }
    own = saved.calls[saved.calls["call"].notna()]
    calls = zip(own["call"], own["wrapper"], strict=True)
    strangers = {
        _graph(name) for name, wrapper in calls if known.get(name, (NONE, None))[1] != wrapper
    }
    positions = {name: at for name, (at, _) in known.items() if _graph(name) not in strangers}
    ran = _ran(saved.launches, positions)
    return Learnt(
        program=program,
        sequences=lessons_of(ran, program),
        source=named([path]),
        files=tuple(map(str, saved.files)),
        notices=_differing(path, sorted(strangers)),
    )


def _graph(call: str) -> str:
    """The graph in a call's id, `0_forward/3`."""
    return call.rpartition("/")[0]


def _differing(path: Path, strangers: Sequence[str]) -> tuple[Notice, ...]:
    if not strangers:
        return ()
    return (
        Notice(
            slug="like-code-differs",
            message=f"{named([path])} names calls of {', '.join(strangers[:3])} that the code does"
            " not have; what it launched for them is not used.",
            hint="Give the code that the saved result was made with.",
            gap=True,
        ),
    )


def _ran(launches: pd.DataFrame, positions: Mapping[str, int]) -> Ran:
    """The columns of saved launches; calls are `positions` in the program."""
    count = len(launches)
    name_id, names = launches["name"].factorize()
    process = launches[["rank", "pid"]].astype("string").fillna("").agg("/".join, axis=1)
    node, correlation = _ids(launches["graph_node"]), _ids(launches["correlation"])
    replayed = node > 0
    confidence, method = launches["confidence"], launches["method"].fillna("")
    by_host = method.isin([each.name.lower() for each in BY_HOST_SIDE]).to_numpy(dtype=bool)
    exact = confidence.eq(Confidence.EXACT.name.lower()).to_numpy(dtype=bool)
    inferred = confidence.eq(Confidence.INFERRED.name.lower()).to_numpy(dtype=bool)
    call = _ids(launches["call"].map(positions))
    outside = confidence.eq(Confidence.OUTSIDE.name.lower()).to_numpy(dtype=bool)
    beside = launches["reason"].isin([Reason.GLUE.name.lower(), Reason.EAGER.name.lower()])
    invocation = _ids(launches["invocation"])
    processes = process.factorize()[0].astype(np.int64)
    return Ran(
        names=tuple(map(str, names)),
        name_id=name_id.astype(np.int64),
        activity=np.array([Activity[each.upper()] for each in launches["activity"]], dtype=np.int8),
        shape=np.full((count, 6), NONE, dtype=np.int64),
        process=processes,
        device=_ids(launches["device"]),
        lane=np.where(replayed, NONE, processes),
        when=np.where(correlation >= 0, correlation, launches["start_ns"].to_numpy(dtype=np.int64)),
        replay=np.where(replayed, correlation, NONE),
        graph=np.where(replayed, node >> 32, NONE),
        node=np.where(replayed, node, NONE),
        call=call,
        invocation=invocation,
        sure=(exact | (inferred & by_host)) & (call >= 0) & (invocation >= 0),
        beside=outside & beside.to_numpy(dtype=bool),
    )


def _ids(column: pd.Series[Any]) -> Int:
    """Whole numbers, -1 for missing ones."""
    return np.asarray(column.fillna(NONE).to_numpy(dtype=np.int64))
