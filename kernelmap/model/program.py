"""Records of the compile side: graphs, kernels, calls and FX nodes, as generated code states them.

Takes nothing, gives frozen records. A field that the code did not state is None: an empty tuple
means "stated, and empty" (`Source Nodes: []` is real), None means "not stated".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.model.compilations import Compilation, Emitted, StatedBeside
from kernelmap.model.notices import Notice
from kernelmap.model.source import GraphText, LaunchNote, SourceLine


class Backend(StrEnum):
    """What runs a call."""

    TRITON = "triton"
    CPP = "cpp"
    EXTERN = "extern"
    USER = "user"
    TEMPLATE = "template"
    COMBO = "combo"
    MULTI = "multi"
    GLUE = "glue"
    METAL = "metal"
    HALIDE = "halide"
    PALLAS = "pallas"


OTHER_COMPILERS = frozenset({Backend.METAL, Backend.HALIDE, Backend.PALLAS})
"""What Inductor writes kernels for instead of Triton."""

GPU_KERNELS = OTHER_COMPILERS | {
    Backend.TRITON,
    Backend.USER,
    Backend.TEMPLATE,
    Backend.COMBO,
    Backend.MULTI,
}
"""What runs calls that launch one generated kernel on a GPU."""


class Occurrence(StrEnum):
    """How often one invocation of the graph runs a statement."""

    ONCE = "once"
    BRANCH = "branch"
    LOOP = "loop"


class Stage(StrEnum):
    """Which FX graph a node belongs to."""

    PRE_GRAD = "pre_grad"
    POST_GRAD = "post_grad"


class Artifact(StrEnum):
    """What the compiler writes beside generated code, as far as it says anything of its graph."""

    MAPPING = "node mapping"
    STACKS = "stack traces"
    POST_GRAD = "graph text"
    PRE_GRAD = "Dynamo's graph"


class FxNode(Struct, frozen=True, kw_only=True):
    """A node of an FX graph; names are unique within one graph and stage only.

    `target` is written as ATen ops are (`aten.addmm.default`), `pre_grad` names the pre-grad nodes
    that a post-grad node came from, `lines` the source lines, outermost frame first. `shape` is the
    annotation of the graph's text: `f32[8, 16][16, 1]cuda:0`, with the strides where it has them.
    `module` is the path of the deepest nn.Module that is known to hold the node.
    """

    name: str
    stage: Stage
    target: str | None = None
    shape: str | None = None
    pre_grad: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()
    module: str | None = None


class Origins(Struct, frozen=True, kw_only=True):
    """A `Source Nodes: […], Original ATen: […]` comment.

    `ordered` says whether the list is topologically sorted. Empty names (nodes that the pattern
    matcher made) are already taken out of `nodes`.
    """

    nodes: tuple[str, ...]
    aten: tuple[str, ...]
    ordered: bool


KINDS = {"forward": 0, "inference": 1, "backward": 2}
"""What a graph may be in its AOT id, and the order in which those of one number stand."""


def kind_of(stated: str | None) -> str | None:
    """`forward` of `0_forward`, None for what is no id.

    >>> kind_of("0_forward")
    'forward'
    """
    number, _, kind = (stated or "").rpartition("_")
    return kind if number.isdecimal() and kind in KINDS else None


class Specialization(Struct, frozen=True, kw_only=True):
    """Argument positions that Triton compiled specially; None where the code states no set."""

    divisible_by_16: tuple[int, ...] | None = None
    equal_to_1: tuple[int, ...] | None = None
    divisible_by_8: tuple[int, ...] | None = None


class KernelDef(Struct, frozen=True, kw_only=True):
    """A kernel definition in generated code.

    `name` is the wrapper's variable, `function` the function that the device runs
    (`triton_` when unique kernel names are off). `first_line` to `last_line` is the definition
    with its comment block, counted from 1. `node_map` pairs a source node with its ATen nodes,
    `signature` an argument with its type; `meta` is what Inductor's metadata states in literals.
    `members` are the kernels that a multi-kernel chooses from. `plain` is a function of the module
    itself, under `@triton.jit`, as Helion writes it.
    """

    name: str
    function: str
    backend: Backend
    first_line: int | None
    last_line: int | None
    category: str | None = None
    heuristic: str | None = None
    path: str | None = None
    origins: Origins | None = None
    node_map: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fragment: tuple[FxNode, ...] = ()
    signature: tuple[tuple[str, str], ...] | None = None
    specialization: Specialization | None = None
    size_hints: tuple[int, ...] | None = None
    meta: Mapping[str, object] = {}
    members: tuple[str, ...] = ()
    source: SourceLine | None = None
    plain: bool = False

    @property
    def hash(self) -> str | None:
        """The stem of `# kernel path:`, which a profile exports as `kernel_hash`.

        Only Python files bear it: a binary or a C++ file is called otherwise.
        """
        path = PurePath((self.path or "").replace("\\", "/"))
        return path.stem if path.suffix == ".py" else None


def leaves_no_range(kernel: KernelDef) -> bool:
    """Whether nothing on the host says when `kernel` is launched: only Triton's launcher does.

    Left out are C++ kernels, which have a profile of their own.
    """
    if kernel.backend is Backend.TEMPLATE:
        return kernel.category is None and kernel.heuristic is None
    # A kernel of Helion's is a plain function, which Triton launches without Inductor's launcher.
    return kernel.backend in OTHER_COMPILERS or kernel.plain


def has_device_name(kernel: KernelDef) -> bool:
    """Whether a device shows `kernel` under its function's name: most other compilers name it."""
    return not leaves_no_range(kernel) or kernel.plain or kernel.backend is Backend.METAL


