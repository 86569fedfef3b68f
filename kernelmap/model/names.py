"""Names in a profile → what they stand for: compiled code, C functions, Python frames.

Sources: Inductor's `CompiledFxGraph.__call__`, `profiler_mark_wrapper_call`, the C++ kernel
profile (also that of C++ wrappers), Dynamo's region marks (docs/how-it-works.md lists them), and
the names that Inductor gives to kernels. Every function takes one name; most give None where the
name is something else.

Code for C++ calls operators through functions such as `aoti_torch_cuda_mm_out`: device, name of the
operator, overload, all joined by underscores. Taking such a name apart needs to know the operators;
`aten_ops.txt` lists them (scripts/torch_ops.py makes it from torch's schemas).

A cache of the compiler holds the code of many runs; `names_wanted` gives the graphs and kernels
that ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from kernelmap.model.program import Backend
from kernelmap.model.trace import Trace

_GRAPH = ("## Call CompiledFxGraph ", " ##")
_REGION = "Torch-Compiled Region"
_WRAPPER_CALL = "inductor_wrapper_call"
_STEP = "ProfilerStep#"
_DIGITS = 18  # of a number of 64 bits
_CATEGORIES = ("poi", "red", "per", "tem", "for", "spl")
_OF_CATEGORY = {"tem": Backend.TEMPLATE, "for": Backend.COMBO}
# How Inductor begins the names of kernels and libraries of other compilers, to torch 2.15.
_OF_COMPILER = {
    "cuda_fused_": Backend.TEMPLATE,  # CUTLASS
    "xpu_fused_": Backend.TEMPLATE,
    "rocm_fused_": Backend.TEMPLATE,  # composable kernels
    "cutlass_fused_": Backend.TEMPLATE,
    "cutedsl_": Backend.TEMPLATE,
    "flydsl_": Backend.TEMPLATE,
    "nv_universal_gemm_": Backend.TEMPLATE,
    "pallas_": Backend.PALLAS,
    "halide_kernel_": Backend.HALIDE,
    "mps_lib": Backend.METAL,
    "_mps_flex_lib": Backend.METAL,
    "generated_kernel": Backend.METAL,
}
_MEMBERS = ("kernels", "kernels_")
CUT_OFF = ("…", "...")
"""What nsys and torch put behind a name for which a printed table had no room."""

SHIM = "aoti_torch_"
_DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia")
_SPACES = ("mkldnn_", "_c10d_functional_", "quantized_", "onednn_")
_INFRASTRUCTURE = ("guard_", "caching_allocator_", "stream_")
_NONE: Mapping[str, str] = MappingProxyType({})


class GraphMark(Struct, frozen=True):
    """A `## Call CompiledFxGraph KEY ##` range; `key` is None where caching was off."""

    key: str | None


def graph_mark(name: str) -> GraphMark | None:
    """The graph range that `name` opens.

    >>> graph_mark("## Call CompiledFxGraph fabc ##")
    GraphMark(key='fabc')
    >>> graph_mark("## Call CompiledFxGraph None ##")
    GraphMark(key=None)
    """
    start, end = _GRAPH
    if not (name.startswith(start) and name.endswith(end)):
        return None
    key = name[len(start) : -len(end)].strip()
    return GraphMark(None if key in ("", "None") else key)


def is_wrapper_call(name: str) -> bool:
    """Whether `name` marks the body of `call()`; AOTI writes it without `graph_0_`."""
    return name == _WRAPPER_CALL or (
        name.startswith("graph_") and name.endswith(f"_{_WRAPPER_CALL}")
    )


def is_body(name: str) -> bool:
    """Whether `name` marks one run of a C++ wrapper, around which nothing else may stand."""
    return name == _WRAPPER_CALL


def bare_kernel(name: str) -> str:
    """A kernel's own name; C++ wrappers put the member before it in which they keep them.

    >>> bare_kernel("kernels_.triton_poi_fused_add_0"), bare_kernel("aten::add")
    ('triton_poi_fused_add_0', 'aten::add')
    """
    owner, _, member = name.partition(".")
    return member if owner in _MEMBERS and member else name


def is_member(name: str) -> bool:
    """Whether a C++ wrapper opened the range `name` around the launch of a kernel."""
    return bare_kernel(name) != name


def is_shim(name: str) -> bool:
    """Whether a C++ wrapper opened the range `name` around a library call."""
    return shim_name(name) is not None


def is_region(name: str) -> bool:
    """Whether `name` is Dynamo's range around compiled code; torch before 2.4 wrote no compile id.

    >>> is_region("Torch-Compiled Region: 0/0"), is_region("Torch-Compiled Region")
    (True, True)
    """
    return name == _REGION or name.startswith(f"{_REGION}: ")


def compile_id(name: str) -> str | None:
    """The compile id of a region, without the number of the attempt.

    >>> compile_id("Torch-Compiled Region: 1/0"), compile_id("Torch-Compiled Region")
    ('1/0', None)
    """
    # `0/1_2` is the third attempt of compilation `0/1`.
    id_text = name.removeprefix(f"{_REGION}: ")
    return id_text.partition("_")[0] or None if id_text != name else None


def cpp_kernel(name: str) -> str | None:
    """The wrapper of a C++ kernel's own range.

    >>> cpp_kernel("graph_0_cpp_fused_add_1")
    'cpp_fused_add_1'
    """
    if name.startswith("cpp_fused"):
        return name
    if not name.startswith("graph_"):
        return None
    # Torch writes the number of the graph before it: `graph_0_cpp_fused_add_1`.
    number, _, rest = name[len("graph_") :].partition("_")
    return rest if number.isdecimal() and rest.startswith("cpp_fused") else None


def category_of(wrapper: str) -> str | None:
    """The kind that Inductor puts into a kernel's name.

    >>> category_of("triton_red_fused_sum_0"), category_of("my_kernel_0")
    ('red', None)
    """
    prefix, _, rest = wrapper.partition("_")
    kind = rest.partition("_")[0]
    return kind if prefix == "triton" and kind in _CATEGORIES else None


@lru_cache(maxsize=4096)
def backend_of(wrapper: str) -> Backend:
    """What runs a kernel of which nothing but its name is known.

    >>> [backend_of(name).value for name in ("triton_tem_fused_mm_0", "cpp_fused_0", "my_kernel_0")]
    ['template', 'cpp', 'user']
    """
    if wrapper.startswith("multi_kernel_"):
        return Backend.MULTI
    if cpp_kernel(wrapper):
        return Backend.CPP
    for start, backend in _OF_COMPILER.items():
        if wrapper.startswith(start):
            return backend
    if not wrapper.startswith("triton_"):
        return Backend.USER
    return _OF_CATEGORY.get(category_of(wrapper) or "", Backend.TRITON)


def is_step(name: str) -> bool:
    """Whether `name` is a range that `prof.step()` opens."""
    return name.startswith(_STEP)


def step_number(name: str) -> int | None:
    """The number of a `ProfilerStep#7` range."""
    number = name[len(_STEP) :] if name.startswith(_STEP) else ""
    return int(number) if number.isdecimal() and len(number) <= _DIGITS else None


def is_optimizer_step(name: str) -> bool:
    """Whether `name` is the range that torch opens around a step of an optimizer.

    >>> is_optimizer_step("Optimizer.step#AdamW.step"), is_optimizer_step("Optimizer.zero_grad#SGD")
    (True, False)
    """
    return name.startswith("Optimizer.step#")


def operator_of_range(name: str) -> str | None:
    """The operator of a CPU op range, as tables write it.

    >>> operator_of_range("aten::addmm")
    'aten.addmm'
    """
    # Ranges of other kinds may contain `::` as well, so both sides have to be names.
    space, separator, op = name.partition("::")
    if not separator or not space.isidentifier() or not op.replace(".", "_").isidentifier():
        return None
    return f"{space}.{op}"


def shim_name(function: str) -> str | None:
    """What follows the device in the name of such a function, None where it runs no operator.

    >>> shim_name("aoti_torch_cuda_mm_out"), shim_name("aoti_torch_get_dtype")
    ('mm_out', None)
    """
    if not function.startswith(SHIM):
        return None
    device, _, name = function[len(SHIM) :].partition("_")
    if device not in _DEVICES or not name or name.startswith(_INFRASTRUCTURE):
        return None
    return name


def shim_operator(name: str, listed: Mapping[str, str] = _NONE) -> str:
    """The operator of a name as `shim_name` gives it: the longest known one that it starts with.

    `listed` are operators that are known to be near, such as those of the call's comment, as
    `{"scale": "mylib.scale"}`; they win over ATen's.

    >>> shim_operator("randint_low_out"), shim_operator("index_put"), shim_operator("fill__Scalar")
    ('aten.randint', 'aten.index_put', 'aten.fill_')
    >>> shim_operator("scale", {"scale": "mylib.scale"})
    'mylib.scale'
    """
    # Where the operator's name ends and its overload begins, nothing in the name says. So parts are
    # cut off at the end until an operator is left: `randint_low` is not one, `randint` is.
    plain = name.removesuffix("_out")
    operators = aten_operators()
    end = len(plain)
    while end > 0:
        start = plain[:end]
        # An operator of the call's comment goes before one of ATen that has the same name.
        if start in listed:
            return listed[start]
        if start in operators:
            return f"aten.{start}"
        end = plain.rfind("_", 0, end)
    # Not of ATen: some other libraries have their name in front.
    for space in _SPACES:
        if plain.startswith(space):
            return f"{space[:-1]}.{plain[len(space) :]}"
    # An operator that torch added later is taken for one of ATen.
    return f"aten.{plain}"


@cache
def aten_operators() -> frozenset[str]:
    """Names without namespace and overload."""
    text = Path(__file__).with_name("aten_ops.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


class Wanted(Struct, frozen=True, kw_only=True):
    """FX cache keys of graph ranges, and (wrapper, content hash) of the kernels that ran."""

    keys: frozenset[str] = frozenset()
    kernels: frozenset[tuple[str, str]] = frozenset()


def names_wanted(trace: Trace) -> Wanted:
    """What `trace` names; kernels have a hash where shapes were recorded."""
    ranges = trace.ranges
    marks = (graph_mark(name) for name in ranges.names)
    # Each pair of name and detail once: a kernel runs in thousands of ranges.
    detailed = {
        (name, detail)
        for name, detail in zip(ranges.name_id.tolist(), ranges.detail_id.tolist(), strict=True)
        if detail >= 0
    }
    kernels = {
        (ranges.names[name], kernel_hash)
        for name, detail in detailed
        if (kernel_hash := ranges.details[detail].kernel_hash) is not None
    }
    return Wanted(
        keys=frozenset(mark.key for mark in marks if mark is not None and mark.key is not None),
        kernels=frozenset(kernels),
    )
