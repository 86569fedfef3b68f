"""One piece of generated code in a TORCH_TRACE log, and what its artifacts say of it → a CodeText.

Takes the graphs' texts that were logged before the code, then its mapping, stack traces and cache
key as they come. Left out: whose artifact is whose; torch_trace.py knows the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kernelmap.compiler.facts import CodeText, Facts, KernelCode
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.logs.compilations import OpenCompilation
from kernelmap.compiler.logs.shapes import Cached
from kernelmap.compiler.mappings import MAPPINGS, STACKS, NodeMapping, kernel_stacks, node_mapping
from kernelmap.model import Cache, Compilation, Emitted, GraphText, SourceLine

_LAST = 10  # Every file that can be opened is a better place for code than a log.
_CACHE = {f"fx_graph_cache_{each}": each for each in Cache}
_NAME = re.compile(
    r"(?:dedicated_log_torch_trace_)?(?:(?P<rank>rank_\d+).*|(?P<own>.+?)(?:\.log)?)"
)


@dataclass(slots=True)
class LoggedCode:
    """One piece of generated code while its artifacts come in; `code` is its text."""

    code: str
    filename: str
    compile_id: str | None
    post_grad: Mapping[str, TextNode]
    pre_grad: Mapping[str, TextNode]
    post_grad_text: GraphText | None
    pre_grad_texts: tuple[GraphText, ...]
    mapping: NodeMapping = field(default_factory=NodeMapping)
    stacks: dict[str, tuple[SourceLine, ...]] = field(default_factory=dict)
    cache_key: str | None = None
    kernel_code: KernelCode | None = None
    compilation: OpenCompilation | None = None
    cache: Cache | None = None
    bypass: str | None = None

    def text(self, log: Path, compilations: Sequence[Compilation]) -> CodeText:
        """The code with its facts; `compilations` are those of the log, by serial number."""
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
                post_grad_text=self.post_grad_text,
                pre_grad_text=self._pre_grad_text(),
                kernel_code=self.kernel_code,
                emitted=tuple(self._emitted(compilations)),
            ),
        )

    def _pre_grad_text(self) -> GraphText | None:
        """The text with most of the nodes that the mapping names: passes make new ones."""
        named = {name for names in self.mapping.post_to_pre.values() for name in names}
        known = self.pre_grad_texts
        return max(known, key=lambda each: len(named & each.lines.keys()), default=None)

    def _emitted(self, compilations: Sequence[Compilation]) -> Iterator[Emitted]:
        if self.compilation is not None:
            yield Emitted(
                compilation=compilations[self.compilation.serial],
                cache=self.cache,
                bypass=self.bypass,
            )

    def take(self, kind: str, payload: bytes) -> None:
        """Use an artifact of this kind, if it says something of code. Raises one of UNREADABLE."""
        if kind in MAPPINGS:
            self.mapping = node_mapping(payload).joined(self.mapping)
        elif kind == STACKS:
            self.stacks |= kernel_stacks(payload)
        # A second key without code of its own is another graph's: the first one stays.
        elif kind in _CACHE and self.cache is None:
            found = msgspec.json.decode(payload, type=Cached)
            self.cache, self.cache_key = _CACHE[kind], found.key
            self.bypass = found.cache_bypass_reason


def place_of(log: Path) -> tuple[str, ...]:
    """The parts of a log's path; of its name the rank, else what other logs are not called.

    >>> place_of(Path("/runs/dedicated_log_torch_trace_rank_1_n8zycf07.log"))[-2:]
    ('runs', 'rank_1')
    """
    full = log.resolve()
    found = _NAME.fullmatch(full.name)
    name = (found["rank"] or found["own"]) if found else full.name
    return (*full.parent.parts, name)
