"""What NCCL, Gloo and MPI say of collectives in a profile: name, group, elements, types.

Kineto writes these arguments beside a kernel of NCCL (`Collective name`, `Process Group Name`, …);
of backends for the CPU there is a host range `gloo:all_reduce` with the dimensions of its tensors.
The trace model keeps none of them, because a correlation has no use for them. Gives records by the
id that a launch or a range bears too. Left out: everything else in the file, and files of
other profilers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from pathlib import Path

import msgspec

from kernelmap.facts.communication import HOST_BACKENDS
from kernelmap.model import Trace
from kernelmap.model.collectives import CollectiveArgs, StatedCollectives
from kernelmap.traces.chrome.json_stream import MALFORMED
from kernelmap.traces.formats import is_packets
from kernelmap.traces.marks import REACH, iter_marks
from kernelmap.traces.perfetto.second_look import read_notes

_NAME = "Collective name"
_KEY = b'"%s"' % _NAME.encode()
_SAID_TEXTS = (_NAME, "Process Group Name", "Process Group Ranks", "dtype")
_SAID_OTHERS = ("In msg nelems", "Out msg nelems", "Group size", "Input Dims", "Input type")
_MARKS = re.compile(
    rb'"Collective name"|"name"\s*:\s*"(?:' + "|".join(HOST_BACKENDS).encode() + rb"):"
)
_ARGS = re.compile(rb'"args"\s*:\s*(?=\{)')


class _SaidArgs(msgspec.Struct):
    name: str | None = msgspec.field(default=None, name="Collective name")
    group: str | None = msgspec.field(default=None, name="Process Group Name")
    ranks: str | None = msgspec.field(default=None, name="Process Group Ranks")
    dtype: str | None = None
    elements_in: int | None = msgspec.field(default=None, name="In msg nelems")
    elements_out: int | None = msgspec.field(default=None, name="Out msg nelems")
    members: int | None = msgspec.field(default=None, name="Group size")
    correlation: int | None = None
    external: int | None = msgspec.field(default=None, name="External id")
    dims: list[list[object]] = msgspec.field(default_factory=list, name="Input Dims")
    types: list[str] = msgspec.field(default_factory=list, name="Input type")


_DECODER = msgspec.json.Decoder(_SaidArgs)


def read_collectives(trace: Trace) -> StatedCollectives:
    """What the files of a trace say of collectives; nothing where nsys or rocprofv3 wrote them."""
    said: dict[tuple[bool, int], CollectiveArgs] = {}
    for of_file in collectives_by_file(trace):
        said |= of_file
    return said


def collectives_by_file(trace: Trace) -> tuple[StatedCollectives, ...]:
    """The same file by file, parallel to the sources: ids of several files are not told apart."""
    return tuple(
        collective_args(Path(source)) if by_torch else {}
        for source, by_torch in zip(trace.sources, trace.by_torch.tolist(), strict=True)
    )


def collective_args(path: Path) -> dict[tuple[bool, int], CollectiveArgs]:
    """What kernels of NCCL and ranges of Gloo, MPI and UCC say of their collectives.

    Keys are whether an id is a correlation id (of a kernel) or an external id (of a range), and
    that id. Raises KernelmapError where the file cannot be read; a damaged event is left out.
    """
    by_id: dict[tuple[bool, int], CollectiveArgs] = {}
    for args in _of_packets(path) if is_packets(path) else _texts(path):
        try:
            said = _DECODER.decode(args)
        except MALFORMED:
            continue
        number = said.external if said.correlation is None else said.correlation
        if number is not None:
            by_id.setdefault((said.correlation is not None, number), _record(said))
    return by_id


def _record(said: _SaidArgs) -> CollectiveArgs:
    # `Input Dims` may hold lists of lists, for lists of tensors; these are not counted.
    flat = [[size for size in dims if isinstance(size, int)] for dims in said.dims]
    elements = sum(map(prod, filter(None, flat))) or None
    return CollectiveArgs(
        name=said.name,
        group=said.group,
        ranks=said.ranks,
        dtype=said.dtype or next(iter(said.types), None),
        elements_in=elements if said.elements_in is None else said.elements_in,
        elements_out=elements if said.elements_out is None else said.elements_out,
        members=said.members,
    )


def _of_packets(path: Path) -> Iterator[bytes]:
    """The arguments of each event of a Perfetto trace that is a collective, as JSON."""
    for said in read_notes(path, (*_SAID_TEXTS, *_SAID_OTHERS), _is_host_backend):
        if _NAME in said.notes or _is_host_backend(said.name):
            # A GPU's stages hold texts alone, so what looks like a number may be a name.
            texts = {key: str(said.notes[key]) for key in _SAID_TEXTS if key in said.notes}
            yield msgspec.json.encode({**said.notes, **texts})


def _is_host_backend(name: str) -> bool:
    return name.partition(":")[0] in HOST_BACKENDS and ":" in name


def _texts(path: Path) -> Iterator[bytes]:
    """The arguments of each event with a mark, as JSON."""
    for text, mark in iter_marks(path, _MARKS):
        yield from _args_at(text, mark)


def _args_at(text: bytes, mark: re.Match[bytes]) -> Iterator[bytes]:
    """The object of arguments that holds the mark, or that follows the name that is the mark."""
    if mark[0] == _KEY:
        start = text.rfind(b"{", max(0, mark.start() - REACH), mark.start())
    else:
        args = _ARGS.search(text, mark.end(), mark.end() + REACH)
        start = -1 if args is None else args.end()
    end = text.find(b"}", mark.end(), mark.end() + REACH)
    if 0 <= start < end:
        yield text[start : end + 1]
