"""Hold the memory that code states against what torch counted: the table of docs/memory.md.

Each program of memory_cases/cases.py is compiled and run on this CPU in a process of its own, with
`profile_memory=True`: torch then records every allocation. Those within one run of a graph are
added up, and stand beside what `kernelmap.memory_of` says of the graph's code, and beside what
Inductor itself estimated when it compiled it.

    python scripts/memory_programs.py                 # all, printed; needs torch and a C++ compiler
    python scripts/memory_programs.py mlp_train loop  # some of them
    python scripts/memory_programs.py --write         # all, into docs/memory.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import usage
from memory_cases.cases import CASES
from msgspec import Struct

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from kernelmap import memory_of  # noqa: E402 -- after the line above
from kernelmap.compiler import load_compiled  # noqa: E402 -- as above
from kernelmap.model.memory import GraphMemory, MemoryKind  # noqa: E402 -- as above

PAGE = PROJECT / "docs" / "memory.md"
BEGIN, END = "<!-- made by: python scripts/memory_programs.py --write -->", "<!-- end of made -->"
TRACE, LOG, ESTIMATES = "trace.json", "log", "estimates.json"
_RANGE = "## Call CompiledFxGraph "
_PACKAGE = "package of AOTInductor"
_NEAR, _SHARE = 1024, 0.01
"""Bytes, and the part of the measured growth, up to which both are called equal."""


class Compared(Struct, frozen=True, kw_only=True):
    """One graph of a program: how far memory grows in it up to its peak, and to its end."""

    program: str
    graph: str
    static: int
    measured: int
    static_end: int
    measured_end: int
    estimate: int | None
    counted: int

    @property
    def is_near(self) -> bool:
        """Whether the code tells the peak."""
        return abs(self.static - self.measured) <= max(_NEAR, _SHARE * self.measured)


def main() -> None:
    """Run the programs one after the other, and print or write the table."""
    parser = usage.parser(__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="those to run")
    parser.add_argument("--write", action="store_true", help="write the table into docs/memory.md")
    parser.add_argument(
        "--work", metavar="FOLDER", help="keep recordings, and use those that are kept"
    )
    parser.add_argument("--child", metavar="FOLDER", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child is not None:
        _record(chosen.programs[0], Path(chosen.child))
        return
    rows: list[Compared] = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in chosen.programs or CASES:
            folder = Path(chosen.work or temporary).resolve() / name
            folder.mkdir(parents=True, exist_ok=True)
            found = list(_compare(name, folder))
            rows += found
            print(*found, sep="\n", flush=True)
    table = "\n".join(_table(rows))
    if chosen.write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        tail = rest.partition(END)[2]
        PAGE.write_text(f"{head}{BEGIN}\n{table}\n{END}{tail}", encoding="utf-8")
    else:
        print(table)


def _record(name: str, folder: Path) -> None:
    """Run a program in this process, with all that is compared left in `folder`."""
    import torch

    torch.manual_seed(7)
    torch.set_num_threads(1)
    estimates: dict[str, int] = {}
    _note_estimates(estimates)
    step = CASES[name]()
    for _ in range(2):
        step()
    activities = [torch.profiler.ProfilerActivity.CPU]
    with (
        torch.profiler.profile(activities=activities, profile_memory=True) as profiler,
        torch.profiler.record_function(_PACKAGE),
    ):
        result = step()
    profiler.export_chrome_trace(str(folder / TRACE))
    del result
    (folder / ESTIMATES).write_text(json.dumps(estimates))


def _note_estimates(estimates: dict[str, int]) -> None:
    """Ask Inductor for its estimate of each graph whose code it is about to write."""
    from torch._guards import TracingContext
    from torch._inductor import memory, scheduler
    from torch._inductor.virtualized import V
    from torch.utils._ordered_set import OrderedSet

    write = scheduler.Scheduler.codegen

    def estimate_and_write(self: Any) -> Any:  # noqa: ANN401 -- torch's
        context = TracingContext.try_get()
        names = context.aot_graph_name if context is not None else None
        inputs = OrderedSet(V.graph.graph_inputs.keys())
        try:
            freeable = memory.get_freeable_input_buf(self.nodes, inputs)
            outputs = OrderedSet(V.graph.get_output_names())
            peak, _ = memory.estimate_peak_memory(self.nodes, freeable, outputs)
        except Exception as error:  # noqa: BLE001 -- it is torch's own function, and private
            print(f"no estimate: {error!r}", file=sys.stderr)
        else:
            estimates["_".join(names or ["model"])] = peak
        return write(self)

    scheduler.Scheduler.codegen = estimate_and_write


def _compare(name: str, folder: Path) -> Iterator[Compared]:
    """Record a program in a process of its own, and compare each of its graphs."""
    if not (folder / ESTIMATES).exists() and not _run_child(name, folder):
        return
    estimates = json.loads((folder / ESTIMATES).read_text())
    events = json.loads((folder / TRACE).read_text())["traceEvents"]
    packages = sorted(folder.glob("*.pt2"))
    code = packages[0] if packages else folder / LOG
    program, result = load_compiled(code), memory_of(code)
    memories = {memory.graph: memory for memory in result.memories}
    for graph in program.graphs:
        memory = memories.get(graph.id)
        changes = _changes_in(events, _PACKAGE if packages else f"{_RANGE}{graph.cache_key} ##")
        # Code that was compiled and did not run in the profiled step.
        if memory is None or changes is None:
            continue
        start = int(memory.bytes_after[0])
        yield Compared(
            program=name,
            graph=graph.id,
            static=memory.peak_bytes - start,
            measured=max(0, *accumulate(changes)),
            static_end=int(memory.bytes_after[-1]) - start,
            measured_end=sum(changes),
            estimate=estimates.get(graph.aot_id or "model"),
            counted=_counted_by_inductor(memory),
        )


def _run_child(name: str, folder: Path) -> bool:
    """Record a program in a process of its own; gives whether it ran."""
    environment = os.environ | {
        "TORCH_TRACE": str(folder / LOG),
        "TORCHINDUCTOR_CACHE_DIR": str(folder.parent / "cache"),  # has headers that all need
        "PYTHONPATH": str(PROJECT / "scripts"),
    }
    command = [sys.executable, __file__, name, "--child", str(folder)]
    ran = subprocess.run(command, cwd=folder, env=environment, check=False)  # noqa: S603 -- ourselves
    if ran.returncode:
        print(f"{name} did not run", file=sys.stderr)
    return not ran.returncode


def _changes_in(events: Sequence[dict[str, Any]], name: str) -> list[int] | None:
    """The bytes of each allocation and free in the first range of a name; None without one."""
    ranges = [event for event in events if event.get("name") == name and "dur" in event]
    if not ranges:
        return None
    first = min(ranges, key=lambda event: event["ts"])
    begin, end = first["ts"], first["ts"] + first["dur"]
    noted = [
        event for event in events if event.get("name") == "[memory]" and begin <= event["ts"] <= end
    ]
    return [0, *(event["args"]["Bytes"] for event in sorted(noted, key=lambda one: one["ts"]))]


def _counted_by_inductor(memory: GraphMemory) -> int:
    """The most of what Inductor's estimate counts: all but what the caller holds."""
    of_caller = memory.bytes_of_kind(MemoryKind.INPUT) + memory.bytes_of_kind(MemoryKind.CONSTANT)
    return int((memory.bytes_after - of_caller).max())


def _table(rows: Sequence[Compared]) -> Iterator[str]:
    near = sum(row.is_near for row in rows)
    yield (
        f"{near} of {len(rows)} graphs of {len({row.program for row in rows})} programs are equal"
        " within 1 % or 1 KB:"
    )
    yield ""
    yield "| program | graph | code | measured | left, code | measured | of its own | Inductor |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        numbers = (row.static, row.measured, row.static_end, row.measured_end, row.counted)
        cells = [f"{number:,}" for number in numbers]
        cells.append("" if row.estimate is None else f"{row.estimate:,}")
        mark = "" if row.is_near else " ≠"
        yield f"| {row.program} | {row.graph}{mark} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
