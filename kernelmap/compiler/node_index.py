"""The nodes of a graph's texts by what is asked of them: operator, line, user, source.

A graph of a language model has thousands of nodes and a thousand calls. Each question that one call
asks is answered of the few nodes that it can mean; looking at all nodes once per call took twenty
times as long as reading the texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from kernelmap.compiler.facts import CodeFacts
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.model import SourceLine

FileLine = tuple[str, int]
_Key = TypeVar("_Key")


class NodeIndex(Struct, frozen=True, kw_only=True):
    """The nodes of the texts in `facts`, always in the order of their text.

    Post-grad nodes: `of_operator` has those that run an operator, `on_line` those of them on a
    line, `lineless` the operators of which a node has no line of the user's; `users` has those that
    take a name, `made_from` those that a mapping says a node of Dynamo's graph became.
    Nodes of Dynamo's graph: `twins` has those that call one word on one line, `places` where each
    stands.
    """

    facts: CodeFacts
    of_operator: Mapping[str, tuple[str, ...]]
    on_line: Mapping[tuple[str, FileLine], tuple[str, ...]]
    lineless: frozenset[str]
    users: Mapping[str, tuple[str, ...]]
    made_from: Mapping[str, tuple[str, ...]]
    twins: Mapping[tuple[str, FileLine], tuple[str, ...]]
    places: Mapping[str, int]

    @classmethod
    def of_facts(cls, facts: CodeFacts) -> NodeIndex:
        """The nodes of the texts that stand beside a graph's code."""
        post, pre = facts.post_grad, facts.pre_grad
        operators = {name: operator_of(node.target) for name, node in post.items()}
        places = {name: file_line(node.stated_line) for name, node in post.items()}
        return cls(
            facts=facts,
            of_operator=_names_by((operators[name], name) for name in post),
            on_line=_names_by(
                ((operators[name], place), name)
                for name, place in places.items()
                if place is not None
            ),
            lineless=frozenset(operators[name] for name, node in post.items() if node.line is None),
            users=_names_by((used, name) for name, node in post.items() for used in node.uses),
            made_from=_names_by(
                (source, name)
                for name, sources in facts.mapping.post_to_pre.items()
                for source in dict.fromkeys(sources)
            ),
            twins=_names_by(
                ((called_word(node), place), name)
                for name, node in pre.items()
                if (place := file_line(node.stated_line)) is not None
            ),
            places={name: at for at, name in enumerate(pre)},
        )

    def last_of_dynamo(self, names: Iterable[str]) -> str | None:
        """Of some nodes of Dynamo's graph the one that comes last in it."""
        return max(names, key=self.places.__getitem__, default=None)


def _names_by(pairs: Iterable[tuple[_Key, str]]) -> dict[_Key, tuple[str, ...]]:
    names: dict[_Key, list[str]] = defaultdict(list)
    for key, name in pairs:
        names[key].append(name)
    return {key: tuple(found) for key, found in names.items()}


def operator_of(target: str | None) -> str:
    """`aten.mm` of `aten.mm.default`."""
    return ".".join((target or "").split(".")[:2])


def called_word(node: TextNode) -> str:
    """What a node of Dynamo's graph calls: `view` of an input is `l_x_.view` in the text."""
    return (node.target or "").rpartition(".")[2]


def file_line(line: SourceLine | None) -> FileLine | None:
    """Where a line stands, whatever it says."""
    return None if line is None else (line.file, line.line)
