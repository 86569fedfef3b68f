"""Tiny worlds: a graph and the trace of its runs in a few lines.

    add = graph("0_forward", "triton_poi_fused_add_0", "aten.mm")
    world = Timeline().invoke(add).eager("aten::add").trace()

A name with a dot is an operator and a library call; any other is a Triton kernel. Every call
launches one kernel of 100 ns unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.model import (
    NONE,
    Backend,
    CompiledGraph,
    CompiledProgram,
    KernelDef,
    Occurrence,
    Origins,
    RangeDetail,
    RangeKind,
    Trace,
    WrapperCall,
)
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace


def graph(
    name: str,
    *symbols: str,
    hashes: dict[str, str] | None = None,
    occurrence: dict[str, Occurrence] | None = None,
    cache_key: str | None = None,
    compile_id: str | None = None,
) -> CompiledGraph:
    """A graph that calls `symbols` in order."""
    hashes, occurrence = hashes or {}, occurrence or {}
    kernels = tuple(
        KernelDef(
            name=symbol,
            function=symbol,
            backend=Backend.TRITON,
            first_line=1,
            last_line=2,
            path=f"/cache/{hashes[symbol]}.py" if symbol in hashes else None,
        )
        for symbol in dict.fromkeys(symbols)
        if "." not in symbol
    )
    calls = tuple(
        call(index, symbol, occurrence.get(symbol, Occurrence.ONCE))
        for index, symbol in enumerate(symbols)
    )
    kind = name.rpartition("_")[2]
    return CompiledGraph(
        id=name,
        calls=calls,
        kernels=kernels,
        kind=kind,
        code=f"{name}.py",
        cache_key=cache_key,
        compile_id=compile_id,
    )


def call(index: int, symbol: str, occurrence: Occurrence = Occurrence.ONCE) -> WrapperCall:
    """A statement that runs `symbol`."""
    if "." in symbol:
        return WrapperCall(
            index=index,
            wrapper=f"extern_kernels.{symbol.partition('.')[2]}",
            backend=Backend.EXTERN,
            line=10 + index,
            target=symbol,
            occurrence=occurrence,
            origins=Origins(nodes=("x",), aten=("aten.t", symbol), ordered=True),
        )
    return WrapperCall(
        index=index,
        wrapper=symbol,
        backend=Backend.TRITON,
        line=10 + index,
        kernel=symbol,
        occurrence=occurrence,
        origins=Origins(nodes=("y",), aten=("aten.add", "aten.mul", "aten.view"), ordered=True),
    )


def program(*graphs: CompiledGraph) -> CompiledProgram:
    """All graphs of a world."""
    return CompiledProgram(graphs=graphs)


class Timeline:
    """Host events one after the other, each with its launches."""

    def __init__(self, *, thread: int = 1, pid: str = "1") -> None:
        self.rows: list[TraceRow] = []
        self.thread, self.pid = thread, pid
        self.now, self.gpu, self.correlation = 1_000, 1_000, 0

    def invoke(
        self,
        run: CompiledGraph | Sequence[str],
        *,
        key: str | None = "fkey",
        marked: bool = True,
        skip: Sequence[int] = (),
        kwargs: str | None = None,
    ) -> Timeline:
        """One run of a graph (or of bare symbols); `skip` leaves out the ranges at these places."""
        symbols = run if not isinstance(run, CompiledGraph) else _symbols(run)
        paths = {k.name: k.path for k in run.kernels} if isinstance(run, CompiledGraph) else {}
        at, begin = len(self.rows), self.now
        self.now += 10
        for place, symbol in enumerate(symbols):
            self.run(symbol, ranged=place not in skip, path=paths.get(symbol), kwargs=kwargs)
        self.now += 10
        if marked:
            self.range_since(
                f"## Call CompiledFxGraph {key} ##", begin, RangeKind.ANNOTATION, at=at
            )
        return self

    def run(
        self,
        symbol: str,
        *,
        ranged: bool = True,
        path: str | None = None,
        kwargs: str | None = None,
    ) -> Timeline:
        """One call-like range with one launch below it."""
        operator = "." in symbol
        name = symbol.replace(".", "::", 1)
        at, begin = len(self.rows), self.now
        self.now += 5
        self.launch("sgemm" if operator else symbol)
        self.now += 5
        if ranged:
            detail = None
            if path or kwargs:
                stem = path.rpartition("/")[2].removesuffix(".py") if path else None
                detail = RangeDetail(
                    kernel_file=path, kernel_hash=stem, kernel_kwargs=kwargs, backend="triton"
                )
            self.range_since(name, begin, RangeKind.OP, at=at, detail=detail)
        return self

    def eager(self, operator: str, *, launches: int = 1) -> Timeline:
        """An operator outside of compiled code."""
        at, begin = len(self.rows), self.now
        self.now += 5
        for _ in range(launches):
            self.launch("elementwise_kernel")
        self.now += 5
        self.range_since(operator, begin, RangeKind.OP, at=at)
        return self

    def launch(
        self, name: str, *, dur_ns: int = 100, api: str | None = "cuLaunchKernel", count: int = 1
    ) -> Timeline:
        """`count` kernels of one api call; `api` None for a launch without a host side."""
        self.correlation += 1
        if api:
            self.rows.append(
                ApiRow(
                    api,
                    self.now,
                    self.now + 2,
                    correlation=self.correlation,
                    thread=self.thread,
                    pid=self.pid,
                )
            )
        self.now += 3
        for _ in range(count):
            self.gpu = max(self.gpu, self.now)
            correlation = self.correlation if api else NONE
            self.rows.append(LaunchRow(name, self.gpu, self.gpu + dur_ns, correlation=correlation))
            self.gpu += dur_ns
        return self

    def enclose(self, name: str, begin: int, *, sequence: int = NONE) -> Timeline:
        """A range around everything since `begin`, a time that `now` had."""
        self.range_since(name, begin - 1, RangeKind.OP, at=0, sequence=sequence)
        return self

    def trace(self, *others: Timeline) -> Trace:
        """The linked trace of this and other threads."""
        return assemble_trace(
            raw_trace([row for timeline in (self, *others) for row in timeline.rows])
        )

    def range_since(
        self,
        name: str,
        begin: int,
        kind: RangeKind,
        *,
        at: int,
        detail: RangeDetail | None = None,
        sequence: int = NONE,
    ) -> None:
        """A range that began at `begin` and ends now, as row `at`: around all rows behind it."""
        row = RangeRow(
            name,
            begin,
            self.now,
            thread=self.thread,
            kind=kind,
            detail=detail,
            pid=self.pid,
            sequence=sequence,
        )
        self.rows.insert(at, row)
        self.now += 1


def _symbols(run: CompiledGraph) -> list[str]:
    return [call.target or call.wrapper for call in run.calls]
