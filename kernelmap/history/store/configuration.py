"""What a recording was made with, as a table that is kept beside those of a run.

`configuration.parquet` has a row per name and value. Left out: versions, which run.toml has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pyarrow as pa

from kernelmap.tables.configuration import Configuration

ArrowTable: TypeAlias = Any  # pyarrow has no type stubs

CONFIGURATION = "configuration"
"""The name of its table."""
_SETTING, _CHANGED, _VARIABLE = "setting", "changed", "variable"
_SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "name", "value")])


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
