"""The wrapper's statements → the values that one generated kernel writes and later ones read.

Takes the code of a graph and the work of its calls; gives `Intermediate` records. A buffer is
memory that the code allocates, under all names that the code gives to it
(`reinterpret_tensor(…)  # reuse`); it holds one value after another. A kernel that overwrites all
of a buffer begins a value.

Only Triton kernels count as writers and readers: library calls, templates and kernels that a user
wrote cannot be fused by the compiler. A reader that also needs the result of such a call which
itself depends on the writer cannot be fused with the writer either: it only keeps the value.

Left out: values that several calls write in parts, and whatever stands in a branch or a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from kernelmap.compiler.python.source import dotted_name, names_in
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.model import Backend, CompiledGraph, Occurrence, WrapperCall
from kernelmap.model.work import Intermediate, Precision, Work
from kernelmap.speed.work.generated_code import CallStatement, GeneratedCode
from kernelmap.speed.work.tensors import GROUPED_CHECK

_CHECKS = ("assert_size_stride", GROUPED_CHECK, "assert_alignment")
_COMPOUND = (ast.If, ast.For, ast.While, ast.Try)
_RETURNED = "it is returned"


def find_intermediates(
    graph: CompiledGraph, code: GeneratedCode, works: Sequence[Work], first: int
) -> Iterator[Intermediate]:
    """The values that fusions could keep out of memory, in the order in which they are written.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    # The calls of the graph by their syntax node, to be found on the way.
    calls = {
        statement.call: call
        for call in graph.calls
        if (statement := code.statement_of(call)) is not None
    }
    wrapper = _Wrapper(graph, code, works, calls)
    wrapper.follow_statements(code.body)
    # Values that a generated kernel wrote whole and that another one read.
    for value in wrapper.values:
        if value.writer is not None and value.loads:
            yield Intermediate(
                name=value.name,
                writer=first + value.writer,
                stored=value.stored,
                loads=tuple((first + call, size) for call, size in value.loads.items()),
                kept=value.kept,
                refused=tuple(
                    (first + reader, reason)
                    for reader in value.loads
                    if (reason := _find_refusal(graph, value.name, works[reader])) is not None
                ),
            )


def _find_refusal(graph: CompiledGraph, name: str, reader: Work) -> str | None:
    """Why the scheduler did not fuse what writes `name` with the reader, by its last decision."""
    results = {operand.name for operand in reader.operands or () if operand.written}
    reasons = [
        pair.reason
        for pair in graph.not_fused
        if name in pair.first and not results.isdisjoint(pair.second)
    ]
    return reasons[-1] if reasons else None


class _Uses(Struct, eq=False):
    """Who writes and reads a value, as indices of calls; `writer` is None for no fusable kernel."""

    name: str = ""
    writer: int | None = None
    stored: int = 0
    loads: dict[int, int] = {}
    kept: str | None = None

    def note_first_keeper(self, reason: str) -> None:
        """Note the first use that needs the value in memory."""
        self.kept = self.kept or reason


class _BufferValue(Struct, eq=False):
    """What a buffer holds.

    `ancestors` are the calls that the value depends on, `barred` those of them with a call between
    that cannot be fused; both are sets of indices as bits of a number, so they grow with the graph
    and are kept no longer than the buffer.
    """

    uses: _Uses = field(default_factory=_Uses)
    ancestors: int = 0
    barred: int = 0


class _Buffer(Struct, eq=False):
    """Memory of `size` bytes (None: not known), and the value that it holds now."""

    size: int | None = None
    value: _BufferValue = field(default_factory=_BufferValue)


