"""Two sides that are code without a profile → the comparison of their memory, and its texts.

Time needs a profile; what memory the code asks for is in the code alone, so a CI without a GPU has
it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import read_compiled
from kernelmap.history.compare.memory.graphs import (
    MemoryComparison,
    Pieces,
    compare_memory,
    pairs_of_codes,
)
from kernelmap.history.compare.memory.page import memory_in_json, page_of_memory_change
from kernelmap.history.compare.sides.held import HeldGraph, held_graphs
from kernelmap.history.compare.sides.opening import paths_of_side
from kernelmap.history.compare.sides.pieces import Piece
from kernelmap.inputs import has_trace_beside, sort
from kernelmap.memory import memory_of_program
from kernelmap.model import CompiledProgram, Notice, SourceLine
from kernelmap.model.paths import is_there
from kernelmap.pages.page import Page
from kernelmap.pages.render import html, markdown
from kernelmap.tables.fingerprints import fingerprint_program, stem
from kernelmap.tables.json import indent_json
from kernelmap.tables.lifetimes import rows_of_lifetimes
from kernelmap.tables.saved import is_saved

FORMAT = "kernelmap.memory_diff"


class CodeMemory(Struct, frozen=True, kw_only=True):
    """The memory of the graphs of a program, and what each call of them computes, by graph."""

    held: tuple[HeldGraph, ...]
    pieces: Pieces


def read_code_memory(program: CompiledProgram) -> CodeMemory:
    """The memory of all graphs whose code is given."""
    return CodeMemory(
        held=held_graphs(rows_of_lifetimes(program, memory_of_program(program))),
        pieces=_pieces_of_program(program),
    )


def compare_codes(before: CodeMemory, after: CodeMemory) -> MemoryComparison:
    """How the peaks of the graphs changed from one code to another."""
    return compare_memory(before.held, after.held, pairs_of_codes(before.pieces, after.pieces))


def _pieces_of_program(program: CompiledProgram) -> Pieces:
    prints = fingerprint_program(program)
    pieces: dict[str, list[Piece]] = {graph.id: [] for graph in program.graphs}
    # Calls, fingerprints and divisions are parallel.
    for (graph, call), made, division in zip(
        program.calls, prints.calls, divide_calls(program), strict=True
    ):
        pieces[graph.id].append(
            Piece(
                fingerprint=None if made is None else made.fingerprint,
                name=stem(call),
                parts=() if made is None else made.parts or (),
                ops=division.involved_ops,
                lines=_texts_of_lines(call.lines),
            )
        )
    return list(pieces.items())


def _texts_of_lines(lines: Sequence[SourceLine]) -> tuple[str, ...]:
    """The lines as what stays when they move and checkouts differ: the file's name, the text."""
    known = (f"{PurePath(line.file).name}: {line.code}" for line in lines if line.code is not None)
    return tuple(sorted(set(known)))


class OpenedCode(Struct, frozen=True, kw_only=True):
    """The code of one side, what could not be used of it, and the files that were read for it."""

    title: str
    memory: CodeMemory
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]


class ComparedCodes(Struct, frozen=True, kw_only=True):
    """The memory of two codes, and where they come from."""

    sides: tuple[OpenedCode, OpenedCode]
    memory: MemoryComparison

    @property
    def titles(self) -> tuple[str, str]:
        """What the user calls the two."""
        return self.sides[0].title, self.sides[1].title

    def page(self, top: int) -> Page:
        """The changes as a page, at most `top` rows."""
        return page_of_memory_change(self.memory, self.titles, top)

    def render(self, form: str, top: int) -> str:
        """The comparison as `json`, `markdown` or `html`."""
        if form == "json":
            before, after = self.titles
            named = {"format": FORMAT, "version": 1, "before": before, "after": after}
            return indent_json({**named, "memory": memory_in_json(self.memory)})
        if form == "markdown":
            return markdown.render_markdown(self.page(top))
        return html.render_document(self.page(top), title=" → ".join(self.titles))


def compare_codes_named(before: str, after: str) -> ComparedCodes | None:
    """The memory of two sides by their names; None where one of them has more than code.

    Raises KernelmapError where a path cannot be used.
    """
    paths = [paths_of_side(name) for name in (before, after)]
    if not all(map(_is_code_alone, paths)):
        return None
    one, other = (
        _open_code(name, files) for name, files in zip((before, after), paths, strict=True)
    )
    return ComparedCodes(sides=(one, other), memory=compare_codes(one.memory, other.memory))


def _is_code_alone(paths: list[Path]) -> bool:
    """Whether there is code, and no profile with or beside it."""
    if not all(map(is_there, paths)) or any(map(is_saved, paths)):
        return False
    inputs = sort(paths)
    return bool(inputs.code) and not (inputs.traces or inputs.bundles or has_trace_beside(paths))


def _open_code(title: str, paths: list[Path]) -> OpenedCode:
    program = read_compiled(sort(paths).code)
    return OpenedCode(
        title=title,
        memory=read_code_memory(program),
        notices=program.notices,
        files=(*paths, *map(Path, program.files)),
    )
