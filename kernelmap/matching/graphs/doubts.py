"""What groups say against each other's identities.

Each group is identified by itself (matching/identify.py). Held together they show what none shows
alone: one graph claimed from two places, or code that was not given. An identity that rests on
names is then at best inferred, because the names may be a look-alike's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.identify import Identity
from kernelmap.matching.host_side.groups import Group
from kernelmap.matching.host_side.host import Host
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import NONE, Method


def held_together(
    known: Sequence[Candidate],
    host: Host,
    groups: Sequence[Group],
    identities: Sequence[Identity],
    regions: Sequence[str | None],
) -> tuple[Identity, ...]:
    """`identities`, weakened where the rest of the trace speaks against them.

    `regions` are the compile ids around the groups (matching/regions.py).
    """
    claims = _Claims(known)
    for group, identity, region in zip(groups, identities, regions, strict=True):
        claims.note(group, identity, region)
        claims.missing |= not identity.graphs and _is_compiled_work(host, group)
    held = []
    for group, identity, region in zip(groups, identities, regions, strict=True):
        doubt = claims.doubt(group, identity, region)
        held.append(identity.weakened(doubt) if doubt else identity)
    return tuple(held)


class _Claims:
    """Under which cache keys, and in which regions, each graph was seen.

    `telling` are the processes in which regions bear compile ids; `missing` says that code ran
    which was not given.
    """

    def __init__(self, known: Sequence[Candidate]) -> None:
        self.known = known
        self.missing = False
        self.telling: set[int] = set()
        self.keys: dict[int, set[str | None]] = defaultdict(set)
        self.regions: dict[tuple[int, int], set[str]] = defaultdict(set)

    def note(self, group: Group, identity: Identity, region: str | None) -> None:
        """Count what one group claims."""
        if region is not None:
            self.telling.add(group.process)
        if len(identity.graphs) != 1:
            return
        graph = identity.graphs[0]
        if group.mark != NONE:
            self.keys[graph].add(group.key)
        seen = self.regions[graph, group.process]
        stated = self.known[graph].graph.compile_id
        seen.update(one.partition("_")[0] for one in (region, stated) if one is not None)

    def doubt(self, group: Group, identity: Identity, region: str | None) -> str | None:
        """What speaks against the claim of one group, None for nothing."""
        if len(identity.graphs) != 1 or self._recorded(group, identity.graphs[0]):
            return None
        graph = identity.graphs[0]
        if len(self.keys[graph]) > 1:
            return "several cache keys fit this graph"
        seen = self.regions[graph, group.process]
        by_names = identity.method is not Method.KERNEL_HASH
        # Equal keys and equal hashes are one code, wherever it was compiled.
        if len(seen) > 1 and (by_names or group.key is None):
            return "it fits several compiled regions"
        if region is None and group.key is None and group.process in self.telling:
            return "the compiled region around it is not known"
        if by_names and self.missing:
            return "code is missing that may look the same"
        return None

    def _recorded(self, group: Group, graph: int) -> bool:
        return group.key is not None and group.key == self.known[graph].graph.cache_key


def _is_compiled_work(host: Host, group: Group) -> bool:
    """Whether a group shows that compiled code ran: kernels, or operators that launched something.

    On the bare thread it may be anybody's. A replay whose capture was seen adds nothing: the code
    ran where it was captured.
    """
    if group.mark == NONE and (group.container == NONE or not host.compiled[group.container]):
        return False
    if group.replays and not host.forgets(group):
        return False
    return any(
        is_kernel_symbol(symbol) or host.launched[row]
        for row, symbol in zip(group.rows, group.symbols, strict=True)
    )
