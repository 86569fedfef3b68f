"""The records and columns that all other layers speak; standard library, numpy and msgspec only.

Words: a *kernel* is a definition in generated code; a *call* is one statement that launches work
and is what time belongs to; a *wrapper* is the name a call is written with; a *graph* is one piece
of generated code with a `call()`; an *invocation* is one execution of it; a *launch* is one GPU
activity; an *api call* is its host side; a *range* is a host interval.
"""

from kernelmap.model.compilations import CacheOutcome, Compilation, Emitted, FailedGuard, GraphBreak
from kernelmap.model.matching import Confidence, Matching, Method, Reason, RunnerUp
from kernelmap.model.notices import Notice
from kernelmap.model.program import (
    Artifact,
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    KernelDef,
    Occurrence,
    Operands,
    Origins,
    Specialization,
    Stage,
    WrapperCall,
)
from kernelmap.model.source import GraphText, SourceLine
from kernelmap.model.trace import (
    NONE,
    Activity,
    ApiCalls,
    CounterSamples,
    Device,
    Launches,
    Process,
    RangeDetail,
    RangeKind,
    Ranges,
    Step,
    Trace,
)

__all__ = [
    "NONE",
    "Activity",
    "ApiCalls",
    "Artifact",
    "Backend",
    "CacheOutcome",
    "Compilation",
    "CompiledGraph",
    "CompiledProgram",
    "Confidence",
    "CounterSamples",
    "Device",
    "Emitted",
    "FailedGuard",
    "FxNode",
    "GraphBreak",
    "GraphText",
    "KernelDef",
    "Launches",
    "Matching",
    "Method",
    "Notice",
    "Occurrence",
    "Operands",
    "Origins",
    "Process",
    "RangeDetail",
    "RangeKind",
    "Ranges",
    "Reason",
    "RunnerUp",
    "SourceLine",
    "Specialization",
    "Stage",
    "Step",
    "Trace",
    "WrapperCall",
]
