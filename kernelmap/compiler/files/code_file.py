"""Generated Python in a file of its own, and what torch_compile_debug keeps beside it → a CodeText.

The start of a file shows whether it is such code. Inductor's caches hold one Python file per kernel
beside the graphs; those define no wrapper and are not taken. Beside the code may lie a node
mapping, the graph's text after all passes (`fx_graph_transformed.py`) or before
(`fx_graph_readable.py`), and the program that states the settings (`fx_graph_runnable.py`).

tlparse writes code as an HTML page too: one `<pre>` in which spans color the words and characters
are escaped. Files beside a page are read as beside a text file. Pages with anything else in them
are not taken.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path, PurePath

from msgspec.structs import replace

from kernelmap.compiler.facts import (
    CodeFacts,
    CodeText,
    NodeMapping,
    Reading,
    mapping_file,
    read_mapping,
)
from kernelmap.compiler.files.numbered_files import read_numbered
from kernelmap.compiler.fx.graph_text import parse_graph_text, parse_printed
from kernelmap.compiler.logs.runnable import RUNNABLE, read_runnable_file
from kernelmap.compiler.python.source import holds_cpp, read_text
from kernelmap.errors import KernelmapError
from kernelmap.model import Notice
from kernelmap.model.program import kind_of

_COMPILER_MADE = "async_compile = AsyncCompile("
_DEFINES = " = async_compile."
_CALL = ("def call(args)", "def call(self, args)")
# `call` may be anybody's function; one of these words has to stand beside it.
_WRAPPER_WORDS = (
    "extern_kernels.",
    "empty_strided",
    "assert_size_stride",
    "reinterpret_tensor(",
    "# Source Nodes: [",
    "Sorted Source Nodes: [",
    "[Provenance debug handles]",
)
# Files with a single kernel have a `call` as well, and this function.
_ONE_KERNEL = "def benchmark_all_configs("
_FOLDER = "model__"
_COPY = 12  # weaker than a log (10), which knows the code's own path
# tlparse's folder of a compilation: `-_0_0_1`.
_TLPARSE_FOLDER = re.compile(r"[-_\d]+")
_FENCE = re.compile(r"^[ \t]*+(?:>[ \t]*+)*+(?:```|~~~)", re.MULTILINE)
_CODE = re.compile(r"async_compile|\bdef call\(")
_PAYLOADS, _LOG = "payloads", "raw.log"
_GRAPH_TEXTS = ("fx_graph_transformed.py", "fx_graph_readable.py")
_PAGE_STRENGTH = 4
_HASH_DIGITS = 51
# A tag, with `>` in its quotes; and comments of HTML.
_TAG = re.compile(r"""</?[A-Za-z](?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>|<![^<>]*+>""")
# References with so many digits that no character can be meant.
_NO_CHARACTER = re.compile(r"&#[0-9]{8,}+;?|&#[xX][0-9a-fA-F]{8,}+;?")


def read_code(path: Path) -> Reading:
    """The one text of a file of generated Python. Raises KernelmapError where it cannot be read."""
    return _read_numbered(path, text := read_text(path)) or with_neighbors(path, text)


def _read_numbered(path: Path, text: str) -> Reading | None:
    """`text` with what tlparse wrote beside it; None where the file is not in tlparse's output."""
    if _TLPARSE_FOLDER.fullmatch(path.parent.name) is None:
        return None

    return read_numbered(path, text)


def with_neighbors(path: Path, text: str) -> Reading:
    """The code `text` of `path` with the node mapping and the graph's text that lie beside it."""
    mapped = mapping_file(path)
    mapping, unread = read_mapping(mapped) if mapped else (NodeMapping(), ())
    facts, notices = _graph_beside(path)
    runnable = path.with_name(f"{RUNNABLE}.py")
    beside = read_runnable_file(runnable)
    stated = folder_id(path)
    code = CodeText(
        text=text,
        code=str(path),
        place=path.resolve().parts,
        # The lower the stronger: code with a mapping
        # beside it, then code whose folder states the id.
        strength=_COPY if _is_copy(path) else 2 * (mapped is None) + (stated is None),
        stated=stated,
        facts=replace(facts, mapping=mapping, beside=() if beside is None else (beside,)),
    )
    read = (*_files_beside(path, mapped), *([] if beside is None else [runnable]))
    return Reading((code,), (*unread, *notices), beside=read)


def _is_copy(path: Path) -> bool:
    """Whether a file is a payload that tlparse copied out of the log beside it."""
    folder = path.parent
    return folder.name == _PAYLOADS and (folder.parent / _LOG).is_file()


def folder_id(path: Path) -> str | None:
    """`0_forward` of `…/model__0_forward_1.0/output_code.py`.

    >>> folder_id(Path("run/model__0_forward_1.0/output_code.py"))
    '0_forward'
    """
    name, _, counter = path.parent.name.rpartition("_")
    # `model__0_forward_1.0`: the id stands between torch's prefix and its counter.
    numbers = counter.split(".")
    if not name.startswith(_FOLDER) or not all(number.isdecimal() for number in numbers):
        return None
    graph_id = name[len(_FOLDER) :]
    return graph_id if kind_of(graph_id) is not None else None


def is_generated_code(head: str) -> bool:
    r"""Whether the start of a file is that of a wrapper.

    >>> is_generated_code("import torch\nasync_compile = AsyncCompile()\n")
    True
    >>> is_generated_code("@triton.jit\ndef triton_poi_fused_add_0(in_ptr0): pass\n")
    False
    """
    if holds_cpp(head):
        return True
    lines = head.split("\n")
    # A definition of a kernel at the start of a line; quoted code stands behind something.
    if any(_DEFINES in line and line[:1].isidentifier() for line in lines):
        return True
    if any(line.startswith(_COMPILER_MADE) for line in lines):
        return True
    # Logs quote code behind a tab; those are other readers' files.
    whole_call = any(line.lstrip(" ").startswith(_CALL) for line in lines)
    return whole_call and _ONE_KERNEL not in head and any(word in head for word in _WRAPPER_WORDS)


def _files_beside(code: Path, mapped: Path | None) -> tuple[Path, ...]:
    """The files that were read for more facts about `code`."""
    graphs = (code.parent / name for name in _GRAPH_TEXTS)
    return tuple(path for path in (mapped, *graphs) if path is not None and path.is_file())


def _graph_beside(code: Path) -> tuple[CodeFacts, tuple[Notice, ...]]:
    """What the first graph text beside `code` says that has any nodes."""
    # The later graph text first: it has the nodes that kernels run.
    for name in _GRAPH_TEXTS:
        path = code.parent / name
        if not path.is_file():
            continue
        try:
            text = read_text(path)
        except KernelmapError as error:
            return CodeFacts(), (
                Notice(
                    slug="graph-text-unreadable",
                    message=f"{error.message}, so the lines of its nodes are unknown.",
                    hint=error.hint,
                    gap=True,
                ),
            )
        nodes = parse_graph_text(text)
        if nodes:
            return CodeFacts(post_grad=nodes, post_grad_text=parse_printed(text, nodes)), ()
    return CodeFacts(), ()


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a block of Markdown."""
    return _FENCE.match(line) is not None


def is_pasted(text: str) -> bool:
    r"""Whether code in `text` stands inside of something: between fences, or indented as a whole.

    >>> is_pasted("See:\n```python\ndef call(args):\n```"), is_pasted("def call(args):\n    pass\n")
    (True, False)
    """
    code = _CODE.search(text)
    if code is None:
        return False
    fence = _FENCE.search(text)
    lines = [line for line in text.split("\n") if line.strip()]
    before = fence is not None and fence.start() < code.start()
    # Code inside of something: behind a fence, or with every line indented.
    return before or all(line[0] in " \t" for line in lines)


def read_page(path: Path) -> Reading:
    """The one text of a page of tlparse. Raises KernelmapError where it cannot be read."""
    text = page_text(read_text(path))
    alone = CodeText(text=text, code=str(path), place=path.resolve().parts, strength=_PAGE_STRENGTH)
    return _read_numbered(path, text) or Reading((alone,))


def page_text(html: str) -> str:
    """The text of a page without its marks; a line break after `<pre>` is none of the text.

    >>> page_text("<pre><span>x </span>= [&#39;a&#39;] &lt;&lt; 1</pre>")
    "x = ['a'] << 1"
    """
    # The parser of the standard library takes quadratic time for marks that nobody closes.
    text = _TAG.sub("", html).removeprefix("\n")
    return unescape(_NO_CHARACTER.sub("\ufffd", text))


def content_stem(text: str) -> str:
    """The stem of the file in which Inductor's cache keeps `text`.

    Source: torch/_inductor/codecache.py (`write`, `get_hash`, `code_hash`): `c` and 51 characters
    of the base-32 SHA-256 of the stripped text. So a file whose stem fits its content was not
    changed, and a text is recognized as the content of a path that is only named.

    >>> content_stem(" x = 1 ")
    'cr72dnxxriujikwm2dmnnocaaje5y3sx54kis4grygrldgbkojqt'
    """
    digest = hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).digest()
    return "c" + base64.b32encode(digest)[:_HASH_DIGITS].decode().lower()


def stem_of(path: str) -> str:
    """The stem of a path that was written on any system."""
    return PurePath(path.replace("\\", "/")).stem
