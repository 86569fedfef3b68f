"""Folders as tlparse makes them of a log: a file per artifact, numbered, code as a colored page."""

from __future__ import annotations

from html import escape
from pathlib import Path, PurePath

from kernelmap.compiler.logs.events import Damage, LoggedEvent, iter_events


def page(code: str) -> str:
    """Code as tlparse colors it: words in spans, marks escaped."""
    words = escape(code, quote=True).replace("&#x27;", "&#39;").split(" ")
    spans = " ".join(f'<span style="color:#323232;">{word}</span>' for word in words)
    return f'<pre style="background-color:#ffffff;">\n{spans}</pre>\n'


def parsed(log: Path, out: Path, *, plain: bool = False) -> Path:
    """The folder of `log`, without `raw.log`."""
    for number, logged in enumerate(iter_events(log, Damage())):
        _write(out / folder_of(logged), number, logged, plain=plain)
    return out


def folder_of(logged: LoggedEvent) -> str:
    """`-_0_0_1` for attempt 1 of `0/0`."""
    event = logged.event
    ids = (event.compiled_autograd_id, event.frame_id, event.frame_compile_id, event.attempt)
    return "_".join("-" if number is None else str(number) for number in ids)


def _write(folder: Path, number: int, logged: LoggedEvent, *, plain: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name, kind = logged.event.kind, "txt"
    text = logged.payload.decode().removesuffix("\n")
    stated = logged.event.inductor_output_code
    if stated is not None:
        name = f"{name}_{PurePath(stated.filename or 'none').stem}"
        kind = "txt" if plain else "html"
        text = text if plain else page(text)
    elif text.startswith("{"):
        kind = "json"
    (folder / f"{name}_{number}.{kind}").write_text(text, encoding="utf-8")
