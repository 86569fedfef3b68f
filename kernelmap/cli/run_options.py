"""What a correlation takes on the command line, handed to a command as one record."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from kernelmap.cli.common import AnyPath, OneOf
from kernelmap.options import Options, Side

_DIGITS = 18  # of the largest step number that a trace can hold

cache_dir = click.option(
    "--cache-dir",
    type=AnyPath(),
    metavar="DIR",
    help="Inductor's cache folder, asked for the code of what ran and was not given.",
)

side = click.option(
    "--side",
    type=OneOf([side.value for side in Side]),
    default=Side.AUTO.value,
    show_default=True,
    callback=lambda _, __, value: Side(value),
    help="Whose time to count; auto: the GPU's, if there is any.",
)

like = click.option(
    "--like",
    type=AnyPath(),
    multiple=True,
    metavar="RUN",
    help="A run of the same code that knows its calls: a bundle, a profile with its code, or a"
    " saved result. May be given several times.",
)

device_limits = click.option(
    "--device-limits",
    type=AnyPath(),
    metavar="FILE",
    help="A .toml file with the limits of devices; it goes before the table of known ones.",
)


def _steps(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """`A:B` or `A` as the first and the last step, both inclusive."""
    if value is None:
        return None
    first, colon, last = value.partition(":")
    numbers = (first, last if colon else first)
    if not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        text = f"{value!r} is neither a step number such as 3 nor two such as 3:5"
        raise click.BadParameter(text, ctx, param)
    start, stop = map(int, numbers)
    if stop < start:
        raise click.BadParameter(f"{value!r} ends before it starts", ctx, param)
    return start, stop


steps = click.option(
    "--steps",
    metavar="A:B",
    callback=_steps,
    help="Count profiler steps A to B only, or step A alone: --steps 3.",
)


_OF_A_RUN = {
    "steps": steps,
    "side": side,
    "cache_dir": cache_dir,
    "like": like,
    "device_limits": device_limits,
}


def run_options(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of a correlation, listed in this order; the command gets them as `options`."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(*args: object, **values: Any) -> None:  # noqa: ANN401 -- what click passes on
            chosen = Options(**{name: values.pop(name) for name in names})
            command(*args, options=chosen, **values)

        decorated: Callable[..., None] = called
        for name in reversed(names):
            decorated = _OF_A_RUN[name](decorated)
        return decorated

    return with_options