class _Wrapper(Struct):
    """One pass over the statements of a graph's functions; `buffers` has them by name."""

    graph: CompiledGraph
    code: GeneratedCode
    works: Sequence[Work]
    calls: Mapping[ast.Call, WrapperCall]
    values: list[_Uses] = []
    buffers: dict[str, _Buffer] = {}

    def follow_statements(self, body: Sequence[ast.stmt]) -> None:
        """Follow statements in order."""
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                self.buffers = {}  # its names are its own
                self.follow_statements(statement.body)
            elif isinstance(statement, ast.ClassDef | ast.With):
                self.follow_statements(statement.body)
            elif isinstance(statement, _COMPOUND):
                self._forget_names(statement, "a branch or a loop uses it")
            else:
                self._follow_simple(statement)

    def _follow_simple(self, statement: ast.stmt) -> None:
        # `del buf0` ends a name. The memory may live on under another one.
        if isinstance(statement, ast.Delete):
            for target in statement.targets:
                self.buffers.pop(dotted_name(target) or "", None)
            return
        calls = [made for made in self.code.calls_in.get(statement, ()) if made.call in self.calls]
        for made in calls:
            self._follow_call(self.calls[made.call], made)
        # A name for a value, or a statement that uses values in a way that no rule here knows.
        pair = split_assignment(statement)
        if pair is not None:
            self._follow_assignment(*pair, made=bool(calls))
        elif not calls and not _is_check(statement):
            reason = _RETURNED if isinstance(statement, ast.Return) else "other code uses it"
            self._keep_names(statement, reason)

    def _follow_assignment(self, name: str, value: ast.expr, *, made: bool) -> None:
        """A new name: of new memory, of a buffer that has one already, or of a call's result."""
        names = [used for used in names_in(value) if used in self.buffers]
        tensor = self.code.tensors.tensor_of(value)
        # Made of something that is followed, and no view of it: `item = buf0[0]`.
        if names and tensor is None and not isinstance(value, ast.Name):
            if not made:
                self._keep_names(value, "other code uses it")
            self.buffers.pop(name, None)
        # A view or another name: the same memory.
        elif names:
            self.buffers[name] = self.buffers[names[0]]
        # New memory: the name's own size where it is known, else that of the expression.
        elif isinstance(value, ast.Call) and tensor is not None:
            self.buffers[name] = _Buffer((self.code.tensors.by_name(name) or tensor).nbytes)
        elif not made:
            self.buffers.pop(name, None)

    def _follow_call(self, call: WrapperCall, statement: CallStatement) -> None:
        """A call reads the values of its operands, then writes new ones."""
        work, node, result = self.works[call.index], statement.call, statement.result
        # The buffers that the call is handed, by their names.
        names = list(dict.fromkeys(used for used in names_in(node) if used in self.buffers))
        operands = work.operands or ()
        read, written = _bytes_by_tensor(work, written=False), _bytes_by_tensor(work, written=True)
        # The values that the call depends on: those that it reads, and those of which the code does
        # not say whether it reads or writes them.
        inputs = [self.buffers[name].value for name in names if name in read or name not in written]
        # `buf1 = aten.sort(buf0)`: the call makes its results itself. All that it is handed has to
        # be in memory.
        if result is not None:
            self._keep_names(node, f"{self.graph.call_id(call)} ({call.wrapper}) reads it")
            self.buffers[result] = _Buffer()
            names = list(dict.fromkeys([*names, result]))
        # Sets of calls as bits. All that the inputs depend on, and this call itself.
        ancestors = 1 << call.index
        barred = 0
        for value in inputs:
            ancestors |= value.ancestors
            barred |= value.barred
        # First the call reads: each value that it is handed is loaded, or has to stay in memory.
        fusable = self._is_fusable(call) and work.operands is not None
        for name in names:
            uses = self.buffers[name].value.uses
            if not fusable or name not in read:
                if name in read or name not in written:
                    uses.note_first_keeper(f"{self.graph.call_id(call)} ({call.wrapper}) reads it")
            # Both kernels could be one, unless a call that cannot be fused stands between: a sum, a
            # product of it by a library, and a kernel that needs both.
            elif uses.writer is not None and not barred >> uses.writer & 1:
                uses.loads[call.index] = uses.loads.get(call.index, 0) + read[name]
            else:
                uses.note_first_keeper(f"{self.graph.call_id(call)} reads it after a call between")
        # Then it writes. A new value begins where all of the buffer is known to be overwritten.
        exact = all(operand.bytes.precision is Precision.EXACT for operand in operands)
        for name in names:
            if name in written or name == result or work.operands is None:
                buffer = self.buffers[name]
                whole = exact and buffer.size is not None and written.get(name, 0) >= buffer.size
                if not whole:
                    buffer.value.uses.note_first_keeper("only a part of it is overwritten")
                uses = _Uses(
                    name=name,
                    writer=call.index if fusable and whole else None,
                    stored=written.get(name, 0),
                )
                # Written in part, the buffer still depends on what made the rest of it.
                before = _BufferValue() if whole else buffer.value
                buffer.value = _BufferValue(
                    uses=uses,
                    ancestors=ancestors | before.ancestors,
                    barred=(barred if fusable else ancestors) | before.barred,
                )
                self.values.append(uses)

    def _is_fusable(self, call: WrapperCall) -> bool:
        """Whether the compiler wrote the kernel, and its threads need not wait for one another."""
        if call.backend is not Backend.TRITON or call.occurrence is not Occurrence.ONCE:
            return False
        # Atomic additions are complete only when all blocks are done, so nothing can be fused
        # behind them.
        return call.kernel in self.code.functions and call.kernel not in self.code.atomic

    def _keep_names(self, node: ast.AST, reason: str) -> None:
        for name in names_in(node):
            if name in self.buffers:
                self.buffers[name].value.uses.note_first_keeper(reason)

    def _forget_names(self, statement: ast.stmt, reason: str) -> None:
        """What runs once, never or often: nothing is known of the buffers that it names."""
        self._keep_names(statement, reason)
        # Other names of the same memory hold an unknown value from here on.
        for name in names_in(statement):
            if name in self.buffers:
                self.buffers[name].value = _BufferValue()
                del self.buffers[name]


def _bytes_by_tensor(work: Work, *, written: bool) -> dict[str, int]:
    """The bytes that a call reads from each tensor, or writes to it; at most."""
    sizes: dict[str, int] = {}
    for operand in work.operands or ():
        if operand.written is written:
            sizes[operand.name] = sizes.get(operand.name, 0) + operand.bytes.most
    return sizes


def _is_check(statement: ast.stmt) -> bool:
    """Whether a statement only checks a tensor, or is none that runs anything."""
    if isinstance(statement, ast.Assert):
        return True
    value = statement.value if isinstance(statement, ast.Expr) else None
    name = dotted_name(value.func) if isinstance(value, ast.Call) else None
    return (name or "").rpartition(".")[2] in _CHECKS
