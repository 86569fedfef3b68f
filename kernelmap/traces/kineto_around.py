"""What stands around a Kineto file's events → base time, rank, names of the GPUs.

Taken: the object with an emptied event list. Everything else in it is skipped unread: some
exporters put the whole process environment there. A field with an unexpected value counts as
missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from kernelmap.traces.json_stream import MALFORMED
from kernelmap.traces.kineto_events import Scalar
from kernelmap.traces.kineto_values import text, whole
from kernelmap.traces.nesting import OVERHANG_NS

_Record = TypeVar("_Record")
_MISSING = Raw(b"null")
_LATEST_NS = 2**61


class _Around(Struct, frozen=True):
    base: Raw = msgspec.field(default=_MISSING, name="baseTimeNanoseconds")
    distributed: Raw = msgspec.field(default=_MISSING, name="distributedInfo")
    gpus: Raw = msgspec.field(default=_MISSING, name="deviceProperties")
    overhang: Raw = msgspec.field(default=_MISSING, name="overhangNanoseconds")


class _Distributed(Struct, frozen=True):
    rank: Scalar = None


class _Gpu(Struct, frozen=True):
    id: Scalar = None
    name: Scalar = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """`base_ns` is what event times count from; `gpus` are ids and names as the file lists them.

    `overhang_ns` is how far an event may outlast the one around it; only our own files tell.
    """

    base_ns: int = 0
    overhang_ns: int = OVERHANG_NS
    rank: int | None = None
    gpus: tuple[tuple[int, str | None], ...] = ()

    def with_text(self, around: bytes) -> Surroundings:
        """These facts and those that `around` adds; msgspec.DecodeError where it is no object."""
        found = msgspec.json.decode(around, type=_Around)
        base = _typed(found.base, int)
        distributed = _typed(found.distributed, _Distributed)
        gpus = _typed(found.gpus, list[_Gpu])
        overhang = _typed(found.overhang, int)
        return replace(
            self,
            base_ns=base if base is not None and 0 <= base < _LATEST_NS else self.base_ns,
            overhang_ns=overhang
            if overhang is not None and 0 <= overhang <= OVERHANG_NS
            else self.overhang_ns,
            rank=self.rank if distributed is None else whole(distributed.rank),
            gpus=self.gpus if not gpus else tuple(_named(gpus)),
        )


def _named(gpus: list[_Gpu]) -> list[tuple[int, str | None]]:
    known = [(whole(gpu.id), text(gpu.name)) for gpu in gpus]
    return [(id_, name) for id_, name in known if id_ is not None]


def _typed(raw: Raw, record: type[_Record]) -> _Record | None:
    try:
        return msgspec.json.decode(raw, type=record)
    except MALFORMED:
        return None
