"""The settings of Inductor with which a graph was compiled, as its cache event states them.

Inductor logs what the key of its FX graph cache is made from, a line each: a digest, and such as
`inductor_config[max_fusion_size]: 64`. These are all settings that bear on generated code. Left out
are values that may be paths of a machine, and those that are no plain value.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

_SETTING = re.compile(r"\[\w+\] inductor_config(?:_\w+)?\[([\w.]+)\]: ([\w.+-]{1,40})")
"""A value in one word: a number, True, False, None or the name of a choice."""


def settings_of(components: msgspec.Raw) -> tuple[tuple[str, str], ...]:
    """Names and values in their order; none where the event lists no components."""
    try:
        lines = msgspec.json.decode(components, type=list[str])
    except (msgspec.DecodeError, ValueError):
        return ()
    return _parse_settings(tuple(line for line in lines if " inductor_config" in line))


@lru_cache(maxsize=16)
def _parse_settings(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Of the graphs of one program the lines are equal, so that their settings are held once."""
    return tuple((match[1], match[2]) for line in lines if (match := _SETTING.fullmatch(line)))
