"""What the program that runs one graph alone states beside the graph: `fx_graph_runnable`.

Torch writes it so that a graph can be compiled again elsewhere. Before the graph it sets every
setting of the compiler that is not the default, and the environment variables that have to do with
torch; behind those stand versions, in comments. Read are settings with plain values, the variables
of facts/torch_variables.py, and no others. Left out: the graph.
"""

from __future__ import annotations

import re
from pathlib import Path

from kernelmap.compiler.logs.inductor_settings import plain_value
from kernelmap.compiler.python.source import decode_text
from kernelmap.facts.torch_variables import KNOWN_VARIABLES
from kernelmap.model.compilations import StatedBeside
from kernelmap.model.paths import first_bytes

RUNNABLE = "fx_graph_runnable"
"""The name of the artifact, and of the file that torch_compile_debug has of it."""

_SETTING = re.compile(r"torch\._(inductor|dynamo|functorch)\.config\.([\w.]+) = (.*)")
_VARIABLE = re.compile(r"os\.environ\['(\w+)'\] = '(.*)'")
_VERSION = re.compile(r"# torch (cuda )?version: (\d[\w.+-]*)")
_GRAPH = "class "  # the line with which the graph begins
_HEAD_BYTES = 256 * 1024  # of a file: more than so many lines of settings
_LINES = 400  # before the graph: torch 2.13 writes some 50; one that never begins is not searched


def is_runnable(path: Path) -> bool:
    """Whether torch_compile_debug calls such a program so."""
    return path.name == f"{RUNNABLE}.py"


def read_runnable_file(path: Path) -> StatedBeside | None:
    """The same of a file; None where it cannot be read."""
    return read_runnable(first_bytes(path, _HEAD_BYTES))


def read_runnable(payload: bytes) -> StatedBeside | None:
    """What the program states; None where the log does not have its text."""
    if not payload.strip():
        return None
    settings: dict[str, str] = {}
    environment: dict[str, str] = {}
    versions: dict[str, str] = {}
    for line in payload.split(b"\n", _LINES)[:_LINES]:
        text = decode_text(line).strip()
        if text.startswith(_GRAPH):
            break
        if match := _SETTING.fullmatch(text):
            part, name, stated = match.groups()
            value = plain_value(stated)
            if value is not None:
                settings[name if part == "inductor" else f"{part}.{name}"] = value
        elif (match := _VARIABLE.fullmatch(text)) and match[1] in KNOWN_VARIABLES:
            value = plain_value(match[2])
            if value is not None:
                environment[match[1]] = value
        elif match := _VERSION.fullmatch(text):
            versions["cuda" if match[1] else "torch"] = match[2]
    return StatedBeside(
        settings=tuple(settings.items()),
        environment=tuple(environment.items()),
        versions=tuple(versions.items()),
    )
