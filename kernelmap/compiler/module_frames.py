r"""Whose `forward` runs a line: what `self` was where a node was made.

A node that takes a parameter of `layers.0.mlp.fc1`, on the line `h = relu(self.fc1(x))`, shows that
`self` was `layers.0.mlp` there. Such lines are learned from all nodes that take parameters; a line
between two learned lines of the same function and the same modules is theirs, too. Where one line
ran for several modules (each layer of a stack), the neighbors of a node in the order of the graph
tell which: within the span of one module it is that module's, at an end of it the order of lines,
and on one line the order of evaluation. Where these do not decide, nobody is named.

Lines of `nn.Sequential`, of loops and of calls through variables name no module, so nothing is
learned from them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kernelmap.compiler.evaluation import comes_after
from kernelmap.compiler.parameters import SELF
from kernelmap.model import SourceLine

_FORWARD = "forward"
_Place = tuple[str, str | None]
"""A file and a function in it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A node for this purpose: its line, its function, what it runs, its module where known."""

    line: SourceLine | None
    function: str | None
    word: str
    module: str | None = None


@dataclass(slots=True)
class ModuleFrames:
    """The modules that were `self` on each line; `root` is the variable that paths start below."""

    root: str
    _selves: dict[_Place, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )

    def learn(self, nodes: Sequence[Seen]) -> None:
        """Take the lines of nodes whose module is known for sure."""
        for node in nodes:
            if node.module is not None and node.line is not None:
                owner = self._self_of(node.module, node)
                if owner is not None:
                    self._selves[node.line.file, node.function][node.line.line].add(owner)

    def place(self, nodes: Sequence[Seen], *, backward: bool) -> list[str | None]:
        """The module of each node, as far as it shows; `nodes` in the order of the graph.

        The text of a backward graph has the order of its forward reversed. The nodes' own names are
        words of the code only in Dynamo's graph: behind it, an `add` may be a part of a layer norm.
        """
        known = [at for at, node in enumerate(nodes) if node.module is not None]
        found: list[str | None] = []
        for at, node in enumerate(nodes):
            if node.module is not None:
                found.append(node.module)
                continue
            after = bisect_left(known, at)
            before = nodes[known[after - 1]] if after else None
            behind = nodes[known[after]] if after < len(known) else None
            if backward:
                before, behind = behind, before
            found.append(self._choose(node, self._candidates(node), before, behind))
        return found

    def _candidates(self, node: Seen) -> set[str]:
        if node.line is None:
            return set()
        lines: Mapping[int, set[str]] = self._selves.get((node.line.file, node.function), {})
        if node.line.line in lines:
            return lines[node.line.line]
        learned = sorted(lines)
        at = bisect_left(learned, node.line.line)
        if 0 < at < len(learned) and lines[learned[at - 1]] == lines[learned[at]]:
            return lines[learned[at]]
        return set()

    def _choose(
        self, node: Seen, candidates: set[str], before: Seen | None, behind: Seen | None
    ) -> str | None:
        follows = {c for c in candidates if before and self._below(c, before.module)}
        precedes = {c for c in candidates if behind and self._below(c, behind.module)}
        if follows & precedes:
            return max(follows & precedes, key=len) if _nested(follows & precedes) else None
        sure: set[str] = set()
        open_: set[str] = set()
        for ends, later in ((follows, True), (precedes, False)):
            neighbor = before if later else behind
            for candidate in ends:
                fits = self._fits(node, neighbor, candidate, later=later)
                (sure if fits else open_ if fits is None else set()).add(candidate)
        if len(sure | open_) == 1:
            return next(iter(sure | open_))
        return next(iter(sure)) if len(sure) == 1 else None

    def _fits(self, node: Seen, neighbor: Seen | None, owner: str, *, later: bool) -> bool | None:
        """Whether the node can come later (or earlier) than its neighbor in the owner's forward."""
        if neighbor is None or neighbor.module is None or node.line is None:
            return None
        child = self._relative(owner, neighbor.module).partition(".")[0]
        code = node.line.code or ""
        if child and re.search(rf"\.{re.escape(child)}\b", code):
            after = comes_after(code, node.word, child)
            return None if after is None else after is later
        if neighbor.line is None or self._self_of(neighbor.module, neighbor) != owner:
            return None
        if neighbor.line.line == node.line.line:
            return None
        return (node.line.line > neighbor.line.line) is later

    def _self_of(self, module: str, node: Seen) -> str | None:
        """What `self` is where the line of `node` runs a part of `module`."""
        code = (node.line.code or "") if node.line else ""
        # In `forward` the variable that paths start below is the module; elsewhere it may be any.
        names = {SELF, self.root} if node.function == _FORWARD else {SELF}
        head = "|".join(map(re.escape, sorted(names)))
        parts = module.split(".")
        for count in range(len(parts), 0, -1):
            tail = r"\.".join(map(re.escape, parts[-count:]))
            if re.search(rf"(?<![\w.])(?:{head})\.{tail}\b", code):
                return ".".join(parts[:-count]) or SELF
        return None

    def _below(self, owner: str, module: str | None) -> bool:
        if module is None:
            return False
        return owner in (module, SELF, self.root) or module.startswith(f"{owner}.")

    def _relative(self, owner: str, module: str) -> str:
        return module if owner == SELF != module else module[len(owner) + 1 :]


def _nested(modules: set[str]) -> bool:
    """Whether all of them lie in one another."""
    ordered = sorted(modules, key=len)
    return all(b.startswith(f"{a}.") or a == SELF for a, b in pairwise(ordered))
