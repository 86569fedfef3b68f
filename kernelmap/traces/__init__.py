"""Reads what the GPU did: files → Trace.

In: Kineto and Perfetto traces; exports, reports and printed tables of Nsight Systems. Out:
launches, api calls and ranges as columns, linked to each other; and traces written anew.
"""

from kernelmap.traces.cuda_graphs import with_captures
from kernelmap.traces.formats import READERS, TraceReader, is_captures
from kernelmap.traces.load import is_trace, load_trace
from kernelmap.traces.python_frames import launch_places, moment_places
from kernelmap.traces.second_look_at_captures import captured_details

__all__ = [
    "READERS",
    "TraceReader",
    "captured_details",
    "is_captures",
    "is_trace",
    "launch_places",
    "load_trace",
    "moment_places",
    "with_captures",
]
