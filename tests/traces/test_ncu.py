"""Reports of Nsight Compute: every launch in its order, and what was counted of it."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.ncu.reader import is_ncu_report, read_kernel_counters
from traces.small_ncu import COMMON, PREAMBLE, NcuRow, details_page, raw_page

SAMPLES = Path(__file__).parents[2] / "sample_traces"
COUNTED = ("cuda_reason_pairs", "cuda_wide_llama", "cuda_wide_conv", "cuda_memory_graphs")
PAGES = ("basic_raw", "basic_details", "detailed_raw", "detailed_details")
RAW = NcuRow(
    name="triton_poi_fused_add_0",
    metrics={
        "gpu__time_duration.sum": ("1.500000", "ms"),
        "dram__bytes_read.sum": ("134.217712", "Mbyte"),
        "dram__bytes_write.sum": ("8.5", "Kbyte"),
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": ("75.36", "%"),
        "launch__registers_per_thread": ("255", "register/thread"),
        "lts__t_sector_hit_rate.pct": ("11.53", "%"),
        "sass__inst_executed_register_spilling_mem_local": ("no data", "byte"),
        "memory_l2_theoretical_sectors_local": ("1,000", "sectors"),
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": ("6", "inst"),
        "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": ("3", "inst"),
        "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio": ("1", "inst"),
    },
)
DETAILS = replace(
    RAW,
    metrics={
        "Duration": ("1.50", "ms"),
        "Memory Throughput": ("75.36", "%"),
        "DRAM Throughput": ("75.36", "%"),
        "Registers Per Thread": ("255", "register/thread"),
        "L2 Hit Rate": ("11.53", "%"),
        "Local Memory Spilling Requests": ("0", ""),
    },
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.csv"


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
def test_every_page_of_a_report_has_the_same_launches_and_counters(sample: str) -> None:
    """Raw and details are two prints of one report: what both state is equal but for rounding."""
    for of_set in ("basic", "detailed"):
        raw, details = (
            SAMPLES / sample / f"ncu_{of_set}_{form}.csv.gz" for form in ("raw", "details")
        )
        one, other = load_trace(raw).launches, load_trace(details).launches
        assert one.names == other.names
        for column in ("name_id", "grid", "block", "stream", "device"):
            np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
        np.testing.assert_allclose(one.dur_ns, other.dur_ns, rtol=0.01)
        for exact, shown in zip(
            read_kernel_counters(raw), read_kernel_counters(details), strict=True
        ):
            for name in ("dram_percent", "sm_percent", "occupancy_percent", "registers"):
                assert getattr(exact, name) == pytest.approx(getattr(shown, name), abs=0.006)
            if exact.dram_bytes is not None and exact.dram_bytes > 1e6:
                assert shown.dram_bytes == pytest.approx(exact.dram_bytes, rel=0.02)


def test_a_binary_report_has_what_its_pages_have() -> None:
    """The package of NVIDIA's gives the same launches as the page that ncu printed of the step."""
    pytest.importorskip("ncu_report")
    folder = SAMPLES / "cuda_reason_pairs"
    few, whole = load_trace(folder / "few.ncu-rep"), load_trace(folder / "ncu_basic_raw.csv.gz")
    names = [whole.launches.names[at] for at in whole.launches.name_id[:5]]
    assert [few.launches.names[at] for at in few.launches.name_id] == names
    np.testing.assert_array_equal(few.launches.grid, whole.launches.grid[:5])
    assert [device.name for device in few.devices] == ["NVIDIA H100 80GB HBM3"]
    for one, other in zip(
        read_kernel_counters(folder / "few.ncu-rep"),
        read_kernel_counters(folder / "ncu_basic_raw.csv.gz"),
        strict=False,
    ):
        assert one.registers == other.registers
        assert one.occupancy_percent == pytest.approx(other.occupancy_percent, abs=5)


