"""Generated code → the code objects of its functions, with a hook around every call; the hooks.

Takes the text of a generated module and gives, per function that `call()` reaches, the code object
as Python compiles it and one in which each call `f(x)` of ours reads `HOOK.run(k, f, x)`, k its
index, and the body of `call` stands in `with HOOK:`. The calls of a function that is called from
several places have an index per place: they read `HOOK.run_from(k, f, x)`, k counted from the start
of the function, and the places `HOOK.within(k, f, x)` or `HOOK.within_from(k, f, x)`, k saying
where the function's calls begin.
HOOK is a text among the constants, which `with_hook` replaces by a `Hook`: nothing is added to the
module, and a frame that still runs when the code is taken back finds its hook. File name and line
numbers stay those of the text.

A hook notifies its `Listener` of every graph and call. It identifies the call by the number that
stands in the code, and in functions that are called from several places by where this thread called
them from. Where that is not known, because the code was instrumented meanwhile, it notifies nobody.
A graph whose `call()` had begun before is not heard to begin, but its calls are heard. Listeners
hear from any thread, must not raise, and hear every exit, whatever the call raised.
"""

from __future__ import annotations

import ast
import inspect
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import ParamSpec, Protocol, TypeVar

from kernelmap.compiler.python.call_names import find_callee
from kernelmap.compiler.python.calls import ordered_calls
from kernelmap.compiler.python.comments import aot_id
from kernelmap.compiler.python.kernels import find_definitions
from kernelmap.compiler.python.source import comment_lines, parse_python
from kernelmap.compiler.python.statements import (
    ENTRY,
    FunctionBody,
    LocalFunctions,
    ParsedCode,
    calls_in,
    code_of,
    module_aliases,
)
from kernelmap.model import KernelDef, WrapperCall

_HOOK = "kernelmap: here stands a hook while a capture runs"

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A module that can be instrumented.

    `calls` are those of the compile side, in its order. `functions` has, by qualified name
    (`Runner.call`), the code object of the text and the one with hooks.
    """

    calls: tuple[WrapperCall, ...]
    name: str | None
    functions: Mapping[str, tuple[CodeType, CodeType]]


def rewritten(text: str, path: str) -> Rewritten | None:
    """`text`, which stands in `path`, with hooks; None where its calls cannot be numbered.

    That is code without a `call()` in Python (C++ wrappers), and functions that call themselves.
    """
    tree = parse_python(text)
    if tree is None:
        return None
    code = code_of(tree, comment_lines(text, tree), tuple(text.split("\n")))
    kernels = {kernel.name: kernel for kernel in find_definitions(code).kernels}
    if code.entry is None:
        return None
    sites = _Sites(code, kernels)
    sites.count(code.entry)
    sites.place(code.entry, 0)
    calls = tuple(ordered.call for ordered in ordered_calls(code, kernels).calls)
    # The numbers must be those of the compile side. They differ where a function calls itself;
    # a hook there would name a wrong call.
    if [(call.line, call.wrapper) for call in calls] != list(sites.expanded(code.entry)):
        return None
    # The code without hooks tells later whether torch loaded this text. It is compiled from the
    # text, as the next step changes the tree.
    plain = _functions(_compiled(text, path))
    _insert_hooks(tree, code.entry, sites)
    hooked = _functions(_compiled(tree, path))
    return Rewritten(
        calls=calls,
        name=aot_id(code.comments.values()),
        functions={
            name: (plain[name], changed) for name, changed in hooked.items() if _is_hooked(changed)
        },
    )


def with_hook(code: CodeType, hook: object) -> CodeType:
    """`code` with `hook` in its place, in the functions inside it too."""
    return code.replace(
        co_consts=tuple(
            with_hook(constant, hook)
            if isinstance(constant, CodeType)
            else (hook if constant == _HOOK else constant)
            for constant in code.co_consts
        )
    )


@dataclass(frozen=True, slots=True)
class _HookSite:
    """A call in a function's body; `relative` calls of ours stand before it."""

    node: ast.Call
    relative: int
    wrapper: str | None
    callee: FunctionBody | None


