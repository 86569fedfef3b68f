"""What can be done with any result, fresh or read back: tables, figures, files.

A subclass gives `tables` and `files`; this gives the tables by name and the writers. `load` reads a
saved result back, from the JSON or the folder of Parquet files: its tables are the same, but why a
launch belongs to its call does not stand in them, so there is no `explain` and no `which`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.model.paths import Source
from kernelmap.pages.one_table import facts_of_window, sums_of_ledger
from kernelmap.pages.report.shared import Records
from kernelmap.pages.text import format_duration, format_percent, make_visible
from kernelmap.pages.write import write_tables
from kernelmap.tables.build import Tables
from kernelmap.tables.saved import files_of_saved, read_saved_tables
from kernelmap.tables.schema import TABLES
from kernelmap.tables.selection import Selection
from kernelmap.tables.summary import Summary

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


_ROWS = 10  # in a notebook
_REPORT = "_report"  # where the report was written last


class Result(ABC):
    """Tables with their figures and writers; every table of the schema is an attribute."""

    @property
    @abstractmethod
    def tables(self) -> Tables:
        """All tables, checked against tables/schema.py."""

    @property
    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """All files that the result was made from; none of them is ever written to."""

    @property
    def name(self) -> str | None:
        """What it is called; None where only its files have names."""
        return None

    @property
    def summary(self) -> Summary:
        """The window in numbers."""
        return self.tables.summary

    @property
    def records(self) -> Records | None:
        """What the tables were made from; None where a saved result was read back."""
        return None

    def __repr__(self) -> str:
        """One line for a prompt: how much time, how sure, of what, from which files."""
        summary = self.summary
        about = (
            sums_of_ledger(summary)[0].text,
            *facts_of_window(summary),
            ", ".join(summary.sources),
        )
        return make_visible(f"<{type(self).__name__}: {' · '.join(filter(None, about))}>")

    def _repr_html_(self) -> str:
        """What a notebook shows: that line, the ops with the most time, and where the report is."""
        ops = self.ops.head(_ROWS)[["name", "time_ns", "share", "launches"]]
        shown = ops.assign(
            name=ops["name"].map(make_visible),
            time_ns=ops["time_ns"].map(format_duration),
            share=ops["share"].map(format_percent),
        )
        named = shown.rename(columns={"name": "original op", "time_ns": "time"})
        table = Markup(named.to_html(index=False, border=0))  # noqa: S704 -- pandas has escaped it
        return Markup("<p>{}</p>{}<p>{}</p>").format(repr(self), table, self._link_to_report())

    def _link_to_report(self) -> Markup:
        """A link to the report that was written last; until then how to write one."""
        path = vars(self).get(_REPORT)
        if path is None:
            return Markup('The whole report: <code>to_html("report.html")</code>')
        return Markup('<a href="{}">The whole report</a>').format(quote(path.as_posix()))

    def __dir__(self) -> list[str]:
        """Its members, and its tables."""
        return [*super().__dir__(), *TABLES]

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name, such as `ops`, `calls`, `kernels` or `ledger`."""
        if name not in TABLES:
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        return self.tables.frame(name)

    def figure(self, name: str) -> go.Figure:
        """A Plotly figure; UsageError for a name that is none of these.

        `ops`, `lines`, `calls`, `modules`, `kernels` and `graphs` are bars of the 20 rows with the
        most time, `ledger` is one bar of all time by confidence, `treemap` all time by module, line
        and op (of a saved result by graph and call).
        """
        from kernelmap.pages.charts.figures import draw_figure

        return draw_figure(self.tables, name, self.records)

    def write(  # noqa: PLR0913 -- what the formats can show
        self,
        path: Source,
        *,
        by: str = "op",
        top: int = 20,
        sort: str = "time",
        selection: Selection | None = None,
        speeds: bool = False,
        launches: bool = False,
    ) -> Path:
        """Write to `path`, in the format of its suffix; gives the path back.

        All tables go to .json, .html or a folder. Files that hold one table (.csv, .parquet, .md)
        get that of `by`, a word of `--by`, in the order of `sort` (`time` or `headroom`); .md at
        most `top` rows of it, with `speeds` their rates and headroom beside the time. `selection`
        is what is asked of the rows in .csv and .md, in place of `top`. Raises
        KernelmapError where `path` names no known format, is an input or cannot be written.
        """
        written = write_tables(
            self.tables,
            Path(path),
            by=by,
            top=top,
            sort=sort,
            selection=selection,
            speeds=speeds,
            launches=launches,
            inputs=self.files,
            records=self.records,
            name=self.name,
        )
        if written.suffix.lower() == ".html":
            self._remember_report(written)
        return written

    def _remember_report(self, report: Path) -> None:
        """Keep for a notebook where the report is; a result is frozen, as its content is."""
        vars(self)[_REPORT] = report

    def to_html(self, path: Source, *, path_map: Mapping[str, str] | None = None) -> Path:
        """Write the report, one file that needs no network.

        `path_map` says where folders of the recording lie on the reader's machine: links to an
        editor lead there.
        """
        written = write_tables(
            self.tables,
            _with_suffix(path, ".html"),
            inputs=self.files,
            records=self.records,
            name=self.name,
            path_map=path_map,
        )
        self._remember_report(written)
        return written

    def to_json(self, path: Source, *, launches: bool = False) -> Path:
        """Write the tables as one JSON object; `kernelmap.load` reads it back."""
        return self.write(_with_suffix(path, ".json"), launches=launches)

    def to_parquet(self, folder: Source) -> Path:
        """Write one Parquet file per table into `folder`, that of the launches included."""
        return self.write(_with_suffix(folder, ""))

    def to_csv(self, path: Source, *, by: str = "op") -> Path:
        """Write the table of `by` with exact numbers; texts that look like formulas are guarded."""
        return self.write(_with_suffix(path, ".csv"), by=by)

    def to_markdown(self, path: Source, *, by: str = "op", top: int = 20) -> Path:
        """Write the first `top` rows of the table of `by`, and the ledger, for a page."""
        return self.write(_with_suffix(path, ".md"), by=by, top=top)


def _with_suffix(path: Source, suffix: str) -> Path:
    """`path`, or a UsageError where its suffix asks for another format."""
    if Path(path).suffix.lower() != suffix:
        wanted = f"a name that ends in {suffix}" if suffix else "a folder"
        raise UsageError(
            "wrong-suffix", f"{path} does not name this format", f"Give {wanted}, or call write()."
        )
    return Path(path)


@dataclass(frozen=True, kw_only=True, repr=False)
class Saved(Result):
    """A result that was read back; its frames have the columns and types that it was saved with."""

    path: Path
    content: Tables

    @property
    def tables(self) -> Tables:
        """All tables; `launches` only where they were saved."""
        return self.content

    @property
    def files(self) -> tuple[Path, ...]:
        """The saved file, or the files of the saved folder."""
        return files_of_saved(self.path)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used when the result was made."""
        return self.content.notices


def load(path: Source) -> Saved:
    """Read what `correlate … -o result.json`, `-o FOLDER` or a Correlation's writers wrote.

    Raises KernelmapError where `path` cannot be read or holds no such result. A JSON that was saved
    without its launches has no table `launches`: asking for it is a UsageError.
    """
    return Saved(path=Path(path), content=read_saved_tables(path))
