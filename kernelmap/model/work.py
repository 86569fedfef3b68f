"""The work of a call: the bytes it moves and the floating-point operations it computes.

Work is a property of the code: it says what one execution of a call must do, never how long that
took. What the code does not state is None, with the reason.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

_MOST_TENSORS = 12
"""Arguments that a text names; foreach operators and hostile files have hundreds. Chosen."""


class Precision(StrEnum):
    """How a stated number relates to the true one."""

    EXACT = "exact"
    AT_MOST = "at most"


class Amount(Struct, frozen=True):
    """A whole number that lies between `least` and `most`.

    >>> Amount(8, 8) + Amount(0, 4), Amount.exactly(3) * 4
    (Amount(least=8, most=12), Amount(least=12, most=12))
    """

    least: int
    most: int

    @classmethod
    def exactly(cls, number: int) -> Amount:
        """An amount without doubt."""
        return cls(number, number)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.least + other.least, self.most + other.most)

    def __mul__(self, factor: int) -> Amount:
        return Amount(self.least * factor, self.most * factor)

    @property
    def precision(self) -> Precision:
        """How `most`, the number that tables show, relates to the true one."""
        return Precision.EXACT if self.least == self.most else Precision.AT_MOST


class Operand(Struct, frozen=True, kw_only=True):
    """The bytes that one execution reads from a tensor or writes to it, by the wrapper's name."""

    name: str
    written: bool
    bytes: Amount


class Work(Struct, frozen=True, kw_only=True):
    """What one execution of a call does.

    `operands` has every tensor once that is read, and once that is written; None where the bytes of
    one are not known. `flops` are floating-point operations; a multiply-add is two. `model_flops`
    are those of products, convolutions and attention, 0 for a call that makes none, None where
    that is not known. `dtype` is torch's name of the type that the arithmetic runs in.
    `over_links`: links between devices bound it, not its memory. `reason` says why something is
    None.
    """

    operands: tuple[Operand, ...] | None = None
    flops: int | None = None
    model_flops: int | None = None
    dtype: str | None = None
    over_links: bool = False
    reason: str | None = None

    @property
    def bytes(self) -> Amount | None:
        """The bytes of all operands, None where they are not known."""
        if self.operands is None:
            return None
        return sum((operand.bytes for operand in self.operands), Amount.exactly(0))


