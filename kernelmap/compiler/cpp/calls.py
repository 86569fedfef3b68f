"""A C++ wrapper → its calls in the order in which its entry makes them.

Takes the functions of the wrapper and its kernels. A call is: a function that launches a Triton
kernel, `launchKernel` itself, a C++ kernel, a C function of libtorch that runs an operator
(`aoti_torch_cuda_mm_out`, the dispatcher, the proxy executor), or glue. Functions of the file are
followed. Left out: allocations, views of memory, checks, guards, copies of misaligned inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from kernelmap.compiler.cpp.functions import ControlBlocks, CppFunctions, Function, split_arguments
from kernelmap.compiler.cpp.kernels import (
    LAUNCH,
    RECORD,
    CppKernels,
    is_mark,
    launched_at,
)
from kernelmap.compiler.cpp.shims import PRINTERS, Variables, callee_of_shim, target_of
from kernelmap.compiler.cpp.tokens import Token, TokenKind
from kernelmap.compiler.python.call_names import Callee, of_kernel, undefined_triton
from kernelmap.compiler.python.calls import KeyedCall, OrderedCalls
from kernelmap.compiler.python.comments import CallSite
from kernelmap.facts.stack_traces import user_lines
from kernelmap.model import Backend, Occurrence, SourceLine, WrapperCall
from kernelmap.model.names import bare_kernel

_CONTEXT = "KernelContextGuard"
_TOLD = "PyUnicode_FromString"
_CPP = ("cpp_", "kernel_cpp_")
_CALLER = ("call_triton_", "call_multi_kernel_", "launch_triton_")
# Objects whose members are kernels that are called through a pointer.
_MEMBERS = ("kernels", "kernels_")
_MOST_WORK = 200_000

Arguments = tuple[tuple[Token, ...], ...]


class CppCalls(Struct, frozen=True):
    """The calls, and the source lines that the code itself states for each of them."""

    calls: OrderedCalls
    lines: tuple[tuple[SourceLine, ...], ...]


def cpp_calls(entry: Function | None, code: CppFunctions, kernels: CppKernels) -> CppCalls:
    """The calls of one entry function of `code`, index 0 first; none where there is no such one."""
    walk = _CppWalk(code, kernels)
    if entry is not None:
        walk.walk_function(entry, Occurrence.ONCE)
    return CppCalls(OrderedCalls(tuple(walk.calls), tuple(walk.lost), walk.cut), tuple(walk.lines))


class _CppSite(Struct):
    """What stands before a call: comments, the ranges it opens, its stacks, a name for Python."""

    comments: CallSite = field(default_factory=CallSite)
    records: list[str] = []
    stacks: str = ""
    python_operator: str = ""

    def forget_statement(self) -> None:
        """The call has taken what was said of it."""
        self.records, self.stacks, self.python_operator = [], "", ""


class _CppWalk(Struct):
    """One pass over the code, following calls of its own functions."""

    code: CppFunctions
    kernels: CppKernels
    calls: list[KeyedCall] = []
    lines: list[tuple[SourceLine, ...]] = []
    lost: list[str] = []
    cut: bool = False
    entered: int = 0
    active: list[str] = []
    idle: set[str] = set()
    variables: Variables = field(default_factory=Variables)

    def walk_function(self, function: Function, occurrence: Occurrence) -> None:
        """Walk one function; one that calls itself is followed once, one without calls too."""
        if function.name in self.active or function.name in self.idle or self._is_enough():
            return
        before = len(self.calls)
        self.entered += 1
        self.active.append(function.name)
        site, blocks, body = _CppSite(), ControlBlocks(occurrence), function.body
        for at, token in enumerate(body):
            # Comments wait for the next call.
            if token.kind is TokenKind.COMMENT:
                site.comments.take_comment(token.value, token.line)
                continue
            blocks.step_to(body, at)
            if token.kind is TokenKind.NAME:
                self._read_name(body, at, blocks.occurrence, site)
        site.comments.close_site()
        self.lost.extend(site.comments.lost)
        self.active.pop()
        # A function that made no calls is not followed again. Deeper down it may only seem to make
        # none, because a function that it calls is being followed already.
        if len(self.calls) == before and not self.active[1:]:
            self.idle.add(function.name)

    def _read_name(
        self, body: Sequence[Token], at: int, occurrence: Occurrence, site: _CppSite
    ) -> None:
        name = body[at].value
        # A declaration, `Guard name("…")`, that says something of the calls below it: the range
        # that it opens, or the stack traces of a kernel.
        if name in (_CONTEXT, RECORD) and at + 2 < len(body) and is_mark(body[at + 2], "("):
            texts = _texts_of_arguments(split_arguments(body, at + 2))
            if name == RECORD:
                site.records.extend(map(bare_kernel, texts[:1]))
            else:
                site.stacks = texts[-1] if len(texts) > 1 else ""
            return
        if at + 1 >= len(body) or not is_mark(body[at + 1], "("):
            return
        self.variables.see_name(body, at)
        # A function of the file that is no kernel is no
        # call itself: its own calls stand in its place.
        function = self.code.defined.get(name)
        kernel = name in self.kernels.launchers or name in self.code.exported
        if function is not None and not kernel and name != LAUNCH:
            self.walk_function(function, occurrence)
            return
        given = split_arguments(body, at + 1)
        # A call into Python names its operator in a statement before.
        if name == _TOLD:
            site.python_operator = next(iter(_texts_of_arguments(given)), "")
            return
        if name in PRINTERS:
            self.variables.take_printed(name, _texts_of_arguments(given))
            return
        called = self._find_callee(body, at, given, site)
        if called is not None and not self._is_enough():
            self._add_call(body[at], called, given, occurrence, site)

    def _find_callee(
        self, body: Sequence[Token], at: int, given: Arguments, site: _CppSite
    ) -> Callee | None:
        name, launcher = body[at].value, self.kernels.launchers.get(body[at].value)
        kernel = launcher.kernel if launcher else None
        # What is called, from the surest: a launch, a declared C++ kernel, a launcher.
        if name == LAUNCH:
            kernel = launched_at(body, at)
        elif name in self.code.exported:
            kernel = name
        if kernel is not None:
            defined = self.kernels.kernels.get(kernel)
            return of_kernel(defined, self.kernels.kernels) if defined else undefined_triton(kernel)
        # Kernels that the text does not define, known by the way they are called.
        if name.startswith(_CALLER):
            return undefined_triton(name.partition("_")[2])
        if name.startswith(_CPP):
            return Callee(wrapper=name, backend=Backend.CPP)
        # `kernels.NAME(…)`: a kernel from a template other than Triton's.
        member = at > 1 and is_mark(body[at - 1], ".") and body[at - 2].value in _MEMBERS
        if member and given:
            return Callee(wrapper=name, backend=Backend.TEMPLATE)
        return callee_of_shim(name, given, site.python_operator)

    def _add_call(
        self, name: Token, called: Callee, given: Arguments, occurrence: Occurrence, site: _CppSite
    ) -> None:
        origins, stated, handle = site.comments.take_origins(called, name.line)
        launcher = self.kernels.launchers.get(name.value)
        made = WrapperCall(
            index=len(self.calls),
            wrapper=called.wrapper,
            backend=called.backend,
            line=name.line,
            category=called.category,
            kernel=called.kernel,
            target=target_of(called, stated, origins),
            function=called.function,
            occurrence=occurrence,
            handle=handle,
            origins=origins,
            stream=_stream_of_arguments(given),
            numels=_sizes_at(given, launcher.sizes) if launcher else None,
            recorded=self._opens_range(called, name.value, site),
            operands=self.variables.take_operands(given),
        )
        self.calls.append(KeyedCall(made, f"{stated}:{handle}" if stated else None))
        # Stack traces in the code are separated by empty lines.
        self.lines.append(user_lines(site.stacks.split("\n\n")))
        site.forget_statement()

    def _opens_range(self, called: Callee, name: str, site: _CppSite) -> bool | None:
        """Whether the code opens a range for a call; None where that is not for it to say."""
        # For glue, and for operators that are looked up at
        # run time, the wrapper's code does not decide it.
        if called.backend is Backend.GLUE or called.looked_up:
            return None
        if called.backend is Backend.CPP:
            return self.kernels.recorded.get(called.wrapper)
        launcher = self.kernels.launchers.get(name)
        return called.wrapper in site.records or (launcher is not None and launcher.recorded)

    def _is_enough(self) -> bool:
        """Whether so many calls were followed that reading stops."""
        self.cut = self.cut or len(self.calls) + self.entered >= _MOST_WORK
        return self.cut


def _texts_of_arguments(given: Arguments) -> list[str]:
    """The texts among arguments."""
    return [
        argument[0].value for argument in given if argument and argument[0].kind is TokenKind.TEXT
    ]


def _stream_of_arguments(given: Arguments) -> int | None:
    """The number in the argument `stream0`."""
    for argument in reversed(given):
        name, stream, digits = argument[-1].value.partition("stream") if argument else ("", "", "")
        if stream and not name and digits.isascii() and digits.isdecimal():
            return int(digits)
    return None


def _sizes_at(given: Arguments, places: Sequence[int]) -> tuple[int, ...] | None:
    """The sizes at `places`, None where one of them is dynamic or missing."""
    values = [given[place] for place in places if place < len(given)]
    digits = [value[0].value.rstrip("lLuU") for value in values if len(value) == 1]
    if not places or len(digits) < len(places) or not all(d.isdecimal() for d in digits):
        return None
    return tuple(map(int, digits))
