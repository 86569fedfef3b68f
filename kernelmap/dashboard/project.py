"""What a project says of itself for the dashboard: where its commits and authors are shown.

    [tool.kernelmap]
    commit_url = "https://example.org/model/commit/{commit}"
    author_url = "https://example.org/{author}"

The author of a run is what its tag `author` says: recordings name nobody by themselves.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.pages.address import Address
from kernelmap.pages.page import Link, PageCell
from kernelmap.pages.text import make_visible
from kernelmap.settings import setting

AUTHOR = "author"
_SCHEMES = ("https://", "http://")


class Project(Struct, frozen=True, kw_only=True):
    """Addresses with `{commit}` or `{author}` in them; None where there is none to link to."""

    commit_url: str | None = None
    author_url: str | None = None

    def commit(self, text: str, commit: str | None) -> PageCell:
        """The text, which leads to the commit where that is shown somewhere."""
        return _linked(text, self.commit_url, "commit", commit)

    def tag(self, key: str, value: str) -> PageCell:
        """A tag as `key=value`, which leads to the author if it names one."""
        text = make_visible(f"{key}={value}")
        return _linked(text, self.author_url if key == AUTHOR else None, AUTHOR, value)


def read_project(folder: Path | None = None) -> Project:
    """What the nearest pyproject.toml says. Raises UsageError for what is no such address."""
    folder = Path.cwd() if folder is None else folder
    return Project(
        commit_url=_stated("commit_url", "commit", folder),
        author_url=_stated("author_url", AUTHOR, folder),
    )


def _stated(name: str, place: str, folder: Path) -> str | None:
    path, stated = setting(name, folder)
    if stated is None:
        return None
    if isinstance(stated, str) and stated.startswith(_SCHEMES) and f"{{{place}}}" in stated:
        return stated
    raise UsageError(
        "wrong-link",
        f"{path}: `{name}` in [tool.kernelmap] is no address with {{{place}}} in it",
        f'Write a text, such as {name} = "https://example.org/{{{place}}}".',
    )


def _linked(text: str, url: str | None, place: str, value: str | None) -> PageCell:
    if url is None or not value or not text:
        return text
    return Link(text, Address(), url=url.replace(f"{{{place}}}", quote(value, safe="")))
