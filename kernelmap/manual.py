"""What `kernelmap help` prints of messages and words, and the address where they are explained.

The address is the project's URL `Documentation`, as the installed package states it. Where there is
none, `kernelmap help SLUG` prints the same text. docs/messages.md is where texts are written;
scripts/make_docs.py copies them to messages.md beside this file. words.md, beside it too, explains
the headings of tables and the words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

_TEXTS = Path(__file__).with_name("messages.md")
_WORDS = Path(__file__).with_name("words.md")
_FILES = "files: "
_URL = "Documentation"


class Word(NamedTuple):
    """What a word of a table means, and the columns of files that hold it: `table.column`."""

    text: str
    columns: tuple[str, ...]


@cache
def entries() -> Mapping[str, str]:
    """What is said of each slug, as Markdown without its heading."""
    return dict(_sections(_TEXTS))


@cache
def words() -> Mapping[str, Word]:
    """What the headings of tables mean, and the words of the lines around them."""
    explained = {}
    for heading, body in _sections(_WORDS):
        text, _, files = body.partition(f"\n\n{_FILES}")
        for word in heading.split(" | "):
            explained[word] = Word(text, tuple(files.split()))
    return explained


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    """The headings of a text, each with what stands below it."""
    # Headings and the texts below them by turns, without what stands before the first heading.
    parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return zip(parts[::2], map(str.strip, parts[1::2]), strict=True)


@cache
def address() -> str | None:
    """The address of the documentation, without a slash at its end; None until there is one."""
    try:
        stated = metadata("kernelmap").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    urls = dict(url.split(", ", 1) for url in stated)
    return urls[_URL].rstrip("/") if _URL in urls else None


def where(slugs: Iterable[str]) -> str:
    """Where messages are explained: addresses with spaces between them, or one command."""
    names, base = tuple(dict.fromkeys(slugs)), address()
    if base is None:
        return " ".join(["kernelmap help", *names])
    return " ".join(f"{base}/messages.html#{name}" for name in names)
