"""The `configs` of a kernel's metadata → Specialization.

Three generations write the same facts: `instance_descriptor(divisible_by_16=(0, 1), …)`,
`AttrsDescriptor(…)` (also by position, or `from_dict({'arg_properties': …})`), and plain dicts
`{(0,): [['tt.divisibility', 16]]}`. Only the first config counts: Inductor writes one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from kernelmap.compiler.python.literals import integers, literal, literal_items
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


def specialization(configs: ast.expr | None) -> Specialization | None:
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
        value = literal(literal_items(call.args[0]).get("arg_properties", call.args[0]))
        properties = value if isinstance(value, dict) else {}
        return _of({ours: properties.get(theirs) for theirs, ours in _PROPERTIES.items()})
    given: dict[str, object] = {
        name: literal(node) for name, node in zip(_FIELDS, call.args, strict=False)
    }
    given |= {each.arg: literal(each.value) for each in call.keywords if each.arg}
    return _of(given)


def _from_pairs(node: ast.Dict) -> Specialization:
    found: dict[str, list[int]] = {"divisible_by_16": []}
    for key, value in literal_items(node).items():
        position = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        stated = literal(value)
        if not isinstance(position, int) or not isinstance(stated, list):
            continue
        for pair in stated:
            field = _property(pair)
            if field is not None:
                found.setdefault(field, []).append(position)
    return _of(found)


def _property(pair: object) -> str | None:
    if not (isinstance(pair, list | tuple) and len(pair) == len(("name", "value"))):
        return None
    name, value = pair
    if not (isinstance(name, str) and isinstance(value, int)):
        return None
    return _PROPERTY_VALUES.get((name, value))


def _of(values: Mapping[str, object]) -> Specialization:
    return Specialization(
        divisible_by_16=integers(values.get("divisible_by_16")),
        equal_to_1=integers(values.get("equal_to_1")),
        divisible_by_8=integers(values.get("divisible_by_8")),
    )