def test_without_the_package_an_error_names_the_command_that_does_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where `ncu-report` is missing, its extra and the page in its place are named."""
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    with pytest.raises(KernelmapError) as error:
        load_trace(SAMPLES / "cuda_reason_pairs" / "few.ncu-rep")
    assert error.value.slug == "ncu-missing"
    assert "--csv --page raw" in (error.value.hint or "")


def test_a_cut_off_report_is_an_error(tmp_path: Path) -> None:
    """A binary report that ends too early is named as damaged, by whatever error its reader has."""
    pytest.importorskip("ncu_report")
    cut = tmp_path / "cut.ncu-rep"
    cut.write_bytes((SAMPLES / "cuda_reason_pairs" / "few.ncu-rep").read_bytes()[:1000])
    with pytest.raises(KernelmapError) as error:
        load_trace(cut)
    assert error.value.slug in ("ncu-damaged", "ncu-no-launches")


@pytest.mark.parametrize("packed", [False, True])
def test_what_stands_before_the_page_is_passed_over(page: Path, packed: bool) -> None:
    """Lines of ncu and of the program come before the header, in a packed file as in a plain."""
    text = (PREAMBLE + raw_page(RAW, RAW)).encode()
    page.write_bytes(gzip.compress(text) if packed else text)
    assert is_ncu_report(page)
    assert is_trace(page)
    launches = load_trace(page).launches
    assert launches.dur_ns.tolist() == [1_500_000] * 2
    assert launches.grid.tolist() == [[16, 1, 1]] * 2
    assert launches.block.tolist() == [[128, 1, 1]] * 2


def test_numbers_are_read_in_their_units(page: Path) -> None:
    """Thousands have commas, and units are those of the row of units; `no data` is no number."""
    page.write_text(raw_page(RAW))
    (counters,) = read_kernel_counters(page)
    assert counters.dram_bytes == pytest.approx(134_217_712 + 8_500)
    assert counters.registers == 255
    assert counters.local_bytes == 32_000
    assert counters.tensor_percent is None
    assert counters.main_stalls == (("long scoreboard", 0.6), ("barrier", 0.3))


def test_base_units_are_read_alike(page: Path) -> None:
    """With `--print-units base` times are nanoseconds and sizes bytes."""
    metrics = {
        "gpu__time_duration.sum": ("1,500,000", "ns"),
        "dram__bytes_read.sum": ("134,217,712", "byte"),
        "dram__bytes_write.sum": ("8,500", "byte"),
    }
    page.write_text(raw_page(replace(RAW, metrics=metrics)))
    (counters,) = read_kernel_counters(page)
    assert counters.dram_bytes == 134_226_212
    assert load_trace(page).launches.dur_ns.tolist() == [1_500_000]


def test_rules_are_no_metrics(page: Path) -> None:
    """The details page has rows of rules between those of metrics; a launch stays one launch."""
    other = replace(DETAILS, grid="(32, 1, 1)")
    page.write_text(PREAMBLE + details_page(DETAILS, other))
    assert load_trace(page).launches.grid.tolist() == [[16, 1, 1], [32, 1, 1]]
    counters = read_kernel_counters(page)
    assert [one.l2_hit_percent for one in counters] == [11.53, 11.53]
    assert [one.local_bytes for one in counters] == [0, 0]
    assert [one.dram_bytes for one in counters] == [None, None]


def test_the_rate_of_the_details_page_gives_bytes(page: Path) -> None:
    """Two metrics are called `Memory Throughput`: the one in bytes per second, times the time."""
    metrics = dict(DETAILS.metrics)
    rate = replace(DETAILS, metrics={**metrics, "Memory Throughput": ("2.52", "Tbyte/s")})
    page.write_text(details_page(rate))
    (counters,) = read_kernel_counters(page)
    assert counters.dram_bytes == pytest.approx(2.52e12 * 1.5e-3)


def test_metrics_that_were_asked_for_stand_in_the_details_page(page: Path) -> None:
    """`--metrics` without a section: the details page has the names of the raw page."""
    page.write_text(details_page(RAW, rules=False))
    (counters,) = read_kernel_counters(page)
    assert counters.dram_bytes == pytest.approx(134_226_212)
    assert counters.main_stalls[0] == ("long scoreboard", 0.6)


def test_older_pages_have_no_column_for_grids(page: Path) -> None:
    """Before 2021 neither grid nor block had a column: the metrics say them, or nothing does."""
    common = [name for name in COMMON if name not in ("Block Size", "Grid Size", "Device", "CC")]
    sizes = {
        f"launch__{what}_dim_{axis}": (size, "")
        for what, three in (("grid", "321"), ("block", "641"))
        for axis, size in zip("xyz", three, strict=True)
    }
    old = replace(
        RAW,
        metrics={
            **sizes,
            "gpu__time_duration.sum": ("20.5", "usecond"),
            "smsp__average_warp_latency_issue_stalled_wait.ratio": ("2", "warp"),
        },
    )
    page.write_text(raw_page(old, common=common))
    launches = load_trace(page).launches
    assert launches.grid.tolist() == [[3, 2, 1]]
    assert launches.block.tolist() == [[6, 4, 1]]
    assert launches.dur_ns.tolist() == [20_500]
    (counters,) = read_kernel_counters(page)
    assert counters.main_stalls == (("wait", 1.0),)
    page.write_text(raw_page(RAW, common=common))
    assert load_trace(page).launches.grid.tolist() == [[-1, -1, -1]]


def test_devices_and_processes_stay_apart(page: Path) -> None:
    """Each process counts its launches from 0, and each may use another device."""
    rows = [replace(DETAILS, pid=pid, device=device) for pid, device in (("1", "0"), ("2", "1"))]
    pages = details_page(rows[0]) + details_page(rows[1]).split("\n", 1)[1]
    page.write_text(pages)
    trace = load_trace(page)
    assert trace.launches.device.tolist() == [0, 1]
    assert [process.pid for process in trace.processes] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ('"#","Source","Live Registers"\n"0","MOV R1",""\n', "ncu-page"),
        ('"#","Address","Source"\n"0","0x10","MOV R1"\n', "ncu-page"),
        ('"Process ID","Kernel Name","Invocations","Section Name"\n"1","k","3","S"\n', "ncu-page"),
        ('"ID","Process ID","Range Name"\n"0","1","step"\n', "ncu-page"),
        (raw_page(), "ncu-no-launches"),
        (details_page(rules=False), "ncu-no-launches"),
        (raw_page(replace(RAW, metrics={"gpu__time_duration.sum": ("1,5", "ms")})), "ncu-page"),
    ],
    ids=["source", "addresses", "summary", "ranges", "empty", "no details", "decimal comma"],
)
def test_what_lists_no_launches_is_named(page: Path, text: str, slug: str) -> None:
    """Other pages of ncu are known as such: the error says which command prints the right one."""
    page.write_text(PREAMBLE + text)
    with pytest.raises(KernelmapError) as error:
        load_trace(page)
    assert error.value.slug == slug
    assert error.value.hint


def test_what_stands_behind_a_page_is_passed_over(page: Path) -> None:
    """The program may print on, in lines with commas too, and a second process has a header."""
    text = raw_page(RAW) + "loss 0.5, 0.25, 3\n" + raw_page(replace(RAW, pid="2")) + "==PROF== x\n"
    page.write_text(text)
    trace = load_trace(page)
    assert [process.pid for process in trace.processes] == ["4711", "2"]


def test_a_rule_may_be_of_several_lines(page: Path) -> None:
    """A quoted cell goes on behind the end of its line: what follows is no launch."""
    page.write_text(details_page(DETAILS, DETAILS).replace("Look at it,", 'Look\n"",at it\n3,4,'))
    assert len(load_trace(page).launches) == 2


@pytest.mark.parametrize("number", ["1e400", "9" * 400, "-9e99", "nan", "inf", "(!) nan"])
def test_numbers_that_nothing_can_be_are_absent(page: Path, number: str) -> None:
    """Neither a time nor a size nor a sum of such a file breaks anything behind the reader."""
    metrics = dict.fromkeys(RAW.metrics, (number, "Mbyte"))
    metrics["gpu__time_duration.sum"] = (number, "ms")
    odd = replace(RAW, metrics=metrics, grid=f"({'9' * 40}, 1, 1)", device="9" * 40, stream="x")
    page.write_text(raw_page(odd, odd))
    launches = load_trace(page).launches
    assert len(launches) == 2
    for counters in read_kernel_counters(page):
        assert counters.dram_bytes is None


def test_a_launch_without_a_time_is_kept_and_told(page: Path) -> None:
    """Counters count without a time; that there is none is a notice."""
    page.write_text(raw_page(replace(RAW, metrics={"launch__registers_per_thread": ("32", "")})))
    trace = load_trace(page)
    assert trace.launches.dur_ns.tolist() == [0]
    assert "events-without-duration" in [notice.slug for notice in trace.notices]


def test_a_packed_page_that_is_cut_off_is_an_error(page: Path) -> None:
    """A gzip file that ends too early holds half a page: it is not read as a whole one."""
    page.write_bytes(gzip.compress(raw_page(*[RAW] * 50).encode(), mtime=0)[:-20])
    with pytest.raises(KernelmapError) as error:
        load_trace(page)
    assert error.value.slug == "ncu-damaged"
