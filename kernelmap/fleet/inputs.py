"""What was named on a command line → the files of each rank, and what cannot be placed.

Takes folders, globs and URLs. A rank is what a trace states (`distributedInfo`), else what the
pattern of the user finds in the path, else what the names of file and folders say (`rank_3`,
`dedicated_log_torch_trace_rank_3_….log`, the folder `rank_3` of a bundle). A folder that is named
after a rank is read as a whole. Left out: reading; files in folders that are neither trace nor log
nor in the folder of a rank.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath

from msgspec import Struct

from kernelmap.errors import KernelmapError, UsageError, unreadable
from kernelmap.fleet.files import is_url, list_files, read_head
from kernelmap.fleet.limit import LIMIT_S, run_within
from kernelmap.model.bundle import CUDA_GRAPHS, MANIFEST

_HEAD, _HEAD_S = 1 << 20, 60.0  # bytes of the beginning of a file, and seconds for it
_GZIP = b"\x1f\x8b"
# The plain values at the beginning of the object, up to the first list or object in it.
_DISTRIBUTED = re.compile(rb'"distributedInfo"\s*:\s*\{[^\[\]{}]*')
_STATED = {
    "rank": re.compile(rb'"rank"\s*:\s*"?(\d{1,9})\b'),
    "world_size": re.compile(rb'"world_size"\s*:\s*"?(\d{1,9})\b'),
}
# `rank_3`, `rank3` and `Rank-3`, but neither `frank3` nor `rank_3` of `rank_3000000000`.
_NAMED = re.compile(r"(?<![A-Za-z])rank[ _.=-]?(?P<rank>\d{1,9})(?!\d)", re.IGNORECASE)
_TRACES = (".json", ".json.gz", ".pftrace", ".pftrace.gz", ".sqlite", ".nsys-rep", ".db")
_LOG = re.compile(r"\.log(?:\.gz)?$")
# JSON files of a bundle that hold no events.
_NOT_TRACES = (CUDA_GRAPHS, "process.json")
LATER = "has a later trace"
"""Why a trace whose rank is known is not read."""
_SQLITE = b"SQLite format 3\0"
_ROCPD = b"rocpd_"
_KEYS = (b'"traceEvents"', b'"distributedInfo"', b'"schemaVersion"', b'"rocprofiler-sdk-tool"')


class RankFiles(Struct, frozen=True, kw_only=True):
    """The files of one rank, by path or URL."""

    rank: int
    files: tuple[str, ...]


class Unplaced(Struct, frozen=True, kw_only=True):
    """A file that belongs to no rank, and why."""

    name: str
    reason: str


class PlacedFiles(Struct, frozen=True, kw_only=True):
    """The files of each rank. `world_size` is how many ranks there were, None where no file says.

    `manifests` are those of bundles; they belong to no single rank.
    """

    ranks: tuple[RankFiles, ...]
    unplaced: tuple[Unplaced, ...]
    world_size: int | None
    manifests: tuple[str, ...] = ()

    @property
    def absent(self) -> tuple[int, ...]:
        """The ranks without a file, below the size of the world or up to the highest rank."""
        there = {rank_files.rank for rank_files in self.ranks}
        return tuple(sorted(set(range(self.world_size or max(there) + 1)) - there))


class _InputFile(Struct, frozen=True):
    """A file that was found: a trace, a log, or something else in the folder of a rank."""

    name: str
    rank: int | None
    folder: str | None
    is_trace: bool


def place_by_rank(
    inputs: Sequence[str], pattern: str | None = None, *, limit_s: float = LIMIT_S
) -> PlacedFiles:
    """The files of `inputs` by rank; `pattern` is a regular expression with a group for the rank.

    Raises KernelmapError where an input cannot be read, or takes longer than `limit_s` to list, and
    UsageError `no-ranks` where nothing says a rank, and for a pattern that is none.
    """
    expression = None if pattern is None else _compile_pattern(pattern)
    files: dict[int, list[_InputFile]] = defaultdict(list)
    unplaced: list[Unplaced] = []
    sizes: list[int] = []
    names = dict.fromkeys(name for given in inputs for name in _list_in_time(given, limit_s))
    heads = _Heads(min(limit_s, _HEAD_S))
    for name in names:
        file = _what_file_is(name, expression, sizes, heads)
        if file is None:
            # Only what was named itself is listed: a folder may hold any other files.
            if name in inputs:
                unplaced.append(Unplaced(name=name, reason="it is neither a trace nor a log"))
        elif file.rank is None:
            what = "trace" if file.is_trace else "log"
            reason = f"neither the {what} nor its name says of which rank it is"
            unplaced.append(Unplaced(name=name, reason=reason))
        else:
            files[file.rank].append(file)
    if not files:
        raise UsageError(
            "no-ranks",
            f"none of {len(unplaced)} traces and logs says of which rank it is"
            if unplaced
            else "the inputs hold no trace and no log",
            r"Say where the rank stands in their paths: --rank-pattern 'worker(\d+)'.",
        )
    ranks = []
    for rank, given in sorted(files.items()):
        taken, others = _of_rank(given)
        ranks.append(RankFiles(rank=rank, files=taken))
        unplaced += [Unplaced(name=name, reason=f"rank {rank} {LATER}") for name in others]
    return PlacedFiles(
        ranks=tuple(ranks),
        unplaced=tuple(unplaced),
        world_size=max(sizes, default=None),
        manifests=tuple(name for name in names if PurePath(name).name == MANIFEST),
    )


def _list_in_time(name: str, limit_s: float) -> list[str]:
    try:
        return run_within(limit_s, list_files, name)
    except TimeoutError as error:
        raise unreadable(name, error) from error


class _Heads(Struct):
    """Reads the beginnings of files. After one stalls no other is read: names must say the ranks.

    The task that reads the rank tries such a file again and reports it.
    """

    limit_s: float
    stalled: bool = False

    def read_head(self, name: str) -> bytes:
        """The beginning of a file without its packing; nothing where it cannot be read."""
        if not self.stalled:
            try:
                return _unpack_head(run_within(self.limit_s, read_head, name, _HEAD))
            except TimeoutError:
                self.stalled = True
            except (KernelmapError, OSError):  # the task that reads the rank reports it
                pass
        return b""


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UsageError(
            "wrong-pattern",
            f"{pattern!r} is no regular expression: {error}",
            r"Give one with a group for the rank, such as 'worker(\d+)'.",
        ) from error
    if not expression.groups:
        raise UsageError(
            "wrong-pattern",
            f"{pattern!r} has no group for the rank",
            r"Put the number into parentheses: 'worker(\d+)'.",
        )
    return expression


def _what_file_is(
    name: str, pattern: re.Pattern[str] | None, sizes: list[int], heads: _Heads
) -> _InputFile | None:
    """What a file is, and of which rank; None for what has no place here."""
    base = PurePath(name).name
    of_rank, folder = _by_names(name)
    if pattern is not None and (match := pattern.search(name)):
        # A group named `rank` goes before the first group. A rank that the pattern finds belongs to
        # the file alone, not to a folder.
        group = "rank" if "rank" in pattern.groupindex else 1
        if match[group] is not None and match[group].isdecimal():
            of_rank, folder = int(match[group]), None
    is_trace = base.endswith(_TRACES) and base not in _NOT_TRACES
    if is_trace:
        # A file behind a URL is looked into only where its name says no rank.
        begin = heads.read_head(name) if of_rank is None or not is_url(name) else b""
        # JSON of another kind: in the folder of a rank it is read with the folder, elsewhere it has
        # no place.
        if begin and not _is_trace(begin, base):
            return None if folder is None else _InputFile(name, of_rank, folder, is_trace=False)
        stated, size = _stated_rank(begin)
        sizes += [] if size is None else [size]
        # The trace knows its rank better than names do, and then the folder is that of another
        # rank.
        if stated is not None and stated != of_rank:
            of_rank, folder = stated, None
        return _InputFile(name, of_rank, folder, is_trace=True)
    if folder is not None:
        return _InputFile(name, of_rank, folder, is_trace=False)
    return _InputFile(name, of_rank, None, is_trace=False) if _LOG.search(base) else None


def _by_names(name: str) -> tuple[int | None, str | None]:
    """The rank in the name of a file, or of a folder around it, and that folder."""
    path = PurePath(name)
    if match := _NAMED.search(path.name):
        inner = int(match["rank"])
        around = _folder_of(path)
        # The file's own name goes first; the folder counts only where it says the same rank.
        return inner, around[1] if around and around[0] == inner else None
    around = _folder_of(path)
    return around or (None, None)


def _folder_of(path: PurePath) -> tuple[int, str] | None:
    """The innermost folder around a file that is named after a rank."""
    name = str(path)
    for folder in path.parents:
        if match := _NAMED.fullmatch(folder.name):
            # a URL loses a slash as a path: the text in front of the rest is the folder
            at = name.find(f"{folder.name}/")
            return int(match["rank"]), name[: at + len(folder.name)]
    return None


def _of_rank(files: Sequence[_InputFile]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files to read for a rank (whole folders, else files), and the traces that are left out.

    Of several traces in several places the last by name is read: names end in a time stamp.
    """
    # Of several folders with a trace the last by name is read; folders without one, such as those
    # of logs, are all read.
    folders = dict.fromkeys(file.folder for file in files if file.folder is not None)
    if folders:
        with_trace = [file.folder for file in files if file.is_trace and file.folder is not None]
        chosen = max(with_trace, default=None, key=str)
        taken = [folder for folder in folders if folder not in with_trace or folder == chosen]
        # A folder that is no whole bundle is read without its record of CUDA graphs, so that is
        # named as well. So are logs in no folder of the rank.
        captures = [
            file.name
            for file in files
            if file.folder in taken and PurePath(file.name).name == CUDA_GRAPHS
        ]
        alone = [file.name for file in files if file.folder is None and not file.is_trace]
        others = [file.name for file in files if file.is_trace and file.folder not in taken]
        if chosen is not None:
            return (*taken, *captures, *alone), tuple(others)
    # Files in no folder, or in folders without any trace: the last trace in all of its forms, and
    # all that is no trace.
    traces = [file for file in files if file.is_trace]
    last = max(traces, default=None, key=lambda file: PurePath(file.name).name)
    stem = "" if last is None else _stem_of_path(last.name)
    kept = [file.name for file in files if not file.is_trace or _stem_of_path(file.name) == stem]
    return tuple(kept), tuple(file.name for file in traces if _stem_of_path(file.name) != stem)


