"""The id of a run: when it was recorded, in UTC to the microsecond, and 32 random bits.

    20261121-184644-123456-3f9a1c2b

Sorted as texts, ids are sorted by time. Recorders need not know of each other: those of the same
microsecond differ in the random part.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

_TIME = "%Y%m%d-%H%M%S-%f"
_ID = re.compile(r"(\d{8}-\d{6}-\d{6})-[0-9a-f]{8}")


def new_id(now: datetime) -> str:
    """An id that nobody else has, for a run recorded at `now`."""
    return f"{now.astimezone(UTC).strftime(_TIME)}-{secrets.token_hex(4)}"


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id.

    >>> is_id("20261121-184644-123456-3f9a1c2b"), is_id("20261121-184644")
    (True, False)
    """
    return _ID.fullmatch(text) is not None


def is_one_in(number: int, run_id: str) -> bool:
    """Whether the random part of this id singles it out, as it does one in `number` of all.

    >>> [is_one_in(64, f"20261121-184644-123456-000000{end}") for end in ("3f", "40", "41")]
    [False, True, False]
    """
    return int(run_id.rpartition("-")[2], 16) % number == 0


def created(text: str) -> datetime | None:
    """When the run of this id was recorded; None where `text` is no id."""
    found = _ID.fullmatch(text)
    if found is None:
        return None
    try:
        return datetime.strptime(found[1], _TIME).replace(tzinfo=UTC)
    except ValueError:  # such as month 13
        return None
