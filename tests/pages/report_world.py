"""Runs whose report is looked at: a plain one of two steps, and one with names that mean harm."""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.attribution import attribute_time
from kernelmap.correlation import Correlation
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, FxNode, Notice, SourceLine, Stage, Trace
from kernelmap.options import Options
from kernelmap.pages.report import Content
from tiny import Timeline, graph, program

ADD, MUL = "triton_poi_fused_add_0", "triton_poi_fused_mul_1"
HOSTILE = {
    "markup": "<img src=x onerror=alert(1)></script><script>alert(2)</script>",
    "link": "javascript:alert(3)",
    "quotes": '"\'` onmouseover=alert(4) x="',
    "turned": "abc\u202egnihton\u202c",
    "template": "${alert(5)}{{7*7}}",
}


def correlation(trace: Trace, *graphs: CompiledGraph) -> Correlation:
    """What `correlate` gives of a program and a trace that were never files."""
    result = match_launches(program(*graphs), trace)
    shares = attribute_time(result.program, trace, result.matching, Options())
    notices = tuple(
        Notice(slug="truncated-trace", message=f"ends early: {text}", hint=text, gap=True)
        for text in HOSTILE.values()
    )
    return Correlation(inputs=(), trace=trace, match=result, attribution=shares, notices=notices)


def content(run: Correlation) -> Content:
    return Content(tables=run.tables, records=run)


def small() -> Correlation:
    """Three calls of two kernels, twice, and eager work between; lines and modules are known."""
    compiled = _known(graph("0_forward", ADD, "aten.mm", ADD, MUL), "model.py", "encoder")
    line = Timeline().invoke(compiled).eager("aten::relu", launches=3).invoke(compiled)
    return correlation(line.trace(), compiled)


def hostile() -> Correlation:
    """A run in which every name from trace or code is one of HOSTILE, or contains one."""
    names = tuple(HOSTILE.values())
    compiled = graph(f"0_{names[0]}", *names, "aten.mm")
    compiled = replace(compiled, code=names[1], compile_id=names[2])
    compiled = _known(compiled, names[0], names[3])
    line = Timeline().invoke(compiled).eager(f"aten::{names[0]}").launch(names[2], api=None)
    return correlation(line.trace(), compiled)


def _known(plain: CompiledGraph, file: str, module: str) -> CompiledGraph:
    """The graph with code, and a node with line and module for each call."""
    code = [
        "import torch",
        *(f"def {kernel.name}(): pass  # </script>" for kernel in plain.kernels),
    ]
    kernels = tuple(
        replace(kernel, first_line=at, last_line=at) for at, kernel in enumerate(plain.kernels, 2)
    )
    nodes, calls = [], []
    for call in plain.calls:
        code.append(f"    {call.wrapper}.run()")
        names = (f"add_{call.index}", f"mul_{call.index}")
        for name, target in zip(names, ("aten.add.Tensor", "aten.mul.Tensor"), strict=True):
            line = SourceLine(file=file, line=call.index + 1, code=f"x = {call.wrapper}(x)")
            nodes.append(
                FxNode(
                    name=name, stage=Stage.POST_GRAD, target=target, lines=(line,), module=module
                )
            )
        calls.append(replace(call, line=len(code), nodes=names))
    text = "\n".join(code)
    return replace(plain, kernels=kernels, calls=tuple(calls), nodes=tuple(nodes), text=text)
