"""The story in one screen: read, match, attribute; and the Correlation that users hold.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in views/schema.py
c.to_html("report.html")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.attribution import Attribution, attribute
from kernelmap.attribution.where import located
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.matching import Match, match
from kernelmap.matching.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.notices import of_launches
from kernelmap.matching.timeline import correlated, running_at
from kernelmap.matching.which import Hit, find, nearest
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.options import Options
from kernelmap.traces import is_trace, load_trace
from kernelmap.views.schema import TABLES

if TYPE_CHECKING:  # heavy: loaded when a table is first asked for
    import pandas as pd
    import plotly.graph_objects as go

    from kernelmap.views.tables import Tables

Source = str | PathLike[str]


def correlate(*sources: Source, options: Options | None = None) -> Correlation:
    """Pair the GPU's work in the traces with the code among `sources`, and split its time.

    `sources` are files and folders in any order: generated code, and at least one trace. Raises
    KernelmapError where an input cannot be used.
    """
    options = options or Options()
    code, traces = sort(sources)
    if not traces:
        raise UsageError("no-trace", "no profile was given", _trace_hint(code))
    program = load_compiled(*code) if code else CompiledProgram(graphs=())
    trace = load_trace(*traces)
    matched = match(program, trace)
    attributed = attribute(matched.program, trace, matched.matching, options)
    unpaired = of_launches(trace, matched.matching, attributed.counted)
    return Correlation(
        inputs=tuple(map(Path, sources)),
        trace=trace,
        match=matched,
        attribution=attributed,
        notices=(*program.notices, *trace.notices, *matched.notices, *unpaired),
    )


def sort(sources: Sequence[Source]) -> tuple[list[Path], list[Path]]:
    """`sources` as compile side and trace side, by content; a KernelmapError names what is neither.

    A folder may hold both.
    """
    code: list[Path] = []
    traces: list[Path] = []
    for path in map(Path, sources):
        taken = False
        for side, belongs in ((code, is_compiled), (traces, is_trace)):
            if belongs(path):
                side.append(path)
                taken = True
        if not taken:
            raise _unknown(path)
    return code, traces


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Launches paired with calls, and the window's time split; tables are made when asked for.

    `inputs` are the files and folders it was made from; none of them is ever written to.
    """

    inputs: tuple[Path, ...]
    trace: Trace
    match: Match
    attribution: Attribution
    notices: tuple[Notice, ...]

    @property
    def program(self) -> CompiledProgram:
        """The given graphs, then those that only the trace knows."""
        return self.match.program

    @property
    def matching(self) -> Matching:
        """Columns parallel to `trace.launches`."""
        return self.match.matching

    @cached_property
    def tables(self) -> Tables:
        """All tables, checked against views/schema.py."""
        from kernelmap.views.tables import build

        return build(self.program, self.trace, self.matching, self.attribution, self.notices)

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name, such as `ops`, `calls`, `kernels` or `ledger`."""
        if name not in TABLES:
            raise AttributeError(f"a Correlation has no {name!r}")
        return self.tables.frame(name)

    def figure(self, name: str) -> go.Figure:
        """The Plotly figure `ops`, `kernels` or `ledger`; UsageError for any other name."""
        from kernelmap.outputs.figures import figure

        return figure(self.tables, name)

    def write(self, path: Source, *, launches: bool = False) -> Path:
        """Write to `path`: all tables to .json, .html or a folder, the ops to .csv, .md, .parquet.

        Raises KernelmapError where `path` names no known format, is an input or cannot be written.
        """
        from kernelmap.outputs.write import write

        return write(self.tables, Path(path), launches=launches, inputs=self.inputs)

    def to_html(self, path: Source) -> Path:
        """Write the report, one file that needs no network."""
        return self.write(_with_suffix(path, ".html"))

    def to_json(self, path: Source, *, launches: bool = False) -> Path:
        """Write the tables as one JSON object."""
        return self.write(_with_suffix(path, ".json"), launches=launches)

    def to_parquet(self, folder: Source) -> Path:
        """Write one Parquet file per table into `folder`, that of the launches included."""
        return self.write(_with_suffix(folder, ""))

    def explain(self, target: str) -> Explanation:
        """The evidence for a launch (`17`) or a call (`0_forward/3`); UsageError for any other."""
        if target.isdecimal():
            row = int(target)
            if row < len(self.trace.launches):
                return explain_launch(self.match, row)
            count = len(self.trace.launches)
            hint = f"The trace has launches 0 to {count - 1}; --by launch lists them."
            raise UsageError("no-such-launch", f"there is no launch {target}", hint)
        for position, (graph, call) in enumerate(self.program.calls):
            if graph.call_id(call) == target:
                return explain_call(self.match, position)
        hint = "Name a call as `<graph>/<index>`; --by call lists them."
        raise UsageError("no-such-call", f"there is no call {target!r}", hint)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        found = find(name, self.program, self.match)
        return located(found, self.match, self.attribution)

    def at(self, time: str) -> tuple[Explanation, ...]:
        """The evidence for what ran at a time of the profiler's own timeline (`12.5s`, `80us`).

        Raises UsageError for what is no time, and where nothing ran.
        """
        return tuple(explain_launch(self.match, row) for row in running_at(self.trace, time))

    def correlated(self, number: int) -> tuple[Explanation, ...]:
        """The evidence for the launches of one correlation id; UsageError where there are none."""
        return tuple(explain_launch(self.match, row) for row in correlated(self.trace, number))


def which(name: str, *sources: Source) -> tuple[Hit, ...]:
    """The kernels that `name` may stand for; a trace among `sources` adds how often they ran.

    Raises KernelmapError `unknown-name`, with the nearest names, where nothing fits.
    """
    code, traces = sort(sources)
    names: tuple[str, ...] = ()
    if traces:
        correlation = correlate(*sources)
        program, hits = correlation.program, correlation.which(name)
        names = correlation.trace.launches.names
    else:
        program = load_compiled(*code)
        hits = tuple(found.hit for found in find(name, program))
    if not hits:
        close = nearest(name, program, names)
        hint = f"Nearest names: {', '.join(close)}." if close else "No known name is near it."
        raise UsageError(
            "unknown-name",
            f"{name!r} is no wrapper, function, legacy suffix, hash or operator of the code"
            + (", and no launch bears it" if traces else ""),
            hint,
        )
    return hits


def _with_suffix(path: Source, suffix: str) -> Path:
    """`path`, or a UsageError where its suffix asks for another format."""
    if Path(path).suffix != suffix:
        wanted = f"a name that ends in {suffix}" if suffix else "a folder"
        raise UsageError(
            "wrong-suffix", f"{path} does not name this format", f"Give {wanted}, or call write()."
        )
    return Path(path)


def _unknown(path: Path) -> KernelmapError:
    """What to say of a path that is neither code nor trace, as exactly as can be."""
    if path.is_dir():
        return KernelmapError(
            "nothing-found",
            f"{path} holds neither generated code nor a trace",
            "Name a TORCH_TRACE or torch_compile_debug folder, an output_code.py, or a profile.",
        )
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        return KernelmapError(
            "unreadable-path",
            f"{path} cannot be read: {error.strerror or error}",
            "Check the path and its permissions.",
        )
    return _what_is_wrong(path)


def _what_is_wrong(path: Path) -> KernelmapError:
    """What the trace readers say of a file, or that it is no code either."""
    try:
        load_trace(path)
    except KernelmapError as error:
        if error.slug != "unknown-trace":
            return error
    return KernelmapError(
        "unknown-format",
        f"{path} is neither generated code, nor a log of it, nor a trace",
        "Give an output_code.py or a TORCH_TRACE log, and a Kineto trace (.json or .json.gz) or an"
        " Nsight Systems export (.sqlite).",
    )


def _trace_hint(code: Sequence[Path]) -> str:
    """What to add; a trace inside a given folder is named, not taken: it may be another run's."""
    inside = [p for folder in code if folder.is_dir() for p in folder.iterdir() if p.is_file()]
    found = next((path for path in sorted(inside) if is_trace(path)), None)
    return (
        f"Add {found}."
        if found
        else "Add a Kineto trace (.json or .json.gz) or an Nsight Systems export (.sqlite)."
    )
