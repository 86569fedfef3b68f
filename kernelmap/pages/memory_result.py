"""The memory of graphs as what users hold in Python, and as what commands print and write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.model.memory import GraphMemory
from kernelmap.pages.csv import write_cells
from kernelmap.pages.memory import page_of_memory
from kernelmap.pages.memory_measured import iter_sections
from kernelmap.pages.page import Page
from kernelmap.pages.render import markdown
from kernelmap.pages.text import make_visible
from kernelmap.pages.write import draw_rows, page_form, write_folder, write_text
from kernelmap.suggestions import one_of
from kernelmap.tables.json import indent_json
from kernelmap.tables.memory import MEMORY_TABLES, MemoryTables
from kernelmap.tables.memory_measured import MEASURED_TABLES, NOTHING_MEASURED, MeasuredTables
from kernelmap.whole_files import Draw

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

_ROWS = 10  # in a notebook


@dataclass(frozen=True, kw_only=True, repr=False)
class MemoryResult:
    """The memory of graphs that users hold.

    `graphs`, `buffers`, `lines`, `statements`, `saved`, `runs` and `savings` are DataFrames, and so
    are `measured`, `held`, `counted`, `snapshots`, `snapshot_lines` and `model_tensors` of what was
    measured; `memories` are the records.
    """

    tables: MemoryTables
    in_use: MeasuredTables = NOTHING_MEASURED
    inputs: tuple[Path, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        """One line for a prompt."""
        peaks = (f"{memory.graph} {memory.peak_bytes:,}" for memory in self.memories)
        return make_visible(f"<MemoryResult: bytes at the peak: {', '.join(peaks)}>")

    def _repr_html_(self) -> str:
        """What a notebook shows: the largest buffers at the peaks."""
        from kernelmap.pages.render import html

        return html.render_fragment(self.page(top=_ROWS))

    @property
    def memories(self) -> tuple[GraphMemory, ...]:
        """The memory of each graph, statement by statement."""
        return self.tables.memories

    @property
    def graphs(self) -> pd.DataFrame:
        """A row per graph: its peak, and where it is."""
        return self._frame("graphs")

    @property
    def buffers(self) -> pd.DataFrame:
        """A row per buffer: who holds the bytes."""
        return self._frame("buffers")

    @property
    def lines(self) -> pd.DataFrame:
        """The bytes at the peak of each graph by source line."""
        return self._frame("lines")

    @property
    def statements(self) -> pd.DataFrame:
        """The bytes before and after each statement."""
        return self._frame("statements")

    @property
    def saved(self) -> pd.DataFrame:
        """What forwards save for their backwards, by source line."""
        return self._frame("saved")

    @property
    def runs(self) -> pd.DataFrame:
        """The bytes over the graphs of a step, in the order in which they ran."""
        return self._frame("runs")

    @property
    def measured(self) -> pd.DataFrame:
        """A row per step and per run of a graph: the peak that the profiler saw."""
        return self._measured_frame("measured")

    @property
    def held(self) -> pd.DataFrame:
        """Who held the bytes at each of these peaks."""
        return self._measured_frame("held")

    @property
    def counted(self) -> pd.DataFrame:
        """The peak of each recorded step of a capture, as torch's allocator counted it."""
        return self._measured_frame("counted")

    @property
    def snapshots(self) -> pd.DataFrame:
        """A row per device of each memory snapshot."""
        return self._measured_frame("snapshots")

    @property
    def snapshot_lines(self) -> pd.DataFrame:
        """The lines of Python that held the bytes at the peak of each snapshot."""
        return self._measured_frame("snapshot_lines")

    @property
    def model_tensors(self) -> pd.DataFrame:
        """The parameters, gradients and optimizer state that a capture found at its end."""
        return self._measured_frame("model_tensors")

    @property
    def savings(self) -> pd.DataFrame:
        """What the peaks could do without, the largest first, each counted by itself."""
        return self._frame("savings")

    def of_graphs(self, graphs: Sequence[str]) -> MemoryResult:
        """The same of some graphs; raises UsageError for an id that no graph has."""
        known = [memory.graph for memory in self.memories]
        for name in graphs:
            if name not in known:
                hint = one_of(name, known, "Graphs with code")
                raise UsageError("no-such-graph", f"there is no graph {name!r} with code", hint)
        kept = frozenset(graphs)
        in_use = self.in_use.of_graphs(kept)
        return replace(self, tables=self.tables.of_graphs(kept), in_use=in_use)

    def page(self, *, top: int = 20) -> Page:
        """All of it as a page."""
        held = self.in_use.rows["model_tensors"]
        page = page_of_memory(self.tables, top=top, held=held)
        more = tuple(iter_sections(self.in_use, top=top))
        # Where no code was given, and something was measured, that is the answer.
        own = page.sections if self.memories or not more else ()
        return Page(title=page.title, sections=(*own, *more))

    def render(self, form: str, *, top: int = 20) -> str:
        """The memory as `json`, `csv` (the buffers), `markdown` or `html`."""
        if form == "json":
            return dump_json(self.tables, self.notices, self.in_use)
        if form == "csv":
            return dump_csv(self.tables)
        if form == "markdown":
            return markdown.render_markdown(self.page(top=top))
        from kernelmap.pages.render import html

        return html.render_document(self.page(top=top), title="Memory")

    def write(self, path: str | Path, *, top: int = 20) -> Path:
        """Write to `path` in the form of its suffix: .json, .md or .html; gives it back.

        A path without a suffix becomes a folder with a Parquet file per table, by its name. Raises
        KernelmapError for another suffix, an input, and where it cannot be written.
        """
        target = Path(path)
        if target.suffix:
            write_text(target, self.render(page_form(target), top=top), self.inputs)
        else:
            write_folder(target, dict(self._iter_parquet()), self.inputs)
        return target

    def _iter_parquet(self) -> Iterator[tuple[str, Draw]]:
        """What writes each table, by the name of its file."""
        for tables, held in (
            (MEMORY_TABLES, self.tables.rows),
            (MEASURED_TABLES, self.in_use.rows),
        ):
            for word, table in tables.items():
                yield f"{table.name}.parquet", draw_rows(table, held[word])

    def _frame(self, word: str) -> pd.DataFrame:
        from kernelmap.tables.frames import frame_of_rows

        return frame_of_rows(MEMORY_TABLES[word], self.tables.rows[word])

    def _measured_frame(self, word: str) -> pd.DataFrame:
        from kernelmap.tables.frames import frame_of_rows

        return frame_of_rows(MEASURED_TABLES[word], self.in_use.rows[word])


def dump_json(
    tables: MemoryTables, notices: Sequence[Notice], in_use: MeasuredTables = NOTHING_MEASURED
) -> str:
    """All tables as one JSON document; numbers are exact."""
    value = {
        "format": "kernelmap.memory",
        "version": 1,
        **{word: list(tables.rows[word]) for word in MEMORY_TABLES},
        **{word: list(in_use.rows[word]) for word in MEASURED_TABLES},
        "notices": list(notices),
    }
    return indent_json(value)


def dump_csv(tables: MemoryTables) -> str:
    """The buffers of all graphs."""
    text = StringIO(newline="")
    columns = MEMORY_TABLES["buffers"].by_name
    write_cells(text, columns, ([row[name] for name in columns] for row in tables.rows["buffers"]))
    return text.getvalue()
