"""Bus bandwidth of collectives by hand, as nccl-tests defines it, and what covers them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.cli import main
from kernelmap.facts.bus_bandwidth import bus_factor
from kernelmap.speed.limits.device_limits import limits_of

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
H100 = "NVIDIA H100 80GB HBM3"
MEGA = 2**20
ALL = {"Collective name": "allreduce", "In msg nelems": MEGA, "Out msg nelems": MEGA}
GROUP = {"Group size": 8, "dtype": "BFloat16", "Process Group Name": "0"}
RANKS = {"Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]"}


def kernel(name: str, start_us: int, dur_us: int, number: int, **args: object) -> list[Any]:
    """A kernel on a stream of its own, and the call that launched it."""
    ids = {"correlation": number, "External id": number}
    launched = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "args": ids}
    ran = {"cat": "kernel", "name": name, "tid": 100 + number}
    place = {"device": 0, "context": 1, "stream": 100 + number}
    return [
        {"ph": "X", "pid": 1, "ts": start_us - 5, "dur": 1, **launched},
        {"ph": "X", "pid": 0, "ts": start_us, "dur": dur_us, **ran, "args": ids | place | args},
    ]


def profile(
    folder: Path, *kernels: list[Any], gpus: int = 8, device: str = H100, rank: int = 0
) -> Path:
    path = folder / f"rank_{rank}.json"
    document = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": at, "name": device} for at in range(gpus)],
        "distributedInfo": {"rank": rank, "world_size": 8},
        "traceEvents": [event for pair in kernels for event in pair],
    }
    path.write_text(json.dumps(document))
    return path


def collectives(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(kernelmap.correlate(path).roofline().render("json"))[
        "collectives"
    ]
    return rows


@pytest.mark.parametrize(
    ("name", "ranks", "factor"),
    [
        ("allreduce", 8, Fraction(14, 8)),
        ("allreduce_coalesced", 2, Fraction(1)),
        ("_allgather_base", 4, Fraction(3, 4)),
        ("reduce_scatter_tensor_coalesced", 8, Fraction(7, 8)),
        ("all_to_all", 16, Fraction(15, 16)),
        ("broadcast", 8, Fraction(1)),
        ("_reduce_oop", 8, Fraction(1)),
        ("all_to_allv", 8, None),
        ("barrier", 8, None),
        ("send", 2, None),
    ],
)
def test_factors_are_those_of_nccl_tests(name: str, ranks: int, factor: Fraction | None) -> None:
    """Its table in doc/PERFORMANCE.md, for the names that torch writes."""
    assert bus_factor(name, ranks) == factor


def test_bytes_times_factor_over_time_is_the_bus_bandwidth(tmp_path: Path) -> None:
    """2 MiB among 8 ranks, in 20 and in 40 µs: 2 * 2 MiB * 7/4 / 60 µs; the better one twice 91."""
    args = {**ALL, **GROUP, **RANKS}
    path = profile(tmp_path, kernel(NCCL, 100, 20, 1, **args), kernel(NCCL, 200, 40, 2, **args))
    (row,) = collectives(path)

    assert (row["name"], row["ranks"], row["bytes"]) == ("allreduce", 8, 2 * MEGA)
    assert (row["collectives"], row["time_ns"], row["shortest_ns"]) == (2, 60_000, 20_000)
    assert row["algorithm_factor"] == 1.75
    assert row["bus_gbps"] == pytest.approx(2 * 2 * MEGA * 1.75 / 60_000)
    assert row["best_bus_gbps"] == pytest.approx(2 * MEGA * 1.75 / 20_000)
    assert row["link_gbps"] == 450
    assert row["share_of_link"] == pytest.approx(row["bus_gbps"] / 450)


@pytest.mark.parametrize(
    ("args", "gpus", "reason"),
    [
        ({"Process Group Ranks": "[0, 1, ...]"}, 8, "which ranks take part is not stated in full"),
        ({"Process Group Ranks": "[0, 8]"}, 8, "the network between machines has no limit here"),
        (RANKS, 1, "whether its ranks are in one machine is not known"),
        ({"Out msg nelems": 7}, 8, "its numbers of elements do not fit together"),
        ({"Collective name": "all_to_allv"}, 8, "there is no formula for all_to_allv among 8"),
        ({"dtype": "QInt8"}, 8, "the size of QInt8 is not known"),
        ({"Group size": None}, 8, "the profile does not state its sizes"),
    ],
)
def test_what_is_not_known_has_no_share_but_a_reason(
    tmp_path: Path, args: dict[str, object], gpus: int, reason: str
) -> None:
    """No link stands in for one that is not known, and no size for one that is not stated."""
    path = profile(tmp_path, kernel(NCCL, 100, 20, 1, **{**ALL, **GROUP, **args}), gpus=gpus)
    (row,) = collectives(path)

    assert (row["share_of_link"], row["reason"]) == (None, reason)


def test_each_file_states_its_own_collectives(tmp_path: Path) -> None:
    """Ranks number their launches alike, though one of them states other sizes."""
    half = {"In msg nelems": MEGA // 2, "Out msg nelems": MEGA // 2}
    for rank, args in enumerate((ALL, ALL | half)):
        profile(tmp_path, kernel(NCCL, 100, 20, 1, **args, **GROUP, **RANKS), rank=rank)
    rows = json.loads(
        kernelmap.correlate(tmp_path / "rank_0.json", tmp_path / "rank_1.json")
        .roofline()
        .render("json")
    )["collectives"]

    assert sorted((row["bytes"], row["collectives"]) for row in rows) == [(MEGA, 1), (2 * MEGA, 1)]


def test_what_computes_meanwhile_covers_a_collective(tmp_path: Path) -> None:
    """Of 40 µs a product runs beside 10 and a softmax beside 8, 2 of these at once: 24 are left."""
    path = profile(
        tmp_path,
        kernel(NCCL, 100, 40, 1, **ALL, **GROUP, **RANKS),
        kernel("product", 90, 20, 2),
        kernel("softmax", 108, 8, 3),
        kernel("later", 140, 50, 4),
    )
    (row,) = collectives(path)

    assert row["exposed_ns"] == 40_000 - 16_000
    assert row["covered_by"] == ["product 10000", "softmax 8000"]


def test_the_page_says_what_the_json_says(tmp_path: Path) -> None:
    """The table of collectives stands below the calls; a profile without any has none."""
    path = profile(
        tmp_path,
        kernel(NCCL, 100, 40, 1, **ALL, **GROUP, **RANKS),
        kernel("product", 90, 20, 2),
    )
    words = ["correlate", "--roofline", str(path)]
    shown = CliRunner().invoke(main, words, env={"COLUMNS": "200"}).stdout
    row = next(line for line in shown.splitlines() if line.startswith("allreduce "))

    assert "Collectives\n" in shown
    assert "7/4" in row
    assert f"{2 * MEGA * 1.75 / 40_000:.1f}" in row
    assert "product 10.00 µs" in row
    without = profile(tmp_path, kernel("product", 90, 20, 2))
    assert collectives(without) == []
    assert "Collectives" not in CliRunner().invoke(main, words).stdout


def test_a_users_file_states_links_and_the_network(tmp_path: Path) -> None:
    """Both are of one direction, in 10^9 bytes per second."""
    path = tmp_path / "limits.toml"
    path.write_text(
        '[[device]]\nnames = ["a GPU"]\nbandwidth_gbps = 1000\ntflops = { float32 = 20 }\n'
        'link = "NVLink bridge"\nlink_gbps = 300\nnetwork_gbps = 50\n'
    )
    limits = limits_of(["a GPU"], path)["a GPU"]

    assert (limits.link, limits.link_bandwidth) == ("NVLink bridge", 300 * 10**9)
    assert limits.network_bandwidth == 50 * 10**9
