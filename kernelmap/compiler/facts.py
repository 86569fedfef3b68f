"""CodeText: generated code with what other files state of it, and how copies of it are merged.

The same text is found again and again: in the cache, in its copy in torch_compile_debug, as the
payload of a log, once per rank. It counts once and keeps what any of its copies knows. Only where
logs give it different cache keys do the copies stay apart: each names its own graph in a profile.

Among the facts is Inductor's provenance JSON. Node mappings had three names and two shapes:
`{"cppCodeToPost": {"NAME:H": […]}, "postToPre": …}` and, older, `{"NAME": […]}` alone. Kernel stack
traces are `{"NAME:H": ["File …", …]}`. A backward that is compiled lazily has `{"version": 2.0}`
and nothing else.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.python.source import core_of_code
from kernelmap.facts.stack_traces import user_lines
from kernelmap.model import Artifact, Compilation, Emitted, GraphText, Notice, SourceLine
from kernelmap.model.compilations import StatedBeside
from kernelmap.model.paths import read_bytes
from kernelmap.model.program import LibraryFacts, NotFused

MAPPINGS = (
    "inductor_provenance_tracking_node_mappings",
    "inductor_generated_kernel_to_post_grad_nodes",
    "inductor_triton_kernel_to_post_grad_nodes",
)
STACKS = "inductor_provenance_tracking_kernel_stack_traces"
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding JSON raises: other values, bytes that are no UTF-8, too many brackets."""
_VERSION = "version"
_Lists = dict[str, list[str]]


class NodeMapping(Struct, frozen=True):
    """Post-grad nodes per `NAME:H` or `NAME`, and pre-grad nodes per post-grad node.

    `kernel_to_pre` is for records that state pre-grad nodes of a kernel as a whole.
    """

    kernel_to_post: Mapping[str, tuple[str, ...]] = {}
    post_to_pre: Mapping[str, tuple[str, ...]] = {}
    kernel_to_pre: Mapping[str, tuple[str, ...]] = {}

    def join_mapping(self, other: NodeMapping) -> NodeMapping:
        """Both mappings as one; where both state a key, this one counts."""
        return NodeMapping(
            {**other.kernel_to_post, **self.kernel_to_post},
            {**other.post_to_pre, **self.post_to_pre},
            {**other.kernel_to_pre, **self.kernel_to_pre},
        )


class KernelCode(Struct, frozen=True):
    """The file that holds the C++ kernels of a wrapper."""

    text: str
    path: str


