"""The functions of a C++ file, and how often one run of a function reaches each statement.

A function is a name, its parameters in brackets, and a body in braces, outside of any other
function; namespaces, classes and `extern "C"` blocks are looked into. A body whose end is missing
goes on to the end of the file. Left out: arguments of templates, types, and everything that is no
function.

A statement runs once, in a branch, or in a loop: `ControlBlocks` follows `if`, `else`, `switch`,
`while`, `for` and `do` through the tokens of a body, with braces or with a single statement. The
test of a loop runs as often as the loop does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

from msgspec import Struct

from kernelmap.compiler.cpp.tokens import Token, TokenKind
from kernelmap.compiler.python.statements import stronger_occurrence
from kernelmap.model import Occurrence

_OPEN, _CLOSE = "([{", ")]}"
_DEEPEST = 64  # brackets in each other; a token is in the arguments of no more calls
_LONGEST_CALL = 20_000  # tokens; brackets that never close would be searched again and again
_AFTER_PARAMETERS = {"const", "noexcept", "override", "final"}
_CONTROLS = {
    "if": Occurrence.BRANCH,
    "else": Occurrence.BRANCH,
    "switch": Occurrence.BRANCH,
    "while": Occurrence.LOOP,
    "for": Occurrence.LOOP,
    "do": Occurrence.LOOP,
}
# These have no test in brackets before their body.
_WITHOUT_TEST = ("else", "do")


class Function(Struct, frozen=True):
    """`parameters` are names without types, `body` the tokens between the braces.

    `line` is that of the name, `last` the last of the body. `X::name` is called `name`.
    """

    name: str
    line: int
    last: int
    parameters: tuple[str, ...]
    body: tuple[Token, ...]


class CppFunctions(Struct, frozen=True):
    """Functions by name, the first of each name; `exported` are declared `extern "C" … name(…)`.

    `exported` has the line of each; an exported function that is defined here is in both.
    """

    defined: Mapping[str, Function]
    exported: Mapping[str, int]


NOTHING = CppFunctions({}, {})
"""No function at all."""


def find_functions(tokens: Sequence[Token]) -> CppFunctions:
    """What `tokens` define and declare."""
    scan = _Scan(tokens)
    at = 0
    while at < len(scan.code):
        at = scan.take_token(at) + 1
    return CppFunctions(scan.defined, scan.exported)


def split_arguments(tokens: Sequence[Token], opening: int) -> tuple[tuple[Token, ...], ...]:
    """The arguments of the call whose bracket opens at `opening`, split at its own commas.

    Comments are left out; a call that is cut off has those that are there, up to a limit, and so
    has one with brackets in each other beyond measure.
    """
    # `depth` counts open brackets of all kinds; at 1 a comma separates arguments.
    depth, split, current = 0, [], list[Token]()
    for at in range(opening, min(len(tokens), opening + _LONGEST_CALL)):
        token = tokens[at]
        if token.kind is TokenKind.COMMENT:
            continue
        if token.kind is TokenKind.MARK and token.value in _OPEN:
            depth += 1
            if depth == 1:
                continue
            if depth > _DEEPEST:
                break
        elif token.kind is TokenKind.MARK and token.value in _CLOSE:
            depth -= 1
            if depth == 0:
                break
        if depth == 1 and token.kind is TokenKind.MARK and token.value == ",":
            split.append(tuple(current))
            current = []
        else:
            current.append(token)
    if current:
        split.append(tuple(current))
    return tuple(split)


class _Scan:
    """The state of one pass over the tokens outside of functions.

    `code` has no comments; `place` is where each of its tokens stands among all of them. `last` are
    the brackets that closed most recently.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.place = [at for at, token in enumerate(tokens) if token.kind is not TokenKind.COMMENT]
        self.code = [tokens[at] for at in self.place]
        self.defined: dict[str, Function] = {}
        self.exported: dict[str, int] = {}
        self.brackets: list[int] = []
        self.last: tuple[int, int] | None = None

    def take_token(self, at: int) -> int:
        """Take the token at `at`; gives the place of the last token that was used up."""
        mark = self.code[at].value if self.code[at].kind is TokenKind.MARK else ""
        if mark == "(":
            self.brackets.append(at)
        elif mark == ")" and self.brackets:
            self.last = (self.brackets.pop(), at)
        # A bracket pair before `;` is a declaration, before `{` a function. A `{` after anything
        # else is a namespace or class, whose inside is read on.
        elif mark == ";":
            if (
                self.last is not None
                and (name := _exported_name(self.code, self.last[0])) is not None
            ):
                self.exported.setdefault(name.value, name.line)
            self._forget_statement()
        elif mark == "{":
            if self.last is not None and _may_follow_signature(self.code, self.last[1], at):
                at = self._define_function(self.last, at)
            self._forget_statement()
        return at

    def _forget_statement(self) -> None:
        self.brackets, self.last = [], None

    def _define_function(self, brackets: tuple[int, int], opening: int) -> int:
        """Keep the function whose body opens here; gives the place of its closing brace."""
        end = _find_closing_brace(self.code, opening)
        name = _name_before_bracket(self.code, brackets[0])
        if name is not None:
            # The body keeps its comments, so it is cut from
            # all tokens and not from those without comments.
            stop = self.place[end] if end < len(self.code) else len(self.tokens)
            exported = _exported_name(self.code, brackets[0]) is not None
            self.defined.setdefault(
                name.value,
                Function(
                    name=name.value,
                    line=name.line,
                    last=self.code[min(end, len(self.code) - 1)].last,
                    parameters=tuple(_iter_parameters(self.code, brackets[0])),
                    body=tuple(self.tokens[self.place[opening] + 1 : stop]),
                ),
            )
            if exported:
                self.exported.setdefault(name.value, name.line)
        return end


