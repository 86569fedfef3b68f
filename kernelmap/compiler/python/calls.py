"""Generated code → its calls in the order in which `call()` makes them.

Partitions, branches and loop bodies are functions of their own; their calls stand where the
function is called, so a function that is called twice gives its calls twice. Left out: functions
that `call()` never reaches (`benchmark_compiled_module`, `get_args`).
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Mapping

from msgspec import Struct

from kernelmap.compiler.python.call_names import Callee, alignment_copy, find_callee
from kernelmap.compiler.python.comments import CallSite, is_of_calls
from kernelmap.compiler.python.source import dotted_name, keyword_value, literal_value
from kernelmap.compiler.python.statements import (
    FunctionBody,
    LocalFunctions,
    ParsedCode,
    StatementStep,
    calls_in,
    module_aliases,
    split_assignment,
    stronger_occurrence,
)
from kernelmap.model import Backend, KernelDef, Occurrence, WrapperCall
from kernelmap.model.program import AlignmentCopy

_STREAMS = ("get_raw_stream", "get_cuda_stream", "get_xpu_stream")
# Calls and functions entered. Functions that call each
# other twice would double the work with each level.
_MOST_WORK = 200_000
_DEEPEST = 100  # functions that call each other in a row


class KeyedCall(Struct, frozen=True):
    """A call, and the `NAME:H` that its comment gives it.

    `functions` are those of the code that it stands in, below `call()` and outermost first.
    """

    call: WrapperCall
    key: str | None
    functions: tuple[str, ...] = ()


class OrderedCalls(Struct, frozen=True):
    """The calls of one graph; `lost` are handles without a call, `cut` that reading stopped.

    `copies` are the statements that copy an input only where it is not aligned.
    """

    calls: tuple[KeyedCall, ...]
    lost: tuple[str, ...]
    cut: bool
    copies: tuple[AlignmentCopy, ...] = ()


def ordered_calls(code: ParsedCode, kernels: Mapping[str, KernelDef]) -> OrderedCalls:
    """The calls of `code`, index 0 first; empty where it has no `call()`."""
    walk = _PythonWalk(
        code=code,
        kernels=kernels,
        aliases=module_aliases(code.statements),
        functions=LocalFunctions.in_code(code),
        comment_lines=sorted(code.comments),
    )
    if code.entry is not None:
        walk.walk_function(code.entry, Occurrence.ONCE)
    return OrderedCalls(tuple(walk.calls), tuple(walk.lost), walk.cut, tuple(walk.copies))


class _PythonWalk(Struct, kw_only=True):
    """One pass over the code, following calls of its own functions."""

    code: ParsedCode
    kernels: Mapping[str, KernelDef]
    aliases: dict[str, str]
    functions: LocalFunctions
    comment_lines: list[int]
    calls: list[KeyedCall] = []
    copies: list[AlignmentCopy] = []
    lost: list[str] = []
    cut: bool = False
    entered: int = 0
    active: list[FunctionBody] = []

    def walk_function(
        self, body: FunctionBody, occurrence: Occurrence, above: CallSite | None = None
    ) -> None:
        """Walk one function; one that calls itself is followed once.

        `above` are the comments over the statement that calls it: they speak of its calls where it
        has no comments of its own.
        """
        if body in self.active or self._is_enough():
            return
        self.entered += 1
        self.active.append(body)
        # Comments that wait for a call, and the streams by the names of their variables.
        site, streams, line = above or CallSite(), dict[str, int](), body.line
        for step in body.steps:
            # Comments between the last statement and this one speak of what follows.
            self._take_comments(site, line, step.line)
            line = max(line, step.line)
            _note_stream(step, streams)
            for call in calls_in(step.node):
                self._take_call(
                    call, stronger_occurrence(occurrence, step.occurrence), site, streams
                )
        # The rest of the function's comments: handles there have no call behind them and are lost.
        self._take_comments(site, line, body.last + 1)
        if above is None:
            site.close_site()
            self.lost.extend(site.lost)
        self.active.pop()

    def _has_comments(self, body: FunctionBody) -> bool:
        """Whether comments inside of a function say which nodes its calls run."""
        first, end = (bisect_right(self.comment_lines, line) for line in (body.line, body.last))
        return any(is_of_calls(self.code.comments[at]) for at in self.comment_lines[first:end])

    def _take_comments(self, site: CallSite, after: int, before: int) -> None:
        at = bisect_right(self.comment_lines, after)
        while at < len(self.comment_lines) and self.comment_lines[at] < before:
            line = self.comment_lines[at]
            site.take_comment(self.code.comments[line], line)
            at += 1

    def _take_call(
        self, call: ast.Call, occurrence: Occurrence, site: CallSite, streams: Mapping[str, int]
    ) -> None:
        body = self.functions.of(call.func)
        # A function of the code itself is no call: its own calls stand in its place.
        if body is not None:
            speaks = site.line == call.lineno - 1 and not self._has_comments(body)
            self.walk_function(body, occurrence, site if speaks else None)
            return
        copied = alignment_copy(call)
        if copied is not None:
            self.copies.append(AlignmentCopy(copied, call.lineno, len(self.calls)))
            return
        called = find_callee(call, self.kernels, self.aliases, self.code.passed_on)
        if called is None or self._is_enough():
            return
        origins, name, handle = site.take_origins(called, call.lineno)
        if called.is_idle:
            return
        made = WrapperCall(
            index=len(self.calls),
            wrapper=called.wrapper,
            backend=called.backend,
            line=call.lineno,
            category=called.category,
            kernel=called.kernel,
            target=called.target,
            function=called.function,
            occurrence=occurrence,
            handle=handle,
            origins=origins,
            recorded=called.recorded,
            stream=_stream_of_call(call, streams),
            numels=_sizes_of_launch(call, called, self.kernels),
        )
        # The first active function is `call()`, which is left out.
        functions = tuple(body.name for body in self.active[1:])
        self.calls.append(KeyedCall(made, f"{name}:{handle}" if name else None, functions))

    def _is_enough(self) -> bool:
        """Whether so many calls were followed, or so deep, that reading stops."""
        enough = len(self.calls) + self.entered >= _MOST_WORK or len(self.active) > _DEEPEST
        self.cut = self.cut or enough
        return self.cut


def _note_stream(step: StatementStep, streams: dict[str, int]) -> None:
    """Remember `raw_stream0 = get_raw_stream(0)`."""
    pair = split_assignment(step.node)
    if pair is not None and isinstance(pair[1], ast.Call) and pair[1].args:
        made = dotted_name(pair[1].func) or ""
        if made.rpartition(".")[2] in _STREAMS:
            number = literal_value(pair[1].args[0])
            if isinstance(number, int):
                streams[pair[0]] = number


def _stream_of_call(call: ast.Call, streams: Mapping[str, int]) -> int | None:
    """The number in `stream=stream0`, by its look-up or else by its name."""
    given = keyword_value(call, "stream")
    if not isinstance(given, ast.Name):
        return None
    # `stream0` and `raw_stream0` have the number in their names; a look-up that was seen is surer.
    digits = given.id.rpartition("stream")[2]
    by_name = int(digits) if digits.isascii() and digits.isdecimal() else None
    return streams.get(given.id, by_name)


def _sizes_of_launch(
    call: ast.Call, called: Callee, kernels: Mapping[str, KernelDef]
) -> tuple[int, ...] | None:
    """The sizes that end the arguments of a launch, None where one of them is dynamic.

    How many there are follows from the kernel's signature; without one, the numbers at the end are
    taken for sizes. Templates and user kernels end in their grid instead.
    """
    if called.backend not in (Backend.TRITON, Backend.COMBO, Backend.MULTI):
        return None
    values = [literal_value(argument) for argument in call.args]
    # A size that is a variable is dynamic; `True` is no size.
    numbers = [value if type(value) is int else None for value in values]
    count = _size_arguments(called, kernels)
    if count is None:
        count = 0
        while count < len(numbers) and numbers[-1 - count] is not None:
            count += 1
    sizes = [number for number in numbers[len(numbers) - count :] if number is not None]
    return tuple(sizes) if sizes and len(sizes) == count else None


def _size_arguments(called: Callee, kernels: Mapping[str, KernelDef]) -> int | None:
    kernel = kernels.get(called.kernel or "")
    # All members of a multi-kernel take the same arguments.
    if kernel is not None and kernel.members:
        kernel = kernels.get(kernel.members[0])
    if kernel is None or kernel.signature is None:
        return None
    return sum(name.endswith("numel") for name, _ in kernel.signature)
