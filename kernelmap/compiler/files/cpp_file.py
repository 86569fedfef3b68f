"""A C++ wrapper and the files that AOTInductor puts beside it → a CodeText with their facts.

A wrapper is `*.wrapper.cpp` of AOTInductor (in an unpacked package, or in Inductor's cache), the
`output_code.cpp` of torch_compile_debug, or `*.main.cpp` of wrappers compiled at run time. Content
shows which it is; files that hold nothing but C++ kernels are not taken by themselves.

Beside a wrapper lie its C++ kernels (`*.kernel.cpp`), which are its own if they define a kernel
that the wrapper declares, and `kernel_information.json`:
`{"NAME:H": {"stack_traces": [text, …], "post_grad_nodes": […], "pre_grad_nodes": […]}}`, the lists
in no order. It states which pre-grad node a post-grad node came from only where a call has a single
post-grad node; else the pre-grad nodes are those of the call as a whole. Of library calls torch
2.14 adds `extern_semantic_key`, and `input_shapes`, `input_dtypes`, `output_shape` and
`output_dtype`, in which sizes that a run decides are symbols. Left out: weights, binaries, and
metadata about the machine that compiled them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.facts import UNREADABLE, CodeText, KernelCode, NodeMapping, Reading
from kernelmap.compiler.files.code_file import with_neighbors
from kernelmap.compiler.python.source import decode_text, defines_any, exported_kernels, read_text
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.facts.stack_traces import user_lines
from kernelmap.model import Notice, SourceLine
from kernelmap.model.paths import read_bytes
from kernelmap.model.program import LibraryFacts, TensorType

_WEAKER = 4  # Python that holds the same C++ is the better place, and a debug folder's copy.
_FOLDER = "aotinductor"
_KERNELS = ".kernel.cpp"
NAME = "kernel_information.json"


def read_wrapper(path: Path) -> Reading:
    """The one wrapper of the file, with what lies beside it. Raises KernelmapError."""
    reading = with_neighbors(path, read_text(path))
    (text,), notices = reading.texts, list(reading.notices)
    text = replace(
        text, strength=text.strength + _WEAKER, stated=text.stated or model_name(path.parts)
    )

    def read(name: str) -> bytes | None:
        # What cannot be read costs its facts, not the wrapper.
        try:
            return read_bytes(Path(name))
        except OSError as error:
            notices.append(_notice_unread(unreadable(Path(name), error)))
            return None

    beside = [file for file in path.parent.iterdir() if is_beside(file.name)]
    text, unread = with_model_files(text, list(map(str, beside)), read)
    return Reading((text,), (*notices, *unread), beside=(*reading.beside, *beside))


def model_name(parts: tuple[str, ...]) -> str | None:
    """The name that a package gives to a model, by the parts of the path of one of its files.

    >>> model_name(("m", "data", "aotinductor", "encoder", "c2m.wrapper.cpp"))
    'encoder'
    """
    return parts[-2] if parts[-3:-2] == (_FOLDER,) else None


def _notice_unread(error: KernelmapError) -> Notice:
    return Notice(
        slug="kernel-information-unreadable",
        message=f"{error.message}, so what it says of the wrapper is missing.",
        hint=error.hint,
        gap=True,
    )


def is_beside(name: str) -> bool:
    """Whether a file of this name may say something of the wrapper beside it."""
    return name == NAME or name.endswith(_KERNELS)


def with_model_files(
    wrapper: CodeText, names: Iterable[str], read: Callable[[str], bytes | None]
) -> tuple[CodeText, tuple[Notice, ...]]:
    """`wrapper` with what the files `names` of its folder say; `read` gives None for what it can't.

    A name is what `read` takes; its last part is the file's.
    """
    information, notices, kernels = NOTHING, list[Notice](), None
    # Kernels that the wrapper declares: a kernel file that defines none of them is another model's.
    declared = exported_kernels(wrapper.text)
    for name in sorted(names):
        last = name.rpartition("/")[2]
        if last == NAME and (data := read(name)) is not None:
            information, unread = kernel_information(data, name)
            notices += unread
        elif last.endswith(_KERNELS) and declared and kernels is None:
            data = read(name)
            text = decode_text(data) if data is not None else ""
            kernels = KernelCode(text, name) if defines_any(text, declared) else None
    facts = wrapper.facts
    joined = replace(
        facts,
        # What is known from elsewhere counts where both say something.
        mapping=facts.mapping.join_mapping(information.mapping),
        stacks={**information.stacks, **facts.stacks},
        library={**information.library, **facts.library},
        kernel_code=facts.kernel_code or kernels,
    )
    return replace(wrapper, facts=joined), tuple(notices)


class _FileEntry(msgspec.Struct):
    stack_traces: list[str] = []
    post_grad_nodes: list[str] = []
    pre_grad_nodes: list[str] = []
    extern_semantic_key: object = None
    input_shapes: object = None
    input_dtypes: object = None
    output_shape: object = None
    output_dtype: object = None


class KernelInformation(Struct, frozen=True):
    """What the file states, in the shape in which logs state it."""

    mapping: NodeMapping
    stacks: Mapping[str, tuple[SourceLine, ...]]
    library: Mapping[str, LibraryFacts] = {}


NOTHING = KernelInformation(NodeMapping(), {})


def kernel_information(data: bytes, path: str) -> tuple[KernelInformation, tuple[Notice, ...]]:
    """What `data` states; nothing and a notice where it is no such file."""
    try:
        entries = msgspec.json.decode(data, type=dict[str, _FileEntry])
    except UNREADABLE as error:
        return NOTHING, (
            Notice(
                slug="kernel-information-unreadable",
                message=f"{path} is no JSON of its kind: {error}",
                hint="Calls keep what their own code states; nodes may be missing.",
                gap=True,
            ),
        )
    # Nodes of a call; then pre-grad nodes of a post-grad node, known for sure only where a call has
    # one; then pre-grad nodes of the call as a whole.
    mapping = NodeMapping(
        {key: tuple(entry.post_grad_nodes) for key, entry in entries.items()},
        {
            entry.post_grad_nodes[0]: tuple(entry.pre_grad_nodes)
            for entry in entries.values()
            if len(entry.post_grad_nodes) == 1
        },
        {key: tuple(entry.pre_grad_nodes) for key, entry in entries.items()},
    )
    stacks = {key: user_lines(entry.stack_traces) for key, entry in entries.items()}
    library = {key: _library_facts(entry) for key, entry in entries.items()}
    stated = {key: facts for key, facts in library.items() if facts != LibraryFacts()}
    return KernelInformation(mapping, stacks, stated), ()


def _library_facts(entry: _FileEntry) -> LibraryFacts:
    """What an entry states of a library call; nothing of a kernel, and of other forms."""
    key = entry.extern_semantic_key
    return LibraryFacts(
        semantic_key=key if isinstance(key, str) and key else None,
        inputs=_tensor_types(entry.input_shapes, entry.input_dtypes),
        output=next(iter(_tensor_types([entry.output_shape], [entry.output_dtype])), None),
    )


def _tensor_types(shapes: object, dtypes: object) -> tuple[TensorType, ...]:
    """Tensors by their shapes and dtypes (`torch.float32`); none where one of them is odd."""
    try:
        sizes = msgspec.convert(shapes, type=list[tuple[int | str, ...]])
        names = msgspec.convert(dtypes, type=list[str])
    except msgspec.ValidationError:
        return ()
    if len(sizes) != len(names):
        return ()
    pairs = zip(sizes, names, strict=True)
    return tuple(TensorType(shape, name.removeprefix("torch.")) for shape, name in pairs)
