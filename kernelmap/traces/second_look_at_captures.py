"""A Kineto file → where captured launches came from and what they ran over, in a second look.

What a capture launches has no GPU activity, and the api calls of CUDA state neither kernel nor
grid. The grid of a generated kernel follows from its range: Inductor's launcher notes the block
sizes it chose (`kernel_kwargs`), and with `record_shapes=True` the numbers of elements stand among
the arguments. Graphs of several batch sizes run kernels of equal names in equal order; grids tell
them apart (sample_traces/cuda_captured_eager).

Left out: grids of library kernels, of templates and of user kernels, which no range states.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np

from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.learnt import CapturedDetail, Shape
from kernelmap.model.names import operator_of_range
from kernelmap.model.trace import Int, RangeDetail, RangeKind, Trace
from kernelmap.traces.kineto.open_modules import modules_of_apis
from kernelmap.traces.python_frames import api_places
from kernelmap.traces.recorded_arguments import read_recorded_arguments

_BLOCK = re.compile(r"(?<!\w)(?P<axis>[XY])BLOCK=(?P<size>\d{1,9})(?!\w)")
_REDUCTION = re.compile(r"triton_(?:red|per)_")
_POINTWISE = re.compile(r"triton_poi_")
_SEVERAL = re.compile(r"RSPLIT|R1_BLOCK|ZBLOCK")  # reductions and grids of more dimensions
_WARP = 32  # threads; the grids of HIP, where there are 64, no replay states
_MOST = 2**31 - 1  # of blocks, CUDA's limit; more is no grid


def captured_details(
    trace: Trace, api: Int, files: Collection[str] = (), *, with_inputs: bool = False
) -> Mapping[int, CapturedDetail]:
    """What the files say of the captured launches `api`, by their rows in the api calls.

    `files` are the paths of source files as the code spells them. `with_inputs` asks for the
    tensors of operators, too.
    """
    places, is_backward = api_places(trace, api, files)
    shapes, modules = _shapes_of_generated(trace, api), modules_of_apis(trace, api)
    inputs = _inputs_of_operators(trace, api) if with_inputs else {}
    return {
        row: CapturedDetail(
            place=place,
            is_backward=backward,
            module=module,
            shape=shapes.get(row),
            inputs=inputs.get(row),
        )
        for row, place, backward, module in zip(
            api.tolist(), places, is_backward.tolist(), modules, strict=True
        )
    }


def _inputs_of_operators(trace: Trace, api: Int) -> Mapping[int, str | None]:
    """The tensors that the outermost operator around each launch was handed, where it says so."""
    ranges = trace.ranges
    names = [operator_of_range(name) is not None for name in ranges.names]
    is_operator = by_name(ranges.name_id, names)
    outermost = is_operator & (nearest_ancestor(ranges.parent, is_operator, ranges.parent) < 0)
    outer = nearest_ancestor(ranges.parent, outermost, trace.apis.range[api])
    stated = read_recorded_arguments(trace, np.unique(outer[outer >= 0]))
    return {
        row: stated[around].tensors
        for row, around in zip(api.tolist(), outer.tolist(), strict=True)
        if around in stated
    }


def _shapes_of_generated(trace: Trace, api: Int) -> Mapping[int, Shape]:
    """Grid and block of the launches of generated kernels, as far as their ranges state them."""
    ranges = trace.ranges
    inner = nearest_ancestor(
        ranges.parent, np.equal(ranges.kind, RangeKind.OP), trace.apis.range[api]
    )
    # Launches by their range: a range that launches several kernels says nothing of each.
    of_range: dict[int, list[int]] = {}
    for row, around in zip(api.tolist(), inner.tolist(), strict=True):
        if around >= 0 and ranges.detail_of(around) is not None:
            of_range.setdefault(around, []).append(row)
    single = {around: rows[0] for around, rows in of_range.items() if len(rows) == 1}
    stated = read_recorded_arguments(trace, np.array(sorted(single), dtype=np.int64))
    shapes = {}
    for around, arguments in stated.items():
        detail = ranges.detail_of(around)
        sizes = [number for number in arguments.numbers if number is not None]
        shape = _shape_of(ranges.name_of(around), sizes, detail) if detail is not None else None
        if shape is not None:
            shapes[single[around]] = shape
    return shapes


def _shape_of(name: str, numbers: list[int], detail: RangeDetail) -> Shape | None:
    """Grid and block of one launch; None where its range does not settle them.

    The numbers of elements stand last among a kernel's arguments: xnumel, or ynumel and xnumel, and
    behind them that of a reduction.
    """
    kwargs = detail.kernel_kwargs or ""
    if _SEVERAL.search(kwargs):
        return None
    blocks = {match["axis"]: int(match["size"]) for match in _BLOCK.finditer(kwargs)}
    if _REDUCTION.match(name) and set(blocks) == {"X"} and len(numbers) > 1:
        elements = {"X": numbers[-2]}
    elif _POINTWISE.match(name) and blocks and len(numbers) >= len(blocks):
        elements = dict(zip(sorted(blocks), reversed(numbers), strict=False))
    else:
        return None
    if "X" not in blocks or not all(blocks.values()):
        return None
    grid = [-(-elements[axis] // blocks[axis]) if axis in blocks else 1 for axis in "XY"]
    if not all(0 < size <= _MOST for size in grid) or not detail.num_warps:
        return None
    return (*grid, 1, _WARP * detail.num_warps, 1, 1)
