"""Forty questions about recordings: asked as an agent does, and right to the figure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.asking import Agent
from agents.plain_run import PlainRun
from agents.questions_asked import QUESTIONS, REFUSED, Question, Refused
from test_bearing import write_profile

MOST_CALLS, MOST_TOKENS = 3, 6000
FIGURE = re.compile(r"_ns|share|_bytes|gbps|tflops")


def test_there_are_forty_over_twelve_recordings() -> None:
    """The table is as long as it says: ten of them are to be refused."""
    assert len(QUESTIONS) + len(REFUSED) == 40
    assert len(REFUSED) == 10
    assert len({name for question in QUESTIONS for name in question.of}) >= 12


@pytest.mark.sampled
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.words[:48])
def test_it_is_answered_right(question: Question, samples: Path) -> None:
    """At most three calls and 6,000 tokens give the figure that the raw recording has."""
    agent = Agent(samples)
    opened: list[str] = []
    told: dict[str, Any] = {}
    for name in question.of:
        asked = {"steps": question.steps} if question.steps else {}
        told = agent.ask("open", paths=[name], **asked)
        opened.append(told["recording"])
    for tool, words in question.ask:
        named = dict(zip(("before", "after"), opened, strict=False))
        of = named if tool == "diff" else {"recording": opened[0]}
        told = agent.ask(tool, **of, **words)
    assert "refused" not in told
    assert "error" not in told, told
    assert question.found(told) == question.known(PlainRun(samples / question.of[-1]))
    assert agent.calls <= MOST_CALLS
    assert agent.tokens <= MOST_TOKENS


@pytest.mark.parametrize("question", REFUSED, ids=lambda question: question.words[:48])
def test_it_is_refused(question: Refused, samples: Path, tmp_path: Path) -> None:
    """The reason stands first, in the answer to `open` as well, and no document has a figure."""
    (tmp_path / "made").mkdir()
    write_profile(tmp_path / "made" / "compiling.json", [(0, 100, 50)], {0})
    small = [(-1, 2000, 960), (1, 100, 20), (2, 100, 20)]
    write_profile(tmp_path / "made" / "small.json", small, set())
    host = {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2}
    only_host = {"schemaVersion": 1, "traceEvents": [host]}
    (tmp_path / "made" / "host.json").write_text(json.dumps(only_host))
    agent = Agent(samples, tmp_path)
    steps = [path.removeprefix("steps=") for path in question.paths if path.startswith("steps=")]
    paths = [path for path in question.paths if not path.startswith("steps=")]
    documents = [agent.ask("open", paths=paths, steps=steps[0] if steps else None)]
    for tool, words in question.ask:
        documents.append(agent.ask(tool, recording=documents[0]["recording"], **words))
    for document in documents:
        assert [reason["slug"] for reason in document["refused"]] == [question.slug]
        assert list(document)[document.get("recording") is not None] == "refused"
        assert not any(FIGURE.search(key) for key in _keys(document))
        assert "answer" not in document
    assert agent.calls <= MOST_CALLS
    assert agent.tokens <= MOST_TOKENS


def _keys(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for item in value.values() for key in _keys(item))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []
