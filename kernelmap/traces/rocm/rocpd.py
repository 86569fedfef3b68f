"""A rocpd database (SQLite) of rocprofv3 → RawTrace.

Read: dispatches and copies; calls of HIP; ranges of ROCTX; agents, processes and threads. A launch
and the call behind it bear one stack id, which rocprofiler-sdk calls the internal correlation id.
Left out: allocations, samples, counters, arguments of calls, and calls of HSA and RCCL, which only
lead to those of HIP. Times: nanoseconds of a clock of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Activity, Int
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import absent
from kernelmap.traces.rocm.agents import Agent, Agents
from kernelmap.traces.rocm.names import NO_NAME, name_copied, name_kernel
from kernelmap.traces.rocm.raw import MOST_PROCESSES, ProcessRows, make_raw_trace, say_unreadable
from kernelmap.traces.rocm.rocpd_tables import (
    AGENT,
    COPY,
    DISPATCH,
    EVENT,
    FORM,
    PROCESS,
    RECORD_AGAIN,
    REGION,
    STRING,
    SYMBOL,
    THREAD,
    PartTables,
    Rows,
    find_rows,
    find_suffixes,
    number_pairs,
    taken,
)
from kernelmap.traces.rocm.rows import GpuRows, HostRows
from kernelmap.traces.sqlite_tables import open_tables

_GUID = "guid"
_SIZES = tuple(f"{what}_size_{axis}" for what in ("grid", "workgroup") for axis in "xyz")
_GPU = "GPU"
_IN_EVENTS = ("id", "stack_id", "parent_stack_id")


class _MarkerText(Struct):
    message: str | None = None


class _Symbol(Struct):
    demangled_kernel_name: str | None = None


def is_rocpd(path: Path) -> bool:
    """Whether the SQLite database at `path` has tables of rocpd; KernelmapError where damaged."""
    with open_tables(path, FORM) as tables:
        return bool(find_suffixes(tables))


def read_rocpd(path: Path) -> RawTrace:
    """All of `path`; KernelmapError where it is damaged, being written or laid out anew."""
    with open_tables(path, FORM) as tables:
        suffixes = find_suffixes(tables)
        if len(suffixes) > MOST_PROCESSES:
            raise FORM.make_damaged_error(f"{path} has tables of {len(suffixes):,} processes")
        processes = [
            process
            for suffix in suffixes
            for process in _Part(PartTables(tables, suffix)).iter_processes()
        ]
        notices = say_unreadable(
            tables.source, len(tables.unreadable), tables.unreadable.tables, RECORD_AGAIN
        )
        return make_raw_trace(tables.source, processes, notices)


class _Part:
    """The rows of one suffix, mostly those of one process."""

    def __init__(self, tables: PartTables) -> None:
        self._tables = tables
        rows, texts = tables.rows(STRING, ("id",), ("string",))
        self._spellings: dict[str, tuple[str, ...]] = {}
        self._strings = _by_id(rows, texts["string"])
        self._events, self._extra = tables.rows(EVENT, _IN_EVENTS, ("extdata",))

    def iter_processes(self) -> Iterable[ProcessRows]:
        """The rows of each process."""
        tables = self._tables
        if tables.columns(DISPATCH):
            tables.require(DISPATCH, ("kernel_id",))
        dispatches = tables.placed_rows(DISPATCH, ("kernel_id", "event_id", *_SIZES))
        copies = tables.placed_rows(COPY, ("name_id", "event_id", "src_agent_id", "dst_agent_id"))
        regions = tables.placed_rows(REGION, ("name_id", "event_id"))
        parts = (dispatches, copies, regions)
        owners = np.concatenate([rows["pid"] for rows in parts])
        guids = np.concatenate([rows[_GUID] for rows in parts])
        pairs, number = number_pairs(guids, owners)
        if len(pairs) > MOST_PROCESSES:
            raise FORM.make_damaged_error(
                f"{tables.source} names {len(pairs):,} processes in one table"
            )
        ends = np.cumsum([len(rows["pid"]) for rows in parts])[:-1]
        of_dispatch, of_copy, of_region = np.split(number, ends)
        listed, _ = tables.rows(PROCESS, ("id", "pid", "nid"))
        agents = self._agents()
        for at, (guid, owner) in enumerate(pairs):
            row = find_rows(listed, np.array([guid]), np.array([owner]))
            pid = int(taken(listed["pid"], row)[0])
            yield ProcessRows(
                pid=pid if pid >= 0 else owner,
                node=(int(taken(listed["nid"], row)[0]),),
                gpu=(
                    self._dispatches(_chosen(dispatches, of_dispatch == at), agents),
                    self._copies(_chosen(copies, of_copy == at), agents),
                ),
                host=self._regions(_chosen(regions, of_region == at)),
                agents=agents,
                spellings=self._spellings,
            )

    def _agents(self) -> Agents:
        columns = ("id", "type_index", "absolute_index")
        rows, texts = self._tables.rows(AGENT, columns, ("type", "name", "product_name"))
        listed = []
        for at in range(len(rows["id"])):
            name = texts["product_name"][at] or texts["name"][at]
            listed.append(
                Agent(
                    id=(int(rows[_GUID][at]), int(rows["id"][at])),
                    is_gpu=texts["type"][at] == _GPU,
                    ordinal=int(rows["type_index"][at]),
                    name=name or None,
                )
            )
        return Agents(listed)

    def _dispatches(self, rows: Rows, agents: Agents) -> GpuRows:
        kernels = self._kernels(rows)
        name_id, names = _interned(rows[_GUID], rows["kernel_id"], kernels.__getitem__)
        sizes = np.stack([rows[size] for size in _SIZES]).T.reshape(-1, 2, 3)
        device = agents.devices_at(rows[_GUID], rows["agent_id"])
        return self._gpu(rows, Activity.KERNEL, device, (name_id, names), sizes)

    def _copies(self, rows: Rows, agents: Agents) -> GpuRows:
        name_id, names = _interned(
            rows[_GUID], rows["name_id"], lambda pair: name_copied(self._strings.get(pair))
        )
        # A copy to a GPU is of that GPU, one to the host of the GPU that it comes from.
        to = agents.devices_at(rows[_GUID], rows["dst_agent_id"], only_gpus=True)
        source = agents.devices_at(rows[_GUID], rows["src_agent_id"], only_gpus=True)
        sizes = np.full((len(to), 2, 3), NONE, dtype=np.int64)
        device = np.where(to >= 0, to, source)
        return self._gpu(rows, Activity.MEMCPY, device, (name_id, names), sizes)

    def _gpu(
        self,
        rows: Rows,
        activity: Activity,
        device: Int,
        named: tuple[Int, tuple[str, ...]],
        sizes: Int,
    ) -> GpuRows:
        event = find_rows(self._events, rows[_GUID], rows["event_id"])
        stream = np.where(rows["stream_id"] >= 0, rows["stream_id"], rows["queue_id"])
        return GpuRows(
            start=rows["start"],
            end=rows["end"],
            device=device,
            stream=stream,
            correlation=_ids(taken(self._events["stack_id"], event)),
            name_id=named[0],
            names=named[1],
            activity=np.full(len(device), activity, dtype=np.int8),
            grid=sizes[:, 0],
            block=sizes[:, 1],
        )

    def _regions(self, rows: Rows) -> HostRows:
        threads, _ = self._tables.rows(THREAD, ("id", "tid"))
        named = taken(threads["tid"], find_rows(threads, rows[_GUID], rows["tid"]))
        name_id, names = _interned(
            rows[_GUID], rows["name_id"], lambda pair: self._strings.get(pair) or NO_NAME
        )
        event = find_rows(self._events, rows[_GUID], rows["event_id"])
        markers = [at for at, name in enumerate(names) if name.startswith("roctx")]
        with_text = np.flatnonzero(np.isin(name_id, markers) & (event >= 0)).tolist()
        texts = {row: self._message(int(event[row])) for row in with_text}
        return HostRows(
            start=rows["start"],
            end=rows["end"],
            thread=np.where(named >= 0, named, rows["tid"]),
            correlation=_ids(taken(self._events["stack_id"], event)),
            around=_ids(taken(self._events["parent_stack_id"], event)),
            name_id=name_id,
            names=names,
            texts={row: text for row, text in texts.items() if text},
        )

    def _message(self, event: int) -> str | None:
        """The text that a range of ROCTX was opened with."""
        return _json(self._extra["extdata"][event], _MarkerText, "message")

    def _kernels(self, rows: Rows) -> dict[tuple[int, int], str]:
        """The names of the kernels that were dispatched; their other names are kept beside."""
        columns = ("kernel_name", "display_name", "extdata")
        symbols, texts = self._tables.rows(SYMBOL, ("id",), columns)
        pairs, _ = number_pairs(rows[_GUID], rows["kernel_id"])
        names: dict[tuple[int, int], str] = {}
        guid, ids = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
        for pair, row in zip(pairs, find_rows(symbols, guid, ids).tolist(), strict=True):
            mangled, shown, more = (texts[text][row] if row >= 0 else None for text in columns)
            demangled = _json(more, _Symbol, "demangled_kernel_name")
            names[pair] = name = name_kernel(demangled, shown, mangled)
            others = [name_kernel(other) for other in (mangled, shown) if other]
            if kept := tuple(dict.fromkeys(other for other in others if other != name)):
                self._spellings[name] = kept
        return names


def _chosen(rows: Rows, mask: Int) -> Rows:
    return {name: column[mask] for name, column in rows.items()}


def _by_id(rows: Rows, texts: list[str | None]) -> dict[tuple[int, int], str]:
    keys = zip(rows[_GUID].tolist(), rows["id"].tolist(), strict=True)
    return {key: text for key, text in zip(keys, texts, strict=True) if text is not None}


def _interned(
    guid: Int, ids: Int, name: Callable[[tuple[int, int]], str]
) -> tuple[Int, tuple[str, ...]]:
    """Name ids of (guid, id), (rows,), and the names that `name` makes of them, each once."""
    pairs, number = number_pairs(guid, ids)
    numbers: dict[str, int] = {}
    of_pair = [numbers.setdefault(name(pair), len(numbers)) for pair in pairs]
    return np.array(of_pair, dtype=np.int64)[number], tuple(numbers)


def _ids(column: Int) -> Int:
    """Correlation ids; 0 is none."""
    return np.where(column > 0, column, absent(len(column)))


def _json(text: str | None, record: type[_MarkerText | _Symbol], field: str) -> str | None:
    """One text of a JSON object, None where it is none."""
    if not text:
        return None
    try:
        found: str | None = getattr(msgspec.json.decode(text, type=record), field)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return found
