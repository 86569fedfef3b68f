"""Whose work lies below a Python frame, by what the profiler calls the frame."""

from __future__ import annotations

import re
from enum import IntEnum

from kernelmap.facts.autotuning import BENCHMARKING_METHODS


class FrameRole(IntEnum):
    """Whose work lies below a frame."""

    NONE = 0
    CODE = 1
    COPY = 2
    BENCHMARK = 3
    AROUND = 4


_FRAME = re.compile(r"(?P<file>[^()<>]*\.py)\(\d+\): (?P<function>[\w.<>]+)")
# Inductor names the file of its code by a hash of 51 letters and digits, `c` before it.
_CODE_FILE = re.compile(r"(?:.*[/\\])?c[a-z2-7]{51}\.py")
_CODE = re.compile(r"(?:\w+\.)?(?:call|partition_\d+)")
_RUNTIME = re.compile(r"(?:.*[/\\])?torch[/\\]_inductor[/\\](?P<module>[\w/\\]+)\.py")
_COPIES = frozenset(
    {
        "clone_preserve_strides",
        "copy_misaligned_inputs",
        "index_expanded_dims_and_copy_",
        "static_input",
        "_allocate_and_copy_recording_inputs",
        "_copy_inputs_and_remove_from_src",
    }
)
_AROUND = frozenset({"compile_fx", "cudagraph_trees"})


def is_code_file(file: str) -> bool:
    """Whether a frame's file is one that Inductor wrote, by the name that it gives to files.

    >>> is_code_file("/tmp/t/kj/ckjddcfz54jycgt37n3crrafciljvedodxjtwberavffuxqa3uy3.py")
    True
    >>> is_code_file("/home/me/cabin.py")
    False
    """
    return _CODE_FILE.fullmatch(file) is not None


def frame_role(name: str) -> FrameRole:
    """Whose work lies below the frame that the profiler calls `name`.

    >>> frame_role("torch/_inductor/utils.py(3041): copy_misaligned_inputs").name
    'COPY'
    >>> frame_role("train.py(12): call").name, frame_role("<built-in function len>").name
    ('NONE', 'NONE')
    """
    frame = _FRAME.fullmatch(name)
    if frame is None:
        return FrameRole.NONE
    function = frame["function"]
    # A function `call` may be anybody's, so the file has to be one that Inductor wrote.
    if _CODE.fullmatch(function) and _CODE_FILE.fullmatch(frame["file"]):
        return FrameRole.CODE
    runtime = _RUNTIME.fullmatch(frame["file"])
    if runtime is None:
        return FrameRole.NONE
    method = function.rpartition(".")[2]
    if method in _COPIES:
        return FrameRole.COPY
    if method in BENCHMARKING_METHODS:
        return FrameRole.BENCHMARK
    return FrameRole.AROUND if runtime["module"] in _AROUND else FrameRole.NONE


NEEDLES = (b"): call", b".call", b"): partition_", b".partition_", b"_inductor")
"""One of these stands in the text of every frame that has a role."""
