"""What the commands share that read or write a store: --store, tags, and ways to say which one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from kernelmap.store.store import Store

_BEFORE = "kernelmap.store"
Function = TypeVar("Function", bound=Callable[..., object])


def store_option(command: Function) -> Function:
    """--store: which store; passed on as `store`."""
    option = click.option(
        "--store",
        metavar="PATH|URL",
        help="A folder, or a URL that fsspec knows.  [default: KERNELMAP_STORE, else "
        "[tool.kernelmap] in pyproject.toml, else .kernelmap]",
    )
    return option(command)


def tag_option(command: Function) -> Function:
    """--tag: which runs, by their tags of now; passed on as `tags`."""
    option = click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="K=V",
        help="Only runs that bear this tag; may be repeated.",
    )
    return option(command)


def remember_store(ctx: click.Context, given: str | None) -> None:
    """Keep the --store that stands before the name of a command below `runs`."""
    ctx.meta[_BEFORE] = given


def open_store(given: str | None) -> Store:
    """The store that is meant."""
    from kernelmap.store.store import Store
    from kernelmap.store.where import chosen

    before = click.get_current_context().meta.get(_BEFORE)
    return Store(chosen(given or (before if isinstance(before, str) else None)))


def tags_of(words: tuple[str, ...]) -> Mapping[str, str]:
    """`key=value` words as tags; wrong usage where one has no key or no `=`."""
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not key or not sign:
            raise click.BadParameter(f"{word!r} is not of the form key=value")
        found[key] = value
    return found
