"""How fast collectives of a fleet are: from the arrival of the last rank on, as nccl-tests says."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from fleet_runs import CODE, answer, program
from kernelmap.cli import main
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.tables.rows import Row
from worlds.fleet import FleetWorld, Planted, write_fleet

H100 = "NVIDIA H100 80GB HBM3"
RANKS, STEPS = 4, 2
_LATE = {1: Planted(late_ns=2_000_000)}
_BYTES = {"allgather_base": RANKS * 65_536 * 4, "allreduce": 1_048_576 * 4}
_FACTORS = {"allgather_base": 3 / 4, "allreduce": 6 / 4}
_TRANSFER_NS = {"allgather_base": 180_000, "allreduce": 350_000}


def by_name(fleet: Fleet) -> dict[str, Row]:
    return {str(row["name"]): row for row in fleet.rows["communication"]}


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four ranks in a machine of four GPUs; for one of them all others wait 2 ms a step."""
    folder = tmp_path_factory.mktemp("traces")
    world = FleetWorld(ranks=RANKS, steps=STEPS, device=H100, gpus=RANKS, planted=_LATE)
    return write_fleet(folder, program(), world)


@pytest.fixture(scope="module")
def whole(traces: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    return answer(*traces, keep=tmp_path_factory.mktemp("kept"))


@pytest.mark.parametrize("name", _BYTES)
def test_the_time_is_that_from_the_last_arrival_on(whole: Fleet, name: str) -> None:
    """However long ranks wait, the bandwidth is the bytes over the transfer, times the factor."""
    row = by_name(whole)[name]
    gbps = _BYTES[name] * _FACTORS[name] / _TRANSFER_NS[name]

    assert int(str(row["waiting_ns"])) > 0
    assert (row["bytes"], row["algorithm_factor"]) == (_BYTES[name], _FACTORS[name])
    assert (row["members"], row["shortest_ns"]) == (RANKS, _TRANSFER_NS[name])
    assert row["bus_gbps"] == pytest.approx(gbps)
    assert row["best_bus_gbps"] == pytest.approx(gbps)
    assert (row["link_gbps"], row["reason"]) == (450, None)
    assert row["share_of_link"] == pytest.approx(gbps / 450)


def test_ranks_that_were_all_read_are_known_where_their_list_is_cut_short(whole: Fleet) -> None:
    """Profiles write `[0, 1, ...]`; all members that were matched are the members."""
    row = by_name(whole)["allreduce"]

    assert "..." in str(row["group"])
    assert str(row["link"]).startswith("NVLink")


def test_without_all_ranks_the_bandwidth_is_a_lower_bound(
    traces: list[Path], tmp_path: Path
) -> None:
    """A rank that was not read may have come last, and what others ran includes waiting for it."""
    row = by_name(answer(*(traces[rank] for rank in (0, 2, 3)), keep=tmp_path))["allgather_base"]
    whole = _BYTES["allgather_base"] * _FACTORS["allgather_base"] / _TRANSFER_NS["allgather_base"]

    assert int(str(row["shortest_ns"])) > _TRANSFER_NS["allgather_base"]
    assert float(str(row["bus_gbps"])) < whole
    assert row["reason"] == (
        "at least: 2 of 2 collectives were not matched on all ranks, and another one may have come"
        " last; which ranks take part is not stated in full"
    )
    assert (row["link"], row["share_of_link"]) == (None, None)


@pytest.mark.parametrize(
    ("device", "gpus", "reason"),
    [
        ("Simulated GPU", RANKS, "the limits of the device are not known"),
        (H100, 1, "whether its ranks are in one machine is not known"),
        (H100, 2, "the network between machines has no limit here"),
    ],
)
def test_a_link_that_is_not_known_has_no_share_but_a_reason(
    tmp_path: Path, device: str, gpus: int, reason: str
) -> None:
    """The bandwidth stands without a link; nothing stands in for one that is not known."""
    paths = write_fleet(
        tmp_path, program(), FleetWorld(ranks=RANKS, steps=1, device=device, gpus=gpus)
    )
    row = by_name(answer(*paths, keep=tmp_path / "kept"))["allreduce"]

    assert row["bus_gbps"] is not None
    assert (row["share_of_link"], row["reason"]) == (None, reason)


def test_ranks_with_several_kinds_of_devices_have_no_link(
    traces: list[Path], tmp_path: Path
) -> None:
    """Each kind has a link of its own, and a group is as fast as its slowest."""
    world = FleetWorld(ranks=RANKS, steps=STEPS, device="NVIDIA A100-SXM4-40GB", gpus=RANKS)
    others = write_fleet(tmp_path, program(), world)
    row = by_name(answer(*traces[:2], *others[2:], keep=tmp_path / "kept"))["allreduce"]

    assert (row["link"], row["reason"]) == (None, "its ranks have devices of several kinds")


def test_every_form_of_the_answer_has_the_bandwidth(traces: list[Path], tmp_path: Path) -> None:
    """Terminal, JSON, Parquet and the page; a file of one's own states the link."""
    limits = tmp_path / "limits.toml"
    limits.write_text(
        f'[[device]]\nnames = ["{H100}"]\nbandwidth_gbps = 3000\ntflops = {{ float32 = 60 }}\n'
        'link = "a bridge"\nlink_gbps = 100\n'
    )
    words = ["fleet", *map(str, traces), "--workers", "0", "--keep", str(tmp_path / "kept")]
    words += [*(word for path in CODE for word in ("--code", path)), "--device-limits", str(limits)]
    run = CliRunner()
    shown = run.invoke(main, words, env={"COLUMNS": "200"}).stdout
    given = json.loads(run.invoke(main, [*words, "--format", "json"]).stdout)["communication"]
    for output in ("fleet.html", "folder"):
        assert run.invoke(main, [*words, "-o", str(tmp_path / output)]).exit_code == 0
    stored = pq.read_table(tmp_path / "folder" / "communication.parquet").to_pylist()
    page = (tmp_path / "fleet.html").read_text("utf-8")
    (line,) = (line for line in shown.splitlines() if line.startswith("allreduce"))
    (row,) = (row for row in given if row["name"] == "allreduce")

    assert (row["link"], row["link_gbps"]) == ("a bridge", 100)
    assert row in stored
    gbps = f"{row['bus_gbps']:.1f}"
    share = f"{100 * row['share_of_link']:.1f} %"
    assert all(text in line for text in ("4.2", "3/2", gbps, share, "a bridge"))
    assert all(text in page for text in ("bus GB/s", gbps, "a bridge"))


def test_a_file_of_limits_that_is_none_is_said_before_the_work(tmp_path: Path) -> None:
    """No rank is read for an answer that cannot be given."""
    (tmp_path / "limits.toml").write_text("[[device]]\n")
    words = ["fleet", str(tmp_path), "--device-limits", str(tmp_path / "limits.toml")]
    result = CliRunner().invoke(main, words)

    assert result.exit_code == 2
    assert "states no limits of devices" in result.stderr
