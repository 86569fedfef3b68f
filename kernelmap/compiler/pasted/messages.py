"""The lines of TORCH_LOGS text → messages: what one call of a logger said, whole again.

Lines with equal prefixes are one message, whatever other ranks, threads and prints put between
them. The oldest versions prefix the first line only, and pasted text may have lost its prefixes:
then lines without a prefix belong to the message above. Where both readings are possible Python's
parser decides. Text without any prefix (between the fences of Markdown, or indented) is a message
of its own if it looks like generated code. Left out: messages of other loggers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import dedent

from kernelmap.compiler.pasted.lines import Prefix, is_fence, plain, split_prefix
from kernelmap.compiler.python.source import parse

USED = frozenset({"output_code", "kernel_code", "aot_graphs", "post_grad_graphs"})
"""Artifacts whose messages are kept."""

_MOST_LOOSE = 200_000  # lines; generated code that is longer has prefixes
_HEAD = re.compile(
    r" ?(?P<head>Output (?:wrapper |kernel )?code:|Output graph module:|TRACED GRAPH\b"
    r"|(?:Output|Wrapper|Kernel|Header) code written to:|(?:Auto-tuning code|Package) written to"
    r"|Serialized Extern Kernel Nodes:|[A-Z][\w+ ]{0,40} Kernel:|[A-Z]\w+ kernel path:"
    r"|aot_config id:)(?P<rest>.*)"
)
_OPENS_CODE = "# AOT ID:"
_CODE_WORDS = ("async_compile", "def call(")


@dataclass(slots=True)
class Message:
    """What one message said; `line` counts from 1, `head` is the phrase that it began with."""

    line: int
    prefix: Prefix | None
    head: str | None = None
    parts: list[tuple[bool, str]] = field(default_factory=list)  # (own prefix, text)
    own: int = 0
    loose: int = 0
    names_code: bool = False
    has_id: bool = False

    @property
    def artifact(self) -> str | None:
        """The artifact's name; None for text without a prefix."""
        return self.prefix.artifact if self.prefix else None

    @property
    def rank(self) -> int | None:
        """The rank that said it."""
        return self.prefix.rank if self.prefix else None

    @property
    def compile_id(self) -> str | None:
        """The compilation that it is about: `0/0`, `0/0_1` for attempt 1."""
        return self.prefix.compile_id if self.prefix else None

    @property
    def stream(self) -> tuple[int | None, str | None]:
        """What tells messages apart that came in one order: rank and compile id."""
        return self.rank, self.compile_id

    @property
    def told(self) -> str:
        """The first line behind the head; all that a message about a file says."""
        return self.parts[0][1].strip() if self.parts else ""

    def add(self, text: str, *, own: bool) -> None:
        """One more line."""
        if not own and (self.own > 1 or self.loose >= _MOST_LOOSE):
            return  # Every line of this message has its prefix: a print, or another process.
        self.parts.append((own, text))
        self.own += own
        self.loose += not own
        self.names_code |= _names_code(text)
        self.has_id |= text.startswith(_OPENS_CODE)

    def body(self) -> str:
        """The text of the message, as far as its lines can be told from others."""
        own = "\n".join(text for mine, text in self.parts if mine)
        if not self.loose or (_names_code(own) and parse(own) is not None):
            return own
        loose = iter(dedent("\n".join(text for mine, text in self.parts if not mine)).split("\n"))
        whole = "\n".join(text if mine else next(loose) for mine, text in self.parts)
        return own if self.own > 1 and parse(whole) is None else whole


def _names_code(text: str) -> bool:
    return any(word in text for word in _CODE_WORDS)


def messages(lines: Iterable[str]) -> list[Message]:
    """The messages of a text, in the order of their first lines."""
    reading = _Reading()
    for number, line in enumerate(lines, 1):
        reading.take(number, plain(line))
    reading.close()
    return reading.found


@dataclass(slots=True)
class _Reading:
    found: list[Message] = field(default_factory=list)
    open: dict[Prefix, Message] = field(default_factory=dict)
    current: Message | None = None

    def take(self, number: int, line: str) -> None:
        """Use one line."""
        if is_fence(line):
            self._begin(Message(number + 1, None))
            return
        prefix, text = split_prefix(line)
        if prefix is None:
            if self.current is None:
                self._begin(Message(number, None))
            if self.current is not None:
                self._loose(number, text)
        elif prefix.artifact not in USED:
            self._begin(Message(number + 1, None))
        else:
            self._marked(number, prefix, text)

    def _loose(self, number: int, text: str) -> None:
        message = self.current
        if message is None:
            return
        head = _HEAD.match(text.lstrip(" ")) if message.prefix is None else None
        again = message.has_id and text.lstrip(" ").startswith(_OPENS_CODE)
        if head or (again and not message.own):
            message = Message(number, None, head=head["head"] if head else None)
            self._begin(message)
            text = head["rest"].strip() if head else text
            if not text:
                return
        message.add(text, own=False)

    def _marked(self, number: int, prefix: Prefix, text: str) -> None:
        message, head = self.open.get(prefix), _HEAD.match(text)
        again = message is not None and message.has_id and text.startswith(_OPENS_CODE)
        if message is None and head is None and self._continues(prefix):
            message = self.current
        if message is None or head or again:
            message = self.open[prefix] = Message(number, prefix, head["head"] if head else None)
            text = head["rest"].strip() if head else text
            self._begin(message)
            if head and not text:
                return
        self.current = message
        message.add(text, own=True)

    def _continues(self, prefix: Prefix) -> bool:
        """Whether a prefix stands in the middle of text whose other prefixes were cut off."""
        before = self.current
        return (
            before is not None
            and before.names_code
            and before.loose > 1
            and before.artifact in (None, prefix.artifact)
        )

    def _begin(self, message: Message) -> None:
        self.close()
        self.current = message
        self.found.append(message)

    def close(self) -> None:
        """Forget what was held for nothing: prints of the program between messages."""
        last = self.found[-1] if self.found else None
        if last is not None and last.prefix is None and not last.names_code and not last.head:
            self.found.pop()
