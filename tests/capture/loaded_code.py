"""Generated code that runs without torch: its kernels write down that they ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from kernelmap.capture.rewrite import LoadedGraph
from kernelmap.model import WrapperCall

KERNEL = "{name} = async_compile.triton('{name}', '''def {name}(): pass''')\n"


@dataclass
class Routine:
    """A kernel, an operator or a namespace of them: whatever is asked of it is one of its own."""

    name: str
    ran: list[str]
    also: Callable[[str], object]

    def __getattr__(self, name: str) -> Routine:
        return Routine(f"{self.name}.{name}", self.ran, self.also)

    def __call__(self, *args: object, **_: object) -> object:
        self.ran.append(self.name)
        self.also(self.name)
        return args[0] if args else None

    def triton(self, name: str, _: str) -> Routine:
        """What `async_compile.triton` defines."""
        return Routine(name, self.ran, self.also)


@dataclass
class Heard:
    """A listener that writes down what it hears: `>`, `<`, and the index of each call."""

    events: list[str] = field(default_factory=list)

    def enter_graph(self, graph: LoadedGraph) -> None:
        self.events.append(f">{graph.name}")

    def exit_graph(self, graph: LoadedGraph) -> None:
        self.events.append(f"<{graph.name}")

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        assert graph.calls[call.index] is call
        self.events.append(str(call.index))

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        assert graph.calls[call.index] is call
        self.events.append(f"/{call.index}")

    def indexes(self) -> list[int]:
        """The calls that began, in order."""
        return [int(event) for event in self.events if event.isdecimal()]


def load(
    folder: Path, text: str, ran: list[str], also: Callable[[str], object] = lambda _: None
) -> ModuleType:
    """The module that `text` is, loaded as torch does it; `also` hears of every kernel that ran."""
    path = folder / "generated.py"
    path.write_text(text, encoding="utf-8")
    module = ModuleType("generated")
    module.__file__ = str(path)
    for name in ("extern_kernels", "aten", "async_compile"):
        setattr(module, name, Routine(name, ran, also))
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102 -- ours
    return module


def kernels(*names: str) -> str:
    """Definitions of Triton kernels."""
    return "".join(KERNEL.format(name=name) for name in names)
