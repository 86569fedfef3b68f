"""The ranks of a process group → the link that joins their devices, and what it can carry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelmap.facts.bus_bandwidth import is_in_one_machine
from kernelmap.model.roofline import DeviceLimits

_ALL_RANKS = re.compile(r"(?:^| )\[(\d+(?:, ?\d+)*)\]\Z")
"""A list of ranks at the end of a text: a long one that a profile cuts short (`...`) is none."""
_NOT_STATED = "which ranks take part is not stated in full"


def stated_ranks(group: str | None) -> list[int] | None:
    """The ranks that the text of a process group lists; None where it does not list all of them.

    >>> stated_ranks("tp [0, 1]"), stated_ranks("[0, 1, ...]"), stated_ranks("tp")
    ([0, 1], None, None)
    """
    stated = _ALL_RANKS.search(group or "")
    return None if stated is None else [int(rank) for rank in stated[1].split(",")]


def link_between(
    ranks: Sequence[int] | None, gpus: int, limits: DeviceLimits
) -> tuple[str | None, int | None, str | None]:
    """What joins `ranks`, with its bytes per second, or why that is not known.

    `gpus` is how many devices a machine has, as far as its processes see them.
    """
    if ranks is None:
        return None, None, _NOT_STATED
    inside = is_in_one_machine(ranks, gpus)
    if inside is None:
        return None, None, "whether its ranks are in one machine is not known"
    if not inside:
        if limits.network_bandwidth is None:
            return None, None, "the network between machines has no limit here"
        return "network", limits.network_bandwidth, None
    if limits.link_bandwidth is None:
        return None, None, "the link of this device has no limit here"
    return limits.link or "link", limits.link_bandwidth, None
