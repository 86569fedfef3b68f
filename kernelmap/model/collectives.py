"""What a profile states of collectives, what they move over links, and what hides them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import Activity, Bool, Trace


class CollectiveArgs(Struct, frozen=True, kw_only=True):
    """What a collective was called with; None where the file does not say.

    `elements_in` and `elements_out` count the elements of the messages, `ranks` is the text that
    names the members of the group.
    """

    name: str | None
    group: str | None = None
    ranks: str | None = None
    dtype: str | None = None
    elements_in: int | None = None
    elements_out: int | None = None
    members: int | None = None


StatedCollectives = Mapping[tuple[bool, int], CollectiveArgs]
"""What is stated of kernels by their correlation id (True), of ranges by their external id."""


def is_stated_collective(trace: Trace, said: StatedCollectives) -> Bool:
    """The kernels of which the profile states a collective, under any name; (launches,)."""
    launches = trace.launches
    numbers = [number for of_kernel, number in said if of_kernel]
    is_kernel = np.equal(launches.activity, Activity.KERNEL)
    return np.isin(launches.correlation, numbers) & is_kernel


class Covering(Struct, frozen=True, kw_only=True):
    """Computing that ran while a collective did: `time_ns` of it.

    `call` is a position in `CompiledProgram.calls`, None for a kernel `name` outside of them.
    """

    call: int | None
    name: str
    time_ns: int


class CollectiveSpeed(Struct, frozen=True, kw_only=True):
    """The collectives of one kind, group, dtype and size in the window.

    `group` names the process group with its ranks, `ranks` is how many there are. `bytes` are those
    of one collective's whole array, `factor` is that of its algorithm. `time_ns` is the time of all
    of them, `shortest_ns` that of the shortest one: from the arrival of the last rank on where the
    profiles of all ranks are known, else waiting for other ranks included. `exposed_ns` is the part
    in which its device computed nothing. `link` names what joins the devices of the group,
    with its `link_bandwidth` in bytes per second and direction. `reason` says why something is
    None.
    """

    name: str
    group: str
    ranks: int | None
    dtype: str | None
    bytes: int | None
    factor: Fraction | None
    collectives: int
    time_ns: int
    shortest_ns: int
    exposed_ns: int
    covered_by: tuple[Covering, ...] = ()
    link: str | None = None
    link_bandwidth: int | None = None
    reason: str | None = None

    @property
    def bus_gbps(self) -> float | None:
        """The mean bus bandwidth in 10^9 bytes per second; at least, where waiting counts."""
        return self._bus_gbps(self.collectives, self.time_ns)

    @property
    def best_bus_gbps(self) -> float | None:
        """That of the shortest one, which waited least."""
        return self._bus_gbps(1, self.shortest_ns)

    @property
    def share_of_link(self) -> float | None:
        """The mean bus bandwidth over that of the link."""
        if self.bus_gbps is None or self.link_bandwidth is None:
            return None
        return self.bus_gbps * 10**9 / self.link_bandwidth

    def _bus_gbps(self, collectives: int, time_ns: int) -> float | None:
        # Bytes per ns are GB/s.
        if self.bytes is None or self.factor is None or not time_ns:
            return None
        return float(self.bytes * collectives * self.factor / time_ns)
