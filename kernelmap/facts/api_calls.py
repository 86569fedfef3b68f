"""What an api call does, by its name: of CUDA, HIP, SYCL's Unified Runtime and Level Zero.

Names end in what a version adds: `cudaLaunchKernel_v7000`, `cudaMemcpyAsync_ptsz`. Profiles of
Intel's devices hold two calls for a launch, `urEnqueueKernelLaunch` and inside it
`zeCommandListAppendLaunchKernel`. Each of them launches by its name; who counts launches takes the
outer one (matching/host_side/recording.py).

Many names contain the words of a launch and launch nothing: `cudaLaunchHostFunc` queues a function
of the host, `cudaGraphAddMemcpyNode` makes a node of a graph, `cudaFuncSetAttribute` prepares. So a
name has to begin like one of the calls that put work on a device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from kernelmap.model import Activity
from kernelmap.model.columns import by_name
from kernelmap.model.trace import ApiCalls

_LAUNCHING: tuple[tuple[Activity, re.Pattern[str]], ...] = (
    (
        Activity.GRAPH,
        re.compile(
            r"(?:cuda|cu|hip)GraphLaunch"
            r"|urEnqueueCommandBufferExp|urCommandBufferEnqueueExp"
            r"|zeCommandListImmediateAppendCommandLists"
        ),
    ),
    (
        Activity.KERNEL,
        re.compile(
            # hipExtLaunchMultiKernelMultiDevice, hipModuleLaunchCooperativeKernelMultiDevice
            r"(?:cuda|cu|hip)(?:Ext|Module|ExtModule|HccModule|Drv)?Launch(?:Cooperative|Multi)?Kernel"
            r"|(?:cuda|cu)Launch(?:Grid(?:Async)?)?(?:_|$)|hipLaunchByPtr"
            r"|(?:ur|pi|piext)Enqueue(?:Cooperative)?KernelLaunch"
            r"|zeCommandListAppendLaunch(?:Cooperative|Multiple)?Kernel"
        ),
    ),
    (
        Activity.MEMCPY,
        re.compile(
            r"(?:cuda|cu|hip)Memcpy"
            r"|urEnqueueUSMMemcpy|piextUSMEnqueueMemcpy"
            r"|(?:ur|pi)EnqueueMemBuffer(?:Copy|Read|Write)"
            r"|zeCommandListAppendMemoryCopy"
        ),
    ),
    (
        Activity.MEMSET,
        re.compile(
            r"(?:cuda|cu|hip)Memset"
            r"|urEnqueueUSMFill|piextUSMEnqueue(?:Fill|Memset)|(?:ur|pi)EnqueueMemBufferFill"
            r"|zeCommandListAppendMemoryFill"
        ),
    ),
)

# A copy blocks its thread unless it says Async; between devices, or within one, it does not.
# SYCL only queues: its copies are waited for by urEventWait and urQueueFinish.
_WAITS = re.compile(
    r"\w*Synchronize|(?:cuda|cu|hip)Memcpy(?!.*(?:Async|Peer|DtoD))"
    r"|(?:cuda|hip|cuMem)Free(?:_v\d+)?$"
    r"|urQueueFinish|urEventWait|piQueueFinish|piEventsWait"
)
_LOADS_CODE = re.compile(
    r"ModuleLoad|LibraryLoad|LinkCreate|LinkAddData|LinkComplete|GraphInstantiate|nvrtc|hiprtc"
    r"|urProgram(?:Build|Compile|Link|CreateWith)|piProgram(?:Build|Compile|Link|Create)"
    r"|zeModuleCreate"
)
_BEGINS_CAPTURE, _ENDS_CAPTURE = "StreamBeginCapture", "StreamEndCapture"
_READS = frozenset({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"})


@cache
def launched_activity(name: str) -> Activity | None:
    """What the api call `name` puts on a device: a kernel, copy, memset or graph; None for nothing.

    >>> launched_activity("hipExtLaunchMultiKernelMultiDevice").name
    'KERNEL'
    >>> launched_activity("cudaLaunchHostFunc"), launched_activity("cudaGraphAddMemcpyNode")
    (None, None)
    """
    return next((activity for activity, calls in _LAUNCHING if calls.match(name)), None)


def launched_activities(names: Iterable[str]) -> list[Activity | None]:
    """The answer of `launched_activity` for each name."""
    return [launched_activity(name) for name in names]


def is_graph_launch(name: str) -> bool:
    """Whether the api call `name` replays a graph that was recorded.

    >>> is_graph_launch("cudaGraphLaunch_v10000"), is_graph_launch("cudaGraphInstantiate")
    (True, False)
    """
    return launched_activity(name) is Activity.GRAPH


def waits_for_device(name: str) -> bool:
    """Whether the api call `name` blocks its thread until the device has come so far.

    >>> waits_for_device("cudaStreamSynchronize"), waits_for_device("cudaMemcpyAsync")
    (True, False)
    """
    return _WAITS.match(name) is not None


def loads_code(name: str) -> bool:
    """Whether the api call `name` loads or links code, or makes a graph ready to run.

    >>> loads_code("cuModuleLoadData"), loads_code("cuLaunchKernel")
    (True, False)
    """
    return _LOADS_CODE.search(name) is not None


def begins_capture(name: str) -> bool:
    """Whether the api call `name` begins to record a graph on a stream."""
    return _BEGINS_CAPTURE in name


def ends_capture(name: str) -> bool:
    """Whether the api call `name` ends the recording of a graph."""
    return _ENDS_CAPTURE in name


def records_graph(name: str) -> bool:
    """Whether the api call `name` belongs to the recording of a graph, which runs later.

    >>> records_graph("cudaStreamBeginCapture"), records_graph("cudaGraphInstantiate")
    (True, True)
    """
    return begins_capture(name) or ends_capture(name) or "GraphInstantiate" in name


def reads_device_value(operator: str) -> bool:
    """Whether an operator reads a value of the device into Python, as `.item()` does.

    >>> reads_device_value("aten::item"), reads_device_value("aten::add")
    (True, False)
    """
    return operator in _READS


def waits_at_the_end(calls: ApiCalls) -> bool:
    """Whether the host waited for the device after the last call that put work on it."""
    launches = by_name(calls.name_id, [launched_activity(name) is not None for name in calls.names])
    waits = by_name(calls.name_id, [waits_for_device(name) for name in calls.names])
    if not launches.any() or not waits.any():
        return False
    # A copy that blocks is both: it ends when the device is done.
    return int(calls.start_ns[waits].max()) >= int(calls.start_ns[launches].max())
