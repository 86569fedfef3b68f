"""How many warps of a kernel a multiprocessor holds at once, by what Kineto writes beside a launch.

Registers, shared memory and threads stand in the arguments of every kernel, what a multiprocessor
has of them at the head of the file. The trace model keeps none of it: few kernels are asked for,
and the file is searched for the first launch of each. Left out: files of other profilers, and GPUs
whose warps have other than 32 threads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from kernelmap.model import Trace
from kernelmap.model.work import Occupancy
from kernelmap.traces.chrome.json_stream import MALFORMED
from kernelmap.traces.formats import is_packets
from kernelmap.traces.marks import REACH, iter_marks

_MARKS = re.compile(rb'"deviceProperties"\s*:\s*|"registers per thread"')
_NAME = re.compile(rb'"name"\s*:\s*("(?:[^"\\]|\\.)*")')
_WARP = 32
_MOST_BLOCKS = 32  # that a multiprocessor holds, of compute capability 8.0 and 9.0 on
_PARTITIONS = 4  # of a multiprocessor, each with registers of its own
_REGISTERS_AT_ONCE = 256  # a warp is given a multiple of them
_RESERVED = 1024  # bytes of shared memory that the driver adds to those of a block


_Size = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class _Args(msgspec.Struct):
    registers: _Size = msgspec.field(name="registers per thread")
    shared: _Size = msgspec.field(name="shared memory")
    block: tuple[_Size, _Size, _Size]
    device: int = 0


class _Device(msgspec.Struct):
    id: int
    warp: _Size = msgspec.field(name="warpSize")
    threads: _Size = msgspec.field(name="maxThreadsPerMultiprocessor")
    registers: _Size = msgspec.field(name="regsPerMultiprocessor")
    shared: _Size = msgspec.field(name="sharedMemPerMultiprocessor")
    processors: _Size = msgspec.field(name="numSms")


_ARGS, _DEVICES = msgspec.json.Decoder(_Args), msgspec.json.Decoder(list[_Device])


def read_occupancies(trace: Trace, names: Collection[str]) -> dict[str, Occupancy]:
    """Those of the kernels with these names, as far as the files of a trace state them.

    Raises KernelmapError where a file cannot be read; a damaged event is left out.
    """
    found: dict[str, Occupancy] = {}
    for source, by_torch in zip(trace.sources, trace.by_torch.tolist(), strict=True):
        if by_torch and not is_packets(Path(source)):
            _read_file(Path(source), frozenset(names), found)
    return found


def _read_file(path: Path, names: frozenset[str], found: dict[str, Occupancy]) -> None:
    """Add those of one file to `found`, up to the event with the last name."""
    devices: Mapping[int, _Device] = {}
    for text, mark in iter_marks(path, _MARKS):
        if names <= found.keys():
            return
        if mark[0].startswith(b'"device'):
            devices = _devices_at(text, mark.end())
            continue
        start = text.rfind(b"{", max(0, mark.start() - REACH), mark.start())
        end = text.find(b"}", mark.end(), mark.end() + REACH) + 1
        # The name of an event stands before its arguments.
        named = text.rfind(b'"name"', max(0, start - REACH), max(0, start))
        name = _NAME.match(text, named) if named >= 0 else None
        if name is None or not start < end:
            continue
        try:
            spelled = msgspec.json.decode(name[1], type=str)
            if spelled not in names or spelled in found:
                continue
            args = _ARGS.decode(text[start:end])
        except MALFORMED:
            continue
        device = devices.get(args.device)
        if device is not None and device.warp == _WARP:
            found[spelled] = _occupancy(args, device)


def _devices_at(text: bytes, start: int) -> dict[int, _Device]:
    """The GPUs that a file lists, by id; none where it lists them otherwise."""
    try:
        listed = _DEVICES.decode(text[start : text.find(b"]", start) + 1])
    except MALFORMED:
        return {}
    return {device.id: device for device in listed}


def _occupancy(args: _Args, device: _Device) -> Occupancy:
    """How many warps of a kernel fit on a multiprocessor."""
    threads = max(1, args.block[0] * args.block[1] * args.block[2])
    warps = -(-threads // _WARP)
    # Each partition gives registers to whole warps.
    of_warp = -(-max(1, args.registers) * _WARP // _REGISTERS_AT_ONCE) * _REGISTERS_AT_ONCE
    by_registers = device.registers // _PARTITIONS // of_warp * _PARTITIONS // warps
    by_shared = device.shared // (args.shared + _RESERVED)
    blocks = min(_MOST_BLOCKS, device.threads // _WARP // warps, by_registers, by_shared)
    return Occupancy(
        threads=threads,
        registers=args.registers,
        shared_memory=args.shared,
        blocks=max(1, blocks),
        warps=max(1, blocks) * warps,
        most_warps=device.threads // _WARP,
        processors=max(1, device.processors),
    )
