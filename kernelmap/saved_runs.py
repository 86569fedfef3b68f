"""A saved result → what it teaches about the calls of code that is given with it.

It tells which launch belongs to which call, but holds no code, and neither grids nor blocks. It has
to name the calls of that code; of others nothing is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.matching.lessons.learning import lessons_of
from kernelmap.matching.lessons.ran import BY_HOST_SIDE, Ran
from kernelmap.model import NONE, Activity, CompiledProgram, Confidence, Notice, Reason
from kernelmap.model.learnt import Learnt
from kernelmap.model.trace import Int

if TYPE_CHECKING:  # heavy: loaded where a saved result is read
    import pandas as pd


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
        source=path.name,
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
            message=f"{path.name} names calls of {', '.join(strangers[:3])} that the code does"
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
