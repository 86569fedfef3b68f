"""What code states of tensors beside the statements that make them: sizes, dtypes, shared memory.

Inputs have shapes and strides where they are checked (`assert_size_stride`), and those of an
example with dtypes at the end of the file (`rand_strided`); constants stand there, too. Results of
library calls have theirs in checks behind the call. Comments above kernels and the graph's text
annotate nodes (`%view : Tensor "f32[8, 16][16, 1]cuda:0"`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field

from kernelmap.compiler.python.source import (
    dtype_among,
    keyword_value,
    last_word,
    literal_value,
)
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.dtypes import SHORT_NAMES
from kernelmap.memory.sizes import TensorSizes
from kernelmap.model import CompiledGraph, WrapperCall

_CHECK = "assert_size_stride"
_GROUPED_CHECK = "assert_size_stride_grouped"
_CHECKED = ("tensor", "shape", "stride")
_OF_INPUT = "input"
_EXAMPLE = "rand_strided"
_SHARED = re.compile(r"_shared_storage_\d+")
_TYPED = re.compile(r"^ *# *%(\w+) : Tensor \"([^\"]+)\"", re.MULTILINE)
_FORWARD = re.compile(r"^ *def forward\(.*", re.MULTILINE)
_PARAMETER = re.compile(r'(\w+): "([^"]+)"')
_ANNOTATION = re.compile(r"(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?([a-z]+)?")
_NO_TENSOR = re.compile(r"\w*rng_state\w*")
_SYMBOL = re.compile(r"[su]\d+")


class StatedTensors(Struct):
    """By name of a tensor: its sizes, its device, and the memory that it shares with others.

    `numbers` are arguments of the example that are no tensors, `constants` names that the module
    itself gives a tensor to. `frees_gradients` says whether autograd hands over gradients in a list
    that the wrapper may empty.
    """

    sizes: dict[str, TensorSizes] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    frees_gradients: bool = False
    constants: set[str] = field(default_factory=set)

    def is_tensor(self, name: str, numbers: Collection[str]) -> bool:
        """Whether an argument is a tensor, and neither a size nor a generator of random numbers."""
        return name in self.sizes or (name not in numbers and not _NO_TENSOR.fullmatch(name))

    def note_sizes(self, name: str, sizes: TensorSizes) -> None:
        """Know the sizes of a tensor; what was stated before counts, and is completed."""
        known = self.sizes.get(name)
        if known is None:
            self.sizes[name] = sizes
        elif known.dtype is None and sizes.dtype is not None:
            self.sizes[name] = TensorSizes(
                shape=known.shape, stride=known.stride, dtype=sizes.dtype
            )


def tensors_stated(
    graph: CompiledGraph, body: Sequence[ast.stmt], nodes: Sequence[ast.AST]
) -> StatedTensors:
    """All that the code of a graph states of its tensors: its statements, and all nodes in them."""
    stated = StatedTensors()
    # Checks first: they have symbols where the example has the numbers of one run. Types are looked
    # at as they are, since code has very many nodes.
    for node in nodes:
        if type(node) is ast.Call:
            for name, sizes in checked_sizes(node):
                stated.note_sizes(name, sizes)
            stated.frees_gradients = stated.frees_gradients or _is_labelled_check(node)
    for node in nodes:
        if type(node) is ast.Global:
            stated.constants.update(node.names)
        elif type(node) is ast.Assign:
            _note_example(stated, node)
    # What is assigned at the top of the file are a C++ model's inputs and constants.
    for statement in body:
        if isinstance(statement, ast.Assign):
            _note_example(stated, statement, word="empty_strided")
    _note_annotations(stated, graph)
    return stated


def _note_annotations(stated: StatedTensors, graph: CompiledGraph) -> None:
    """Comments above kernels, and the parameters of the graph's text."""
    texts = _TYPED.findall(graph.text or "")
    if graph.post_grad_text is not None:
        head = _FORWARD.search(graph.post_grad_text.text)
        texts += _PARAMETER.findall(head[0]) if head is not None else []
    for name, annotation in texts:
        read = sizes_of_annotation(annotation)
        if read is not None:
            sizes, device = read
            stated.note_sizes(name, sizes)
            if device is not None:
                stated.devices.setdefault(name, device)


def _is_labelled_check(call: ast.Call) -> bool:
    """`assert_size_stride(primals_3, (8, 3), (3, 1), 'input')`, as torch 2.13 writes it, not 2.11.

    In torch 2.13 a backward's gradients are freed with their names; in 2.11 autograd holds them to
    its end. Measured: sample_traces/cuda_memory_mlp (2.11), scripts/memory_programs.py (2.13).
    """
    label = literal_value(call.args[3]) if len(call.args) > len(_CHECKED) else None
    return last_word(call) in (_CHECK, _GROUPED_CHECK) and label == _OF_INPUT


