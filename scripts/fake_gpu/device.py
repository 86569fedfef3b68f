"""Make torch and Triton believe that there is one H100.

Takes nothing, changes the imported torch for the rest of the process. Nothing runs on a device:
tensors are fake, or real ones in host memory where Inductor insists on a real one.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch._dynamo.device_interface import CudaInterface
from torch._subclasses import fake_tensor
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

CAPABILITY = (9, 0)
ARCH = 90


class Properties:
    """An H100, as torch.cuda.get_device_properties tells."""

    name = "NVIDIA H100 80GB HBM3"
    major, minor = CAPABILITY
    multi_processor_count = 132
    total_memory = 85_000_000_000
    regs_per_multiprocessor = 65536
    max_threads_per_multi_processor = 2048
    max_threads_per_block = 1024
    warp_size = 32
    shared_memory_per_block = 49152
    shared_memory_per_block_optin = 232448
    shared_memory_per_multiprocessor = 233472
    L2_cache_size = 52428800
    is_integrated = 0
    is_multi_gpu_board = 0
    clock_rate = 1980000
    memory_clock_rate = 2619000
    memory_bus_width = 5120
    gcnArchName = ""  # noqa: N815 -- torch's spelling
    uuid = "00000000-0000-0000-0000-000000000000"


PROPERTIES = Properties()


def always(value: object) -> Callable[..., object]:
    """A function that gives `value`, whatever it is asked."""
    return lambda *_args, **_kwargs: value


def replace(owner: object, **attributes: object) -> None:
    """Set attributes of a module or class that has them differently."""
    for name, value in attributes.items():
        setattr(owner, name, value)


def pretend() -> None:
    """Everything in this module, once."""
    torch.version.cuda = "13.0"
    _fake_tensors()
    _torch_cuda()
    _device_interface()
    _host_memory()
    driver.set_active(FakeDriver())


def _fake_tensors() -> None:
    replace(fake_tensor, init_gpu_context=always(None))
    replace(fake_tensor.FakeTensorMode, avoid_device_init=property(always(True)))


def _torch_cuda() -> None:
    """torch.cuda and what it calls in torch._C."""
    replace(
        torch.cuda,
        is_available=always(True),
        device_count=always(1),
        current_device=always(0),
        is_initialized=always(False),
        _is_compiled=always(True),
        _lazy_init=always(None),
        init=always(None),
        set_device=always(None),
        synchronize=always(None),
        get_device_properties=always(PROPERTIES),
        get_device_capability=always(CAPABILITY),
        get_device_name=always(PROPERTIES.name),
        is_bf16_supported=always(True),
        mem_get_info=always((80_000_000_000, 85_000_000_000)),
        get_rng_state=lambda *_: torch.get_rng_state(),
        get_arch_list=always([f"sm_{ARCH}"]),
        _exchange_device=always(0),
        _maybe_exchange_device=always(0),
        is_current_stream_capturing=always(False),
    )
    # a CUDA build asks the driver here, by the name that it imported
    replace(
        torch.cuda.graphs,
        _cuda_isCurrentStreamCapturing=always(False),
        is_current_stream_capturing=always(False),
    )
    replace(
        torch._C,  # noqa: SLF001 -- the bindings that a CPU build lacks
        _cuda_getCurrentRawStream=always(0),
        _cuda_getDeviceCount=always(1),
        _cuda_setDevice=always(None),
        _cuda_getDevice=always(0),
        _cuda_exchangeDevice=always(0),
        _cuda_maybeExchangeDevice=always(0),
        _cuda_get_device_properties=always(PROPERTIES),
        _cuda_cudaCachingAllocator_is_enabled=always(True),
    )


def _device_interface() -> None:
    """What Dynamo and Inductor ask instead of torch.cuda."""
    answers = {
        "is_available": True,
        "get_raw_stream": 0,
        "current_device": 0,
        "set_device": None,
        "device_count": 1,
        "synchronize": None,
        "get_device_properties": PROPERTIES,
        "get_compute_capability": ARCH,
        "is_bf16_supported": True,
        "exchange_device": 0,
        "maybe_exchange_device": 0,
        "is_triton_capable": True,
        "raise_if_triton_unavailable": None,
    }
    replace(CudaInterface, **{name: staticmethod(always(it)) for name, it in answers.items()})
    for name in ("get_device_properties", "current_device", "set_device"):
        replace(CudaInterface.Worker, **{name: staticmethod(always(answers[name]))})


_ATEN = torch.library.Library("aten", "IMPL")


def _host_memory() -> None:
    """Constant folding and autotuning make real tensors on the device: give them host memory."""

    def empty(size: list[int], *, dtype: torch.dtype | None = None, **_: object) -> torch.Tensor:
        return torch.empty(size, dtype=dtype, device="cpu")

    def empty_strided(
        size: list[int], stride: list[int], *, dtype: torch.dtype | None = None, **_: object
    ) -> torch.Tensor:
        return torch.empty_strided(size, stride, dtype=dtype, device="cpu")

    _ATEN.impl("empty.memory_format", empty, "CUDA")
    _ATEN.impl("empty_strided", empty_strided, "CUDA")


class FakeDriver:
    """Triton's driver for a device that is not there."""

    class utils:  # noqa: N801 -- Triton's spelling
        """Device facts in Triton's words."""

        @staticmethod
        def get_device_properties(_device: int) -> dict[str, int]:
            """Limits that Triton checks kernels against."""
            return {
                "max_shared_mem": PROPERTIES.shared_memory_per_block_optin,
                "max_num_regs": PROPERTIES.regs_per_multiprocessor,
                "multiprocessor_count": PROPERTIES.multi_processor_count,
                "warpSize": PROPERTIES.warp_size,
                "sm_clock_rate": PROPERTIES.clock_rate,
                "mem_clock_rate": PROPERTIES.memory_clock_rate,
                "mem_bus_width": PROPERTIES.memory_bus_width,
            }

    def __init__(self) -> None:
        target = GPUTarget("cuda", ARCH, PROPERTIES.warp_size)
        replace(
            self,
            get_current_target=always(target),
            get_current_device=always(0),
            get_current_stream=always(0),
            set_current_device=always(None),
            get_active_torch_device=always(torch.device("cuda", 0)),
            get_device_interface=always(torch.cuda),
            get_device_capability=always(CAPABILITY),
            is_active=always(True),
            get_benchmarker=always(always([0.01, 0.01, 0.01])),
            map_python_to_cpp_type=lambda kind: kind,
            clear_cache=always(None),
            get_empty_cache_for_benchmark=always(None),
            assemble_tensormap_to_arg=lambda argument: argument,
        )
