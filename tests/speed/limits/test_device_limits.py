"""Limits of devices: known by their exact names, the user's file first, no guesses."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.speed.limits.device_limits import limits_of

KNOWN = (
    "NVIDIA A100-SXM4-40GB",
    "NVIDIA A100-SXM4-80GB",
    "NVIDIA H100 80GB HBM3",
    "NVIDIA H100 PCIe",
    "NVIDIA H200",
    "NVIDIA B200",
    "NVIDIA L4",
    "NVIDIA L40S",
    "NVIDIA A10",
    "NVIDIA GeForce RTX 3090",
    "NVIDIA GeForce RTX 4090",
    "NVIDIA GeForce RTX 5090",
    "AMD Instinct MI210",
    "AMD Instinct MI250X",
    "AMD Instinct MI300X",
    "AMD Instinct MI325X",
    "AMD Instinct MI350X",
)
OTHERS = (
    "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
    "NVIDIA A10G",
    "NVIDIA H100 NVL",
    "NVIDIA GeForce RTX 3090 Ti",
    "nvidia h200",
    "Simulated GPU",
    "",
    None,
)
OWN = """
[[device]]
names = ["Simulated GPU", "NVIDIA H200"]
bandwidth_gbps = 1000
tflops = { float32 = 10 }
"""


def test_a_stated_bandwidth_goes_before_the_table(tmp_path: Path) -> None:
    """A profile knows its GPU better than a table; a user's file knows it best."""
    users_file = tmp_path / "limits.toml"
    users_file.write_text(OWN)
    stated: dict[str | None, int] = {"NVIDIA H200": 4 * 10**12, "NVIDIA H100 NVL": 4 * 10**12}
    limits = limits_of(["NVIDIA H200", "NVIDIA H100 NVL"], bandwidths=stated)

    assert limits["NVIDIA H200"].bandwidth == 4 * 10**12
    assert limits["NVIDIA H200"].peaks == limits_of(["NVIDIA H200"])["NVIDIA H200"].peaks
    assert set(limits) == {"NVIDIA H200"}
    assert limits_of(stated, users_file, stated)["NVIDIA H200"].bandwidth == 10**12


@pytest.mark.parametrize("factor", [0.001, 0.4, 2.5, 1024])
def test_a_bandwidth_in_another_unit_is_not_taken(factor: float) -> None:
    """What is far from the number that the maker states is none of bytes per second."""
    plain = limits_of(["NVIDIA H200"])
    stated: dict[str | None, int] = {"NVIDIA H200": int(factor * plain["NVIDIA H200"].bandwidth)}

    assert limits_of(["NVIDIA H200"], bandwidths=stated) == plain


def test_known_devices_have_plausible_limits() -> None:
    """Smaller numbers are never slower, and a device needs more than ten operations for a byte."""
    for name, limits in limits_of(KNOWN).items():
        peaks, source = limits.peaks, limits.source

        assert source, name
        assert peaks["float32"] <= peaks.get("tfloat32", peaks["bfloat16"]) <= peaks["bfloat16"]
        assert peaks["bfloat16"] == peaks["float16"] <= peaks.get("float8", peaks["float16"])
        assert peaks["bfloat16"] > 10 * limits.bandwidth > 10**12
    assert set(limits_of(KNOWN)) == set(KNOWN)


def test_only_the_exact_name_is_known() -> None:
    """Slices, siblings and devices without a name have no limits."""
    assert limits_of(OTHERS) == {}


def test_a_users_file_goes_first(tmp_path: Path) -> None:
    """It adds devices and replaces known ones; all others stay."""
    users_file = tmp_path / "limits.toml"
    users_file.write_text(OWN)
    limits = limits_of(["Simulated GPU", "NVIDIA H200", "NVIDIA L4"], users_file)

    assert limits["Simulated GPU"].bandwidth == limits["NVIDIA H200"].bandwidth == 10**12
    assert limits["NVIDIA H200"].peaks == {"float32": 10**13}
    assert limits["NVIDIA L4"] == limits_of(["NVIDIA L4"])["NVIDIA L4"]


def test_a_star_is_every_device_without_an_entry(tmp_path: Path) -> None:
    """Also one that the profile gives no name."""
    users_file = tmp_path / "limits.toml"
    users_file.write_text(OWN.replace('"Simulated GPU", "NVIDIA H200"', '"*"'))

    assert set(limits_of(OTHERS, users_file)) == set(OTHERS)
    assert limits_of(["NVIDIA L4"], users_file) == limits_of(["NVIDIA L4"])


def test_every_dtype_of_eight_bits_shares_a_peak() -> None:
    """float8_e4m3fn and float8_e5m2 run alike; float32 runs on tensor cores only where allowed."""
    (limits,) = limits_of(["NVIDIA H200"]).values()

    assert (
        limits.peak_of("float8_e4m3fn") == limits.peak_of("float8_e5m2") == limits.peaks["float8"]
    )
    assert limits.peak_of("float32") == limits.peaks["float32"]
    assert limits.peak_of("float32", on_tensor_cores=True) == limits.peaks["tfloat32"]
    assert limits.peak_of("complex64") is None


@pytest.mark.parametrize(
    "text",
    [
        "device = 3",
        "[[device]]",
        "not toml",
        OWN.replace("1000", "-1"),
        OWN.replace("1000", '"fast"'),
        OWN.replace("float32 = 10", "float32 = true"),
        OWN.replace("tflops", "teraflops"),
        OWN.replace("bandwidth_gbps", "bandwith_gbps"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, tmp_path: Path) -> None:
    """A misspelt field is an error, not a device without limits."""
    users_file = tmp_path / "limits.toml"
    users_file.write_text(text)

    with pytest.raises(KernelmapError) as refused:
        limits_of(["NVIDIA L4"], users_file)
    assert refused.value.slug == "bad-device-limits"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(KernelmapError, match=r"limits\.toml") as refused:
        limits_of(["NVIDIA L4"], tmp_path / "limits.toml")
    assert refused.value.slug == "unreadable-path"
