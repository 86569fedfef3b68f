"""A fleet as `kernelmap.fleet` gives it: its tables, and what they can be made into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelmap.fleet.gathered import Gathered
from kernelmap.fleet.recorded import record_fleet
from kernelmap.fleet.tables import FleetTables
from kernelmap.fleet.write import render_fleet, write_fleet
from kernelmap.history.store.run import Run
from kernelmap.model.paths import Source

if TYPE_CHECKING:
    from kernelmap.history.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Fleet(FleetTables):
    """The answer for all ranks: tables, text, files, and a run of a store.

    `reports` are those of ranks, as HTML. `gathered` is what a run needs beside the tables, None
    where it was not asked for.
    """

    reports: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    gathered: Gathered | None = field(default=None, repr=False)

    def render(self, form: str, *, by: str = "call", top: int = 20) -> str:
        """The answer as `json`, `markdown` or `html`."""
        return render_fleet(self, form, by=by, top=top)

    def write(self, path: Source, *, by: str = "call", top: int = 20) -> Path:
        """Write to `path`: .json, .md, .html, or a folder of Parquet files; gives it back.

        Reports of ranks go into a folder beside an .html file, which leads to them.
        Raises KernelmapError for another suffix, and where it cannot be written.
        """
        return write_fleet(self, Path(path), self.reports, by=by, top=top)

    def record(self, store: Store, **about: Any) -> Run:  # noqa: ANN401 -- those of record_fleet
        """Keep the answer as a run of `store`, with its name, branch, commit and tags.

        Needs a fleet that was read with FleetOptions(gather=True).
        """
        return record_fleet(self, self.gathered, store, **about)