class Intermediate(Struct, frozen=True, kw_only=True):
    """A value in memory that one generated kernel writes and later ones read.

    `writer` and the calls of `loads` are positions in `CompiledProgram.calls`. `stored` are the
    bytes that one execution of the writer stores, `loads` pairs each reader with the bytes that one
    execution of it loads. `kept` says what else needs the value in memory, None where nothing does:
    only then would a fusion save the store. `finishers` are those of the readers that only finish
    a reduction whose partial results the value holds. `refused` has the readers of which a log says
    why the scheduler did not fuse them with the writer, each with that reason.
    """

    name: str
    writer: int
    stored: int
    loads: tuple[tuple[int, int], ...]
    kept: str | None = None
    finishers: tuple[int, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()


class Copy(Struct, frozen=True, kw_only=True):
    """A call of a generated kernel or of a library that only copies one tensor to another.

    `call` is a position in `CompiledProgram.calls`, `elements` how many one execution copies.
    `dtypes` are torch's names of what it loads and what it stores, `reorders` says whether the
    elements come to lie in another order, or at other distances. `padding` counts the elements of
    a constant that it stores around them.
    """

    call: int
    source: str
    target: str
    elements: int
    dtypes: tuple[str, str]
    reorders: bool
    padding: int = 0


class Arguments(Struct, frozen=True, kw_only=True):
    """What a profile recorded of a call's arguments, by position.

    `sizes` are those of tensors, `numbers` whole numbers; None for an argument that is none.
    `dtypes` are in short, as in `bf16`, empty where none is stated.
    """

    sizes: tuple[tuple[int, ...] | None, ...]
    numbers: tuple[int | None, ...]
    dtypes: tuple[str, ...] = ()

    @property
    def tensors(self) -> str | None:
        """The tensors as the FX graph writes them: `bf16[32, 2880], i64[32]`; None without any.

        An argument without sizes is a number, a list or a tensor of one value, and left out.
        """
        dtypes = (*self.dtypes, *[""] * len(self.sizes))
        told = [
            f"{dtype}{list(size)}" for size, dtype in zip(self.sizes, dtypes, strict=False) if size
        ]
        more = [f"{len(told) - _MOST_TENSORS} more"] if len(told) > _MOST_TENSORS else []
        return ", ".join([*told[:_MOST_TENSORS], *more]) or None


class OpKind(StrEnum):
    """What a step of a kernel does."""

    LOAD = "load"
    COMPUTE = "compute"
    REDUCE = "reduce"
    STORE = "store"


class PhysicalOp(Struct, frozen=True, kw_only=True):
    """One step of a kernel: a load, an operation, a reduction or a store.

    `result` names the value that it makes, as the source does; a store makes none. `operands` are
    names of such values, or literals. `buffer` is the tensor that is loaded or stored, by the
    wrapper's name. `computed_before` is the position, in `CompiledProgram.calls`, of an earlier
    call that computes the same value from the same memory.
    """

    kind: OpKind
    operation: str
    result: str | None = None
    operands: tuple[str, ...] = ()
    buffer: str | None = None
    computed_before: int | None = None


class Repeated(Struct, frozen=True, kw_only=True):
    """Values that a call computes although an earlier call did, from the same memory.

    `call` and `before` are positions in `CompiledProgram.calls`, `operations` what is computed
    again, in order. `loads` pairs each tensor that the call reads for nothing else with the bytes
    that one execution reads of it.
    """

    call: int
    before: int
    operations: tuple[str, ...]
    loads: tuple[tuple[str, int], ...]


class Product(Struct, frozen=True, kw_only=True):
    """A call that multiplies matrices: `batch` pairs of rows x inner and inner x columns.

    `call` is a position in `CompiledProgram.calls`, `dtype` torch's name of the operands' type.
    `is_plain`: its code says that it multiplies float32 without tensor cores.
    `uneven` are operands and the result whose rows do not begin at multiples of 16 bytes, each with
    how many elements its rows lie apart.
    """

    call: int
    batch: int
    rows: int
    inner: int
    columns: int
    dtype: str | None
    uneven: tuple[tuple[str, int], ...] = ()
    is_plain: bool = False


PIECE = 64
"""Bytes that memory hands over at once, two sectors of 32: counters of an H100 show 134 million for
2.1 million elements that lie 128 bytes apart (sample_traces/cuda_reason_pairs)."""


class StridedOperand(Struct, frozen=True, kw_only=True):
    """A tensor of which a kernel's threads use only a part of every piece that they move.

    `used` are the bytes that one execution needs, `moved` those of the pieces that hold them,
    `distance` is how many bytes lie between the elements of neighbouring threads.
    """

    name: str
    written: bool
    used: int
    moved: int
    distance: int


class Strided(Struct, frozen=True, kw_only=True):
    """A call that moves at least twice the bytes that it uses.

    `call` is a position in `CompiledProgram.calls`, `operands` those that waste pieces.
    """

    call: int
    operands: tuple[StridedOperand, ...]

    @property
    def wasted(self) -> int:
        """The bytes that one execution moves and does not use, where no cache keeps them."""
        return sum(operand.moved - operand.used for operand in self.operands)


class CostlyFunctions(Struct, frozen=True, kw_only=True):
    """The functions of a call's kernel that are many instructions each, such as a sine.

    `call` is a position in `CompiledProgram.calls`. `functions` pairs each with how often one
    execution computes it, the most first, `instructions` are those of all its arithmetic.
    """

    call: int
    functions: tuple[tuple[str, int], ...]
    instructions: int


class Indirect(Struct, frozen=True, kw_only=True):
    """Single elements that a call reads or writes where data say.

    `call` is a position in `CompiledProgram.calls`, `elements` how many one execution reaches, of
    `itemsize` bytes. `is_atomic`: it adds to them, so that additions to one place take turns.
    """

    call: int
    name: str
    elements: int
    itemsize: int
    is_atomic: bool

    @property
    def wasted(self) -> int:
        """The bytes that one execution moves for nothing where all elements lie apart."""
        # An addition reads its place and writes it.
        ways = 2 if self.is_atomic else 1
        return ways * self.elements * max(0, PIECE - self.itemsize)


class UnevenRows(Struct, frozen=True, kw_only=True):
    """A kernel of whose bytes at least half lie in rows that do not begin at multiples of 16 bytes.

    `call` is a position in `CompiledProgram.calls`, `rows` pairs each such tensor with how many
    bytes its rows lie apart.
    """

    call: int
    rows: tuple[tuple[str, int], ...]


class Occupancy(Struct, frozen=True, kw_only=True):
    """How many of a kernel's `blocks` of `threads` a multiprocessor holds at once.

    `warps` are those of these blocks, of `most_warps` that it could hold. Each thread takes
    `registers`, each block `shared_memory` bytes. The device has so many `processors`.
    """

    threads: int
    registers: int
    shared_memory: int
    blocks: int
    warps: int
    most_warps: int
    processors: int

    def idle_share(self, grid: int) -> float:
        """The part of a launch in which multiprocessors have nothing left to do, at most.

        Blocks that find no place with the others run behind them. Where they are fewer than the
        multiprocessors, some have none, for as long as one block takes.

        >>> held = Occupancy(threads=512, registers=32, shared_memory=0, blocks=4, warps=64,
        ...                  most_warps=64, processors=132)
        >>> held.idle_share(528), round(held.idle_share(552), 3), held.idle_share(792)
        (0.0, 0.409, 0.0)
        """
        places = self.blocks * self.processors
        rounds, behind = -(-grid // places), grid % places
        if rounds <= 1 or not 0 < behind < self.processors:
            return 0.0
        return (1 - behind / self.processors) / rounds


class CodeEvidence(Struct, frozen=True, kw_only=True):
    """What the generated code says of why calls take their time.

    `processors` is how many multiprocessors the GPU has that it was compiled for, None where no
    kernel states it; where kernels differ, the fewest.
    """

    intermediates: tuple[Intermediate, ...] = ()
    copies: tuple[Copy, ...] = ()
    strided: tuple[Strided, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    products: tuple[Product, ...] = ()
    functions: tuple[CostlyFunctions, ...] = ()
    indirect: tuple[Indirect, ...] = ()
    uneven_rows: tuple[UnevenRows, ...] = ()
    processors: int | None = None
