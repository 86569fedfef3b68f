"""Trace files → one linked Trace; picks the reader by content.

Errors: nothing to read, unreadable, empty, no reader knows it, no events, nothing that ran.

The rank of a trace is what the file states, else what its name or its folder's says. A Kineto trace
of torch.distributed states `distributedInfo` before its events; a rank behind the events is not
looked for. Names say `rank_0.pt.trace.json.gz`, `rank0/trace.json`; the handler of TensorBoard
names host and process, `node1_4711.1700000000000000000.pt.trace.json`, which tells processes apart
but no ranks. A Perfetto trace states no rank.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.facts.api_calls import launched_activity
from kernelmap.model.collection import without_collection
from kernelmap.model.paths import is_folder, is_regular, require_readable
from kernelmap.model.trace import Trace
from kernelmap.traces.assemble import RawTrace, assemble_trace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.copies import without_copies, without_other_forms
from kernelmap.traces.formats import READERS, is_sqlite
from kernelmap.traces.nsys.reader import no_export
from kernelmap.traces.without_activity import nothing_ran

_LOG = logging.getLogger(__name__)
_NAMED = re.compile(r"(?<![A-Za-z])rank[ _.=-]?(?P<rank>\d+)(?!\d)", re.IGNORECASE)
_STATED = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*"?(?P<rank>\d+)')
_WORKER = re.compile(r"(?P<worker>.+_\d+)\.\d+\.pt\.trace\.(?:json|pftrace)(?:\.gz)?")
_HEAD = 1 << 20
_LONGEST = 9  # digits of a rank
_EXPORT = (
    "Give a profile that torch.profiler wrote (export_chrome_trace: .json or .json.gz; its backend"
    " cupti_monitor: .pftrace), or an export of Nsight Systems (nsys export --type sqlite)."
)
_COPY_AGAIN = "Copy it again from where it was recorded, or export it again."


def rank_of_name(path: Path) -> int | None:
    """The rank in the name of a file, else in that of its folder; None where neither has one.

    >>> rank_of_name(Path("rank_1.pt.trace.json.gz")), rank_of_name(Path("rank0/trace.json"))
    (1, 0)
    >>> rank_of_name(Path("frank2.json")) is None
    True
    """
    for name in (path.name, path.parent.name):
        named = _NAMED.search(name)
        if named is not None and len(named["rank"]) <= _LONGEST:
            return int(named["rank"])
    return None


def is_named_after_rank(folder: Path) -> bool:
    """Whether the name of a folder says a rank."""
    return _NAMED.search(folder.name) is not None


def are_ranks(paths: Sequence[Path]) -> bool:
    """Whether several traces are shown to be different processes of one run."""
    stated = [_stated(path) for path in paths]
    ranks = [
        rank_of_name(path) if rank is None else rank
        for path, rank in zip(paths, stated, strict=True)
    ]
    workers = [_WORKER.fullmatch(path.name) for path in paths]
    # Names of TensorBoard's handler tell processes apart, though not which rank each is.
    if all(rank is None for rank in ranks) and all(workers):
        return len({match["worker"] for match in workers if match}) == len(paths)
    return None not in ranks and len(set(ranks)) == len(paths)


def _stated(path: Path) -> int | None:
    """The rank that the start of a file states."""
    begin = next(iter(FileBlocks(path, _HEAD)), b"")
    stated = _STATED.search(begin)
    return int(stated["rank"][:_LONGEST]) if stated else None


_OTHER = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x80", "a Python pickle; of these only memory snapshots of torch are read"),
    (b"<", "an HTML or XML page"),
    (b'{\n"format": "kernelmap', "a result that kernelmap saved; kernelmap.load reads it"),
    (b"{", 'JSON without "traceEvents"'),
    (b"[", "a JSON list without complete trace events"),
    (b"BZh", "packed with bzip2, which is not unpacked here"),
    (b"\xfd7zXZ", "packed with xz, which is not unpacked here"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd, which is unpacked from a pipe only: `-` and < FILE"),
    (b"\x1f\x8b", "packed twice, unpack it once"),
    (b"\xff\xfe", "text in UTF-16, save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16, save it as UTF-8"),
    (b"PAR1", "a Parquet file"),
)
_TAR, _TAR_AT = b"ustar", 257


def is_trace(path: Path) -> bool:
    """Whether some reader knows the content of the file or folder at `path`.

    Only regular files can be traces, and the folders that nsys exports to.
    """
    return (is_regular(path) or is_folder(path)) and any(reader.sniff(path) for reader in READERS)


def load_trace(*paths: Path, may_be_capture: bool = False) -> Trace:
    """Read the files as ranks of one run; neither their order nor their names matter.

    A profile counts once, under however many names it is given. Raises KernelmapError where a file
    can't be used, or where nothing in any of them ran on a GPU or was compiled for the CPU; if the
    files may show a capture alone, api calls that launch are enough.
    """
    if not paths:
        raise KernelmapError("no-trace", "No trace was given.", _EXPORT)
    for path in paths:
        require_readable(path)
    unique = {path.resolve(): path for path in sorted(paths)}
    with without_collection():
        trace = _one(*unique.values()) if len(unique) == 1 else _several(list(unique.values()))
    # In a capture api calls launch, and nothing runs.
    is_capture = may_be_capture and any(
        launched_activity(name) is not None for name in trace.apis.names
    )
    if not len(trace.launches) and not is_capture:
        raise nothing_ran(trace)
    return trace


def _one(path: Path) -> Trace:
    return assemble_trace(_ranked(_read(path)))


def _several(paths: list[Path]) -> Trace:
    """The files as one run; what is another form or a copy of one of them counts once."""
    chosen, passed_over = without_other_forms(paths)
    trace = assemble_trace(*map(_ranked, without_copies([_read(path) for path in chosen])))
    return replace(trace, notices=(*trace.notices, *passed_over))


def _ranked(raw: RawTrace) -> RawTrace:
    """`raw` with the rank that its name says, where the file states none."""
    return raw if raw.rank is not None else replace(raw, rank=rank_of_name(Path(raw.source)))


def _read(path: Path) -> RawTrace:
    for reader in READERS:
        if reader.sniff(path):
            _LOG.debug("%s is read as %s", path, reader.label)
            return reader.read(path)
    if path.is_dir():
        raise KernelmapError("unknown-trace", f"{path} is a folder, not a trace", _EXPORT)
    if is_sqlite(path):
        raise no_export(path)
    blocks = FileBlocks(path, 4096)
    begin = next(iter(blocks), b"")
    for _ in blocks:
        pass  # to its end, which says whether it is whole
    if blocks.cut is not None:
        raise KernelmapError("empty-trace", f"{path} is cut off: {blocks.cut}", _COPY_AGAIN)
    if not begin.strip():
        raise KernelmapError("empty-trace", f"{path} cannot be used: it holds nothing", _EXPORT)
    labels = ", ".join(reader.label for reader in READERS)
    raise KernelmapError(
        "unknown-trace", f"{path} is {looks_like(path)}; known are: {labels}", _EXPORT
    )


def looks_like(path: Path) -> str:
    """What a file that no reader knows seems to be, to follow "it is"; KernelmapError unread."""
    begin = next(iter(FileBlocks(path, 4096)), b"")
    for magic, what in _OTHER:
        if begin.startswith(magic) or begin.lstrip().startswith(magic):
            return what
    if begin[_TAR_AT:].startswith(_TAR):
        return "a tar archive"
    if not begin.strip():
        return "empty"
    if b"\0" not in begin and not any(byte < ord("\t") for byte in begin):
        return "some other text"
    return "binary data"
