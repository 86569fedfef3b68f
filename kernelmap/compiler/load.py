"""Paths of generated code and logs → one CompiledProgram.

Takes files and folders in any order, folders at any depth; the order changes nothing. Raises
KernelmapError for a path that cannot be read or holds nothing of the compile side. A log that is
given under two names counts once. formats.py says of a file which format it has.

Graphs that bear the same id (two programs, two ranks) get a prefix: the shortest part of their
paths that differs in all of them, `rank0/0_forward`.
"""

from __future__ import annotations

import filecmp
import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.cache_dir import InductorCache, TakenFromCache, take_from_cache
from kernelmap.compiler.facts import CodeText, without_copies
from kernelmap.compiler.files.packages import find_damage
from kernelmap.compiler.formats import FORMATS, LOG, Format, format_of
from kernelmap.compiler.graph import graphs_of
from kernelmap.errors import KernelmapError
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, Notice
from kernelmap.model.collection import without_collection
from kernelmap.model.paths import first_bytes, is_folder, require_readable
from kernelmap.model.program import KINDS
from kernelmap.model.unpacked import have_same_content, is_packed

_LOG = logging.getLogger(__name__)
_Key = TypeVar("_Key")


class CodeFiles(Struct, frozen=True):
    """The files with code at one path and their formats, and what in it may not be opened."""

    files: tuple[tuple[Path, Format], ...]
    locked: tuple[Path, ...] = ()


def find_code(path: Path) -> CodeFiles:
    """The files with code at `path`, a file or a folder; none where there are none."""
    locked: list[Path] = []
    candidates = _iter_files(path, locked) if is_folder(path) else iter([path])
    files = tuple((file, kind) for file in candidates if (kind := format_of(file)) is not None)
    return CodeFiles(files, tuple(locked))


def is_compiled(path: Path) -> bool:
    """Whether `path` is a file of the compile side, or a folder that holds one."""
    return bool(find_code(path).files)


def load_compiled(*paths: Path, cache: InductorCache | None = None) -> CompiledProgram:
    """All graphs that `paths` hold; no paths give a program without graphs.

    What a trace asks of `cache` and `paths` do not hold is taken from there.
    """
    return read_compiled([_code_at(path) for path in paths], cache)


def _code_at(path: Path) -> CodeFiles:
    require_readable(path)
    code = find_code(path)
    if not code.files:
        raise _nothing_in(path, code.locked)
    return code


def read_compiled(code: Iterable[CodeFiles], cache: InductorCache | None = None) -> CompiledProgram:
    """All graphs of files whose formats are known, and what a trace asks of `cache` besides."""
    with without_collection():
        return _read_parts(list(code), cache)


def _read_parts(parts: Sequence[CodeFiles], cache: InductorCache | None) -> CompiledProgram:
    # By resolved path, so that a file which two arguments name is read once.
    formats = {file.resolve(): (file, kind) for part in parts for file, kind in part.files}
    texts: list[CodeText] = []
    notices: list[Notice] = [*locked_notice([path for part in parts for path in part.locked])]
    files: list[Path] = []
    compilations: list[Compilation] = []
    logs: list[Path] = []
    for _, (path, kind) in sorted(formats.items(), key=lambda entry: entry[0]):
        files.append(path)
        if kind is LOG:
            # A log that was given before under another name would double its compilations.
            if any(_is_same_log(path, other) for other in logs):
                continue
            logs.append(path)
        _LOG.debug("%s is read as %s", path, kind.label)
        reading = kind.read(path)
        texts.extend(reading.texts)
        notices.extend(reading.notices)
        compilations.extend(reading.compilations)
        files.extend(reading.beside)
    # A cache comes last: it is asked only for what no given code has.
    taken = take_from_cache(cache, texts) if cache is not None else TakenFromCache((), (), ())
    texts.extend(taken.texts)
    notices.extend(taken.notices)
    graphs: list[tuple[CompiledGraph, tuple[str, ...]]] = []
    # Copies of one text become one, with the facts of all; then graphs are made of them.
    joined = without_copies(texts)
    for text in joined:
        for graph, unread in graphs_of(text):
            graphs.append((graph, text.place))
            notices.extend(unread)
    # Records of compilations that a copy with more facts has replaced.
    better = _find_superseded(texts, joined)
    return CompiledProgram(
        graphs=_with_unique_ids(graphs),
        notices=tuple(dict.fromkeys(notices)),
        compilations=tuple(
            compilation for compilation in dict.fromkeys(compilations) if compilation not in better
        ),
        # Code that a log or a cache only points to was read as well.
        files=tuple(dict.fromkeys((*map(str, files), *(text.code for text in texts)))),
        kernels=taken.kernels,
    )


