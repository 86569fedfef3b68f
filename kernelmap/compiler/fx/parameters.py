"""Which module owns an input of a graph.

Dynamo lifts parameters to inputs of the graph. It writes how it reaches each one, as
`describe_source`: `L['self']._modules['layers']._modules['0']._parameters['weight']`, and names the
input after that, everything but letters and digits being `_`. So the source gives the path exactly.
Without the source (short logs, other texts) the name alone is taken apart at `_modules_` and
`_parameters_`, which is exact for modules that are not called so themselves. A path starts below
`self`; of other variables the name stays: `model.layers.0`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

SELF = "self"
_SOURCE = re.compile(r"[LG]\['(?P<root>\w+)'\](?P<steps>.*)$")
_STEP = re.compile(r"\._modules\['(?P<module>[^']+)'\]|\.(?P<attribute>\w+)|\[(?P<index>\d+)\]")
_TENSOR = re.compile(r"\._(?:parameters|buffers)\['(?P<tensor>[^']+)'\]$")
_UNNAMED = re.compile(r"[^a-zA-Z0-9]+")
_INPUT = re.compile(
    r"[LlGg]_(?P<root>\w+?)_(?P<modules>(?:modules_\w+?_)*)"
    r"(?:parameters|buffers)_(?P<tensor>\w+?)_?$"
)
_MODULES = re.compile(r"(?:^|_)modules_")


class Owned(NamedTuple):
    """A parameter or buffer: the path of its module, and its own name there."""

    module: str
    tensor: str


def owners(inputs: Iterable[str], sources: Iterable[str]) -> Mapping[str, Owned]:
    """Each input that is a parameter or buffer; the others are left out."""
    described = {_named(source): owned for source in sources if (owned := owner_of(source))}
    found = {}
    for name in inputs:
        owned = described.get(name) or _owner_of_name(name)
        if owned is not None:
            found[name] = owned
    return found


def owner_of(source: str) -> Owned | None:
    """The module that holds the tensor of a source expression, None where it is no module's.

    >>> owner_of("L['self']._modules['layers']._modules['0']._parameters['weight']")
    Owned(module='layers.0', tensor='weight')
    >>> owner_of("G['net']._buffers['mean']"), owner_of("L['self']._parameters['scale']")
    (Owned(module='net', tensor='mean'), Owned(module='self', tensor='scale'))
    """
    found = _SOURCE.match(source)
    tensor = _TENSOR.search(source)
    if found is None or tensor is None:
        return None
    steps = _TENSOR.sub("", found["steps"])
    parts = []
    while steps:
        step = _STEP.match(steps)
        if step is None:
            return None
        parts.append(step["module"] or step["attribute"] or step["index"])
        steps = steps[step.end() :]
    return Owned(path_of(found["root"], parts), tensor["tensor"])


def path_of(root: str, parts: Iterable[str]) -> str:
    """The path below `root`, which is left out where it is `self` and not alone."""
    whole = (root, *parts)
    return ".".join(whole[1:] if root == SELF and len(whole) > 1 else whole)


def _named(source: str) -> str:
    """The name that Dynamo gives the input of a source."""
    return _UNNAMED.sub("_", source)


def _owner_of_name(name: str) -> Owned | None:
    """The owner of a parameter by the input's name only.

    >>> _owner_of_name("L_self_modules_layers_modules_0_parameters_weight_")
    Owned(module='layers.0', tensor='weight')
    >>> _owner_of_name("L_x_") is None
    True
    """
    found = _INPUT.fullmatch(name)
    if found is None:
        return None
    parts = [part.rstrip("_") for part in _MODULES.split(found["modules"]) if part]
    return Owned(path_of(found["root"], parts), found["tensor"])
