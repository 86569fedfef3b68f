"""A TORCH_TRACE log → the generated code in it, each with what the log says about it.

Forward and backward of one compilation share its id and the names of their artifacts, so their
order decides: the text of a graph comes before its code, and mapping, stack traces and cache key
come after it and before the next graph's text. Left out: metrics, guards, and everything about
tensors; the C++ wrappers of AOTInductor, which a notice counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kernelmap.compiler.comments import aot_id
from kernelmap.compiler.facts import CodeText, Facts, Reading
from kernelmap.compiler.graph import kind_of
from kernelmap.compiler.graph_text import TextNode, graph_text
from kernelmap.compiler.log_events import Damage, LoggedEvent, events, is_torch_trace
from kernelmap.compiler.mappings import MAPPINGS, STACKS, NodeMapping, kernel_stacks, node_mapping
from kernelmap.compiler.source import bare_comment
from kernelmap.model import Notice, SourceLine

_LAST = 10  # Every file that can be opened is a better place for code than a log.
_OPENS = ("fx_graph_runnable", "before_post_grad_graph")
_POST_GRAD = ("inductor_post_grad_graph", "after_post_grad_graph")
_PRE_GRAD = ("dynamo_output_graph", "before_pre_grad_graph")
_AOT = {f"aot_{kind}_graph": kind for kind in ("forward", "backward", "inference")}
_CACHE = ("fx_graph_cache_miss", "fx_graph_cache_hit")
_CPP = "inductor_aot_wrapper_code"
_NAME = re.compile(
    r"(?:dedicated_log_torch_trace_)?(?:(?P<rank>rank_\d+).*|(?P<own>.+?)(?:\.log)?)"
)


class TorchTrace:
    """What `TORCH_TRACE=folder` makes PyTorch write."""

    label = "a TORCH_TRACE log"

    def sniff(self, path: Path) -> bool:
        """Whether `path` starts with lines of such a log."""
        return is_torch_trace(path)

    def read(self, path: Path) -> Reading:
        """The generated code of the log. Raises KernelmapError where it cannot be read."""
        log = _Log(path)
        damage = Damage()
        for logged in events(path, damage):
            log.take(logged)
        texts = tuple(found.text(path) for found in log.found)
        return Reading(texts, (*log.notices(), *_damage_notices(path, damage)))


def code_of(logged: Iterable[LoggedEvent], log: Path) -> Reading:
    """The generated code among the events of `log`, wherever those stand now."""
    found = _Log(log)
    for each in logged:
        found.take(each)
    return Reading(tuple(each.text(log) for each in found.found), tuple(found.notices()))


class _Key(msgspec.Struct):
    key: str | None = None


@dataclass(slots=True)
class _Found:
    """One piece of generated code while its artifacts come in."""

    code: str
    filename: str
    compile_id: str | None
    post_grad: Mapping[str, TextNode]
    pre_grad: Mapping[str, TextNode]
    mapping: NodeMapping = field(default_factory=NodeMapping)
    stacks: dict[str, tuple[SourceLine, ...]] = field(default_factory=dict)
    cache_key: str | None = None

    def text(self, log: Path) -> CodeText:
        """The code with its facts."""
        return CodeText(
            text=self.code,
            code=self.filename,
            place=place_of(log),
            strength=_LAST,
            facts=Facts(
                compile_id=self.compile_id,
                cache_key=self.cache_key,
                mapping=self.mapping,
                stacks=self.stacks,
                post_grad=self.post_grad,
                pre_grad=self.pre_grad,
            ),
        )


@dataclass(slots=True)
class _Compilation:
    """What one compile id has logged so far; `last` is the code whose artifacts may follow."""

    pre_grad: dict[str, TextNode] = field(default_factory=dict)
    post_grad: Mapping[str, TextNode] = field(default_factory=dict)
    aot: dict[str, Mapping[str, TextNode]] = field(default_factory=dict)
    last: _Found | None = None


@dataclass(slots=True)
class _Log:
    path: Path
    found: list[_Found] = field(default_factory=list)
    compilations: dict[str | None, _Compilation] = field(default_factory=dict)
    cpp: int = 0
    broken: list[str] = field(default_factory=list)

    def take(self, logged: LoggedEvent) -> None:
        """Use one event."""
        kind = logged.event.kind
        if kind is None:
            return
        of = self.compilations.setdefault(logged.event.compile_id, _Compilation())
        if kind in _PRE_GRAD:
            of.pre_grad = dict(_graph(logged))
        elif kind == "after_pre_grad_graph":
            of.pre_grad |= _graph(logged)
        elif kind in _AOT:
            of.aot[_AOT[kind]] = _graph(logged)
        elif kind in _OPENS:
            of.last, of.post_grad = None, {}
        elif kind in _POST_GRAD:
            of.last, of.post_grad = None, _graph(logged)
        elif kind == "inductor_output_code":
            self._code(logged, of)
        elif kind == "graph_dump":
            dumped = logged.event.graph_dump
            self.cpp += dumped is not None and dumped.name == _CPP
        elif of.last is not None:
            self._artifact(kind, logged, of.last)

    def _code(self, logged: LoggedEvent, of: _Compilation) -> None:
        stated = logged.event.inductor_output_code
        code = _text(logged.payload)
        aot = kind_of(aot_id(c for line in code.split("\n", 3)[:3] if (c := bare_comment(line))))
        of.last = _Found(
            code=code,
            filename=(stated.filename if stated else None) or f"{self.path}:{logged.line}",
            compile_id=logged.event.compile_id,
            post_grad=of.post_grad or of.aot.get(aot or "inference", {}),
            pre_grad=of.pre_grad,
        )
        of.post_grad = {}
        self.found.append(of.last)

    def _artifact(self, kind: str, logged: LoggedEvent, found: _Found) -> None:
        def mapping() -> None:
            found.mapping = node_mapping(logged.payload).joined(found.mapping)

        def stacks() -> None:
            found.stacks |= kernel_stacks(logged.payload)

        def cache() -> None:
            # A second key without code of its own is another graph's: the first one stays.
            decoded = msgspec.json.decode(logged.payload, type=_Key).key
            found.cache_key = found.cache_key or decoded

        uses: dict[str, Callable[[], None]] = {
            **dict.fromkeys(MAPPINGS, mapping),
            **dict.fromkeys(_CACHE, cache),
            STACKS: stacks,
        }
        try:
            uses.get(kind, lambda: None)()
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.broken.append(f"{kind} in line {logged.line}")

    def notices(self) -> Iterator[Notice]:
        """What could not be used."""
        if self.broken:
            yield Notice(
                slug="log-artifact-unreadable",
                message=f"{self.path}: {len(self.broken)} artifacts are no JSON of their kind, "
                f"first {self.broken[0]}.",
                hint="The calls of those graphs may lack nodes, lines or the cache key.",
                gap=True,
            )
        if self.cpp:
            yield Notice(
                slug="cpp-wrapper-unread",
                message=f"{self.path} holds {self.cpp} C++ wrappers of AOTInductor.",
                hint="They are not read yet; their calls are named from the profile.",
                gap=True,
            )
        elif not self.found:
            yield Notice(
                slug="log-without-code",
                message=f"{self.path} holds no generated code.",
                hint="Record with a fresh TORCH_TRACE folder, and until the first step is done.",
                gap=True,
            )


def place_of(log: Path) -> tuple[str, ...]:
    """The parts of a log's path; of its name the rank, else what other logs are not called.

    >>> place_of(Path("/runs/dedicated_log_torch_trace_rank_1_n8zycf07.log"))[-2:]
    ('runs', 'rank_1')
    """
    full = log.resolve()
    found = _NAME.fullmatch(full.name)
    name = (found["rank"] or found["own"]) if found else full.name
    return (*full.parent.parts, name)


def _graph(logged: LoggedEvent) -> Mapping[str, TextNode]:
    return graph_text(_text(logged.payload))


def _text(payload: bytes) -> str:
    return payload.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def _damage_notices(path: Path, damage: Damage) -> Iterator[Notice]:
    if damage.lines:
        yield Notice(
            slug="log-lines-unread",
            message=f"{path}: {damage.lines} lines are no event of a log, "
            f"first line {damage.first_line}.",
            hint="The log was cut off or edited; what those events said is missing.",
            gap=True,
        )
    if damage.payloads:
        yield Notice(
            slug="log-payload-damaged",
            message=f"{path}: {damage.payloads} payloads differ from their checksum, "
            f"first that of line {damage.first_payload}.",
            hint="The log was cut off or edited; graphs, nodes and lines may be incomplete.",
            gap=True,
        )
