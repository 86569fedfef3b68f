"""Tables that torch itself prints, whatever it is asked to print: each kernel counts once."""

from __future__ import annotations

from itertools import product

import pytest

from kernelmap.traces.printed_averages import find_averages

# Name, whether it is a row of the device, time of the host, of the device, calls, whether a range.
RECORDED = (
    ("ProfilerStep*", True, 0, 2_000.5, 2, True),
    ("my range", False, 5_000, 0, 1, True),
    ("my range", True, 0, 1_900.25, 1, True),
    ("aten::mm", False, 90.5, 1_250, 10, False),
    ("ampere_sgemm_64x32", True, 0, 1_250, 10, False),
    ("triton_poi_fused_gelu_0", False, 600, 212.48, 160, False),
    ("triton_poi_fused_gelu_0", True, 0, 212.48, 160, False),
    ("cudaLaunchKernel", False, 400, 0, 170, False),
    ("Memcpy HtoD (Pageable -> Device)", True, 0, 4, 2, False),
)


@pytest.mark.thorough
@pytest.mark.parametrize("sort", [None, "self_cpu_time_total", "self_cuda_time_total", "count"])
def test_tables_of_torch_are_read_whatever_their_columns(sort: str | None) -> None:
    """Every order, and every choice of columns that the profiler has, gives the same kernels."""
    torch = pytest.importorskip("torch")
    profiler = pytest.importorskip("torch.autograd.profiler_util")
    device_type = torch.autograd.DeviceType
    for memory, flops, shapes, stacks in product((False, True), repeat=4):
        events = []
        for name, on_device, cpu_us, own_us, calls, is_range in RECORDED:
            event = profiler.FunctionEventAvg()
            event.key, event.count, event.use_device, event.node_id = name, calls, "cuda", -1
            event.is_async, event.is_remote, event.is_legacy = False, False, False
            event.cpu_time_total = event.self_cpu_time_total = cpu_us
            event.device_time_total = event.self_device_time_total = own_us
            event.device_type = device_type.CUDA if on_device else device_type.CPU
            event.is_user_annotation, event.overload_name, event.cpu_parent = is_range, "", None
            event.input_shapes = [[8, 16], []] if shapes else []
            event.stack = ["model.py(3): forward", "train.py(9): <module>"] if stacks else []
            event.flops, event.cpu_memory_usage, event.device_memory_usage = 12_345, 1_024, 512
            event.self_cpu_memory_usage = event.self_device_memory_usage = -2_048
            events.append(event)
        listed = profiler.EventList(
            events, use_device="cuda", profile_memory=memory, with_flops=flops
        )
        table = find_averages(listed.table(sort_by=sort))

        assert table is not None
        assert table.missing_ns == 0
        assert {row.name: (row.launches, row.time_ns) for row in table.sums} == {
            "ampere_sgemm_64x32": (10, 1_250_000),
            "triton_poi_fused_gelu_0": (160, 212_480),
            "Memcpy HtoD (Pageable -> Device)": (2, 4_000),
        }
