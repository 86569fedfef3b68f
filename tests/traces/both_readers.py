"""One file read with the scanner in C and without it; and whether two readings are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.matching import LaunchPlaces
from kernelmap.native import SWITCH
from kernelmap.traces import launch_places
from kernelmap.traces.assemble import RawTrace, assemble_trace
from kernelmap.traces.blocks import BLOCK
from kernelmap.traces.kineto import native_scan as native
from kernelmap.traces.kineto.reader import KinetoReader

needs_native = pytest.mark.skipif(
    not native.is_built(), reason="the scanner was not built: no C compiler, or no Python.h"
)


def read(path: Path, *, natively: bool, block: int = BLOCK) -> RawTrace | tuple[str, str]:
    """The raw trace, or slug and text of the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "0" if natively else "1")
        try:
            return KinetoReader(block=block).read(path)
        except KernelmapError as error:
            return error.slug, str(error)


def difference(one: object, other: object, where: str = "trace") -> str | None:
    """Where two readings differ first, None where they are equal."""
    if type(one) is not type(other):
        return f"{where}: {one!r} and {other!r}"
    if isinstance(one, Struct):
        differences = (
            difference(getattr(one, name), getattr(other, name), f"{where}.{name}")
            for name in one.__struct_fields__
        )
        return next(filter(None, differences), None)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        same = one.dtype == other.dtype and np.array_equal(one, other)
    else:
        same = one == other
    return None if same else f"{where}: {one!r} and {other!r}"


def same(path: Path, block: int = BLOCK) -> RawTrace | tuple[str, str]:
    """What both readers give for the file, having given the same."""
    python, ours = (read(path, natively=natively, block=block) for natively in (False, True))

    assert difference(python, ours) is None
    if isinstance(python, RawTrace) and isinstance(ours, RawTrace):
        assert difference(found(python), found(ours)) is None
    return ours


def found(raw: RawTrace) -> LaunchPlaces:
    """Where each launch came from, as if no other source told."""
    trace = assemble_trace(raw)
    return launch_places(trace, np.ones(len(trace.launches), dtype=bool))
