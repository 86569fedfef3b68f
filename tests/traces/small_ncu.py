"""Pages as `ncu --csv` prints them, small: the raw page and the details page of a few launches."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from msgspec import Struct

COMMON = (
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
)
PREAMBLE = """\
==PROF== Connected to process 4711 (/usr/bin/python3.12)
step 0 done
==PROF== Profiling "triton_poi_fused_add_0" - 0: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 4711
"""
Metrics = Mapping[str, tuple[str, str]]
"""By name the text of the value, and the unit."""


class NcuRow(Struct, frozen=True, kw_only=True):
    """A launch as ncu prints it."""

    name: str
    grid: str = "(16, 1, 1)"
    block: str = "(128, 1, 1)"
    metrics: Metrics = {}
    pid: str = "4711"
    device: str = "0"
    stream: str = "7"


def raw_page(*rows: NcuRow, common: Sequence[str] = COMMON, units: bool = True) -> str:
    """The page `raw`: a row of units, then one per launch."""
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    of_units = {name: unit for row in rows for name, (_, unit) in row.metrics.items()}
    table: list[list[str]] = [[*common, *names]]
    if units:
        table.append([*("" for _ in common), *(of_units[name] for name in names)])
    table += [
        [*_common(at, row, common), *(row.metrics.get(name, ("", ""))[0] for name in names)]
        for at, row in enumerate(rows)
    ]
    return _text(table)


def details_page(*rows: NcuRow, common: Sequence[str] = COMMON, rules: bool = True) -> str:
    """The page `details`: a row per launch and metric, and one of a rule behind them."""
    rest = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
    of_rules = ("Rule Name", "Rule Type", "Rule Description") if rules else ()
    table: list[list[str]] = [[*common, *rest, *of_rules]]
    for at, row in enumerate(rows):
        table += [
            [*_common(at, row, common), "A Section", name, unit, value, *([""] if rules else [])]
            for name, (value, unit) in row.metrics.items()
        ]
        if rules:
            words = ["SpeedOfLight", "", "", "", "Bottleneck", "OPT", "Look at it, 99 % of it."]
            table.append([*_common(at, row, common), *words])
    return _text(table)


def _common(at: int, row: NcuRow, common: Sequence[str]) -> list[str]:
    cells = {
        "ID": str(at),
        "Process ID": row.pid,
        "Process Name": "python3.12",
        "Host Name": "127.0.0.1",
        "Kernel Name": row.name,
        "Context": "1",
        "Stream": row.stream,
        "Block Size": row.block,
        "Grid Size": row.grid,
        "Device": row.device,
        "CC": "9.0",
    }
    return [cells.get(name, "") for name in common]


def _text(table: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    return out.getvalue()
