"""What was found about one release of torch, and the files in docs/versions/ that keep it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

PROJECT = Path(__file__).resolve().parents[2]
KEPT = PROJECT / "docs" / "versions"


class Verdict(StrEnum):
    """How kernelmap gets on with one thing that a release of torch writes.

    READ: all of it. PARTLY: something of it has no op or no line. UNREAD: nothing of it, or it ends
    in an error. ABSENT: that release does not write it. UNTRIED: it could not be made here.
    """

    READ = "read"
    PARTLY = "partly"
    UNREAD = "unread"
    ABSENT = "absent"
    UNTRIED = "untried"


class Finding(msgspec.Struct, frozen=True):
    """A verdict, and what it goes by: a few words with the figures."""

    verdict: Verdict
    words: str


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """One release of torch as it was tried on one machine.

    `build` is `torch.__version__`, `tried` a date, `findings` go by the names of trials.ALL.
    """

    torch: str
    build: str
    python: str
    triton: str | None
    tried: str
    findings: Mapping[str, Finding]


def keep(release: Release, folder: Path = KEPT) -> Path:
    """Write what was found to `folder/VERSION.json`, in the place of what was found before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{release.torch}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(release), indent=2) + b"\n")
    return path


def read_kept(folder: Path = KEPT) -> list[Release]:
    """All releases that were tried, newest first."""
    found = [msgspec.json.decode(path.read_bytes(), type=Release) for path in folder.glob("*.json")]
    return sorted(found, key=lambda release: in_order(release.torch), reverse=True)


def in_order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Sorts versions as releases follow on each other: 2.9 before 2.14, 2.15.0rc1 before 2.15.0.

    >>> sorted(["2.14.1", "2.9.0", "2.15.0", "2.15.0rc1"], key=in_order)
    ['2.9.0', '2.14.1', '2.15.0rc1', '2.15.0']
    """
    number = re.match(r"[\d.]+", version)
    digits = number.group().strip(".") if number else ""
    rest = version[len(digits) :]
    return tuple(int(part) for part in digits.split(".") if part), not rest, rest
