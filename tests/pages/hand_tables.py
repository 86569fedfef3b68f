"""Tables by hand, without any record below them: what every writer is tested on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from kernelmap.model import Notice
from kernelmap.model.savings import Basis, Saving, Savings, Spot
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import frame_of_rows
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import TABLES
from kernelmap.tables.summary import Summary
from kernelmap.tables.table import Type

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
TOTAL_NS = 12_340_000

OPS = {
    "aten.addmm": 5_210_000,
    "aten.native_layer_norm": 2_100_000,
    "aten.gelu": 1_400_300,
    "aten._scaled_dot_product_efficient_attention": 900_000,
    "aten.mm": 700_000,
    HOSTILE: 500_000,
    "aten.add": 480_000,
    "aten._softmax": 300_000,
    "aten.tanh_backward": 99_700,
}
"""Leaves 650,000 ns, which stand in rest rows."""


def table(name: str, given: Sequence[Mapping[str, Cell]]) -> pd.DataFrame:
    """A frame of the rows; a column that a row leaves out is null, or 0 where it may not be."""
    empty: dict[str, Cell] = {
        column.name: None if column.nullable else (0 if column.type is Type.INT else "x")
        for column in TABLES[name].columns
    }
    return frame_of_rows(TABLES[name], [empty | dict(row) for row in given])


def make_tables() -> Tables:
    """Tables of a run that never was."""
    frames = {name: table(name, rows) for name, rows in _rows().items()}
    launches, invocations = frames.pop("launches"), frames.pop("invocations")
    return Tables(
        summary=Summary(
            side="gpu",
            total_ns=TOTAL_NS,
            busy_ns=12_000_000,
            launches=700,
            invocations=100,
            calls=12,
            calls_seen=10,
            coverage={
                "exact": 0.9706,
                "inferred": 0.012,
                "ambiguous": 0.009,
                "outside": 0.0084,
                "unknown": 0.0,
            },
            steps=(3, 5),
            devices=("NVIDIA H200",),
            sources=("profile.json.gz", "output_code.py"),
            version="0.1.0",
        ),
        frames=frames,
        notices=(
            Notice(slug="truncated-trace", message=f"the trace ends early: {HOSTILE}", gap=True),
        ),
        find_savings=_savings,
        make_launches=lambda: launches,
        make_invocations=lambda: invocations,
    )


def _savings() -> Savings:
    """What the steps of the wall time could save, with a name that wants to be markup."""
    spot = Spot(what=HOSTILE, source="/home/someone/model.py:23", time_ns=2_400_000)
    launching = Saving(
        slug="launch-bound",
        saves_ns=2_400_000,
        step_ns=800_000,
        share=1 / 7,
        finding=f"The GPU waits 2.40 ms for {HOSTILE} at model.py:23",
        do=f"Let CUDA graphs launch {HOSTILE} together. Else give each launch more work.",
        spots=(spot,),
        calls=("0_forward/0", HOSTILE),
    )
    return Savings(
        side="gpu",
        basis=Basis.STEPS,
        total_ns=16_800_000,
        computing_ns=12_000_000,
        exposed_ns=300_000,
        idle_ns=4_500_000,
        steps=3,
        items=(launching,),
    )


def _kind(kind: str, time_ns: int, steps: int = 0, **cells: Cell) -> dict[str, Cell]:
    mean = round(time_ns / steps) if steps else None
    own: dict[str, Cell] = {"kind": kind, "time_ns": time_ns, "steps": steps, "mean_ns": mean}
    return own | {"share": time_ns / TOTAL_NS, "launches": 100} | cells


def _operator(name: str, time_ns: int, origin: str = "outside", **cells: Cell) -> dict[str, Cell]:
    own: dict[str, Cell] = {"name": name, "origin": origin, "launches": 50, "time_ns": time_ns}
    return own | {"share": time_ns / TOTAL_NS} | cells


def _rows() -> dict[str, list[dict[str, Cell]]]:
    return {
        "ops": [
            *map(_op, list(OPS)[:7]),
            _rest("(outside compiled code)", 450_000),
            _op("aten._softmax"),
            _rest("(no op)", 200_000),
            _op("aten.tanh_backward"),
        ],
        "modules": [_rest("(no module)", TOTAL_NS)],
        "lifetimes": [
            {
                "graph": "0_forward",
                "name": HOSTILE,
                "kind": "output",
                "bytes": 4096,
                "peak_bytes": 4096,
                "call": "0_forward/0",
                "source": "model.py:12",
                "last": 3,
            }
        ],
        "step_kinds": [
            _kind("decode", 9_000_000, engine="vLLM", batch=32, steps=3, tokens=96)
            | {"run_first": 3, "run_last": 5, "step_ns": 12_000_000, "busy_ns": 9_000_000}
            | {"model_flops": 4 * 10**9, "model_known_ns": 8_000_000, "mfu": 0.042},
            _kind("prefill", 3_000_000, engine="vLLM", batch=1, steps=1, tokens=2048)
            | {"run_first": 6, "run_last": 6},
            _kind("(in no step)", TOTAL_NS - 12_000_000),
        ],
        "operators": [
            _operator("(compiled code)", 11_890_000, origin="compiled"),
            _operator(
                "vllm.unified_attention",
                300_000,
                input_shapes="bf16[32, 64, 64], bf16[32, 8, 64], bf16[32, 8, 64]",
                python_call="in forward (/home/someone/projects/transformer/attention.py:107)",
            ),
            _operator("(no operator)", 150_000),
        ],
        "wall": [
            _part(step, part, cause, time_ns)
            for step in (3, 4, 5)
            for part, cause, time_ns in (
                ("computing", None, 4_000_000),
                ("copy", None, 100_000),
                ("idle", "synchronization", 700_000),
                ("idle", "launching", 200_000 * step),
            )
        ],
        "kernels": [
            *(_kernel(index, op) for index, op in enumerate(OPS)),
            {"wrapper": "(no kernel)", "launches": 9, "time_ns": 650_000, "share": 0.0527},
        ],
        "calls": [
            *(_call(index, op) for index, op in enumerate(OPS)),
            {"wrapper": "(ambiguous)", "launches": 9, "time_ns": 650_000, "share": 0.0527},
        ],
        "nodes": [
            {
                "graph": "0_forward",
                "name": "addmm_default",
                "target": "aten.addmm.default",
                "stage": "post_grad",
                "time_ns": 5_210_000,
                "involved_ns": 5_210_000,
                "calls": 1,
                "share": 0.4222,
            },
            {"name": "(no node)", "time_ns": 7_130_000, "share": 0.5778},
        ],
        "lines": [
            {
                "file": "/home/someone/projects/transformer/src/transformer/model.py",
                "line": 217,
                "code": "x = F.gelu(self.up(self.norm(x)))",
                "time_ns": 3_000_000,
                "backward_ns": 4_000_000,
                "forward_ns": 3_000_000,
                "involved_ns": 7_500_000,
                "calls": 4,
                "share": 0.2431,
            },
            {"file": "(no source line known)", "time_ns": 5_340_000, "share": 0.4327},
        ],
        "graphs": [
            {
                "graph": "0_forward",
                "kind": "forward",
                "code": "/home/someone/torch_compile_debug/output_code.py",
                "invocations": 100,
                "calls": 12,
                "time_ns": 11_000_000,
                "busy_ns": 10_900_000,
                "mean_ns": 110_000,
                **_compiled(2, "0/1", "hit"),
                "failed_guard": "L['x'].size()[0] == 8",
            },
            {"graph": "0_backward", "kind": "backward", **_compiled(1, "0/0", None)},
            {"graph": "(no graph)", "time_ns": 1_340_000, "busy_ns": 1_340_000},
        ],
        "ledger": [
            _bucket("exact", 650, 11_977_204),
            _bucket("inferred", 20, 148_080),
            _bucket("ambiguous", 9, 111_060),
            _bucket("outside", 21, 103_656),
        ],
        "launches": [_launch(position) for position in range(4)],
        "invocations": [{"call": "0_forward/0", "invocation": 0, "launches": 1, "time_ns": 9}],
    }


def _compiled(number: int, compile_id: str, cache: str | None) -> dict[str, Cell]:
    return {
        "compile_id": compile_id,
        "function": "forward",
        "source": "/home/someone/model.py:23",
        "compilation": number,
        "compilations": 2,
        "cache": cache,
        "graph_breaks": [f"/home/someone/model.py:29: Failed to trace `print`: {HOSTILE}"],
        "compile_ns": 13_290_000_000,
    }


def _part(step: int, part: str, cause: str | None, time_ns: int) -> dict[str, Cell]:
    step_ns = 4_800_000 + 200_000 * step
    return {
        "device": 0,
        "step": step,
        "part": part,
        "cause": cause,
        "what": HOSTILE if cause else None,
        "source": "/home/someone/model.py:23" if cause else None,
        "stretches": 3,
        "time_ns": time_ns,
        "step_ns": step_ns,
        "share": time_ns / step_ns,
        "longest_ns": time_ns // 2,
        "longest_start_ns": 10_000_000 * step,
    }


def _op(name: str) -> dict[str, Cell]:
    time_ns = OPS[name]
    return {
        "name": name,
        "origin": "compiled",
        "time_ns": time_ns,
        "exclusive_ns": time_ns // 2,
        "involved_ns": time_ns + 300_000,
        "backward_ns": time_ns // 3 if "backward" in name else 0,
        "launches": 100,
        "calls": 2,
        "share": time_ns / TOTAL_NS,
    }


def _rest(name: str, time_ns: int) -> dict[str, Cell]:
    return {
        "name": name,
        "origin": "none",
        "time_ns": time_ns,
        "involved_ns": time_ns,
        "launches": 3,
        "share": time_ns / TOTAL_NS,
    }


def _kernel(index: int, op: str) -> dict[str, Cell]:
    wrapper = HOSTILE if op == HOSTILE else f"triton_poi_fused_{op.removeprefix('aten.')}_{index}"
    return {
        "wrapper": wrapper,
        "device_name": wrapper,
        "graph": "0_forward",
        "ops": [op],
        "calls": 1,
        "launches": 100,
        "time_ns": OPS[op],
        "share": OPS[op] / TOTAL_NS,
    }


def _call(index: int, op: str) -> dict[str, Cell]:
    kernel = _kernel(index, op)
    return {
        "call": f"0_forward/{index}",
        "graph": "0_forward",
        "index": index,
        "line": 40 + 2 * index,
        "wrapper": kernel["wrapper"],
        "backend": "triton",
        "category": "poi",
        "nodes": [op],
        "ops": [op],
        "source": ["model.py:7"],
        "launches": 100,
        "time_ns": OPS[op],
        "busy_ns": OPS[op],
        "mean_ns": OPS[op] // 100,
        "p50_ns": OPS[op] // 100,
        "p95_ns": OPS[op] // 90,
        "share": OPS[op] / TOTAL_NS,
    }


def _bucket(bucket: str, launches: int, time_ns: int) -> dict[str, Cell]:
    return {
        "bucket": bucket,
        "activity": "kernel",
        "side": "gpu",
        "launches": launches,
        "time_ns": time_ns,
        "share": time_ns / TOTAL_NS,
    }


def _launch(position: int) -> dict[str, Cell]:
    return {
        "launch": position,
        "name": f"triton_poi_fused_{position}",
        "activity": "kernel",
        "start_ns": 1_000 * position,
        "dur_ns": 900 + position,
        "call": None if position == 2 else f"0_forward/{position}",
        "confidence": "ambiguous" if position == 2 else "exact",
        "candidates": ["0_forward/0", "0_forward/1"] if position == 2 else None,
        "reason": "same_name" if position == 2 else None,
    }
