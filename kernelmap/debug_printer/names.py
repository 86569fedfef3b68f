"""Names in the debug printer's log, and of the files it saves → the calls that they may mean.

Takes a program. A name is that of a kernel, and several calls may run one kernel: then the
argument that the printer names beside it tells them apart, where it is the argument of one alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import CompiledProgram, Operands
from kernelmap.model.printed import Printed, names_of, saved_name

_COPIED = re.compile(r"copy_arrayref_tensor_to_tensor\((\w+)\)")
_DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "meta", "privateuseone")


class SavedName(Struct, frozen=True, kw_only=True):
    """A file's name taken apart; None for what it cannot tell. `calls` are positions."""

    kernel: str | None
    argument: str | None
    device: str | None
    calls: tuple[int, ...]


class PrinterNames:
    """The names of a program's calls, as the printer writes them."""

    def __init__(self, program: CompiledProgram) -> None:
        """Positions are those in `program.calls`."""
        self.program = program
        self._calls: dict[str, list[int]] = {}
        for at, (_, call) in enumerate(program.calls):
            for name in names_of(call):
                self._calls.setdefault(name, []).append(at)

    def has_kernel(self, kernel: str | None) -> bool:
        """Whether any call has this name."""
        return kernel in self._calls

    def names(self, call: int) -> tuple[str, ...]:
        """The names of one call."""
        return names_of(self.program.calls[call][1])

    def calls(self, kernel: str | None, arguments: frozenset[str] = frozenset()) -> tuple[int, ...]:
        """The calls that `kernel` may mean: those with all `arguments`, else all of the name."""
        named = self._calls.get(kernel or "", [])
        narrow = [at for at in named if arguments <= self._arguments(at)]
        # An argument that none of them takes tells nothing.
        return tuple(narrow or named)

    def saved(self, named: str) -> SavedName:
        """What the name of a file says, `<kernel>_<argument>[_<device>]`."""
        readings = list(self._readings(named))
        # `a_b_c` may be argument `b_c` of kernel `a`, or `c` of `a_b`. An argument that the call
        # takes decides, then the longer name of a kernel.
        best = max(
            readings, key=lambda reading: (reading[0], len(reading[1].kernel or "")), default=None
        )
        return best[1] if best else SavedName(kernel=None, argument=None, device=None, calls=())

    def read(self, printed: Printed) -> Printed:
        """`printed` with kernel and argument as the code has them.

        The name of a saved file has it; an array on the stack is copied to be printed.
        """
        copied = _COPIED.fullmatch(printed.argument or "")
        if copied is not None:
            return replace(printed, argument=copied[1])
        # A file is named after kernel and argument together, so both are taken from its name.
        name = saved_name((printed.path or "").replace("\\", "/").rpartition("/")[2])
        if name is None:
            return printed
        saved = self.saved(name[1])
        return replace(printed, kernel=saved.kernel or name[1], argument=saved.argument)

    def place(self, call: int, argument: str | None) -> int:
        """Where `argument` stands among those of a call; behind all others where it does not."""
        operands = self._operands(call)
        names = operands.names if operands else ()
        return names.index(argument) if argument in names else len(names)

    def memory(self, call: int, argument: str) -> str:
        """The variable whose memory `argument` has."""
        operands = self._operands(call)
        if operands is None or argument not in operands.names:
            return argument
        return operands.memory[operands.names.index(argument)]

    def touched(self, call: int) -> frozenset[str]:
        """The memories that a call reads, writes or makes, as far as the code states them."""
        operands = self._operands(call)
        return frozenset((*operands.memory, *operands.results) if operands else ())

    def _readings(self, named: str) -> Iterator[tuple[bool, SavedName]]:
        """Every reading, with whether the argument is one of the call's."""
        for kernel in self._calls:
            if not named.startswith(f"{kernel}_"):
                continue
            rest = named[len(kernel) + 1 :]
            for argument, device in _with_device(rest):
                takes = [at for at in self._calls[kernel] if argument in self._arguments(at)]
                calls = tuple(takes or self._calls[kernel])
                yield (
                    bool(takes),
                    SavedName(kernel=kernel, argument=argument, device=device, calls=calls),
                )

    def _arguments(self, call: int) -> frozenset[str]:
        operands = self._operands(call)
        return frozenset(operands.names if operands else ())

    def _operands(self, call: int) -> Operands | None:
        return self.program.calls[call][1].operands


def _with_device(text: str) -> Iterator[tuple[str, str | None]]:
    """`buf0_cuda:1` as argument and device, and as an argument alone."""
    argument, separator, device = text.rpartition("_")
    kind, _, number = device.partition(":")
    if separator and argument and kind in _DEVICES and (not number or number.isdecimal()):
        yield argument, device
        return
    yield text, None
