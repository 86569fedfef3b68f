"""An entry of Inductor's FX graph cache → the code in it, under the key that a profile names.

Entries lie in `fxgraph/<two letters>/<KEY>/` and are pickles of a `CompiledFxGraph`. A pickle can
run anything, so none is ever loaded: a text inside of it stands as plain bytes behind the name of
its field, and those bytes are all that is read. So the code, the cache key, the node mapping, the
stack traces and the post-grad graph come out; versions that keep fewer of them give fewer. Left
out: everything else, the environment that some texts quote among it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from kernelmap.compiler.facts import (
    UNREADABLE,
    CodeFacts,
    CodeText,
    NodeMapping,
    Reading,
    kernel_stacks,
    node_mapping,
)
from kernelmap.compiler.files.code_file import content_stem, is_generated_code
from kernelmap.compiler.fx.graph_text import parse_graph_text, parse_printed
from kernelmap.compiler.python.source import is_file, read_text
from kernelmap.errors import unreadable
from kernelmap.model import Notice
from kernelmap.model.paths import read_bytes

# Keys and stems: a letter and 51 characters of base 32.
_KEY = re.compile(r"f[a-z2-7]{51}")
_STEM = re.compile(r"c[a-z2-7]{51}")
_STRENGTH = 6
# Pickle's opcode that stores a text for later use; it may follow a text.
_MEMO = b"\x94"
_LENGTHS = {b"\x8c": 1, b"X": 4, b"\x8d": 8}  # opcodes of a text, bytes of its length
_Found = TypeVar("_Found")


def read_entry(path: Path) -> Reading:
    """The one text of the entry. Raises KernelmapError where it cannot be read."""
    try:
        data = read_bytes(path)
    except OSError as error:
        raise unreadable(path, error) from error
    graph = text_of(data, "inductor_post_grad_graph_str") or ""
    nodes = parse_graph_text(graph)
    # Newer entries hold the code; older ones name its file.
    code = text_of(data, "source_code") or _named_code(path, data)
    if code is None or not is_generated_code(code):
        return Reading((), (_without_code(path),))
    broken: list[str] = []
    stacks = _decode_entry(data, "inductor_provenance_stack_traces_str", kernel_stacks, broken)
    mapping = _decode_entry(data, "inductor_provenance_mapping_str", node_mapping, broken)
    # The key in the entry, else the folder's name, which is the key as well.
    key = text_of(data, "_fx_graph_cache_key") or path.parent.name
    file = wrapper_of(path, code)
    text = CodeText(
        text=code,
        code=str(file),
        place=file.resolve().parts,
        strength=_STRENGTH,
        facts=CodeFacts(
            cache_key=key if _KEY.fullmatch(key) else None,
            mapping=mapping or NodeMapping(),
            stacks=stacks or {},
            post_grad=nodes,
            post_grad_text=parse_printed(graph, nodes),
        ),
    )
    return Reading((text,), tuple(_notice_unread(path, broken)))


def text_of(data: bytes, name: str) -> str | None:
    r"""The text that stands behind a field's name in a pickle; None where there is none.

    >>> text_of(b"\x8c\x03key\x94\x8c\x02ab\x94", "key")
    'ab'
    """
    label = name.encode()
    # The name as pickle writes a short text: opcode, length, bytes.
    start = data.find(bytes((0x8C, len(label))) + label)
    if start < 0:
        return None
    at = start + 2 + len(label)
    # The value follows: an opcode, its length in as many bytes as the opcode says, its bytes.
    at += data[at : at + 1] == _MEMO
    size = _LENGTHS.get(data[at : at + 1])
    if size is None:
        return None
    length = int.from_bytes(data[at + 1 : at + 1 + size], "little")
    text = data[at + 1 + size : at + 1 + size + length]
    return text.decode("utf-8", "replace") if len(text) == length else None


def wrapper_of(entry: Path, code: str) -> Path:
    """The file in which the cache keeps `code`, if it is there; else the entry itself."""
    return _in_cache(entry, content_stem(code)) or entry


def _named_code(entry: Path, data: bytes) -> str | None:
    """The code that older entries name by the stem of its file."""
    stem = text_of(data, "cache_key") or ""
    file = _in_cache(entry, stem) if _STEM.fullmatch(stem) else None
    return read_text(file) if file else None


def _in_cache(entry: Path, stem: str) -> Path | None:
    # The cache's root is one of the folders above: three above the folder KEY, as torch writes it.
    files = (root / stem[1:3] / f"{stem}.py" for root in entry.resolve().parents[1:4])
    return next((file for file in files if is_file(file)), None)


def _decode_entry(
    data: bytes, name: str, decode: Callable[[bytes], _Found], broken: list[str]
) -> _Found | None:
    text = text_of(data, name)
    if not text:
        return None
    try:
        return decode(text.encode())
    except UNREADABLE:
        broken.append(name)
        return None


def _without_code(path: Path) -> Notice:
    return Notice(
        slug="cache-entry-unreadable",
        message=f"{path} is a cache entry in which no code was found.",
        hint="Give TORCH_TRACE's log of the run; its graph is named there as well.",
        gap=True,
    )


def _notice_unread(path: Path, broken: list[str]) -> list[Notice]:
    return [
        Notice(
            slug="cache-entry-unreadable",
            message=f"{path}: {name} is no JSON of its kind.",
            hint="The calls of this graph may lack nodes or lines.",
            gap=True,
        )
        for name in broken
    ]