def _find_superseded(texts: Iterable[CodeText], joined: Iterable[CodeText]) -> set[Compilation]:
    """The compilations that wrote `texts`, less those that the joined texts keep."""
    before, after = (
        {emitted.compilation for text in of for emitted in text.facts.emitted}
        for of in (texts, joined)
    )
    return before - after


def _is_same_log(log: Path, other: Path) -> bool:
    """Whether two logs are one: tlparse keeps a copy as `raw.log`, others keep a packed one."""
    try:
        # Sizes tell two logs apart without reading them, but for a packed one.
        if is_packed(first_bytes(log, 2)) or is_packed(first_bytes(other, 2)):
            return have_same_content(log, other)
        return filecmp.cmp(log, other, shallow=False)
    except (OSError, EOFError):
        return False


def locked_notice(locked: Sequence[Path]) -> tuple[Notice, ...]:
    """What to say of files and folders inside a given folder that may not be opened."""
    if not locked:
        return ()
    return (
        Notice(
            slug="folder-read-in-part",
            message=f"{_say_count(locked)} cannot be read, first {min(locked)}.",
            hint="Code in them is missing: check their permissions, or name another folder.",
            gap=True,
        ),
    )


def _iter_files(folder: Path, locked: list[Path]) -> Iterator[Path]:
    def passed_over(error: OSError) -> None:
        locked.append(Path(error.filename))

    for place, folders, names in os.walk(folder, onerror=passed_over):
        folders.sort()
        for path in (Path(place, name) for name in sorted(names)):
            # A link that leads nowhere is not a lack of
            # permission: it is passed on, and has no format.
            if os.access(path, os.R_OK) or _is_dangling_link(path):
                yield path
            else:
                locked.append(path)


def _is_dangling_link(path: Path) -> bool:
    """Whether a link leads nowhere; False also where the folder keeps it from us."""
    try:
        return path.is_symlink() and not path.exists()
    except OSError:
        return False


def _say_count(locked: Sequence[Path]) -> str:
    plural = "s" if len(locked) > 1 else ""
    return f"{len(locked)} file{plural} or folder{plural}"


def _nothing_in(path: Path, locked: Sequence[Path]) -> KernelmapError:
    if path.is_dir():
        but = f", but {_say_count(locked)} in it cannot be read" if locked else ""
        return KernelmapError(
            "folder-without-code",
            f"{path} holds no generated code{but}",
            "Run the program with TORCH_TRACE=FOLDER or TORCH_COMPILE_DEBUG=1, give what it wrote.",
        )

    if (damaged := find_damage(path)) is not None:
        return damaged
    kinds = ", ".join(kind.label for kind in FORMATS)
    return KernelmapError(
        "unknown-code",
        f"{path} is none of: {kinds}",
        "Give a TORCH_TRACE log, Inductor's output_code.py, a .pt2, or a folder with one of them; "
        "profiles are read by correlate.",
    )


