"""Nobody but `kernelmap.facts` decides by the words of a name what it means."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

_PACKAGE = Path(__file__).resolve().parents[2] / "kernelmap"
# Folders that write names, or take code apart, and ask no name what it means.
_WRITERS = {"facts", "capture", "debug_printer", "repro"}
_WORDS = (
    *("nccl", "rccl", "allreduce", "nvshmem", "cross_device", "gloo:", "c10d::", "(dynamo_timed)"),
    *("GraphLaunch", "LaunchKernel", "StreamBeginCapture", "TorchDynamo Cache Lookup"),
    *("Memcpy(", "ModuleLoad", "DataLoader", "do_bench"),
)


@cache
def _texts(path: Path) -> tuple[str, ...]:
    """The texts of a module but for its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    values = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in said
    ]
    return tuple(it.decode("latin-1") if isinstance(it, bytes) else str(it) for it in values)


@pytest.mark.parametrize("word", _WORDS)
def test_a_word_of_a_name_stands_in_facts_alone(word: str) -> None:
    """A second place that looks for it would be a second answer."""
    elsewhere = [
        str(path.relative_to(_PACKAGE))
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.relative_to(_PACKAGE).parts[0] not in _WRITERS
        and any(word in text for text in _texts(path))
    ]

    assert elsewhere == []
