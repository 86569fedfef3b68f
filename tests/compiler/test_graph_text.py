"""The readable text of FX graphs, in the spellings of several versions, and stack traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compiler.fx.graph_text import TextNode, parse_graph_text
from kernelmap.facts.stack_traces import innermost_user_line, is_torch, user_lines
from kernelmap.model import SourceLine

TEXT = """class GraphModule(torch.nn.Module):
    def forward(
        self,
        L_x_: "f32[8, 10][10, 1]cuda:0",  # PlainAOTInput(idx=0)
    ):
        l_x_ = L_x_

        # File: /home/me/m.py:16 in forward, code: q = self.fc(x).relu()
        linear: "f32[8, 16][16, 1]cuda:0" = torch._C._nn.linear(l_x_, w);  l_x_ = None
        relu = linear.relu();  linear = None
        half: "f32[8]" = relu[0]
        d: "f32[8]" = half * 3.14;  half = None

        # No stacktrace found for following nodes
        seeds: "i64[2]" = torch.ops.prims.inductor_seeds.default(2, device(type='cpu'))

        # File: /v/site-packages/torch/utils/_device.py:122 in __torch_function__, code: return f()
        add: "f32[8]" = torch.ops.aten.add.Tensor(d, 1)
        true_graph_0 = self.true_graph_0
        return (add,)
"""


def test_a_text_gives_target_shape_and_line() -> None:
    """A node has what its own text says; a comment holds until the next one."""
    nodes = parse_graph_text(TEXT)
    line = SourceLine(file="/home/me/m.py", line=16, code="q = self.fc(x).relu()")
    shape = "f32[8, 16][16, 1]cuda:0"

    assert nodes == {
        "linear": TextNode(target="torch._C._nn.linear", shape=shape, line=line, at=9),
        "relu": TextNode(target="relu", shape=None, line=line, at=10),
        "half": TextNode(target="operator.getitem", shape="f32[8]", line=line, at=11),
        "d": TextNode(target="operator.mul", shape="f32[8]", line=line, at=12),
        "seeds": TextNode(target="prims.inductor_seeds.default", shape="i64[2]", line=None, at=15),
        "add": TextNode(target="aten.add.Tensor", shape="f32[8]", line=None, at=18),
    }


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# File: /a/b.py:3, code: y = x", SourceLine(file="/a/b.py", line=3, code="y = x")),
        (
            " # File: C:\\me\\b.py:3 in f, code: a, code: b",
            SourceLine(file="C:\\me\\b.py", line=3, code="a, code: b"),
        ),
        (
            "# Annotation: {'pp': 0} File: /a/b c.py:3 in f, code: y",
            SourceLine(file="/a/b c.py", line=3, code="y"),
        ),
        ("# File: <string>:3 in f, code: ", SourceLine(file="<string>", line=3)),
    ],
)
def test_spellings_of_the_comment(comment: str, expected: SourceLine) -> None:
    """With or without the function, after an annotation, with any path."""
    nodes = parse_graph_text(
        f"def forward(self):\n    {comment}\n    add: f32[4] = torch.ops.aten.add(a)"
    )

    assert nodes["add"] == TextNode(target="aten.add", shape="f32[4]", line=expected, at=3)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """What is no graph has nodes or not, and is never an error."""
    for name in parse_graph_text(text):
        assert name.rpartition(".")[2].isidentifier()


STACK = """  File "/home/me/train.py", line 9, in step
    loss = model(x)
           ^^^^^^^^
  File "/home/me/model.py", line 16, in forward
    x = self.fc(x)
  File "/venv/lib/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
           ~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""


def test_the_innermost_frame_of_the_user_counts() -> None:
    """Frames inside torch are passed over, carets are no code."""
    assert innermost_user_line(STACK) == SourceLine(
        file="/home/me/model.py", line=16, code="x = self.fc(x)"
    )


def test_a_stack_inside_torch_gives_its_last_frame() -> None:
    """A compiled optimizer has no frame of the user: where torch does the work is still a place."""
    stack = 'File "/v/site-packages/torch/optim/adam.py", line 7, in step\nGradient addition node'
    place = SourceLine(
        file="/v/site-packages/torch/optim/adam.py", line=7, code="Gradient addition node"
    )

    assert innermost_user_line(stack) == place
    assert innermost_user_line("no frame") is None


def test_stacks_give_each_line_once_in_a_fixed_order() -> None:
    """The order in which a kernel's stacks are listed says nothing."""
    other = STACK.replace("line 16", "line 3")

    assert user_lines([STACK, other, STACK]) == user_lines([other, STACK])
    assert [line.line for line in user_lines([STACK, other])] == [3, 16]


@pytest.mark.parametrize(
    ("file", "is_users"),
    [
        ("/v/site-packages/torch/utils/_device.py", False),
        ("/build/prov#link-tree/torch/nn/modules/activation.py", False),
        ("C:\\py\\Lib\\site-packages\\torch\\_tensor.py", False),
        ("/home/me/torch/model.py", True),
        ("/v/site-packages/torchvision/models/resnet.py", True),
        ("/home/me/nn/torch", True),
    ],
)
def test_whose_file_it_is(file: str, is_users: bool) -> None:
    """Only the location of a file makes it torch's; a user's folder named torch is not torch."""
    assert is_torch(file) is not is_users