@dataclass(slots=True)
class _Sites:
    """The calls of each function, numbered from the function's start."""

    code: ParsedCode
    kernels: Mapping[str, KernelDef]
    sites_of: dict[FunctionBody, list[_HookSite]] = field(default_factory=dict)
    sizes: dict[FunctionBody, int] = field(default_factory=dict)
    starts: dict[FunctionBody, int | None] = field(default_factory=dict)

    def count(self, body: FunctionBody) -> int:
        """How many calls one run of `body` numbers, those of the functions it calls included."""
        if body in self.sites_of:
            return self.sizes.get(body, 0)  # 0: it calls itself, which the comparison notices
        # Noted before the steps are read, so that a function that calls itself ends at the check
        # above.
        sites = self.sites_of[body] = []
        named, local_functions = (
            module_aliases(self.code.statements),
            LocalFunctions.in_code(self.code),
        )
        size = 0
        for step in body.steps:
            for node in calls_in(step.node):
                # A function of the same file stands for the calls inside it, a launch for one call.
                # Everything else keeps its place and gets no number.
                inner = local_functions.of(node.func)
                passed_on = self.code.passed_on
                called = None if inner else find_callee(node, self.kernels, named, passed_on)
                if inner is not None:
                    sites.append(_HookSite(node, size, None, inner))
                    size += self.count(inner)
                elif called is not None and not called.is_idle:
                    sites.append(_HookSite(node, size, called.wrapper, None))
                    size += 1
        self.sizes[body] = size
        return size

    def place(self, body: FunctionBody, start: int | None) -> None:
        """Note where the calls of `body` begin: None where that depends on who calls it."""
        # Called from a second place, the function's calls would need two sets of numbers.
        start = None if body in self.starts else start
        # All that lies below it is marked already; a function that calls itself ends here too.
        if body in self.starts and self.starts[body] is None:
            return
        self.starts[body] = start
        for site in self.sites_of[body]:
            if site.callee is not None:
                self.place(site.callee, None if start is None else start + site.relative)

    def expanded(self, body: FunctionBody, depth: int = 0) -> Iterator[tuple[int, str]]:
        """Line and wrapper of every call, in the order of their numbers."""
        for site in self.sites_of[body]:
            # A chain deeper than there are functions means that one of them calls itself.
            if site.callee is not None and depth <= len(self.sites_of):
                yield from self.expanded(site.callee, depth + 1)
            elif site.wrapper is not None:
                yield site.node.lineno, site.wrapper


def _insert_hooks(tree: ast.Module, entry: FunctionBody, sites: _Sites) -> None:
    for body, body_sites in sites.sites_of.items():
        start = sites.starts[body]
        for site in body_sites:
            # A function with one caller needs no hook around it: its calls have fixed numbers.
            if site.callee is None or sites.starts[site.callee] is None:
                _hook_call(site, start)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (node.name, node.lineno) == (ENTRY, entry.line):
            hook = ast.copy_location(ast.Constant(_HOOK), node.body[0])
            guarded = ast.With([ast.withitem(hook)], node.body)
            node.body = [ast.copy_location(guarded, node.body[0])]
    ast.fix_missing_locations(tree)


def _hook_call(site: _HookSite, start: int | None) -> None:
    """`f(x)` becomes `HOOK.run(k, f, x)`; `start` is that of the function it stands in."""
    call = site.node
    method = "run" if site.callee is None else "within"
    hook = ast.Attribute(
        ast.Constant(_HOOK), method if start is not None else f"{method}_from", ast.Load()
    )
    # Without a start the number counts from the start of the function, and the thread adds the
    # rest.
    number = ast.Constant((start or 0) + site.relative)
    call.args = [number, call.func, *call.args]
    call.func = hook
    # Line numbers stay those of the text, for tracebacks and for the profiler's Python frames.
    for node in (hook, hook.value, number):
        ast.copy_location(node, call)


