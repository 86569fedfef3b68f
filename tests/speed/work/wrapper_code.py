"""Generated code in a few lines: kernels over 128 floats, and a wrapper that calls them.

`kernel(name, body)` is the definition of a pointwise kernel; `module(definitions, lines)` a file
whose `call()` has those lines. Every buffer that `allocated` makes has 512 bytes.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram

BYTES = 512
_KERNEL = """
{name} = async_compile.triton('{name}', '''
@triton_heuristics.pointwise(
    size_hints={{'x': 128}},
    triton_meta={{'signature': {{{signature}}}{meta}}},
    inductor_meta={{}},
)
@triton.jit
def {name}({parameters}, xnumel, XBLOCK: tl.constexpr):
    xnumel = 128
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
{body}
''')
"""


def kernel(name: str, body: str, *, meta: str = "", **types: str) -> str:
    """A kernel whose parameters have Triton's `types`, like `in_ptr0="fp32"`."""
    pointers = [f"'{parameter}': '*{kind}'" for parameter, kind in types.items()]
    return _KERNEL.format(
        name=name,
        signature=", ".join([*pointers, "'xnumel': 'i32'"]),
        parameters=", ".join(types),
        body=indent(dedent(body).strip(), "    "),
        meta=meta,
    )


def adding(inputs: int) -> str:
    """`add_2`: the sum of two operands and one, written to a third."""
    lines = [f"tmp{i} = tl.load(in_ptr{i} + (x0), xmask)" for i in range(inputs)]
    total = " + ".join(["1.0", *(f"tmp{i}" for i in range(inputs))])
    lines += [f"tmp = {total}", "tl.store(out_ptr0 + (x0), tmp, xmask)"]
    types = {f"in_ptr{i}": "fp32" for i in range(inputs)} | {"out_ptr0": "fp32"}
    return kernel(f"add_{inputs}", "\n".join(lines), **types)


def allocated(name: str) -> str:
    """A buffer of 512 bytes."""
    return f"{name} = empty_strided_cuda((8, 16), (16, 1), torch.float32)"


def reused(name: str, old: str) -> str:
    """A new name for the memory of a buffer that is no longer needed."""
    return f"{name} = reinterpret_tensor({old}, (8, 16), (16, 1), 0); del {old}  # reuse"


def run(name: str, *buffers: str) -> str:
    """A launch."""
    return f"{name}.run({', '.join(buffers)}, 128, stream=stream0)"


def product(operand: str, result: str) -> str:
    """A library call that reads a buffer and writes another."""
    turned = f"reinterpret_tensor({operand}, (16, 16), (1, 0), 0)"
    return f"extern_kernels.mm({operand}, {turned}, out={result})"


def module(definitions: str, *lines: str) -> str:
    """A file of generated code."""
    body = ["arg0_1, = args", "assert_size_stride(arg0_1, (8, 16), (16, 1))", *lines]
    return f"{definitions}\ndef call(args):\n" + indent("\n".join(body), "    ") + "\n"


def loaded(folder: Path, text: str) -> CompiledProgram:
    """The program of a text that lies in a file."""
    path = folder / "output_code.py"
    path.write_text(text)
    return load_compiled(path)
