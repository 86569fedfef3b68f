"""How much a collective moves over each device's link: bytes, and the factor of its algorithm.

The definitions are those of nccl-tests (doc/PERFORMANCE.md): the algorithm's bandwidth is the size
of the whole array over time, and times a factor it is the bus bandwidth, which can be set against
the link of one device whatever the number of ranks. The factors hold for any algorithm that sends
from device to device; a switch that reduces (NVLS, SHARP) needs to move less.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kernelmap.facts.communication import collective_of

_UNEQUAL = ("all_to_allv", "alltoallv")  # parts that differ from rank to rank
_SIZES = {
    **dict.fromkeys(("bool", "byte", "char"), 1),
    **dict.fromkeys(("short", "half", "bfloat16", "uint16"), 2),
    **dict.fromkeys(("int", "float", "uint32", "complexhalf"), 4),
    **dict.fromkeys(("long", "double", "uint64", "complexfloat"), 8),
    "complexdouble": 16,
}
"""Bytes of an element by torch's name of a scalar type, in lower case."""


def bus_factor(collective: str, ranks: int) -> Fraction | None:
    """By what the algorithm's bandwidth is multiplied among so many ranks; None without a formula.

    >>> [str(bus_factor(name, 8)) for name in ("allreduce", "_allgather_base", "broadcast")]
    ['7/4', '7/8', '1']
    >>> bus_factor("all_to_allv", 8), bus_factor("allreduce", 1)
    (None, None)
    """
    if ranks <= 1 or collective in _UNEQUAL:
        return None
    match collective_of(collective):
        case "all_reduce":
            return Fraction(2 * (ranks - 1), ranks)
        case "all_gather" | "reduce_scatter" | "all_to_all":
            return Fraction(ranks - 1, ranks)
        case "broadcast" | "reduce":
            return Fraction(1)
        case _:
            return None


def elements_of_array(
    collective: str, ranks: int, elements_in: int | None, elements_out: int | None
) -> int | None:
    """The elements of the whole array that the definitions speak of, from those of one rank.

    None where what goes in and what comes out do not fit together, as in parts of unequal size.

    >>> elements_of_array("allgather", 4, 10, 40), elements_of_array("reduce_scatter", 4, 40, 10)
    (40, 40)
    >>> elements_of_array("allreduce", 4, 10, 10), elements_of_array("allgather", 4, 10, 10)
    (10, None)
    """
    if not elements_in or not elements_out:
        return None
    most = max(elements_in, elements_out)
    match collective_of(collective):
        case "all_gather":
            return most if elements_out == ranks * elements_in else None
        case "reduce_scatter":
            return most if elements_in == ranks * elements_out else None
        case _:
            return most if elements_in == elements_out else None


def array_of_collective(
    collective: str,
    ranks: int | None,
    dtype: str | None,
    elements_in: int | None,
    elements_out: int | None,
) -> tuple[int | None, Fraction | None, str | None]:
    """The bytes of a collective's whole array and its factor, or why one is not known.

    `elements_in` and `elements_out` are those of one rank.

    >>> array_of_collective("allgather", 4, "Float", 10, 40)
    (160, Fraction(3, 4), None)
    >>> array_of_collective("barrier", 4, "Float", 1, 1)
    (None, None, 'there is no formula for barrier among 4')
    """
    if ranks is None or not elements_in:
        return None, None, "the profile does not state its sizes"
    factor = bus_factor(collective, ranks)
    if factor is None:
        return None, None, f"there is no formula for {collective} among {ranks}"
    elements = elements_of_array(collective, ranks, elements_in, elements_out)
    itemsize = bytes_of_element(dtype)
    if elements is None:
        return None, factor, "its numbers of elements do not fit together"
    if itemsize is None:
        return None, factor, f"the size of {dtype or 'its type'} is not known"
    return elements * itemsize, factor, None


def bytes_of_element(dtype: str | None) -> int | None:
    """The bytes of an element by torch's name of its scalar type.

    >>> bytes_of_element("BFloat16"), bytes_of_element("Float8_e4m3fn"), bytes_of_element("QInt8")
    (2, 1, None)
    """
    name = (dtype or "").lower()
    return 1 if name.startswith("float8_") else _SIZES.get(name)


def is_in_one_machine(ranks: Sequence[int], gpus: int) -> bool | None:
    """Whether ranks lie in one machine that has so many GPUs; None where that cannot be said.

    Ranks are numbered machine by machine, one for each GPU, as torchrun does. A process that sees a
    single GPU does not tell how many there are.

    >>> is_in_one_machine([8, 15], 8), is_in_one_machine([0, 8], 8), is_in_one_machine([0, 1], 1)
    (True, False, None)
    """
    if gpus <= 1 or not ranks:
        return None
    return len({rank // gpus for rank in ranks}) == 1
