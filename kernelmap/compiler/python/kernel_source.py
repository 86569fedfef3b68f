"""The source inside a kernel definition's string → what its decorator and signature state.

Takes Triton (or C++) source text; gives KernelFacts. The Triton text is parsed by Python's parser
and never run. Left out: the body of the kernel, tuning hints other than Inductor's metadata, and
metadata that is no literal (device properties).

Three generations write the `configs` of the metadata, which state a Specialization:
`instance_descriptor(divisible_by_16=(0, 1), …)`, `AttrsDescriptor(…)` (also by position, or
`from_dict({'arg_properties': …})`), and plain dicts `{(0,): [['tt.divisibility', 16]]}`. Only the
first config counts: Inductor writes one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import (
    as_integers,
    dotted_name,
    keyword_value,
    literal_items,
    literal_value,
    tree_of,
)
from kernelmap.model import Specialization

# The order of the fields of both descriptors, for values given by position.
_FIELDS = ("divisible_by_16", "equal_to_1", "ids_of_folded_args", "divisible_by_8")
_PROPERTIES = {
    "tt.divisibility": "divisible_by_16",
    "tt.equal_to": "equal_to_1",
    "tt.divisible_by_8": "divisible_by_8",
}
_PROPERTY_VALUES = {
    ("tt.divisibility", 16): "divisible_by_16",
    ("tt.divisibility", 8): "divisible_by_8",
    ("tt.equal_to", 1): "equal_to_1",
}
_META = ("triton_meta", "meta")
_TUNING = ("num_stages", "num_warps", "num_consumer_groups", "num_buffers_warp_spec")
_OWN_FIELDS = {"signature", "configs", "device"}


def read_specialization(configs: ast.expr | None) -> Specialization | None:
    """The argument positions that one `configs` list states, None where it states none."""
    if not isinstance(configs, ast.List | ast.Tuple) or not configs.elts:
        return None
    first = configs.elts[0]
    if isinstance(first, ast.Dict):
        return _from_pairs(first)
    if isinstance(first, ast.Call):
        return _from_call(first)
    return None


def _from_call(call: ast.Call) -> Specialization | None:
    if call.args and isinstance(call.args[0], ast.Dict):
        # `from_dict({'arg_properties': {…}})`; the inner dict may also be given alone.
        value = literal_value(literal_items(call.args[0]).get("arg_properties", call.args[0]))
        properties = value if isinstance(value, dict) else {}
        return _specialization_of(
            {ours: properties.get(theirs) for theirs, ours in _PROPERTIES.items()}
        )
    # Fields come by position, by name, or both.
    given: dict[str, object] = {
        name: literal_value(node) for name, node in zip(_FIELDS, call.args, strict=False)
    }
    given |= {
        argument.arg: literal_value(argument.value) for argument in call.keywords if argument.arg
    }
    return _specialization_of(given)


def _from_pairs(node: ast.Dict) -> Specialization:
    # This form lists what holds. A kernel without any entry has no such argument, which is known;
    # other forms leave unknown what they do not state.
    positions: dict[str, list[int]] = {"divisible_by_16": []}
    for key, value in literal_items(node).items():
        position = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        stated = literal_value(value)
        if not isinstance(position, int) or not isinstance(stated, list):
            continue
        for pair in stated:
            field = _read_property(pair)
            if field is not None:
                positions.setdefault(field, []).append(position)
    return _specialization_of(positions)


def _read_property(pair: object) -> str | None:
    if not (isinstance(pair, list | tuple) and len(pair) == len(("name", "value"))):
        return None
    name, value = pair
    if not (isinstance(name, str) and isinstance(value, int)):
        return None
    return _PROPERTY_VALUES.get((name, value))


def _specialization_of(values: Mapping[str, object]) -> Specialization:
    return Specialization(
        divisible_by_16=as_integers(values.get("divisible_by_16")),
        equal_to_1=as_integers(values.get("equal_to_1")),
        divisible_by_8=as_integers(values.get("divisible_by_8")),
    )


class KernelFacts(Struct, frozen=True, kw_only=True):
    """What one kernel source says of itself; `parsed` is False where Python cannot read it."""

    function: str | None = None
    heuristic: str | None = None
    signature: tuple[tuple[str, str], ...] | None = None
    specialization: Specialization | None = None
    size_hints: tuple[int, ...] | None = None
    meta: Mapping[str, object] = {}
    custom: bool = False
    parsed: bool = True


def triton_facts(source: str) -> KernelFacts:
    """The facts of a Triton kernel: of the function that Inductor's heuristic decorates."""
    tree = tree_of(source)
    if tree is None:
        return KernelFacts(function=_last_def(source), parsed=False)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    # Helpers stand before the kernel, so the last decorated function is the kernel.
    for function in reversed(functions):
        decorator = _find_heuristic(function)
        if decorator is not None:
            return _read_facts(function, decorator)
    # No decorator of Inductor's: nothing but the function's name is known.
    return KernelFacts(function=functions[-1].name if functions else None)


