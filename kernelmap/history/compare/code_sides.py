"""Two sides that are code without a profile → the comparison of their memory, and its texts.

Time needs a profile; what memory the code asks for is in the code alone.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kernelmap.compiler import read_compiled
from kernelmap.history.compare.memory_of_code import CodeMemory, compare_codes, read_code_memory
from kernelmap.history.compare.memory_page import memory_in_json, page_of_memory_change
from kernelmap.history.compare.memory_sides import MemoryComparison
from kernelmap.history.compare.opening import paths_of_side
from kernelmap.inputs import has_trace_beside, sort
from kernelmap.model import Notice
from kernelmap.model.paths import is_there
from kernelmap.pages.page import Page
from kernelmap.pages.render import html, markdown
from kernelmap.tables.json import indent_json
from kernelmap.tables.saved import is_saved

FORMAT = "kernelmap.memory_diff"


class OpenedCode(Struct, frozen=True, kw_only=True):
    """The code of one side, what could not be used of it, and the files that were read for it."""

    title: str
    memory: CodeMemory
    notices: tuple[Notice, ...]
    files: tuple[Path, ...]


class ComparedCodes(Struct, frozen=True, kw_only=True):
    """The memory of two codes, and where they come from."""

    sides: tuple[OpenedCode, OpenedCode]
    memory: MemoryComparison

    @property
    def titles(self) -> tuple[str, str]:
        """What the user calls the two."""
        return self.sides[0].title, self.sides[1].title

    def page(self, top: int) -> Page:
        """The changes as a page, at most `top` rows."""
        return page_of_memory_change(self.memory, self.titles, top)

    def render(self, form: str, top: int) -> str:
        """The comparison as `json`, `markdown` or `html`."""
        if form == "json":
            before, after = self.titles
            named = {"format": FORMAT, "version": 1, "before": before, "after": after}
            return indent_json({**named, "memory": memory_in_json(self.memory)})
        if form == "markdown":
            return markdown.render_markdown(self.page(top))
        return html.render_document(self.page(top), title=" → ".join(self.titles))


def compare_codes_named(before: str, after: str) -> ComparedCodes | None:
    """The memory of two sides by their names; None where one of them has more than code.

    Raises KernelmapError where a path cannot be used.
    """
    paths = [paths_of_side(name) for name in (before, after)]
    if not all(map(_is_code_alone, paths)):
        return None
    one, other = (
        _open_code(name, files) for name, files in zip((before, after), paths, strict=True)
    )
    return ComparedCodes(sides=(one, other), memory=compare_codes(one.memory, other.memory))


def _is_code_alone(paths: list[Path]) -> bool:
    """Whether there is code, and no profile with or beside it."""
    if not all(map(is_there, paths)) or any(map(is_saved, paths)):
        return False
    inputs = sort(paths)
    return bool(inputs.code) and not (inputs.traces or inputs.bundles or has_trace_beside(paths))


def _open_code(title: str, paths: list[Path]) -> OpenedCode:
    program = read_compiled(sort(paths).code)
    return OpenedCode(
        title=title,
        memory=read_code_memory(program),
        notices=program.notices,
        files=(*paths, *map(Path, program.files)),
    )
