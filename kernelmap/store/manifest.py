"""run.toml: RunFacts → a sealed text, and back.

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

Keys that a later version added are passed over; a key that is missing is one nobody knew.
"""

from __future__ import annotations

from dataclasses import asdict

import msgspec

from kernelmap.store.facts import FORMAT, VERSION, RunFacts
from kernelmap.store.sealed import seal, unseal

NAME = "run.toml"
_TABLES = ("tags", "tables", "inputs", "notices")


class UnknownVersionError(ValueError):
    """A run of a layout that this kernelmap does not know; the argument is its version."""


def write(facts: RunFacts) -> bytes:
    """The text of run.toml."""
    values = asdict(facts)
    window = values.pop("window")
    coverage = window.pop("coverage")
    plain = {key: value for key, value in values.items() if key not in _TABLES}
    nested = {key: _plain(values[key]) for key in _TABLES}
    return seal({"format": FORMAT, **plain, "window": window, "coverage": coverage} | nested)


def read(raw: bytes) -> RunFacts:
    """The facts of a run.toml; raises ValueError where it is none, damaged or too new."""
    values = dict(unseal(raw))
    version = values.get("version")
    if values.pop("format", None) != FORMAT or not isinstance(version, int):
        raise ValueError("it is no run of kernelmap")
    if version > VERSION:
        raise UnknownVersionError(version)
    window = values.get("window")
    if isinstance(window, dict):
        values["window"] = {"steps": None, **window, "coverage": values.pop("coverage", {})}
    try:
        return msgspec.convert(values, RunFacts)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def _plain(value: object) -> object:
    """Tuples of records as the lists of tables that TOML has."""
    return list(value) if isinstance(value, tuple) else value
