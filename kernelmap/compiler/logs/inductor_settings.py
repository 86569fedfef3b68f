"""The settings of the compiler with which a graph was compiled, as its cache event states them.

Inductor logs what the key of its FX graph cache is made from, a line each: a digest, and such as
`inductor_config[max_fusion_size]: 64`. These are all settings that bear on generated code, and with
them what products of matrices may round and whether CUDA graphs are asked for. Left out are values
that may be paths of a machine, and those that are no plain value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

_PLAIN = re.compile(r"[\w.+*,:='\"()\[\]{} -]{0,160}")
"""A number, True, False, None, the name of a choice, or a list of these: nothing with a slash, and
no object with an address. Longer ones are tables that nobody reads in a line. Chosen."""
_SETTING = re.compile(r"\[\w+\] inductor_config(?:_\w+)?\[([\w.]+)\]: (.*)")
_CUDAGRAPHS = re.compile(r"\[\w+\] fx_kwargs\[(cudagraphs)\]: BoxedBool\(value=(True|False)\)")
_BESIDE = re.compile(
    r"\[\w+\] (cuda_matmul_settings|deterministic_algorithms_settings|default_dtype): (.*)"
)
"""Settings of torch itself that are part of the key, each under its own name."""
_PARTS = (" inductor_config", " fx_kwargs[cudagraphs]", "_settings: ", " default_dtype: ")
_EMPTY = "''"


def settings_of(components: msgspec.Raw) -> tuple[tuple[str, str], ...]:
    """Names and values in their order; none where the event lists no components."""
    try:
        lines = msgspec.json.decode(components, type=list[str])
    except (msgspec.DecodeError, ValueError):
        return ()
    return _parse_settings(tuple(line for line in lines if any(part in line for part in _PARTS)))


def plain_value(text: str) -> str | None:
    """A value as it is compared; None where it may be a path, or is no plain value.

    >>> plain_value("ATEN,TRITON"), plain_value(""), plain_value("/home/me/passes.py")
    ('ATEN,TRITON', "''", None)
    """
    return (text or _EMPTY) if _PLAIN.fullmatch(text) else None


@lru_cache(maxsize=16)
def _parse_settings(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Of the graphs of one program the lines are equal, so that their settings are held once."""
    return tuple(_iter_settings(lines))


def _iter_settings(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for line in lines:
        for kind in (_SETTING, _CUDAGRAPHS, _BESIDE):
            match = kind.fullmatch(line)
            value = plain_value(match[2]) if match else None
            if match and value is not None:
                yield match[1], value
