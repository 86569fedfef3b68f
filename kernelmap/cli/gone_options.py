"""Options that are gone: who gives one learns what does the same now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import click

from kernelmap.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., object])

_RECIPE = "write the times with `-o gate.json`; docs/ci.md has the ten lines that make {} of them"
GONE_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "gate": {
        "--bmf": _RECIPE.format("Bencher Metric Format"),
        "--pytest-benchmark": _RECIPE.format("the JSON of pytest-benchmark"),
        "--prometheus": _RECIPE.format("Prometheus text"),
        "--otlp": _RECIPE.format("OpenTelemetry metrics and post them"),
        "--wandb": _RECIPE.format("a table of W&B"),
        "--webhook": "give curl to --on-change: docs/ci.md has the line",
        "--state": "keep the exit code of the last gate: docs/ci.md has the lines of shell",
    },
    "dashboard": {
        "--on-change": "let `kernelmap gate --last` tell it where runs of main are recorded",
        "--webhook": "let `kernelmap gate --last` tell it where runs of main are recorded",
    },
}
"""By command and option: what to do instead. Each of them took one value."""


def gone_options(command: str) -> Callable[[Function], Function]:
    """The options of `command` that are gone; they stand in no help, and each is a usage error."""

    def add(function: Function) -> Function:
        for option in GONE_OPTIONS[command]:
            declared = click.option(option, hidden=True, expose_value=False, callback=_refuse)
            function = declared(function)
        return function

    return add


def _refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        option = param.opts[0]
        instead = GONE_OPTIONS[str(ctx.command.name)][option]
        raise UsageError("gone-option", f"{option} is gone", f"{instead[:1].upper()}{instead[1:]}.")
