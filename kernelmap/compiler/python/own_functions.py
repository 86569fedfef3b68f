"""Which function of the generated code a call expression runs: a partition, branch or loop body.

Takes the parsed code; `own.of(function)` gives the body behind `partition_0(…)`, `true_graph_0(…)`
and `self.partitions[1](…)`, None for everything that the code does not define.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from kernelmap.compiler.python.literals import dotted, keyword, literal
from kernelmap.compiler.python.statements import Body, Code, assigned

_PARTITIONS = "partitions"


@dataclass(frozen=True, slots=True)
class OwnFunctions:
    """The functions of one text; `partitions` are those that its Runner was given, in order."""

    code: Code
    partitions: tuple[str, ...]

    @classmethod
    def in_code(cls, code: Code) -> OwnFunctions:
        """The functions of `code`."""
        return cls(code, _partitions(code.statements))

    def of(self, function: ast.expr) -> Body | None:
        """The body that calling `function` runs."""
        name = function.id if isinstance(function, ast.Name) else self._partition(function)
        return self.code.functions.get(name) if name else None

    def _partition(self, function: ast.expr) -> str | None:
        """`partition_1` of `self.partitions[1]`, by the list that the Runner was given."""
        if not isinstance(function, ast.Subscript):
            return None
        owner, number = dotted(function.value), literal(function.slice)
        if owner is None or owner.rpartition(".")[2] != _PARTITIONS or not isinstance(number, int):
            return None
        known = 0 <= number < len(self.partitions)
        return self.partitions[number] if known else f"partition_{number}"


def _partitions(statements: tuple[ast.stmt, ...]) -> tuple[str, ...]:
    """The functions of `Runner(partitions=[partition_0, …])`."""
    for statement in statements:
        pair = assigned(statement)
        if pair is not None and isinstance(pair[1], ast.Call):
            listed = keyword(pair[1], _PARTITIONS)
            if isinstance(listed, ast.List):
                return tuple(each.id for each in listed.elts if isinstance(each, ast.Name))
    return ()