def _stem_of_path(name: str) -> str:
    """A path without the endings of its format, so that one trace in two forms counts once."""
    return re.sub(r"(\.json|\.pftrace)?(\.gz)?$|\.(sqlite|nsys-rep|db)$", "", name)


def _is_trace(begin: bytes, base: str) -> bool:
    if base.endswith((".sqlite", ".nsys-rep")):
        return base.endswith(".nsys-rep") or begin.startswith(_SQLITE)
    if base.endswith(".db"):
        # Databases of rocprofv3 end so, and many others.
        return begin.startswith(_SQLITE) and _ROCPD in begin
    if base.endswith((".pftrace", ".pftrace.gz")):
        return True
    # A file of unknown content may be a damaged trace: its reader reports that.
    has_trace_keys = any(key in begin for key in _KEYS)
    return has_trace_keys or begin.lstrip()[:1] not in (b"{", b"[") or b'"ph"' in begin


def _stated_rank(begin: bytes) -> tuple[int | None, int | None]:
    """The rank and the size of the world that a trace states before its events."""
    info = _DISTRIBUTED.search(begin)
    if info is None:
        return None, None
    numbers = [pattern.search(info[0]) for pattern in _STATED.values()]
    rank, size = (None if number is None else int(number[1]) for number in numbers)
    return rank, size


def _unpack_head(begin: bytes) -> bytes:
    """The beginning of a file without its packing; of damaged data as much as there is."""
    if not begin.startswith(_GZIP):
        return begin
    # 31: a header of gzip, and the largest window. Of damaged data the packed bytes are returned,
    # which pass for a trace of unknown content, so that its reader reports it.
    unpacking = zlib.decompressobj(31)
    with suppress(zlib.error):
        return unpacking.decompress(begin, _HEAD)
    return begin
