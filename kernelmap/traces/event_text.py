r"""One event as JSON text: where facts go into it, and how events of our own are written.

Facts become one more argument, the last one, so that nothing of the event has to change: what
comes in is `, "kernelmap": {…}` before the bracket that closes `args`, or a whole `args` before
the one that closes an event without arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from kernelmap.model.annotations import KEY
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED

_ABSENT = Raw(b"")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)
_FIRST_KEY = re.compile(rb'\{\s*"(\w+)"\s*:')
_OWN_KEY = b'"%s"' % KEY.encode()


class Parts(Struct, frozen=True, gc=False):
    """What is asked of an event that gets facts; both are empty where the event has none."""

    name: Raw = _ABSENT
    args: Raw = _ABSENT

    @property
    def text(self) -> str | None:
        """What the event is called; None where its name is no text."""
        try:
            return _NAME.decode(self.name)
        except MALFORMED:
            return None

    @property
    def has_facts(self) -> bool:
        """Whether the arguments hold facts of ours already."""
        args = bytes(self.args)
        return _OWN_KEY in args and args.startswith(b"{") and KEY in _FIELDS.decode(args)


_NAME = msgspec.json.Decoder(str)
_PARTS = msgspec.json.Decoder(Parts)
_FIELDS = msgspec.json.Decoder(dict[str, Raw])


def parts_of(event: bytes) -> Parts:
    """Name and arguments of one event."""
    return _PARTS.decode(event)


def addition(event: bytes, parts: Parts, facts: bytes) -> tuple[int, bytes] | None:
    """Where in `event`, and what, to put in; None where `args` is there and is no object."""
    args = bytes(parts.args)
    own = b"%s: %s" % (_OWN_KEY, facts)
    if not args:
        at, comma = _last_value(event, len(event))
        return at, b'%s"args": {%s}' % (comma, own)
    if not args.startswith(b"{"):
        return None
    at, comma = _last_value(event, _end_of_args(event, args))
    return at, comma + own


def event_text(fields: Mapping[str, bytes], layout: Layout | None) -> bytes:
    """An event of our own from its fields' JSON, in the layout of the file.

    Where the layout goes by the first key, that key comes first.
    """
    if layout is None:
        return b"{%s}" % _joined(fields)
    first = _FIRST_KEY.match(layout.open)
    if first is None:
        return layout.open + _joined(fields) + layout.close
    key = first[1].decode()
    rest = {name: value for name, value in fields.items() if name != key}
    if key not in fields:
        return b"{%s%s" % (_joined(fields), layout.close)
    return b"%s%s, %s%s" % (layout.open, fields[key], _joined(rest), layout.close)


def _joined(fields: Mapping[str, bytes]) -> bytes:
    return b", ".join(b'"%s": %s' % (name.encode(), value) for name, value in fields.items())


def _last_value(event: bytes, end: int) -> tuple[int, bytes]:
    """Behind the last value of the object that ends at `end`, and the comma that is needed there.

    >>> _last_value(b'{"a": 1 }', 9), _last_value(b"{ }", 3)
    ((7, b', '), (1, b''))
    """
    at = len(event[: end - 1].rstrip())
    return at, b"" if event[at - 1 : at] == b"{" else b", "


def _end_of_args(event: bytes, args: bytes) -> int:
    """Where `args`, the value of the event's last key `args`, ends in it."""
    end = len(event[:-1].rstrip())
    # A bracket that closes the event's last value stands outside of strings, so its object is
    # the value, and a key before it is the event's.
    if event.endswith(args, 0, end):
        before = event[: end - len(args)].rstrip()
        before = before[:-1].rstrip() if before.endswith(b":") else b""
        if before.endswith(b'"args"') and not before.endswith(b'\\"args"'):
            return end
    depth, after, key, found = 0, b"", b"", 0
    for token in _TOKEN.finditer(event):
        if depth == 1 and token[0] == b":":
            key = after
        elif token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            if depth == 1 and msgspec.json.decode(key) == "args":
                found = token.end()
        after = token[0]
    return found
