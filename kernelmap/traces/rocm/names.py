"""What rocprofiler-sdk calls things → what torch's profiler on ROCm calls them.

A kernel's name in AMD's code objects ends in `.kd` (kernel descriptor), which the demangler turns
into ` [clone .kd]`; torch's profiler and generated code know neither. A copy is called by its
direction. A range of ROCTX is called by the function that opened it, with its text beside it.
Written after the sources of rocprofiler-sdk; no file of it was seen.
"""

from __future__ import annotations

from kernelmap.facts.copies import UNKNOWN, name_copy

NO_NAME = "(no name)"
_DESCRIPTORS = (" [clone .kd]", ".kd")
_COPY = "MEMORY_COPY_"
_BETWEEN = "_TO_"
_PLACES = {"HOST": "Host", "DEVICE": "Device"}
_PUSHED = frozenset({"roctxThreadRangeA", "roctxRangePushA", "roctxRangePop"})


def name_kernel(*spellings: str | None) -> str:
    """The first name there is, as torch's profiler spells it.

    >>> name_kernel(None, "triton_poi_fused_add_0.kd"), name_kernel("f(int*) [clone .kd]")
    ('triton_poi_fused_add_0', 'f(int*)')
    """
    name = next((spelling for spelling in spellings if spelling), NO_NAME)
    for descriptor in _DESCRIPTORS:
        name = name.removesuffix(descriptor)
    return name or NO_NAME


def name_copied(operation: str | None) -> str:
    """A copy of memory by its operation; older releases leave out the first two words.

    >>> name_copied("MEMORY_COPY_HOST_TO_DEVICE"), name_copied("DEVICE_TO_HOST")
    ('Memcpy HtoD (Host -> Device)', 'Memcpy DtoH (Device -> Host)')
    >>> name_copied("MEMORY_COPY_NONE")
    'Memcpy Unknown (Unknown -> Unknown)'
    """
    source, _, target = (operation or "").removeprefix(_COPY).partition(_BETWEEN)
    if source not in _PLACES or target not in _PLACES:
        return name_copy(UNKNOWN, UNKNOWN, UNKNOWN)
    return name_copy(f"{source[0]}to{target[0]}", _PLACES[source], _PLACES[target])


def is_hip_call(name: str) -> bool:
    """Whether a host function is one of HIP's, the compiler's own calls included.

    >>> is_hip_call("hipLaunchKernel"), is_hip_call("__hipPushCallConfiguration")
    (True, True)
    >>> is_hip_call("hsa_queue_create")
    False
    """
    return name.lstrip("_").startswith("hip")


def is_pushed_range(name: str) -> bool:
    """Whether a marker is a range that nests in the others of its thread.

    Ranges that were started and stopped by a handle overlap as they like; marks last no time.
    """
    return name in _PUSHED
