"""What [tool.kernelmap] of pyproject.toml states in place of an option's default.

    [tool.kernelmap]
    by = "line"
    top = 10
    steps = "3:5"
    max_regression = "2%"

An option on the command line goes before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.settings import tables

_WINDOW = ("correlate", "report", "roofline", "doctor", "record")
_GATE = ("gate",)
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "steps": _WINDOW,
    "by": ("correlate",),
    "top": ("correlate", "roofline", "diff", "fleet"),
    "max_regression": _GATE,
    "min_time": _GATE,
    "min_coverage": _GATE,
    "on_change": _GATE,
}
"""The settings that are options, and the commands that have them."""


def defaults(folder: Path | None = None) -> dict[str, dict[str, object]]:
    """Defaults by command and parameter, as click takes them.

    Raises UsageError for a setting that is not known. A pyproject.toml that cannot be read states
    none: commands that need one of its settings say what is wrong with it.
    """
    try:
        stated = tables(Path.cwd() if folder is None else folder)
    except UsageError:
        raise
    except KernelmapError:
        return {}
    by_command: dict[str, dict[str, object]] = {}
    for name, commands in OPTIONS.items():
        value = next((table[name] for _, table in stated if name in table), None)
        if value is not None:
            plain = str(value) if isinstance(value, (int, float)) else value
            for command in commands:
                by_command.setdefault(command, {})[name] = plain
    return by_command


def where_stated(error: click.BadParameter) -> click.BadParameter:
    """The error; that of a default says where the default stands."""
    from click.core import ParameterSource

    context, parameter = error.ctx, error.param
    if context is None or parameter is None or parameter.name is None:
        return error
    if context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT_MAP:
        return error
    text = f"{error.message} (`{parameter.name}` in [tool.kernelmap] of pyproject.toml)"
    return click.BadParameter(text, context, parameter)
