"""Write the TORCH_TRACE log and the profile of a large language model, as torch would write them.

Real logs of such models are some ten megabytes per graph, and take the compiler a minute each. This
writes what kernelmap reads of them: Dynamo's graph, the post-grad graph and the generated code of a
Llama of any depth, each graph for another batch, without INDUCTOR_PROVENANCE. The profile runs each
graph once, with the host side of every call.

    python scripts/llama_log.py FOLDER --graphs 8 --layers 83    # eight graphs of 6,150 nodes
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import usage

PREFIX = "V1127 08:00:00.000000 100 torch/_inductor/graph.py:2745] "
MODEL = "/home/me/llama.py"
LAYERS = 83
"""With so many layers both graphs of one compilation have some 6,150 nodes together."""
# Source lines of the model by number: the function that they stand in, and their code.
LINES = {
    12: ("forward", "hidden_states = hidden_states.to(torch.float32)"),
    13: ("forward", "variance = hidden_states.pow(2).mean(-1, keepdim=True)"),
    14: ("forward", "hidden_states = hidden_states * torch.rsqrt(variance + self.eps)"),
    15: ("forward", "return self.weight * hidden_states.to(input_dtype)"),
    19: ("rotate_half", "return torch.cat((-x2, x1), dim=-1)"),
    22: ("rotary", "return (q * cos) + (rotate_half(q) * sin)"),
    32: ("forward", "q = self.q_proj(x).view(shape).transpose(1, 2)"),
    33: ("forward", "k = self.k_proj(x).view(shape).transpose(1, 2)"),
    34: ("forward", "v = self.v_proj(x).view(shape).transpose(1, 2)"),
    35: ("forward", "q, k = rotary(q, cos, sin), rotary(k, cos, sin)"),
    36: ("forward", "scores = torch.matmul(q, k.transpose(2, 3)) * 0.125"),
    37: ("forward", "weights = F.softmax(scores, dim=-1)"),
    38: ("forward", "out = torch.matmul(weights, v)"),
    40: ("forward", "return self.o_proj(out.transpose(1, 2))"),
    46: ("forward", "return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))"),
    55: ("forward", "hidden_states = residual + hidden_states"),
    59: ("forward", "hidden_states = residual + hidden_states"),
}
_NORM = (
    (12, "to", "{x}.to(torch.float32)", "prims.convert_element_type.default"),
    (13, "pow", "{to}.pow(2)", "aten.pow.Tensor_Scalar"),
    (13, "mean", "{pow}.mean(-1, keepdim = True)", "aten.mean.dim"),
    (14, "rsqrt", "torch.rsqrt({mean})", "aten.rsqrt.default"),
    (14, "mul", "{to} * {rsqrt}", "aten.mul.Tensor"),
    (15, "norm", "{weight} * {mul}", "aten.mul.Tensor"),
)
_ROTARY = (
    (22, "mul", "{x} * {cos}", "aten.mul.Tensor"),
    (19, "neg", "-{x}", "aten.neg.default"),
    (19, "cat", "torch.cat(({neg}, {x}), dim = -1)", "aten.cat.default"),
    (22, "by", "{cat} * {sin}", "aten.mul.Tensor"),
    (22, "rotated", "{mul} + {by}", "aten.add.Tensor"),
)
_SOFTMAX = (
    (36, "scores", "{x} * 0.125", "aten.mul.Tensor"),
    (37, "weights", "torch.nn.functional.softmax({scores}, dim = -1)", "aten.exp.default"),
)
_GATE = (
    (46, "silu", "torch.nn.functional.silu({gate})", "aten.sigmoid.default"),
    (46, "mul", "{silu} * {up}", "aten.mul.Tensor"),
)
_Ops = Sequence[tuple[int, str, str, str]]


@dataclass
class _Call:
    """A call of the generated code: what it runs, and the names of the nodes behind it."""

    wrapper: str
    dynamo: list[str] = field(default_factory=list)
    post_grad: list[tuple[str, str]] = field(default_factory=list)


class _Llama:
    """One graph while it is written: the lines of its texts, and its calls."""

    def __init__(self, batch: int, layers: int) -> None:
        self.shape = f"bf16[{batch}, 128, 64][8192, 64, 1]cuda:0"
        self.inputs = ["l_cos_", "l_sin_", "l_x_"]
        self.dynamo: list[str] = []
        self.post_grad: list[str] = []
        self.calls: list[_Call] = []
        # Nodes are numbered per graph and name, `mul`, `mul_1`, as torch.fx numbers them.
        self._numbers: defaultdict[tuple[str, str], Iterator[int]] = defaultdict(itertools.count)
        self._post_of = {"l_cos_": "arg0_1", "l_sin_": "arg1_1", "l_x_": "arg2_1"}
        hidden = "l_x_"
        for layer in range(layers):
            hidden = self._write_layer(hidden, f"layers_modules_{layer}_modules_")

    def _write_layer(self, hidden: str, path: str) -> str:
        x = self._fuse("triton_red_fused_norm_0", _NORM, x=hidden, weight=f"{path}input_norm")
        attention = f"{path}self_attn_modules_"
        q, k, v = (
            self._multiply(line, x, f"{attention}{name}_proj")
            for line, name in ((32, "q"), (33, "k"), (34, "v"))
        )
        q, k = (self._fuse("triton_poi_fused_rotary_1", _ROTARY, x=name) for name in (q, k))
        scores = self._library("bmm", 36, "torch.matmul", (q, k))
        weights = self._fuse("triton_per_fused_softmax_2", _SOFTMAX, x=scores)
        out = self._library("bmm", 38, "torch.matmul", (weights, v))
        added = self._multiply(40, out, f"{attention}o_proj")
        hidden = self._fuse("triton_poi_fused_add_3", self._residual(55), x=hidden, y=added)
        x = self._fuse("triton_red_fused_norm_0", _NORM, x=hidden, weight=f"{path}post_norm")
        gate = self._multiply(46, x, f"{path}mlp_modules_gate_proj")
        up = self._multiply(46, x, f"{path}mlp_modules_up_proj")
        down = self._fuse("triton_poi_fused_silu_4", _GATE, gate=gate, up=up)
        added = self._multiply(46, down, f"{path}mlp_modules_down_proj")
        return self._fuse("triton_poi_fused_add_3", self._residual(59), x=hidden, y=added)

    @staticmethod
    def _residual(line: int) -> _Ops:
        return ((line, "add", "{x} + {y}", "aten.add.Tensor"),)

    def _fuse(self, wrapper: str, ops: _Ops, **names: str) -> str:
        """Write the nodes that one generated kernel runs; gives the last one's name."""
        call = _Call(wrapper)
        known = {"cos": "l_cos_", "sin": "l_sin_", **names}
        if "weight" in known:
            known["weight"] = self._parameter(known["weight"])
        for line, stem, made, target in ops:
            known[stem] = self._node(call, line, stem, made.format(**known), target)
        self.calls.append(call)
        return known[ops[-1][1]]

    def _multiply(self, line: int, x: str, path: str) -> str:
        """Write a linear layer: a product with a parameter."""
        return self._library("mm", line, "torch._C._nn.linear", (x, self._parameter(path)))

    def _library(self, name: str, line: int, function: str, taken: tuple[str, str]) -> str:
        call = _Call(f"extern_kernels.{name}")
        stem = "linear" if name == "mm" else "matmul"
        made = f"{function}({', '.join(taken)})"
        node = self._node(call, line, stem, made, f"aten.{name}.default")
        self.calls.append(call)
        return node

    def _parameter(self, path: str) -> str:
        name = f"l_self_modules_{path}_parameters_weight_"
        self._post_of[name] = f"arg{len(self.inputs)}_1"
        self.inputs.append(name)
        return name

    def _node(self, call: _Call, line: int, stem: str, made: str, target: str) -> str:
        """Write one node into both graphs; its post-grad node takes what it takes itself."""
        name = self._name("dynamo", stem)
        function, code = LINES[line]
        place = f"\n        # File: {MODEL}:{line} in {function}, code: {code}"
        self.dynamo += [place, f'        {name}: "{self.shape}" = {made}']
        words = dict.fromkeys(re.findall(r"\w+", made))
        taken = [self._post_of[word] for word in words if word in self._post_of]
        post = self._name("post-grad", target.split(".")[1])
        self._post_of[name] = post
        arguments = ", ".join(taken)
        self.post_grad += [
            place,
            f'        {post}: "{self.shape}" = torch.ops.{target}({arguments})',
        ]
        call.dynamo.append(name)
        call.post_grad.append((post, target))
        return name

    def _name(self, graph: str, stem: str) -> str:
        number = next(self._numbers[graph, stem])
        return f"{stem}_{number}" if number else stem


