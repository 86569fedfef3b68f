"""A small world by hand: two graphs, five launches, and what each part said about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec.structs import asdict

from kernelmap.attribution.records import (
    Attribution,
    CallTime,
    GraphTime,
    KernelTime,
    LedgerRow,
    LineTime,
    ModuleTime,
    NodeTime,
    OpTime,
    Origin,
    OutsideOps,
)
from kernelmap.model import (
    NONE,
    Activity,
    ApiCalls,
    Backend,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Device,
    FxNode,
    KernelDef,
    Launches,
    Matching,
    Method,
    Process,
    RangeDetail,
    RangeKind,
    Ranges,
    Reason,
    SourceLine,
    Stage,
    Trace,
    WrapperCall,
)
from kernelmap.model.matching import LaunchPlaces
from kernelmap.tables.build import Tables, build_tables

EXACT, AMBIGUOUS, OUTSIDE = Confidence.EXACT, Confidence.AMBIGUOUS, Confidence.OUTSIDE


@dataclass(frozen=True, kw_only=True)
class World:
    program: CompiledProgram
    trace: Trace
    matching: Matching
    attribution: Attribution

    @property
    def tables(self) -> Tables:
        return build_tables(self.program, self.trace, self.matching, self.attribution)


def make_world() -> World:
    """The world; every call makes a new one."""
    return World(program=_program(), trace=_trace(), matching=_matching(), attribution=_split())


def _program() -> CompiledProgram:
    forward = CompiledGraph(
        id="0_forward",
        code="/home/someone/output_code.py",
        kind="forward",
        aot_id="0_forward",
        calls=(
            WrapperCall(
                index=0,
                wrapper="triton_poi_fused_add_0",
                backend=Backend.TRITON,
                category="poi",
                line=41,
                kernel="triton_poi_fused_add_0",
                nodes=("add",),
            ),
            WrapperCall(
                index=1,
                wrapper="extern_kernels.mm",
                backend=Backend.EXTERN,
                line=43,
                target="aten.mm",
            ),
        ),
        kernels=(
            KernelDef(
                name="triton_poi_fused_add_0",
                function="triton_poi_fused_add_0",
                backend=Backend.TRITON,
                first_line=10,
                last_line=30,
            ),
        ),
        nodes=(
            FxNode(
                name="add",
                stage=Stage.POST_GRAD,
                lines=(
                    SourceLine(file="train.py", line=9, code="loss = model(x)"),
                    SourceLine(file="model.py", line=7, code="return x + 1"),
                ),
            ),
        ),
    )
    backward = CompiledGraph(
        id="0_backward",
        calls=(
            WrapperCall(
                index=0, wrapper="triton_poi_fused_add_0", backend=Backend.TRITON, line=None
            ),
        ),
    )
    return CompiledProgram(graphs=(forward, backward))


def _ints(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


def _small(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.array(values, np.int8)


def _trace() -> Trace:
    nothing = _ints(*[NONE] * 5)
    none = _ints()
    launches = Launches(
        name_id=_ints(0, 1, 0, 2, 3),
        activity=_small(*[Activity.KERNEL] * 4, Activity.MEMCPY),
        start_ns=_ints(1_000, 1_100, 1_300, 1_400, 1_500),
        dur_ns=_ints(40, 100, 20, 30, 10),
        process=_ints(0, 0, 0, 0, 0),
        device=_ints(0, 0, 0, 0, 0),
        stream=_ints(7, 7, 7, 7, NONE),
        correlation=_ints(11, 12, 13, 14, NONE),
        external=nothing,
        graph=nothing,
        graph_node=nothing,
        grid=np.full((5, 3), NONE, np.int64),
        block=np.full((5, 3), NONE, np.int64),
        event=_ints(3, 5, 7, 9, 11),
        api=nothing,
        range=nothing,
        origin=nothing,
        names=("triton_poi_fused_add_0", "ampere_sgemm", "elementwise_kernel", "Memcpy HtoD"),
    )
    return Trace(
        launches=launches,
        apis=ApiCalls(none, none, none, none, none, none, none, none, none, none),
        ranges=Ranges(
            name_id=_ints(0),
            kind=_small(RangeKind.OP),
            start_ns=_ints(990),
            dur_ns=_ints(5),
            process=_ints(0),
            thread=_ints(1),
            external=_ints(NONE),
            sequence=_ints(NONE),
            event=_ints(2),
            parent=_ints(NONE),
            detail_id=_ints(0),
            names=("triton_poi_fused_add_0",),
            details=(RangeDetail(kernel_file="/cache/c1.py"),),
        ),
        processes=(Process(pid="4711", trace=0, rank=3),),
        devices=(Device(id=0, name="NVIDIA H200", trace=0),),
        origin_ns=900,
        sources=("/data/run/profile.json.gz",),
    )


def _matching() -> Matching:
    """Launch 2 may be the add of either graph, launch 3 ran eagerly, launch 4 is a copy."""
    return Matching(
        call=_ints(0, 1, NONE, NONE, NONE),
        invocation=_ints(0, 0, NONE, NONE, NONE),
        method=_small(Method.RANGE, Method.RANGE, Method.CANDIDATES, Method.NONE, Method.NONE),
        confidence=_small(EXACT, EXACT, AMBIGUOUS, OUTSIDE, OUTSIDE),
        reason=_small(Reason.NONE, Reason.NONE, Reason.SAME_NAME, Reason.EAGER, Reason.EAGER),
        call_range=_ints(0, NONE, NONE, NONE, NONE),
        candidate_start=_ints(0, 0, 0, 2, 2, 2),
        candidates=_ints(0, 2),
    )


def _split() -> Attribution:
    def op(name: str, time_ns: int, origin: Origin = Origin.COMPILED) -> OpTime:
        return OpTime(
            name=name,
            origin=origin,
            time_ns=time_ns,
            exclusive_ns=time_ns,
            involved_ns=time_ns,
            backward_ns=0,
            launches=1,
            calls=1,
        )

    def module(name: str, time_ns: int, origin: Origin) -> ModuleTime:
        return ModuleTime(
            **asdict(op(name, time_ns, origin)),
            total_ns=time_ns,
            total_exclusive_ns=time_ns,
            total_involved_ns=time_ns,
            total_backward_ns=0,
            total_launches=1,
            total_calls=1,
        )

    def row(bucket: str, activity: str, launches: int, time_ns: int) -> LedgerRow:
        return LedgerRow(
            bucket=bucket, activity=activity, side="gpu", launches=launches, time_ns=time_ns
        )

    return Attribution(
        side="gpu",
        counted=np.array([True, True, True, True, False]),
        step=_ints(5, 5, 5, 6, NONE),
        total_ns=190,
        busy_ns=190,
        calls=(
            CallTime(
                call=0, launches=1, time_ns=40, busy_ns=40, per_invocation_ns=_ints(10, 20, 60)
            ),
            CallTime(call=1, launches=1, time_ns=100, busy_ns=100, per_invocation_ns=_ints(100)),
            CallTime(call=2, launches=0, time_ns=0, busy_ns=0, per_invocation_ns=_ints()),
            CallTime(
                call=None,
                rest="(outside compiled code)",
                launches=1,
                time_ns=30,
                busy_ns=30,
                per_invocation_ns=_ints(),
            ),
            CallTime(
                call=None,
                rest="(ambiguous)",
                launches=1,
                time_ns=20,
                busy_ns=20,
                per_invocation_ns=_ints(),
            ),
        ),
        kernels=(
            KernelTime(
                wrapper="triton_poi_fused_add_0",
                device_name="triton_poi_fused_add_0",
                graph="0_forward",
                path=None,
                ops=("aten.add",),
                calls=1,
                launches=1,
                time_ns=40,
            ),
        ),
        ops=(
            op("aten.add", 40),
            op("aten.mul", 30, Origin.OUTSIDE),
            op("aten.mm", 100),
            op("(ambiguous)", 20, Origin.NONE),
        ),
        modules=(module("(no module)", 190, Origin.NONE),),
        nodes=(
            NodeTime(
                graph="0_forward",
                name="add",
                target="aten.add.Tensor",
                stage="post_grad",
                time_ns=40,
                involved_ns=40,
                calls=1,
            ),
        ),
        lines=(
            LineTime(
                file="model.py",
                line=7,
                code="return x + 1",
                time_ns=40,
                backward_ns=0,
                forward_ns=40,
                involved_ns=40,
                calls=1,
            ),
        ),
        graphs=(
            GraphTime(graph=0, invocations=1, time_ns=140, busy_ns=140),
            GraphTime(graph=1, invocations=0, time_ns=0, busy_ns=0),
            GraphTime(graph=None, rest="(no graph)", invocations=0, time_ns=50, busy_ns=50),
        ),
        ledger=(
            row("outside", "kernel", 1, 30),
            row("ambiguous", "kernel", 1, 20),
            row("exact", "kernel", 2, 140),
        ),
        call_ops=(("aten.add",), ("aten.mm",), ()),
        call_lines=((SourceLine(file="model.py", line=7),), (), ()),
        call_nodes=(("add",), (), ()),
        outside_op=OutsideOps(np.array([-1, -1, -1, 0, -1]), ("aten.mul",)),
        launch_places=LaunchPlaces.empty(5),
    )
