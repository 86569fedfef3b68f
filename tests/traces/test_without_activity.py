"""Traces in which nothing ran: what was recorded is said, and what was done is not advised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.traces import load_trace
from traces.small_nsys import NVTX, RUNTIME, api, push_pop, strings, write_export

Event = dict[str, object]


def row(category: str, name: str, at: float, correlation: int | None = None) -> Event:
    args = {} if correlation is None else {"correlation": correlation, "External id": correlation}
    event: Event = {"ph": "X", "cat": category, "name": name, "pid": 9, "tid": 9, "args": args}
    return {**event, "ts": at, "dur": 4.0}


def error_of(folder: Path, *events: Event) -> KernelmapError:
    """The error of a profile with these events, below operators."""
    path = folder / "profile.json"
    operators = [row("cpu_op", "aten::relu", 100.0 * n) for n in range(3)]
    document = {
        "deviceProperties": [{"id": 0, "name": "NVIDIA L4"}],
        "traceEvents": [*operators, *events],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert caught.value.slug == "no-gpu-activity"
    return caught.value


def launches(name: str = "cudaLaunchKernel", category: str = "cuda_runtime") -> list[Event]:
    return [row(category, name, 10.0 + 100 * n, 7 + n) for n in range(3)]


WAIT = "torch.cuda.synchronize()"
WARM_UP = "schedule("
ACTIVITY = "ProfilerActivity.CUDA"


def test_launches_without_a_kernel_are_counted_and_their_causes_named(tmp_path: Path) -> None:
    """CUDA was recorded, so recording CUDA is not advised."""
    copies = [row("cuda_runtime", "cudaMemcpyAsync", 500.0, 40)]
    error = error_of(tmp_path, *launches(), *copies)

    assert "launched 3 kernels, 1 copy (cudaLaunchKernel, cudaMemcpyAsync)" in str(error)
    assert "no activity of the GPU" in str(error)
    assert all(word in error.hint for word in (WAIT, WARM_UP, "CUPTI", "permission"))
    assert ACTIVITY not in error.hint


def test_a_host_that_waited_is_not_told_to_wait(tmp_path: Path) -> None:
    """It waited after its last launch, so the GPU was done."""
    waited = row("cuda_runtime", "cudaDeviceSynchronize", 900.0, 50)
    early = row("cuda_runtime", "cudaDeviceSynchronize", 1.0, 50)

    assert WAIT not in error_of(tmp_path, *launches(), waited).hint
    assert WAIT in error_of(tmp_path, *launches(), early).hint


def test_a_profile_with_steps_before_it_had_a_warm_up(tmp_path: Path) -> None:
    """The first recorded step is not the first of all: a schedule went before."""
    late = row("user_annotation", "ProfilerStep#3", 5.0)
    first = row("user_annotation", "ProfilerStep#0", 5.0)

    assert WARM_UP not in error_of(tmp_path, *launches(), late).hint
    assert WARM_UP in error_of(tmp_path, *launches(), first).hint


@pytest.mark.parametrize(
    ("category", "name", "words"),
    [
        ("xpu_runtime", "urEnqueueKernelLaunch", ("torch.xpu.synchronize()", "Intel's PTI")),
        ("xpu_driver", "zeCommandListAppendLaunchKernel", ("torch.xpu.synchronize()",)),
        ("cuda_driver", "cuLaunchKernelEx", (WAIT, "CUPTI")),
        ("cuda_runtime", "hipModuleLaunchKernel", (WAIT, "roctracer")),
    ],
)
def test_each_vendor_has_its_words(
    tmp_path: Path, category: str, name: str, words: tuple[str, ...]
) -> None:
    """Tools and calls are those of the device that was recorded."""
    error = error_of(tmp_path, *launches(name, category))

    assert f"launched 3 kernels ({name})" in str(error)
    assert all(word in error.hint for word in words)


def test_intels_two_calls_for_a_launch_count_once(tmp_path: Path) -> None:
    """The runtime's call holds that of the driver."""
    inner = launches("zeCommandListAppendLaunchKernel", "xpu_driver")
    error = error_of(tmp_path, *launches("urEnqueueKernelLaunch", "xpu_runtime"), *inner)

    assert "launched 3 kernels" in str(error)


def test_launches_of_a_capture_run_later(tmp_path: Path) -> None:
    """What a capture records runs when its graph is replayed: that has to be recorded."""
    begin = row("cuda_runtime", "cudaStreamBeginCapture", 1.0, 60)
    end = row("cuda_runtime", "cudaStreamEndCapture", 800.0, 61)
    error = error_of(tmp_path, begin, *launches(), end)

    assert "all of 3 launches were captured into graphs" in str(error)
    assert "replay the graphs" in error.hint


def test_calls_that_launch_nothing_say_that_nothing_ran(tmp_path: Path) -> None:
    """CUDA was recorded, and nothing was launched in the window."""
    error = error_of(tmp_path, row("cuda_runtime", "cudaGetDeviceCount", 5.0, 3))

    assert "1 api call of the device and none that launches" in str(error)
    assert ACTIVITY not in error.hint


def test_operators_alone_ask_for_the_gpu(tmp_path: Path) -> None:
    """Without any call of a device its activity was not recorded."""
    assert ACTIVITY in error_of(tmp_path).hint


def test_an_export_of_nsys_without_kernels_is_told_by_its_calls(tmp_path: Path) -> None:
    """--trace=cuda was given, or there were no calls; nsys says what may be the matter."""
    calls = [api(10 * n, 10 * n + 3, correlationId=n) for n in range(1, 4)]
    tables = {RUNTIME: calls, "StringIds": strings("x", "cudaLaunchKernel_v7000")}
    path = write_export(tmp_path / "x.sqlite", {**tables, NVTX: [push_pop(1, 90, "step")]})
    with pytest.raises(KernelmapError) as caught:
        load_trace(path)

    assert "launched 3 kernels (cudaLaunchKernel)" in str(caught.value)
    assert "no table of kernels" in str(caught.value)
    assert "--trace=cuda" not in caught.value.hint
    assert all(word in caught.value.hint for word in ("as new as the driver", "CUPTI"))
