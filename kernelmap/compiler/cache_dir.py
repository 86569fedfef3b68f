"""Inductor's cache folder → the graphs and kernels in it that a trace names, and no others.

A cache holds the code of all runs that used it. A graph whose FX cache key the trace names is taken
from the entry of that key: that is as sure as a log. Another graph is taken where every kernel of
its code ran, by content hash, and where some of them have no other code. Such a graph is *borrowed*
and never exact: an older run may have made the same kernels for other nodes. What is left are
kernels that have a file of their own, or that only graphs with other kernels define: of these the
definition is taken. Paths in the trace may be of another machine: files are looked up by their
stems.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.facts import CodeText, Reading
from kernelmap.compiler.files.code_file import stem_of
from kernelmap.compiler.files.fx_entry import read_entry
from kernelmap.compiler.formats import Beginning, is_fx_entry, is_python
from kernelmap.compiler.graph import graph_of
from kernelmap.compiler.python.kernel_source import triton_facts
from kernelmap.compiler.python.kernels import kernel_of
from kernelmap.compiler.python.source import is_file, read_text
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model import KernelDef, Notice, Origins
from kernelmap.model.names import Wanted
from kernelmap.model.paths import is_folder
from kernelmap.suggestions import path_hint

_KERNEL_PATH = re.compile(r"^# kernel path: (.*\S)", re.MULTILINE)
_STEM = re.compile(r"[a-z2-7]{20,64}")
_BORROWED = 7  # The strength of a copy whose only evidence is a hash.


class InductorCache(Struct, frozen=True):
    """A cache folder, and what is asked of it."""

    folder: Path
    wanted: Wanted


class TakenFromCache(Struct, frozen=True):
    """What a cache gave: code, and definitions of kernels whose graph it did not give."""

    texts: tuple[CodeText, ...]
    kernels: tuple[KernelDef, ...]
    notices: tuple[Notice, ...]


def take_from_cache(cache: InductorCache, given: Sequence[CodeText]) -> TakenFromCache:
    """The code and definitions that `given` code lacks. UsageError where the folder is none."""
    if not is_folder(cache.folder):
        raise UsageError(
            "no-cache-dir",
            f"{cache.folder} is no folder",
            path_hint(cache.folder)
            or "Name the folder that TORCHINDUCTOR_CACHE_DIR named, torchinductor_USER as a rule.",
        )
    # 1. Entries whose key the trace names: as sure as a log.
    keyed = _by_key(cache, given)
    # The content hashes of all kernels that ran, and of those that some code has by now.
    ran = {content for _, content in cache.wanted.kernels}
    stems = {stem for text in (*given, *keyed.texts) for stem in kernel_stems(text.text)}
    # 2. Code with kernels that ran and have no code yet. `partly` also has kernels that did not
    # run, so it is of another graph.
    borrowed, partly = _by_kernels(cache.folder, ran, ran - stems)
    stems |= {stem for text in borrowed for stem in kernel_stems(text.text)}
    # 3. Single definitions for kernels that are still open, from `partly` or from their own files.
    kernels = tuple(_iter_definitions(cache, partly, ran - stems))
    taken = TakenFromCache((*keyed.texts, *borrowed), kernels, keyed.notices)
    counts = (len(keyed.texts), len(borrowed), len(kernels))
    return replace(taken, notices=(*taken.notices, *_iter_notices(cache, given, counts)))


def kernel_stems(code: str) -> frozenset[str]:
    """The content hashes of the kernels that `code` states the path of."""
    return frozenset(stem_of(path) for path in _KERNEL_PATH.findall(code))


def _by_key(cache: InductorCache, given: Iterable[CodeText]) -> Reading:
    """The entries of the keys that no given code has."""
    texts: list[CodeText] = []
    notices: list[Notice] = []
    for key in sorted(cache.wanted.keys - {text.facts.cache_key for text in given}):
        # The cache spreads entries over folders by two letters of the key.
        place = cache.folder / "fxgraph" / key[1:3] / key
        # The key comes from a trace: only what looks like one is used as a folder's name.
        if not _STEM.fullmatch(key) or not place.is_dir():
            continue
        for path in sorted(path for path in place.iterdir() if is_fx_entry(Beginning(path))):
            reading = read_entry(path)
            # The key that the entry states decides, not the folder that it lies in.
            texts += [text for text in reading.texts if text.facts.cache_key == key]
            notices += reading.notices
    return Reading(tuple(texts), tuple(notices))


def _by_kernels(
    folder: Path, ran: set[str], needed: set[str]
) -> tuple[list[CodeText], list[CodeText]]:
    """Code all of whose kernels ran, and code with some of them that did."""
    whole: list[CodeText] = []
    partly: list[CodeText] = []
    for path, code in _iter_wrapper_files(folder) if needed else ():
        stems = kernel_stems(code)
        # A graph none of whose kernels is missing adds nothing.
        if stems.isdisjoint(needed):
            continue
        text = CodeText(
            text=code,
            code=str(path),
            place=path.resolve().parts,
            strength=_BORROWED,
            borrowed=True,
        )
        # All its kernels ran: the graph itself probably did. Else it only defines kernels.
        (whole if stems <= ran else partly).append(text)
    return whole, partly


def _iter_wrapper_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The generated code of a cache; each file lies in a folder of two letters."""
    for path in sorted(folder.glob("??/*.py")):
        if is_python(Beginning(path)):
            try:
                yield path, read_text(path)
            except KernelmapError:
                continue  # Another process cleared the cache in between.


