"""Trace files → one linked Trace; picks the reader by content.

Errors: nothing to read, unreadable, empty, no reader knows it, no events, nothing that ran.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import is_folder, is_regular, require_readable
from kernelmap.model.trace import Trace
from kernelmap.traces.assemble import RawTrace, assemble
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.copies import without_copies
from kernelmap.traces.forms import recordings
from kernelmap.traces.kineto import KinetoReader
from kernelmap.traces.nsys import EXPORTS, no_export
from kernelmap.traces.nsys_sqlite import is_sqlite
from kernelmap.traces.nsys_stats import NsysStatsReader

_EXPORT = (
    "Give a profile that torch.profiler's export_chrome_trace wrote (.json or .json.gz), or an"
    " export of Nsight Systems (nsys export --type sqlite)."
)
_PROFILE = "Profile with ProfilerActivity.CUDA, or with nsys profile --trace=cuda,nvtx;"


class Reader(Protocol):
    """One file format."""

    @property
    def label(self) -> str:
        """What the format is called in messages."""

    def sniff(self, path: Path) -> bool:
        """Whether the content of `path` is of this format; cheap."""

    def read(self, path: Path) -> RawTrace:
        """The whole file; KernelmapError where it can't be used."""


READERS: tuple[Reader, ...] = (
    KinetoReader(),
    *EXPORTS,
    NsysStatsReader(),
)

_OTHER = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x80", "a Python pickle, perhaps a memory snapshot; pickles are never opened"),
    (b"<", "an HTML or XML page"),
    (b'{\n"format": "kernelmap', "a result that kernelmap saved; kernelmap.load reads it"),
    (b"{", 'JSON without "traceEvents"'),
    (b"[", "a JSON list without complete trace events"),
    (b"BZh", "packed with bzip2, which is not unpacked here"),
    (b"\xfd7zXZ", "packed with xz, which is not unpacked here"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd, which is not unpacked here"),
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


def load_trace(*paths: Path) -> Trace:
    """Read the files as ranks of one run; neither their order nor their names matter.

    A profile counts once, under however many names it is given. Raises KernelmapError where a file
    can't be used, or where nothing in any of them ran on a GPU or was compiled for the CPU.
    """
    if not paths:
        raise KernelmapError("no-trace", "No trace was given.", _EXPORT)
    for path in paths:
        require_readable(path)
    unique = {path.resolve(): path for path in sorted(paths)}
    chosen, passed_over = recordings(list(unique.values()))
    with _no_collection():
        trace = assemble(*without_copies([_read(path) for path in chosen]))
    trace = replace(trace, notices=(*trace.notices, *passed_over))
    if not len(trace.launches):
        gaps = "".join(f"; {notice.message}" for notice in trace.notices if notice.gap)
        raise KernelmapError(
            "no-gpu-activity",
            f"{', '.join(trace.sources)}: no GPU activity and no C++ kernel in"
            f" {len(trace.ranges)} host ranges{gaps}",
            ("Record CUDA: nsys profile --trace=cuda,nvtx;" if all(trace.by_nsys) else _PROFILE)
            + " for code compiled for the CPU set TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1.",
        )
    return trace


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the collector of cycles away: readers make none, and it looks at all that they hold.

    That is a sixth of the time of reading an export of a million kernels.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def _read(path: Path) -> RawTrace:
    for reader in READERS:
        if reader.sniff(path):
            return reader.read(path)
    if path.is_dir():
        raise KernelmapError("unknown-trace", f"{path} is a folder, not a trace", _EXPORT)
    if is_sqlite(path):
        raise no_export(path)
    blocks = Blocks(path, 4096)
    begin = next(iter(blocks), b"")
    if not begin.strip():
        what = blocks.cut or "it holds nothing"
        raise KernelmapError("empty-trace", f"{path} cannot be used: {what}", _EXPORT)
    known = ", ".join(reader.label for reader in READERS)
    raise KernelmapError(
        "unknown-trace", f"{path} is {looks_like(path)}; known are: {known}", _EXPORT
    )


def looks_like(path: Path) -> str:
    """What a file that no reader knows seems to be, to follow "it is"; KernelmapError unread."""
    begin = next(iter(Blocks(path, 4096)), b"")
    for magic, what in _OTHER:
        if begin.startswith(magic) or begin.lstrip().startswith(magic):
            return what
    if begin[_TAR_AT:].startswith(_TAR):
        return "a tar archive"
    if not begin.strip():
        return "empty"
    if b"\0" not in begin and not any(byte < ord("\t") for byte in begin):
        return "some other text"
    return "binary data, perhaps a Perfetto trace" if begin[:1] == b"\x0a" else "binary data"
