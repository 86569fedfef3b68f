"""Generated code as Inductor writes it, for programs that nobody compiled.

A `Written` graph lists its statements; `program_of` writes a file per graph and reads it with the
normal readers. Kernels are counted per graph and equal ones are defined once, as Inductor does:
names repeat across graphs, and nothing in them tells two layers of one shape apart. Left out: the
bodies of kernels, which nothing in a profile shows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram

_HEURISTICS = {"poi": "pointwise", "red": "reduction", "per": "persistent_reduction"}
_DIVISIBLE = 16

_CALLS = {
    "aten.mm": "extern_kernels.mm({before}, arg0_1, out={after})",
    "aten.bmm": "extern_kernels.bmm({before}, arg0_1, out={after})",
    "aten.addmm": "extern_kernels.addmm(arg1_1, {before}, arg0_1, alpha=1, beta=1, out={after})",
    "aten.convolution": (
        "{after} = extern_kernels.convolution({before}, arg0_1, stride=(1, 1), padding=(1, 1), "
        "dilation=(1, 1), transposed=False, output_padding=(0, 0), groups=1, bias=None)"
    ),
    "aten.index_put_": "aten.index_put_({before}, [arg0_1], arg1_1, True)",
}
_FALLBACK = "{after} = torch.ops.{operator}.{overload}({before}, arg0_1)"
_OVERLOADS = {"aten.sort": "stable"}

_HEADER = """\
# AOT ID: ['{name}']
import torch
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
async_compile = AsyncCompile()

"""
_DEFINITION = """
# kernel path: /tmp/torchinductor_user/{folder}/{stem}.py
# Topologically Sorted Source Nodes: [{ops}], Original ATen: [{aten}]
{name} = async_compile.triton('{name}', '''
import triton
import triton.language as tl

@triton_heuristics.{heuristic}(
    size_hints={hints},
    filename=__file__,
    triton_meta={{'signature': {signature}, 'constants': {{}}, 'configs': [{{{special}}}]}},
    inductor_meta={{'grid_type': 'Grid1D', 'kernel_name': '{name}', 'mutated_arg_names': []}}
)
@triton.jit
def {name}({arguments}):
    pass
''', device_str='cuda')

"""
_RUNNER = """
async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def call(self, args):
        arg0_1, arg1_1 = args
        args.clear()
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((64, 64), (64, 1), torch.float32)
"""
_FOOTER = """\
            return (buf0, )

runner = Runner(partitions=[])
call = runner.call
"""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A Triton kernel: its category, what it fuses, its sizes, and how many tensors it takes."""

    category: str
    ops: tuple[str, ...]
    numels: tuple[int, ...]
    pointers: int

    def name(self, number: int) -> str:
        """How Inductor calls the kernel that is defined as number `number` of its graph."""
        return f"triton_{self.category}_fused_{'_'.join(sorted(self.ops))}_{number}"


@dataclass(frozen=True, slots=True)
class Library:
    """A call of an ATen operator, written `aten.mm`."""

    operator: str


Statement = Kernel | Library


@dataclass(frozen=True, slots=True)
class Written:
    """A graph: its AOT id and its statements in order."""

    name: str
    statements: tuple[Statement, ...]

    def wrappers(self) -> Iterator[str]:
        """What each statement calls: the kernel's name, or the operator."""
        numbers = self._numbers()
        for statement in self.statements:
            yield (
                statement.name(numbers[statement])
                if isinstance(statement, Kernel)
                else statement.operator
            )

    def code(self) -> str:
        """The whole file."""
        numbers = self._numbers()
        definitions = "".join(_definition(kernel, number) for kernel, number in numbers.items())
        lines = [
            f"            {line}\n"
            for at, statement in enumerate(self.statements)
            for line in _statement(statement, at, numbers)
        ]
        return _HEADER.format(name=self.name) + definitions + _RUNNER + "".join(lines) + _FOOTER

    def _numbers(self) -> dict[Kernel, int]:
        """The kernels in the order of their definitions: each once, however often it runs."""
        kernels = dict.fromkeys(
            statement for statement in self.statements if isinstance(statement, Kernel)
        )
        return {kernel: number for number, kernel in enumerate(kernels)}


@lru_cache(maxsize=64)
def program_of(graphs: tuple[Written, ...]) -> CompiledProgram:
    """Write a file per graph and read them as one program, its graphs in the order given."""
    with tempfile.TemporaryDirectory() as folder:
        for number, graph in enumerate(graphs):
            path = Path(folder) / f"graph_{number:03}" / "output_code.py"
            path.parent.mkdir()
            path.write_text(graph.code(), encoding="utf-8")
        return load_compiled(Path(folder))


def _definition(kernel: Kernel, number: int) -> str:
    name = kernel.name(number)
    pointers = [*(f"in_ptr{at}" for at in range(kernel.pointers - 1)), "out_ptr0"]
    sizes = ["xnumel", "r0_numel"][: len(kernel.numels)]
    blocks = ["XBLOCK", "R0_BLOCK"][: 1 + (kernel.category == "red")]
    signature = (
        dict.fromkeys(pointers, "*fp32")
        | dict.fromkeys(sizes, "i32")
        | dict.fromkeys(blocks, "constexpr")
    )
    divisible = [True] * len(pointers) + [size % _DIVISIBLE == 0 for size in kernel.numels]
    special = ", ".join(
        f"({at},): [['tt.divisibility', 16]]" for at, is_so in enumerate(divisible) if is_so
    )
    stem = "c" + sha256(repr(kernel).encode()).hexdigest()[:51]
    return _DEFINITION.format(
        folder=stem[1:3],
        stem=stem,
        ops=", ".join(kernel.ops),
        aten=", ".join(f"aten.{op}" for op in kernel.ops),
        name=name,
        heuristic=_HEURISTICS[kernel.category],
        hints=dict(zip(("x", "r0_"), kernel.numels, strict=False)),
        signature=signature,
        special=special,
        arguments=", ".join([*pointers, *sizes, *(f"{it} : tl.constexpr" for it in blocks)]),
    )


def _statement(statement: Statement, at: int, numbers: dict[Kernel, int]) -> Iterator[str]:
    before, after = f"buf{at}", f"buf{at + 1}"
    if isinstance(statement, Kernel):
        arguments = ", ".join(
            [before] * (statement.pointers - 1) + [after] + [str(size) for size in statement.numels]
        )
        yield f"{after} = empty_strided_cuda((64, 64), (64, 1), torch.float32)"
        yield "raw_stream0 = get_raw_stream(0)"
        yield f"{statement.name(numbers[statement])}.run({arguments}, stream=raw_stream0)"
        return
    overload = _OVERLOADS.get(statement.operator, "default")
    text = _CALLS.get(statement.operator, _FALLBACK)
    if "out=" in text:
        yield f"{after} = empty_strided_cuda((64, 64), (64, 1), torch.float32)"
    yield text.format(before=before, after=after, operator=statement.operator, overload=overload)
    if statement.operator == "aten.index_put_":
        yield f"{after} = {before}; del {before}"
