"""A TORCH_TRACE log → the generated code in it, with what the log says about each piece.

Forward and backward of one compilation share its id and the names of their artifacts, so their
order decides: the text of a graph comes before its code, and mapping, stack traces and cache key
come after it and before the next graph's text. compilations.py reads what led to a compilation. A
C++ wrapper of AOTInductor is such code as well; the file of its kernels follows it. Left out:
everything about tensors but where they come from.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, field

from kernelmap.compiler.facts import (
    MAPPINGS,
    STACKS,
    UNREADABLE,
    CodeFacts,
    CodeText,
    KernelCode,
    NodeMapping,
    Reading,
    kernel_stacks,
    node_mapping,
)
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.logs.compilations import Compilations, OpenCompilation
from kernelmap.compiler.logs.events import Cached, Damage, LoggedEvent, iter_events
from kernelmap.compiler.logs.graphs import LoggedGraphs, ParsedOnce
from kernelmap.compiler.logs.inductor_settings import settings_of
from kernelmap.compiler.logs.runnable import RUNNABLE, read_runnable
from kernelmap.compiler.python.comments import id_at_head
from kernelmap.compiler.python.source import decode_text
from kernelmap.model import CacheOutcome, Compilation, Emitted, GraphText, Notice, SourceLine
from kernelmap.model.compilations import StatedBeside
from kernelmap.model.notices import format_count
from kernelmap.model.program import kind_of

_CPP, _CPP_KERNELS = "inductor_aot_wrapper_code", "inductor_aot_kernel_code"
_STRENGTH = 10  # Every file that can be opened is a better place for code than a log.
# `fx_graph_cache_hit` and its relatives → what the cache said.
_CACHE = {f"fx_graph_cache_{outcome}": outcome for outcome in CacheOutcome}
# The name of a log file: the rank in it, or what is left without torch's prefix and its ending.
_LOG_NAME = re.compile(
    r"(?:dedicated_log_torch_trace_)?(?:(?P<rank>rank_\d+).*|(?P<own>.+?)(?:\.log)?)"
)


def read_log(path: Path) -> Reading:
    """The generated code of what `TORCH_TRACE=folder` makes PyTorch write.

    Raises KernelmapError where it cannot be read.
    """
    log = _Log(path, Compilations(str(path)))
    damage = Damage()
    for logged in iter_events(path, damage):
        log.take_event(logged)
    return log.finish_reading(_damage_notices(path, damage))


def code_of(logged: Iterable[LoggedEvent], log: Path) -> Reading:
    """The generated code among the events of `log`, wherever those stand now."""
    log_state = _Log(log, Compilations(str(log)))
    for event in logged:
        log_state.take_event(event)
    return log_state.finish_reading()


class _LoggedCompilation(Struct):
    """What one compile id has logged so far; `last` is the code whose artifacts may follow.

    `beside` is what was stated of the next code's settings.
    """

    graphs: LoggedGraphs
    last: LoggedCode | None = None
    beside: StatedBeside | None = None


class _Log(Struct):
    path: Path
    compilations: Compilations
    codes: list[LoggedCode] = []
    ids: dict[str | None, _LoggedCompilation] = {}
    once: ParsedOnce = field(default_factory=ParsedOnce)
    broken: list[str] = []

    def take_event(self, logged: LoggedEvent) -> None:
        """Use one event."""
        try:
            # First what the event says of its compilation;
            # an event of another shape costs only that.
            self.compilations.take_event(logged)
            if logged.event.describe_source:
                self._compilation_of(logged).graphs.note_source(logged.event.describe_source)
        except UNREADABLE:
            self.broken.append(f"the event in line {logged.line}")
        kind = logged.event.kind
        if kind is None:
            return
        of = self._compilation_of(logged)
        if kind == RUNNABLE:
            of.beside = read_runnable(logged.payload)
        # The text of the next graph: artifacts that follow are no longer those of the code before.
        if of.graphs.take_event(kind, lambda: _share_text(logged.payload)):
            of.last = None
        elif kind == "inductor_output_code":
            self._take_code(logged, of)
        elif kind == "graph_dump":
            self._take_dumped(logged, of)
        # Mapping, stack traces and cache key belong to the code that came last under this id.
        elif of.last is not None:
            self._take_artifact(kind, logged, of.last)

    def finish_reading(self, damage: Iterable[Notice] = ()) -> Reading:
        """All code of the log; the notices of `damage` follow those of unusable events."""
        compilations = tuple(compilation.finish_record() for compilation in self.compilations.every)
        texts = tuple(code.code_text(self.path, compilations) for code in self.codes)
        return Reading(texts, (*self.iter_notices(), *damage), compilations)

    def _compilation_of(self, logged: LoggedEvent) -> _LoggedCompilation:
        compile_id = logged.event.compile_id
        if compile_id not in self.ids:
            self.ids[compile_id] = _LoggedCompilation(LoggedGraphs(self.once))
        return self.ids[compile_id]

    def _take_code(self, logged: LoggedEvent, of: _LoggedCompilation) -> None:
        stated = logged.event.inductor_output_code or logged.event.graph_dump
        code = _share_text(logged.payload)
        # The AOT id in the code says whether it is a forward or a
        # backward, and so which graph text it is made of.
        aot = kind_of(id_at_head(code))
        of.last = LoggedCode(
            code=code,
            filename=(stated.filename if stated else None) or f"{self.path}:{logged.line}",
            compile_id=logged.event.compile_id,
            post_grad=of.graphs.nodes_after(aot),
            pre_grad=of.graphs.nodes_before(),
            forward=of.graphs.names_of_forward(aot),
            post_grad_text=of.graphs.text_after(aot),
            pre_grad_texts=of.graphs.texts_before(),
            compilation=self.compilations.compilation_of(logged),
            beside=of.beside,
        )
        of.beside = None
        # The next code under this id is made of another text.
        of.graphs.post_grad = None
        self.codes.append(of.last)

    def _take_dumped(self, logged: LoggedEvent, of: _LoggedCompilation) -> None:
        dumped = logged.event.graph_dump
        if dumped is not None and dumped.name == _CPP:
            self._take_code(logged, of)
        # The file of C++ kernels follows the wrapper that it belongs to.
        elif dumped is not None and dumped.name == _CPP_KERNELS and of.last is not None:
            path = dumped.filename or f"{self.path}:{logged.line}"
            of.last.kernel_code = KernelCode(_share_text(logged.payload), path)

    def _take_artifact(self, kind: str, logged: LoggedEvent, code: LoggedCode) -> None:
        if logged.event.has_payload is None and not logged.payload:
            return  # nothing was there to log, such as a mapping in a cache without provenance
        try:
            code.take_artifact(kind, logged.payload)
        except UNREADABLE:
            self.broken.append(f"{kind} in line {logged.line}")

    def iter_notices(self) -> Iterator[Notice]:
        """What could not be used."""
        if self.broken:
            yield Notice(
                slug="log-artifact-unreadable",
                message=f"{self.path}: no JSON of its kind in "
                f"{format_count(len(self.broken), 'artifact')}, first {self.broken[0]}.",
                hint="The calls of those graphs may lack nodes, lines or the cache key.",
                gap=True,
            )
        failed = [compilation for compilation in self.compilations.every if compilation.failure]
        if failed:
            yield Notice(
                slug="compilation-failed",
                message=f"{self.path}: compiling failed for "
                f"{format_count(len(failed), 'function')}, "
                f"first {failed[0].function or failed[0].compile_id}: {failed[0].failure}",
                hint="They ran without compiled code, or raised; `kernelmap inspect` lists them.",
            )
        if not self.codes:
            yield Notice(
                slug="log-without-code",
                message=f"{self.path} holds no generated code.",
                hint="Record with a fresh TORCH_TRACE folder, and until the first step is done.",
                gap=True,
            )


def _share_text(payload: bytes) -> str:
    """The text; what a log repeats is held once."""
    return sys.intern(decode_text(payload))


def _damage_notices(path: Path, damage: Damage) -> Iterator[Notice]:
    if damage.lines:
        yield Notice(
            slug="log-lines-unread",
            message=f"{path}: {format_count(damage.lines, 'line')} without an event of a log, "
            f"first line {damage.first_line}.",
            hint="The log was cut off or edited; what those events said is missing.",
            gap=True,
        )
    if damage.payloads:
        yield Notice(
            slug="log-payload-damaged",
            message=f"{path}: {format_count(damage.payloads, 'payload')} not as the checksum says, "
            f"first that of line {damage.first_payload}.",
            hint="The log was cut off or edited; graphs, nodes and lines may be incomplete.",
            gap=True,
        )


class LoggedCode(Struct):
    """One piece of generated code while its artifacts come in; `code` is its text.

    The graphs' texts were logged before it; mapping, stack traces and cache key come after it.
    """

    code: str
    filename: str
    compile_id: str | None
    post_grad: Mapping[str, TextNode]
    pre_grad: Mapping[str, TextNode]
    forward: frozenset[str]
    post_grad_text: GraphText | None
    pre_grad_texts: tuple[GraphText, ...]
    mapping: NodeMapping = field(default_factory=NodeMapping)
    stacks: dict[str, tuple[SourceLine, ...]] = {}
    cache_key: str | None = None
    kernel_code: KernelCode | None = None
    compilation: OpenCompilation | None = None
    cache: CacheOutcome | None = None
    bypass: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    beside: StatedBeside | None = None

    def code_text(self, log: Path, compilations: Sequence[Compilation]) -> CodeText:
        """The code with its facts; `compilations` are those of the log, by serial number."""
        return CodeText(
            text=self.code,
            code=self.filename,
            place=place_of(log),
            strength=_STRENGTH,
            facts=CodeFacts(
                compile_id=self.compile_id,
                cache_key=self.cache_key,
                mapping=self.mapping,
                stacks=self.stacks,
                post_grad=self.post_grad,
                pre_grad=self.pre_grad,
                forward=self.forward,
                post_grad_text=self.post_grad_text,
                pre_grad_text=self._pre_grad_text(),
                kernel_code=self.kernel_code,
                emitted=tuple(self._iter_emitted(compilations)),
                beside=() if self.beside is None else (self.beside,),
            ),
        )

    def _pre_grad_text(self) -> GraphText | None:
        """The text with most of the nodes that the mapping names: passes make new ones."""
        # Passes on Dynamo's graph make new nodes: the
        # text that has most of the mapped names is kept.
        named = {name for names in self.mapping.post_to_pre.values() for name in names}
        texts = self.pre_grad_texts
        return max(texts, key=lambda text: len(named & text.lines.keys()), default=None)

    def _iter_emitted(self, compilations: Sequence[Compilation]) -> Iterator[Emitted]:
        if self.compilation is not None:
            yield Emitted(
                # Records of compilations are made at the end of the log, when all is known of them.
                compilation=compilations[self.compilation.serial],
                cache=self.cache,
                bypass=self.bypass,
                settings=self.settings,
            )

    def take_artifact(self, kind: str, payload: bytes) -> None:
        """Use an artifact of this kind, if it says something of code. Raises one of UNREADABLE."""
        if kind in MAPPINGS:
            # What comes later counts where both state a key.
            self.mapping = node_mapping(payload).join_mapping(self.mapping)
        elif kind == STACKS:
            self.stacks |= kernel_stacks(payload)
        # A second key without code of its own is another graph's: the first one stays.
        elif kind in _CACHE and self.cache is None:
            cached = msgspec.json.decode(payload, type=Cached)
            self.cache, self.cache_key = _CACHE[kind], cached.key
            self.bypass = cached.cache_bypass_reason
            self.settings = settings_of(cached.components)


def place_of(log: Path) -> tuple[str, ...]:
    """The parts of a log's path; of its name the rank, else what other logs are not called.

    >>> place_of(Path("/runs/dedicated_log_torch_trace_rank_1_n8zycf07.log"))[-2:]
    ('runs', 'rank_1')
    """
    full = log.resolve()
    match = _LOG_NAME.fullmatch(full.name)
    name = (match["rank"] or match["own"]) if match else full.name
    return (*full.parent.parts, name)
