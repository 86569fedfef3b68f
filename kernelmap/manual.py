"""Where a message is explained: the pages that come with the package, or their address.

The address is the project's URL `Documentation`, as the installed package states it. Where there is
none, `kernelmap help SLUG` prints the same text. docs/messages.md is where texts are written;
scripts/make_docs.py copies them to messages.md beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

_TEXTS = Path(__file__).with_name("messages.md")
_URL = "Documentation"


@cache
def entries() -> Mapping[str, str]:
    """What is said of each slug, as Markdown without its heading."""
    parts = re.split(r"^## (.+)\n", _TEXTS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {slug: text.strip() for slug, text in zip(parts[::2], parts[1::2], strict=True)}


@cache
def address() -> str | None:
    """The address of the documentation, without a slash at its end; None until there is one."""
    from importlib.metadata import PackageNotFoundError, metadata

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
