"""The module of each node: what parameters, marks, lines and order show, and what they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.compiler.fx.graph_text import read_graph_text
from kernelmap.compiler.fx.module_lines import SELF, Owned, owner_of, owners_of_inputs
from kernelmap.compiler.fx.modules import Modules, Text
from kernelmap.compiler.line_modules import LineModules

FILE = "/home/me/m.py"


def text(*body: str, inputs: str = "", returns: str = "()") -> Text:
    """A graph; a line `12 self.fc(x)` is the place of the nodes below it."""
    lines = ["class GraphModule(torch.nn.Module):", f"    def forward(self, {inputs}):"]
    for line in body:
        number, _, code = line.partition(" ")
        if number.isdecimal():
            line = f"# File: {FILE}:{number} in forward, code: {code}"  # noqa: PLW2901 -- the same line, whole
        lines.append(f"        {line}")
    whole = "\n".join([*lines, f"        return {returns}"])
    return Text(*read_graph_text(whole))


def weight(path: str) -> str:
    """The input's name for a parameter of the module at `path`."""
    return "L_self_" + "".join(f"modules_{part}_" for part in path.split(".")) + "parameters_w_"


def dynamo(text_: Text) -> dict[str, str]:
    return dict(Modules(text_).of_dynamo(text_))


FC1, FC2 = weight("mlp.fc1"), weight("mlp.fc2")
MLP = text(
    "12 x = self.fc1(x)",
    f'linear: "f32[4]" = torch._C._nn.linear(L_x_, {FC1});  L_x_ = None',
    "13 x = torch.relu(x)",
    "relu = torch.relu(linear)",
    "14 return self.fc2(x) * 2",
    f"linear_1 = torch._C._nn.linear(relu, {FC2})",
    "mul = linear_1 * 2",
    inputs=f'{FC1}: "f32[4]", L_x_: "f32[8, 4]", {FC2}: "f32[4]"',
    returns="(mul,)",
)


def test_parameters_name_their_module_and_lines_the_rest() -> None:
    """A linear is that of its weight; what stands between is that of the function around."""
    assert dynamo(MLP) == {
        "linear": "mlp.fc1",
        "relu": "mlp",
        "linear_1": "mlp.fc2",
        "mul": "mlp",
    }


def test_a_source_names_a_parameter_exactly() -> None:
    """The name of an input is no proof of a module called `modules_a`; its source is."""
    source = "L['self']._modules['modules_a']._parameters['w']"
    (name,) = ["L_self_modules_modules_a_parameters_w_"]

    assert owners_of_inputs([name, "L_x_"], [source]) == {name: Owned("modules_a", "w")}
    assert owner_of("L['x']") is None
    assert owner_of("L['self']._modules['a'].b[0]._buffers['mean']") == Owned("a.b.0", "mean")
    assert owner_of("L['self'].x.__dict__['y']._parameters['w']") is None


def test_behind_autograd_inputs_are_recognized_by_their_number_and_shape() -> None:
    """`primals_3` is Dynamo's third input, unless its shape says that it is not."""
    forward = text(
        "12 x = self.fc1(x)",
        "permute = torch.ops.aten.permute.default(primals_1, [1, 0])",
        "mm = torch.ops.aten.mm.default(primals_2, permute)",
        "14 return self.fc2(x) * 2",
        "mm_1 = torch.ops.aten.mm.default(mm, primals_3)",
        inputs='primals_1: "f32[4]", primals_2: "f32[8, 4]", primals_3: "f32[5]"',
    )

    assert Modules(MLP).of_aot(forward) == {
        "permute": "mlp.fc1",
        "mm": "mlp.fc1",
    }


