"""Small texts of generated code, in the words Inductor uses, for the tests of the compile side."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph, CompiledProgram

HEADER = """from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels

aten = torch.ops.aten
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
async_compile = AsyncCompile()
"""
SIGNATURE = "{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}"
CONFIGS = "[{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]"
MAPPING = "inductor_provenance_tracking_node_mappings.json"


def triton(
    name: str,
    *,
    comment: str = "",
    heuristic: str = "triton_heuristics.pointwise(size_hints={'x': 64}, ",
    configs: str = CONFIGS,
    signature: str = SIGNATURE,
    inductor_meta: str = "{'grid_type': 'Grid1D'}",
) -> str:
    """A Triton definition of the current grammar."""
    return f"""{comment}
{name} = async_compile.triton('{name}', '''
import triton

@{heuristic}filename=__file__,
    triton_meta={{'signature': {signature}, 'constants': {{}}, 'configs': {configs}}},
    inductor_meta={inductor_meta},
)
@triton.jit
def {name}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tl.store(out_ptr0, tl.load(in_ptr0))
''', device_str='cuda')
"""


def wrapper(
    *definitions: str, body: str, functions: str = "", aot: str | None = "0_forward"
) -> str:
    """Generated code with a module-level `call()`; the lines of `body` are its statements."""
    stated = f"# AOT ID: ['{aot}']\n" if aot is not None else ""
    return "\n".join(
        (
            stated + HEADER,
            *definitions,
            functions,
            "async_compile.wait(globals())",
            "def call(args):",
            "    args.clear()",
            indent(body.strip("\n"), "    "),
            "    return ()",
            "",
        )
    )


def program(folder: Path, text: str, mapping: object = None) -> CompiledProgram:
    """What the compile side reads of one text, with its node mapping beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "output_code.py"
    path.write_text(text, encoding="utf-8")
    if mapping is not None:
        (folder / MAPPING).write_text(json.dumps(mapping), encoding="utf-8")
    return load_compiled(path)


def graph(folder: Path, text: str, mapping: object = None) -> CompiledGraph:
    """The one graph of a text that is read without a notice."""
    read = program(folder, text, mapping)

    assert read.notices == ()
    (compiled,) = read.graphs
    return compiled


def wrappers(compiled: CompiledGraph) -> list[str]:
    """The wrappers of a graph's calls, in order."""
    return [call.wrapper for call in compiled.calls]
