"""In which of Dynamo's regions a group ran: `Torch-Compiled Region: 1/0` has compile id 1/0.

A backward runs outside of its region, on autograd's thread; the sequence number that autograd gives
to forward and backward leads back to it. Regions of torch before 2.5 carry no compile id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kernelmap.matching.host_side.climb import climb
from kernelmap.matching.host_side.columns import by_name
from kernelmap.matching.host_side.groups import Group
from kernelmap.matching.host_side.host import Host
from kernelmap.matching.host_side.roles import BACKWARD, FORWARD
from kernelmap.model import NONE
from kernelmap.model.names import compile_id
from kernelmap.model.trace import Bool


def compile_ids(host: Host, groups: Sequence[Group]) -> tuple[str | None, ...]:
    """The compile id of the region that each group ran in, None where the trace tells none."""
    ranges = host.ranges
    ids = [compile_id(name) for name in ranges.names]
    named = by_name(ranges.name_id, [each is not None for each in ids])
    if not named.any():
        return (None,) * len(groups)
    containers = np.array([group.container for group in groups], dtype=np.int64)
    region = climb(ranges.parent, named, containers)
    backward = by_name(ranges.name_id, [name == BACKWARD for name in ranges.names])
    around = climb(ranges.parent, backward, containers)
    forward = _forward_regions(host, named)
    for number in np.flatnonzero((region == NONE) & (around != NONE)).tolist():
        behind = int(around[number])
        slot = (int(ranges.process[behind]), int(ranges.sequence[behind]))
        region[number] = forward.get(slot, NONE)
    return tuple(ids[int(ranges.name_id[row])] if row != NONE else None for row in region.tolist())


def _forward_regions(host: Host, named: Bool) -> Mapping[tuple[int, int], int]:
    """The row of a forward's region by process and sequence number."""
    ranges = host.ranges
    forward = by_name(ranges.name_id, [name == FORWARD for name in ranges.names])
    rows = np.flatnonzero(forward & (ranges.sequence >= 0))
    regions = climb(ranges.parent, named, rows)
    slots = zip(ranges.process[rows].tolist(), ranges.sequence[rows].tolist(), strict=True)
    return dict(zip(slots, regions.tolist(), strict=True))
