"""A page of present/ for a terminal: columns that fit its width, and colors.

Takes a page and a width in characters, gives one rich Text. Figures and forms are for browsers and
left out; what would move a cursor or change the terminal is shown as an escape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from kernelmap.outputs.layout import Bars, Part, Shortening, draw, wrapped
from kernelmap.present.page import (
    Bar,
    Code,
    Column,
    Facts,
    Kind,
    Note,
    Page,
    Points,
    Row,
    Section,
    Sum,
    Table,
    Tone,
    plain,
)
from kernelmap.present.text import visible

_BLOCK, _LABEL = "   ", 6
_TONES: Mapping[Tone, str] = {Tone.DIM: "dim", Tone.WARNING: "yellow", Tone.ALARM: "red"}
_SHORTENINGS: Mapping[Kind, Shortening] = {
    Kind.PATH: "paths",
    Kind.CODE: "beginning",
    Kind.SENTENCE: "beginning",
    Kind.ID: "ids",
    Kind.LIST: "list",
}
_CONFIDENCES: Mapping[str, str] = {
    "exact": "green",
    "inferred": "cyan",
    "ambiguous": "yellow",
    "unknown": "red",
}


def render(page: Page, width: int) -> Text:
    """The title, then the sections; facts and notes stand right below the title."""
    lines = _title(page)
    before: Section | None = None
    for shown in page.sections:
        if isinstance(shown, Facts):
            _add_facts(lines, shown, width)
        else:
            # An empty line stands between sections, but not between the title and a note, nor
            # between two sums.
            apart = before is not None or (lines and not isinstance(shown, Note))
            both_sums = isinstance(shown, Sum) and isinstance(before, Sum)
            lines += [*([Text()] if apart and not both_sums else []), *section(shown, width)]
            before = shown
    return Text("\n").join([*lines, Text()])


def section(shown: Section, width: int) -> list[Text]:
    """The lines of one section; none of what is for browsers."""
    if isinstance(shown, Table):
        return _stacked(shown, width) if shown.stacked else _table(shown, width)
    if isinstance(shown, Note):
        title = [Text(visible(shown.title), "bold")] if shown.title else []
        style = _TONES.get(shown.tone, "")
        texts = [visible(plain(line)) for line in shown.lines]
        # The lines of a note are broken at words; what follows is indented.
        broken = [part for text in texts for part in wrapped(text, width, then="  ")]
        return [*title, *(Text(part, style) for part in broken)]
    if isinstance(shown, Sum):
        return [_sum(shown, width)]
    if isinstance(shown, Code):
        return [Text(visible(line)) for line in shown.lines]
    return _points(shown, width) if isinstance(shown, Points) else []


def _title(page: Page) -> list[Text]:
    name, title = visible(page.name), visible(page.title)
    if name and title:
        return [Text(name, "bold").append(f" {title}", "not bold")]
    return [Text(name or title, "bold")] if name or title else []


def _points(shown: Points, width: int) -> list[Text]:
    """A title, and lines by their depth, each broken where it does not fit."""
    lines = [Text(visible(shown.title), "bold")] if shown.title else []
    for depth, text in shown.lines:
        indent = " " * (2 * depth)
        first = f"{indent}· " if depth == 1 else f"{indent}  "
        broken = wrapped(visible(text), width, first=first, then=f"{indent}  ")
        lines += [Text(line, "" if depth == 1 else "dim") for line in broken]
    return lines


def _add_facts(lines: list[Text], shown: Facts, width: int) -> None:
    """The facts behind the last line, on more lines where they do not fit."""
    for fact in map(visible, (*shown.names, *shown.facts)):
        # 3: the characters of ` · `.
        if len(lines[-1]) + len(fact) + 3 > width:
            lines.append(Text(fact, "dim"))
        else:
            lines[-1].append(f" · {fact}", "not bold dim")


def _sum(shown: Sum, width: int) -> Text:
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


def _table(shown: Table, width: int) -> list[Text]:
    """Title, rows, and what explains the columns that are there."""
    title = [Text(visible(shown.title), "bold")] if shown.title else []
    if not shown.rows:
        return [*title, Text(shown.empty, "dim")]
    telling = _telling(shown)
    parts = [_part(column, at, shown.rows, telling) for at, column in enumerate(shown.columns)]
    drawn = draw(parts, width, [row.dim for row in shown.rows])
    # Only columns that found a place are explained.
    notes = [column.about for column in shown.columns if column.about and column.name in drawn[0]]
    return [*title, *drawn, *(text for note in notes for text in (Text(), Text(note, "dim")))]


def _telling(shown: Table) -> set[int]:
    """The columns without which two rows would look the same: those that tell rows of one name."""
    # The rows by what is shown of them: their names first, and then with each column that makes
    # more of them differ.
    naming = next((at for at, it in enumerate(shown.columns) if it.kind is Kind.NAME), 0)
    told: list[tuple[str, ...]] = [(plain(row.cells[naming]),) for row in shown.rows]
    telling = set()
    for at, column in enumerate(shown.columns):
        if column.tells:
            pairs = [(*it, plain(row.cells[at])) for it, row in zip(told, shown.rows, strict=True)]
            if len(set(pairs)) > len(set(told)):
                telling.add(at)
                told = pairs
    return telling


def _part(column: Column, at: int, rows: Sequence[Row], telling: set[int]) -> Part:
    """A column as the layout takes it; what is `telling` gives way last."""
    cells = [row.cells[at] for row in rows]
    if column.kind is Kind.BAR:
        values = [(cell.start, cell.end) if isinstance(cell, Bar) else None for cell in cells]
        return Bars(header=column.name, values=values, style="cyan", rank=column.rank)
    names_rows = column.kind is Kind.NAME or (at == 0 and column.kind is Kind.PATH)
    return Part(
        header=column.name,
        cells=[visible(plain(cell)) for cell in cells],
        rank=column.rank,
        tells=at in telling,
        right=column.kind is Kind.NUMBER,
        least=column.least,
        style="bold" if names_rows else "",
        shortening=_SHORTENINGS.get(column.kind, "names"),
        names_rows=names_rows and not column.rank,
    )


def _stacked(shown: Table, width: int) -> list[Text]:
    """The title, and a block per row, numbered; a row of ours stands for others."""
    lines = [Text(shown.title, "bold")] if shown.title else []
    for number, row in enumerate(shown.rows, 1):
        name, size, what, *rest = (visible(plain(cell)) for cell in row.cells)
        head = Text("   " if row.ours else f"{number:>2} ").append(
            name, f"bold {_TONES.get(row.tone, '')}".strip()
        )
        lines += [*([Text()] if lines else []), head.append(f" · {size}" if size else "", "dim")]
        lines += map(Text, wrapped(what, width, first=_BLOCK, then=_BLOCK) if what else [])
        for column, text in zip(shown.columns[3:], rest, strict=True):
            label = f"{_BLOCK}{column.name:<{_LABEL}}"
            broken = wrapped(text, width, first=label, then=" " * len(label)) if text else []
            lines += map(Text, broken)
    return lines
