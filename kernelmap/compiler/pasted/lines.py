"""A line of TORCH_LOGS text → what its prefix says, and what stands behind it.

Prefixes had three forms. In newer versions every line has one in the manner of glog,
`V1121 07:06:31.925000 8844 torch/_inductor/graph.py:2745] [0/0] [__output_code] text`, with
`[rank1]:` before it in distributed runs. Before, it was
`[2024-01-02 10:11:12,345] [0/0] torch._inductor.graph.__output_code: [DEBUG] text`, in the oldest
versions on the first line of a message only. What people paste has the front of it cut off, colors
in it, or something else before it: anything before a whole prefix is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ID = r"(?:\[(?P<id>!?\d+(?:/\d+)*(?:_\d+)?)\] ?)?"
_GLOG = re.compile(
    r"(?P<stamp>[VDIWEC]\d{4} \d\d:\d\d:\d\d(?:[.,]\d+)? \d+ [^\s\]]+:\d+\])"
    r"(?: \[(?P<id>!?\d+(?:/\d+)*(?:_\d+)?)\])?(?: \[__(?P<artifact>[a-z_]+)\])?(?: |$)"
)
_LEVEL = re.compile(
    r"(?P<stamp>[-\d\[]*[-\d ]*\d\d:\d\d:\d\d,\d+\]) "
    + _ID
    + r"[A-Za-z_][\w.]*?(?:\.__(?P<artifact>[a-z_]+))?: \[[A-Z]+\](?: |$)"
)
_CUT_LEVEL = re.compile(
    r"\s*" + _ID + r"(?P<stamp>[A-Za-z_][\w.]*)\.__(?P<artifact>[a-z_]+): \[[A-Z]+\](?: |$)"
)
_CUT_GLOG = re.compile(
    r"(?P<stamp>[^'\"\[\]#=]{0,200}\])? ?" + _ID + r"\[__(?P<artifact>[a-z_]+)\](?: |$)"
)
_OTHER = re.compile(r"(?:\[\w+\]:? ?)?(?:[VDIWEC]\d{4} |\[\d{4}-)")
_RANK = re.compile(r"\[(?:rank|default)(\d+)\]")
_COLORS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_FRONT = 400  # characters in which a prefix may begin
_MARKS = ("[__output_code]", ".__output_code: [", "[__kernel_code]", ".__kernel_code: [")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:```|~~~)", re.MULTILINE)
_CODE = re.compile(r"async_compile|\bdef call\(")


@dataclass(frozen=True, slots=True)
class Prefix:
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
    if "]" not in front or ("__" not in front and _OTHER.match(front) is None):
        return None, line
    found = (
        _GLOG.search(front)
        or _LEVEL.search(front)
        or _CUT_LEVEL.match(front)
        or _CUT_GLOG.match(front.lstrip(" \t>"))
    )
    if found is None:
        return None, line
    cut = len(front) - len(front.lstrip(" \t>")) if found.re is _CUT_GLOG else 0
    rank = _RANK.search(front[: found.start()])
    prefix = Prefix(
        stamp=(found["stamp"] or "").strip(),
        artifact=found["artifact"],
        compile_id=found["id"],
        rank=int(rank[1]) if rank else None,
    )
    return prefix, line[cut + found.end() :]


def plain(line: str) -> str:
    """A line without colors and without what a progress bar left before a carriage return."""
    if "\x1b" in line:
        line = _COLORS.sub("", line)
    return line.rstrip("\r\n").rpartition("\r")[2]


def is_marked(text: str) -> bool:
    """Whether a line of `text` is part of generated code, or of a kernel's source, as logged."""
    return any(mark in text for mark in _MARKS) and any(
        prefix.artifact in ("output_code", "kernel_code")
        for line in text.split("\n")
        if (prefix := split_prefix(plain(line))[0]) is not None
    )


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a block of Markdown."""
    return _FENCE.match(line) is not None


def is_pasted(text: str) -> bool:
    r"""Whether code in `text` stands inside of something: between fences, or indented as a whole.

    >>> is_pasted("See:\n```python\ndef call(args):\n```"), is_pasted("def call(args):\n    pass\n")
    (True, False)
    """
    code = _CODE.search(text)
    if code is None:
        return False
    fence = _FENCE.search(text)
    lines = [line for line in text.split("\n") if line.strip()]
    before = fence is not None and fence.start() < code.start()
    return before or all(line[0] in " \t" for line in lines)