class Operands(Struct, frozen=True, kw_only=True):
    """The variables of a C++ wrapper that a call works with.

    `names` are the tensors that it is handed by name, in order; `memory` is parallel to them: the
    variable that the memory was first allocated for. `results` are tensors that the call makes.
    `printed` is what the debug printer's statements around it call it, None without any.
    """

    names: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    printed: str | None = None


class TensorType(Struct, frozen=True):
    """Shape and dtype of a tensor, torch's name of it (`float32`); a size may be a symbol."""

    shape: tuple[int | str, ...]
    dtype: str


class LibraryFacts(Struct, frozen=True, kw_only=True):
    """What `kernel_information.json` states of a library call (torch 2.14).

    `semantic_key` is what torch calls the call's work, the same for every device: the pre-grad node
    that it was made of, or what a pass of the compiler stamped on it. `inputs` are the tensors that
    it is given, in order, `output` the one that it makes.
    """

    semantic_key: str | None = None
    inputs: tuple[TensorType, ...] = ()
    output: TensorType | None = None


class WrapperCall(Struct, frozen=True, kw_only=True):
    """One statement of the wrapper that launches work; what time belongs to.

    `index` counts from 0 in program order within the graph. `kernel` names the KernelDef of the
    same graph, None for library calls. `target` is the operator that an extern call runs, written
    `aten.addmm` (overload dropped, `out` spellings folded). `nodes` are post-grad nodes, from the
    node mapping; None without one. `pre_grad` are pre-grad nodes that are stated of the call as a
    whole, beside those of its nodes. `lines` are the innermost source lines of the kernel's stack
    traces, one per line of the user's code, in no order of execution; where nothing is known of a
    call inside of a branch or a loop, the line of that. `listed` are the nodes that
    the comment above a call without nodes and stack traces names, of Dynamo's graph or of this one,
    each with the operator that the call runs of it where that is known. `modules` are the
    nn.Modules that a call without nodes works for, in equal parts, None for a part of which that is
    not known. `stream` is the number in `stream=stream0`: that of the device whose current stream
    the launch takes. `numels` are the sizes at the end of the arguments, as far as all of them are
    numbers. `recorded` says whether the code opens a host range for the call by its wrapper's name;
    None where that is not up to it. `operands` are stated by C++ wrappers only. `library` is
    what a file beside the code states of a library call. `noted` is what torch's own tools wrote
    beside the call's launches, where all of them say the same.
    """

    index: int
    wrapper: str
    backend: Backend
    line: int | None
    category: str | None = None
    kernel: str | None = None
    target: str | None = None
    function: str | None = None
    occurrence: Occurrence = Occurrence.ONCE
    handle: int | None = None
    origins: Origins | None = None
    nodes: tuple[str, ...] | None = None
    pre_grad: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()
    listed: tuple[FxNode, ...] = ()
    modules: tuple[str | None, ...] = ()
    stream: int | None = None
    numels: tuple[int, ...] | None = None
    recorded: bool | None = None
    operands: Operands | None = None
    library: LibraryFacts | None = None
    noted: LaunchNote | None = None


class AlignmentCopy(Struct, frozen=True):
    """A statement that copies the input `name` where it is not aligned as the code wants it.

    It is no call, since it nearly never runs anything; `before` calls of the graph stand before it.
    """

    name: str
    line: int
    before: int


_COPIES = "copy_if_misaligned("


def call_of_copy(copy: AlignmentCopy, index: int) -> WrapperCall:
    """The call that such a statement is in a run in which it copied."""
    return WrapperCall(
        index=index,
        wrapper=f"{_COPIES}{copy.name})",
        backend=Backend.GLUE,
        line=copy.line,
        target="aten.clone",
        occurrence=Occurrence.BRANCH,
    )


def copied_input(call: WrapperCall) -> str | None:
    """The input that a call copies because it is not aligned, None for other calls."""
    if not call.wrapper.startswith(_COPIES):
        return None
    return call.wrapper.removeprefix(_COPIES).removesuffix(")")


class NotFused(Struct, frozen=True, kw_only=True):
    """Two parts of a graph that the scheduler did not fuse, and its reason.

    `first` and `second` are the buffers that each of them writes, by their names in the code.
    """

    first: frozenset[str]
    second: frozenset[str]
    reason: str


