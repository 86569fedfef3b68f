"""What [tool.kernelmap] of pyproject.toml states in place of an option's default.

    [tool.kernelmap]
    by = "line"
    top = 10
    steps = "3:5"
    max_regression = "2%"
    device_limits = "limits.toml"

An option on the command line goes before it, and so does an environment variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.settings import tables

_WINDOW = ("correlate", "doctor", "runs add")
_COUNTING = (*_WINDOW, "annotate", "diff", "gate")
_GATE = ("gate",)
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "steps": _WINDOW,
    "by": ("correlate",),
    "top": ("correlate", "diff", "fleet"),
    "cache_dir": (*_COUNTING, "which", "explain"),
    "device_limits": (*_COUNTING, "fleet"),
    "time_limit": ("fleet",),
    "max_regression": _GATE,
    "min_time": _GATE,
    "min_coverage": _GATE,
    "on_change": _GATE,
}
"""The settings that are options, and the commands that have them."""
_PATHS = ("cache_dir", "device_limits")
"""Those that are paths, from the folder of the pyproject.toml."""


def defaults(folder: Path | None = None) -> dict[str, Any]:
    """Defaults by command and parameter, as click takes them: a group's commands lie in its own.

    Raises UsageError for a setting that is not known. A pyproject.toml that cannot be read states
    none: commands that need one of its settings say what is wrong with it.
    """
    try:
        stated = tables(Path.cwd() if folder is None else folder)
    except UsageError:
        raise
    except KernelmapError:
        return {}
    by_command: dict[str, Any] = {}
    for name, commands in OPTIONS.items():
        # The nearest pyproject.toml that states this setting.
        path, value = next(
            ((path, table[name]) for path, table in stated if name in table), (None, None)
        )
        if path is None:
            continue
        # click reads texts and checks them as if they were typed.
        plain = str(value) if isinstance(value, (int, float)) else value
        if name in _PATHS and isinstance(plain, str):
            plain = str(path.parent / plain)
        for command in commands:
            of_command = by_command
            # `runs add` lies in the defaults of `runs`.
            for word in command.split():
                of_command = of_command.setdefault(word, {})
            of_command[name] = plain
    return by_command


def where_stated(error: click.BadParameter) -> click.BadParameter:
    """The error; that of a default says where the default stands."""
    context, parameter = error.ctx, error.param
    if context is None or parameter is None or parameter.name is None:
        return error
    if context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT_MAP:
        return error
    text = f"{error.message} (`{parameter.name}` in [tool.kernelmap] of pyproject.toml)"
    return click.BadParameter(text, context, parameter)
