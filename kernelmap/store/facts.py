"""What is known of a run without opening its tables: the records behind run.toml.

Left out on purpose: the environment, the name of the machine, its paths and its user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelmap.model import Notice
from kernelmap.views.summary import Summary

FORMAT, VERSION = "kernelmap.run", 1
"""Versions: 1: first. A newer version needs a step in upgrades.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A file that the run was made from; `name` is relative to what was given, never absolute."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A table's Parquet file, by the table's name."""

    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run; None is what nobody said.

    `created` is UTC, ISO 8601. `changed`: the checkout had changes that `commit` lacks.
    `window` is the summary of the correlation. `torch`, `triton`, `cuda` and `rocm` are as far as
    the inputs tell; several versions stand in one text. `version` is that of the layout.
    """

    id: str
    version: int
    created: str
    kernelmap: str
    window: Summary
    tables: tuple[TableFile, ...]
    name: str | None = None
    branch: str | None = None
    commit: str | None = None
    changed: bool | None = None
    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    rocm: str | None = None
    gpus: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()
    notices: tuple[Notice, ...] = ()

    def table(self, name: str) -> TableFile | None:
        """The file of a table; None where the run has none."""
        return next((each for each in self.tables if each.name == name), None)