def events(graph: _Llama, frame: int) -> Iterator[str]:
    """The events of one compilation, in the order in which torch logs them."""
    ids = {"frame_id": frame, "frame_compile_id": 0, "attempt": 0}
    signature = ", ".join(
        f'{name.replace("l_", "L_", 1)}: "{graph.shape}"' for name in graph.inputs
    )
    named = [f"        {name} = {name.replace('l_', 'L_', 1)}" for name in graph.inputs]
    head = "class GraphModule(torch.nn.Module):\n    def forward(self, "
    body = "\n".join([*named, *graph.dynamo, "        return ()\n"])
    yield _event({"dynamo_output_graph": {}, **ids}, f"{head}{signature}):\n{body}")
    signature = ", ".join(f'arg{at}_1: "{graph.shape}"' for at in range(len(graph.inputs)))
    head = "class <lambda>(torch.nn.Module):\n    def forward(self, "
    body = "\n".join([*graph.post_grad, "        return ()\n"])
    yield _event(_artifact("inductor_post_grad_graph", ids), f"{head}{signature}):\n{body}")
    code = {"inductor_output_code": {"filename": f"/cache/c{frame}.py"}, **ids}
    yield _event(code, code_of_graph(graph, frame))
    yield _event(_artifact("fx_graph_cache_miss", ids), json.dumps({"key": cache_key(frame)}))


