"""Generated code that Python cannot parse as a whole → the same parts, line by line.

For files that were cut off or pasted with something else in between. Every logical line that parses
on its own counts; indentation shows in which function and branch it stands. A kernel's source
is taken up to its closing quotes, or to the next definition where they are missing. Lines that do
not parse are counted, never guessed.
"""

from __future__ import annotations

import ast

from msgspec import Struct, field

from kernelmap.compiler.python.source import bare_comment, parse_python
from kernelmap.compiler.python.statements import (
    ENTRY,
    FunctionBody,
    ParsedCode,
    StatementStep,
    functions_that_pass_on,
    header_expressions,
    occurrence_inside,
    stronger_occurrence,
)
from kernelmap.model import Occurrence

_DEFINES = " = async_compile."
# Lines that can only stand behind the kernels: a source whose quotes are missing ends there.
_STARTS = ("async_compile.wait(", "class Runner", "def call(")
_QUOTES = ("'''", '"""')
# Lines of one statement: a bracket that never closes would be searched for to the end of the file.
_MOST_JOINED = 40
# Statements that run no work.
_INERT = ast.Import | ast.ImportFrom | ast.ClassDef


class Salvage(Struct, frozen=True):
    """What could be read, and how many lines could not."""

    code: ParsedCode
    unread: int


class _BrokenScope(Struct):
    """What an indented line belongs to; `steps` None at the top of the module."""

    indent: int
    occurrence: Occurrence
    steps: list[StatementStep] | None


class _BrokenReader(Struct):
    lines: tuple[str, ...]
    at: int = 0
    unread: int = 0
    statements: list[ast.stmt] = []
    functions: dict[str, tuple[int, list[StatementStep]]] = {}
    comments: dict[int, str] = {}
    orphans: list[StatementStep] = []
    scopes: list[_BrokenScope] = field(
        default_factory=lambda: [_BrokenScope(-1, Occurrence.ONCE, None)]
    )

    def read_statement(self) -> None:
        """Read one logical line and move behind it."""
        line = self.lines[self.at]
        text = line.strip()
        comment = bare_comment(line)
        if comment is not None:
            self.comments[self.at + 1] = comment
            self.at += 1
        elif not text:
            self.at += 1
        elif _DEFINES in line and _indent_of(line) == 0:
            self._read_definition()
        elif text.lstrip("rR").startswith(_QUOTES):
            self._skip_text(text.lstrip("rR")[:3])
        else:
            self._read_plain_statement(line, text)

    def _read_definition(self) -> None:
        first, end = self.at, self._definition_end()
        chunk = "\n".join(self.lines[first:end])
        name, _, made = self.lines[first].partition(_DEFINES)
        method = made.partition("(")[0]
        # Closing what was cut off keeps the metadata; the bare name is the least that remains.
        for attempt in (chunk, f"{chunk}''')", f"{name}{_DEFINES}{method}()"):
            tree = parse_python(attempt)
            # More than one statement would mean that the chunk holds other code as well.
            if tree is not None and len(tree.body) == 1:
                ast.increment_lineno(tree, first)
                self.statements.append(tree.body[0])
                break
        else:
            self.unread += 1
        self.at = end

    def _definition_end(self) -> int:
        """The line behind a definition, counted from 0."""
        first = self.lines[self.at].partition(_DEFINES)[2]
        quotes = next((quote for quote in _QUOTES if quote in first), None)
        # No source in quotes on the first line: the definition ends with its brackets.
        if quotes is None:
            return self.at + self._count_joined_lines(self.lines[self.at].strip())
        # The quotes close on the same line.
        if first.count(quotes) > 1:
            return self.at + 1
        for end in range(self.at + 1, len(self.lines)):
            line = self.lines[end]
            if quotes in line:
                return end + 1
            # The next definition begins before the quotes closed: the end of this source is lost.
            if line.startswith(_STARTS) or (_DEFINES in line and _indent_of(line) == 0):
                return end
        return len(self.lines)

    def _skip_text(self, quotes: str) -> None:
        """Pass over a block of text, such as the auto-tuning block at the top of some files."""
        rest = self.lines[self.at].partition(quotes)[2]
        end = self.at
        while quotes not in rest and end + 1 < len(self.lines):
            end += 1
            rest = self.lines[end]
        # Quotes that never close hide nothing but their own line.
        closed = quotes in rest
        self.unread += not closed
        self.at = end + 1 if closed else self.at + 1

    def _count_joined_lines(self, text: str) -> int:
        """How many lines the statement spans that opens here."""
        count = 1
        while (
            _open_brackets(text) > 0 and count < _MOST_JOINED and self.at + count < len(self.lines)
        ):
            text += self.lines[self.at + count]
            count += 1
        # Brackets that do not close within the limit: the line is taken alone.
        return count if _open_brackets(text) <= 0 else 1

    def _read_plain_statement(self, line: str, text: str) -> None:
        count = self._count_joined_lines(text)
        joined = "\n".join((text, *self.lines[self.at + 1 : self.at + count]))
        node = _parse_statement(joined)
        first, self.at = self.at, self.at + count
        if node is None:
            self.unread += 1
            return
        ast.increment_lineno(node, first)
        self._place_statement(node, _indent_of(line), first + 1)

    def _place_statement(self, node: ast.stmt, indent: int, line: int) -> None:
        if indent == 0 and isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
            self.unread += 1  # A stray word between the lines of a function does not end it.
            return
        # A line with less indentation ends the blocks above it.
        while self.scopes[-1].indent >= indent:
            self.scopes.pop()
        scope = self.scopes[-1]
        if isinstance(node, ast.FunctionDef):
            steps: list[StatementStep] = []
            self.functions[node.name] = (line, steps)
            self.scopes.append(_BrokenScope(indent, Occurrence.ONCE, steps))
            return
        if indent == 0:
            self.statements.append(node)
        if isinstance(node, _INERT):
            return
        self._add_step(node, scope, indent, line)

    def _add_step(self, node: ast.stmt, scope: _BrokenScope, indent: int, line: int) -> None:
        # A statement that is indented under nothing belongs to a function whose head is lost.
        target = scope.steps if scope.steps is not None else self.orphans
        kept = target if indent > 0 else []
        # The header of a block is a step; what is indented below it belongs to the same function.
        if isinstance(node, ast.If | ast.While | ast.For | ast.With):
            within = stronger_occurrence(scope.occurrence, occurrence_inside(node))
            tested = within if isinstance(node, ast.While) else scope.occurrence
            kept.extend(
                StatementStep(expression, line, tested) for expression in header_expressions(node)
            )
            self.scopes.append(_BrokenScope(indent, within, scope.steps))
        else:
            kept.append(StatementStep(node, line, scope.occurrence))


