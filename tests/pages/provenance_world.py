"""Runs for the panes: a small one where every link is known, and one of 10,000 calls."""

from __future__ import annotations

from msgspec.structs import replace

from kernelmap.attribution import attribute_time
from kernelmap.correlation import Correlation
from kernelmap.matching import match_launches
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    FxNode,
    GraphText,
    KernelDef,
    SourceLine,
    Stage,
    Trace,
)
from kernelmap.options import Options
from pages.hand_tables import HOSTILE
from tiny import Timeline, graph

ADD, MUL = "triton_poi_fused_add_0", "triton_poi_fused_mul_1"


def correlation(program: CompiledProgram, trace: Trace) -> Correlation:
    """What `correlate` gives of a program and a trace that were never files."""
    result = match_launches(program, trace)
    shares = attribute_time(result.program, trace, result.matching, Options())
    return Correlation(inputs=(), trace=trace, match=result, attribution=shares, notices=())


def source(number: int, code: str | None = None) -> SourceLine:
    return SourceLine(file="/home/user/model.py", line=number, code=code)


def small() -> Correlation:
    """A forward of three calls, two of one kernel, and its backward, of which only lines are known.

    linear → mm: extern call 1 of line 7; gelu → erf, mul: calls 0 and 2 of line 9. A line of the
    source is hostile, and so is the comment in the code.
    """
    forward = _forward()
    backward = _backward()
    line = Timeline().invoke(forward, key="f").invoke(backward, key="b")
    return correlation(CompiledProgram(graphs=(forward, backward)), line.trace())


def _forward() -> CompiledGraph:
    plain = graph("0_forward", ADD, "aten.mm", ADD, cache_key="f", compile_id="0/0")
    code = [
        f"{ADD} = async_compile.triton('{ADD}', '''",
        "''')",
        "def call(args):",
        f"    # {HOSTILE}",
        f"    {ADD}.run(buf0)",
        "    extern_kernels.mm(buf0, out=buf1)",
        f"    {ADD}.run(buf1)",
        "    return (buf1, )",
    ]
    seven, nine = source(7, "x = self.fc(x)"), source(9, f"return gelu(x)  # {HOSTILE}")
    pre = [
        "def forward(self, L_x_):",
        '    linear: "f32[8]" = torch._C._nn.linear(L_x_)',
        '    gelu: "f32[8]" = torch._C._nn.gelu(linear)',
        "    return (gelu,)",
    ]
    post = [
        "def forward(self, primals_1):",
        '    mm: "f32[8]" = torch.ops.aten.mm.default(primals_1)',
        '    erf: "f32[8]" = torch.ops.aten.erf.default(mm)',
        '    mul: "f32[8]" = torch.ops.aten.mul.Tensor(erf, mm);  erf = mm = None',
        "    return (mul,)",
    ]
    at = (5, 6, 7)
    of_calls = (("erf",), ("mm",), ("mul",))
    return replace(
        plain,
        aot_id="0_forward",
        text="\n".join(code) + "\n",
        kernels=(_kernel(ADD, 1, 2),),
        calls=tuple(
            replace(call, line=line, nodes=nodes)
            for call, line, nodes in zip(plain.calls, at, of_calls, strict=True)
        ),
        nodes=(
            *(
                _post(name, made_of, line)
                for name, made_of, line in (
                    ("mm", "linear", seven),
                    ("erf", "gelu", nine),
                    ("mul", "gelu", nine),
                )
            ),
            FxNode(name="linear", stage=Stage.PRE_GRAD, lines=(seven,)),
            FxNode(name="gelu", stage=Stage.PRE_GRAD, lines=(nine,)),
        ),
        pre_grad_text=GraphText("\n".join(pre), {"linear": 2, "gelu": 3}),
        post_grad_text=GraphText("\n".join(post), {"mm": 2, "erf": 3, "mul": 4}),
    )


def _backward() -> CompiledGraph:
    plain = graph("0_backward", MUL, cache_key="b", compile_id="0/0")
    code = [
        f"{MUL} = async_compile.triton('{MUL}', '''",
        "''')",
        "def call(args):",
        f"    {MUL}.run()",
    ]
    nine = source(9)
    return replace(
        plain,
        aot_id="0_backward",
        text="\n".join(code),
        kernels=(_kernel(MUL, 1, 2),),
        calls=(replace(plain.calls[0], line=4, origins=None, lines=(nine,)),),
        nodes=(
            _post("mul_1", None, nine),
            FxNode(name="gelu", stage=Stage.PRE_GRAD, lines=(nine,)),
        ),
        pre_grad_text=GraphText("    gelu = torch._C._nn.gelu(linear)", {"gelu": 1}),
        post_grad_text=GraphText("    mul_1 = torch.ops.aten.mul.Tensor(a, b)", {"mul_1": 1}),
    )


def large(count: int = 10_000, *, per_kernel: int = 4) -> Correlation:
    """`count` calls with five lines of code, three nodes and a line each."""
    names = [f"triton_poi_fused_add_{number // per_kernel}" for number in range(count)]
    plain = graph("0_inference", *names)
    code: list[str] = []
    kernels = []
    for name in dict.fromkeys(names):
        first = len(code) + 1
        body = [f"    tmp{at} = tl.load(in_ptr{at} + x0, xmask)  # of {name}" for at in range(12)]
        code += [f"{name} = async_compile.triton('{name}', '''", *body, "''', device_str='cuda')"]
        kernels.append(_kernel(name, first, len(code)))
    calls, nodes, post = [], [], []
    for number, call in enumerate(plain.calls):
        code += [
            f"    # Topologically Sorted Source Nodes: [x_{number}]",
            f"    buf{number} = empty()",
        ]
        code += [f"    {call.wrapper}.run(buf{number}, buf{number + 1}, 4096)", "    del buf", ""]
        names_of_nodes = [f"add_{number}_{at}" for at in range(3)]
        for name in names_of_nodes:
            post.append(f'    {name}: "f32[4096, 1]" = torch.ops.aten.add.Tensor(arg0_1, {number})')
            nodes.append(
                _post(
                    name, f"x_{number // 2}", source(number % 900 + 1, f"x = f(x, {number % 900})")
                )
            )
        calls.append(replace(call, line=len(code) - 2, nodes=tuple(names_of_nodes)))
    pre = [f"    x_{number} = torch.add(x, {number})" for number in range(count // 2)]
    compiled = replace(
        plain,
        text="\n".join(code),
        kernels=tuple(kernels),
        calls=tuple(calls),
        nodes=(*nodes, *(FxNode(name=f"x_{n}", stage=Stage.PRE_GRAD) for n in range(count // 2))),
        pre_grad_text=GraphText("\n".join(pre), {f"x_{n}": n + 1 for n in range(count // 2)}),
        post_grad_text=GraphText(
            "\n".join(post), {node.name: at for at, node in enumerate(nodes, 1)}
        ),
    )
    return correlation(CompiledProgram(graphs=(compiled,)), Timeline().invoke(compiled).trace())


def _kernel(name: str, first: int, last: int) -> KernelDef:
    plain = graph("any", name).kernels[0]
    return replace(plain, first_line=first, last_line=last)


def _post(name: str, made_of: str | None, line: SourceLine) -> FxNode:
    pre = (made_of,) if made_of else ()
    return FxNode(name=name, stage=Stage.POST_GRAD, pre_grad=pre, lines=(line,))
