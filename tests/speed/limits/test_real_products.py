"""Matrix products of real profiles: with the shapes that the profiler recorded, none beats its GPU.

The profile's own links say which kernels an operator launched: formula, device limits and time
meet without any matching of ours.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kernelmap.speed.limits.device_limits import limits_of
from kernelmap.speed.work.formulas import FORMULAS, GivenOperands
from kernelmap.speed.work.tensors import Tensor, dense_strides

pytestmark = pytest.mark.corpus

DTYPES = {"c10::BFloat16": "bfloat16", "c10::Half": "float16", "float": "float32"}
NAMES = ("mm", "addmm", "bmm", "baddbmm")
PROFILES = {
    "h100_bert_small_eager": "NVIDIA H100 80GB HBM3",
    "mi300x_flux_compiled_and_graphs": "AMD Instinct MI300X",
    "mi300x_torch_compile_triton": "AMD Instinct MI300X",
}


def products(path: Path) -> Iterator[tuple[str, str, int, int]]:
    """Operator, dtype, operations and nanoseconds of each product that launched a kernel."""
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    kernels: Mapping[int, list[Any]] = defaultdict(list)
    for event in events:
        if event.get("cat") == "kernel":
            kernels[event["args"].get("External id", -1)].append(event)
    for event in events:
        arguments = event.get("args", {})
        name = str(event.get("name")).removeprefix("aten::")
        ran = kernels.get(arguments.get("External id", -2), [])
        if name in NAMES and ran and "Input Dims" in arguments:
            tensors = [Tensor(tuple(dims), dense_strides(dims)) for dims in arguments["Input Dims"]]
            given = GivenOperands(arguments=tensors, keywords={}, results=())
            flops = FORMULAS[f"aten.{name}"].flops
            assert flops is not None
            time_ns = round(1000 * sum(kernel["dur"] for kernel in ran))
            yield name, DTYPES[arguments["Input type"][1]], flops(given), time_ns


@pytest.mark.sampled
@pytest.mark.parametrize("profile", PROFILES)
def test_no_product_is_faster_than_its_device(profile: str, corpus: Path) -> None:
    """Operations over time stay below the peak of the operands' dtype; some come near it."""
    path = corpus / "kineto" / f"{profile}.json.gz"
    (limits,) = limits_of([PROFILES[profile]]).values()
    shares = []
    for _, dtype, flops, time_ns in products(path):
        peak = limits.peak_of(dtype)
        assert peak is not None
        shares.append(flops * 10**9 / peak / time_ns)

    assert shares
    assert max(shares) < 1
