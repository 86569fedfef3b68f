r"""Which modules were `self` on a line of the user's code.

A node that takes a parameter of `layers.0.mlp.fc1`, on the line `h = relu(self.fc1(x))`, shows that
`self` was `layers.0.mlp` there; on `return x * self.weight` it was the parameter's own module. What
one line shows holds for others of the same function:

* for lines between two known lines of the same modules;
* for lines next to a known one, as no function can begin between them.

Lines of `nn.Sequential`, of loops and of calls through variables show nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from kernelmap.compiler.fx.parameters import SELF
from kernelmap.model import SourceLine

_FORWARD = "forward"
_HEAD = re.compile(r"(?:async )?def |class |@")
_Place = tuple[str, str | None]
"""A file and a function in it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A node as far as its module goes.

    `word` is what the node is called in the code. `module` is where it is known for sure to be;
    `tensor` the parameter of that module that it takes.
    """

    line: SourceLine | None
    function: str | None
    word: str
    module: str | None = None
    tensor: str | None = None


@dataclass(slots=True)
class ModuleLines:
    """What was learned of lines; `root` is the variable that paths start below."""

    root: str = SELF
    _selves: dict[_Place, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(dict))
    _codes: dict[_Place, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    def learn(self, nodes: Iterable[Seen]) -> None:
        """Take the lines of nodes whose module is known, and what they show of their neighbors."""
        for node in nodes:
            if node.line is not None:
                place = (node.line.file, node.function)
                self._codes[place][node.line.line] = node.line.code or ""
                owner = self.self_of(node)
                if owner is not None:
                    self.add(node, owner)
        for place in list(self._selves):
            self._spread(place)

    def add(self, node: Seen, owner: str) -> None:
        """Note that `owner` was `self` on the node's line."""
        if node.line is not None:
            lines = self._selves[node.line.file, node.function]
            lines.setdefault(node.line.line, set()).add(owner)

    def selves(self, node: Seen) -> set[str]:
        """The modules that were `self` on the node's line."""
        if node.line is None:
            return set()
        lines = self._selves.get((node.line.file, node.function), {})
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
        head, code = self.head(node), node.line.code or ""
        if node.tensor and re.search(rf"{head}\.{re.escape(node.tensor)}\b", code):
            return node.module
        parts = node.module.split(".")
        for count in range(len(parts), 0, -1):
            tail = r"\.".join(map(re.escape, parts[-count:]))
            if re.search(rf"{head}\.{tail}\b", code):
                return ".".join(parts[:-count]) or SELF
        return None

    def head(self, node: Seen) -> str:
        """A pattern for what a module is called in its own code.

        In `forward` the variable that paths start below is the module; elsewhere it may be any.
        """
        names = {SELF, self.root} if node.function == _FORWARD else {SELF}
        return rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(names)))})"

    def _spread(self, place: _Place) -> None:
        """From each known line to the lines next to it that the graph has, and on from there."""
        selves, codes = self._selves[place], self._codes[place]
        open_ = list(selves)
        while open_:
            line = open_.pop()
            for near in (line - 1, line + 1):
                begins = _HEAD.match(codes.get(line, "")) or _HEAD.match(codes.get(near, ""))
                if near in codes and near not in selves and not begins:
                    selves[near] = set(selves[line])
                    open_.append(near)
