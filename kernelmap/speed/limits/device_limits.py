"""What a device can do at most: memory bandwidth, and peak arithmetic by dtype.

The table of known devices is device_limits.toml beside this file; a user's own file has the same
form and goes before it. A device is known by the name that the profile gives it, letter by letter:
a slice of a GPU or a sibling of it has another name, and other limits.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from msgspec.structs import replace

from kernelmap.errors import UsageError, unreadable
from kernelmap.model.roofline import DeviceLimits

ANY = "*"
"""The name that stands for every device without an entry of its own."""

_GIGA, _TERA = 10**9, 10**12
_FAR = 2
"""A bandwidth that a profile states is taken between half and twice that of the table; beyond, one
of the two is of another device. Chosen."""
_LINKS = ("link_gbps", "network_gbps")
_FIELDS = {"names", "bandwidth_gbps", "tflops", "source", "link", *_LINKS}


def limits_of(
    names: Iterable[str | None],
    user_file: Path | None = None,
    bandwidths: Mapping[str | None, int] | None = None,
) -> Mapping[str | None, DeviceLimits]:
    """The limits of devices by name, as far as they are known; `user_file` goes first.

    `bandwidths` are those that profiles state, in bytes per second: they go before the table of
    known devices, unless they are so far from it that another unit is meant. Raises KernelmapError
    where `user_file` cannot be read or is no such file.
    """
    table = _parse_table(
        (files("kernelmap.speed.limits") / "device_limits.toml").read_text("utf-8"),
        "device_limits.toml",
    )
    # A stated bandwidth replaces that of a known device only: without peaks it is no limit.
    for name, bandwidth in (bandwidths or {}).items():
        listed = table.get(name or ANY)
        if listed is not None and listed.bandwidth < _FAR * bandwidth < _FAR**2 * listed.bandwidth:
            table[name or ANY] = replace(listed, bandwidth=bandwidth)
    # Entries of the user's file replace whole entries, stated bandwidths included.
    if user_file is not None:
        table |= _parse_table(_read_file(user_file), str(user_file))
    by_name: dict[str | None, DeviceLimits] = {}
    for name in names:
        limits = table.get(name or ANY, table.get(ANY))
        if limits is not None:
            by_name[name] = limits
    return by_name


def _read_file(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from error


def _parse_table(text: str, place: str) -> dict[str, DeviceLimits]:
    try:
        return dict(_iter_entries(tomllib.loads(text)))
    except (tomllib.TOMLDecodeError, TypeError, ValueError, KeyError) as error:
        raise UsageError(
            "bad-device-limits",
            f"{place} states no limits of devices: {error}",
            "docs/roofline.md shows the form: [[device]] with names, bandwidth_gbps and tflops.",
        ) from error


def _iter_entries(document: Mapping[str, object]) -> Iterator[tuple[str, DeviceLimits]]:
    devices = document["device"]
    if not isinstance(devices, list):
        raise TypeError("`device` is no list of tables")
    for device in devices:
        unknown = device.keys() - _FIELDS
        if unknown:
            raise ValueError(f"unknown field {min(unknown)!r}")
        link, network = (
            _positive_number(device[name], _GIGA) if name in device else None for name in _LINKS
        )
        limits = DeviceLimits(
            bandwidth=_positive_number(device["bandwidth_gbps"], _GIGA),
            peaks={
                dtype: _positive_number(peak, _TERA) for dtype, peak in device["tflops"].items()
            },
            source=device.get("source"),
            link=device.get("link"),
            link_bandwidth=link,
            network_bandwidth=network,
        )
        for name in device["names"]:
            yield name, limits


def _positive_number(number: object, scale: int) -> int:
    # True is an int in Python. A number as large as the scale itself is in another unit.
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 < number < scale:
        raise ValueError(f"{number!r} is no positive number")
    return round(number * scale)
