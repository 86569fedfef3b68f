"""How often one run of a C++ function reaches a statement: once, in a branch, in a loop.

Takes the tokens of a body one after the other; knows `if`, `else`, `switch`, `while`, `for` and
`do`, with braces or with a single statement. The test of a loop runs as often as the loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from kernelmap.compiler.cpp.tokens import Kind, Token
from kernelmap.compiler.python.statements import stronger
from kernelmap.model import Occurrence

_CONTROLS = {
    "if": Occurrence.BRANCH,
    "else": Occurrence.BRANCH,
    "switch": Occurrence.BRANCH,
    "while": Occurrence.LOOP,
    "for": Occurrence.LOOP,
    "do": Occurrence.LOOP,
}
_WITHOUT_TEST = ("else", "do")


class _At(Enum):
    """Where in a control statement the last token stood."""

    NOWHERE = auto()
    TEST = auto()
    BEFORE_BODY = auto()
    SINGLE = auto()


class Blocks:
    """The state after the tokens so far; `occurrence` is that of the token stepped on last."""

    def __init__(self, occurrence: Occurrence) -> None:
        self._stack = [occurrence]
        self._brackets = 0
        self._at = _At.NOWHERE
        self._inner = Occurrence.ONCE
        self._floor = (0, 0)  # brackets and braces around the control statement

    @property
    def occurrence(self) -> Occurrence:
        """What holds for the current token."""
        held = self._at is _At.SINGLE or (self._at is _At.TEST and self._inner is Occurrence.LOOP)
        return stronger(self._stack[-1], self._inner) if held else self._stack[-1]

    def step(self, body: Sequence[Token], place: int) -> None:
        """Go on to the token at `place`, which is no comment."""
        token = body[place]
        if token.kind is Kind.NAME and token.value in _CONTROLS:
            self._control(token.value)
        elif token.kind is Kind.MARK:
            self._mark(token.value)
        elif self._at is _At.BEFORE_BODY:
            self._at = _At.SINGLE

    def _control(self, word: str) -> None:
        # `else if` and an `if` as the only statement of another one add up.
        nested = self._at in (_At.BEFORE_BODY, _At.SINGLE)
        self._inner = stronger(self._inner, _CONTROLS[word]) if nested else _CONTROLS[word]
        self._at = _At.BEFORE_BODY if word in _WITHOUT_TEST else _At.TEST
        self._floor = (self._brackets, len(self._stack))

    def _mark(self, mark: str) -> None:
        if mark == "{":
            before = self._at is _At.BEFORE_BODY
            inner = stronger(self._stack[-1], self._inner) if before else self.occurrence
            self._stack.append(inner)
            self._at = _At.NOWHERE if before else self._at
        elif mark == "}":
            if len(self._stack) > 1:
                self._stack.pop()
        elif mark == "(":
            self._brackets += 1
        elif mark == ")":
            self._brackets -= 1
            if self._at is _At.TEST and self._brackets <= self._floor[0]:
                self._at = _At.BEFORE_BODY
                return
        elif mark == ";" and self._floor >= (self._brackets, len(self._stack)):
            self._at = _At.NOWHERE if self._at is not _At.TEST else self._at
        if self._at is _At.BEFORE_BODY and mark not in "{}":
            self._at = _At.SINGLE
