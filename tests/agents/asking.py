"""Asks as an agent does: a question by the name of its tool, the answer as plain values.

agent = Agent(folder)
name = agent.opened("cuda_llama_train")
rows = agent.ask("top", recording=name, by="op")["rows"]
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kernelmap.agents.questions import Questions
from kernelmap.agents.said import count_tokens


class Agent:
    """A client of the questions, which counts its calls and what their answers take."""

    def __init__(self, *folders: Path) -> None:
        self._questions = Questions(folders)
        self.calls = 0
        self.tokens = 0

    def text(self, tool: str, **asked: Any) -> str:  # noqa: ANN401 -- as JSON comes
        """The answer as it is sent."""
        answer: str = getattr(self._questions, tool)(**asked)
        self.calls += 1
        self.tokens += count_tokens(answer)
        return answer

    def ask(self, tool: str, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 -- as JSON comes
        """The answer as plain values."""
        document: dict[str, Any] = json.loads(self.text(tool, **asked))
        return document

    def opened(self, *paths: str, **asked: Any) -> str:  # noqa: ANN401 -- as JSON comes
        """The name of a recording that is opened now."""
        return str(self.ask("open", paths=paths, **asked)["recording"])
