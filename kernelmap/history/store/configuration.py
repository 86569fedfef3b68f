"""What a recording was compiled with: settings of the compiler, and environment variables of torch.

Taken from what its logs state of each graph (compiler/logs/), kept beside the tables of a run as
`configuration.parquet`, a row per name and value. Left out: versions and devices, which run.toml
has, and every variable that facts/torch_variables.py does not name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import pyarrow as pa
from msgspec import Struct

from kernelmap.model import CompiledProgram

ArrowTable: TypeAlias = Any  # pyarrow has no type stubs

CONFIGURATION = "configuration"
"""The name of its table."""
DEFAULT = "default"
"""The value of a setting that a graph does not state among those that it changed."""

_SETTING, _CHANGED, _VARIABLE = "setting", "changed", "variable"
_SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "name", "value")])


class Configuration(Struct, frozen=True, kw_only=True):
    """Values by name; several of one name stand in one text, as graphs differ.

    `settings` are all that bear on generated code, empty where no log states them. `changed` are
    those that are not the default in some graph, each with all its values, and `environment` the
    variables that are set; None where no log states them.
    """

    settings: Mapping[str, str] = {}
    changed: Mapping[str, tuple[str, ...]] | None = None
    environment: Mapping[str, str] | None = None

    @property
    def is_stated(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.settings) or self.changed is not None or self.environment is not None


def configuration_of(program: CompiledProgram) -> Configuration:
    """What the logs of a program state."""
    emitted = [each for graph in program.graphs for each in graph.emitted]
    # Graphs of one program share what is stated beside them: each set of it is gone through once.
    beside = dict.fromkeys(each for graph in program.graphs for each in graph.beside)
    changed = [dict(each.settings) for each in beside]
    names = sorted({name for of_graph in changed for name in of_graph})
    return Configuration(
        settings=_join_values({each.settings for each in emitted}),
        changed={
            name: tuple(sorted({of_graph.get(name, DEFAULT) for of_graph in changed}))
            for name in names
        }
        if changed
        else None,
        environment=_join_values(each.environment for each in beside) if beside else None,
    )


def _join_values(stated: Iterable[Iterable[tuple[str, str]]]) -> Mapping[str, str]:
    values: dict[str, set[str]] = {}
    for pairs in stated:
        for name, value in pairs:
            values.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(of_name)) for name, of_name in values.items()}


def pack_configuration(configuration: Configuration) -> ArrowTable:
    """The rows of its table."""
    rows = list(_iter_rows(configuration))
    columns = [[row[at] for row in rows] for at in range(len(_SCHEMA))]
    return pa.table(columns, schema=_SCHEMA)


def _iter_rows(configuration: Configuration) -> Iterator[tuple[str, str | None, str | None]]:
    for name, value in configuration.settings.items():
        yield _SETTING, name, value
    # A row without a name says that a log states the kind, also where nothing was changed or set.
    if configuration.changed is not None:
        yield _CHANGED, None, None
        for name, values in configuration.changed.items():
            yield from ((_CHANGED, name, value) for value in values)
    if configuration.environment is not None:
        yield _VARIABLE, None, None
        for name, value in configuration.environment.items():
            yield _VARIABLE, name, value


def unpack_configuration(table: ArrowTable) -> Configuration:
    """The configuration of its rows. Raises KeyError where a column is missing."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for kind, name, value in zip(
        *(table.column(field.name).to_pylist() for field in _SCHEMA), strict=True
    ):
        of_kind = kinds.setdefault(str(kind), {})
        if name is not None and value is not None:
            of_kind.setdefault(str(name), []).append(str(value))
    changed, environment = kinds.get(_CHANGED), kinds.get(_VARIABLE)
    return Configuration(
        settings={name: values[0] for name, values in kinds.get(_SETTING, {}).items()},
        changed=None
        if changed is None
        else {name: tuple(values) for name, values in changed.items()},
        environment=None
        if environment is None
        else {name: values[0] for name, values in environment.items()},
    )
