"""The view Kernels: the table of kernels, and where the code of each one stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from kernelmap.model import Backend, CompiledGraph, KernelDef
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content, kernel_address

_COLUMNS = "wrapper device_name graph path ops calls launches time_ns share"
_Key = tuple[str, str]


def data_of_kernels(content: Content, texts: PackedTexts) -> object:
    """All kernels by time; `of` is the place of a row's kernel in `definitions`, None without code.

    `address` is where the page shows the row, `used_by` are the rows of the shared table of calls
    that ran under its device name.
    """
    definitions: list[dict[str, object]] = []
    number: dict[_Key, int] = {}
    users = _users_of_kernels(content)
    graphs = content.records.program.graphs if content.records else ()
    for graph in graphs:
        # Several calls of a graph may run one kernel: its definition is written once.
        for name in dict.fromkeys(call.wrapper for call in graph.calls):
            number[graph.id, name] = len(definitions)
            definitions.append(_data_of_definition(graph, name, texts))
    table: list[Mapping[str, object]] = []
    for row in content.tables.rows("kernels"):
        key = str(row["graph"]), str(row["wrapper"])
        shown: dict[str, object] = {name: row[name] for name in _COLUMNS.split()}
        # A library's wrapper runs several device kernels; each row names the calls that ran under
        # its own.
        used_by = [at for at, names in users[key] if row["device_name"] in names]
        # Launches that only may be a call's are in no call's device names; old results have none.
        used_by = used_by or [at for at, _ in users[key]]
        places = {"of": number.get(key), "address": kernel_address(row), "used_by": used_by}
        table.append(shown | places)
    return {"rows": table, "definitions": definitions}


def _users_of_kernels(content: Content) -> Mapping[_Key, list[tuple[int, tuple[str, ...]]]]:
    """Rows of the shared table of calls with their device names, by graph and wrapper."""
    users: dict[_Key, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for position, row in enumerate(content.tables.rows("calls")):
        if row["call"] is not None:
            names = row["device_names"]
            of_call = (position, tuple(names) if isinstance(names, list) else ())
            users[str(row["graph"]), str(row["wrapper"])].append(of_call)
    return users


def _data_of_definition(graph: CompiledGraph, name: str, texts: PackedTexts) -> dict[str, object]:
    """What is known of a kernel; `text` with `lines` (from, to; from 1) is its code, if given."""
    call = next(call for call in graph.calls if call.wrapper == name)
    kernel = graph.kernel_of(call)
    if graph.text is None:
        return {}
    text = texts.put_text(graph.text)
    if kernel is None or kernel.first_line is None:
        return {"text": text, "lines": None}
    lines = (kernel.first_line, kernel.last_line or kernel.first_line)
    return {"text": text, "lines": lines} | _facts_of_kernel(kernel)


def _facts_of_kernel(kernel: KernelDef) -> dict[str, object]:
    """What Inductor says of it, as far as it says something."""
    facts = {
        "function": kernel.function if kernel.function != kernel.name else None,
        "category": kernel.category,
        "heuristic": kernel.heuristic,
        "size hints": " x ".join(map(str, kernel.size_hints)) if kernel.size_hints else None,
        "members": ", ".join(kernel.members) if kernel.backend is Backend.MULTI else None,
    }
    return {"facts": {name: fact for name, fact in facts.items() if fact}}
