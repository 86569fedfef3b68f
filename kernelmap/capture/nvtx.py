r"""Mark compiled graphs and their calls with NVTX ranges, for Nsight Systems.

    with marks():                       # in code
        train()

    nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node \
        python -m kernelmap.capture.nvtx train.py …

The ranges lie in the domain `kernelmap`; their texts are those of `model.marks`. One stands around
every execution of a graph's `call()`, and one around each call in it. While a CUDA graph is
captured they stand around what makes its nodes, which is what node-level tracing links replays to.
A replay itself runs no generated code and gets no range. Around a program nothing but the standard
library is loaded before Inductor is.

`open_domain` gives the fastest way to push texts that the installed package nvtx has: registered
strings in a domain object, or else (0.2.11 and older, which have no such object) its functions.
From 0.2.12 on, the package asks the tool whether a domain is enabled, by an extension that nsys up
to 2024.2 refuses ("payload extension is incompatible", 260 against 259); it takes that for a no and
drops every range. Ranges themselves need no extension. So where a tool is attached and the package
hands out its dummy, the same domain is made without asking: seen to arrive with nvtx 0.2.12 to
0.2.17 under nsys 2022.4, 2023.4 and 2024.2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from kernelmap.capture.import_hooks import CODE_CACHE, when_imported
from kernelmap.capture.python_program import run_as_python
from kernelmap.errors import KernelmapError
from kernelmap.installing import install_command

if TYPE_CHECKING:
    from kernelmap.capture.instrument import Instrumentation
    from kernelmap.capture.rewrite import LoadedGraph
    from kernelmap.model import Notice, WrapperCall

_USAGE = "usage: python -m kernelmap.capture.nvtx (SCRIPT | -m MODULE | -c CODE) [ARGUMENTS…]"

_TOOL = "NVTX_INJECTION64_PATH"


@contextmanager
def marks() -> Iterator[Instrumentation]:
    """Mark what compiled graphs run until the end. Raises KernelmapError without nvtx."""
    from kernelmap.capture.instrument import instrumented
    from kernelmap.model.marks import DOMAIN

    with instrumented(NvtxMarks(open_domain(DOMAIN))) as instrumentation:
        yield instrumentation


def unheard() -> Notice | None:
    """What to say where nobody records the marks."""
    if is_tool_attached():
        return None
    from kernelmap.model import Notice

    return Notice(
        slug="marks-unheard",
        message="No profiler asked this process for NVTX, so nobody records its marks.",
        hint="Start it under `nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node`.",
    )


class Domain(Protocol):
    """Nested ranges per thread."""

    def prepared(self, text: str) -> object:
        """What `push` takes for a range of this text; made once, used often."""

    def push(self, prepared: object) -> None:
        """Begin a range in this thread."""

    def pop(self) -> None:
        """End this thread's innermost range of the domain."""


class OpenDomain(Domain, Protocol):
    """The same, and ranges that any thread may end."""

    def begin(self, prepared: object) -> object:
        """Begin a range beside those; gives what ends it."""

    def end(self, begun: object) -> None:
        """End such a range."""


class _NvtxObject(Protocol):
    """`nvtx.Domain`; its dummy makes attributes that are None."""

    def get_event_attributes(self, message: str) -> object: ...

    def push_range(self, attributes: object) -> None: ...

    def pop_range(self) -> None: ...

    def start_range(self, attributes: object) -> object: ...

    def end_range(self, begun: object) -> None: ...


class _NvtxFunctions(Protocol):
    """The module nvtx."""

    def push_range(self, message: object, *, domain: str) -> None: ...

    def pop_range(self, *, domain: str) -> None: ...

    def start_range(self, message: object, *, domain: str) -> object: ...

    def end_range(self, begun: object) -> None: ...


def is_tool_attached() -> bool:
    """Whether a tool such as nsys has asked this process for NVTX."""
    return bool(os.environ.get(_TOOL))


def missing() -> KernelmapError:
    """The error to raise without the package nvtx."""
    return KernelmapError(
        "nvtx-missing",
        "marks need the package nvtx, which is not installed",
        f"Install it: {install_command('capture')}",
    )


