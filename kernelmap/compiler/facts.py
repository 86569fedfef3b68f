"""A text of generated code with the facts that other files state of it, and how copies join.

The same text is found again and again: in the cache, in its copy in torch_compile_debug, as the
payload of a log, once per rank. It counts once and keeps what any of its copies knows. Only where
logs give it different cache keys do the copies stay apart: each names its own graph in a profile.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from kernelmap.compiler.cpp_source import core
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.mappings import NodeMapping
from kernelmap.model import Artifact, Compilation, Emitted, GraphText, Notice, SourceLine


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The file that holds the C++ kernels of a wrapper."""

    text: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What stands beside generated code; empty where nothing was found.

    `stacks` has the lines of each `NAME:H` or `NAME`, `post_grad` and `pre_grad` the nodes of the
    graph's texts, which follow as they were printed; `forward` the names of the forward's nodes,
    for a backward only; `emitted` the compilations that wrote the code.
    """

    compile_id: str | None = None
    cache_key: str | None = None
    mapping: NodeMapping = field(default_factory=NodeMapping)
    stacks: Mapping[str, tuple[SourceLine, ...]] = field(default_factory=dict)
    post_grad: Mapping[str, TextNode] = field(default_factory=dict)
    pre_grad: Mapping[str, TextNode] = field(default_factory=dict)
    forward: frozenset[str] = frozenset()
    post_grad_text: GraphText | None = field(default=None, repr=False)
    pre_grad_text: GraphText | None = field(default=None, repr=False)
    kernel_code: KernelCode | None = None
    emitted: tuple[Emitted, ...] = ()

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What was found; an empty mapping, as lazy backwards have, counts as none."""
        found = {
            Artifact.MAPPING: self.mapping.kernel_to_post,
            Artifact.STACKS: self.stacks,
            Artifact.POST_GRAD: self.post_grad,
            Artifact.PRE_GRAD: self.pre_grad,
        }
        return tuple(artifact for artifact, content in found.items() if content)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeText:
    """One text of generated code; lines end with a newline.

    `code` is the path of its file, `place` the parts of the path that tell programs apart, `stated`
    the graph's id as the folder gives it. `strength` orders copies: the lowest gives `code`.
    `borrowed` as in CompiledGraph.
    """

    text: str
    code: str
    place: tuple[str, ...]
    strength: int
    stated: str | None = None
    facts: Facts = field(default_factory=Facts)
    borrowed: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The generated code that one file holds, what it could not give, and what led to the code.

    `beside` are the other files that were read for it.
    """

    texts: tuple[CodeText, ...]
    notices: tuple[Notice, ...] = ()
    compilations: tuple[Compilation, ...] = ()
    beside: tuple[Path, ...] = ()


def without_copies(texts: Iterable[CodeText]) -> list[CodeText]:
    """One record per text, in the order of their places."""
    alike: dict[bytes, list[CodeText]] = defaultdict(list)
    for each in texts:
        alike[hashlib.sha256(core(each.text).encode("utf-8", "replace")).digest()].append(each)
    joined = [one for copies in alike.values() for one in _joined(sorted(copies, key=_rank))]
    return sorted(joined, key=lambda each: (each.place, each.code))


def _joined(copies: Sequence[CodeText]) -> list[CodeText]:
    keys = dict.fromkeys(copy.facts.cache_key for copy in copies if copy.facts.cache_key)
    if len(keys) <= 1:
        return [_union(copies)]
    keyless = [copy for copy in copies if copy.facts.cache_key is None]
    return [
        _union([*(copy for copy in copies if copy.facts.cache_key == key), *keyless])
        for key in keys
    ]


def _union(copies: Sequence[CodeText]) -> CodeText:
    """The first copy, with the facts of all."""
    stated = next((copy.stated for copy in copies if copy.stated), None)
    facts = reduce(_both, (copy.facts for copy in copies))
    compile_ids = {copy.facts.compile_id for copy in copies if copy.facts.compile_id}
    # Runs that compiled one text under different ids leave no single id to name it by.
    compile_id = compile_ids.pop() if len(compile_ids) == 1 else None
    return replace(
        copies[0],
        stated=stated,
        facts=replace(facts, compile_id=compile_id),
        borrowed=all(copy.borrowed for copy in copies),
    )


def _both(one: Facts, other: Facts) -> Facts:
    return Facts(
        cache_key=one.cache_key or other.cache_key,
        mapping=one.mapping.joined(other.mapping),
        stacks={**other.stacks, **one.stacks},
        post_grad=_nodes(one.post_grad, other.post_grad),
        pre_grad=_nodes(one.pre_grad, other.pre_grad),
        forward=one.forward | other.forward,
        post_grad_text=one.post_grad_text or other.post_grad_text,
        pre_grad_text=one.pre_grad_text or other.pre_grad_text,
        kernel_code=one.kernel_code or other.kernel_code,
        emitted=_emitted((*one.emitted, *other.emitted)),
    )


def _nodes(one: Mapping[str, TextNode], other: Mapping[str, TextNode]) -> Mapping[str, TextNode]:
    """The nodes of both; only a log states their modules and what they use."""
    joined = dict(other)
    for name, node in one.items():
        also = other.get(name, node)
        joined[name] = replace(
            node,
            target=node.target or also.target,
            shape=node.shape or also.shape,
            line=node.line or also.line,
            module=node.module or also.module,
            uses=node.uses or also.uses,
        )
    return joined


def _emitted(records: Sequence[Emitted]) -> tuple[Emitted, ...]:
    """Each once; a compilation without its start is left out where the same id has one."""
    started = {e.compilation.compile_id for e in records if e.compilation.function is not None}
    return tuple(
        dict.fromkeys(
            e
            for e in records
            if e.compilation.function is not None or e.compilation.compile_id not in started
        )
    )


def _rank(text: CodeText) -> tuple[int, tuple[str, ...], str]:
    return text.strength, text.place, text.code
