"""The skill that agents read says what is true: its examples give what stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path

from click.testing import CliRunner

from agents.asking import Agent
from kernelmap.agents.questions import Questions
from kernelmap.agents.skill import read_skill
from kernelmap.agents.table_rows import ALL_BY
from kernelmap.cli import main

EXAMPLE = re.compile(
    r"```\n(?P<tool>\w+) (?P<asked>\{[^\n]*\})\n```\n\n```json\n(?P<told>.*?)\n```", re.DOTALL
)


def test_examples_give_what_stands_there(samples: Path) -> None:
    """Each question of the examples, asked in order, gives the answer below it, whole."""
    agent = Agent(samples)
    found = list(EXAMPLE.finditer(read_skill()))
    assert len(found) >= 7
    for example in found:
        told = agent.ask(example["tool"], **json.loads(example["asked"]))
        assert told == json.loads(example["told"]), example["asked"]


def test_the_command_prints_it() -> None:
    """`kernelmap skill` prints the file that the package holds."""
    assert CliRunner().invoke(main, ["skill"]).stdout == read_skill()


def test_it_names_what_there_is() -> None:
    """Every tool is told, and every word that it says for a table is one."""
    text = read_skill()
    tools = [name for name in vars(Questions) if not name.startswith("_")]
    assert [tool for tool in tools if f"`{tool}`" not in text] == []
    named = re.findall(r"by (op|line|call|wall|memory|buffer|memory-line)\b", text)
    assert set(named) <= set(ALL_BY)
