r"""The words in which Dynamo says why: failed guards, graph breaks, restarts → short records.

Sources of the forms: `recompile_reasons` is a JSON list, or one reason as bare text; a reason is
`0/1: GUARD   # code  # file:line in function (HINT: …)`, sometimes with a stack below it. A graph
break is `Graph break in user code at FILE:LINE`, `Graph Break Reason: …` or, older, `Reason: …`.
"""

from __future__ import annotations

import re

import msgspec

from kernelmap.compiler.frames import innermost
from kernelmap.model import FailedGuard, GraphBreak, SourceLine

_EARLIER = re.compile(r"(?P<earlier>!?\d+(?:/\d+)+(?:_\d+)?): ")
_COMMENT = re.compile(r"\s{2,}#|\s# |\nUser stack trace|\s\(HINT: ")
_BREAK_AT = re.compile(r"Graph break in user code at (?P<file>.+):(?P<line>\d+)\s*$", re.MULTILINE)
_BREAK_WHY = re.compile(r"^(?:Graph Break )?Reason: *(?P<why>.*)$", re.MULTILINE)
_EXPLANATION = re.compile(r"^ *Explanation: *(?P<text>.+)$", re.MULTILINE)
_STACK = re.compile(
    r"^(?:User code traceback|from user code):?\n(?P<stack>.*?)"
    r"(?=^Traceback \(most recent call last\)|\Z)",
    re.MULTILINE | re.DOTALL,
)


def failed_guards(payload: str) -> tuple[FailedGuard, ...]:
    """The reasons that a `recompile_reasons` artifact gives, newest compilation first."""
    try:
        texts = msgspec.json.decode(payload, type=list[str])
    except msgspec.MsgspecError:
        texts = [payload]
    return tuple(failed_guard(text) for text in texts if text.strip())


def failed_guard(text: str) -> FailedGuard:
    """One reason.

    >>> failed_guard("0/1: L['n'] == 2     # y = x * n  # m.py:7 in f").guard
    "L['n'] == 2"
    """
    text = text.strip()
    found = _EARLIER.match(text)
    rest = text[found.end() :] if found else text
    guard = _COMMENT.split(rest, maxsplit=1)[0].strip()
    return FailedGuard(
        earlier=found["earlier"] if found else None,
        guard=_line(guard) or _line(rest),
        detail=text,
    )


def graph_break(payload: str) -> GraphBreak:
    r"""What a `dynamo_graph_break_reason` artifact says.

    >>> graph_break("Graph break in user code at m.py:7\nReason: Unsupported: print\n")
    GraphBreak(reason='Unsupported: print', line=SourceLine(file='m.py', line=7, code=None))
    """
    place = _BREAK_AT.search(payload)
    line = SourceLine(file=place["file"], line=int(place["line"])) if place else None
    stack = _STACK.search(payload)
    inner = innermost(stack["stack"]) if stack else None
    if inner is not None and (line is None or (inner.file, inner.line) == (line.file, line.line)):
        line = inner
    why = _BREAK_WHY.search(payload)
    return GraphBreak(reason=in_short(payload[why.start("why") :] if why else payload), line=line)


def in_short(text: str) -> str:
    r"""The first sentence of a reason, and its explanation where the sentence is a mere title.

    >>> in_short("Failed to trace\n  Explanation: It cannot.\n  Hint: Do not.")
    'Failed to trace: It cannot.'
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    # `Encountered graph break when attempting to trace CALL: …:` only announces the reason.
    if len(lines) > 1 and lines[0].endswith(":"):
        lines = lines[1:]
    if not lines:
        return "no reason given"
    explained = _EXPLANATION.search(text)
    if explained is not None and not lines[0].startswith("Explanation:"):
        return f"{lines[0].rstrip('.')}: {explained['text'].strip()}"
    return lines[0]


def _line(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())
