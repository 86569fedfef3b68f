"""Collectives of all ranks → which are the same one, who came last, and who waited how long.

Clocks of machines differ, so no start of one rank is compared with one of another. A collective of
one rank is the same as that of another by step, group and position, as alignment.py gives them;
where they call different collectives there, or with other sizes, the order differs, and they are
not matched. A collective ends at the same time on all its ranks: the one on which it ran the
shortest came last, its time is the transfer, and what it took longer elsewhere was waiting.

Those of a large fleet are shared out to several tasks (shares.py): `of_steps` is what one of them
does, `join_parts` joins what they give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from msgspec import Struct

from kernelmap.facts.communication import ONE_TO_ONE, UNKNOWN
from kernelmap.fleet.replay import Replay, iter_replays
from kernelmap.model import Notice
from kernelmap.model.notices import format_count, format_duration, join_some
from kernelmap.tables.frames import Array

_NAMED = 8  # ranks in a sentence
_OCCURRENCE = ["step", "group", "position"]
_SIGNATURE = ["name", "dtype", "elements_in", "elements_out"]
KIND = ["name", "group", "dtype", "elements_in", "elements_out", "members"]
BETWEEN_TWO = "they are between two ranks"
OTHER_NUMBER = "a rank has more or fewer of them there than most"
NO_OTHER_RANK = "no other rank that was read has the same there"
OTHER_COLLECTIVE = "most ranks have another one there"
"""Why collectives are not matched; `docs/fleet.md` tells what follows."""


class MatchedCollectives(Struct, frozen=True):
    """The collectives of a fleet. `rows` has one per rank and collective, those that were matched.

    Columns beside those of tables.fleet.COLLECTIVES: `occurrence` numbers the collectives in the
    order of the fleet, `transfer_ns`, `waiting_ns`, `last` (whether the rank came last), and
    `ranks`, on how many ranks it was matched. `members` is the same on all of them. `others`
    are rows whose collective is not what most ranks call there, with `usual`; `alone` are all that
    were not matched, each with its `reason`.
    """

    rows: pd.DataFrame
    others: pd.DataFrame
    alone: pd.DataFrame


def match_collectives(collectives: pd.DataFrame) -> MatchedCollectives:
    """Match the collectives of all ranks."""
    # Neither is matched: what two ranks do between them, and what stands in a step in which the
    # rank has another number of collectives than most.
    one_to_one = collectives["name"].isin(ONE_TO_ONE)
    apart = one_to_one | ~collectives["placed"].astype(bool)
    rows = _with_usual(collectives[~apart])
    differs = rows["signature"] != rows["usual"]
    # What is left is one collective on several ranks: step, group, position, name and sizes agree.
    same = rows[~differs & (rows["ranks"] > 1)].copy()
    around = same.groupby(_OCCURRENCE, sort=False, observed=True)
    # The shortest run is the transfer, and each rank waited for what its own run is longer.
    same["transfer_ns"] = around["dur_ns"].transform("min")
    same["waiting_ns"] = same["dur_ns"] - same["transfer_ns"]
    same["last"] = False
    # Where only some of its ranks say how many there are, the others have that number, too.
    same["members"] = around["members"].transform("max")
    if len(same):
        # The rank with the shortest run came last; of equal ones the first row.
        same.loc[around["dur_ns"].idxmin(), "last"] = True
        # One order of all collectives over all groups. Clocks differ, so starts count from the
        # first collective of the step on the same rank, and the median over ranks decides.
        since = same["start_ns"] - same.groupby(["rank", "step"])["start_ns"].transform("min")
        order = (
            same.assign(since=since)
            .groupby(_OCCURRENCE, sort=False, observed=True)["since"]
            .median()
            .reset_index()
            .sort_values(["step", "since", "position", "group"], kind="stable")
        )
        order["occurrence"] = np.arange(len(order))
        same = same.merge(order.drop(columns="since"), on=_OCCURRENCE)
    else:
        same["occurrence"] = np.zeros(0, dtype=np.int64)
    columns = list(collectives.columns)
    # The four reasons exclude each other, so each collective that is not matched is counted once.
    lonely = rows["ranks"] <= 1
    reasons = [
        (collectives[one_to_one], BETWEEN_TWO),
        (collectives[apart & ~one_to_one], OTHER_NUMBER),
        (rows.loc[lonely, columns], NO_OTHER_RANK),
        (rows.loc[differs & ~lonely, columns], OTHER_COLLECTIVE),
    ]
    return MatchedCollectives(
        rows=same,
        others=rows[differs & ~lonely],
        alone=pd.concat([part.assign(reason=reason) for part, reason in reasons]),
    )


def _with_usual(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their `signature`, the `usual` one at their place, and its number of `ranks`.

    Where a name does not tell the collective, it is what the other ranks call there: their sizes
    and names are put in its place.
    """
    # The text of a signature is made once per kind of collective: there are few kinds, and many
    # rows.
    kinds = rows[_SIGNATURE].drop_duplicates()
    rows = rows.merge(kinds.assign(signature=_signatures_of(kinds)), on=_SIGNATURE, how="left")
    # Ranks vote for what runs at a place. A name that does not tell the collective loses against
    # any that does; then the votes decide, then the text.
    counts = rows.groupby([*_OCCURRENCE, "signature"], sort=False, observed=True).size()
    most = counts.reset_index(name="votes")
    most["told"] = most["signature"] != UNKNOWN
    most = most.sort_values(
        ["told", "votes", "signature"], ascending=[False, False, True], kind="stable"
    )
    usual = most.drop_duplicates(_OCCURRENCE).rename(columns={"signature": "usual"})
    rows = rows.merge(usual[[*_OCCURRENCE, "usual"]], on=_OCCURRENCE, how="left")
    # A kernel whose name does not tell gets the name and the sizes of what the others run there.
    untold = (rows["signature"] == UNKNOWN) & (rows["usual"] != UNKNOWN)
    if untold.any():
        told = rows.drop_duplicates("signature").set_index("signature")[_SIGNATURE]
        rows.loc[untold, _SIGNATURE] = told.loc[rows.loc[untold, "usual"]].to_numpy()
        rows.loc[untold, "signature"] = rows.loc[untold, "usual"]
    # How many ranks run the usual collective at the place of each row; (rows,).
    alike = (rows["signature"] == rows["usual"]).groupby(
        [rows[name] for name in _OCCURRENCE], sort=False, observed=True
    )
    rows["ranks"] = alike.transform("sum")
    return rows


