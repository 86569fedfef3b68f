"""Inductor's cache folders for tests: files named by their content, entries named by their key."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

from kernelmap.compiler.files.code_file import content_stem


def key_of(name: str) -> str:
    """A cache key that anybody can tell from others: `f`, the name, and filling."""
    return f"f{name}".ljust(52, "a")


def put_code(cache: Path, text: str) -> Path:
    """A file of the cache: a wrapper, or a kernel's source."""
    stem = content_stem(text)
    path = cache / stem[1:3] / f"{stem}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def put_entry(cache: Path, key: str, code: str | None, **others: object) -> Path:
    """An entry of the FX graph cache: a pickle with named texts, as far as they are stated."""
    state: dict[str, object] = {"class": "CompiledFxGraph", "cache_key": content_stem(code or "")}
    if code is not None:
        state["source_code"] = code
    state |= {name: _text(value) for name, value in others.items()}
    state["_fx_graph_cache_key"] = key
    path = cache / "fxgraph" / key[1:3] / key / content_stem(repr(state))[1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(state, protocol=4))
    return path


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