def test_a_backward_is_recognized_by_what_it_returns() -> None:
    """A gradient belongs to the input at its place; recomputed nodes belong to the forward's."""
    forward = text(
        "12 x = self.fc1(x)",
        "mm = torch.ops.aten.mm.default(primals_2, primals_1)",
        "13 x = torch.relu(x)",
        "relu = torch.ops.aten.relu.default(mm)",
        "14 return self.fc2(x) * 2",
        "mm_1 = torch.ops.aten.mm.default(relu, primals_3)",
        inputs='primals_1: "f32[4]", primals_2: "f32[8, 4]", primals_3: "f32[4]"',
    )
    backward = text(
        "14 return self.fc2(x) * 2",
        "mm_2 = torch.ops.aten.mm.default(tangents_1, primals_3)",
        "relu = torch.ops.aten.relu.default(mm)",
        "mm_3 = torch.ops.aten.mm.default(relu, tangents_1)",
        "view = torch.ops.aten.view.default(mm_3, [4])",
        "13 x = torch.relu(x)",
        "le = torch.ops.aten.le.Scalar(mm_2, 0)",
        "12 x = self.fc1(x)",
        "mm_4 = torch.ops.aten.mm.default(le, primals_2)",
        inputs="primals_1, primals_2, primals_3, mm, tangents_1",
        returns="(mm_4, None, view)",
    )
    modules = Modules(MLP).of_backward(backward, forward)
    alone = Modules(MLP).of_backward(backward, None)

    assert modules == {
        "mm_2": "mlp.fc2",
        "relu": "mlp",
        "mm_3": "mlp.fc2",
        "view": "mlp.fc2",
        "le": "mlp",
        "mm_4": "mlp.fc1",
    }
    assert set(modules) - set(alone) == {"relu", "le"}


def test_tied_weights_name_a_module_only_where_the_code_does() -> None:
    """The output layer takes the embedding's weight, and is not the embedding."""
    table = weight("wte")
    tied = text(
        "5 x = self.wte(i)",
        f"embedding = torch.nn.functional.embedding(L_i_, {table})",
        "9 return self.head(x)",
        f"linear = torch._C._nn.linear(embedding, {table})",
        inputs=f"L_i_, {table}",
    )

    assert dynamo(tied) == {"embedding": "wte"}


def test_marks_of_the_user_come_first() -> None:
    """`annotate({"module": …})` is printed with every node; torch cuts it after 40 characters."""
    long = "layers.0." + "deep." * 7 + "fc"
    marked = text(
        "# Annotation: {'x': 1, 'module': 'a.b'} File: /m.py:3 in f, code: y = g(x)",
        "sin = torch.sin(L_x_)",
        "# Annotation: {'module': ''} No stacktrace found for following nodes",
        "cos = torch.cos(sin)",
        f"# Annotation: {{'module': '{long[:40]}...'}} File: /m.py:4 in f, code: z",
        "tan = torch.tan(cos)",
        "# No stacktrace found for following nodes",
        f"tanh = torch.tanh({weight(long)})",
        "exp = torch.exp(tanh)",
        inputs=f"L_x_, {weight(long)}",
    )

    assert dynamo(marked) == {"sin": "a.b", "cos": SELF, "tan": long, "tanh": long}


@dataclass
class Module:
    """A made-up module: its own parameter or not, its lines, each with what it calls or does."""

    path: str
    first: int
    lines: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    children: dict[str, Module] = field(default_factory=dict)
    leaf: bool = False
    bare: bool = False


FORMS = {
    "x = self.{0}(x)": ("{0}",),
    "x = torch.relu(self.{0}(x))": ("{0}", "relu"),
    "x = x + self.{0}(x)": ("{0}", "add"),
    "x = self.{0}(torch.tanh(x))": ("tanh", "{0}"),
    "x = self.{0}(self.{1}(x)) * 2": ("{1}", "{0}", "mul"),
    "x = torch.sin(x)": ("sin",),
    "for layer in self.{0}: x = layer(x)": ("*{0}",),
}


@st.composite
def classes(draw: st.DrawFn) -> list[list[str]]:
    """The code of three classes; a class runs those behind it, and leaves."""
    return [
        draw(st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=4)) for _ in range(3)
    ]


