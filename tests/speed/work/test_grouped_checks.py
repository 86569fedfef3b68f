"""Checks of several tensors at once, as torch 2.14 writes them, say what one check each says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernelmap.compiler import load_compiled
from kernelmap.speed.work import symbolic_graphs, work_and_evidence, works_of_calls
from kernelmap.tables.canonical_texts import buffer_types
from kernelmap.tables.fingerprints import fingerprint_program
from speed.work.test_symbols import arguments, dynamic

__all__ = ["dynamic"]  # a fixture

_CHECK = r" *assert_size_stride\((\w+), (\([^()]*\)), (\([^()]*\)), 'input'\)\n"
_SEVERAL = re.compile(f"(?:{_CHECK}){{2,}}")
_EXAMPLES = re.compile(r"^def get_args.*", re.MULTILINE | re.DOTALL)
"""What shows the types of inputs as well, where it is there."""


def _grouped(text: str) -> str:
    """The code with neighboring checks in one statement."""

    def join(several: re.Match[str]) -> str:
        names, shapes, strides = zip(*re.findall(_CHECK, several[0]), strict=True)
        margin = several[0][: len(several[0]) - len(several[0].lstrip())]
        lists = ", ".join(f"({', '.join(each)})" for each in (names, shapes, strides))
        return f"{margin}assert_size_stride_grouped({lists}, 'input')\n"

    return _SEVERAL.sub(join, text)


def _both(folder: Path, text: str) -> list[Path]:
    """Files of the code without examples of its inputs, checks apart and together."""
    bare = _EXAMPLES.sub("", text)
    assert _grouped(bare) != bare
    paths = []
    for name, code in (("apart", bare), ("together", _grouped(bare))):
        (folder / name).mkdir(parents=True)
        paths.append(folder / name / "output_code.py")
        paths[-1].write_text(code)
    return paths


@pytest.mark.parametrize("graph", ["model__0_forward_1.0", "model__0_backward_2.1"])
def test_the_work_of_calls_is_the_same(tmp_path: Path, samples: Path, graph: str) -> None:
    """Bytes, operations, types of buffers and fingerprints do not depend on the form of a check."""
    text = (samples / "sim_mlp_train" / graph / "output_code.py").read_text()
    apart, together = map(load_compiled, _both(tmp_path, text))

    assert works_of_calls(together) == works_of_calls(apart)
    assert fingerprint_program(together) == fingerprint_program(apart)
    lines = [(each.graphs[0].text or "").split("\n") for each in (together, apart)]
    assert buffer_types(lines[0]) == buffer_types(lines[1])


def test_symbolic_sizes_are_solved(tmp_path: Path, dynamic: Path) -> None:
    """A shape with symbols that is checked with others is held against what was recorded."""
    works = []
    for at, folder in enumerate(sorted(dynamic.iterdir())):
        for path in _both(tmp_path / str(at), (folder / "output_code.py").read_text()):
            program = load_compiled(path)
            (graph,) = symbolic_graphs(program)
            runs = {graph: [arguments(load_compiled(folder), 0, 8, 128)]}
            works.append(work_and_evidence(program, runs)[0])

    assert works[0::2] == works[1::2]
