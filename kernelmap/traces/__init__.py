"""Reads what the GPU did: files → Trace."""

from kernelmap.traces.cuda_graphs import is_captures, with_captures
from kernelmap.traces.load import READERS, Reader, is_trace, load_trace
from kernelmap.traces.python_frames import launch_lines, moment_lines

__all__ = [
    "READERS",
    "Reader",
    "is_captures",
    "is_trace",
    "launch_lines",
    "load_trace",
    "moment_lines",
    "with_captures",
]