@st.composite
def models(draw: st.DrawFn) -> Module:
    """A tree of modules; instances of one class share its lines, not its children's kinds."""
    code, gaps = draw(classes()), draw(st.lists(st.integers(1, 4), min_size=3, max_size=3))
    starts = [10, 10 + 5 * gaps[0], 60 + 5 * gaps[1]]

    def make(path: str, number: int) -> Module:
        module = Module(path, starts[number])
        for at, form in enumerate(code[number]):
            names = [f"c{at}", f"d{at}"][: form.count("self.")]
            for name in names:
                module.children[name] = child(f"{path}.{name}" if path else name, number, form)
            steps = tuple(step.format(*names) for step in FORMS[form])
            module.lines.append((form.format(*names), steps))
        return module

    def child(path: str, number: int, form: str) -> Module:
        if form.startswith("for"):
            holder = Module(path, 0)
            holder.children = {str(k): one(f"{path}.{k}", number) for k in range(2)}
            return holder
        return one(path, number)

    def one(path: str, number: int) -> Module:
        kind = draw(st.sampled_from(["leaf", "leaf", "bare", "class"]))
        if kind == "class" and number + 1 < len(code):
            return make(path, number + 1)
        return Module(path, 0, leaf=True, bare=kind == "bare")

    return make("", 0)


def run(module: Module, place: str) -> Iterator[tuple[str, str, str, str]]:
    """What a forward makes: place, code of the node, parameter, and the truth."""
    if module.leaf:
        yield place, "dropout" if module.bare else "linear", module.path, module.path
        return
    for at, (code, steps) in enumerate(module.lines):
        here = f"{module.first + at} {code}"
        for step in steps:
            if step.startswith("*"):
                for layer in module.children[step[1:]].children.values():
                    yield from run(layer, here)
            elif step in module.children:
                yield from run(module.children[step], here)
            else:
                yield here, step, "", module.path or SELF


@given(models())
def test_no_node_is_given_to_a_module_that_does_not_hold_it(model: Module) -> None:
    """In any model, a node's or line's module contains it; that of a linear is exact."""
    body, truth, inputs = [], [], ["L_x_"]
    last = "L_x_"
    for number, (place, step, owner, real) in enumerate(run(model, "")):
        made = {"linear": "torch._C._nn.linear", "add": "operator.add"}.get(step, f"torch.{step}")
        taken = f", {weight(owner)}" if step == "linear" else ""
        inputs += [weight(owner)] * (step == "linear")
        operation = {"add": f"{last} + L_x_", "mul": f"{last} * 2"}.get(step)
        body += [place, f"n{number} = {operation or f'{made}({last}{taken})'}"]
        truth.append((f"n{number}", step, real))
        last = f"n{number}"
    drawn = text(*body, inputs=", ".join(dict.fromkeys(inputs)))
    modules = dynamo(drawn)

    for name, step, real in truth:
        module = modules.get(name)
        assert module is None or module in (real, SELF) or real.startswith(f"{module}.")
        assert step != "linear" or module == real
    nodes = {name: replace(node, module=modules.get(name)) for name, node in drawn.nodes.items()}
    lines = LineModules.learn_lines(nodes)
    for name, _, real in truth:
        module = lines.of_line(nodes[name].line)
        assert module is None or module in (real, SELF) or real.startswith(f"{module}.")


@pytest.mark.parametrize("payload", ["", "no graph", "def forward(self, x", "    return ("])
def test_text_that_is_no_graph_has_no_flow(payload: str) -> None:
    """Whatever a log holds there, nothing is made of it."""
    assert Modules(Text(*read_graph_text(payload))).of_dynamo(text()) == {}


def test_words_of_an_operator_are_no_nodes() -> None:
    """`aten.permute.default` uses no node `permute`, nor does a method or an attribute of a value.

    A node would else get the module of the first parameter that anything of that name was made of.
    """
    read = text(
        f"permute = torch.ops.aten.permute.default({FC1}, [1, 0])",
        f"permute_1 = torch.ops.aten.permute.default({FC2}, [1, 0])",
        "view = x.view(8, 8)",
        "sum_1 = view.permute(1, 0).sum(dim = view_1.ndim)",
        inputs=f"{FC1}, {FC2}, x, view_1",
    )

    assert dict(read.flow.uses) == {
        "permute": (FC1,),
        "permute_1": (FC2,),
        "view": ("x",),
        "sum_1": ("view", "view_1"),
    }
    assert dynamo(read) == {"permute": "mlp.fc1", "permute_1": "mlp.fc2"}
