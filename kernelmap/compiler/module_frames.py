"""Whose `forward` a node was made in, where it takes no parameter itself.

Its line says which modules it may be (module_lines.py), its neighbors in the graph which of them:

* between two nodes of one module's `forward` it is that module's;
* at an end, the order of the code decides: lines, and on one line the order of evaluation;
* a line that calls `self.attn` right behind a node of `layers.0.attn` is that of `layers.0`.

Where these do not decide, nobody is named.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kernelmap.compiler.evaluation import comes_after
from kernelmap.compiler.module_lines import ModuleLines, Seen
from kernelmap.compiler.parameters import SELF


@dataclass(frozen=True, slots=True)
class _Between:
    """A node's nearest neighbors with a known module, in the order in which the forward runs."""

    before: Seen | None
    behind: Seen | None

    @property
    def sides(self) -> tuple[tuple[Seen, bool], ...]:
        """The neighbors, each with whether the node comes later than it."""
        pairs = ((self.before, True), (self.behind, False))
        return tuple((seen, later) for seen, later in pairs if seen is not None)


@dataclass(slots=True)
class ModuleFrames:
    """Places nodes by the lines that were learned; `known` are the modules with parameters."""

    lines: ModuleLines
    known: Iterable[str]

    def place(self, nodes: Sequence[Seen], *, backward: bool = False) -> list[str | None]:
        """The module of each node, as far as it shows; `nodes` in the order of the graph.

        The text of a backward graph has the order of its forward reversed.
        """
        anchors = [at for at, node in enumerate(nodes) if node.module is not None]
        often = Counter(nodes[at].module for at in anchors)
        found: list[str | None] = []
        for at, node in enumerate(nodes):
            after = bisect_left(anchors, at)
            first = nodes[anchors[after - 1]] if after else None
            second = nodes[anchors[after]] if after < len(anchors) else None
            around = _Between(second, first) if backward else _Between(first, second)
            found.append(node.module or self._choose(node, around, often))
        return found

    def _choose(self, node: Seen, around: _Between, often: Mapping[str | None, int]) -> str | None:
        candidates = self.lines.selves(node) or self._called(node, around)
        inside = self._inside(candidates, around)
        if inside is None and not candidates and not node.word:
            return None
        if inside is None and not candidates:
            return self._same_run(around, often)
        return inside or self._at_an_end(node, candidates, around)

    def _inside(self, candidates: set[str], around: _Between) -> str | None:
        """The deepest candidate that both neighbors lie in."""
        both = {
            candidate
            for candidate in candidates
            if len(around.sides) > 1 and all(_below(candidate, s.module) for s, _ in around.sides)
        }
        ordered = sorted(both, key=len)
        nested = all(b.startswith(f"{a}.") or a == SELF for a, b in pairwise(ordered))
        return ordered[-1] if ordered and nested else None

    def _at_an_end(self, node: Seen, candidates: set[str], around: _Between) -> str | None:
        """The one candidate in whose code the node must come there.

        That no other shows is not enough: it may run the line without any parameter to show it.
        """
        fitting = {
            candidate
            for candidate in candidates
            for neighbor, later in around.sides
            if _below(candidate, neighbor.module) and self._fits(node, neighbor, candidate, later)
        }
        return fitting.pop() if len(fitting) == 1 else None

    def _fits(self, node: Seen, neighbor: Seen, owner: str, later: bool) -> bool:  # noqa: FBT001 -- private
        """Whether the code has the node behind (or before) its neighbor, for sure."""
        if neighbor.module is None or node.line is None:
            return False
        code = node.line.code or ""
        child = _relative(owner, neighbor.module).partition(".")[0]
        if child and re.search(rf"\.{re.escape(child)}\b", code):
            return comes_after(code, node.word, child) is later
        if neighbor.line is None or self.lines.self_of(neighbor) != owner:
            return False
        distance = node.line.line - neighbor.line.line
        return distance != 0 and (distance > 0) is later

    def _called(self, node: Seen, around: _Between) -> set[str]:
        """The module whose code this is: it calls the child that ran just before or runs next."""
        if node.line is None or not node.word:
            return set()
        code = node.line.code or ""
        children = set(re.findall(rf"{self.lines.head(node)}\.(\w+)\(", code))
        found = set()
        for neighbor, _ in around.sides:
            parts = (neighbor.module or "").split(".")
            for at, part in enumerate(parts):
                owner = ".".join(parts[:at]) or SELF
                if part in children and self._has(owner, children):
                    found.add(owner)
        return found

    def _has(self, owner: str, children: set[str]) -> bool:
        """Whether `owner` has all children that any module is known to have."""
        named = {part for path in self.known for part in path.split(".")}
        paths = {child if owner == SELF else f"{owner}.{child}" for child in children & named}
        return all(any(_below(path, each) for each in self.known) for path in paths)

    def _same_run(self, around: _Between, often: Mapping[str | None, int]) -> str | None:
        """The module that both neighbors are parts of, in one run of its `forward`.

        One run: each neighbor stands in the graph once, and the code has them in this order.
        """
        before, behind = around.before, around.behind
        if before is None or behind is None or before.line is None or behind.line is None:
            return None
        owner = self.lines.self_of(before)
        if owner is None or owner != self.lines.self_of(behind):
            return None
        if often[before.module] > 1 or often[behind.module] > 1:
            return None
        distance = behind.line.line - before.line.line
        if distance == 0:
            words = [
                _relative(owner, module).partition(".")[0]
                for module in (before.module or "", behind.module or "")
            ]
            in_order = comes_after(before.line.code or "", words[1], words[0])
            return owner if in_order else None
        return owner if distance > 0 else None


def _below(owner: str, module: str | None) -> bool:
    """Whether `module` is `owner` or lies in it; all lie in the compiled frame's own `self`."""
    return module is not None and (owner in (module, SELF) or module.startswith(f"{owner}."))


def _relative(owner: str, module: str) -> str:
    return module if owner == SELF != module else module[len(owner) + 1 :]
