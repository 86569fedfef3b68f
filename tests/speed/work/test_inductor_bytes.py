"""Bytes against Inductor's own count, on kernels that it wrote with `profile_bandwidth`.

generated/traffic.py.gz is what `scripts/fake_gpu/generate.py traffic` wrote with torch 2.13,
generated/bandwidth.json.gz has models: cases that it wrote with TORCHINDUCTOR_PROFILE=1.
Inductor counts whole buffers (or one output's size for every index of a larger buffer); where we
count otherwise, it is for one of the reasons that `Difference` names.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from math import prod
from pathlib import Path

import pytest

from kernelmap.compiler.load import load_compiled
from kernelmap.compiler.python.source import literal_value
from kernelmap.facts.dtypes import ITEMSIZE, TORCH_DTYPES
from kernelmap.model import Backend, CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.work import Amount
from kernelmap.speed.work import triton
from kernelmap.speed.work.generated_code import GeneratedCode, pointer_types, read_code
from kernelmap.speed.work.triton_source import Access, body_of
from kernelmap.speed.work.triton_values import Data


class Difference(Enum):
    """Why our count of a kernel differs from Inductor's."""

    GATHER = auto()  # which addresses data lead to is not known: at most, not an average
    STORED_ONLY = auto()  # an in_out argument that is never loaded: theirs counts it twice
    OVERLAP = auto()  # several indices of one argument that reach the same addresses
    ADDED_TO = auto()  # a buffer that an earlier kernel mutates: theirs leaves its reading out


@dataclass(frozen=True)
class Kernel:
    """One call of a kernel of which Inductor states the bytes."""

    name: str
    stated: int
    counted: Amount | None
    by_their_rule: int
    differences: frozenset[Difference]


def kernels(path: Path) -> Iterator[Kernel]:
    for graph in load_compiled(path).graphs:
        code = read_code(graph)
        assert code is not None
        mutated: set[str] = set()
        for call in graph.calls:
            kernel = graph.kernel_of(call)
            gigabytes = kernel.meta.get("kernel_num_gb") if kernel else None
            if kernel is not None and isinstance(gigabytes, float):
                given = triton.arguments_by_parameter(graph, call, code)
                names = {name: getattr(node, "id", "") for name, node in given.items()}
                work = triton.work_of(graph, call, code)
                kinds = set(differences(accesses(graph, call, code)))
                if mutated & {one.name for one in work.operands or () if not one.written}:
                    kinds.add(Difference.ADDED_TO)
                is_combo = call.backend is Backend.COMBO  # its sizes stand in the source
                counted = work.bytes.most if work.bytes else 0
                yield Kernel(
                    name=kernel.name,
                    stated=round(gigabytes * 1e9),
                    counted=work.bytes,
                    by_their_rule=counted if is_combo else inductors(kernel, given, code),
                    differences=frozenset(kinds),
                )
                changed = literal_names(kernel.meta.get("mutated_arg_names"))
                mutated |= {names[name] for name in changed if name in names}


def literal_names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def accesses(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> tuple[Access, ...]:
    kernel = graph.kernel_of(call)
    assert kernel is not None
    return body_of(code.functions[kernel.name].tree, pointer_types(kernel), {}).accesses


def inductors(kernel: KernelDef, given: Mapping[str, ast.expr], code: GeneratedCode) -> int:
    """`estimate_kernel_num_bytes` of Inductor, from what we read of the code."""
    types = pointer_types(kernel)
    read_of_it = body_of(code.functions[kernel.name].tree, types, {}).accesses
    sizes = [literal_value(node) for name, node in given.items() if name.endswith("numel")]
    points = prod(size for size in sizes if isinstance(size, int))
    in_place = sum(name.startswith("in_out") for name in types)
    total = 0
    for position, (name, kind) in enumerate(types.items()):
        indices = {access.index for access in read_of_it if access.argument == name}
        tensor = code.tensors.tensor_of(given[name])
        if not indices:
            continue
        assert tensor is not None
        elements = tensor.elements if tensor.elements <= points else len(indices) * points
        total += elements * ITEMSIZE[TORCH_DTYPES[kind]] * (1 + (position < in_place))
    return total


def differences(body: tuple[Access, ...]) -> Iterator[Difference]:
    by_argument: dict[str, list[Access]] = {}
    for access in body:
        by_argument.setdefault(access.argument, []).append(access)
    for name, of_argument in by_argument.items():
        if any(isinstance(access.index, Data) and access.index.digits for access in of_argument):
            yield Difference.GATHER
        if name.startswith("in_out") and all(access.kind.name == "STORE" for access in of_argument):
            yield Difference.STORED_ONLY
        if len({access.index for access in of_argument}) > 1:
            yield Difference.OVERLAP


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Kernel]:
    path = tmp_path_factory.mktemp("traffic") / "output_code.py"
    packed = Path(__file__).parent / "generated" / "traffic.py.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return list(kernels(path))


def test_the_code_is_read_as_inductor_meant_it(written: list[Kernel]) -> None:
    """Inductor's rule over the tensors and indices that we read gives Inductor's number."""
    assert len(written) > 50
    assert {k.name: k.by_their_rule for k in written} == {k.name: k.stated for k in written}


def test_our_bytes_differ_for_a_stated_reason_only(written: list[Kernel]) -> None:
    """Without gathers, stores in place and overlaps both counts are one, without doubt."""
    plain = [kernel for kernel in written if not kernel.differences]

    assert len(plain) > 35
    assert {k.name: k.counted for k in plain} == {k.name: Amount.exactly(k.stated) for k in plain}


def test_no_kernel_is_counted_above_its_buffers(written: list[Kernel]) -> None:
    """What overlaps or is only stored is less traffic than Inductor's rule says, never more."""
    for kernel in written:
        assert kernel.counted is not None
        if Difference.GATHER not in kernel.differences:
            assert kernel.counted.most <= kernel.stated, kernel.name


@pytest.fixture(scope="module")
def of_models(tmp_path_factory: pytest.TempPathFactory) -> list[Kernel]:
    packed = Path(__file__).parent / "generated" / "bandwidth.json.gz"
    all_kernels: list[Kernel] = []
    for name, text in json.loads(gzip.decompress(packed.read_bytes())).items():
        path = tmp_path_factory.mktemp("models") / "output_code.py"
        path.write_text(text)
        assert name
        all_kernels += kernels(path)
    return all_kernels


def test_kernels_of_models_are_counted_as_inductor_does(of_models: list[Kernel]) -> None:
    """Under its own rule nearly all are equal; the others read data or what was added to."""
    other = [kernel for kernel in of_models if kernel.by_their_rule != kernel.stated]

    assert len(of_models) > 100
    assert len(other) <= 0.05 * len(of_models)
    for kernel in other:
        assert kernel.differences & {Difference.GATHER, Difference.ADDED_TO}, kernel.name


def test_kernels_of_models_differ_for_a_stated_reason_only(of_models: list[Kernel]) -> None:
    """What none of the reasons applies to is one number in both counts, without doubt."""
    plain = [kernel for kernel in of_models if not kernel.differences]

    assert len(plain) > 80
    assert {k.name: k.counted for k in plain} == {k.name: Amount.exactly(k.stated) for k in plain}
