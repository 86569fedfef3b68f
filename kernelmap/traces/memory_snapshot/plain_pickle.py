"""A pickle that holds nothing but plain data → that data; Python's pickle is not asked.

A pickle is a program: some of its opcodes name a function and call it, so whoever loads a foreign
one runs what its writer wanted. Only the opcodes that build dicts, lists, tuples, texts, bytes and
numbers are known here. There is no code that could look up a name, whatever a file says.

What a file may ask of memory is bounded: its size, the values that it makes (VALUES), how many
containers are begun in one another, and the bytes of a number. Keys of dicts are texts and whole
numbers: to hash a tuple may take for ever.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeAlias

from kernelmap.model.paths import VALUES

Plain: TypeAlias = object
"""None, a number, text or bytes; or a dict, list or tuple of these."""

PROTOCOL = b"\x80"
"""What a pickle begins with, from protocol 2 on."""
_PROTOCOLS = range(2, 6)
_DEEPEST = 1000
"""Containers that are begun in one another; torch's have five."""
_KEYS = {str, int}
_LONGEST_NUMBER = 16  # bytes
_STOP, _MARK, _MEMOIZE = 0x2E, 0x28, 0x94
_BINGET, _LONG_BINGET, _BININT1, _BININT2 = 0x68, 0x6A, 0x4B, 0x4D
_LONG = struct.Struct("<I")
_FOREIGN = {
    0x63: "GLOBAL",
    0x93: "STACK_GLOBAL",
    0x52: "REDUCE",
    0x62: "BUILD",
    0x69: "INST",
    0x6F: "OBJ",
    0x81: "NEWOBJ",
    0x92: "NEWOBJ_EX",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x50: "PERSID",
    0x51: "BINPERSID",
}
"""The opcodes that name something outside of the file, or call it."""


class PickleError(Exception):
    """Why a pickle is not read, to follow the name of its file.

    `is_foreign`: it names a function or a class, so it holds more than plain data.
    """

    def __init__(self, why: str, *, is_foreign: bool = False) -> None:
        super().__init__(why)
        self.is_foreign = is_foreign


def read_plain_pickle(data: bytes) -> Plain:
    """The one value that `data` holds. Raises PickleError for any other bytes."""
    try:
        return _PlainReader(data).read()
    except (IndexError, KeyError, struct.error):
        # Every opcode takes what it needs from the text, the stack and the memo; where that is not
        # there, the bytes are no pickle, or not all of one.
        raise PickleError("it is cut off or damaged") from None
    except UnicodeDecodeError:
        raise PickleError("it is damaged: a text in it is no UTF-8") from None


