"""A fleet as text or files: JSON with all tables, Markdown, HTML, or a folder of Parquet files.

An HTML file is whole without a network; reports of ranks, where there are some, lie in a folder
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from kernelmap.fleet.one_file import render_document, report_name
from kernelmap.fleet.show import page_of_fleet
from kernelmap.fleet.tables import FleetTables
from kernelmap.pages.render import markdown
from kernelmap.pages.write import draw_rows, page_form, write_folder, write_text
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.json import indent_json


def render_fleet(fleet: FleetTables, form: str, *, by: str, top: int) -> str:
    """The answer as `json`, `markdown` or `html`."""
    if form == "json":
        return dump_json(fleet)
    if form == "markdown":
        return markdown.render_markdown(page_of_fleet(fleet, by=by, top=top, notices=True))
    return render_document(fleet)


def write_fleet(
    fleet: FleetTables, target: Path, reports: Mapping[int, bytes], *, by: str, top: int
) -> Path:
    """Write .json, .md, .html, or a folder with a Parquet file per table.

    Beside .html stand the `reports` of ranks.
    """
    if target.suffix:
        form = page_form(target)
        if form == "html" and reports:
            folder = target.with_name(f"{target.stem}_ranks")
            files = {report_name(rank): _draw_bytes(report) for rank, report in reports.items()}
            write_folder(folder, files, [])
            text = render_document(fleet, folder.name, reports.keys())
        else:
            text = render_fleet(fleet, form, by=by, top=top)
        write_text(target, text, [])
    else:
        draws = {f"{name}.parquet": draw_rows(FLEET[name], fleet.rows[name]) for name in FLEET}
        write_folder(target, draws, [])
    return target


def _draw_bytes(content: bytes) -> Callable[[BinaryIO], None]:
    def draw(handle: BinaryIO) -> None:
        handle.write(content)

    return draw


def dump_json(fleet: FleetTables) -> str:
    """All tables as one JSON document; numbers are exact."""
    return indent_json(
        {
            "format": "kernelmap.fleet",
            "version": 1,
            "ranks_expected": fleet.expected,
            "ranks_read": fleet.read,
            "ranks_new": fleet.new,
            "median_rank": fleet.reference,
            "collectives_matched": fleet.matched,
            "what_if_is": "an estimate",
            **{name: fleet.rows[name] for name in FLEET},
            "unplaced": fleet.unplaced,
            "notices": fleet.notices,
        }
    )
