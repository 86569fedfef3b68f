"""A file that holds one tensor → what is in it, in numbers.

The only place that opens such files, with torch and `weights_only=True`: torch then builds tensors
and plain containers and nothing else. Whatever else a file asks for is refused, and the file with
it; there is no other way to load it here.
"""

from __future__ import annotations

import pickle
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.errors import KernelmapError
from kernelmap.installing import install_command
from kernelmap.model.printed import TensorFacts

if TYPE_CHECKING:
    import torch

_CHUNK = 1 << 24  # elements at a time: their copies as float64 shall not fill the memory
_LONGEST = 200


def require_torch() -> None:
    """Raise KernelmapError where this Python has no torch, or one that does not start."""
    try:
        usable = find_spec("torch") is not None and import_module("torch") is not None
    except (ImportError, OSError):  # OSError: a library of torch's does not load
        usable = False
    if not usable:
        raise KernelmapError(
            "package-missing",
            "this Python has no torch, which opens saved tensors",
            f"Install it: {install_command('capture')} (without --load no torch is needed)",
        )


def tensor_facts(path: Path) -> TensorFacts | str:
    """What the tensor in `path` holds, or why the file is not one that is opened."""
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of files that it then refuses, torch warns besides
            loaded = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        return "it asks for more than tensors, so it was not unpickled"
    except (OSError, RuntimeError, ValueError, EOFError, KeyError, IndexError, TypeError) as error:
        return f"torch does not read it: {_first_line(error)}"
    if not isinstance(loaded, torch.Tensor):
        return f"it holds no tensor but a {type(loaded).__name__}"
    try:
        return _facts(loaded.detach())
    except (RuntimeError, NotImplementedError) as error:
        return f"torch does not count its elements: {_first_line(error)}"


def _facts(tensor: torch.Tensor) -> TensorFacts:
    import torch

    # Elements of a sparse tensor that are not stored count as zeros.
    plain = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    name = str(tensor.dtype).removeprefix("torch.")
    shape, elements = tuple(tensor.shape), tensor.numel()
    # Neither has plain numbers to count: only shape and type are told.
    if tensor.is_quantized or tensor.is_meta:
        return TensorFacts(
            shape=shape,
            dtype=name,
            elements=elements,
            low=None,
            high=None,
            mean=None,
            nans=None,
            infs=None,
        )
    # Complex numbers have no smallest and no largest; NaN and infinity are counted all the same.
    ordered = not tensor.is_complex()
    nans = infs = counted = 0
    low = high = None
    total = 0.0
    flat = plain.reshape(-1)
    for start in range(0, elements, _CHUNK):
        part = flat[start : start + _CHUNK]
        part = part.to(torch.float64) if ordered else part
        nans += int(torch.isnan(part).sum())
        infs += int(torch.isinf(part).sum())
        # Smallest, largest and mean are those of the finite elements.
        finite = part[torch.isfinite(part)]
        if ordered and finite.numel():
            least, most = float(finite.min()), float(finite.max())
            low = least if low is None else min(low, least)
            high = most if high is None else max(high, most)
            total += float(finite.sum())
            counted += finite.numel()
    return TensorFacts(
        shape=shape,
        dtype=name,
        elements=elements,
        low=low,
        high=high,
        mean=total / counted if counted else None,
        nans=nans,
        infs=infs,
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0]
    return text[:_LONGEST] or type(error).__name__
