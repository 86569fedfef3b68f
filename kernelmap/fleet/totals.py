"""Sums over collectives → a row for each kind: transfer, waiting, and how fast its link was.

The bus bandwidth is that of nccl-tests, which starts a collective on all ranks together. In a job
ranks come one after the other, and the transfer begins when the last one is there, so the time is
that from its arrival to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from kernelmap.facts.bus_bandwidth import array_of_collective
from kernelmap.fleet.communication import KIND, Communication
from kernelmap.fleet.rank import RankFacts
from kernelmap.model.collectives import CollectiveSpeed
from kernelmap.model.notices import format_count
from kernelmap.model.roofline import DeviceLimits
from kernelmap.speed.limits.links import link_between, stated_ranks
from kernelmap.tables.bandwidth import cells_of_bandwidth
from kernelmap.tables.rows import Row

LimitsByDevice = Mapping[str | None, DeviceLimits]


def iter_totals(
    communication: Communication,
    steps: int,
    facts: Mapping[int, RankFacts],
    limits: LimitsByDevice,
) -> Iterator[Row]:
    """Rows of tables.fleet.COMMUNICATION; `facts` are of the ranks that were read, `steps` theirs.

    `limits` are those of their devices.
    """
    for key, rows in communication.by_rank.groupby(KIND, sort=True, dropna=False, observed=True):
        speed, stated = _speed_of_kind(_cells_of_key(key), rows, facts, limits)
        # The rank that came last most often, of equal ones the lowest number.
        last = rows.sort_values(["last", "rank"], ascending=[False, True], kind="stable").iloc[0]
        yield {
            "name": speed.name,
            "group": speed.group,
            "dtype": speed.dtype,
            "elements": stated["elements_in"],
            "collectives": speed.collectives,
            "ranks": len(rows),
            # A transfer stands once per collective, waiting once per rank: hence the mean over
            # ranks of the latter.
            "transfer_ns": round(speed.time_ns / steps),
            "waiting_ns": round(rows["waiting_ns"].sum() / (steps * len(facts))),
            "exposed_ns": round(speed.exposed_ns / (steps * len(facts))),
            "last_rank": int(last["rank"]),
            "last_in": int(last["last"]),
            "elements_out": stated["elements_out"],
            "members": speed.ranks,
            "bytes": speed.bytes,
            "shortest_ns": speed.shortest_ns,
            **cells_of_bandwidth(speed),
            "reason": speed.reason,
        }


def _speed_of_kind(
    stated: Mapping[str, Any],
    rows: pd.DataFrame,
    facts: Mapping[int, RankFacts],
    limits: LimitsByDevice,
) -> tuple[CollectiveSpeed, Mapping[str, Any]]:
    """The speed of a kind with sums over all steps; `rows` are those of its ranks."""
    members = stated["members"]
    size, factor, reason = array_of_collective(
        stated["name"], members, stated["dtype"], stated["elements_in"], stated["elements_out"]
    )
    link, bandwidth = None, None
    # Each collective has one rank that came last.
    collectives, whole = int(rows["last"].sum()), int(rows["all_members"].sum())
    if size is not None:
        ranks = _ranks_of_group(stated, rows, is_whole=whole == collectives)
        link, bandwidth, reason = _link_of_ranks(ranks, rows, facts, limits)
        if whole < collectives:
            lower = (
                f"at least: {collectives - whole:,} of {format_count(collectives, 'collective')}"
                " were not matched on all ranks, and another one may have come last"
            )
            reason = "; ".join(filter(None, (lower, reason)))
    return CollectiveSpeed(
        name=stated["name"],
        group=stated["group"],
        ranks=members,
        dtype=stated["dtype"],
        bytes=size,
        factor=factor,
        collectives=collectives,
        time_ns=int(rows["transfer_ns"].sum()),
        shortest_ns=int(rows["shortest_ns"].min()),
        exposed_ns=int(rows["exposed_ns"].sum()),
        link=link,
        link_bandwidth=bandwidth,
        reason=reason,
    ), stated


def _ranks_of_group(
    stated: Mapping[str, Any], rows: pd.DataFrame, *, is_whole: bool
) -> Sequence[int] | None:
    """The ranks that take part, None where that is not known.

    Profiles cut long lists short; the ranks on which all was matched are known all the same.
    """
    seen = sorted(rows["rank"].astype(int).tolist())
    if is_whole and len(seen) == stated["members"]:
        return seen
    ranks = stated_ranks(stated["group"])
    return ranks if ranks is not None and len(ranks) == stated["members"] else None


def _link_of_ranks(
    ranks: Sequence[int] | None,
    rows: pd.DataFrame,
    facts: Mapping[int, RankFacts],
    limits: LimitsByDevice,
) -> tuple[str | None, int | None, str | None]:
    """The link that joins `ranks`, as the devices of those tell it that were read."""
    read = [facts[rank] for rank in rows["rank"].astype(int).tolist()]
    devices = {of_rank.device for of_rank in read}
    of_device = limits.get(next(iter(devices))) if len(devices) == 1 else None
    if len(devices) > 1:
        return None, None, "its ranks have devices of several kinds"
    if of_device is None:
        return None, None, "the limits of the device are not known"
    # A process that sees fewer GPUs than others does not tell how many its machine has.
    gpus = {of_rank.gpus for of_rank in read}
    return link_between(ranks, gpus.pop() if len(gpus) == 1 else 0, of_device)


def _cells_of_key(key: Any) -> dict[str, Any]:  # noqa: ANN401 -- whatever the columns hold
    """The values by which rows are grouped, by the names of KIND."""
    counts = ("elements_in", "elements_out", "members")
    return {
        name: None if pd.isna(value) else int(value) if name in counts else str(value)
        for name, value in zip(KIND, key, strict=True)
    }
