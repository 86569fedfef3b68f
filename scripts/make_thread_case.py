"""Make sample_traces/thread_lift_fresh: a report of torch 2.3 that one GPU name hid five kernels.

A user saw two names on the GPU, `triton__0d1c` and `triton__0d1`, and had six wrappers in the
generated code. Everything here is made by hand and simulated: the code follows the grammar that
torch 2.3 writes with unique kernel names off, the device names follow from its signatures and
specializations, and the profile plays the code a hundred times.

    python scripts/make_thread_case.py
"""

from __future__ import annotations

import hashlib
import sys
from base64 import b32encode
from dataclasses import dataclass, replace
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.compiler import load_compiled  # noqa: E402 -- after the line above
from worlds import World, simulate  # noqa: E402 -- as above

TARGET = PROJECT / "sample_traces" / "thread_lift_fresh"
SEED = 23
INVOCATIONS = 100
SIMULATED = "by kernelmap scripts/make_thread_case.py"


@dataclass(frozen=True, slots=True)
class Kernel:
    """One pointwise kernel that writes `numel` values of `value`; `op` names its wrapper."""

    number: int
    op: str
    value: str
    numel: int = 1
    dtype: str = "float32"

    @property
    def wrapper(self) -> str:
        """The variable in the generated code."""
        return f"triton_poi_fused_{self.op}_{self.number}"


KERNELS = (
    Kernel(0, "lift_fresh", "0.5"),
    Kernel(1, "arange", "x0", numel=5, dtype="int64"),
    Kernel(2, "lift_fresh", "1.5"),
    Kernel(3, "lift_fresh", "2.0"),
    Kernel(4, "lift_fresh", "0.001"),
    Kernel(5, "lift_fresh", "-1.0"),
)
CALLS = (0, 1, 2, 3, 0, 4, 5)
"""Kernel numbers in program order; two constants of one value share kernel 0."""

HEADER = """
from ctypes import c_void_p, c_long
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align

from torch import device, empty_strided
from torch._inductor.codecache import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
from torch._inductor.codegen.multi_kernel import MultiKernelCall

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
async_compile = AsyncCompile()

import triton
import triton.language as tl
from torch._inductor.triton_heuristics import grid, split_scan_grid, start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

"""

DEFINITION = """
# kernel path: {path}
# Source Nodes: [{node}], Original ATen: [aten.{op}]
# {node} => {post}
{wrapper} = async_compile.triton('triton_', '''
import triton
import triton.language as tl

from torch._inductor import triton_helpers, triton_heuristics
from torch._inductor.ir import ReductionHint, TileHint
from torch._inductor.triton_helpers import libdevice, math as tl_math
from torch._inductor.triton_heuristics import AutotuneHint
from torch._inductor.utils import instance_descriptor

@triton_heuristics.pointwise(
    size_hints=[{hint}],
    filename=__file__,
    triton_meta={{'signature': {{0: '{pointer}', 1: 'i32'}}, 'device': 0, 'device_type': 'cuda', \
'constants': {constants}, 'configs': [instance_descriptor(divisible_by_16=(0,), \
equal_to_1={ones}, ids_of_folded_args=(), divisible_by_8=())]}},
    inductor_meta={{'autotune_hints': set(), 'kernel_name': '{wrapper}', 'mutated_arg_names': [], \
'no_x_dim': False}},
    min_elem_per_thread=0
)
@triton.jit
def triton_(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = {numel}
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = {value}
    tl.store(out_ptr0 + (x0), tmp0, xmask)
''', device_str='cuda')

"""

CALL = """\
        buf{n} = empty_strided_cuda({shape}, {stride}, torch.{dtype})
        # Source Nodes: [{node}], Original ATen: [aten.{op}]
        {stream}{wrapper}.run(buf{n}, {numel}, grid=grid({numel}), stream=stream0)
"""


def node(position: int) -> str:
    """The graph node behind the call at `position`, numbered from the second on (`tensor_1`)."""
    op = KERNELS[CALLS[position]].op
    earlier = sum(KERNELS[number].op == op for number in CALLS[:position])
    base = "arange" if op == "arange" else "tensor"
    return f"{base}_{earlier}" if earlier else base


