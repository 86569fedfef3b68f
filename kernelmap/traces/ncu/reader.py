"""Reports of Nsight Compute and pages that it printed → RawTrace, and the counters of its launches.

It runs one kernel after the other, each as often as its counters ask for: a report has the order of
the launches and no times on a clock. Each launch is laid behind the one before it. What a launch
lasts is measured at clocks that ncu may lock and with caches that it empties, so it is no time of a
profile. Left out: copies and fills of memory, which ncu does not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from kernelmap.errors import KernelmapError, TooLargeError, unreadable
from kernelmap.model.kernel_counters import KernelCounters
from kernelmap.model.notices import Notice, format_count
from kernelmap.model.paths import FILE
from kernelmap.model.trace import Activity, Launches
from kernelmap.model.unpacked import first_unpacked, open_unpacked
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import LARGEST_PLACE, LONGEST_NS, absent, no_api_calls, no_ranges
from kernelmap.traces.ncu.csv_pages import is_page, read_pages
from kernelmap.traces.ncu.launch import ReportedLaunch
from kernelmap.traces.ncu.metrics import counters_of, duration_ns
from kernelmap.traces.ncu.report_file import is_report_file, read_report_file

_BEGIN = 1 << 18  # the header stands within so many bytes, behind what the program printed


def is_ncu_report(path: Path) -> bool:
    """Whether `path` is a report of ncu, or a page that it printed, plain or packed with gzip."""
    if path.is_dir():
        return False
    if is_report_file(path):
        return True
    begin = first_unpacked(path, _BEGIN)
    return b"\0" not in begin and is_page(begin.decode("utf-8", "replace"))


def read_reported_launches(path: Path) -> list[ReportedLaunch]:
    """All launches of a report, in its order; KernelmapError where there are none to use."""
    if is_report_file(path):
        return read_report_file(path)
    return read_pages(_read_text(path), path)


def read_kernel_counters(path: Path) -> list[KernelCounters]:
    """What was counted of each launch: position in the list is `Launches.event` of its row."""
    return [*map(counters_of, read_reported_launches(path))]


def read_ncu(path: Path) -> RawTrace:
    """The launches of a report, one behind the other; KernelmapError where it cannot be used."""
    launches = read_reported_launches(path)
    pids = tuple(dict.fromkeys(launch.pid for launch in launches))
    named = {launch.device: launch.device_name for launch in launches}
    return RawTrace(
        source=str(path),
        launches=_make_launches(launches, pids),
        apis=no_api_calls(),
        ranges=no_ranges(),
        pids=pids,
        gpus=tuple(sorted(named.items())),
        notices=tuple(_iter_notices(path, launches)),
    )


def _read_text(path: Path) -> str:
    """The text of a page, up to the limit on files that are read as a whole."""
    most = FILE.current()
    try:
        with open_unpacked(path) as file:
            data = file.read() if most is None else file.read(most + 1)
    except EOFError as error:
        raise KernelmapError(
            "ncu-damaged",
            f"{path} is cut off: {error}",
            "Copy it again from where it was printed.",
        ) from error
    except TooLargeError as error:
        raise error.of(path) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if most is not None and len(data) > most:
        raise FILE.make_error(path)
    return data.decode("utf-8", "replace")


def _make_launches(launches: Sequence[ReportedLaunch], pids: Sequence[str | None]) -> Launches:
    names, name_id = np.unique(
        np.array([launch.name for launch in launches], dtype=np.str_), return_inverse=True
    )
    lasted = [duration_ns(launch) or 0.0 for launch in launches]
    dur = np.array([round(min(max(time, 0.0), LONGEST_NS)) for time in lasted], dtype=np.int64)
    rows = len(launches)
    nothing = absent(rows)
    return Launches(
        name_id=name_id.astype(np.int64),
        activity=np.full(rows, Activity.KERNEL, dtype=np.int8),
        # Each launch begins where the last one ended, a nanosecond later at least: rows of one time
        # would count as one that was written twice.
        start_ns=np.cumsum(dur + 1) - (dur + 1),
        dur_ns=dur,
        process=np.array([pids.index(launch.pid) for launch in launches], dtype=np.int64),
        device=np.array([_place(launch.device) for launch in launches], dtype=np.int64),
        stream=np.array([_place(launch.stream) for launch in launches], dtype=np.int64),
        correlation=nothing,
        external=nothing,
        graph=nothing,
        graph_node=nothing,
        grid=np.array([launch.grid for launch in launches], dtype=np.int64),
        block=np.array([launch.block for launch in launches], dtype=np.int64),
        event=np.arange(rows, dtype=np.int64),
        api=nothing,
        range=nothing,
        origin=nothing,
        names=tuple(map(str, names)),
    )


def _place(number: int) -> int:
    return number if 0 <= number <= LARGEST_PLACE else -1


def _iter_notices(path: Path, launches: Sequence[ReportedLaunch]) -> Iterator[Notice]:
    yield Notice(
        slug="ncu-times",
        message=f"{path} is of Nsight Compute, which runs every kernel alone and again and again:"
        " its times are those of ncu, not of the program, and nothing says when the device waits",
        hint="Give a profile of the same program as well: its time counts, and its calls get the"
        " counters.",
        gap=True,
    )
    without = sum(duration_ns(launch) is None for launch in launches)
    if without:
        yield Notice(
            slug="events-without-duration",
            message=f"{path}: {format_count(without, 'launch')} without a time:"
            " gpu__time_duration.sum was not among the metrics",
            gap=True,
        )
