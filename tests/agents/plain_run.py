"""A recording read plainly: what its raw events and its truth.json say, without any of kernelmap.

Truth says by the place of an event in the profile which call made it; the bundles of sample_traces
hold one profile each.
"""

from __future__ import annotations

import gzip
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
API = ("cuda_runtime", "cuda_driver")
Event = dict[str, Any]


class PlainRun:
    """One bundle of sample_traces."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def profile(self) -> Event:
        """The profile, parsed."""
        (path,) = self.folder.glob("rank_0/trace.json.gz")
        document: Event = json.loads(gzip.decompress(path.read_bytes()))
        return document

    @cached_property
    def truth(self) -> Event:
        """What the run itself knew."""
        document: Event = json.loads((self.folder / "truth.json").read_text("utf-8"))
        return document

    @cached_property
    def about(self) -> Event:
        """What its author says of it."""
        return tomllib.loads((self.folder / "RUN.toml").read_text("utf-8"))

    @cached_property
    def measured(self) -> Event:
        """What torch's allocator counted."""
        document: Event = json.loads((self.folder / "measured.json").read_text("utf-8"))
        return document

    @cached_property
    def gpu(self) -> dict[int, Event]:
        """Everything that ran on the GPU, by its place."""
        events = enumerate(self.profile["traceEvents"])
        return {at: event for at, event in events if event.get("cat") in GPU}

    @cached_property
    def call_of_event(self) -> dict[int, int]:
        """The number of the call that made an event; below 0 where none did."""
        return dict(zip(self.truth["events"], self.truth["call"], strict=True))

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each graph, by the digest of its code."""
        return {ran["digest"]: ran["name"] for ran in self.truth["order"]}

    def id_of_call(self, number: int) -> str:
        """The id of a call as kernelmap writes it, `0_forward/3`."""
        digest, index = self.truth["calls"][number]
        return f"{self.names[digest]}/{index}"

    def ns(self, chosen: Callable[[int, Event], bool] = lambda _at, _event: True) -> int:
        """The time of all that ran on the GPU and is chosen."""
        return sum(round(it["dur"] * 1000) for at, it in self.gpu.items() if chosen(at, it))

    def calls_ns(self) -> dict[str, int]:
        """The time of each call."""
        times: dict[str, int] = defaultdict(int)
        for at, event in self.gpu.items():
            if (number := self.call_of_event.get(at, -1)) >= 0:
                times[self.id_of_call(number)] += round(event["dur"] * 1000)
        return dict(times)

    def compiled_ns(self) -> int:
        """The time of all calls."""
        return sum(self.calls_ns().values())

    def slowest_call(self) -> str:
        """The call that took most."""
        times = self.calls_ns()
        return max(times, key=lambda call: times[call])

    def graph_ns(self, name: str) -> int:
        """The time of a graph's calls."""
        return sum(ns for call, ns in self.calls_ns().items() if call.rpartition("/")[0] == name)

    def operator_calls(self, operator: str) -> set[str]:
        """The calls in whose statement an operator ran on the host."""
        events = self.profile["traceEvents"]
        return {
            self.id_of_call(number)
            for at, number in self.call_of_event.items()
            if number >= 0 and events[at].get("cat") == "cpu_op" and events[at]["name"] == operator
        }

    def operator_ns(self, operator: str) -> int:
        """The time of these calls."""
        times = self.calls_ns()
        return sum(times[call] for call in self.operator_calls(operator))

    def kernel_ns(self, name: str) -> int:
        """The time of all launches of one device name."""
        return self.ns(lambda _, event: event["name"] == name)

    def slowest_kernel(self) -> str:
        """The device name that took most."""
        times: Counter[str] = Counter()
        for event in self.gpu.values():
            if event["cat"] == "kernel":
                times[event["name"]] += round(event["dur"] * 1000)
        return times.most_common(1)[0][0]

    def calls_of_kernel(self, part: str) -> set[str]:
        """The calls that launched kernels with a name that holds `part`."""
        rows = ((self.call_of_event.get(at, -1), event) for at, event in self.gpu.items())
        return {
            self.id_of_call(call) for call, event in rows if call >= 0 and part in event["name"]
        }

    def runs_of(self, name: str) -> int:
        """How often a graph ran."""
        return sum(ran["name"] == name for ran in self.truth["order"])

    def busy_ns(self) -> int:
        """The union of all that ran on the GPU."""
        spans = sorted(
            (round(it["ts"] * 1000), round(it["ts"] * 1000) + round(it["dur"] * 1000))
            for it in self.gpu.values()
        )
        return _union(spans)

    def launched_in(self, first: int, last: int) -> dict[int, Event]:
        """What ran on the GPU and was launched by the host within some steps.

        What has lost its call on the host counts where it began.
        """
        events = self.profile["traceEvents"]
        named = {f"ProfilerStep#{step}" for step in range(first, last + 1)}
        steps = [
            (it["ts"], it["ts"] + it["dur"])
            for it in events
            if it.get("cat") == "user_annotation" and it["name"] in named
        ]
        apis = {it["args"]["correlation"]: it["ts"] for it in events if it.get("cat") in API}
        return {
            at: it
            for at, it in self.gpu.items()
            if any(
                begin <= apis.get(it["args"]["correlation"], it["ts"]) < end for begin, end in steps
            )
        }

    def rise_of(self, *, backward: bool) -> int:
        """By how many bytes a graph lifts what was asked of torch's allocator, at its peak."""
        graphs = [it for it in self.measured["graphs"] if it["backward"] is backward]
        (rise,) = {it["peak"]["asked"] - it["before"]["asked"] for it in graphs}
        return int(rise)


def _union(spans: Iterable[tuple[int, int]]) -> int:
    total, until = 0, 0
    for begin, end in spans:
        total += max(end - max(begin, until), 0)
        until = max(until, end)
    return total
