"""What an answer of the server proposes is a call of a tool, which can be made as it stands."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from agents.asking import Agent
from kernelmap.commands import ask_again, name_option
from kernelmap.options import Options

SAMPLES = Path(__file__).parents[2] / "sample_traces"
OF_SHELL = re.compile(
    r"kernelmap (?:which|explain|correlate|doctor)\b|--(?:by|steps|like|anyway)\b"
)
CALL = re.compile(r"\b(explain|top|doctor|which|open)\((\w+=(?:\"[^\"]*\"|true)[^()]*)\)")


def made(call: re.Match[str]) -> tuple[str, dict[str, object]]:
    """The tool and the arguments of a call as an answer spells it."""
    written = ast.parse(call[0].replace("=true", "=True"), mode="eval").body
    assert isinstance(written, ast.Call)
    return call[1], {str(it.arg): ast.literal_eval(it.value) for it in written.keywords}


@pytest.mark.parametrize(
    "sample",
    ["cuda_lost_kernels", "cuda_captured_eager", "cuda_autotune_inside", "cuda_graph_breaks"],
)
def test_no_answer_speaks_the_command_line(sample: str) -> None:
    """Hints of notices, of doctor and of errors name tools; each call with a recording answers."""
    agent = Agent(SAMPLES)
    texts = [agent.text("open", paths=[sample])]
    name = json.loads(texts[0])["recording"]
    texts += [agent.text("doctor", recording=name, tokens=20_000)]
    texts += [
        agent.text("explain", recording=name, row=row) for row in ("99999999", "no/1", "a.py:1")
    ]
    assert not OF_SHELL.findall("\n".join(texts))
    calls = [made(it) for text in texts for it in CALL.finditer(text.replace('\\"', '"'))]
    assert ("top", {"by": "launch"}) in calls
    for tool, given in calls:
        if "recording" in given:
            assert "error" not in agent.ask(tool, **given)


def test_the_same_question_is_a_command_for_people() -> None:
    """What an agent was told stays with its question: the next text is a command line again."""
    Agent(SAMPLES).opened("cuda_graph_breaks")
    assert ask_again(["explain", "1"], ["a"], Options()) == "kernelmap explain 1 a"
    assert name_option("steps", "4:6") == "--steps 4:6"
