"""How copies and fills of memory are called: by the places between which they move bytes.

Profilers give the places as numbers or in words of their own; all of them are spelled here as
torch's profiler does: `Memcpy HtoD (Pinned -> Device)`, `Memset (Device)`.
"""

from __future__ import annotations

COPY_KINDS = (
    "Unknown",
    *("HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"),
    *("UVM HtoD", "UVM DtoH", "UVM DtoD"),
)
"""By the number of CUPTI's CUpti_ActivityMemcpyKind, and of Nsight Systems for unified memory."""
MEMORY_KINDS = (
    *("Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"),
)
"""By the number that Nsight Systems gives them; CUPTI's CUpti_ActivityMemoryKind is one more."""
UNKNOWN = "Unknown"


def name_copy(kind: str, source: str, target: str) -> str:
    """A copy of `kind` between two kinds of memory.

    >>> name_copy("HtoD", "Pinned", "Device")
    'Memcpy HtoD (Pinned -> Device)'
    """
    return f"Memcpy {kind} ({source} -> {target})"


def name_fill(memory: str) -> str:
    """A fill of a kind of memory.

    >>> name_fill("Device")
    'Memset (Device)'
    """
    return f"Memset ({memory})"


def spell_memory(kind: object) -> str:
    """A kind of memory as torch's second backend writes it, in words of torch's profiler.

    It writes a word for those of copies, and CUPTI's number for those of fills.

    >>> spell_memory("device_static"), spell_memory(3), spell_memory(9)
    ('Device Static', 'Device', 'Unknown')
    """
    if isinstance(kind, int):
        return MEMORY_KINDS[kind - 1] if 0 < kind <= len(MEMORY_KINDS) else UNKNOWN
    spelled = str(kind).replace("_", " ").title()
    return spelled if spelled in MEMORY_KINDS else UNKNOWN


def spell_copy(kind: object) -> str:
    """A kind of copy as torch's second backend writes it, in words of torch's profiler.

    >>> spell_copy("HtoD"), spell_copy(9), spell_copy("?")
    ('HtoD', 'HtoH', 'Unknown')
    """
    # It has no word for copies within the host, and writes their number.
    if isinstance(kind, int):
        return COPY_KINDS[kind] if 0 <= kind < len(COPY_KINDS) else UNKNOWN
    return kind if isinstance(kind, str) and kind in COPY_KINDS else UNKNOWN
