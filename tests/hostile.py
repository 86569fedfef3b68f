"""Runs a command on damaged or hostile input and holds the outcome to what every input is promised.

    told = run("correlate", folder, "--format", "json", reads=folder)

The exit code is a documented one; an error is one line with a next step, and no traceback; nothing
that ends up on the terminal can move its cursor; no byte of the input changes; and where there is
an answer, its ledger adds up.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from kernelmap.cli import main

ANSWERED, GAPS, USAGE, UNUSABLE = 0, 1, 2, 3


def run(*args: object, reads: Path) -> Result:
    """The outcome of a command; `reads` is the file or folder that it must leave as it is."""
    before = digest(reads)
    done = CliRunner().invoke(main, [*map(str, args)])

    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (ANSWERED, GAPS, USAGE, UNUSABLE)
    assert "Traceback" not in done.output
    assert "could not cope" not in done.output
    if done.exit_code == UNUSABLE:
        errors, hints = (
            [line for line in done.stderr.splitlines() if line.startswith(mark)]
            for mark in ("error: ", "hint: ")
        )
        assert len(errors) == len(hints) == 1
    assert not moving(done.stderr)
    assert digest(reads) == before
    return done


def answer(*args: object, reads: Path) -> dict[str, Any] | None:
    """What `correlate --format json` says, its sums checked; None where the input is refused.

    Figures that may mislead, as damage takes kernels away, have to add up as well.
    """
    done = run("correlate", *args, "--format", "json", "--anyway", reads=reads)
    if done.exit_code in (USAGE, UNUSABLE):
        return None
    result: dict[str, Any] = json.loads(done.stdout)
    total = result["summary"]["total_ns"]

    assert sum(row["time_ns"] for row in result["ledger"]) == total
    for table in ("calls", "kernels", "ops", "nodes", "lines", "graphs", "modules"):
        for row in result[table]:
            assert 0 <= row["time_ns"] <= total
            assert row.get("share") is None or 0 <= row["share"] <= 1
    return result


def moving(text: str) -> set[str]:
    """The characters of `text` but line ends that move a cursor or change a terminal."""
    return {
        char
        for char in text
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }


def digest(place: Path) -> dict[str, str]:
    """The content of every regular file at or below `place`, by name."""
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file() and not file.is_symlink()
    }