def open_domain(name: str) -> OpenDomain:
    """The domain `name`. Raises KernelmapError without the package nvtx."""
    try:
        import nvtx
    except ImportError as error:
        raise missing() from error
    made: _NvtxObject | None = nvtx.get_domain(name) if hasattr(nvtx, "get_domain") else None
    # An older package has no domain object that can push ranges.
    if made is None or not hasattr(made, "push_range"):
        return _Functions(nvtx, name)
    # Attributes of None come from the package's dummy: it took the tool's answer for a no.
    if is_tool_attached() and made.get_event_attributes("") is None:
        made = _unasked(name) or made
    return _Object(made)


def _unasked(name: str) -> _NvtxObject | None:
    """A domain object that was made without asking whether the tool wants it."""
    private = import_module("nvtx._lib.lib")
    made, handle = getattr(private, "Domain", None), getattr(private, "DomainHandle", None)
    if made is None or handle is None:
        return None
    # The usual way to make a domain asks the tool first, so the object is made without it.
    domain: _NvtxObject = object.__new__(made)
    vars(domain)["handle"] = handle(name)
    made.__init__(domain, name)
    return domain


class _Object:
    """A domain object of the package, with its strings registered."""

    def __init__(self, domain: _NvtxObject) -> None:
        self.prepared = domain.get_event_attributes
        self.push = domain.push_range
        self.pop = domain.pop_range
        self.begin = domain.start_range
        self.end = domain.end_range


class _Functions:
    """The package's functions, which look the domain up each time."""

    def __init__(self, nvtx: _NvtxFunctions, name: str) -> None:
        self.nvtx, self.name = nvtx, name

    def prepared(self, text: str) -> object:
        """The text itself."""
        return text

    def push(self, prepared: object) -> None:
        """Begin a range."""
        self.nvtx.push_range(prepared, domain=self.name)

    def pop(self) -> None:
        """End the innermost range."""
        self.nvtx.pop_range(domain=self.name)

    def begin(self, prepared: object) -> object:
        """Begin a range for any thread to end."""
        return self.nvtx.start_range(prepared, domain=self.name)

    def end(self, begun: object) -> None:
        """End it."""
        self.nvtx.end_range(begun)


class NvtxMarks:
    """The listener that pushes and pops the ranges."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._graphs: dict[LoadedGraph, object] = {}
        self._calls: dict[LoadedGraph, tuple[object, ...]] = {}

    def enter_graph(self, graph: LoadedGraph) -> None:
        """Begin the graph's range; at its first run all texts of the graph are registered."""
        if graph not in self._graphs:
            self._register(graph)
        self._domain.push(self._graphs[graph])

    def exit_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- the innermost range ends
        """End the graph's range."""
        self._domain.pop()

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Begin the call's range."""
        self._domain.push(self._calls[graph][call.index])

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- as above
        """End the call's range."""
        self._domain.pop()

    def _register(self, graph: LoadedGraph) -> None:
        from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark

        digest, prepared = graph.digest, self._domain.prepared
        # The texts are those that the reader of traces takes apart.
        whole = MarkedGraph(digest=digest, name=graph.name, compile_id=graph.compile_id)
        # All texts are registered once, so that a range costs no encoding while the program runs.
        calls = [
            MarkedCall(digest=digest, index=call.index, wrapper=call.wrapper, handle=call.handle)
            for call in graph.calls
        ]
        self._calls[graph] = tuple(prepared(encode_mark(call)) for call in calls)
        self._graphs[graph] = prepared(encode_mark(whole))


def main(arguments: Sequence[str]) -> int:
    """Run a program with marks; its own end, by exception or exit, is ours."""
    if not arguments or list(arguments) in (["-m"], ["-c"]):
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    if find_spec("nvtx") is None:
        error = missing()
        sys.stderr.write(f"kernelmap: {error.message}\n{error.hint}\n")
        return error.exit_code

    begun: list[Instrumentation] = []
    with ExitStack() as stack:

        def begin(_: ModuleType) -> None:
            begun.append(stack.enter_context(marks()))

        when_imported(CODE_CACHE, begin)
        try:
            run_as_python(arguments)
        # A program may end by an exception; what could not be marked is said in any case.
        finally:
            notices = [notice for instrumentation in begun for notice in instrumentation.notices]
            for notice in (unheard(), *notices):
                if notice is not None:
                    sys.stderr.write(f"kernelmap: {notice.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