class CompiledGraph(Struct, frozen=True, kw_only=True, dict=True):
    """One piece of generated code with a `call()`, its partitions and branches included.

    `id` is unique in the program and is what call ids start with. `code` is the path of the file
    the code stands in; None for a graph known from a trace only. `borrowed` code is from a cache
    that several runs share, or from a like-run: its kernels ran, but nothing says that this very
    code did. `emitted` has the compilations that wrote this code: several where ranks or compile
    ids share it, none without a log. `beside` is what programs that run this graph alone state of
    its settings: more than one where it was compiled under others. `artifacts` is what was found
    beside the code. `digest` is what marks call the graph (`model.marks.graph_digest` of the code).
    `text` is the code, whose lines `line` of a call counts; a graph of constants shares it with its
    model's. `alignment_copies` are its statements that copy an input only where it has to be.
    `kernel_text` is the file of C++ kernels beside a C++ wrapper. The graph's texts are those that
    `nodes` were read from, None where they were not found. `not_fused` are the scheduler's
    decisions where a log has them, in the order in which they were made.
    """

    id: str
    calls: tuple[WrapperCall, ...]
    kernels: tuple[KernelDef, ...] = ()
    nodes: tuple[FxNode, ...] = ()
    alignment_copies: tuple[AlignmentCopy, ...] = ()
    code: str | None = None
    aot_id: str | None = None
    kind: str | None = None
    compile_id: str | None = None
    cache_key: str | None = None
    borrowed: bool = False
    emitted: tuple[Emitted, ...] = ()
    beside: tuple[StatedBeside, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    digest: str | None = None
    text: str | None = None
    kernel_text: str | None = None
    pre_grad_text: GraphText | None = None
    post_grad_text: GraphText | None = None
    not_fused: tuple[NotFused, ...] = ()

    def __repr__(self) -> str:
        """One line for a prompt: the texts of a graph fill pages."""
        return f"<CompiledGraph {self.id}: calls {len(self.calls)}, kernels {len(self.kernels)}>"

    @cached_property
    def kernel_by_name(self) -> Mapping[str, KernelDef]:
        """Kernel definitions by wrapper name; a later definition of a name wins, as in Python."""
        return {kernel.name: kernel for kernel in self.kernels}

    @cached_property
    def post_grad(self) -> Mapping[str, FxNode]:
        """The nodes of the post-grad graph by name; of equal names the last one."""
        return {node.name: node for node in self.nodes if node.stage is Stage.POST_GRAD}

    @cached_property
    def pre_grad(self) -> Mapping[str, FxNode]:
        """The nodes of the graph before autograd by name, as far as they are known."""
        return {node.name: node for node in self.nodes if node.stage is Stage.PRE_GRAD}

    def kernel_of(self, call: WrapperCall) -> KernelDef | None:
        """The definition that `call` runs, None for library calls."""
        return self.kernel_by_name.get(call.kernel) if call.kernel else None

    def call_id(self, call: WrapperCall) -> str:
        """`<graph>/<index>`, as every table writes it."""
        return f"{self.id}/{call.index}"


class CompiledProgram(Struct, frozen=True, kw_only=True, dict=True):
    """All graphs that one command line names, in a fixed order; `files` are those it was read from.

    They include what lies beside the code and was read with it. `kernels` are definitions, known by
    their content hash, whose graph is not given. `compilations` are those of the logs, with or
    without a graph, in the order of each log.
    """

    graphs: tuple[CompiledGraph, ...]
    notices: tuple[Notice, ...] = ()
    files: tuple[str, ...] = ()
    kernels: tuple[KernelDef, ...] = ()
    compilations: tuple[Compilation, ...] = ()

    @cached_property
    def calls(self) -> tuple[tuple[CompiledGraph, WrapperCall], ...]:
        """Every call with its graph; the position here is what `Matching.call` counts."""
        return tuple((graph, call) for graph in self.graphs for call in graph.calls)

    def call_id(self, position: int) -> str:
        """The id of the call at a position of `calls`."""
        graph, call = self.calls[position]
        return graph.call_id(call)

    @cached_property
    def first_call(self) -> tuple[int, ...]:
        """Position in `calls` of each graph's call 0."""
        # Calls of all graphs are counted through in the order of the graphs.
        starts, total = [], 0
        for graph in self.graphs:
            starts.append(total)
            total += len(graph.calls)
        return tuple(starts)

    @cached_property
    def graph_of_call(self) -> NDArray[np.int64]:
        """Position in `graphs` of each call's graph, and -1 at last, for no call; (calls + 1,)."""
        sizes = [len(graph.calls) for graph in self.graphs]
        return np.append(np.repeat(np.arange(len(sizes), dtype=np.int64), sizes), -1)


def source_files(program: CompiledProgram) -> frozenset[str]:
    """The files of the user's source that code and logs name, as they spell them."""
    lines: list[SourceLine | None] = []
    for graph in program.graphs:
        # Lines of nodes, of calls, of kernels that a user wrote, and of compilations.
        for node in (*graph.nodes, *(node for call in graph.calls for node in call.listed)):
            lines += node.lines
        for call in graph.calls:
            lines += call.lines
            lines += call.noted.lines if call.noted else ()
        lines += [kernel.source for kernel in graph.kernels]
    for compilation in program.compilations:
        lines += [compilation.line, compilation.caller]
        lines += [graph_break.line for graph_break in compilation.graph_breaks]
    return frozenset(line.file for line in lines if line is not None)
