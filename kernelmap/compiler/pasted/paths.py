"""Messages `Output code written to: PATH` → which code of the text each file holds.

The content hash in a file's name tells it without doubt. Where a message was cut off the hash no
longer fits; then a path belongs to the code beside it, of the same rank and compile id: the one
above it, or, where that has its path, the one below (torch 2.5 wrote the path first). A file that
can be opened and is what its name says replaces the text of the message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelmap.compiler.content_hash import content_stem, stem_of
from kernelmap.compiler.files.code_file import GeneratedCode
from kernelmap.compiler.pasted.messages import Message
from kernelmap.compiler.python.source import is_file, read_text
from kernelmap.errors import KernelmapError


@dataclass(frozen=True, slots=True)
class Placed:
    """A text of code; `path` is where it was written, None where the text does not tell."""

    message: Message
    text: str
    path: str | None


@dataclass(frozen=True, slots=True)
class Placement:
    """All code that was found, and the paths of code that is nowhere to be had."""

    codes: tuple[Placed, ...]
    lost: tuple[str, ...]


def with_paths(codes: Sequence[tuple[Message, str]], written: Sequence[Message]) -> Placement:
    """Join each code with its path, and add the files that only a path tells of."""
    paths = _by_hash(codes, written)
    _by_place(codes, written, paths)
    placed = [_opened(*code, path) for code, path in zip(codes, paths, strict=True)]
    lost: list[str] = []
    seen = {path for path in paths if path is not None}
    for message in written:
        path = message.told
        if path in seen or not path:
            continue
        seen.add(path)
        text = _whole_file(path)
        if text is None:
            lost.append(path)
        else:
            placed.append(Placed(message, text, path))
    return Placement(tuple(placed), tuple(lost))


def _by_hash(codes: Sequence[tuple[Message, str]], written: Sequence[Message]) -> list[str | None]:
    stems = {stem_of(path): path for each in written if (path := each.told)}
    return [stems.get(content_stem(text)) if stems else None for _, text in codes]


def _by_place(
    codes: Sequence[tuple[Message, str]], written: Sequence[Message], paths: list[str | None]
) -> None:
    """Fill what is open in `paths` from the order of the messages of each rank and compile id."""
    streams: dict[tuple[int | None, str | None], list[tuple[int, int | str]]] = defaultdict(list)
    for number, (message, _) in enumerate(codes):
        streams[message.stream].append((message.line, number))
    for message in written:
        streams[message.stream].append((message.line, message.told))
    taken = set(paths)
    for stream in streams.values():
        last: int | None = None
        pending: str | None = None
        for _, item in sorted(stream, key=lambda each: each[0]):
            if isinstance(item, int):
                if paths[item] is None and pending is not None:
                    paths[item], pending = pending, None
                    taken.add(paths[item])
                last = item
            elif item in taken:
                continue
            elif last is not None and paths[last] is None:
                paths[last] = item
                taken.add(item)
            else:
                pending = item


def _opened(message: Message, text: str, path: str | None) -> Placed:
    """The code with the text of its file, where that can be opened."""
    if path is None or content_stem(text) == stem_of(path):
        return Placed(message, text, path)
    whole = _whole_file(path)
    if whole is None and is_file(Path(path)):
        return Placed(message, text, None)  # Something else stands there by now.
    return Placed(message, whole or text, path)


def _whole_file(path: str) -> str | None:
    """The generated code at `path`, None where it is not there or was changed since."""
    file = Path(path)
    if not (file.is_absolute() and is_file(file) and GeneratedCode().sniff(file)):
        return None
    try:
        text = read_text(file)
    except KernelmapError:
        return None
    return text if content_stem(text) == file.stem else None
