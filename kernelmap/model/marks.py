"""The text of a mark: what a capture writes around graphs and calls, and readers read back.

A mark is the text of an NVTX or profiler range in the domain `kernelmap`:

    kernelmap:1 graph 3f2ab4c5d6e7f801 0_forward 0/0
    kernelmap:1 call 3f2ab4c5d6e7f801/12 triton_poi_fused_add_0:7

The graph is named by a digest of its generated code, because `0_forward` is the name of many; the
index is `WrapperCall.index`. Texts are ASCII without control characters and at most `LONGEST` long:
what is hostile in a name is percent-encoded, what is too long is shortened in a way that can still
be compared. `kernelmap:1` is the version of this form.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from msgspec import Struct

DOMAIN = "kernelmap"
RECORDED = "recorded"
"""The text of the range, in this domain, between whose ends Nsight Systems records."""
LONGEST = 300

_ANY = "kernelmap:"
_PREFIX = f"{_ANY}1"
# How long each part of a text may be, so that the whole stays within the longest text.
_NAME, _COMPILE_ID, _WRAPPER = 60, 40, 200
_NUMBER = "[0-9]{1,18}"  # what a reader with 64 bits cannot hold is no number of ours
_SAFE = "/.,_-<>()[]{}=*&#@!$^+;"
# A part that is absent, and one that is there and empty: each has to be one word of a text.
_ABSENT, _EMPTY = "-", "%"
_DIGEST_LENGTH = 16
# Comments in generated code whose path differs from machine to machine.
_PATHS = ("# kernel path:", "# Original path:")
_GRAPH = re.compile(r"([0-9a-f]{16}) (\S+) (\S+)")
_CALL = re.compile(rf"([0-9a-f]{{16}})/({_NUMBER}) ([^\s:]+)(?::({_NUMBER}))?")


class MarkedGraph(Struct, frozen=True, kw_only=True):
    """One execution of a graph's `call()`; `name` is its AOT id (`0_forward`)."""

    digest: str
    name: str | None = None
    compile_id: str | None = None


class MarkedCall(Struct, frozen=True, kw_only=True):
    """One execution of a call: `index` and `handle` are those of its WrapperCall."""

    digest: str
    index: int
    wrapper: str
    handle: int | None = None


def graph_digest(text: str) -> str:
    r"""The name of generated code in marks: 16 hex digits of its SHA-256.

    Any copy of the text gives the same: white space around it, line ends and comments that state
    nothing but a path of the machine don't count.

    >>> graph_digest("def call(args): ...") == graph_digest("def call(args): ...\r\n")
    True
    """
    lines = text.strip().splitlines()
    counted = "\n".join(line for line in lines if not line.lstrip().startswith(_PATHS))
    return hashlib.sha256(counted.encode("utf-8", "replace")).hexdigest()[:_DIGEST_LENGTH]


def encode_mark(mark: MarkedGraph | MarkedCall) -> str:
    """The text of `mark`.

    >>> encode_mark(MarkedCall(digest="00112233445566ff", index=3, wrapper="aten.mm.out", handle=4))
    'kernelmap:1 call 00112233445566ff/3 aten.mm.out:4'
    """
    if isinstance(mark, MarkedGraph):
        name, compile_id = (
            _quote_optional(mark.name, _NAME),
            _quote_optional(mark.compile_id, _COMPILE_ID),
        )
        return f"{_PREFIX} graph {mark.digest} {name} {compile_id}"
    handle = "" if mark.handle is None else f":{mark.handle}"
    return (
        f"{_PREFIX} call {mark.digest}/{mark.index} {_quote_name(mark.wrapper, _WRAPPER)}{handle}"
    )


def decode_mark(text: str) -> MarkedGraph | MarkedCall | None:
    """The mark that `text` is, None where it is something else or of a version of its own."""
    prefix, _, rest = text.partition(" ")
    kind, _, fields = rest.partition(" ")
    read = _READ.get(kind)
    if prefix != _PREFIX or read is None:
        return None
    try:
        return read(fields)
    except UnicodeDecodeError:  # bytes behind % that `encode_mark` did not write
        return None


def is_mark(text: str) -> bool:
    """Whether `text` says that it is a mark; of another version `decode_mark` gives None."""
    return text.startswith(_ANY)


def shortened_wrapper(wrapper: str) -> str:
    """`wrapper` as a mark gives it back: itself, or for very long names a beginning and a digest.

    >>> shortened_wrapper("triton_poi_fused_add_0")
    'triton_poi_fused_add_0'
    """
    return _unquote(_quote_name(wrapper, _WRAPPER))


def _decode_graph(fields: str) -> MarkedGraph | None:
    match = _GRAPH.fullmatch(fields)
    if match is None:
        return None
    digest, name, compile_id = match.groups()
    return MarkedGraph(
        digest=digest, name=_unquote_present(name), compile_id=_unquote_present(compile_id)
    )


def _decode_call(fields: str) -> MarkedCall | None:
    match = _CALL.fullmatch(fields)
    if match is None:
        return None
    digest, index, wrapper, handle = match.groups()
    return MarkedCall(
        digest=digest,
        index=int(index),
        wrapper=_unquote(wrapper),
        handle=int(handle) if handle else None,
    )


_READ: dict[str, Callable[[str], MarkedGraph | MarkedCall | None]] = {
    "graph": _decode_graph,
    "call": _decode_call,
}


def _quote_optional(name: str | None, longest: int) -> str:
    # A name that happens to be the sign for absence is encoded, so that it can be told apart.
    if name is None:
        return _ABSENT
    return "%2D" if name == _ABSENT else _quote_name(name, longest)


def _unquote_present(field: str) -> str | None:
    return None if field == _ABSENT else _unquote(field)


def _unquote(field: str) -> str:
    return "" if field == _EMPTY else unquote(field, errors="surrogatepass")


def _quote_name(name: str, longest: int) -> str:
    """`name`, encoded, never empty and at most `longest` long."""
    encoded = quote(name, safe=_SAFE, errors="surrogatepass") or _EMPTY
    if len(encoded) <= longest:
        return encoded
    # Too long: the digest of the whole name keeps two long names apart that begin alike.
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
    kept, room = "", longest - len(digest) - 1
    # Encoded character by character, so that no escape is cut in two.
    for character in name:
        piece = quote(character, safe=_SAFE, errors="surrogatepass")
        if len(kept) + len(piece) > room:
            break
        kept += piece
    return f"{kept}~{digest}"