class Communication(Struct, frozen=True):
    """Sums over the collectives of some steps; their size does not grow with the collectives.

    `waiting` has `waiting_ns` by rank and step. `by_rank` has a row per kind of collective and rank
    with sums: `waiting_ns` and `exposed_ns`, and of the collectives in which the rank came last
    their number `last`, how many of these were matched on `all_members`, their `transfer_ns`, and
    the `shortest_ns` of these. `others` has the first collective of a rank that is not what most
    ranks call there. `unmatched` has a row per reason, kind of collective and rank
    of those that were not matched: their number and their `exposed_ns`. `replays` are the steps in
    order.
    """

    waiting: pd.DataFrame
    by_rank: pd.DataFrame
    others: pd.DataFrame
    unmatched: pd.DataFrame
    replays: tuple[Replay, ...]

    @property
    def matched(self) -> int:
        """How many collectives were matched over ranks; one rank comes last in each."""
        return int(self.by_rank["last"].sum())

    def last_in(self) -> pd.Series[int]:
        """In how many collectives each rank came last."""
        return self.by_rank.groupby("rank")["last"].sum()


def of_steps(tables: dict[str, Array]) -> Communication:
    """Match the collectives of some steps; `tables` are rank_steps and rank_collectives of them."""
    frames = {name: drop_categories(table.to_pandas()) for name, table in tables.items()}
    collectives = match_collectives(frames["rank_collectives"])
    rows = collectives.rows
    return Communication(
        waiting=_waiting_by_step(collectives),
        # The transfer of a collective counts once, on the rank that came last.
        by_rank=_sums_by_rank(
            rows.assign(
                shortest_ns=rows["transfer_ns"].where(rows["last"]),
                transfer_ns=rows["transfer_ns"].where(rows["last"], 0),
                all_members=rows["last"] & (rows["ranks"] >= rows["members"]),
            )
        ),
        others=_first_of_rank(collectives.others),
        unmatched=_find_unmatched(collectives.alone.assign(collectives=1)),
        replays=tuple(iter_replays(rows, frames["rank_steps"])),
    )


