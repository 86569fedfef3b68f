"""What torch says of itself and of this process: versions, GPUs, rank.

Left out on purpose: the host's name, the environment, and everything about the user.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, object]:
    """Versions by the names of `RecordedProcess`; None for what is not there. torch is loaded."""
    import torch

    return {
        "torch": str(torch.__version__),
        "triton": _installed("triton") or _installed("pytorch-triton"),
        "cuda": torch.version.cuda,
        "rocm": getattr(torch.version, "hip", None),
    }


def gpus() -> list[str]:
    """The names of the GPUs that this process has used; asking must not make it use one."""
    import torch

    if not torch.cuda.is_initialized():
        return []
    return [str(torch.cuda.get_device_name(n)) for n in range(torch.cuda.device_count())]


def distributed_rank() -> int | None:
    """The rank that torch.distributed knows; None where it was not initialized."""
    from torch import distributed

    if not distributed.is_available() or not distributed.is_initialized():
        return None
    return int(distributed.get_rank())


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