class CodeFacts(Struct, frozen=True, kw_only=True):
    """What stands beside generated code; empty where nothing was found.

    `stacks` has the lines of each `NAME:H` or `NAME`, `library` what is stated of library calls,
    `post_grad` and `pre_grad` the nodes of the graph's texts, which follow as they were printed;
    `forward` the names of the forward's nodes, for a backward only; `emitted` the compilations that
    wrote the code, `beside` what is stated of the settings that it was made with, `not_fused` what
    the scheduler decided on its graph.
    """

    compile_id: str | None = None
    cache_key: str | None = None
    mapping: NodeMapping = field(default_factory=NodeMapping)
    stacks: Mapping[str, tuple[SourceLine, ...]] = {}
    library: Mapping[str, LibraryFacts] = {}
    post_grad: Mapping[str, TextNode] = {}
    pre_grad: Mapping[str, TextNode] = {}
    forward: frozenset[str] = frozenset()
    post_grad_text: GraphText | None = None
    pre_grad_text: GraphText | None = None
    kernel_code: KernelCode | None = None
    emitted: tuple[Emitted, ...] = ()
    beside: tuple[StatedBeside, ...] = ()
    not_fused: tuple[NotFused, ...] = ()

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What was found; an empty mapping, as lazy backwards have, counts as none."""
        contents = {
            Artifact.MAPPING: self.mapping.kernel_to_post,
            Artifact.STACKS: self.stacks,
            Artifact.POST_GRAD: self.post_grad,
            Artifact.PRE_GRAD: self.pre_grad,
        }
        return tuple(artifact for artifact, content in contents.items() if content)


class CodeText(Struct, frozen=True, kw_only=True):
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
    facts: CodeFacts = field(default_factory=CodeFacts)
    borrowed: bool = False


class Reading(Struct, frozen=True):
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
    for text in texts:
        # A wrapper in C++ is written with its kernels or
        # without, so only what both have is compared.
        alike[hashlib.sha256(core_of_code(text.text).encode("utf-8", "replace")).digest()].append(
            text
        )
    joined = [
        one for copies in alike.values() for one in _join_copies(sorted(copies, key=_rank_of_text))
    ]
    return sorted(joined, key=lambda text: (text.place, text.code))


def _join_copies(copies: Sequence[CodeText]) -> list[CodeText]:
    keys = dict.fromkeys(copy.facts.cache_key for copy in copies if copy.facts.cache_key)
    # One cache key at most: all copies are one graph.
    if len(keys) <= 1:
        return [_unite_facts(copies)]
    # A copy without a key, such as a file, may be any of the graphs and adds its facts to each.
    keyless = [copy for copy in copies if copy.facts.cache_key is None]
    return [
        _unite_facts([*(copy for copy in copies if copy.facts.cache_key == key), *keyless])
        for key in keys
    ]


def _unite_facts(copies: Sequence[CodeText]) -> CodeText:
    """The first copy, with the facts of all."""
    # `copies` are sorted by strength: the first gives the place, and wins where facts differ.
    stated = next((copy.stated for copy in copies if copy.stated), None)
    facts = reduce(_join_two, (copy.facts for copy in copies))
    compile_ids = {copy.facts.compile_id for copy in copies if copy.facts.compile_id}
    # Runs that compiled one text under different ids leave no single id to name it by.
    compile_id = compile_ids.pop() if len(compile_ids) == 1 else None
    return replace(
        copies[0],
        stated=stated,
        facts=replace(facts, compile_id=compile_id),
        borrowed=all(copy.borrowed for copy in copies),
    )


def _join_two(one: CodeFacts, other: CodeFacts) -> CodeFacts:
    return CodeFacts(
        cache_key=one.cache_key or other.cache_key,
        mapping=one.mapping.join_mapping(other.mapping),
        stacks={**other.stacks, **one.stacks},
        library={**other.library, **one.library},
        post_grad=_join_nodes(one.post_grad, other.post_grad),
        pre_grad=_join_nodes(one.pre_grad, other.pre_grad),
        forward=one.forward | other.forward,
        post_grad_text=one.post_grad_text or other.post_grad_text,
        pre_grad_text=one.pre_grad_text or other.pre_grad_text,
        kernel_code=one.kernel_code or other.kernel_code,
        emitted=_join_emitted((*one.emitted, *other.emitted)),
        beside=tuple(dict.fromkeys((*one.beside, *other.beside))),
        not_fused=one.not_fused or other.not_fused,
    )


def _join_nodes(
    one: Mapping[str, TextNode], other: Mapping[str, TextNode]
) -> Mapping[str, TextNode]:
    """The nodes of both; only a log states their modules and what they use."""
    joined = dict(other)
    for name, node in one.items():
        also = other.get(name, node)
        joined[name] = replace(
            node,
            target=node.target or also.target,
            shape=node.shape or also.shape,
            line=node.line or also.line,
            torch_line=node.torch_line or also.torch_line,
            module=node.module or also.module,
            uses=node.uses or also.uses,
            runs=node.runs or also.runs,
        )
    return joined


def _join_emitted(records: Sequence[Emitted]) -> tuple[Emitted, ...]:
    """Each once; a compilation without its start is left out where the same id has one."""
    # A compilation whose start was not read has no function. The same
    # compilation from a whole log has one and replaces it.
    started = {e.compilation.compile_id for e in records if e.compilation.function is not None}
    return tuple(
        dict.fromkeys(
            e
            for e in records
            if e.compilation.function is not None or e.compilation.compile_id not in started
        )
    )


def _rank_of_text(text: CodeText) -> tuple[int, tuple[str, ...], str]:
    return text.strength, text.place, text.code


def mapping_file(code: Path) -> Path | None:
    """The node mapping that lies beside `code`, the newest kind first."""
    beside = (code.parent / f"{name}.json" for name in MAPPINGS)
    return next((path for path in beside if path.is_file()), None)


def read_mapping(path: Path) -> tuple[NodeMapping, tuple[Notice, ...]]:
    """The mapping in `path`; an empty one and a notice where it cannot be used."""
    try:
        return node_mapping(read_bytes(path)), ()
    except (OSError, *UNREADABLE) as error:
        return NodeMapping(), (
            Notice(
                slug="node-mapping-unreadable",
                message=f"{path} is no node mapping: {error}",
                hint="Calls keep the nodes that their own code states.",
                gap=True,
            ),
        )


def node_mapping(data: bytes) -> NodeMapping:
    """The mapping that `data` is. Raises one of UNREADABLE where it is none."""
    content = msgspec.json.decode(data, type=dict[str, object])
    # A backward that is compiled lazily has `version` and nothing else.
    content.pop(_VERSION, None)
    # Older files hold the kernels alone.
    if "cppCodeToPost" not in content:
        return NodeMapping(kernel_to_post=_read_lists(content))
    return NodeMapping(
        _read_lists(content["cppCodeToPost"]),
        _read_lists(content.get("postToPre", {})),
    )


def kernel_stacks(data: bytes) -> Mapping[str, tuple[SourceLine, ...]]:
    """The lines per kernel that `data` holds. Raises one of UNREADABLE.

    A kernel has a list of stacks, or one stack as a text.
    """
    content = msgspec.json.decode(data, type=dict[str, list[str] | str | float])
    content.pop(_VERSION, None)
    return {
        key: user_lines([stacks] if isinstance(stacks, str) else stacks)
        for key, stacks in content.items()
        if not isinstance(stacks, float)
    }


def _read_lists(value: object) -> dict[str, tuple[str, ...]]:
    lists = msgspec.convert(value, type=_Lists)
    # Nodes without a name are those of compiled autograd's engine; they lead nowhere.
    return {name: tuple(node for node in nodes if node) for name, nodes in lists.items()}