def _iter_definitions(
    cache: InductorCache, partly: Iterable[CodeText], open_: set[str]
) -> Iterator[KernelDef]:
    """One definition per wrapper and hash in `open_`."""
    definitions: dict[tuple[str, str], list[KernelDef]] = defaultdict(list)
    for text in partly:
        for kernel in graph_of(text)[0].kernels:
            if kernel.hash in open_:
                definitions[kernel.name, kernel.hash].append(kernel)
    for name, content in sorted(cache.wanted.kernels):
        if content not in open_ or not _STEM.fullmatch(content):
            continue
        file = cache.folder / content[1:3] / f"{content}.py"
        alike = definitions.get((name, content), [])
        here = str(file) if is_file(file) else None
        if alike:
            yield _agree_on_definition(alike, here or alike[0].path)
        elif here is not None and (definition := _from_file(name, file)) is not None:
            yield definition


def _agree_on_definition(alike: Sequence[KernelDef], path: str | None) -> KernelDef:
    """The definition on which all agree; it has the operators where only nodes differ."""
    first = alike[0]
    stated = {kernel.origins for kernel in alike}
    # Operators count if all definitions agree on them, also where the nodes differ.
    operators = {origins_of.aten if origins_of else None for origins_of in stated}
    origins = first.origins
    if len(stated) > 1:
        aten = operators.pop() if len(operators) == 1 else None
        origins = Origins(nodes=(), aten=aten, ordered=False) if aten is not None else None
    # Lines are those of one graph's file, so none are kept.
    agree = len({kernel.fragment for kernel in alike}) == 1
    return replace(
        first,
        path=path,
        first_line=None,
        last_line=None,
        origins=origins,
        node_map=first.node_map if len(stated) == 1 else (),
        fragment=first.fragment if agree else (),
    )


def _from_file(name: str, file: Path) -> KernelDef | None:
    """The kernel as its own file has it: without the nodes that it works for."""
    try:
        facts = triton_facts(read_text(file))
    except KernelmapError:
        return None
    return kernel_of(name, facts, str(file)) if facts.function else None


def _iter_notices(
    cache: InductorCache, given: Sequence[CodeText], counts: tuple[int, int, int]
) -> Iterator[Notice]:
    keyed, borrowed, kernels = counts
    if any(counts):
        yield Notice(
            slug="cache-used",
            message=f"{cache.folder} gave {keyed} graphs by cache key, {borrowed} by their kernels "
            f"and {kernels} single kernels.",
            hint="What was taken by its kernels is at best inferred: other runs share the cache."
            if borrowed or kernels
            else None,
        )
    elif not (cache.wanted.keys or cache.wanted.kernels):
        yield Notice(
            slug="cache-unused",
            message=f"{cache.folder} was not used: the profile names no cache key and no kernel.",
            hint="Record with record_shapes=True, and with Inductor's caches on.",
            gap=not given,
        )
    elif not given:
        yield Notice(
            slug="cache-unused",
            message=f"{cache.folder} holds nothing that ran in the profile.",
            hint="Name the cache folder of the machine and user that made the profile.",
            gap=True,
        )