def _with_unique_ids(
    graphs: Sequence[tuple[CompiledGraph, tuple[str, ...]]],
) -> tuple[CompiledGraph, ...]:
    """The graphs, given with their places, under unique ids.

    Programs are sorted by their prefix, in each the graphs by number, forward first.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for number, (graph, _) in enumerate(graphs):
        groups[graph.id].append(number)
    prefixes: dict[int, str] = {}
    for group in groups.values():
        # Only ids that several graphs bear need a prefix.
        if len(group) > 1:
            prefixes |= _distinguishing_parts(
                _places_by_position([graphs[number] for number in group], group)
            )
    # Sorted by program, number and direction, then by place and file, so that order is repeatable.
    named = [
        (prefixes.get(number, ""), _number_of_graph(graph), place, graph)
        for number, (graph, place) in enumerate(graphs)
    ]
    ordered = sorted(
        named, key=lambda entry: (_natural_key(entry[0]), *entry[1:3], entry[3].code or "")
    )
    return tuple(
        replace(graph, id=f"{prefix}/{graph.id}" if prefix else graph.id)
        for prefix, _, _, graph in ordered
    )


def _places_by_position(
    group: Sequence[tuple[CompiledGraph, tuple[str, ...]]], numbers: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """Different places; graphs of one log differ in their code's file, at last in their order."""
    places = [place for _, place in group]
    # Two graphs of one log have one place: the file of the code is added, then a running number.
    if len(set(places)) < len(places):
        places = [(*place, *Path(graph.code or "").parts) for graph, place in group]
    if len(set(places)) < len(places):
        places = [(*place, str(at)) for at, place in enumerate(places)]
    return dict(zip(numbers, places, strict=True))


def _distinguishing_parts(paths: Mapping[_Key, tuple[str, ...]]) -> dict[_Key, str]:
    """Key → the shortest part of its path that no other path has at the same place.

    >>> _distinguishing_parts({"a": ("run", "rank0", "x"), "b": ("run", "rank1", "x")})
    {'a': 'rank0', 'b': 'rank1'}
    """
    every = _without_common_ends(list(paths.values()))
    shortest = min(len(parts) for parts in every)
    best: list[str] | None = None
    # Each part of the paths, from the front and from the back (paths may differ in length). The
    # shortest label wins: `rank0`, not the name of a log.
    for place in (*range(shortest), *range(-1, -shortest - 1, -1)):
        labels = [parts[place] for parts in every]
        if len(set(labels)) == len(labels) and (
            best is None or _longest_label(labels) < _longest_label(best)
        ):
            best = labels
    if best is None:
        # No single part differs in all: the whole rest of each path does.
        best = ["/".join(parts) for parts in every]
    # `1/0_forward` would look like the compile id 1/0.
    named = [f"program{label}" if label.isdecimal() else label for label in best]
    return dict(zip(paths, named, strict=True))


def _without_common_ends(every: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    start = 0
    while all(len(parts) > start for parts in every) and len({p[start] for p in every}) == 1:
        start += 1
    rest = [parts[start:] for parts in every]
    # One part at least is kept, so that no path becomes empty.
    while all(len(parts) > 1 for parts in rest) and len({parts[-1] for parts in rest}) == 1:
        rest = [parts[:-1] for parts in rest]
    return rest


def _longest_label(labels: Sequence[str]) -> int:
    return max(map(len, labels))


def _number_of_graph(graph: CompiledGraph) -> tuple[int, int, str]:
    number = (graph.aot_id or "").partition("_")[0]
    value = int(number) if number.isascii() and number.isdecimal() else 0
    return value, KINDS.get(graph.kind or "", len(KINDS)), graph.id


def _natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts rank2 before rank10."""
    # `rank_2` sorts by its words first, then by its numbers as numbers.
    digits = "".join(char if char.isascii() and char.isdecimal() else " " for char in text).split()
    words = "".join(" " if char.isascii() and char.isdecimal() else char for char in text).split()
    return tuple((0, word) for word in words) + tuple((int(run), "") for run in digits)
