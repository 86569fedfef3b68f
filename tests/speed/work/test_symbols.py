"""Code of symbolic sizes: with the sizes of a run it is counted like code of static shapes.

generated/dynamic.json.gz is what `scripts/fake_gpu/generate.py dynamic` wrote: the MLP of
sample_traces/sim_mlp_train, compiled for any batch and length.
"""

from __future__ import annotations

import ast
import gzip
import json
from pathlib import Path

import pytest

import kernelmap
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.model.work import Amount, Arguments, Precision, Work
from kernelmap.speed.work import symbolic_graphs, work_and_evidence, works_of_calls
from kernelmap.speed.work.generated_code import read_code
from kernelmap.speed.work.symbols import fold_sizes, solve_sizes
from worlds import World, simulate

GENERATED = Path(__file__).parent / "generated" / "dynamic.json.gz"
BATCH, LENGTH = "s77", "s27"


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dynamic")
    for name, text in json.loads(gzip.decompress(GENERATED.read_bytes())).items():
        (folder / name).mkdir()
        (folder / name / "output_code.py").write_text(text)
    return folder


def arguments(
    program: CompiledProgram, graph: int, batch: int, length: int
) -> dict[int, Arguments]:
    """What a profile records of the launches of Triton kernels, worked out from the code."""
    code = read_code(program.graphs[graph])
    assert code is not None
    named = {BATCH: batch, LENGTH: length}
    shapes: dict[str, tuple[int, ...]] = {}

    def number(node: ast.expr) -> int | None:
        value = fold_sizes(node, named)
        number = value.value if isinstance(value, ast.Constant) else None
        return number if isinstance(number, int) else None

    for node in ast.walk(ast.Module(list(code.body), [])):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = number(node.value)
            if value is not None:
                named.setdefault(node.targets[0].id, value)
        match node:
            case ast.Call(
                func=ast.Name(id="assert_size_stride"), args=[ast.Name(id=name), shape, *_]
            ):
                sizes = [number(size) for size in getattr(shape, "elts", ())]
                shapes[name] = tuple(size for size in sizes if size is not None)
    recorded = {}
    for call in program.graphs[graph].calls:
        made = code.statement_of(call)
        if call.kernel is not None and made is not None:
            recorded[call.index] = Arguments(
                sizes=tuple(shapes.get(getattr(node, "id", "")) for node in made.call.args),
                numbers=tuple(map(number, made.call.args)),
            )
    return recorded


def test_a_run_with_the_sizes_of_the_static_code_does_its_work(
    dynamic: Path, samples: Path
) -> None:
    """Products of 8 x 128 rows do the work that the static code states, operand by operand."""
    program, static = load_compiled(dynamic), load_compiled(samples / "sim_mlp_train")
    runs = {graph: [arguments(program, graph, 8, 128)] for graph in symbolic_graphs(program)}
    stated_works, _ = work_and_evidence(program, runs)

    def products(of: CompiledProgram, all_works: tuple[Work, ...]) -> list[tuple[object, ...]]:
        pairs = zip(of.calls, all_works, strict=True)
        return sorted((c.target, w.bytes, w.flops) for (_, c), w in pairs if w.flops and c.target)

    assert len(runs) == 2
    assert products(program, stated_works) == products(static, works_of_calls(static))
    assert all(work.bytes is not None for work in stated_works)


def pointwise(dynamic: Path, *sizes: tuple[int, int]) -> Work:
    """The work of the kernel of the activation, in runs of these batches and lengths."""
    program = load_compiled(dynamic)
    (graph,) = (at for at in symbolic_graphs(program) if program.graphs[at].kind == "forward")
    gelu = next(call for call in program.graphs[graph].calls if "gelu" in call.wrapper)
    runs = {graph: [arguments(program, graph, *of_run) for of_run in sizes]}
    stated_works, _ = work_and_evidence(program, runs)
    return stated_works[program.first_call[graph] + gelu.index]


@pytest.mark.parametrize("sizes", [(1, 2), (3, 5), (8, 128), (64, 4096)])
def test_bytes_grow_with_the_sizes(dynamic: Path, sizes: tuple[int, int]) -> None:
    """Every element of an elementwise kernel moves once in and once out."""
    assert pointwise(dynamic, sizes).bytes == Amount.exactly(sizes[0] * sizes[1] * 1024 * 4 * 2)


def test_runs_of_several_sizes_have_a_bound(dynamic: Path) -> None:
    """Between the bytes of the smallest run and those of the largest, and it says so."""
    one, other = (pointwise(dynamic, sizes).bytes for sizes in ((2, 8), (4, 64)))
    both = pointwise(dynamic, (2, 8), (4, 64), (2, 8))
    assert one is not None
    assert other is not None

    assert both.bytes == Amount(one.least, other.most)
    assert both.bytes.precision is Precision.AT_MOST
    assert "differ from run to run" in (both.reason or "")


def test_without_arguments_the_reason_names_the_symbols(dynamic: Path) -> None:
    """No number stands in for a size that nobody stated."""
    reasons = {work.reason for work in works_of_calls(load_compiled(dynamic)) if work.bytes is None}

    assert len(reasons) == 1
    assert "s27, s77" in str(reasons)
    assert "record_shapes=True" in str(reasons)


def test_contradictions_solve_nothing(dynamic: Path) -> None:
    """Two calls of one run that state different sizes of one symbol."""
    program = load_compiled(dynamic)
    (graph, _) = symbolic_graphs(program)
    code = read_code(program.graphs[graph])
    assert code is not None
    run, other = (arguments(program, graph, batch, 128) for batch in (8, 9))

    assert solve_sizes(program.graphs[graph], code, run) == {BATCH: 8, LENGTH: 128}
    last = max(run)
    assert solve_sizes(program.graphs[graph], code, {**run, last: other[last]}) is None


def test_a_profile_with_shapes_states_the_sizes(dynamic: Path, tmp_path: Path) -> None:
    """The shapes that the profiler wrote beside launch ranges are read in a second pass."""
    program = load_compiled(dynamic)
    profile = tmp_path / "profile.json"
    simulated = simulate(program, World(seed=1, invocations=3, eager=0, autotune=False))
    graphs = {graph.id: at for at, graph in enumerate(program.graphs)}
    stated = {
        call.wrapper: recorded[call.index]
        for at in graphs.values()
        for recorded in [arguments(program, at, 8, 128)]
        for call in program.graphs[at].calls
        if call.index in recorded
    }
    for event in simulated.events:
        of_call, args = stated.get(str(event.get("name"))), event.get("args")
        if of_call is not None and event["cat"] == "cpu_op" and isinstance(args, dict):
            args["Input Dims"] = [list(size or ()) for size in of_call.sizes]
            args["Concrete Inputs"] = ["" if n is None else str(n) for n in of_call.numbers]
    simulated.write_kineto(profile)
    calls = kernelmap.correlate(dynamic, profile).roofline().calls
    with_call = calls[calls["call"].notna()]

    assert with_call["bytes"].notna().all()
    assert with_call["reason"].isna().all()
