"""The module whose `forward` made a node, for nodes that take no parameter themselves.

The node's line says which modules it may be (module_lines.py), its neighbors in the graph which of
them:

* between two nodes of one module's `forward` it is that module's;
* at an end, the order of the code decides: lines, and on one line the order of evaluation;
* a line that calls `self.attn` right behind a node of `layers.0.attn` is that of `layers.0`.

Where these do not decide, no module is named.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from kernelmap.compiler.fx.module_lines import SELF, ModuleLines, Seen, attributes_in
from kernelmap.compiler.python.source import parse_python

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.USub: "neg",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
}


@lru_cache(maxsize=4096)
def words_in_order(code: str) -> tuple[str, ...]:
    """The names that are called and the operators that are applied, as Python evaluates them.

    `code` is a line, which may be the head of a block or a part of a longer statement; nothing is
    known of a line that does not parse.

    >>> words_in_order("return x + self.mlp(self.norm(x))")
    ('norm', 'mlp', 'add')
    >>> words_in_order("x = layers[0](x) +")
    ()
    """
    # The head of a block (`if x:`) parses once it has a body.
    tree = parse_python(code.strip()) or parse_python(f"{code.strip()} pass")
    if tree is None or not tree.body:
        return ()
    body = tree.body
    if isinstance(body[0], ast.FunctionDef):  # the whole function stands on this line
        body = body[0].body
    return tuple(word for node in body for word in _iter_words(node))


def position_of_word(code: str, word: str) -> int:
    """Where `word` comes in the order of evaluation, from 0; -1 where it comes not exactly once."""
    order = words_in_order(code)
    return order.index(word) if order.count(word) == 1 else -1


def comes_after(code: str, word: str, other: str) -> bool | None:
    """Whether `word` runs after `other`; None where the line does not have each once."""
    order = words_in_order(code)
    if order.count(word) != 1 or order.count(other) != 1:
        return None
    return order.index(word) > order.index(other)


def _iter_words(node: ast.AST) -> Iterator[str]:
    """The words of a tree in the order of evaluation: parts before the whole."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        # The value runs before what it is assigned to.
        if node.value is not None:
            yield from _iter_words(node.value)
    elif not isinstance(node, ast.Lambda | ast.FunctionDef | ast.ClassDef):
        for child in ast.iter_child_nodes(node):
            yield from _iter_words(child)
    # The call or operator itself comes behind its parts.
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.BinOp(op=sign) | ast.AugAssign(op=sign) | ast.UnaryOp(op=sign):
            yield _OPERATORS.get(type(sign), "")
        # A chain such as `a < b < c` runs several operators and gives none.
        case ast.Compare(ops=[sign]):
            yield _OPERATORS.get(type(sign), "")


class _Side(Struct, frozen=True):
    """A node's nearest neighbor with a known module on one side.

    `later` is whether the node runs later than it; `between` are the places in `order`, the nodes
    as the forward runs them, from the earlier of both to the later, the node itself included.
    """

    neighbor: Seen
    later: bool
    order: Sequence[Seen]
    between: range

    @property
    def chain(self) -> Iterator[Seen]:
        return (self.order[at] for at in self.between)


class _Between(Struct, frozen=True):
    """A node's place in `order`, and those of its nearest neighbors with a known module.

    `order` has the nodes as the forward runs them.
    """

    order: Sequence[Seen]
    at: int
    first: int | None
    last: int | None

    @property
    def before(self) -> Seen | None:
        return None if self.first is None else self.order[self.first]

    @property
    def behind(self) -> Seen | None:
        return None if self.last is None else self.order[self.last]

    @property
    def sides(self) -> Iterator[_Side]:
        """Both sides of the node, as far as it has them; both ranges have the node itself."""
        if self.first is not None:
            between = range(self.first + 1, self.at + 1)
            yield _Side(self.order[self.first], True, self.order, between)
        if self.last is not None:
            between = range(self.at, self.last)
            yield _Side(self.order[self.last], False, self.order, between)


