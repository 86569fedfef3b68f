"""A kernel definition's `Graph fragment:` → what it computes, with its names taken out.

Takes the lines of a definition, gives one text per node and the parts that re-fused kernels share.
A node's text is its target, its type and its arguments; a name is replaced by its place, counted
from its first use. Placeholders count where they are used, so that their order, which follows from
their names, has no say. Left out: which buffer a result is written to, the number of users, and
which device of its kind it runs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_NODE = re.compile(
    r"#\s*%(?P<name>\S+) : (?P<about>.*?)= (?P<kind>\w+)\[target=(?P<target>[^\]]*)\](?P<rest>.*)"
)
_RETURN = re.compile(r"#\s*return (?P<names>%.*)")
_INPUT = "placeholder"
_TYPE = re.compile(r'"([^"]*)"')
_NAME = re.compile(r"%([\w.]+)")
_SYMBOL = re.compile(r"\b([suz])\d+\b")
_DEVICE = re.compile(r"\b(cuda|xpu|hip|mtia|cpu):\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """One definition's fragment.

    `nodes` is one canonical text per node and one for what is returned; `parts` has what each node
    is by itself: `aten.mul.Tensor f32[8, 16]`. `typed` says whether any node has its type: older
    torch writes none.
    """

    nodes: tuple[str, ...]
    parts: tuple[str, ...]
    typed: bool


def fragment(lines: Iterable[str]) -> Fragment | None:
    """The fragment among the comment lines of one definition; None where it holds no node."""
    comments = [line for line in lines if line.startswith("#")]
    found = [node for line in comments if (node := _NODE.match(line)) is not None]
    made = [node for node in found if node["kind"].lower() != _INPUT]
    if not made:
        return None
    kinds = {node["name"]: _kind(node["about"]) for node in found}  # a node's own line comes last
    own = {node["name"] for node in made}
    names = _Names({name: kind for name, kind in kinds.items() if name not in own})
    symbols: dict[str, str] = {}
    nodes, parts = [], []
    for node in made:
        kind, target = kinds[node["name"]], node["target"].removeprefix("torch.ops.")
        given = _NAME.sub(lambda name: names.place(name[1]), node["rest"])
        text = f"{names.place(node['name'])} {kind or '?'} = {target}{given}"
        nodes.append(symbolic(text, symbols))
        parts.append(f"{target} {part_type(kind)}" if kind else target)
    returned = {
        names.place(name) if name in own else "%"
        for line in comments
        if (end := _RETURN.match(line)) is not None
        for name in _NAME.findall(end["names"])
    }
    return Fragment(
        nodes=(*nodes, f"return {sorted(returned)}"),
        parts=tuple(parts),
        typed=any(kinds[node["name"]] for node in made),
    )


class _Names:
    """Places of names, from their first use; an input's bears its type."""

    def __init__(self, inputs: Mapping[str, str | None]) -> None:
        self._inputs = inputs
        self._places: dict[str, str] = {}

    def place(self, name: str) -> str:
        """What stands for `name`."""
        if name not in self._places:
            kind = self._inputs.get(name)
            self._places[name] = f"%{len(self._places)}" + (f"<{kind}>" if kind else "")
        return self._places[name]


def symbolic(text: str, symbols: dict[str, str]) -> str:
    """`text` with its symbols numbered by first use, in `symbols`, and devices without number."""
    text = _DEVICE.sub(r"\1", text)
    return _SYMBOL.sub(lambda s: symbols.setdefault(s[0], f"{s[1]}#{len(symbols)}"), text)


def part_type(kind: str) -> str:
    """Dtype and shape of a type, without strides and device, its symbols alike.

    >>> part_type("f32[8, s77][16, 1]cuda:0")
    'f32[8, s]'
    """
    return _SYMBOL.sub(r"\1", kind.partition("]")[0] + "]")


def _kind(about: str) -> str | None:
    found = _TYPE.search(about)
    return found[1] if found else None