def cache_key(frame: int) -> str:
    """The key that a profile names the graph by."""
    return "f" + hashlib.md5(str(frame).encode(), usedforsecurity=False).hexdigest()


def _artifact(name: str, ids: dict[str, int]) -> dict[str, object]:
    return {"artifact": {"name": name, "encoding": "string"}, **ids}


def _event(head: dict[str, object], payload: str) -> str:
    digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    lines = payload.replace("\n", "\n\t")
    return f"{PREFIX}{json.dumps({**head, 'has_payload': digest})}\n\t{lines}\n"


def code_of_graph(graph: _Llama, frame: int) -> str:
    """The generated code: each kernel once, by its first call, and all calls."""
    lines = [f"# AOT ID: ['{frame}_inference']", "async_compile = AsyncCompile()", ""]
    defined: set[str] = set()
    for call in graph.calls:
        if call.wrapper.startswith("triton_") and call.wrapper not in defined:
            defined.add(call.wrapper)
            lines += _definition(call, graph.shape)
    lines += ["class Runner:", "    def call(self, args):", "        args.clear()"]
    lines += ["        with torch.cuda._DeviceGuard(0):"]
    for number, call in enumerate(graph.calls):
        made = f"empty_strided_cuda(({len(graph.shape)}, 128, 64), (8192, 64, 1), torch.bfloat16)"
        lines += [f"            buf{number + 1} = {made}", f"            {_comment(call)}"]
        if call.wrapper.startswith("triton_"):
            lines += ["            raw_stream0 = get_raw_stream(0)"]
            taken = f"buf{number}, buf{number + 1}, 8192, stream=raw_stream0"
            lines += [f"            {call.wrapper}.run({taken})"]
        else:
            lines += [f"            {call.wrapper}(buf{number}, arg3_1, out=buf{number + 1})"]
        lines += [f"            del buf{number}"]
    return "\n".join([*lines, "        return ()\n"])