class ModuleFrames:
    """Places nodes by the lines that were learned; `paths` are the modules with parameters."""

    def __init__(self, lines: ModuleLines, paths: Iterable[str]) -> None:
        self.lines = lines
        # The modules with parameters and all around them, and the names that their paths are of.
        self._known = {holder for path in paths for holder in _holders_of(path)}
        self._names = {part for path in paths for part in path.split(".")}

    def place_nodes(self, nodes: Sequence[Seen], *, backward: bool = False) -> list[str | None]:
        """The module of each node, as far as it shows; `nodes` in the order of the graph.

        The text of a backward graph has the order of its forward reversed.
        """
        # How many nodes each module has: a module with a single node is known to have run once.
        often: Mapping[str | None, int] = Counter(node.module for node in nodes)
        modules: list[str | None] = []
        # Now in the order of the forward.
        order = list(reversed(nodes)) if backward else nodes
        # Places of the nodes whose module is known: the neighbors are looked for among these.
        settled = [at for at, node in enumerate(order) if node.module is not None]
        for at, node in enumerate(order):
            if node.module is not None:
                modules.append(node.module)
                continue
            after = bisect_left(settled, at)
            first = settled[after - 1] if after else None
            last = settled[after] if after < len(settled) else None
            around = _Between(order, at, first, last)
            modules.append(self._choose_module(node, around, often))
        return modules[::-1] if backward else modules

    def _choose_module(
        self, node: Seen, around: _Between, often: Mapping[str | None, int]
    ) -> str | None:
        # Modules that may have run this line: those that
        # were learned for it, else by who calls whom.
        candidates = self.lines.owners_on_line(node) or self._owners_of_calls(node, around)
        inside = self._deepest_around(candidates, around)
        if inside is not None or not node.word:  # without words only this says anything
            return inside
        if not candidates:
            return self._same_run(around, often)
        return self._at_an_end(node, candidates, around)

    def _deepest_around(self, candidates: set[str], around: _Between) -> str | None:
        """The deepest candidate that both neighbors lie in."""
        before, behind = around.before, around.behind
        if before is None or behind is None:
            return None
        # Between two nodes of one module's forward: both neighbors must lie in the candidate. A
        # line of a layer has as many candidates as there are layers, a path has few parts.
        both = candidates.intersection(_holders_of(before.module), _holders_of(behind.module))
        if len(both) <= 1:
            return next(iter(both), None)
        ordered = sorted(both, key=len)
        # "The deepest" exists only where each candidate lies in the next.
        nested = all(b.startswith(f"{a}.") or a == SELF for a, b in pairwise(ordered))
        return ordered[-1] if nested else None

    def _at_an_end(self, node: Seen, candidates: set[str], around: _Between) -> str | None:
        """The one candidate in whose code the node must come there.

        That no other shows is not enough: it may run the line without any parameter to show it.
        """
        fitting = {
            candidate
            for side in around.sides
            for candidate in candidates.intersection(_holders_of(side.neighbor.module))
            if self._fits_neighbor(node, side, candidate)
            and self._is_one_run(node, side, candidate)
        }
        return fitting.pop() if len(fitting) == 1 else None

    def _fits_neighbor(self, node: Seen, side: _Side, owner: str) -> bool:
        """Whether the code has the node behind (or before) its neighbor, for sure."""
        neighbor = side.neighbor
        if neighbor.module is None or node.line is None:
            return False
        code = node.line.code or ""
        # The part of the owner that the neighbor is in: `attn` for `layers.0.attn.q` in `layers.0`.
        child = _relative_path(owner, neighbor.module).partition(".")[0]
        # The node's line calls that part: the order on the line decides.
        if child and child in attributes_in(code):
            return comes_after(code, node.word, child) is side.later
        # Else the neighbor must stand in the owner's own code, on another line.
        if neighbor.line is None or self.lines.self_of(neighbor) != owner:
            return False
        distance = node.line.line - neighbor.line.line
        return distance != 0 and (distance > 0) is side.later

    def _is_one_run(self, node: Seen, side: _Side, owner: str) -> bool:
        """Whether one run of the owner's code gives all nodes between, each behind the last.

        What the neighbor's own child makes may stand between; anything else has left the code.
        """
        child = _relative_path(owner, side.neighbor.module or "").partition(".")[0]
        inner = child if owner == SELF else f"{owner}.{child}"
        # Line and place on the line of the last node in the owner's code; this may only rise.
        place = (0, -1)
        for seen in side.chain:
            selves = self.lines.owners_on_line(seen)
            # A node of the owner's code, or on the node's own line.
            if seen.line is not None and (
                owner in selves or (node.line is not None and seen.line.line == node.line.line)
            ):
                step = (seen.line.line, position_of_word(seen.line.code or "", seen.word))
                if step <= place:
                    return False
                place = step
            # Anything else must lie in the neighbor's part of the owner.
            elif not any(_lies_in(inner, each_self) for each_self in selves):
                return False
        return True

    def _owners_of_calls(self, node: Seen, around: _Between) -> set[str]:
        """The module whose code this is: it calls the child that ran just before or runs next.

        A child whose own line is known was called from there, so only those around it are asked.
        """
        if node.line is None or not node.word:
            return set()
        code = node.line.code or ""
        # The parts that this line calls: `self.attn(…)` gives `attn`.
        children = set(re.findall(rf"{self.lines.pattern_of_owner(node)}\.(\w+)\(", code))
        called = set()
        for side in around.sides:
            # The module whose code the neighbor stands in, `layers.0.attn`. This line calls a part
            # `attn`, so this is the code of `layers.0`.
            inner = self.lines.self_of(side.neighbor)
            if inner is None or inner == SELF:
                continue
            parts = inner.split(".")
            owners = [
                ".".join(parts[:at]) or SELF for at, part in enumerate(parts) if part in children
            ]
            # A path with such a name twice leaves it open.
            if len(owners) == 1 and self._has_known_children(owners[0], children):
                called.add(owners[0])
        return called

    def _has_known_children(self, owner: str, children: set[str]) -> bool:
        """Whether `owner` has all children that any module is known to have."""
        # Names on the line that are parts of any module
        # with parameters; the owner has to have them all.
        named = children & self._names
        return self._known.issuperset(
            child if owner == SELF else f"{owner}.{child}" for child in named
        )

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
        # A module with several nodes may have run several times, in two runs of the owner's code.
        if often[before.module] > 1 or often[behind.module] > 1:
            return None
        distance = behind.line.line - before.line.line
        # Both on one line: the parts' order of evaluation has to be that of the graph.
        if distance == 0:
            words = [
                _relative_path(owner, module).partition(".")[0]
                for module in (before.module or "", behind.module or "")
            ]
            in_order = comes_after(before.line.code or "", words[1], words[0])
            return owner if in_order else None
        return owner if distance > 0 else None


@lru_cache(maxsize=4096)
def _holders_of(module: str | None) -> frozenset[str]:
    """The module and all that it lies in, the compiled frame's own `self` among them.

    >>> sorted(_holders_of("layers.0.mlp")), _holders_of(None)
    (['layers', 'layers.0', 'layers.0.mlp', 'self'], frozenset())
    """
    if module is None:
        return frozenset()
    parts = module.split(".")
    return frozenset({SELF, *(".".join(parts[:count]) for count in range(1, len(parts) + 1))})


def _lies_in(owner: str, module: str | None) -> bool:
    """Whether `module` is `owner` or lies in it; all lie in the compiled frame's own `self`."""
    return module is not None and (owner in (module, SELF) or module.startswith(f"{owner}."))


def _relative_path(owner: str, module: str) -> str:
    return module if owner == SELF != module else module[len(owner) + 1 :]
