"""A page for a terminal: columns that fit its width, and colors.

Takes a page and a width in characters, gives one rich Text. Figures and forms are for browsers and
left out; what would move a cursor or change the terminal is shown as an escape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from kernelmap.pages.page import (
    Bar,
    CellKind,
    CodeBlock,
    Facts,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Sum,
    Tone,
    plain_text,
)
from kernelmap.pages.render.layout import (
    BarColumn,
    ColumnPart,
    Shortening,
    draw_columns,
    wrap_sentence,
)
from kernelmap.pages.text import make_visible

_BLOCK, _LABEL = "   ", 6
_TONES: Mapping[Tone, str] = {Tone.DIM: "dim", Tone.WARNING: "yellow", Tone.ALARM: "red"}
_SHORTENINGS: Mapping[CellKind, Shortening] = {
    CellKind.PATH: "paths",
    CellKind.CODE: "beginning",
    CellKind.SENTENCE: "beginning",
    CellKind.ID: "ids",
    CellKind.LIST: "list",
}
_CONFIDENCES: Mapping[str, str] = {
    "exact": "green",
    "inferred": "cyan",
    "ambiguous": "yellow",
    "unknown": "red",
}


def render_text(page: Page, width: int) -> Text:
    """The title, then the sections; facts and notes stand right below the title."""
    lines = _render_title(page)
    before: Section | None = None
    for shown in page.sections:
        if isinstance(shown, Facts):
            _add_facts(lines, shown, width)
        else:
            # An empty line stands between sections, but not between the title and a note, nor
            # between two sums.
            apart = before is not None or (lines and not isinstance(shown, Note))
            both_sums = isinstance(shown, Sum) and isinstance(before, Sum)
            lines += [*([Text()] if apart and not both_sums else []), *render_section(shown, width)]
            before = shown
    return Text("\n").join([*lines, Text()])


def render_section(shown: Section, width: int) -> list[Text]:
    """The lines of one section; none of what is for browsers."""
    if isinstance(shown, PageTable):
        return _render_stacked(shown, width) if shown.stacked else _render_table(shown, width)
    if isinstance(shown, Note):
        title = [Text(make_visible(shown.title), "bold")] if shown.title else []
        style = _TONES.get(shown.tone, "")
        texts = [make_visible(plain_text(line)) for line in shown.lines]
        # The lines of a note are broken at words; what follows is indented.
        broken = [part for text in texts for part in wrap_sentence(text, width, then="  ")]
        return [*title, *(Text(part, style) for part in broken)]
    if isinstance(shown, Sum):
        return [_render_sum(shown, width)]
    if isinstance(shown, CodeBlock):
        return [Text(make_visible(line)) for line in shown.lines]
    return _render_points(shown, width) if isinstance(shown, Points) else []


def _render_title(page: Page) -> list[Text]:
    name, title = make_visible(page.name), make_visible(page.title)
    if name and title:
        return [Text(name, "bold").append(f" {title}", "not bold")]
    return [Text(name or title, "bold")] if name or title else []


def _render_points(shown: Points, width: int) -> list[Text]:
    """A title, and lines by their depth, each broken where it does not fit."""
    lines = [Text(make_visible(shown.title), "bold")] if shown.title else []
    for depth, text in shown.lines:
        indent = " " * (2 * depth)
        first = f"{indent}· " if depth == 1 else f"{indent}  "
        broken = wrap_sentence(make_visible(text), width, first=first, then=f"{indent}  ")
        lines += [Text(line, "" if depth == 1 else "dim") for line in broken]
    return lines


def _add_facts(lines: list[Text], shown: Facts, width: int) -> None:
    """The facts behind the last line, on more lines where they do not fit."""
    for fact in map(make_visible, (*shown.names, *shown.facts)):
        # 3: the characters of ` · `.
        if len(lines[-1]) + len(fact) + 3 > width:
            lines.append(Text(fact, "dim"))
        else:
            lines[-1].append(f" · {fact}", "not bold dim")


def _render_sum(shown: Sum, width: int) -> Text:
    """The whole and its parts, broken between parts where `width` asks for it."""
    text = Text(shown.whole, "bold")
    indent = column = len(text)
    sign = " = "
    for part, confidence in shown.parts:
        if column + len(sign) + len(part) > width:
            text.append("\n" + " " * indent)
            column = indent
        style = _CONFIDENCES.get(confidence, "default")
        text.append(sign, "not bold").append(part, f"not bold {style}")
        column += len(sign) + len(part)
        sign = " + "
    return text


def _render_table(shown: PageTable, width: int) -> list[Text]:
    """Title, rows, and what explains the columns that are there."""
    title = [Text(make_visible(shown.title), "bold")] if shown.title else []
    if not shown.rows:
        return [*title, Text(shown.empty, "dim")]
    telling = _telling_columns(shown)
    parts = [
        _part_of_column(column, at, shown.rows, telling) for at, column in enumerate(shown.columns)
    ]
    drawn = draw_columns(parts, width, [row.dim for row in shown.rows])
    # Only columns that found a place are explained.
    notes = [column.about for column in shown.columns if column.about and column.name in drawn[0]]
    return [*title, *drawn, *(text for note in notes for text in (Text(), Text(note, "dim")))]


def _telling_columns(shown: PageTable) -> set[int]:
    """The columns without which two rows would look the same: those that tell rows of one name."""
    # The rows by what is shown of them: their names first, and then with each column that makes
    # more of them differ.
    naming = next((at for at, it in enumerate(shown.columns) if it.kind is CellKind.NAME), 0)
    told: list[tuple[str, ...]] = [(plain_text(row.cells[naming]),) for row in shown.rows]
    telling = set()
    for at, column in enumerate(shown.columns):
        if column.tells:
            pairs = [
                (*it, plain_text(row.cells[at])) for it, row in zip(told, shown.rows, strict=True)
            ]
            if len(set(pairs)) > len(set(told)):
                telling.add(at)
                told = pairs
    return telling


def _part_of_column(
    column: PageColumn, at: int, rows: Sequence[PageRow], telling: set[int]
) -> ColumnPart:
    """A column as the layout takes it; what is `telling` gives way last."""
    cells = [row.cells[at] for row in rows]
    if column.kind is CellKind.BAR:
        values = [(cell.start, cell.end) if isinstance(cell, Bar) else None for cell in cells]
        return BarColumn(header=column.name, values=values, style="cyan", rank=column.rank)
    names_rows = column.kind is CellKind.NAME or (at == 0 and column.kind is CellKind.PATH)
    return ColumnPart(
        header=column.name,
        cells=[make_visible(plain_text(cell)) for cell in cells],
        rank=column.rank,
        tells=at in telling,
        right=column.kind is CellKind.NUMBER,
        least=column.least,
        style="bold" if names_rows else "",
        shortening=_SHORTENINGS.get(column.kind, "names"),
        names_rows=names_rows and not column.rank,
    )


def _render_stacked(shown: PageTable, width: int) -> list[Text]:
    """The title, and a block per row, numbered; a row of ours stands for others."""
    lines = [Text(shown.title, "bold")] if shown.title else []
    for number, row in enumerate(shown.rows, 1):
        name, size, what, *rest = (make_visible(plain_text(cell)) for cell in row.cells)
        head = Text("   " if row.ours else f"{number:>2} ").append(
            name, f"bold {_TONES.get(row.tone, '')}".strip()
        )
        lines += [*([Text()] if lines else []), head.append(f" · {size}" if size else "", "dim")]
        lines += map(Text, wrap_sentence(what, width, first=_BLOCK, then=_BLOCK) if what else [])
        for column, text in zip(shown.columns[3:], rest, strict=True):
            label = f"{_BLOCK}{column.name:<{_LABEL}}"
            broken = wrap_sentence(text, width, first=label, then=" " * len(label)) if text else []
            lines += map(Text, broken)
    return lines
