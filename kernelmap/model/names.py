"""The names that compiled code writes into a profile, read back.

Sources: Inductor's `CompiledFxGraph.__call__`, `profiler_mark_wrapper_call`, the C++ kernel profile
and Dynamo's region marks (docs/how-it-works.md lists them). Every function takes one name and gives
None where the name is something else.
"""

from __future__ import annotations

from dataclasses import dataclass

_GRAPH = ("## Call CompiledFxGraph ", " ##")
_REGION = "Torch-Compiled Region"
_WRAPPER_CALL = "inductor_wrapper_call"
_STEP = "ProfilerStep#"


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


def step_number(name: str) -> int | None:
    """The number of a `ProfilerStep#7` range."""
    number = name[len(_STEP) :] if name.startswith(_STEP) else ""
    return int(number) if number.isdecimal() else None


def operator(name: str) -> str | None:
    """The operator of a CPU op range, as tables write it.

    >>> operator("aten::addmm")
    'aten.addmm'
    """
    space, separator, op = name.partition("::")
    if not separator or not space.isidentifier() or not op.replace(".", "_").isidentifier():
        return None
    return f"{space}.{op}"
