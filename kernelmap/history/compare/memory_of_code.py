"""Code without a recording → the memory of its graphs, and what their calls compute.

What a comparison of memory needs is in the code alone, so a CI without a GPU has it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct

from kernelmap.attribution.divide import divide_calls
from kernelmap.history.compare.held import HeldGraph, held_graphs
from kernelmap.history.compare.memory_sides import (
    MemoryComparison,
    Pieces,
    compare_memory,
    pairs_of_codes,
)
from kernelmap.history.compare.pieces import Piece
from kernelmap.memory import memory_of_program
from kernelmap.model import CompiledProgram, SourceLine
from kernelmap.tables.fingerprints import fingerprint_program, stem
from kernelmap.tables.lifetimes import rows_of_lifetimes


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
