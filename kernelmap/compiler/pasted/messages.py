"""The lines of TORCH_LOGS text → messages: what one call of a logger wrote, whole again.

Prefixes of lines had three forms. In newer versions every line has one in the manner of glog,
`V1121 07:06:31.925000 8844 torch/_inductor/graph.py:2745] [0/0] [__output_code] text`, with
`[rank1]:` before it in distributed runs. Before, it was
`[2024-01-02 10:11:12,345] [0/0] torch._inductor.graph.__output_code: [DEBUG] text`, in the oldest
versions on the first line of a message only. What people paste has the front of it cut off, colors
in it, or something else before it: anything before a whole prefix is passed over.

Lines with equal prefixes are one message, whatever other ranks, threads and prints put between
them. Where only the first line has a prefix, or pasted text has lost its prefixes, lines without
one belong to the message above. Where both readings are possible Python's parser decides. Text
without any prefix (between the fences of Markdown, or indented) is a message of its own if it looks
like generated code. Left out: messages of other loggers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import dedent

from msgspec import Struct

from kernelmap.compiler.files.code_file import is_fence
from kernelmap.compiler.python.source import parse_python

# A compile id in brackets: `[0/1_2]`, `[!0/0/1]` under compiled autograd.
_ID = r"(?:\[(?P<id>!?\d+(?:/\d+)*(?:_\d+)?)\] ?)?"
# Newer: `V1121 07:06:31.925000 8844 torch/x.py:7] [0/0] [__output_code] `.
_GLOG = re.compile(
    r"(?P<stamp>[VDIWEC]\d{4} \d\d:\d\d:\d\d(?:[.,]\d+)? \d+ [^\s\]]+:\d+\])"
    r"(?: \[(?P<id>!?\d+(?:/\d+)*(?:_\d+)?)\])?(?: \[__(?P<artifact>[a-z_]+)\])?(?: |$)"
)
# Older: `[2024-01-02 10:11:12,345] [0/0] torch.x.__output_code: [DEBUG] `.
_LEVEL = re.compile(
    r"(?P<stamp>[-\d\[]*[-\d ]*\d\d:\d\d:\d\d,\d+\]) "
    + _ID
    + r"[A-Za-z_][\w.]*?(?:\.__(?P<artifact>[a-z_]+))?: \[[A-Z]+\](?: |$)"
)
# The same two with their fronts cut off, as people paste them.
_CUT_LEVEL = re.compile(
    r"\s*" + _ID + r"(?P<stamp>[A-Za-z_][\w.]*)\.__(?P<artifact>[a-z_]+): \[[A-Z]+\](?: |$)"
)
_CUT_GLOG = re.compile(
    r"(?P<stamp>[^'\"\[\]#=]{0,200}\])? ?" + _ID + r"\[__(?P<artifact>[a-z_]+)\](?: |$)"
)
# The front of any logger's line, used to pass over most lines quickly.
_OTHER = re.compile(r"(?:\[\w+\]:? ?)?(?:[VDIWEC]\d{4} |\[\d{4}-)")
_RANK = re.compile(r"\[(?:rank|default)(\d+)\]")
_COLORS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_FRONT = 400  # characters in which a prefix may begin
MARKING = ("output_code", "kernel_code", "fusion", "ir_pre_fusion")
"""Artifacts that mark a text as TORCH_LOGS text. Of a graph with thousands of operations decisions
fill the first megabytes, and the code comes behind them."""
_MARKS = tuple(mark for name in MARKING for mark in (f"[__{name}]", f".__{name}: ["))
USED = frozenset(
    {"output_code", "kernel_code", "aot_graphs", "post_grad_graphs", "fusion", "ir_pre_fusion"}
)
"""Artifacts whose messages are kept."""

_MOST_LOOSE = 200_000  # lines; generated code that is longer has prefixes
# Phrases that begin a message; what stands behind one on the line is text of the message.
_HEAD = re.compile(
    r" ?(?P<head>(?:Output|AOT) (?:wrapper |kernel )?code:|Output graph module:|TRACED GRAPH\b"
    r"|(?:AOT )?(?:Output|[Ww]rapper|[Kk]ernel|[Hh]eader) code written to:"
    r"|(?:Auto-tuning code|Package) written to|JIT wrapper code for AOT lazy autotuning"
    r"|Serialized Extern Kernel Nodes:|[A-Z][\w+ ]{0,40} Kernel:|[A-Z]\w+ kernel path:"
    r"|aot_config id:)(?P<rest>.*)"
)
# The first line of generated code, and words of which such code has at least one.
_OPENS_CODE = "# AOT ID:"
_CODE_WORDS = ("async_compile", "def call(")


class Prefix(Struct, frozen=True):
    """What the prefix of a line states; lines of one message have equal ones.

    `artifact` is None for what other loggers say, `stamp` the part with time and place.
    """

    stamp: str
    artifact: str | None
    compile_id: str | None
    rank: int | None


def split_prefix(line: str) -> tuple[Prefix | None, str]:
    """The prefix of a line and the text behind it; None and the line where it has none.

    >>> split_prefix("I0527 torch/_inductor/graph.py:7] [0/1_2] [__output_code]     x = 1")
    (Prefix(stamp='I0527 torch/_inductor/graph.py:7]', artifact='output_code', \
compile_id='0/1_2', rank=None), '    x = 1')
    >>> split_prefix("x = args[0] # [__init__] is no prefix")[0] is None
    True
    """
    front = line[:_FRONT]
    # Most lines have no prefix: they need no search.
    if "]" not in front or ("__" not in front and _OTHER.match(front) is None):
        return None, line
    # Whole prefixes may stand anywhere in the front, cut ones only at its start.
    match = (
        _GLOG.search(front)
        or _LEVEL.search(front)
        or _CUT_LEVEL.match(front)
        or _CUT_GLOG.match(front.lstrip(" \t>"))
    )
    if match is None:
        return None, line
    # That cut form was searched without the spaces and
    # quotation marks before it; they are cut here.
    cut = len(front) - len(front.lstrip(" \t>")) if match.re is _CUT_GLOG else 0
    rank = _RANK.search(front[: match.start()])
    prefix = Prefix(
        stamp=(match["stamp"] or "").strip(),
        artifact=match["artifact"],
        compile_id=match["id"],
        rank=int(rank[1]) if rank else None,
    )
    return prefix, line[cut + match.end() :]


def strip_terminal_codes(line: str) -> str:
    """A line without colors and without what a progress bar left before a carriage return."""
    if "\x1b" in line:
        line = _COLORS.sub("", line)
    return line.rstrip("\r\n").rpartition("\r")[2]


def is_marked(text: str) -> bool:
    """Whether a line of `text` is one of generated code or of its making, as logged."""
    return any(mark in text for mark in _MARKS) and any(
        prefix.artifact in MARKING
        for line in text.split("\n")
        if (prefix := split_prefix(strip_terminal_codes(line))[0]) is not None
    )


class Message(Struct):
    """A message of a logger; `line` counts from 1, `head` is the phrase that it began with."""

    line: int
    prefix: Prefix | None
    head: str | None = None
    parts: list[tuple[bool, str]] = []  # (whether it has a prefix, text)
    prefixed: int = 0
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
        """Rank and compile id: messages that share both came in one order."""
        return self.rank, self.compile_id

    @property
    def first_line(self) -> str:
        """The first line behind the head; all that a message about a file says."""
        return self.parts[0][1].strip() if self.parts else ""

    def add_line(self, text: str, *, prefixed: bool) -> None:
        """One more line."""
        if not prefixed and (self.prefixed > 1 or self.loose >= _MOST_LOOSE):
            return  # Every line of this message has its prefix: a print, or another process.
        self.parts.append((prefixed, text))
        self.prefixed += prefixed
        self.loose += not prefixed
        self.names_code |= _names_code(text)
        self.has_id |= text.startswith(_OPENS_CODE)

    def body_text(self) -> str:
        """The text of the message, as far as its lines can be separated from others."""
        prefixed_text = "\n".join(text for mine, text in self.parts if mine)
        # The lines with the prefix alone, if they make
        # whole code: the others are prints between them.
        if not self.loose or (
            _names_code(prefixed_text) and parse_python(prefixed_text) is not None
        ):
            return prefixed_text
        # Else the lines without a prefix belong to the
        # message too, where that makes code that parses.
        loose = iter(dedent("\n".join(text for mine, text in self.parts if not mine)).split("\n"))
        whole = "\n".join(text if mine else next(loose) for mine, text in self.parts)
        return prefixed_text if self.prefixed > 1 and parse_python(whole) is None else whole


def _names_code(text: str) -> bool:
    return any(word in text for word in _CODE_WORDS)


def split_messages(lines: Iterable[str]) -> list[Message]:
    """The messages of a text, in the order of their first lines."""
    reading = _MessageReading()
    for number, line in enumerate(lines, 1):
        reading.take_line(number, strip_terminal_codes(line))
    reading.close_message()
    return reading.messages


class _MessageReading(Struct):
    messages: list[Message] = []
    open: dict[Prefix, Message] = {}
    current: Message | None = None

    def take_line(self, number: int, line: str) -> None:
        """Use one line."""
        # A fence of Markdown ends what is above it and begins text without prefixes.
        if is_fence(line):
            self._begin_message(Message(number + 1, None))
            return
        prefix, text = split_prefix(line)
        if prefix is None:
            # Text before any prefix is a message of its own.
            if self.current is None:
                self._begin_message(Message(number, None))
            if self.current is not None:
                self._take_loose_line(number, text)
        # Another logger's line ends the message, and is not kept.
        elif prefix.artifact not in USED:
            self._begin_message(Message(number + 1, None))
        else:
            self._take_marked_line(number, prefix, text)

    def _take_loose_line(self, number: int, text: str) -> None:
        message = self.current
        if message is None:
            return
        head = _HEAD.match(text.lstrip(" ")) if message.prefix is None else None
        # A second `# AOT ID:` is the next graph, though nothing else separates the two.
        again = message.has_id and text.lstrip(" ").startswith(_OPENS_CODE)
        if head or (again and not message.prefixed):
            message = Message(number, None, head=head["head"] if head else None)
            self._begin_message(message)
            text = head["rest"].strip() if head else text
            if not text:
                return
        message.add_line(text, prefixed=False)

    def _take_marked_line(self, number: int, prefix: Prefix, text: str) -> None:
        # Lines with one prefix are one message, also if others stand in between.
        message, head = self.open.get(prefix), _HEAD.match(text)
        again = message is not None and message.has_id and text.startswith(_OPENS_CODE)
        # Pasted text that lost most of its prefixes goes on here.
        if message is None and head is None and self._continues_message(prefix):
            message = self.current
        # A phrase or a new AOT id begins another message of the same prefix.
        if message is None or head or again:
            message = self.open[prefix] = Message(number, prefix, head["head"] if head else None)
            text = head["rest"].strip() if head else text
            self._begin_message(message)
            if head and not text:
                return
        self.current = message
        message.add_line(text, prefixed=True)

    def _continues_message(self, prefix: Prefix) -> bool:
        """Whether a prefix stands in the middle of text whose other prefixes were cut off."""
        before = self.current
        return (
            before is not None
            and before.names_code
            and before.loose > 1
            and before.artifact in (None, prefix.artifact)
        )

    def _begin_message(self, message: Message) -> None:
        self.close_message()
        self.current = message
        self.messages.append(message)

    def close_message(self) -> None:
        """Forget what was held for nothing: prints of the program between messages."""
        last = self.messages[-1] if self.messages else None
        if last is not None and last.prefix is None and not last.names_code and not last.head:
            self.messages.pop()