def _comment(call: _Call) -> str:
    targets = dict.fromkeys(".".join(target.split(".")[:2]) for _, target in call.post_grad)
    return (
        f"# Topologically Sorted Source Nodes: [{', '.join(call.dynamo)}], "
        f"Original ATen: [{', '.join(targets)}]"
    )


def _definition(call: _Call, shape: str) -> list[str]:
    pairs = list(zip(call.dynamo, call.post_grad, strict=True))
    nodes = [f"#   {source} => {node}" for source, (node, _) in pairs]
    made = f'Tensor "{shape}"[num_users=1] = call_function'
    fragment = [
        f"#   %{node} : {made}[target=torch.ops.{target}](args = (), kwargs = {{}})"
        for _, (node, target) in pairs
    ]
    return [
        _comment(call),
        "# Source node to ATen node mapping:",
        *nodes,
        "# Graph fragment:",
        *fragment,
        f"{call.wrapper} = async_compile.triton('{call.wrapper}', '''",
        f"def {call.wrapper}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):",
        "    pass",
        "''', device_str='cuda')",
        "",
    ]


def profile_of_graphs(graphs: Sequence[_Llama]) -> dict[str, object]:
    """A Kineto trace in which each graph runs once: ranges, launches and kernels."""
    rows: list[dict[str, object]] = []
    now, correlation = 1_000, 0
    for frame, graph in enumerate(graphs):
        begin = now
        for call in graph.calls:
            correlation += 1
            short = call.wrapper.removeprefix("extern_kernels.")
            operator = call.wrapper if short == call.wrapper else f"aten::{short}"
            device = call.wrapper if short == call.wrapper else "nvjet_tst_128x64_64x8_2x1_v_bz_TNT"
            args = {"correlation": correlation, "External id": correlation}
            rows += [
                _row("cpu_op", operator, now, 8, {"External id": correlation}),
                _row("cuda_runtime", "cudaLaunchKernel", now + 2, 4, args),
                _row("kernel", device, now + 20, 7, {**args, "device": 0, "stream": 7}, 7),
            ]
            now += 10
        name = f"## Call CompiledFxGraph {cache_key(frame)} ##"
        rows.append(_row("user_annotation", name, begin - 1, now - begin + 1, {}))
        now += 50
    return {"schemaVersion": 1, "deviceProperties": [], "traceEvents": rows}


def _row(
    category: str, name: str, start: int, duration: int, args: Mapping[str, object], thread: int = 1
) -> dict[str, object]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 0 if category == "kernel" else 100,
        "tid": thread,
        "ts": start,
        "dur": duration,
        "args": args,
    }


def write_llama(folder: Path, graphs: int, layers: int) -> tuple[Path, Path]:
    """Write the log of so many graphs, and the profile of one run of each; gives both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [_Llama(batch, layers) for batch in range(1, graphs + 1)]
    log, profile = folder / "dedicated_log_torch_trace_llama.log", folder / "profile.json"
    parts = (event for frame, graph in enumerate(written) for event in events(graph, frame))
    log.write_text("".join(parts), encoding="utf-8")
    profile.write_text(json.dumps(profile_of_graphs(written)), encoding="utf-8")
    return log, profile


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", type=int, default=8)
    parser.add_argument("--layers", type=int, default=LAYERS)
    chosen = parser.parse_args()
    for path in write_llama(chosen.folder, chosen.graphs, chosen.layers):
        print(path)


if __name__ == "__main__":
    main()