def cpp_function(source: str) -> str | None:
    """The exported C symbol: the name before the first bracket after `extern "C"`.

    >>> cpp_function('extern "C"  void  kernel(const float* in_ptr0)')
    'kernel'
    """
    head = source.partition('extern "C"')[2].partition("(")[0].split()
    return head[-1] if head and head[-1].isidentifier() else None


def _find_heuristic(function: ast.FunctionDef) -> ast.Call | None:
    for decorator in function.decorator_list:
        # Only Inductor's decorators have such metadata, which tells them from `@triton.jit`.
        if isinstance(decorator, ast.Call) and keyword_value(decorator, *_META, "inductor_meta"):
            return decorator
    return None


def _read_facts(function: ast.FunctionDef, decorator: ast.Call) -> KernelFacts:
    triton_meta = literal_items(keyword_value(decorator, *_META))
    named = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    heuristic = dotted_name(decorator.func)
    custom = keyword_value(decorator, "custom_kernel")
    return KernelFacts(
        function=function.name,
        heuristic=heuristic.rpartition(".")[2] if heuristic else None,
        signature=_read_signature(triton_meta.get("signature"), named),
        specialization=read_specialization(triton_meta.get("configs")),
        size_hints=_size_hints(keyword_value(decorator, "size_hints")),
        meta=_read_tuning(decorator)
        | _read_meta(triton_meta, keyword_value(decorator, "inductor_meta")),
        custom=custom is not None and literal_value(custom) is True,
    )


def _read_signature(node: ast.expr | None, named: list[str]) -> tuple[tuple[str, str], ...] | None:
    """Argument → type; older code counts the arguments where newer code names them."""
    if node is None:
        return None
    pairs = []
    # An older signature counts: `{0: '*fp32'}`.
    for key, value in literal_items(node).items():
        kind = literal_value(value)
        if not isinstance(kind, str):
            continue
        in_range = isinstance(key, int) and 0 <= key < len(named)
        pairs.append((named[key] if in_range and isinstance(key, int) else str(key), kind))
    return tuple(pairs)


def _size_hints(node: ast.expr | None) -> tuple[int, ...] | None:
    value = literal_value(node) if node is not None else None
    return as_integers(list(value.values()) if isinstance(value, dict) else value)


def _read_meta(
    triton_meta: Mapping[object, ast.expr], inductor: ast.expr | None
) -> dict[str, object]:
    entries = {key: value for key, value in triton_meta.items() if key not in _OWN_FIELDS}
    entries |= literal_items(inductor)
    # Values that are no literal, such as device properties, are left out; a literal None is kept.
    meta: dict[str, object] = {}
    for key, node in entries.items():
        value = literal_value(node)
        is_none = isinstance(node, ast.Constant) and node.value is None
        if isinstance(key, str) and (value is not None or is_none):
            meta[key] = value
    return meta


def _read_tuning(decorator: ast.Call) -> dict[str, object]:
    """`num_warps` and the like, which templates state outright."""
    stated = {name: keyword_value(decorator, name) for name in _TUNING}
    return {name: value for name, node in stated.items() if node and (value := literal_value(node))}


def _last_def(source: str) -> str | None:
    """The last function of a text that does not parse; kernels stand after their helpers."""
    name = None
    for line in source.split("\n"):
        if line.startswith("def "):
            candidate = line[len("def ") :].partition("(")[0].strip()
            name = candidate if candidate.isidentifier() else name
    return name
