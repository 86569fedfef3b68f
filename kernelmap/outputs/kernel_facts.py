"""What the code states of a kernel and of a call, as `inspect --format json` shows it.

Takes model records, gives values that JSON can hold. Left out: nodes, lines and origins, which
program.py shows; of Inductor's metadata whatever is no plain value.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernelmap.model import KernelDef, WrapperCall

_KERNEL = (
    "name",
    "function",
    "backend",
    "category",
    "heuristic",
    "path",
    "first_line",
    "last_line",
    "hash",
    "signature",
    "specialization",
    "size_hints",
    "members",
    "source",
    "node_map",
)
_CALL = (
    "wrapper",
    "kernel",
    "function",
    "backend",
    "category",
    "target",
    "line",
    "handle",
    "occurrence",
    "numels",
)


def of_kernel(kernel: KernelDef) -> Mapping[str, object]:
    """All that a definition states; `signature` and `node_map` are lists of pairs, in order."""
    return {name: getattr(kernel, name) for name in _KERNEL} | {"meta": _plain(kernel.meta)}


def of_call(call: WrapperCall) -> Mapping[str, object]:
    """What a statement says of its launch; `device` is the one whose stream it takes."""
    return {name: getattr(call, name) for name in _CALL} | {"device": call.stream}


def _plain(value: object) -> object:
    """The value in JSON's types: sets as sorted lists, keys as texts, anything odd as its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
