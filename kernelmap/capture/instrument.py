"""Instrument Inductor's generated modules: listeners hear each graph and call while it runs.

    with instrumented(NvtxMarks(), recorder) as instrumentation:
        step()
    instrumentation.notices        # graphs that could not be instrumented, and why

Modules that torch has loaded are found in its cache of generated code, those that it loads later
are seen when they are loaded; both get other code objects for their functions, and their own ones
back at the end. The functions stay the same objects, so whoever holds them (AOT autograd, CUDA
graphs, partitions) runs the code with hooks. Outside of the `with` nothing is changed and nothing
costs. One instrumentation can be on at a time; it may have several listeners. Left out: graphs with
a C++ wrapper, and code whose file is gone or was changed.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType

from kernelmap.capture.import_hooks import CODE_CACHE, when_imported
from kernelmap.capture.rewrite import (
    Hook,
    Listener,
    LoadedGraph,
    Rewritten,
    Together,
    rewritten,
    with_hook,
)
from kernelmap.compiler.python.source import read_text
from kernelmap.errors import KernelmapError
from kernelmap.model import Notice
from kernelmap.model.marks import graph_digest

_CACHE = "PyCodeCache"
_LOADED_AS = "torch._inductor.runtime.compile_tasks."
_LOAD = "load_by_key_path"
_ONE_KERNEL = "benchmark_all_configs"


@dataclass(slots=True)
class Instrumentation:
    """The modules that a listener can hear, and whether it does: `on`, `off`, `on` again.

    `graphs` are those that have been instrumented, in the order in which they were found.
    """

    listener: Listener
    graphs: list[LoadedGraph] = field(default_factory=list)
    _is_on: bool = False
    _waiting: list[tuple[ModuleType, str | None]] = field(default_factory=list)
    _functions: list[_Function] = field(default_factory=list)
    _refused: dict[str, list[str]] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)
    _held: list[ModuleType] = field(default_factory=list)

    def add(self, module: ModuleType, compile_id: str | None = None) -> None:
        """Take `module` if it holds a graph; a module is looked at once."""
        if id(module) in self._seen or not is_graph(module):
            return
        self._seen.add(id(module))
        self._held.append(module)  # so that no other module gets its id
        self._waiting.append((module, compile_id))
        if self._is_on:
            self.on()

    def on(self) -> None:
        """Give every function of ours the code with hooks."""
        self._is_on = True
        # Modules that were found while nobody listened are read and compiled only now.
        while self._waiting:
            self._functions.extend(self._prepared(*self._waiting.pop(0)))
        # Code that somebody else has put into the function meanwhile stays.
        for function in self._functions:
            if function.function.__code__ is function.original:
                function.function.__code__ = function.hooked

    def off(self) -> None:
        """Give every function its original code back."""
        self._is_on = False
        for function in self._functions:
            if function.function.__code__ is function.hooked:
                function.function.__code__ = function.original

    def _prepared(self, module: ModuleType, compile_id: str | None) -> list[_Function]:
        path = str(module.__file__)
        try:
            text = read_text(Path(path))
        except KernelmapError:
            return self._refuse("their files cannot be read", path)
        rewritten_code = rewritten(text, path)
        if rewritten_code is None:
            return self._refuse("they have no call() in Python whose calls can be numbered", path)
        functions = _functions(module, rewritten_code)
        if functions is None:
            return self._refuse("their files are not what was loaded from them", path)
        graph = LoadedGraph(
            path=path,
            digest=graph_digest(text),
            name=rewritten_code.name,
            compile_id=compile_id,
            calls=rewritten_code.calls,
        )
        self.graphs.append(graph)
        hook = Hook(graph, self.listener)
        return [
            _Function(function, function.__code__, with_hook(code, hook))
            for function, code in functions
        ]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Which graphs are not instrumented, one notice per reason."""
        return tuple(
            Notice(
                slug="graph-not-instrumented",
                message=f"{len(paths)} compiled graphs run without marks, first {paths[0]}: "
                f"{reason}.",
                hint="Graphs with a wrapper in Python can be marked: leave cpp_wrapper off while "
                "you capture.",
                gap=True,
            )
            for reason, paths in self._refused.items()
        )

    def _refuse(self, reason: str, path: str) -> list[_Function]:
        self._refused.setdefault(reason, []).append(path)
        return []


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with its original code and the code with hooks, which listeners hear."""

    function: FunctionType
    original: CodeType
    hooked: CodeType


@contextmanager
def instrumented(*listeners: Listener) -> Iterator[Instrumentation]:
    """Instrument what torch has loaded and what it loads until the end; torch may come later."""
    instrumentation = Instrumentation(listeners[0] if len(listeners) == 1 else Together(listeners))
    with following(instrumentation):
        instrumentation.on()
        try:
            yield instrumentation
        finally:
            instrumentation.off()


@contextmanager
def following(instrumentation: Instrumentation) -> Iterator[None]:
    """Have `instrumentation` know all modules that torch has loaded and loads until the end."""
    over: list[bool] = []
    undo: list[Callable[[], None]] = []

    def watch(codecache: ModuleType) -> None:
        # The compiler may be imported when the recording is over already.
        if over:
            return
        # torch loads every generated module through this function, so a wrapper around it sees them
        # all.
        cache = getattr(codecache, _CACHE)
        undo.append(functools.partial(setattr, cache, _LOAD, vars(cache)[_LOAD]))
        setattr(cache, _LOAD, staticmethod(_watched(getattr(cache, _LOAD), instrumentation)))
        for module in generated_modules():
            instrumentation.add(module)

    loaded = sys.modules.get(CODE_CACHE)
    # also while its import ends, when others are notified of it
    if loaded is not None and hasattr(loaded, _CACHE):
        watch(loaded)
    else:
        when_imported(CODE_CACHE, watch)
    try:
        yield
    finally:
        over.append(True)
        for step in undo:
            step()


def is_graph(module: ModuleType) -> bool:
    """Whether `module` is a graph's code; a kernel's own file may hold a `call` that times it."""
    return callable(getattr(module, "call", None)) and not hasattr(module, _ONE_KERNEL)


def generated_modules() -> list[ModuleType]:
    """What torch has loaded of generated code: its cache, and what outlived a clearing of that."""
    cache = getattr(sys.modules.get(CODE_CACHE), _CACHE, None)
    cached: list[ModuleType] = getattr(cache, "modules", [])
    named = [module for name, module in list(sys.modules.items()) if name.startswith(_LOADED_AS)]
    return [*cached, *named]


def _watched(
    load: Callable[..., ModuleType], instrumentation: Instrumentation
) -> Callable[..., ModuleType]:
    def load_and_instrument(*args: object, **kwargs: object) -> ModuleType:
        module = load(*args, **kwargs)
        instrumentation.add(module, _compile_id())
        return module

    return load_and_instrument


def _compile_id() -> str | None:
    """`0/0` of the compilation that runs in this thread."""
    context = getattr(sys.modules.get("torch._guards"), "CompileContext", None)
    current = None if context is None else context.current_compile_id()
    return None if current is None else str(current)


def _functions(
    module: ModuleType, rewritten_code: Rewritten
) -> list[tuple[FunctionType, CodeType]] | None:
    """The functions of `module` with their code with hooks; None where its code is another."""
    functions = []
    for name, (plain, hooked) in rewritten_code.functions.items():
        value: object = module
        # `Runner.call` is looked up in the module and then in the class, without binding it.
        for part in name.split("."):
            value = vars(value).get(part) if isinstance(value, ModuleType | type) else None
        function = value.__func__ if isinstance(value, MethodType) else value
        # What torch loaded differs from the file: it was changed meanwhile, so its numbers mean
        # nothing.
        if not isinstance(function, FunctionType) or not _is_same(function.__code__, plain):
            return None
        functions.append((function, hooked))
    return functions


def _is_same(loaded: CodeType, compiled: CodeType) -> bool:
    """Whether two code objects do the same; `==` would also compare what Python sped up."""
    return _parts(loaded) == _parts(compiled)


def _parts(code: CodeType) -> tuple[object, ...]:
    plain = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
    return code.co_code, code.co_names, code.co_varnames, code.co_firstlineno, plain
