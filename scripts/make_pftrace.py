"""Write a profile as torch's cupti_monitor backend would have: .json and .pftrace of one run.

Needs torch 2.14 or newer with its encoder (no GPU, no driver). The profile's GPU activities and
calls become the columns that the backend's observer holds, and torch's own code
(of `cupti_monitor`, in 2.15 `cuspy`) writes both files from them. CUPTI's tables of numbers of
calls are not at hand without its Python package, so calls get numbers in the order of their names.
Both files are made, not recorded; whoever reads them alike reads torch's form right.

    other/venv/bin/python scripts/make_pftrace.py profile.json.gz -o made/
"""

from __future__ import annotations

import enum
import gzip
import importlib.util
import json
import sys
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import usage

Columns = dict[str, Any]
_GPU = {"kernel": "kernel", "gpu_memcpy": "gpu_memcpy", "gpu_memset": "gpu_memset"}
_WRITERS = ("_cupti/monitor_trace.py", "_cuspy/trace.py")
"""Where torch 2.14, and 2.15, write traces."""
_CALLS = ("cuda_runtime", "cuda_driver")
_AXES = "xyz"
_NODE_BITS = 32


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("profile", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    parser.add_argument("--copies", type=int, default=1, help="times the run is written, in a row")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    for path in write_both(chosen.profile, chosen.output, chosen.copies):
        print(path)


def write_both(profile: Path, folder: Path, copies: int = 1) -> list[Path]:
    """The run of `profile` as Chrome JSON and as .pftrace, both written by torch."""
    opener = gzip.open if profile.suffix == ".gz" else open
    with opener(profile, "rb") as file:
        data = json.load(file)
    data["traceEvents"] = [*_repeated(data["traceEvents"], copies)]
    base_ns = int(data.setdefault("baseTimeNanoseconds", 0))
    calls = sorted(
        {
            (event["cat"], event["name"])
            for event in data["traceEvents"]
            if event.get("cat") in _CALLS
        }
    )
    numbers = {call: at for at, call in enumerate(calls, 1)}
    writer = _torch_writer(numbers)
    window = _window(data["traceEvents"], numbers, base_ns)
    rest = {**data, "traceEvents": [e for e in data["traceEvents"] if _is_of_cpu(e)]}
    cpu = folder / "cpu.json"
    cpu.write_text(json.dumps(rest))
    written = [folder / "run.json", folder / "run.pftrace"]
    for path in written:
        writer.merge_trace_window_into_chrome_trace(cpu, path, window)
    cpu.unlink()
    return written


def _repeated(events: Sequence[dict[str, Any]], copies: int) -> Iterable[dict[str, Any]]:
    """The events, and again behind them with later times and other ids."""
    timed = [event for event in events if event.get("ph") == "X" and _ns(event, "ts") > 0]
    first = min(float(event["ts"]) for event in timed)
    span = max(float(event["ts"]) + float(event["dur"]) for event in timed) - first + 1000.0
    ids = 1 + max(
        (int(event.get("args", {}).get(key, 0)) for event in timed for key in _IDS), default=0
    )
    for copy in range(copies):
        for event in events:
            if event.get("ph") != "X":
                if not copy:
                    yield event
                continue
            args = dict(event.get("args", {}))
            args.update({key: int(args[key]) + copy * ids for key in _IDS if args.get(key)})
            yield {**event, "ts": float(event["ts"]) + copy * span, "args": args}


_IDS = ("correlation", "External id")


def _is_of_cpu(event: dict[str, Any]) -> bool:
    return event.get("cat") not in {*_GPU, *_CALLS, "gpu_user_annotation", "cuda_sync", "ac2g"}


def _window(
    events: Sequence[dict[str, Any]], numbers: dict[tuple[str, str], int], base_ns: int
) -> Columns:
    """What the observer hands to torch's writer."""
    columns: Columns = {}
    for category, name in _GPU.items():
        mine = [event for event in events if event.get("cat") == category]
        if mine:
            columns[name] = _activities(mine, base_ns)
    for category in _CALLS:
        mine = [event for event in events if event.get("cat") == category]
        if mine:
            columns[category] = {
                **_times(mine, base_ns),
                "cbid": _ints(numbers[category, event["name"]] for event in mine),
                "process_id": _ints(event["pid"] for event in mine),
                "thread_id": _ints(event["tid"] for event in mine),
                "correlation_id": _ints(event["args"].get("correlation", 0) for event in mine),
            }
    return {"columns": columns, "thread_resource_map": {}, "user_annotations": {}, "graph_deps": {}}


def _activities(events: Sequence[dict[str, Any]], base_ns: int) -> Columns:
    args = [event["args"] for event in events]
    zeros = np.zeros(len(events), dtype=np.int64)
    node = _ints(arg.get("graph node id", 0) for arg in args)
    columns = {
        **_times(events, base_ns),
        "device_id": _ints(arg["device"] for arg in args),
        "context_id": _ints(arg.get("context", 1) for arg in args),
        "stream_id": _ints(arg["stream"] for arg in args),
        "correlation_id": _ints(arg.get("correlation", 0) for arg in args),
        "graph_id": node >> _NODE_BITS,
        "graph_node_id": node,
        "annotation": np.array([None] * len(events), dtype=object),
        "name": np.array([event["name"] for event in events], dtype=object),
        "bytes": _ints(arg.get("bytes", 0) for arg in args),
        "priority": _ints(arg.get("priority", 0) for arg in args),
        "registers_per_thread": _ints(arg.get("registers per thread", 0) for arg in args),
        "dynamic_shared_memory": _ints(arg.get("shared memory", 0) for arg in args),
    }
    for what in ("grid", "block"):
        for at, axis in enumerate(_AXES):
            columns[f"{what}_{axis}"] = _ints(arg.get(what, [0, 0, 0])[at] for arg in args)
    if events[0]["cat"] != "kernel":
        del columns["name"]
        columns = {
            key: column for key, column in columns.items() if not key.startswith(("grid", "block"))
        }
    missing = (
        *("static_shared_memory", "queued", "channel", "channel_type", "copy_kind", "src_kind"),
        *("dst_kind", "flags", "value", "memory_kind"),
    )
    return {**columns, **dict.fromkeys(missing, zeros)}


def _ns(event: dict[str, Any], key: str) -> int:
    return round(float(event[key]) * 1000)


def _times(events: Sequence[dict[str, Any]], base_ns: int) -> Columns:
    start = _ints(base_ns + _ns(event, "ts") for event in events)
    return {"start_ns": start, "end_ns": start + _ints(_ns(event, "dur") for event in events)}


def _ints(values: Iterable[Any]) -> Any:  # noqa: ANN401 -- a column of numpy
    return np.array([int(value) for value in values], dtype=np.int64)


def _torch_writer(numbers: dict[tuple[str, str], int]) -> Any:  # noqa: ANN401 -- a module
    """The module of torch that writes both forms, with `numbers` in place of CUPTI's tables."""
    import torch

    cupti = types.ModuleType("cupti.cupti")
    for category, table in zip(
        _CALLS, ("Runtime_api_trace_cbid", "Driver_api_trace_cbid"), strict=True
    ):
        named = {name: number for (of, name), number in numbers.items() if of == category}
        setattr(cupti, table, enum.IntEnum(table, named))
    sys.modules.update({"cupti": types.ModuleType("cupti"), "cupti.cupti": cupti})
    profiler = Path(torch.__path__[0]) / "profiler"
    written = [path for path in map(profiler.joinpath, _WRITERS) if path.is_file()]
    if not written:
        raise SystemExit(f"torch {torch.__version__} has no backend that writes .pftrace")
    path = written[0]
    spec = importlib.util.spec_from_file_location("monitor_trace", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