def definition(kernel: Kernel) -> str:
    """The definition of one kernel, its comment block included."""
    digest = b32encode(hashlib.sha256(kernel.wrapper.encode()).digest()).decode().lower()
    one = kernel.numel == 1
    first = CALLS.index(kernel.number)
    return DEFINITION.format(
        path=f"/tmp/torchinductor_user/{digest[:2]}/c{digest[:51]}.py",  # noqa: S108 -- a name, no file
        node=node(first),
        op=kernel.op,
        post=node(first).replace("tensor", "lift_fresh_copy").replace("arange", "iota"),
        wrapper=kernel.wrapper,
        hint=1 if one else 8,
        pointer="*fp32" if kernel.dtype == "float32" else "*i64",
        constants="{1: 1}" if one else "{}",
        ones="(1,)" if one else "()",
        numel=kernel.numel,
        value=kernel.value,
    )


def code() -> str:
    """The whole output_code.py."""
    calls = "".join(
        CALL.format(
            n=position,
            shape="()" if kernel.numel == 1 else f"({kernel.numel}, )",
            stride="()" if kernel.numel == 1 else "(1, )",
            dtype=kernel.dtype,
            node=node(position),
            op=kernel.op,
            stream="" if position else "stream0 = get_raw_stream(0)\n        ",
            wrapper=kernel.wrapper,
            numel=kernel.numel,
        )
        for position, kernel in enumerate(KERNELS[number] for number in CALLS)
    )
    results = ", ".join(f"buf{position}" for position in range(len(CALLS)))
    return (
        HEADER
        + "".join(definition(kernel) for kernel in KERNELS)
        + "\nasync_compile.wait(globals())\ndel async_compile\n\n"
        + "def call(args):\n    with torch.cuda._DeviceGuard(0):\n"
        + "        torch.cuda.set_device(0)\n"
        + calls
        + f"    return ({results}, )\n"
    )


def run_toml() -> str:
    """What the sample is, and what is true in it."""
    launches = {kernel.wrapper: CALLS.count(kernel.number) * INVOCATIONS for kernel in KERNELS}
    rows = "\n".join(f"{wrapper} = {count}" for wrapper, count in launches.items())
    return f'''title = "Six wrappers, two names on the GPU"
kind = "simulated"
made_by = "python scripts/make_thread_case.py"
command = "kernelmap correlate output_code.py profile.json"
seed = {SEED}
notes = """
After a user's report: the shape of the case is theirs, every byte here is made up.
The code is written by hand in the grammar of torch 2.3 with unique kernel names off.
profile.json has the host side, profile_gpu_only.json.gz the kernels alone.
torch 2.3 marks compiled code with a plain `Torch-Compiled Region`; it has no
`## Call CompiledFxGraph` range, and its kernel ranges carry a name and nothing else.
"""

[versions]
torch = "2.3"
triton = "2.3"

[truth]
invocations = {INVOCATIONS}
launches_per_invocation = {len(CALLS)}

[truth.wrappers]
{rows}

[truth.device_names]
triton__0d1c = {sum(KERNELS[n].numel == 1 for n in CALLS) * INVOCATIONS}
triton__0d1 = {sum(KERNELS[n].numel != 1 for n in CALLS) * INVOCATIONS}
'''


def main() -> None:
    """Write the four files of the sample."""
    usage.parser(__doc__).parse_args()
    TARGET.mkdir(parents=True, exist_ok=True)
    source = TARGET / "output_code.py"
    source.write_text(code(), encoding="utf-8")
    program = load_compiled(source)
    world = World(
        seed=SEED,
        invocations=INVOCATIONS,
        eager=0,
        autotune=False,
        record_shapes=False,
        graph_ranges="absent",
        names="legacy",
        steps=False,
        durations="plausible",
    )
    full = replace(simulate(program, world), simulated=SIMULATED)
    bare = replace(simulate(program, replace(world, host=False)), simulated=SIMULATED)
    full.write_kineto(TARGET / "profile.json")
    bare.write_kineto(TARGET / "profile_gpu_only.json.gz")
    (TARGET / "RUN.toml").write_text(run_toml(), encoding="utf-8")
    print(f"{TARGET.relative_to(PROJECT)}: {len(full.truth)} launches, simulated")


if __name__ == "__main__":
    main()