def salvage_parts(text: str) -> Salvage:
    """The parts of `text` that can be read line by line."""
    reader = _BrokenReader(tuple(text.split("\n")))
    while reader.at < len(reader.lines):
        reader.read_statement()
    # A function goes on to the next one; nothing in the lines says where it ends.
    starts = sorted(line for line, _ in reader.functions.values())
    functions = {
        name: FunctionBody(name, line, _last_line_of(line, starts, len(reader.lines)), tuple(steps))
        for name, (line, steps) in reader.functions.items()
    }
    entry = functions.get(ENTRY)
    # Without any head of `call()` the indented lines are taken for its body.
    if entry is None and reader.orphans:
        entry = FunctionBody(ENTRY, 0, len(reader.lines), tuple(reader.orphans))
    passed_on = functions_that_pass_on(functions.values())
    code = ParsedCode(
        statements=tuple(reader.statements),
        passed_on=passed_on,
        functions={name: body for name, body in functions.items() if name not in passed_on},
        entry=entry,
        comments=reader.comments,
        lines=reader.lines,
    )
    return Salvage(code, reader.unread)


def _last_line_of(line: int, starts: list[int], end: int) -> int:
    """The line before the next function; comments up to there may belong to this one."""
    return min((start - 1 for start in starts if start > line), default=end)


def _parse_statement(text: str) -> ast.stmt | None:
    """The statement that `text` is, or whose header it is."""
    # `elif` and the like do not parse alone. Each
    # becomes a branch, which is all that is asked of it.
    if text.startswith("elif "):
        text = text.removeprefix("el")
    elif text.startswith(("else:", "except", "finally:", "try:")):
        text = "if __debug__:"
    for attempt in (text, f"{text} pass"):
        tree = parse_python(attempt)
        if tree is not None and tree.body:
            return tree.body[0]
    return None


def _indent_of(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


def _open_brackets(text: str) -> int:
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
