"""Benchmarks at run time: the same records as real launches, several of each config.

Follows Inductor's benchmarker: a first launch, then measured ones, the cache cleared before each;
arguments that a kernel writes in place are cloned before each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from worlds.configs import Config
from worlds.libraries import Way
from worlds.recorder import Recorder
from worlds.triton import TritonLaunch
from worlds.world import AUTOTUNE

_FRAME = "torch/_inductor/runtime/triton_heuristics.py(1477): benchmark_all_configs"
_CACHE_BYTES = 50 << 20
_LAUNCHES = 4


def benchmark(recorder: Recorder, site: TritonLaunch, configs: Iterable[Config]) -> None:
    """Measure every config of one kernel, inside whatever range is open; never in a capture."""
    if recorder.capture is not None:
        return
    with recorder.owned_by(AUTOTUNE), recorder.frame(_FRAME):
        for config in configs:
            recorder.synchronize()
            for _ in range(_LAUNCHES):
                with recorder.op("aten::zero_"):
                    recorder.fill(_CACHE_BYTES, recorder.duration(20_000))
                if site.writes_in_place:
                    with recorder.op("aten::clone"), recorder.op("aten::copy_"):
                        recorder.copy("DtoD (Device -> Device)", 1 << 20, recorder.duration(4_000))
                site.launch(recorder, config)
            recorder.synchronize()


def benchmark_ways(recorder: Recorder, ways: Iterable[Way], run: Callable[[Way], None]) -> None:
    """Measure library kernels against one another, as max-autotune does; `run` launches a way."""
    with recorder.owned_by(AUTOTUNE):
        for way in ways:
            recorder.synchronize()
            for _ in range(_LAUNCHES):
                with recorder.op("aten::zero_"):
                    recorder.fill(_CACHE_BYTES, recorder.duration(20_000))
                run(way)
            recorder.synchronize()
