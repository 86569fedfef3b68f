"""The variables that a statement of a C++ wrapper works with, and what the printer says before it.

Takes tokens of the wrapper. Inductor reuses memory by moving one variable into the next, so a name
leads to the variable that the memory was first allocated for. Left out: operands that are made
within the call (views of a buffer), which the debug printer leaves out, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kernelmap.compiler.cpp.tokens import Kind, Token
from kernelmap.model import Operands

_SAVE, _PRINT, _FORMAT = "aoti_torch_save_tensor_handle", "aoti_torch_print_tensor_handle", "printf"
PRINTERS = (_SAVE, _PRINT, _FORMAT)
"""Functions that the printer's statements call."""

_BEFORE = "before_launch"
_MOVE, _VIEW, _OWNED = "move", "reinterpret_tensor_wrapper", "wrap_with_raii_handle_if_needed"
_HANDLE = "_handle"
_DATA, _NO_TENSOR = "data_ptr", "nullptr"


@dataclass(slots=True)
class Variables:
    """What is known of the variables so far: `memory` leads from a name to where it began."""

    memory: dict[str, str] = field(default_factory=dict)
    printed: str | None = None

    def see(self, body: Sequence[Token], at: int) -> None:
        """Take in the name at `at`, if it moves memory from one variable to another."""
        names = [token.value for token in body[max(0, at - 4) : at + 4]]
        if len(names) < 8:  # noqa: PLR2004 -- `X = std::move(Y)` and a mark after it
            return
        match names:
            case [new, "=", "std", "::", _, "(", old, ")"] if body[at].value == _MOVE:
                self._move(new, old)
            case [new, "=", outer, "(", _, "(", old, ","] if (
                body[at].value == _VIEW and outer == _OWNED
            ):
                self._move(new, old)
            case _:
                pass

    def say(self, function: str, texts: Sequence[str]) -> None:
        """Take in a statement of the printer with the texts among its arguments."""
        name = _named(function, texts)
        self.printed = name or self.printed

    def take(self, given: Sequence[Sequence[Token]]) -> Operands:
        """The operands of a call with the arguments `given`."""
        names = tuple(dict.fromkeys(_tensors(given)))
        printed, self.printed = self.printed, None
        return Operands(
            names=names,
            memory=tuple(self.memory.get(name, name) for name in names),
            results=tuple(_results(given, self.memory)),
            printed=printed,
        )

    def _move(self, new: str, old: str) -> None:
        self.memory[new] = self.memory.get(old, old)


def _named(function: str, texts: Sequence[str]) -> str | None:
    """The kernel that a statement says to be about to run."""
    if function == _SAVE:
        return texts[-1] if _BEFORE in texts[:-1] else None
    text = texts[0] if texts else ""
    if function == _PRINT:
        when, _, rest = text.partition(" - ")
        name = rest.rpartition(" - ")[0]
        return name if when == _BEFORE and name else None
    head = f"[ {_BEFORE}: "
    return text[len(head) :].rpartition(" ]")[0] or None if text.startswith(head) else None


def _tensors(given: Sequence[Sequence[Token]]) -> Iterator[str]:
    """Arguments that are a variable, or `(type)(variable.data_ptr())`."""
    for each in given:
        if len(each) == 1:
            if each[0].kind is Kind.NAME and each[0].value != _NO_TENSOR:
                yield each[0].value
            continue
        for at in range(2, len(each)):
            if each[at].value == _DATA and each[at - 1].value == ".":
                yield each[at - 2].value
                break


def _results(given: Sequence[Sequence[Token]], memory: Mapping[str, str]) -> Iterator[str]:
    """Arguments that are `&variable_handle`."""
    for each in given:
        if len(each) == 2 and each[0].value == "&" and each[1].value.endswith(_HANDLE):  # noqa: PLR2004 -- mark and name
            name = each[1].value.removesuffix(_HANDLE)
            yield memory.get(name, name)
