"""What is known of a run without opening its tables: its id, the records of run.toml, its text.

An id is when the run was recorded, in UTC to the microsecond, and 32 random bits. Sorted as texts,
ids are sorted by time. Recorders need not know of each other: those of the same microsecond differ
in the random part.

    sha256 = "…"  # of all that follows this line
    format = "kernelmap.run"
    version = 1
    id = "20261121-184644-123456-3f9a1c2b"
    …
    [window]      totals, steps, devices
    [coverage]    share of time by confidence
    [tags]        as recorded; later ones stand beside the run
    [[tables]]    name, rows, bytes, sha256
    [[inputs]]    name, bytes, sha256
    [[notices]]   what could not be used
    [fleet]       of a fleet: ranks expected and read, the median rank

The text is sealed: its first line is the digest of the rest, so whoever edits it by hand breaks the
seal. Keys that a later version added are passed over; a missing key was not recorded.
Left out on purpose: the environment, the name of the machine, its paths and its user.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from kernelmap.model import Notice
from kernelmap.tables.summary import Summary
from kernelmap.whole_files import toml_text

FORMAT, VERSION = "kernelmap.run", 1
"""Versions: 1: first. A newer version needs a step in run.py (`STEPS`)."""
VERSION_NAMES = ("torch", "triton", "cuda", "rocm", "driver")
"""Of what a run states the version, from what decides most to what decides least."""
_BEGIN, _END = b'sha256 = "', b'"  # of all that follows this line\n'
RUN_TOML = "run.toml"
_TABLES = ("tags", "tables", "inputs", "notices", "fleet")

_TIME = "%Y%m%d-%H%M%S-%f"
_ID = re.compile(r"(\d{8}-\d{6}-\d{6})-[0-9a-f]{8}")


class InputFile(Struct, frozen=True, kw_only=True):
    """A file that the run was made from; `name` is relative to what was given, never absolute."""

    name: str
    bytes: int
    sha256: str


class TableFile(Struct, frozen=True, kw_only=True):
    """A table's Parquet file, by the table's name."""

    name: str
    rows: int
    bytes: int
    sha256: str


class FleetFacts(Struct, frozen=True, kw_only=True):
    """What a fleet says of itself: how many ranks there were, were read, and are slow.

    `reference` is the median rank, whose tables are those of the run; `matched` counts collectives
    that were matched over ranks.
    """

    expected: int
    read: int
    slow: int
    reference: int
    matched: int


class RunFacts(Struct, frozen=True, kw_only=True):
    """One run; None is what nobody said.

    `created` is UTC, ISO 8601. `changed`: the checkout had changes that `commit` lacks.
    `forked`: the commit at which the branch left the main one.
    `window` is the summary of the correlation. `torch`, `triton`, `cuda`, `rocm` and `driver` are
    as far as the inputs state; several versions stand in one text. `version` is that of the layout.
    `of_limit` is the share of the device's limit that its calls reached, over the time of those
    whose limit is known (1 is the limit). `peak_bytes` is the highest peak of memory that any graph
    has by its code. `fleet` stands where the run is that of many ranks; its window is that of the
    median rank.
    """

    id: str
    version: int
    created: str
    kernelmap: str
    window: Summary
    tables: tuple[TableFile, ...]
    name: str | None = None
    branch: str | None = None
    commit: str | None = None
    changed: bool | None = None
    forked: str | None = None
    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    rocm: str | None = None
    driver: str | None = None
    gpus: tuple[str, ...] = ()
    of_limit: float | None = None
    peak_bytes: int | None = None
    tags: Mapping[str, str] = {}
    inputs: tuple[InputFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    fleet: FleetFacts | None = None

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions that are stated, by name."""
        stated = {name: getattr(self, name) for name in VERSION_NAMES}
        return {name: text for name, text in stated.items() if text is not None}

    def table(self, name: str) -> TableFile | None:
        """The file of a table; None where the run has none."""
        return next((table for table in self.tables if table.name == name), None)


class BrokenSealError(ValueError):
    """The text is not what was sealed."""


def seal(values: Mapping[str, object]) -> bytes:
    """`values` as TOML behind its digest; None is left out."""
    body = toml_text(values).encode()
    return _BEGIN + hashlib.sha256(body).hexdigest().encode() + _END + body


def unseal(raw: bytes) -> Mapping[str, object]:
    """The values of a sealed text; raises BrokenSealError where a byte of it is another one."""
    head, _, body = raw.partition(b"\n")
    expected = _BEGIN + hashlib.sha256(body).hexdigest().encode() + _END
    if head + b"\n" != expected:
        raise BrokenSealError("its digest is another one")
    return tomllib.loads(body.decode())


class UnknownVersionError(ValueError):
    """A run of a layout that this kernelmap does not know; the argument is its version."""


def write_facts(facts: RunFacts) -> bytes:
    """The text of run.toml."""
    values = msgspec.to_builtins(facts)
    # In TOML, plain keys have to stand before the first table.
    window = values.pop("window")
    coverage = window.pop("coverage")
    plain = {key: value for key, value in values.items() if key not in _TABLES}
    nested = {key: values[key] for key in _TABLES}
    return seal({"format": FORMAT, **plain, "window": window, "coverage": coverage} | nested)


def read_facts(raw: bytes) -> RunFacts:
    """The facts of a run.toml; raises ValueError where it is none, damaged or too new."""
    values = dict(unseal(raw))
    # The seal holds. What follows is what another version may have written.
    version = values.get("version")
    if values.pop("format", None) != FORMAT or not isinstance(version, int):
        raise ValueError("it is no run of kernelmap")
    if version > VERSION:
        raise UnknownVersionError(version)
    window = values.get("window")
    # TOML has no null: a window of all steps has no key `steps`.
    if isinstance(window, dict):
        values["window"] = {"steps": None, **window, "coverage": values.pop("coverage", {})}
    try:
        return msgspec.convert(values, RunFacts)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


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
    match = _ID.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime.strptime(match[1], _TIME).replace(tzinfo=UTC)
    except ValueError:  # such as month 13
        return None
