"""The public names of the package with what they take and give: the text of docs/api.md.

Signatures and docstrings are those of the code. make_docs.py writes the page.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from enum import EnumMeta
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

import kernelmap  # noqa: E402 -- after the line above

_MADE_BY_HAND = ("Options", "Store")  # other objects are what a function gives
_HEAD = """<!-- Made by scripts/make_docs.py; do not edit. -->
# Python

All that `import kernelmap` offers. Importing it loads nothing heavy; what a name needs is loaded
when it is first used. Tables are pandas DataFrames with the [columns](columns.md) of the same name,
figures are Plotly's. Errors are `KernelmapError` ([errors and notices](messages.md)).
"""


def api() -> str:
    """The whole page: what is called, then what that gives."""
    names = [name for name in kernelmap.__all__ if not name.startswith("_")]
    things = {name: getattr(kernelmap, name) for name in names}
    order = sorted(names, key=lambda name: inspect.isclass(things[name]))
    return "\n".join([_HEAD, *("\n".join(_section(name, things[name])) for name in order)])


def _section(name: str, thing: object) -> Iterator[str]:
    yield f"## {name}\n"
    if not inspect.isclass(thing):
        call = _called(thing)
        yield f"```python\nkernelmap.{name}{_parameters(call)}\n```\n"
        yield f"{_said(call)}\n"
        return
    if name in _MADE_BY_HAND:
        yield f"```python\nkernelmap.{name}{_parameters(thing)}\n```\n"
    yield f"{_said(thing)}\n"
    if isinstance(thing, EnumMeta):
        yield f"One of {', '.join(f'`{name}`' for name in thing.__members__)}.\n"
    elif rows := [row for name, member in _members(thing) if (row := _member(name, member))]:
        yield "\n".join(["| member | what it gives |", "|---|---|", *rows]) + "\n"


def _called(thing: object) -> Callable[..., object]:
    """What is called: a function, or that of a module that can be called itself."""
    if isinstance(thing, ModuleType):
        thing = inspect.getattr_static(type(thing), "__call__").__func__
    if not callable(thing):
        raise TypeError(f"{thing!r} is neither a class nor called")
    return thing


def _members(thing: type) -> Iterator[tuple[str, object]]:
    """The public members of our own classes, those of the base first."""
    names = dict.fromkeys(
        name
        for base in reversed(thing.__mro__)
        if base.__module__.startswith("kernelmap")
        for name in vars(base)
        if not name.startswith("_")
    )
    return ((name, inspect.getattr_static(thing, name)) for name in names)


def _member(name: str, member: object) -> str | None:
    """A row for a method or a property; None for a field."""
    if not isinstance(member, (FunctionType, property, cached_property)):
        return None
    first = " ".join(_said(member).partition("\n\n")[0].split()).replace("|", "\\|")
    shown = f"{name}{_parameters(member)}" if isinstance(member, FunctionType) else name
    return f"| `{shown}` | {first} |"


def _parameters(thing: Callable[..., object]) -> str:
    """The parameters as they are called: names and defaults, without types."""
    given = inspect.signature(thing)
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in given.parameters.values()
        if parameter.name != "self"
    ]
    shown = given.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    return str(shown).replace("<Side.AUTO: 'auto'>", "Side.AUTO").replace("datetime.", "")


def _said(thing: object) -> str:
    return inspect.getdoc(thing) or ""
