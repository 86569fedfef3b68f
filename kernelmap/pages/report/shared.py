"""What the views of the report share: their input, the calls by column, the search, colored ops."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.advice import Advice
from kernelmap.model.memory import GraphMemory, StepMemory
from kernelmap.model.roofline import Roofline
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell, Row, name_of_line
from kernelmap.tables.speeds import NO_SPEED


class Records(Protocol):
    """What the tables were made from; a Correlation is one."""

    @property
    def program(self) -> CompiledProgram:
        """The graphs, with their code."""

    @property
    def trace(self) -> Trace:
        """What ran."""

    @property
    def matching(self) -> Matching:
        """Which launch is whose."""

    @property
    def attribution(self) -> Attribution:
        """The window's time, split."""

    @property
    def speeds(self) -> Roofline | None:
        """The work of calls against the limits of their device; None where it was not asked for."""

    @property
    def speeds_in_steps(self) -> Roofline | None:
        """The same with the part of the headroom that could shorten steps; None where unknown."""

    @property
    def step_headroom_ns(self) -> Mapping[int, int]:
        """By position of a call what of its headroom could shorten steps, where that is known."""

    @property
    def memory_of_graphs(self) -> tuple[GraphMemory, ...]:
        """The memory of every graph whose code can be followed, in the order of the program."""

    def memory_of_some_graphs(self, graphs: Collection[str]) -> tuple[GraphMemory, ...]:
        """The same of some graphs, by their ids."""

    @property
    def memory_of_step(self) -> StepMemory:
        """The same over the runs of a step."""

    @property
    def advice(self) -> Advice:
        """What is missing for a better answer."""

    def again(self, *words: str) -> str:
        """The command line that asks `words` of the same inputs."""


class Content(Struct, frozen=True, kw_only=True):
    """One report; `records` is None for a result that was read back from a file.

    `name` is what the title says, the names of the inputs where it is None. `path_map` says where
    folders of the recording lie on the reader's machine.
    """

    tables: Tables
    records: Records | None = None
    name: str | None = None
    path_map: Mapping[str, str] = {}


_COLUMNS = (
    "call",
    "graph",
    "line",
    "wrapper",
    "ops",
    "source",
    "launches",
    "time_ns",
    "share",
    "slow_launches",
    "slow_ns",
    *NO_SPEED,
)
_COLORS = 12  # as many as palette.js has


def call_columns(content: Content) -> Mapping[str, Sequence[Cell]]:
    """The rows of the table of calls, in its order; rest rows have no `call`."""
    columns = content.tables.columns("calls")
    return {name: columns[name] for name in _COLUMNS}


def rows_of_calls(records: Records, tables: Tables) -> list[int]:
    """Per call of the program its row in `call_columns` + 1, behind a 0 that stands for no call."""
    row_of = {name: row for row, name in enumerate(tables.columns("calls")["call"], 1)}
    # Shifted by one, so that the page can keep them in a column of numbers that are not negative.
    return [0, *(row_of[graph.call_id(call)] for graph, call in records.program.calls)]


def colored_ops(content: Content) -> list[str]:
    """The ops with the most time, in or outside compiled code; each has a color of its own."""
    names = (str(row["name"]) for row in content.tables.rows("ops"))
    return list(dict.fromkeys(name for name in names if not name.startswith("(")))[:_COLORS]


def list_findable(content: Content) -> list[tuple[str, str, str | None, Mapping[str, str], int]]:
    """What the search box finds beside calls: kind, title, hint, where it leads, time in ns."""
    entries: list[tuple[str, str, str | None, Mapping[str, str], int]] = []
    for name in ("ops", "modules", "lines", "kernels", "graphs"):
        for row in content.tables.rows(name):
            title, hint, leads = _FINDABLE[name](row)
            if not title.startswith("("):
                entries.append((_NOUNS[name], title, hint, leads, _time_of_row(row)))
    return entries


def _time_of_row(row: Row) -> int:
    times = (row["time_ns"], row.get("backward_ns") if "file" in row else 0)
    return sum(time_ns for time_ns in times if isinstance(time_ns, int))


_Found = tuple[str, str | None, Mapping[str, str]]


def op_address(row: Row) -> Mapping[str, str]:
    """Where a row of the ops stands in the page: one that ran outside may have a compiled twin."""
    origin = str(row["origin"])
    return {"op": str(row["name"])} | ({} if origin == "compiled" else {"origin": origin})


def _found_op(row: Row) -> _Found:
    where = {"outside": " · outside", "none": " · unknown"}.get(str(row["origin"]), "")
    return f"{row['name']}{where}", None, op_address(row)


def _found_module(row: Row) -> _Found:
    return str(row["name"]), None, {"op": str(row["name"]), "by": "module"}


def _found_line(row: Row) -> _Found:
    place = name_of_line(row)
    code = str(row["code"] or "").strip() or None
    return place, code, {"line": place}


def kernel_address(row: Row) -> Mapping[str, str]:
    """Where a row of the kernels stands in the page; no two rows have the same address.

    A library's wrapper runs several device kernels, so its rows also bear the device name; so do
    rows outside compiled code, whose name may be that of a wrapper.
    """
    name = str(row["wrapper"] or row["device_name"] or "(no name)")
    graph = {} if row["graph"] is None else {"graph": str(row["graph"])}
    # A generated kernel runs under the name of its wrapper: there the device name adds nothing.
    is_apart = not graph or row["device_name"] != row["wrapper"]
    return {"kernel": name} | graph | ({"device": str(row["device_name"])} if is_apart else {})


def _found_kernel(row: Row) -> _Found:
    leads = kernel_address(row)
    ops = row["ops"] if isinstance(row["ops"], list) else []
    device = {leads.get("device", leads["kernel"])} - {leads["kernel"]}
    return leads["kernel"], ", ".join([*ops, *device]) or None, leads


def _found_graph(row: Row) -> _Found:
    parts = [str(row[name]) for name in ("function", "compile_id") if row[name]]
    return str(row["graph"]), " · ".join(parts) or None, {"id": str(row["graph"])}


_NOUNS = {"ops": "op", "modules": "module", "lines": "line", "kernels": "kernel", "graphs": "graph"}
_FINDABLE: Mapping[str, Callable[[Row], _Found]] = {
    "ops": _found_op,
    "modules": _found_module,
    "lines": _found_line,
    "kernels": _found_kernel,
    "graphs": _found_graph,
}
