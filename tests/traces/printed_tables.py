"""Tables as `prof.key_averages().table()` prints them, in the layout of torch's profiler."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

NAME_WIDTH = 55


class PrintedRow(Struct, frozen=True, kw_only=True):
    """A row: a kernel's where the host took no time. Times are in microseconds."""

    name: str
    own_us: float
    calls: int = 1
    cpu_us: float = 0.0
    shapes: str = "[[8, 16], []]"
    stack: Sequence[str] = ()


def in_units(time_us: float, unit: str | None = None) -> str:
    """A time as torch writes it."""
    if unit == "s" or (unit is None and time_us >= 1_000_000):
        return f"{time_us / 1_000_000:.3f}s"
    if unit == "ms" or (unit is None and time_us >= 1_000):
        return f"{time_us / 1_000:.3f}ms"
    return f"{time_us:.3f}us"


def printed_table(  # noqa: PLR0913 -- the columns that torch may print
    rows: Sequence[PrintedRow],
    *,
    device: str | None = "CUDA",
    total_us: float | None = None,
    memory: bool = False,
    shapes: bool = False,
    stacks: bool = False,
    overloads: bool = False,
    flops: bool = False,
    unit: str | None = None,
    limit: int = 100,
    top_level: bool = False,
    width: int | None = NAME_WIDTH,
) -> str:
    """The table; `total_us` is what its footer counts, that of the kernels unless given."""
    if total_us is None:
        total_us = sum(row.own_us for row in rows if not row.cpu_us)
    cpu_us = sum(row.cpu_us for row in rows)
    titles = ["Name", *(["Overload Name"] if overloads else [])]
    titles += ["Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    if device:
        titles += [f"Self {device}", f"Self {device} %", f"{device} total", f"{device} time avg"]
    if memory:
        titles += ["CPU Mem", "Self CPU Mem"]
        titles += [f"{device} Mem", f"Self {device} Mem"] if device else []
    titles += ["# of Calls", *(["Input Shapes"] if shapes else [])]
    titles += [*(["Source Location"] if stacks else []), *(["Total MFLOPs"] if flops else [])]
    lines: list[list[str]] = []
    for row in rows[:limit]:
        name = row.name
        if width is not None and len(name) >= width - 3:
            name = f"{name[: width - 3]}..."
        cells = [name, *([""] if overloads else [])]
        cells += [_share(row.cpu_us, cpu_us), in_units(row.cpu_us, unit)] * 2
        cells.append(in_units(row.cpu_us / row.calls, unit))
        if device:
            cells += [in_units(row.own_us, unit), _share(row.own_us, total_us)]
            cells += [in_units(row.own_us, unit), in_units(row.own_us / row.calls, unit)]
        cells += ["0 B", "-1.50 Kb"] * (2 if device else 1) if memory else []
        cells += [str(row.calls), *([row.shapes] if shapes else [])]
        cells += [
            *([row.stack[0] if row.stack else ""] if stacks else []),
            *(["--"] if flops else []),
        ]
        lines.append(cells)
        lines += [[*[""] * (len(titles) - 1 - flops), entry] for entry in row.stack[1:]]
    widths = [
        max(12, *(len(line[at]) for line in (titles, *lines) if at < len(line)))
        for at in range(len(titles))
    ]
    rule = "".join("-" * wide + "  " for wide in widths)
    text = [
        "".join(f"{cell:>{wide}}  " for cell, wide in zip(line, widths, strict=False))
        for line in (titles, *lines)
    ]
    above = ["=" * len(rule), "This report only display top-level ops statistics"]
    footer = [f"Self CPU time total: {in_units(cpu_us)}"]
    footer += [f"Self {device} time total: {in_units(total_us)}"] if device else []
    return "\n".join(
        [*(above if top_level else []), rule, text[0], rule, *text[1:], rule, *footer, ""]
    )


def _share(part: float, whole: float) -> str:
    return f"{part * 100 / whole:.2f}%" if whole else "NaN"