def _compiled(source: str | ast.Module, path: str) -> CodeType:
    with warnings.catch_warnings():
        # Kernels hold backslashes that Python would like doubled; torch compiled them before us.
        warnings.simplefilter("ignore")
        return compile(source, path, "exec", dont_inherit=True)


def _functions(code: CodeType) -> dict[str, CodeType]:
    """Functions of a module and of its classes by qualified name; the last of a name wins."""
    functions: dict[str, CodeType] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            # Functions have locals of their own; the body of a class does not.
            if constant.co_flags & inspect.CO_NEWLOCALS:
                functions[constant.co_qualname] = constant
            else:
                functions |= _functions(constant)  # the body of a class
    return functions


def _is_hooked(code: CodeType) -> bool:
    return any(
        _is_hooked(constant) if isinstance(constant, CodeType) else constant == _HOOK
        for constant in code.co_consts
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadedGraph:
    """A generated module in this process: its code, what marks call it, and its calls.

    `compile_id` is known for code that was loaded while an instrumentation was installed.
    """

    path: str
    digest: str
    name: str | None
    compile_id: str | None
    calls: tuple[WrapperCall, ...]


class Listener(Protocol):
    """Hears when a graph's `call()` and when each of its calls begins and ends."""

    def enter_graph(self, graph: LoadedGraph) -> None:
        """`call()` begins."""

    def exit_graph(self, graph: LoadedGraph) -> None:
        """`call()` has ended, perhaps by an exception."""

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """The call is next; its arguments are worked out."""

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """The call has returned or raised; what it launched may still run."""


@dataclass(frozen=True, slots=True)
class Together:
    """Several listeners as one; they hear the ends in the reverse order."""

    listeners: Sequence[Listener]

    def enter_graph(self, graph: LoadedGraph) -> None:
        """Call all listeners."""
        for listener in self.listeners:
            listener.enter_graph(graph)

    def exit_graph(self, graph: LoadedGraph) -> None:
        """Call all listeners, the last first."""
        for listener in reversed(self.listeners):
            listener.exit_graph(graph)

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Call all listeners."""
        for listener in self.listeners:
            listener.enter_call(graph, call)

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Call all listeners, the last first."""
        for listener in reversed(self.listeners):
            listener.exit_call(graph, call)


class Hook:
    """What stands in the code of one loaded graph; `rewrite` says how it is called."""

    def __init__(self, graph: LoadedGraph, listener: Listener) -> None:
        self.graph = graph
        self.listener = listener
        self._thread = _Thread()

    def __enter__(self) -> None:
        """`call()` begins."""
        self.listener.enter_graph(self.graph)

    def __exit__(self, *_: object) -> None:
        """`call()` ends."""
        self.listener.exit_graph(self.graph)

    def run(self, index: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The call `index` of the graph."""
        graph, listener = self.graph, self.listener
        call = graph.calls[index]
        listener.enter_call(graph, call)
        try:
            return function(*args, **kwargs)
        finally:
            listener.exit_call(graph, call)

    def run_from(
        self, relative: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """A call in a function that is called from several places."""
        starts = self._thread.starts
        # The caller began before its code was instrumented: which call this is cannot be known.
        if not starts:
            return function(*args, **kwargs)
        return self.run(starts[-1] + relative, function, *args, **kwargs)

    def within(
        self, start: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """One of the places that such a function is called from; its calls begin at `start`."""
        starts = self._thread.starts
        starts.append(start)
        try:
            return function(*args, **kwargs)
        finally:
            starts.pop()

    def within_from(
        self, relative: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Such a place in a function that itself is called from several."""
        starts = self._thread.starts
        if not starts:
            return function(*args, **kwargs)
        return self.within(starts[-1] + relative, function, *args, **kwargs)


class _Thread(threading.local):
    """Where the functions that run in this thread start to count, innermost last."""

    def __init__(self) -> None:
        self.starts: list[int] = []
