"""Questions that messages propose → how an agent asks them: the tool of the server, its arguments.

Messages are made far from here (a rule of doctor, an error of explain) and name a question, not a
command; who asks decides how it is written (commands.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from kernelmap.commands import PathWord
from kernelmap.options import Options

FindName = Callable[[Sequence[Path], Options], "str | None"]
"""The name of the recording of these inputs that was opened with these options, None without."""
_OPTIONS = {
    "by": "top(by={})",
    "steps": "open(steps={})",
    "like": "open(like=[{}])",
    "anyway": "open(anyway=true)",
}
"""The tool that takes what the command line knows as an option."""


class SpelledForAgent:
    """Spells questions and options as calls of tools."""

    def __init__(self, find_name: FindName) -> None:
        self._find_name = find_name

    def spell_question(
        self, words: Sequence[str], inputs: Sequence[PathWord], options: Options
    ) -> str | None:
        """`explain(recording="r1", row="17")`; None for what no tool answers."""
        asked = _tool_of(words)
        if asked is None:
            return None
        tool, given = asked
        paths = [Path(path) for path in inputs]
        name = self._find_name(paths, options)
        if name is not None:
            return call_of_tool(tool, recording=name, **given)
        opening: dict[str, object] = {"paths": [str(path) for path in paths]}
        if options.steps is not None:
            opening["steps"] = ":".join(map(str, options.steps))
        if options.like:
            opening["like"] = [str(path) for path in options.like]
        return f"{call_of_tool('open', **opening)}, then {call_of_tool(tool, **given)} of it"

    def spell_option(self, name: str, value: str | None) -> str:
        """`open(steps="4:6")`."""
        return _OPTIONS[name].format("..." if value is None else json.dumps(value))


def call_of_tool(tool: str, **given: object) -> str:
    """A call as it is written in a sentence.

    >>> call_of_tool("explain", recording="r1", row="17")
    'explain(recording="r1", row="17")'
    """
    written = (f"{name}={json.dumps(value)}" for name, value in given.items())
    return f"{tool}({', '.join(written)})"


def _tool_of(words: Sequence[str]) -> tuple[str, dict[str, object]] | None:
    """The tool that answers a command, with its arguments."""
    match list(words):
        case ["explain", row]:
            return "explain", {"row": row}
        case ["which", name]:
            return "which", {"name": name}
        case ["doctor"]:
            return "doctor", {}
        case ["correlate"]:
            return "top", {}
        case ["correlate", "--by", by]:
            return "top", {"by": by}
        case _:
            return None