class _PlainReader:
    """Reads opcodes one by one onto a stack, as the format says; once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._stack: list[Plain] = []
        # Where on the stack each container that is being filled begins.
        self._marks: list[int] = []
        self._memo: dict[int, Plain] = {}
        # How many values have left the stack: they are in containers.
        self._made = 0
        self._steps: dict[int, Callable[[], None]] = {
            0x80: self._protocol,
            0x95: lambda: self._skip(8),  # FRAME: how many bytes belong together
            0x28: self._mark,
            0x30: self._pop,
            0x31: self._pop_mark,
            0x7D: lambda: self._push({}),
            0x5D: lambda: self._push([]),
            0x29: lambda: self._push(()),
            0x74: self._tuple,
            0x85: lambda: self._short_tuple(1),
            0x86: lambda: self._short_tuple(2),
            0x87: lambda: self._short_tuple(3),
            0x61: self._append,
            0x65: self._extend,
            0x73: self._set_item,
            0x75: self._set_items,
            0x4E: lambda: self._push(None),
            0x88: lambda: self._push(True),
            0x89: lambda: self._push(False),
            0x47: self._float,
            0x4A: lambda: self._signed(4),
            0x8A: self._long,
            0x8C: lambda: self._text(1),
            0x58: lambda: self._text(4),
            0x8D: lambda: self._text(8),
            0x43: lambda: self._bytes(1),
            0x42: lambda: self._bytes(4),
            0x8E: lambda: self._bytes(8),
            0x71: lambda: self._put(1),
            0x72: lambda: self._put(4),
        }

    def read(self) -> Plain:
        if self._data[:1] != PROTOCOL:
            raise PickleError("it does not begin as a pickle does")
        self._read_opcodes()
        if len(self._stack) != 1 or self._marks:
            raise PickleError("it is damaged: it does not end with one value")
        return self._stack[0]

    def _read_opcodes(self) -> None:
        """Read up to the end of the pickle.

        The opcodes that nine tenths of a snapshot are made of stand here, as a call for each would
        take three times as long; `_steps` has the others.
        """
        data, stack, memo, marks = self._data, self._stack, self._memo, self._marks
        steps, most = self._steps, VALUES.current()
        at = self._at
        while (code := data[at]) != _STOP:
            at += 1
            if code == _BINGET:
                stack.append(memo[data[at]])
                at += 1
            elif code == _LONG_BINGET:
                stack.append(memo[_LONG.unpack_from(data, at)[0]])
                at += 4
            elif code == _BININT2:
                stack.append(data[at] | data[at + 1] << 8)
                at += 2
            elif code == _BININT1:
                stack.append(data[at])
                at += 1
            elif code == _MEMOIZE:
                memo[len(memo)] = stack[-1]
            elif code == _MARK and len(marks) < _DEEPEST:
                marks.append(len(stack))
            else:
                step = steps.get(code)
                if step is None:
                    raise _unknown(code)
                self._at = at
                step()
                at = self._at
            # What lies on the stack was made, and goes into a container sooner or later.
            if most is not None and self._made + len(stack) > most:
                raise PickleError(VALUES.reason)
        self._at = at

    def _take(self, count: int) -> bytes:
        """The next bytes; as many as asked for."""
        taken = self._data[self._at : self._at + count]
        if len(taken) != count:
            raise IndexError
        self._at += count
        return taken

    def _skip(self, count: int) -> None:
        self._take(count)

    def _size(self, width: int) -> int:
        return int.from_bytes(self._take(width), "little")

    def _push(self, value: Plain) -> None:
        self._stack.append(value)

    def _protocol(self) -> None:
        version = self._size(1)
        if version not in _PROTOCOLS:
            raise PickleError(f"it states protocol {version}; known are 2 to 5")

    # Numbers and texts.

    def _signed(self, width: int) -> None:
        self._push(int.from_bytes(self._take(width), "little", signed=True))

    def _long(self) -> None:
        width = self._size(1)
        if width > _LONGEST_NUMBER:
            raise PickleError(f"it holds a number of {width} bytes, which no address has")
        self._signed(width)

    def _float(self) -> None:
        self._push(struct.unpack(">d", self._take(8))[0])

    def _text(self, width: int) -> None:
        # The two writers of snapshots keep surrogates, which names of files may have.
        self._push(self._take(self._size(width)).decode("utf-8", "surrogatepass"))

    def _bytes(self, width: int) -> None:
        self._push(self._take(self._size(width)))

    # Values that are met again.

    def _put(self, width: int) -> None:
        self._memo[self._size(width)] = self._stack[-1]

    # Containers.

    def _mark(self) -> None:
        if len(self._marks) >= _DEEPEST:
            raise PickleError(f"more than {_DEEPEST:,} containers in it lie in one another")
        self._marks.append(len(self._stack))

    def _since_mark(self) -> list[Plain]:
        """Take all values behind the last mark from the stack."""
        begin = self._marks.pop()
        values = self._stack[begin:]
        del self._stack[begin:]
        self._made += len(values)
        return values

    def _pop(self) -> None:
        self._own(1)
        self._stack.pop()
        self._made += 1

    def _pop_mark(self) -> None:
        self._since_mark()

    def _own(self, count: int) -> None:
        """Whether so many values stand behind the last mark."""
        if len(self._stack) - (self._marks[-1] if self._marks else 0) < count:
            raise IndexError

    def _tuple(self) -> None:
        self._push(tuple(self._since_mark()))

    def _short_tuple(self, count: int) -> None:
        self._own(count)
        values = tuple(self._stack[-count:])
        del self._stack[-count:]
        self._made += count
        self._push(values)

    def _append(self) -> None:
        self._own(2)
        value = self._stack.pop()
        self._made += 1
        self._list().append(value)

    def _extend(self) -> None:
        values = self._since_mark()
        self._list().extend(values)

    def _list(self) -> list[Plain]:
        """The list on top of the stack."""
        on_top = self._stack[-1]
        if type(on_top) is not list:
            raise IndexError
        return on_top

    def _set_item(self) -> None:
        self._own(3)
        value, key = self._stack.pop(), self._stack.pop()
        self._made += 2
        self._fill([key, value])

    def _set_items(self) -> None:
        self._fill(self._since_mark())

    def _fill(self, pairs: list[Plain]) -> None:
        """Keys and values, in turn, into the dict on top of the stack."""
        on_top = self._stack[-1]
        if type(on_top) is not dict or len(pairs) % 2:
            raise IndexError
        keys = pairs[::2]
        if not {type(key) for key in keys} <= _KEYS:
            raise PickleError("a key of a dict in it is neither text nor a whole number")
        on_top.update(zip(keys, pairs[1::2], strict=True))


def _unknown(code: int) -> PickleError:
    """What to say of an opcode that builds no plain data."""
    name = _FOREIGN.get(code)
    if name is None:
        return PickleError(f"it is damaged, or holds what is no plain data: opcode 0x{code:02x}")
    return PickleError(
        f"it holds more than plain data: it names something to import or to call ({name})",
        is_foreign=True,
    )