def join_parts(parts: Sequence[Communication]) -> Communication:
    """The parts of different steps, or pieces of steps, as one; pieces of one step are in order."""
    waiting = pd.concat([part.waiting for part in parts])
    return Communication(
        waiting=waiting.groupby(["rank", "step"], sort=False)["waiting_ns"].sum().reset_index(),
        by_rank=_sums_by_rank(pd.concat([part.by_rank for part in parts])),
        others=_first_of_rank(pd.concat([part.others for part in parts])),
        unmatched=_find_unmatched(pd.concat([part.unmatched for part in parts])),
        replays=tuple(
            sorted(
                (replay for part in parts for replay in part.replays),
                key=lambda replay: replay.step,
            )
        ),
    )


def drop_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with texts instead of categories."""
    texts = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return frame.astype(dict.fromkeys(texts, "string")) if texts else frame


def _waiting_by_step(collectives: MatchedCollectives) -> pd.DataFrame:
    """Time that each rank waited for others in each step, as far as nothing else ran meanwhile.

    A collective that was not matched may be waiting from beginning to end, so all of it counts.
    """
    # Time is that of the step in which the rank itself has the collective: another step may be its
    # place among the ranks.
    waited = np.minimum(collectives.rows["waiting_ns"], collectives.rows["exposed_ns"])
    rows = pd.concat(
        [
            collectives.rows[["rank", "own_step"]].assign(waiting_ns=waited),
            collectives.alone[["rank", "own_step"]].assign(
                waiting_ns=collectives.alone["exposed_ns"]
            ),
        ]
    )
    rows = rows.rename(columns={"own_step": "step"})
    return rows.groupby(["rank", "step"], sort=False)["waiting_ns"].sum().reset_index()


def _sums_by_rank(rows: pd.DataFrame) -> pd.DataFrame:
    """Communication.by_rank of collectives, or of sums of them."""
    groups = rows.groupby([*KIND, "rank"], sort=False, dropna=False, observed=True)
    sums = groups[["waiting_ns", "exposed_ns", "last", "all_members", "transfer_ns"]].sum()
    # A rank that never came last has no shortest transfer.
    return sums.astype("int64").assign(shortest_ns=groups["shortest_ns"].min()).reset_index()


def _find_unmatched(rows: pd.DataFrame) -> pd.DataFrame:
    """Communication.unmatched of collectives, or of sums of them."""
    groups = rows.groupby(["reason", "name", "rank"], sort=True, observed=True)
    return groups[["collectives", "exposed_ns"]].sum().astype("int64").reset_index()


def _first_of_rank(others: pd.DataFrame) -> pd.DataFrame:
    ordered = others.sort_values(["rank", "step", "position"], kind="stable")
    return ordered.drop_duplicates("rank")


def _signatures_of(rows: pd.DataFrame) -> pd.Series[str]:
    """What a collective is called with, as a text: `all_reduce of 1,024 float`."""
    elements = rows["elements_in"].map(lambda count: f" of {count:,}", na_action="ignore")
    dtype = rows["dtype"].astype("string").map(lambda name: f" {name}", na_action="ignore")
    # What comes out is told only where its size differs: `allgather of 64 to 512 float`.
    gets = rows["elements_out"].where(rows["elements_out"] != rows["elements_in"])
    gives = gets.map(lambda count: f" to {int(count):,}", na_action="ignore")
    text = rows["name"].astype("string")
    for part in (elements, gives, dtype):
        text = text.str.cat(part.astype("string"), na_rep="")
    return text


def unmatched_notices(communication: Communication) -> Iterator[Notice]:
    """A notice that counts the collectives that were not matched, with the reasons."""
    rows = communication.unmatched
    if not len(rows):
        return
    parts = []
    for reason, of_reason in rows.groupby("reason", sort=True):
        names = of_reason.groupby("name")["collectives"].sum().sort_values(ascending=False)
        ranks = sorted(map(int, of_reason["rank"].unique()))
        parts.append(
            f"{int(names.sum()):,} on {format_count(len(ranks), 'rank')}"
            f" ({join_some([str(rank) for rank in ranks], _NAMED)}; "
            f"{join_some(list(names.index))}),"
            f" because {reason}"
        )
    exposed = format_duration(int(rows["exposed_ns"].sum()))
    yield Notice(
        slug="collectives-unmatched",
        message=f"{format_count(int(rows['collectives'].sum()), 'collective')} of single ranks "
        "are not"
        f" matched with other ranks: {'; '.join(parts)}. Their {exposed} in which nothing else ran"
        " count as waiting.",
    )
