"""A recording may be a stranger's: what it holds becomes data of a script, or no script."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.repro import make_repro
from kernelmap.repro.answer import ReproSource, make_script, read_source

CODE = """# AOT ID: ['0_inference']
import torch
extern_kernels = None

def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (8, 8), (8, 1))
    assert_size_stride(arg1_1, (8, 8), (8, 1))
    with torch.cuda._DeviceGuard(0):
        buf0 = empty_strided_cuda((8, 8), (8, 1), torch.float32)
        {statement}
    return (buf0, )
"""
EVIL = "__import__('os').system('x')"


def names_and_calls(text: str) -> set[str]:
    """Every name, attribute and module that a script mentions."""
    tree = ast.parse(text)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def made_of(folder: Path, statement: str) -> str:
    path = folder / "output_code.py"
    path.write_text(CODE.format(statement=statement), encoding="utf-8")
    return make_repro("0_inference/0", path).text


def test_a_product_becomes_a_script(tmp_path: Path) -> None:
    """The plain case, so that the others fail for what they add."""
    text = made_of(tmp_path, "extern_kernels.mm(arg0_1, arg1_1, out=buf0)")
    assert "torch.mm(arg0_1, arg1_1, out=buf0)" in text
    assert "torch.mm(arg0_1.double(), arg1_1.double())" in text


@pytest.mark.parametrize(
    "argument",
    [EVIL, f"[{EVIL}]", f"x if {EVIL} else y", "lambda: 0", f"torch.{'__class__'}"],
)
def test_an_argument_that_is_no_literal_makes_no_script(tmp_path: Path, argument: str) -> None:
    """Only what is known of arguments is written anew; anything else is refused by its words."""
    with pytest.raises(KernelmapError, match="which a script cannot make") as raised:
        made_of(tmp_path, f"extern_kernels.mm(arg0_1, {argument}, out=buf0)")
    assert raised.value.slug == "no-script"


def test_a_text_among_arguments_stays_a_text(tmp_path: Path) -> None:
    """Quotes in it end nothing."""
    text = made_of(
        tmp_path, "buf1 = torch.ops.aten.gelu.default(buf0, approximate='\"); evil() #\\n')"
    )
    assert "evil" not in names_and_calls(text)


@pytest.mark.parametrize("called", ["os.system", "torch.load", "torch._C.x", "eval"])
def test_only_operators_are_called(tmp_path: Path, called: str) -> None:
    """A call that is no operator of torch's makes no script."""
    with pytest.raises(KernelmapError):
        made_of(tmp_path, f"buf1 = {called}(arg0_1)")


def test_a_graphs_text_puts_nothing_into_a_check(samples: Path) -> None:
    """A node that is no operator on known literals is refused: the script has no check then."""
    source = read_source(samples / "cuda_graph_breaks")
    (first, *others) = source.program.graphs
    assert first.post_grad_text is not None
    for evil in (EVIL, "torch.ops.aten.mul.Tensor(open('x'), 1)", "torch.hub.load('x')"):
        text = first.post_grad_text.text.replace("torch.ops.aten.erf.default(mul_1)", evil)
        assert text != first.post_grad_text.text
        hostile = replace(first, post_grad_text=replace(first.post_grad_text, text=text))
        program = replace(source.program, graphs=(hostile, *others))
        made = make_script(
            ReproSource(program=program, names=('a"""b\nimport os',)), ("0_inference/1",)
        )
        assert made.unchecked
        assert not {"system", "hub", "open", "os"} & names_and_calls(made.text)


def test_a_name_of_a_file_ends_no_docstring(tmp_path: Path) -> None:
    """It stands there as one line without quotes."""
    folder = tmp_path / 'a"""; evil() #'
    folder.mkdir()
    path = folder / 'b"""\\; evil() #.py'
    path.write_text(CODE.format(statement="extern_kernels.mm(arg0_1, arg1_1, out=buf0)"))
    text = make_repro("0_inference/0", path).text
    assert "evil" not in names_and_calls(text)
