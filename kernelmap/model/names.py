"""The names that compiled code writes into a profile, read back.

Sources: Inductor's `CompiledFxGraph.__call__`, `profiler_mark_wrapper_call`, the C++ kernel
profile (also that of C++ wrappers), Dynamo's region marks (docs/how-it-works.md lists them), and
the names that Inductor gives to kernels. Every function takes one name; most give None where the
name is something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernelmap.model.operators import shim_name
from kernelmap.model.program import Backend

_GRAPH = ("## Call CompiledFxGraph ", " ##")
_REGION = "Torch-Compiled Region"
_WRAPPER_CALL = "inductor_wrapper_call"
_STEP = "ProfilerStep#"
_DIGITS = 18  # of a number of 64 bits
_CATEGORIES = ("poi", "red", "per", "tem", "for", "spl")
_OF_CATEGORY = {"tem": Backend.TEMPLATE, "for": Backend.COMBO}
_MEMBERS = ("kernels", "kernels_")
# `dynamo_timed("benchmark_fused_nodes")` is written with the suffix; what Inductor alone is called
# counts without it, too.
_TIMED = " (dynamo_timed)"
_TIMED_BENCHMARK = re.compile(r"benchmark|do_bench|autotun|_tuning", re.IGNORECASE)
_BENCHMARK = re.compile(
    r"CachingAutotuner\.\w+|benchmark_(?:all_configs|fused_nodes|codegened_module|combo_kernel)"
    r"|\w+_template_autotuning|inductor_do_bench_using_profiling|collective_compute_do_bench"
)


@dataclass(frozen=True, slots=True)
class GraphMark:
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


def is_benchmark(name: str) -> bool:
    """Whether Inductor opens `name` around what it benchmarks; users name ranges alike.

    >>> is_benchmark("CachingAutotuner.benchmark_all_configs (dynamo_timed)")
    True
    >>> is_benchmark("benchmark_loop"), is_benchmark("ProfilerStep#3 (benchmark)")
    (False, False)
    """
    key = name.removesuffix(_TIMED)
    if key != name and _TIMED_BENCHMARK.search(key):
        return True
    return _BENCHMARK.fullmatch(key) is not None


def is_body(name: str) -> bool:
    """Whether `name` marks one run of a C++ wrapper, around which nothing else may stand."""
    return name == _WRAPPER_CALL


def bare_kernel(name: str) -> str:
    """A kernel's own name; C++ wrappers put the member before it in which they keep them.

    >>> bare_kernel("kernels_.triton_poi_fused_add_0"), bare_kernel("aten::add")
    ('triton_poi_fused_add_0', 'aten::add')
    """
    owner, _, own = name.partition(".")
    return own if owner in _MEMBERS and own else name


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
    found = name.removeprefix(f"{_REGION}: ")
    return found.partition("_")[0] or None if found != name else None


def cpp_kernel(name: str) -> str | None:
    """The wrapper of a C++ kernel's own range.

    >>> cpp_kernel("graph_0_cpp_fused_add_1")
    'cpp_fused_add_1'
    """
    if name.startswith("cpp_fused"):
        return name
    if not name.startswith("graph_"):
        return None
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


def backend_of(wrapper: str) -> Backend:
    """What runs a kernel of which nothing but its name is known.

    >>> [backend_of(name).value for name in ("triton_tem_fused_mm_0", "cpp_fused_0", "my_kernel_0")]
    ['template', 'cpp', 'user']
    """
    if wrapper.startswith("multi_kernel_"):
        return Backend.MULTI
    if cpp_kernel(wrapper):
        return Backend.CPP
    if not wrapper.startswith("triton_"):
        return Backend.USER
    return _OF_CATEGORY.get(category_of(wrapper) or "", Backend.TRITON)


def step_number(name: str) -> int | None:
    """The number of a `ProfilerStep#7` range."""
    number = name[len(_STEP) :] if name.startswith(_STEP) else ""
    return int(number) if number.isdecimal() and len(number) <= _DIGITS else None


def operator(name: str) -> str | None:
    """The operator of a CPU op range, as tables write it.

    >>> operator("aten::addmm")
    'aten.addmm'
    """
    space, separator, op = name.partition("::")
    if not separator or not space.isidentifier() or not op.replace(".", "_").isidentifier():
        return None
    return f"{space}.{op}"