def _name_before_bracket(code: Sequence[Token], opening: int) -> Token | None:
    """The name before a bracket."""
    name = code[opening - 1] if opening > 0 else None
    return name if name is not None and name.kind is TokenKind.NAME else None


def _iter_parameters(code: Sequence[Token], opening: int) -> Iterator[str]:
    """The names of parameters, without their types and defaults."""
    for parameter in split_arguments(code, opening):
        name = _drop_default(parameter)[-1:]
        if name and name[0].kind is TokenKind.NAME:
            yield name[0].value


def _drop_default(parameter: tuple[Token, ...]) -> tuple[Token, ...]:
    """A parameter without its default."""
    for at, token in enumerate(parameter):
        if token.kind is TokenKind.MARK and token.value == "=":
            return parameter[:at]
    return parameter


def _exported_name(code: Sequence[Token], opening: int) -> Token | None:
    """The name before `(` of `extern "C" … name(`, None for anything else."""
    if _name_before_bracket(code, opening) is None:
        return None
    # Back from the name to `extern "C"`, or to the end of the statement before.
    for at in range(opening - 2, 0, -1):
        token = code[at]
        if token.kind is TokenKind.TEXT and token.value == "C" and code[at - 1].value == "extern":
            return code[opening - 1]
        if token.kind is TokenKind.MARK and token.value in ";{}":
            return None
    return None


def _may_follow_signature(code: Sequence[Token], closing: int, opening: int) -> bool:
    """Whether nothing but specifiers or a list of initializers stands before a body."""
    between = code[closing + 1 : opening]
    return all(token.value in _AFTER_PARAMETERS for token in between)


def _find_closing_brace(code: Sequence[Token], opening: int) -> int:
    """The place of the brace that closes the one at `opening`; the end where none does."""
    depth = 0
    for at in range(opening, len(code)):
        token = code[at]
        if token.kind is TokenKind.MARK:
            depth += (token.value == "{") - (token.value == "}")
            if depth == 0:
                return at
    return len(code)


class _At(Enum):
    """Where in a control statement the last token stood."""

    NOWHERE = auto()
    TEST = auto()
    BEFORE_BODY = auto()
    SINGLE = auto()


class ControlBlocks:
    """The state after the tokens so far; `occurrence` is that of the token stepped on last."""

    def __init__(self, occurrence: Occurrence) -> None:
        self._stack = [occurrence]
        self._brackets = 0
        self._at = _At.NOWHERE
        # How often the last control statement runs its
        # body; it counts from the test or the body on.
        self._inner = Occurrence.ONCE
        # Brackets and braces that were open at the control statement:
        # its body ends where a `;` has no more of them.
        self._floor = (0, 0)  # brackets and braces around the control statement

    @property
    def occurrence(self) -> Occurrence:
        """What holds for the current token."""
        # A test of a loop runs as often as the loop; a
        # test of a branch as often as what is around it.
        held = self._at is _At.SINGLE or (self._at is _At.TEST and self._inner is Occurrence.LOOP)
        return stronger_occurrence(self._stack[-1], self._inner) if held else self._stack[-1]

    def step_to(self, body: Sequence[Token], place: int) -> None:
        """Go on to the token at `place`, which is no comment."""
        token = body[place]
        if token.kind is TokenKind.NAME and token.value in _CONTROLS:
            self._enter_control(token.value)
        elif token.kind is TokenKind.MARK:
            self._take_mark(token.value)
        elif self._at is _At.BEFORE_BODY:
            self._at = _At.SINGLE

    def _enter_control(self, word: str) -> None:
        # `else if` and an `if` as the only statement of another one add up.
        nested = self._at in (_At.BEFORE_BODY, _At.SINGLE)
        self._inner = (
            stronger_occurrence(self._inner, _CONTROLS[word]) if nested else _CONTROLS[word]
        )
        # An `if` has its test first, an `else` goes straight on to its body.
        self._at = _At.BEFORE_BODY if word in _WITHOUT_TEST else _At.TEST
        self._floor = (self._brackets, len(self._stack))

    def _take_mark(self, mark: str) -> None:
        if mark == "{":
            # The body of a control statement. Other braces
            # (a list of values) keep what holds around them.
            before = self._at is _At.BEFORE_BODY
            inner = stronger_occurrence(self._stack[-1], self._inner) if before else self.occurrence
            self._stack.append(inner)
            self._at = _At.NOWHERE if before else self._at
        elif mark == "}":
            if len(self._stack) > 1:
                self._stack.pop()
        elif mark == "(":
            self._brackets += 1
        elif mark == ")":
            # The bracket that closes the test: what follows is the body.
            self._brackets -= 1
            if self._at is _At.TEST and self._brackets <= self._floor[0]:
                self._at = _At.BEFORE_BODY
                return
        # A `;` on the control statement's own level ends a
        # body without braces; that in `for (;;)` does not.
        elif mark == ";" and self._floor >= (self._brackets, len(self._stack)):
            self._at = _At.NOWHERE if self._at is not _At.TEST else self._at
        # Any other mark begins a body without braces.
        if self._at is _At.BEFORE_BODY and mark not in "{}":
            self._at = _At.SINGLE
