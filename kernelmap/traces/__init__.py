"""Reads what the GPU did: files → Trace."""

from kernelmap.traces.load import READERS, Reader, is_trace, load_trace

__all__ = ["READERS", "Reader", "is_trace", "load_trace"]
