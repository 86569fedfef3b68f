"""What the compiler did before there was code: each compilation of a Python frame, and why.

Takes nothing, gives frozen records. Dynamo compiles a frame (`0/0`), and again when a guard of what
it has fails (`0/1`); an attempt that has to start over is part of the same compilation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from kernelmap.model.notices import format_duration
from kernelmap.model.source import FunctionPlace, SourceLine

_MANY = 3
"""So many compilations of one function are more than warming up: torch compiles a function for one
size, then once more for any size."""
UNCHANGING = (
    "Keep constant what the guard depends on, or mark it as dynamic: torch._dynamo.mark_dynamic("
    "tensor, dim), or torch.compile(dynamic=True)."
)
"""What to do about a function that is compiled again and again."""

_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d+)")


class CacheOutcome(StrEnum):
    """What the FX graph cache said of a graph."""

    HIT = "hit"
    MISS = "miss"
    BYPASS = "bypass"


class FailedGuard(Struct, frozen=True, kw_only=True):
    """A guard that failed: `earlier` is the compilation that it protects, `guard` its condition.

    `detail` is the whole text, with the line of the user's code and advice where it has them.
    """

    earlier: str | None
    guard: str
    detail: str


class GraphBreak(Struct, frozen=True, kw_only=True):
    """Where a graph had to end, and why in a few words."""

    reason: str
    line: SourceLine | None = None


class Compilation(Struct, frozen=True, kw_only=True):
    """One compilation of a frame, all of its attempts.

    `compile_id` is without the attempt: `0/1`, under compiled autograd `!0/1/0`. `log` is the path
    of the log and `serial` counts its compilations from 0, because `torch._dynamo.reset()` starts
    ids anew. `line` is where the function begins, `caller` the innermost line of the user's code
    that called it. `failed_guards` has the newest earlier compilation first; empty for the first.
    `compile_ns` is the time for the frame, its forward or inference graph included; `backward_ns`
    that of a backward compiled later. `failure` is None where the compilation came to its end.
    """

    compile_id: str
    log: str
    serial: int
    rank: int | None = None
    attempts: int = 1
    function: str | None = None
    line: SourceLine | None = None
    caller: SourceLine | None = None
    failed_guards: tuple[FailedGuard, ...] = ()
    restarts: tuple[str, ...] = ()
    graph_breaks: tuple[GraphBreak, ...] = ()
    failure: str | None = None
    guards: bool = False
    compile_ns: int | None = None
    backward_ns: int | None = None

    @property
    def title(self) -> str | None:
        """The function's name as its author knows it: `f, resumed at 39` behind a graph break."""
        match = _RESUMED.fullmatch(self.function or "")
        return f"{match['name']}, resumed at {match['line']}" if match else self.function

    @property
    def place(self) -> FunctionPlace | None:
        """The function that was compiled: `line` is where it begins and no statement that ran."""
        if self.line is None:
            return None
        name = self.title or "a compiled function"
        return FunctionPlace(file=self.line.file, function=name, entered=self.line.line)

    @property
    def frame(self) -> tuple[str, int | None, str | None, SourceLine | None]:
        """What compilations of the same code in the same log share."""
        return self.log, self.rank, self.function, self.line


class Emitted(Struct, frozen=True, kw_only=True):
    """A compilation that wrote a graph's code: made it (`miss`) or took it from a cache (`hit`).

    `cache` is None where the log does not say, as with caches off; `bypass` is the reason of a
    bypass. `settings` are those of the compiler that bear on code, by name, as far as it says.
    """

    compilation: Compilation
    cache: CacheOutcome | None = None
    bypass: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


class StatedBeside(Struct, frozen=True, kw_only=True):
    """What the program that runs a graph alone states beside the graph, by name.

    `settings` are those that are not the default: of Inductor under their own names, of others with
    the name of their part in front, `dynamo.x`. `environment` are the variables that are set, of
    those that change kernels. `versions` are of torch and CUDA.
    """

    settings: tuple[tuple[str, str], ...]
    environment: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]


class Recompilation(Struct, frozen=True, kw_only=True):
    """A function that was compiled `times` times; `guard` failed most often.

    `compile_ns` is the time of all of these, later backwards included; None where no log says.
    """

    function: str | None
    line: SourceLine | None
    times: int
    guard: str
    compile_ns: int | None = None

    @property
    def words(self) -> str:
        """What happened, as a sentence."""
        place = f" ({self.line.file}:{self.line.line})" if self.line else ""
        took = f" in {format_duration(self.compile_ns)}" if self.compile_ns else ""
        return (
            f"{self.function or 'a function'}{place} was compiled {self.times} times{took}, because"
            f" this did not hold: {self.guard}"
        )


def find_recompilations(compilations: Iterable[Compilation]) -> tuple[Recompilation, ...]:
    """The functions that were compiled three times or more for failed guards, the most first."""
    # Compilations of one frame belong to the same code in the same log of the same rank.
    frames: dict[object, list[Compilation]] = {}
    for compilation in compilations:
        frames.setdefault(compilation.frame, []).append(compilation)
    repeated = []
    for compiled in frames.values():
        # Of each compilation the newest failed guard counts: it made this compilation necessary.
        guards = Counter(
            compilation.failed_guards[0].guard
            for compilation in compiled
            if compilation.failed_guards
        )
        if len(compiled) >= _MANY and guards:
            ((guard, _),) = guards.most_common(1)
            times = [it for one in compiled for it in (one.compile_ns, one.backward_ns) if it]
            repeated.append(
                Recompilation(
                    function=compiled[0].title,
                    line=compiled[0].line,
                    times=len(compiled),
                    guard=guard,
                    compile_ns=sum(times) if times else None,
                )
            )
    return tuple(sorted(repeated, key=lambda recompilation: -recompilation.times))