def checked_sizes(call: ast.Call) -> Iterator[tuple[str, TensorSizes]]:
    """The tensors whose sizes a call checks, with these."""
    word = last_word(call)
    if word == _CHECK and len(call.args) >= len(_CHECKED):
        triples = [tuple(call.args[:3])]
    elif word == _GROUPED_CHECK:
        lists = [argument.elts for argument in call.args[:3] if isinstance(argument, ast.Tuple)]
        triples = list(zip(*lists, strict=False)) if len(lists) == len(_CHECKED) else []
    else:
        return
    for name, shape, stride in triples:
        sizes = sizes_of(shape, stride)
        if isinstance(name, ast.Name) and sizes is not None:
            yield name.id, sizes


def _note_example(stated: StatedTensors, node: ast.Assign, word: str = _EXAMPLE) -> None:
    """`primals_3 = rand_strided((8, 16), (16, 1), device='cuda:0', dtype=torch.float32)`."""
    pair = split_assignment(node)
    if pair is None:
        return
    name, value = pair
    if not isinstance(value, ast.Call):
        number = literal_value(value)
        if type(number) is int:
            stated.numbers.setdefault(name, number)
        return
    if last_word(value) == word:
        sizes = (
            sizes_of(value.args[0], value.args[1], dtype_among(value))
            if len(value.args) > 1
            else None
        )
        device = literal_value(keyword_value(value, "device") or ast.Constant(None))
        if sizes is not None:
            stated.note_sizes(name, sizes)
        if isinstance(device, str):
            stated.devices.setdefault(name, device)
    # `view = torch.as_strided(_shared_storage_0, …)`: several inputs are views of one memory.
    base = value.args[0] if value.args else None
    if isinstance(base, ast.Name) and _SHARED.fullmatch(base.id):
        stated.shared.setdefault(name, base.id)


def sizes_of_annotation(text: str) -> tuple[TensorSizes, str | None] | None:
    """Sizes and device of `f32[8, 16][16, 1]cuda:0`; None for what is no tensor.

    Without strides the tensor is taken to lie in memory row by row.
    """
    match = _ANNOTATION.match(text)
    if match is None or match[1] not in SHORT_NAMES:
        return None
    shape, stride = (_parsed_sizes(part) for part in (match[2], match[3] or ""))
    if shape is None or stride is None:
        return None
    if match[3] is None:
        stride = dense_strides(shape)
    sizes = TensorSizes(shape=shape, stride=stride, dtype=SHORT_NAMES[match[1]])
    return (sizes, match[4]) if len(shape) == len(stride) else None


def dense_strides(shape: tuple[ast.expr, ...]) -> tuple[ast.expr, ...]:
    """The strides of a tensor that lies in memory row by row."""
    strides: list[ast.expr] = []
    whole: ast.expr = ast.Constant(1)
    for size in reversed(shape):
        strides.append(whole)
        whole = size if _is_one(whole) else ast.BinOp(size, ast.Mult(), whole)
    return tuple(reversed(strides))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _parsed_sizes(text: str) -> tuple[ast.expr, ...] | None:
    words = text.replace(" ", "").split(",") if text.strip() else []
    if all(word.isdecimal() for word in words):  # most are; parsing takes long
        return tuple(ast.Constant(int(word)) for word in words)
    try:
        listed = ast.parse(f"({text},)" if text.strip() else "()", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tuple(listed.elts) if isinstance(listed, ast.Tuple) else None


def sizes_of_result(graph: CompiledGraph, call: WrapperCall) -> TensorSizes | None:
    """The sizes of the one tensor that a library call makes, where its node or a file states them.

    None where several nodes of the call run its operator: it is not known which is the result.
    """
    nodes = [graph.post_grad[name] for name in call.nodes or () if name in graph.post_grad]
    shapes = {
        node.shape
        for node in nodes
        if node.shape is not None and (node.target or "").startswith(f"{call.target}.")
    }
    read = sizes_of_annotation(shapes.pop()) if len(shapes) == 1 else None
    if read is not None:
        return read[0]
    output = call.library.output if call.library is not None else None
    if output is None:
        return None
    shape = _parsed_sizes(", ".join(map(str, output.shape)))
    if shape is None:
        return None
    return TensorSizes(shape=shape, stride=dense_strides(shape), dtype=output.dtype)


def sizes_of(
    shape: ast.expr | None, stride: ast.expr | None, dtype: str | None = None
) -> TensorSizes | None:
    """The sizes in two lists; None where they are no lists, or not as long."""
    if not isinstance(shape, ast.Tuple | ast.List) or not isinstance(stride, ast.Tuple | ast.List):
        return None
    if len(shape.elts) != len(stride.elts):
        return None
    return TensorSizes(shape=tuple(shape.elts), stride=tuple(stride.elts), dtype=dtype)


def names_of_sizes(nodes: Sequence[ast.AST]) -> Mapping[str, str]:
    """The arguments that are sizes, by their symbols: `primals_1` of `s27 = primals_1`."""
    pairs = (split_assignment(node) for node in nodes if type(node) is ast.Assign)
    return {
        pair[0]: pair[1].id
        for pair in pairs
        if pair is not None and _SYMBOL.fullmatch(pair[0]) and isinstance(pair[1], ast.Name)
    }
