"""Values that one kernel writes and another reads: which ones, their bytes, and what keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.model.work import Intermediate
from kernelmap.speed.work import evidence_of_code, works_of_calls
from speed.work.wrapper_code import (
    BYTES,
    adding,
    allocated,
    kernel,
    loaded,
    module,
    product,
    reused,
    run,
)

DEFINITIONS = adding(1) + adding(2)
ATOMIC = kernel(
    "scatter",
    "tmp = tl.load(in_ptr0 + (x0), xmask)\ntl.atomic_add(out_ptr0 + (x0), tmp, xmask)",
    in_ptr0="fp32",
    out_ptr0="fp32",
)
WRITE = (allocated("buf0"), run("add_1", "arg0_1", "buf0"), allocated("buf1"))
ADD = run("add_1", "buf0", "buf1")


def of_code(folder: Path, *lines: str, definitions: str = DEFINITIONS) -> tuple[Intermediate, ...]:
    program = loaded(folder, module(definitions, *lines))
    return evidence_of_code(program, works_of_calls(program)).intermediates


def test_a_pair_that_could_be_fused_saves_store_and_load(tmp_path: Path) -> None:
    """The second kernel alone reads what the first one wrote."""
    (value,) = of_code(tmp_path, *WRITE, ADD, "return (buf1, )")

    assert value == Intermediate(name="buf0", writer=0, stored=BYTES, loads=((1, BYTES),))


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ((ADD, "return (buf0, buf1, )"), "returned"),
        ((ADD, "return (reinterpret_tensor(buf0, (128, ), (1, ), 0), buf1, )"), "returned"),
        ((ADD, allocated("buf2"), product("buf0", "buf2"), "return (buf1, )"), "mm"),
        ((ADD, "torch.ops.mine.log.default(buf0)", "return (buf1, )"), "mine.log"),
        ((ADD, "print(buf0)", "return (buf1, )"), "other code"),
        ((ADD, "if arg0_1:", "    print(buf0)", "return (buf1, )"), "branch"),
    ],
)
def test_another_use_keeps_the_store(lines: tuple[str, ...], kept: str, tmp_path: Path) -> None:
    """Outputs, library calls and other code need the value in memory; the load is saved still."""
    (value,) = of_code(tmp_path, *WRITE, *lines)

    assert value.loads == ((1, BYTES),)
    assert kept in (value.kept or "")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((run("scatter", "arg0_1", "buf0"),), id="atomic"),
        pytest.param(("while arg0_1:", f"    {ADD}"), id="loop"),
        pytest.param(("buf0.copy_(arg0_1)", ADD), id="overwritten by a library"),
        pytest.param((product("arg0_1", "buf0"), ADD), id="written by a library"),
        pytest.param(("torch.ops.mine.fill_.default(buf0)", ADD), id="perhaps overwritten"),
        pytest.param((run("add_1", "arg0_1", "buf0"), "del buf0"), id="never read"),
        pytest.param((allocated("buf0"), ADD), id="another buffer of that name"),
    ],
)
def test_no_kernel_reads_what_a_kernel_wrote(lines: tuple[str, ...], tmp_path: Path) -> None:
    """Nothing is claimed where reader or writer is no plain kernel, or the value another one."""
    assert not of_code(tmp_path, *WRITE, *lines, definitions=DEFINITIONS + ATOMIC)


def test_names_of_functions_are_their_own(tmp_path: Path) -> None:
    """Two partitions that use one name for two buffers share nothing."""
    text = module(DEFINITIONS, *WRITE, "return (buf0, )").replace("def call", "def partition_0")
    text += module("", allocated("buf1"), run("add_1", "buf0", "buf1"), "return (buf1, )")
    text = text.replace("arg0_1, = args\n", "arg0_1, = args\n    partition_0(args)\n")
    program = loaded(tmp_path, text)

    assert not evidence_of_code(program, works_of_calls(program)).intermediates


@dataclass(frozen=True)
class Step:
    """A call that reads buffers by their numbers (-1: the input) and writes that of its own."""

    reads: tuple[int, ...]
    library: bool
    reuses: bool


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[Step], set[int]]:
    """Calls in order, each of which reads what earlier ones wrote, and the returned buffers."""
    steps: list[Step] = []
    for at in range(draw(st.integers(2, 8))):
        library = draw(st.sampled_from([False, False, True]))
        some = st.integers(max(-1, at - 3), at - 1)
        reads = draw(st.lists(some, min_size=1, max_size=1 if library else 2, unique=True))
        steps.append(Step(tuple(reads), library, draw(st.booleans())))
    return steps, draw(st.sets(st.integers(0, len(steps) - 1), min_size=1, max_size=2))


def code_of(steps: list[Step], returned: set[int]) -> str:
    lines = []
    free: list[int] = []
    for at, step in enumerate(steps):
        reuse = step.reuses and bool(free)
        lines.append(reused(f"buf{at}", f"buf{free.pop()}") if reuse else allocated(f"buf{at}"))
        names = ["arg0_1" if read < 0 else f"buf{read}" for read in step.reads]
        target = f"buf{at}"
        launch = run(f"add_{len(names)}", *names, target)
        lines.append(product(names[0], target) if step.library else launch)
        later = {read for after in steps[at + 1 :] for read in after.reads} | returned
        free += [read for read in step.reads if read >= 0 and read not in later]
    return module(DEFINITIONS, *lines, f"return ({', '.join(f'buf{n}' for n in returned)}, )")


def between(steps: list[Step], writer: int, reader: int) -> bool:
    """Whether the reader needs something that a library call made of what the writer wrote."""

    def depends(at: int, *, through_library: bool) -> bool:
        if at < 0:
            return False
        if at == writer:
            return through_library
        passed = through_library or steps[at].library
        return any(depends(read, through_library=passed) for read in steps[at].reads)

    return any(depends(read, through_library=False) for read in steps[reader].reads)


@settings(max_examples=examples(250))
@given(programs())
@example(
    (
        [
            Step((-1,), library=False, reuses=False),
            Step((0,), library=True, reuses=False),
            Step((1,), library=True, reuses=False),
            Step((0,), library=False, reuses=True),  # in memory that a library call wrote
        ],
        {0},
    )
)
def test_every_value_between_kernels_counts_once(
    tmp_path_factory: pytest.TempPathFactory, world: tuple[list[Step], set[int]]
) -> None:
    """Readers are the kernels that need no library call in between; any other use keeps it."""
    steps, returned = world
    expected = []
    for writer, step in enumerate(steps):
        readers = [at for at, other in enumerate(steps) if writer in other.reads]
        fused = [at for at in readers if not steps[at].library and not between(steps, writer, at)]
        if fused and not step.library:
            kept = writer in returned or fused != readers
            expected.append((writer, [(at, BYTES) for at in fused], kept))
    program = loaded(tmp_path_factory.mktemp("code"), code_of(steps, returned))
    values = evidence_of_code(program, works_of_calls(program)).intermediates

    assert [(value.writer, list(value.loads), value.kept is not None) for value in values] == (
        expected
    )
    assert all(value.stored == BYTES for value in values)
