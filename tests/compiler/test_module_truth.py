"""Modules by the texts of a log against what torch itself knows of the same graph."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from children import UNCOLLECTED
from kernelmap.compiler.fx.module_lines import SELF
from kernelmap.compiler.logs.events import Damage, iter_events
from kernelmap.compiler.logs.graphs import LoggedGraphs, ParsedOnce

PROGRAM = Path(__file__).with_name("stacks_of_modules.py")


def path_of(stack: list[str]) -> str:
    """`blocks.0.norm` of the innermost entry, written in one of torch's ways."""
    inner = re.sub(r"^L\['self'\]\.?", "", stack[-1]) if stack else ""
    inner = re.sub(r"\._modules\['(\w+)'\]|_modules\['(\w+)'\]", r".\1\2", inner)
    return re.sub(r"\[(\d+)\]", r".\1", inner).strip(".") or SELF


@pytest.mark.thorough
@pytest.mark.torch
def test_no_module_is_wrong(tmp_path: Path) -> None:
    """Each node's module is its own or one around it, and most are exact."""
    done = subprocess.run(  # noqa: S603 -- our own program
        [sys.executable, str(PROGRAM)],
        env=os.environ | UNCOLLECTED | {"TORCH_TRACE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    (truth,) = json.loads(done.stdout)
    (log,) = tmp_path.iterdir()
    graphs = LoggedGraphs(ParsedOnce())
    for logged in iter_events(log, Damage()):
        if logged.event.describe_source:
            graphs.note_source(logged.event.describe_source)
        elif logged.event.kind is not None:
            graphs.take_event(logged.event.kind, logged.payload.decode)
    module_of = {name: node.module for name, node in graphs.nodes_before().items()}
    real = {name: path_of(stack) for name, stack in truth.items()}
    exact = sum(module_of[name] == module for name, module in real.items())

    assert len(real) > 60
    for name, module in real.items():
        named = module_of[name]
        assert named in (None, SELF, module) or module.startswith(f"{named}."), name
    assert exact > 0.75 * len(real)
