"""Generated code as an HTML page, as tlparse writes it → the code.

Such a page is one `<pre>` in which spans color the words; characters are escaped. What stands
beside it is read as beside code in a text file. Left out: pages with anything else in them.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from kernelmap.compiler.facts import CodeText, Reading
from kernelmap.compiler.files.code_file import is_generated_code
from kernelmap.compiler.files.numbered_files import read_numbered
from kernelmap.compiler.python.source import read_text
from kernelmap.model.paths import first_bytes

_HEAD_BYTES = 512 * 1024  # Colors make a page several times as long as its code.
_STRENGTH = 4


class CodePage:
    """A page of tlparse with Inductor's output code."""

    label = "output code as a page of tlparse"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a page of nothing but code."""
        head = first_bytes(path, _HEAD_BYTES)
        if not head.lstrip()[:5].lower().startswith(b"<pre"):
            return False
        return is_generated_code(page_text(head.decode("utf-8", errors="replace")))

    def read(self, path: Path) -> Reading:
        """The one text of the page. Raises KernelmapError where it cannot be read."""
        text = page_text(read_text(path))
        alone = CodeText(text=text, code=str(path), place=path.resolve().parts, strength=_STRENGTH)
        return read_numbered(path, text) or Reading((alone,))


def page_text(html: str) -> str:
    """The text of a page without its marks; a line break after `<pre>` is none of the text.

    >>> page_text("<pre><span>x </span>= [&#39;a&#39;] &lt;&lt; 1</pre>")
    "x = ['a'] << 1"
    """
    page = _Page(convert_charrefs=True)
    page.feed(html)
    page.close()
    return "".join(page.parts).removeprefix("\n")


class _Page(HTMLParser):
    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        """Keep what stands between marks."""
        self.parts.append(data)
