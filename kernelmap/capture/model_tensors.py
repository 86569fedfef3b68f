"""What a program holds from step to step: parameters, module buffers, gradients, optimizer state.

torch lists none of these, so they are sought among all objects of Python, once, when the recording
is over. Tensors that share memory count once, as the first of these kinds. A tensor that consists
of others, such as one that is spread over ranks, counts with those of this process.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kernelmap.model.bundle import ModelTensorKind

if TYPE_CHECKING:
    import torch


def count_model_tensors() -> list[dict[str, object]]:
    """A row per device and kind, by the names of `ModelTensors`. torch is loaded.

    Empty where the program keeps objects away from Python's garbage collector (`gc.freeze`), which
    then cannot list them all.
    """
    if gc.get_freeze_count():
        return []
    totals: dict[tuple[str, ModelTensorKind], list[int]] = {}
    seen: set[tuple[str, int]] = set()
    for kind, tensor in _iter_by_kind(gc.get_objects()):
        for part in _iter_parts(tensor):
            storage = part.untyped_storage()
            place = str(storage.device), storage.data_ptr() if storage.device.type != "meta" else 0
            # A tensor without memory, such as one on the meta device, has no place.
            if place[1] and place not in seen:
                seen.add(place)
                total = totals.setdefault((place[0], kind), [0, 0])
                total[0] += storage.nbytes()
                total[1] += 1
    order = list(ModelTensorKind)
    return [
        {"device": device, "kind": kind, "bytes": size, "tensors": count}
        for (device, kind), (size, count) in sorted(
            totals.items(), key=lambda item: (item[0][0], order.index(item[0][1]))
        )
    ]


def _iter_by_kind(objects: Iterable[object]) -> Iterator[tuple[ModelTensorKind, torch.Tensor]]:
    """The tensors of each kind, all of one kind before those of the next."""
    import torch

    parameters: list[torch.Tensor] = []
    modules: list[torch.nn.Module] = []
    optimizers: list[torch.optim.Optimizer] = []
    for one in objects:
        # An object may answer isinstance with whatever code it likes; its type does not.
        kind = type(one)
        if issubclass(kind, torch.Tensor):
            if issubclass(kind, torch.nn.Parameter) or "_is_param" in _attributes(one):
                parameters.append(_as_any(one))
        elif issubclass(kind, torch.nn.Module):
            modules.append(_as_any(one))
        elif issubclass(kind, torch.optim.Optimizer):
            optimizers.append(_as_any(one))

    yield from ((ModelTensorKind.PARAMETERS, one) for one in parameters)
    for module in modules:
        buffers = _attributes(module).get("_buffers")
        yield from ((ModelTensorKind.BUFFERS, one) for one in _iter_tensors(buffers))
    gradients = [one.grad for one in parameters if one.grad is not None]
    yield from ((ModelTensorKind.GRADIENTS, one) for one in gradients)
    for optimizer in optimizers:
        state = _attributes(optimizer).get("state")
        yield from ((ModelTensorKind.OPTIMIZER, one) for one in _iter_tensors(state))


def _attributes(one: object) -> Mapping[str, object]:
    """What an object has of its own: asking for an attribute could run code of the user's."""
    return getattr(one, "__dict__", {})


def _as_any(one: object) -> Any:  # noqa: ANN401 -- its type was asked for in a way mypy cannot follow
    return one


def _iter_tensors(value: object) -> Iterator[torch.Tensor]:
    """The tensors in nested dicts, lists and tuples."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in list(value.values()):
            yield from _iter_tensors(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _iter_tensors(each)


def _iter_parts(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """The tensors that a tensor consists of in this process: itself, or those it is made of."""
    flatten = getattr(type(tensor), "__tensor_flatten__", None)
    if flatten is None:
        yield tensor
        return
    names, _ = flatten(tensor)
    for name in names:
        yield from _iter_parts(getattr(tensor, name))
