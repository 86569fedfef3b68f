"""Reads what the GPU did: files → Trace."""

from kernelmap.traces.cuda_graphs import is_captures, with_captures
from kernelmap.traces.load import READERS, Reader, is_trace, load_trace

__all__ = ["READERS", "Reader", "is_captures", "is_trace", "load_trace", "with_captures"]
