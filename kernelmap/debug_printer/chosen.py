"""Calls → the environment variables with which AOTInductor's debug printer speaks of them.

The printer is written into the code while that is compiled; the variables do nothing for a package
that exists. Only level 2 heeds the filter, which is a list of names without regard to case: every
call of a named kernel is printed. Source: torch 2.13, `aot_inductor` in `_inductor/config.py`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.debug_printer.code import PrinterCode, chosen_calls, read_code
from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.model.notices import format_count
from kernelmap.model.printed import names_of

PRINTER = "AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER"
FILTER = "AOT_INDUCTOR_FILTERED_KERNELS_TO_PRINT"
_FILTERED = 2
_NAME = re.compile(r"[\w.:$]+", re.ASCII)


class Chosen(Struct, frozen=True, kw_only=True):
    """A call that was asked for; `names` are those that the printer may have for it."""

    call: str
    wrapper: str
    names: tuple[str, ...]
    ops: tuple[str, ...]
    lines: tuple[str, ...]


class Settings(Struct, frozen=True, kw_only=True):
    """What to set while a model is compiled, for which calls."""

    level: int
    variables: tuple[tuple[str, str], ...]
    chosen: tuple[Chosen, ...]
    notices: tuple[Notice, ...]

    @property
    def assignments(self) -> tuple[str, ...]:
        """`NAME=value`, quoted for a POSIX shell."""
        return tuple(f"{name}={shlex.quote(value)}" for name, value in self.variables)


def settings_for_calls(
    *sources: Path, kernels: Sequence[str] = (), top: int | None = None, level: int = _FILTERED
) -> Settings:
    """The variables for the calls that `kernels` name and those of the `top` hottest kernels.

    Without either the printer speaks of all that it can. Raises KernelmapError for a name that fits
    nothing, and where it can speak of none of the calls.
    """
    code = read_code(sources)
    narrowed = bool(kernels) or top is not None
    positions = chosen_calls(code, kernels, top)
    heard = [at for at in positions if _names_in_printer(code, at)]
    if not heard:
        wrapper = code.program.calls[positions[0]][1].wrapper if positions else "the code"
        raise UsageError(
            "printer-never-speaks",
            f"the debug printer never speaks of {wrapper}",
            "It knows kernels and library calls, but no copies, no operators that are looked up"
            " at run time, and no multi-kernels. Name the call before or after it.",
        )
    names = dict.fromkeys(name for at in heard for name in _names_in_printer(code, at))
    variables = [(PRINTER, str(level))]
    if narrowed and level == _FILTERED:
        variables.append((FILTER, ",".join(names)))
    lines = code.lines
    return Settings(
        level=level,
        variables=tuple(variables),
        chosen=tuple(
            Chosen(
                call=graph.call_id(call),
                wrapper=call.wrapper,
                names=_names_in_printer(code, at),
                ops=code.divisions[at].ops,
                lines=lines[at],
            )
            # Calls that the printer never speaks of are listed too; a notice names them.
            for at in positions
            for graph, call in (code.program.calls[at],)
        ),
        notices=(
            *code.notices,
            *_iter_notices(code, positions if narrowed else (), set(names), level),
        ),
    )


def _names_in_printer(code: PrinterCode, at: int) -> tuple[str, ...]:
    """The printer's names of a call, without those that no filter can hold."""
    return tuple(name for name in names_of(code.program.calls[at][1]) if _NAME.fullmatch(name))


def _iter_notices(
    code: PrinterCode, positions: Sequence[int], names: set[str], level: int
) -> Iterator[Notice]:
    """What a choice of calls does not bring."""
    if not positions:
        return
    calls = code.program.calls
    if level != _FILTERED:
        yield Notice(
            slug="printer-filter-unheeded",
            message=f"Level {level} heeds no filter: the printer speaks of every kernel.",
            hint="Only level 2 is filtered. Give --kernel again when you read what was left.",
        )
    silent = [calls[at][1].wrapper for at in positions if not _names_in_printer(code, at)]
    if silent:
        yield Notice(
            slug="printer-silent-call",
            message=f"The printer never speaks of {', '.join(dict.fromkeys(silent))}.",
            hint="Look at the calls before and after it.",
        )
    # The filter knows names only, so further calls of a chosen kernel are printed with it.
    others = [
        at
        for at in range(len(calls))
        if at not in positions and names & set(names_of(calls[at][1]))
    ]
    if others and level == _FILTERED:
        graph, call = calls[others[0]]
        yield Notice(
            slug="printer-filter-by-name",
            message=f"The filter knows kernels by name, so {format_count(len(others), 'call')} that"
            f" nobody asked for will be printed as well, such as {graph.call_id(call)}.",
        )
