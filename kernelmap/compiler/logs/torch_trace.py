"""A TORCH_TRACE log → the generated code in it, each with what the log says about it.

Forward and backward of one compilation share its id and the names of their artifacts, so their
order decides: the text of a graph comes before its code, and mapping, stack traces and cache key
come after it and before the next graph's text. What led to a compilation is compilations.py's part.
A C++ wrapper of AOTInductor is such code as well; the file of its kernels follows it. Left out:
everything about tensors but where they come from.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernelmap.compiler.facts import KernelCode, Reading
from kernelmap.compiler.graph_ids import kind_of
from kernelmap.compiler.logs.compilations import Compilations
from kernelmap.compiler.logs.events import Damage, LoggedEvent, events, is_torch_trace
from kernelmap.compiler.logs.graphs import LoggedGraphs, Once
from kernelmap.compiler.logs.logged_code import LoggedCode
from kernelmap.compiler.mappings import UNREADABLE
from kernelmap.compiler.python.comments import id_at_head
from kernelmap.compiler.python.source import decoded
from kernelmap.model import Notice
from kernelmap.model.notices import count

_CPP, _CPP_KERNELS = "inductor_aot_wrapper_code", "inductor_aot_kernel_code"


class TorchTrace:
    """What `TORCH_TRACE=folder` makes PyTorch write."""

    label = "a TORCH_TRACE log"

    def sniff(self, path: Path) -> bool:
        """Whether `path` starts with lines of such a log."""
        return is_torch_trace(path)

    def read(self, path: Path) -> Reading:
        """The generated code of the log. Raises KernelmapError where it cannot be read."""
        log = _Log(path, Compilations(str(path)))
        damage = Damage()
        for logged in events(path, damage):
            log.take(logged)
        return log.reading(_damage_notices(path, damage))


def code_of(logged: Iterable[LoggedEvent], log: Path) -> Reading:
    """The generated code among the events of `log`, wherever those stand now."""
    found = _Log(log, Compilations(str(log)))
    for each in logged:
        found.take(each)
    return found.reading()


@dataclass(slots=True)
class _Compilation:
    """What one compile id has logged so far; `last` is the code whose artifacts may follow."""

    graphs: LoggedGraphs
    last: LoggedCode | None = None


@dataclass(slots=True)
class _Log:
    path: Path
    compilations: Compilations
    found: list[LoggedCode] = field(default_factory=list)
    ids: dict[str | None, _Compilation] = field(default_factory=dict)
    once: Once = field(default_factory=Once)
    broken: list[str] = field(default_factory=list)

    def take(self, logged: LoggedEvent) -> None:
        """Use one event."""
        try:
            self.compilations.take(logged)
            if logged.event.describe_source:
                self._of(logged).graphs.source(logged.event.describe_source)
        except UNREADABLE:
            self.broken.append(f"the event in line {logged.line}")
        kind = logged.event.kind
        if kind is None:
            return
        of = self._of(logged)
        if of.graphs.take(kind, lambda: _shared(logged.payload)):
            of.last = None
        elif kind == "inductor_output_code":
            self._code(logged, of)
        elif kind == "graph_dump":
            self._dumped(logged, of)
        elif of.last is not None:
            self._artifact(kind, logged, of.last)

    def reading(self, damage: Iterable[Notice] = ()) -> Reading:
        """Everything that was found; `damage` is told after what could not be used."""
        compilations = tuple(each.done() for each in self.compilations.every)
        texts = tuple(found.text(self.path, compilations) for found in self.found)
        return Reading(texts, (*self.notices(), *damage), compilations)

    def _of(self, logged: LoggedEvent) -> _Compilation:
        compile_id = logged.event.compile_id
        if compile_id not in self.ids:
            self.ids[compile_id] = _Compilation(LoggedGraphs(self.once))
        return self.ids[compile_id]

    def _code(self, logged: LoggedEvent, of: _Compilation) -> None:
        stated = logged.event.inductor_output_code or logged.event.graph_dump
        code = _shared(logged.payload)
        aot = kind_of(id_at_head(code))
        of.last = LoggedCode(
            code=code,
            filename=(stated.filename if stated else None) or f"{self.path}:{logged.line}",
            compile_id=logged.event.compile_id,
            post_grad=of.graphs.nodes_after(aot),
            pre_grad=of.graphs.nodes_before(),
            post_grad_text=of.graphs.text_after(aot),
            pre_grad_texts=of.graphs.texts_before(),
            compilation=self.compilations.of(logged),
        )
        of.graphs.post_grad = None
        self.found.append(of.last)

    def _dumped(self, logged: LoggedEvent, of: _Compilation) -> None:
        dumped = logged.event.graph_dump
        if dumped is not None and dumped.name == _CPP:
            self._code(logged, of)
        elif dumped is not None and dumped.name == _CPP_KERNELS and of.last is not None:
            path = dumped.filename or f"{self.path}:{logged.line}"
            of.last.kernel_code = KernelCode(_shared(logged.payload), path)

    def _artifact(self, kind: str, logged: LoggedEvent, found: LoggedCode) -> None:
        try:
            found.take(kind, logged.payload)
        except UNREADABLE:
            self.broken.append(f"{kind} in line {logged.line}")

    def notices(self) -> Iterator[Notice]:
        """What could not be used."""
        if self.broken:
            yield Notice(
                slug="log-artifact-unreadable",
                message=f"{self.path}: no JSON of its kind in "
                f"{count(len(self.broken), 'artifact')}, first {self.broken[0]}.",
                hint="The calls of those graphs may lack nodes, lines or the cache key.",
                gap=True,
            )
        failed = [each for each in self.compilations.every if each.failure]
        if failed:
            yield Notice(
                slug="compilation-failed",
                message=f"{self.path}: compiling failed for {count(len(failed), 'function')}, "
                f"first {failed[0].function or failed[0].compile_id}: {failed[0].failure}",
                hint="They ran without compiled code, or raised; `kernelmap inspect` lists them.",
            )
        if not self.found:
            yield Notice(
                slug="log-without-code",
                message=f"{self.path} holds no generated code.",
                hint="Record with a fresh TORCH_TRACE folder, and until the first step is done.",
                gap=True,
            )


def _shared(payload: bytes) -> str:
    """The text; what a log repeats is held once."""
    return sys.intern(decoded(payload))


def _damage_notices(path: Path, damage: Damage) -> Iterator[Notice]:
    if damage.lines:
        yield Notice(
            slug="log-lines-unread",
            message=f"{path}: {count(damage.lines, 'line')} without an event of a log, "
            f"first line {damage.first_line}.",
            hint="The log was cut off or edited; what those events said is missing.",
            gap=True,
        )
    if damage.payloads:
        yield Notice(
            slug="log-payload-damaged",
            message=f"{path}: {count(damage.payloads, 'payload')} not as the checksum says, "
            f"first that of line {damage.first_payload}.",
            hint="The log was cut off or edited; graphs, nodes and lines may be incomplete.",
            gap=True,
        )
