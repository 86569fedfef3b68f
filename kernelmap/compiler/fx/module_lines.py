"""Parameters, source lines and calls on them → the nn.Modules that they belong to.

Parameters (`owners_of_inputs`): Dynamo lifts them to inputs of the graph. It writes how it reaches
each one, as `describe_source`: `L['self']._modules['layers']._modules['0']._parameters['weight']`,
and names the input after that, everything but letters and digits being `_`. So the source gives the
path exactly. Without the source (short logs, other texts) the name alone is taken apart at
`_modules_` and `_parameters_`, which is exact for modules that are not called so themselves. A path
starts below `self`; of other variables the name stays: `model.layers.0`.

Lines of the user's code (`ModuleLines`): a node that takes a parameter of `layers.0.mlp.fc1`, on
the line `h = relu(self.fc1(x))`, shows that `self` was `layers.0.mlp` there; on
`return x * self.weight` it was the parameter's own module. What one line shows holds for lines of
the same function between two such lines of the same modules, and for lines next to it, as no
function can begin between them. Lines of `nn.Sequential`, of loops and of calls through variables
show nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from kernelmap.model import SourceLine
from kernelmap.model.module_paths import ROOT_MODULE

SELF = ROOT_MODULE
# Dynamo's expression for an input: a local or global variable, then steps from it.
_SOURCE = re.compile(r"[LG]\['(?P<root>\w+)'\](?P<steps>.*)$")
# A step: into a submodule, to an attribute, or to an item.
_STEP = re.compile(r"\._modules\['(?P<module>[^']+)'\]|\.(?P<attribute>\w+)|\[(?P<index>\d+)\]")
_TENSOR = re.compile(r"\._(?:parameters|buffers)\['(?P<tensor>[^']+)'\]$")
_UNNAMED = re.compile(r"[^a-zA-Z0-9]+")
# The name of an input: Dynamo's expression without its quotes, brackets and dots.
_INPUT = re.compile(
    r"[LlGg]_(?P<root>\w+?)_(?P<modules>(?:modules_\w+?_)?)"
    r"(?:parameters|buffers)_(?P<tensor>\w+?)_?$"
)
_MODULES = re.compile(r"(?:^|_)modules_")
_ATTRIBUTE = re.compile(r"\.(\w+)")
_FORWARD = "forward"
# A line that begins a function or class: the lines next to it are in other code.
_HEAD = re.compile(r"(?:async )?def |class |@")
_Place = tuple[str, str | None]
"""A file and a function in it."""


class Owned(NamedTuple):
    """A parameter or buffer: the path of its module, and its own name there."""

    module: str
    tensor: str


def owners_of_inputs(inputs: Iterable[str], sources: Iterable[str]) -> Mapping[str, Owned]:
    """Each input that is a parameter or buffer; the others are left out."""
    # Sources are exact, so they come before what the input's name lets guess.
    described = {
        _name_of_source(source): owned for source in sources if (owned := owner_of(source))
    }
    owner_by_input = {}
    for name in inputs:
        owned = described.get(name) or _owner_of_name(name)
        if owned is not None:
            owner_by_input[name] = owned
    return owner_by_input


def owner_of(source: str) -> Owned | None:
    """The module that holds the tensor of a source expression, None where it is no module's.

    >>> owner_of("L['self']._modules['layers']._modules['0']._parameters['weight']")
    Owned(module='layers.0', tensor='weight')
    >>> owner_of("G['net']._buffers['mean']"), owner_of("L['self']._parameters['scale']")
    (Owned(module='net', tensor='mean'), Owned(module='self', tensor='scale'))
    """
    match = _SOURCE.match(source)
    tensor = _TENSOR.search(source)
    if match is None or tensor is None:
        return None
    steps = _TENSOR.sub("", match["steps"])
    parts = []
    while steps:
        step = _STEP.match(steps)
        # A step of another kind: which module this is stays unknown.
        if step is None:
            return None
        parts.append(step["module"] or step["attribute"] or step["index"])
        steps = steps[step.end() :]
    return Owned(path_of(match["root"], parts), tensor["tensor"])


def path_of(root: str, parts: Iterable[str]) -> str:
    """The path below `root`, which is left out where it is `self` and not alone."""
    whole = (root, *parts)
    return ".".join(whole[1:] if root == SELF and len(whole) > 1 else whole)


def _name_of_source(source: str) -> str:
    """The name that Dynamo gives the input of a source."""
    return _UNNAMED.sub("_", source)


def _owner_of_name(name: str) -> Owned | None:
    """The owner of a parameter by the input's name only.

    >>> _owner_of_name("L_self_modules_layers_modules_0_parameters_weight_")
    Owned(module='layers.0', tensor='weight')
    >>> _owner_of_name("L_x_") is None
    True
    """
    match = _INPUT.fullmatch(name)
    if match is None:
        return None
    parts = [part.rstrip("_") for part in _MODULES.split(match["modules"]) if part]
    return Owned(path_of(match["root"], parts), match["tensor"])


class Seen(Struct, frozen=True):
    """A node as far as its module goes.

    `word` is what the node is called in the code. `module` is where it is known for sure to be;
    `tensor` the parameter of that module that it takes.
    """

    line: SourceLine | None
    function: str | None
    word: str
    module: str | None = None
    tensor: str | None = None


@lru_cache(maxsize=64)
def _pattern_of(*variables: str) -> str:
    """A pattern for any of these variables that is not an attribute of something."""
    names = sorted(set(variables))
    return rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})"


@lru_cache(maxsize=4096)
def names_behind(head: str, code: str) -> frozenset[tuple[str, ...]]:
    """The names and dotted names that follow `head`, a pattern, in a line of code.

    A model has few lines and many modules that run them: so this is asked once per line, where a
    pattern per module would be compiled for each.

    >>> sorted(names_behind("self", "return self.mlp.fc1(x) + self.bias"))
    [('bias',), ('mlp',), ('mlp', 'fc1')]
    """
    chains = (match[1][1:].split(".") for match in re.finditer(rf"{head}((?:\.\w+)+)", code))
    return frozenset(tuple(chain[:count]) for chain in chains for count in range(1, len(chain) + 1))


@lru_cache(maxsize=4096)
def _self_of_part(head: str, code: str, module: str, tensor: str | None) -> str | None:
    """What `head`, a pattern, was on a line of code that a node of `module` stands on.

    >>> _self_of_part("self", "return self.mlp.fc1(x)", "layers.0.mlp.fc1", None)
    'layers.0'
    """
    named = names_behind(head, code)
    # The line names the parameter itself, `self.weight`: `self` is the module that owns it.
    if tensor and (tensor,) in named:
        return module
    parts = module.split(".")
    # Else the line names a part of the path, `self.mlp.fc1(x)` for `layers.0.mlp.fc1`: `self` is
    # what stands before it. Longer parts first, so that `mlp.fc1` is not taken for an `fc1`.
    for count in range(len(parts), 0, -1):
        if tuple(parts[-count:]) in named:
            return ".".join(parts[:-count]) or SELF
    return None


@lru_cache(maxsize=4096)
def attributes_in(code: str) -> frozenset[str]:
    """The names behind a dot in a line of code.

    >>> sorted(attributes_in("return self.mlp.fc1(x)"))
    ['fc1', 'mlp']
    """
    return frozenset(_ATTRIBUTE.findall(code))


class ModuleLines(Struct):
    """What was learned of lines; `root` is the variable that paths start below."""

    root: str = SELF
    # Both by file and function, then by line: the modules
    # that were `self` there, and the line's code.
    _selves: dict[_Place, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(dict))
    _codes: dict[_Place, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    def learn_lines(self, nodes: Iterable[Seen]) -> None:
        """Take the lines of nodes whose module is known, and what they show of their neighbors."""
        for node in nodes:
            if node.line is not None:
                place = (node.line.file, node.function)
                self._codes[place][node.line.line] = node.line.code or ""
                owner = self.self_of(node)
                if owner is not None:
                    self.add_owner(node, owner)
        for place in list(self._selves):
            self._spread_to_next_lines(place)

    def add_owner(self, node: Seen, owner: str) -> None:
        """Note that `owner` was `self` on the node's line."""
        if node.line is not None:
            lines = self._selves[node.line.file, node.function]
            lines.setdefault(node.line.line, set()).add(owner)

    def owners_on_line(self, node: Seen) -> set[str]:
        """The modules that were `self` on the node's line."""
        if node.line is None:
            return set()
        lines = self._selves.get((node.line.file, node.function), {})
        # The line itself was seen. Else the next known lines above and below in the same function
        # have to show the same modules.
        if node.line.line in lines:
            return lines[node.line.line]
        learned = sorted(lines)
        at = bisect_left(learned, node.line.line)
        if 0 < at < len(learned) and lines[learned[at - 1]] == lines[learned[at]]:
            return lines[learned[at]]
        return set()

    def self_of(self, node: Seen) -> str | None:
        """What `self` was on the line of a node with a known module, by the line's own words."""
        if node.module is None or node.line is None:
            return None
        head = self.pattern_of_owner(node)
        return _self_of_part(head, node.line.code or "", node.module, node.tensor)

    def pattern_of_owner(self, node: Seen) -> str:
        """A pattern for what a module is called in its own code.

        In `forward` the variable that paths start below is the module; elsewhere it may be any.
        """
        return _pattern_of(SELF, self.root if node.function == _FORWARD else SELF)

    def _spread_to_next_lines(self, place: _Place) -> None:
        """From each known line to the lines next to it that the graph has, and on from there."""
        selves, codes = self._selves[place], self._codes[place]
        open_ = list(selves)
        while open_:
            line = open_.pop()
            for near in (line - 1, line + 1):
                # Between the two lines no other function may
                # begin, so neither may be the head of one.
                begins = _HEAD.match(codes.get(line, "")) or _HEAD.match(codes.get(near, ""))
                if near in codes and near not in selves and not begins:
                    selves[near] = set(selves[line])
                    open_.append(near)
