"""What single statements of a wrapper do to memory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from compiler.generated import program, triton, wrapper
from kernelmap.compiler import load_compiled
from kernelmap.memory import memory_of_program
from kernelmap.model.memory import GraphMemory, MemoryKind

ROOT = Path(__file__).resolve().parents[1]
PAIRS: dict[str, list[list[str]]] = json.loads(
    gzip.decompress((ROOT / "speed" / "work" / "generated" / "wrappers.json.gz").read_bytes())
)
POI = "triton_poi_fused_add_0"
KIB = 1024


def empty(name: str, size: int = 256, device: str = "cuda") -> str:
    """A buffer of `size` float32."""
    return f"{name} = empty_strided_{device}(({size}, ), (1, ), torch.float32)"


def memory_of(
    tmp_path: Path,
    *lines: str,
    functions: str = "",
    aot: str = "0_inference",
    example: str = "",
    sizes: dict[str, int] | None = None,
    as_allocated: bool = False,
) -> GraphMemory:
    """The memory of a graph with these statements; `example` are those of `get_args`."""
    text = wrapper(triton(POI), body="\n".join(lines), functions=functions, aot=aot)
    if example:
        text += f"\n\ndef get_args():\n    {example}\n"
    (memory,) = memory_of_program(program(tmp_path, text), sizes, as_allocated=as_allocated)
    return memory


def spans(memory: GraphMemory) -> dict[str, tuple[int, int | None]]:
    """Each buffer with the line of the code that made it, and the one that freed it."""
    return {
        buffer.name: (
            memory.steps[buffer.born].line or 0,
            None if buffer.freed is None else memory.steps[buffer.freed].line,
        )
        for buffer in memory.buffers
    }


def test_del_frees_what_no_view_holds(tmp_path: Path) -> None:
    """A view is no new memory, and keeps the memory of what it views alive."""
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        "buf1 = reinterpret_tensor(buf0, (16, 16), (16, 1), 0)",
        "del buf0",
        empty("buf2"),
        "del buf1",
        "return (buf2, )",
    )

    assert [one.name for one in memory.buffers] == ["buf0", "buf2"]
    assert memory.bytes_after.tolist() == [0, KIB, 2 * KIB, KIB]


def test_reuse_keeps_the_memory_and_changes_the_holder(tmp_path: Path) -> None:
    """`buf1 = buf0; del buf0  # reuse`: bytes stay as they are, and nothing counts twice."""
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        f"{POI}.run(buf0, 256, stream=stream0)",
        "buf1 = reinterpret_tensor(buf0, (16, 16), (16, 1), 0); del buf0  # reuse",
        f"{POI}.run(buf1, 256, stream=stream0)",
        "return (buf1, )",
    )
    before, after = memory.buffers

    assert memory.bytes_after.tolist() == [0, KIB, KIB, KIB, KIB]
    assert (before.name, before.made_by, before.last_use) == ("buf0", 0, 0)
    assert (after.name, after.made_by, after.last_use) == ("buf1", 1, 1)
    assert (after.reuses, after.storage, after.shape) == (0, before.storage, (16, 16))
    assert after.kind is MemoryKind.OUTPUT


def test_memory_of_a_call_is_there_since_the_call(tmp_path: Path) -> None:
    """Its results show as the code uses them: one tensor, or several items, each with its size."""
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        "buf1 = torch.ops.aten.sort.stable(buf0, stable=False)",
        "buf2 = buf1[0]",
        "assert_size_stride(buf2, (256, ), (1, ))",
        "buf3 = buf1[1]",
        "assert_size_stride(buf3, (256, ), (1, ))",
        "del buf1",
        "del buf2",
        "return (buf3, )",
    )
    sizes = {buffer.name: (buffer.nbytes, buffer.dtype) for buffer in memory.buffers}

    assert sizes["buf2"] == (KIB, "float32")
    assert sizes["buf3"] == (2 * KIB, "int64")
    assert {one.born for one in memory.buffers if one.name in ("buf2", "buf3")} == {2}
    assert memory.bytes_after.tolist() == [0, KIB, 4 * KIB, 3 * KIB, 2 * KIB]


def test_results_that_the_code_never_takes_are_there_until_it_lets_go_of_all(
    tmp_path: Path,
) -> None:
    """Indices of a sort, and the logsumexp of an attention, live as long as the call's result."""
    memory = memory_of(
        tmp_path,
        "buf0 = empty_strided_cuda((2, 8, 64, 32), (16384, 2048, 32, 1), torch.float16)",
        "buf1 = torch.ops.aten._scaled_dot_product_flash_attention.default(buf0, buf0, buf0)",
        "buf2 = buf1[0]",
        "assert_size_stride(buf2, (2, 8, 64, 32), (16384, 2048, 32, 1))",
        "del buf1",
        empty("buf3"),
        "buf4 = torch.ops.aten.sort.stable(buf3, stable=False)",
        "buf5 = buf4[1]",
        "assert_size_stride(buf5, (256, ), (1, ))",
        "del buf4",
        "return (buf2, buf5, )",
    )
    spare = {one.name: (one.nbytes, one.dtype) for one in memory.buffers if "[" in one.name}

    assert spare == {"buf1[1]": (4 * 2 * 8 * 64, "float32"), "buf4[0]": (KIB, "float32")}
    assert [memory.steps[one.freed or 0].code for one in memory.buffers if "[" in one.name] == [
        "del buf1",
        "del buf4",
    ]


def test_what_is_returned_stays_and_the_rest_goes_with_the_function(tmp_path: Path) -> None:
    """Names end with the function, so only results are left when it is done."""
    memory = memory_of(tmp_path, empty("buf0"), empty("buf1"), "return (buf1, )")

    assert spans(memory)["buf0"][1] is not None
    assert [one.name for one, _ in memory.alive_after(len(memory.steps) - 1)] == ["buf1"]
    assert memory.returned == (1,)


EXAMPLE = "primals_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)"


@pytest.mark.parametrize(("aot", "left"), [("0_forward", KIB), ("0_backward", 0)])
def test_letting_go_of_an_input_frees_what_only_the_wrapper_holds(
    tmp_path: Path, aot: str, left: int
) -> None:
    """A forward's inputs are the caller's; what was saved for a backward goes with its name."""
    example = EXAMPLE.replace("primals_1", "mul")
    memory = memory_of(
        tmp_path,
        "mul, = args",
        "args.clear()",
        f"{POI}.run(mul, 256, stream=stream0)",
        "del mul",
        "return (None, )",
        aot=aot,
        example=example,
    )
    (given,) = memory.buffers

    assert (memory.bytes_after[0], memory.bytes_after[-1]) == (KIB, left)
    assert given.let_go is not None
    assert memory.steps[given.let_go].code == "del mul"
    assert memory.arguments == ("mul",)


def test_a_partition_frees_what_it_is_handed_when_it_lets_go(tmp_path: Path) -> None:
    """References are counted through the list of arguments, as Python counts them."""
    partition = "\n".join(
        [
            "def partition_0(args):",
            "    buf0, = args",
            "    args.clear()",
            f"    {empty('buf1')}",
            f"    {POI}.run(buf0, buf1, 256, stream=stream0)",
            "    del buf0",
            f"    {empty('buf2')}",
            "    del buf1",
            "    return (buf2, )",
        ]
    )
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        "partition0_args = [buf0, ]",
        "del buf0",
        "(buf2, ) = partition_0(partition0_args)",
        "del partition0_args",
        "return (buf2, )",
        functions=partition,
    )

    assert memory.peak_bytes == 2 * KIB
    assert memory.bytes_after[-1] == KIB
    assert {step.function for step in memory.steps if step.call is not None} == {"partition_0"}


def test_buffers_in_a_pool_are_a_part_of_it(tmp_path: Path) -> None:
    """What the compiler planned counts once: buffers first, and what they leave is the pool's."""
    memory = memory_of(
        tmp_path,
        "pool1 = empty_strided_cuda((2048, ), (1, ), torch.uint8)",
        "buf0 = alloc_from_pool(pool1, 0, torch.float32, (256, ), (1, ))",
        "buf1 = alloc_from_pool(pool1, 1024, torch.float32, (128, ), (1, ))",
        "del pool1",
        "del buf0",
        "del buf1",
        "return ()",
    )

    assert memory.bytes_after.tolist() == [0, 2048, 2048, 2048, 2048, 0]
    assert memory.bytes_of_kind(MemoryKind.BUFFER).tolist() == [0, 0, 1024, 1536, 512, 0]
    assert memory.bytes_of_kind(MemoryKind.POOL).tolist() == [0, 2048, 1024, 512, 1536, 0]


def test_every_branch_begins_where_the_first_one_began(tmp_path: Path) -> None:
    """Memory of one branch is gone in the next; what the last one leaves goes on."""
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        "if buf0.item():",
        f"    {empty('buf1', 1024)}",
        "    del buf0",
        "else:",
        f"    {empty('buf1')}",
        "return (buf1, )",
    )

    assert memory.peak_bytes == 5 * KIB
    assert [one.nbytes for one in memory.buffers if one.name == "buf1"] == [4 * KIB, KIB]
    assert memory.bytes_after[-1] == KIB


def test_a_branch_without_another_is_tried_and_what_was_before_goes_on(tmp_path: Path) -> None:
    """What is only there if the branch is taken counts in the branch alone."""
    memory = memory_of(
        tmp_path,
        empty("buf0"),
        "if buf0.item():",
        f"    {empty('buf1')}",
        "    del buf0",
        empty("buf2"),
        "return (buf0, buf2, )",
    )

    assert memory.peak_bytes == memory.bytes_after[-1] == 2 * KIB


def test_a_loop_has_what_one_iteration_hands_to_the_next(tmp_path: Path) -> None:
    """From the second iteration on, the value before is no input any more: both are there."""
    body = "\n".join(
        [
            "def while_loop_body_graph_0(args):",
            "    given, = args",
            "    args.clear()",
            f"    {empty('made')}",
            f"    {POI}.run(given, made, 256, stream=stream0)",
            "    del given",
            "    return (made, )",
        ]
    )
    memory = memory_of(
        tmp_path,
        "arg0_1, = args",
        "buf0 = [None] * 1",
        "buf0[0] = arg0_1",
        "while should_loop:",
        "    body_args = [buf0[0]]",
        "    (buf0[0], ) = while_loop_body_graph_0(body_args)",
        "del arg0_1",
        "return (buf0[0], )",
        functions=body,
        example=EXAMPLE.replace("primals_1", "arg0_1"),
    )

    assert (memory.bytes_after[0], memory.peak_bytes) == (KIB, 3 * KIB)
    assert memory.bytes_after[-1] == 2 * KIB


def test_workspaces_are_told_apart(tmp_path: Path) -> None:
    """Scratch memory has a kind of its own, and a sum over it is new memory."""
    memory = memory_of(
        tmp_path,
        "workspace_0 = empty_strided_cuda((4096, ), (1, ), torch.float32)",
        "buf0 = workspace_0[0:4096].view(16, 256).sum(dim=0)",
        "del workspace_0",
        "return (buf0, )",
    )

    assert [(one.kind.value, one.nbytes) for one in memory.buffers] == [
        ("workspace", 16 * KIB),
        ("output", KIB),
    ]


def test_memory_elsewhere_is_listed_and_not_added(tmp_path: Path) -> None:
    """A scalar on the CPU is no memory of the GPU."""
    memory = memory_of(tmp_path, empty("buf0"), empty("buf1", 1, "cpu"), "return (buf0, buf1, )")

    assert memory.device == "cuda"
    assert [one.name for one in memory.buffers] == ["buf0", "buf1"]
    assert memory.peak_bytes == KIB


DYNAMIC = ("primals_1, primals_2 = args", "args.clear()", "s27 = primals_1")
DYNAMIC_BODY = (
    "assert_size_stride(primals_2, (s27, 4), (4, 1))",
    "buf0 = empty_strided_cuda((2*s27, 4), (4, 1), torch.float32)",
    "return (buf0, )",
)
DYNAMIC_EXAMPLE = (
    "primals_1 = 8; primals_2 = rand_strided((8, 4), (4, 1), device='cuda:0', dtype=torch.float32)"
)


def test_symbols_have_the_sizes_that_are_given_else_those_of_the_example(tmp_path: Path) -> None:
    """Which number counts is said; the size of a symbol is no tensor."""
    lines = (*DYNAMIC, *DYNAMIC_BODY)
    example = memory_of(tmp_path / "a", *lines, example=DYNAMIC_EXAMPLE)
    given = memory_of(tmp_path / "b", *lines, example=DYNAMIC_EXAMPLE, sizes={"s27": 100})

    assert (example.peak_bytes, dict(example.sizes)) == (128 + 256, {"s27": 8})
    assert (given.peak_bytes, dict(given.sizes)) == (1600 + 3200, {"s27": 100})
    assert (example.examples, given.examples) == (frozenset({"s27"}), frozenset())


def test_a_size_that_is_not_known_has_its_formula_and_no_number(tmp_path: Path) -> None:
    """It is left out of the sums, and named."""
    memory = memory_of(tmp_path, *DYNAMIC, *DYNAMIC_BODY, example="primals_1 = None")
    by_name = {buffer.name: buffer for buffer in memory.buffers}

    assert by_name["buf0"].formula == "4*(2 * s27)*4"
    assert {one.name for one in memory.unsized} == {"buf0", "primals_2"}
    assert memory.peak_bytes == 0


def test_sizes_as_allocated_are_multiples_of_512_on_a_gpu(tmp_path: Path) -> None:
    """So much torch's caching allocator takes; memory of a CPU is as large as it is asked for."""
    lines = (empty("buf0", 1), empty("buf1", 129), "return (buf0, buf1, )")
    plain = memory_of(tmp_path / "a", *lines)
    padded = memory_of(tmp_path / "b", *lines, as_allocated=True)
    cpu = memory_of(
        tmp_path / "c", *(line.replace("cuda", "cpu") for line in lines), as_allocated=True
    )

    assert (plain.peak_bytes, padded.peak_bytes, cpu.peak_bytes) == (520, 512 + 1024, 520)


def test_padded_and_broadcast_strides_take_what_lies_between_them(tmp_path: Path) -> None:
    """The last element decides how far memory reaches; a broadcast dimension takes none."""
    memory = memory_of(
        tmp_path,
        "buf0 = empty_strided_cuda((4, 6), (8, 1), torch.float32)",
        "buf1 = empty_strided_cuda((4, 6), (0, 1), torch.float16)",
        "buf2 = empty_strided_cuda((0, 6), (6, 1), torch.float16)",
        "return (buf0, buf1, buf2, )",
    )

    assert [one.nbytes for one in memory.buffers] == [4 * 30, 12, 0]


@pytest.mark.parametrize("case", PAIRS)
def test_cpp_and_python_of_one_graph_have_one_memory(tmp_path: Path, case: str) -> None:
    """What they allocate, hand on and free is equal, statement by statement."""
    for at, texts in enumerate(PAIRS[case]):
        memories: list[GraphMemory] = []
        for kind, text in zip(("python", "cpp"), texts, strict=True):
            folder = tmp_path / f"{kind}{at}"
            folder.mkdir()
            (folder / "output_code.py").write_text(text, encoding="utf-8")
            memories += memory_of_program(load_compiled(folder / "output_code.py"))
        python, cpp = (_own(memory) for memory in memories)

        # A result that nobody takes has a name of its own in C++ only, and stays to the end there.
        python = {name: buffer for name, buffer in python.items() if "[" not in name}
        assert python.keys() <= cpp.keys()
        # C++ does not check what a library call gave back, so it may not state its size.
        silent = {name for name, (_, size, *_) in cpp.items() if size is None}
        assert all(cpp[name] == python[name] for name in python if name not in silent)
        assert len(silent) <= 1


def _own(memory: GraphMemory) -> dict[str, tuple[object, ...]]:
    """All buffers with their kind, their size and the calls that make it and use it last."""
    return {
        one.name: (one.kind, one.nbytes, one.made_by, one.last_use, one.freed is None)
        for one in memory.buffers
    }


def test_a_copy_that_a_forward_saved_is_the_backwards_though_it_has_an_inputs_name(
    tmp_path: Path,
) -> None:
    """OneDNN's convolutions save their input in another layout: letting go of it frees it."""
    forward = wrapper(
        triton(POI),
        body="\n".join(
            [
                "primals_1, = args",
                empty("buf0"),
                f"{POI}.run(primals_1, buf0, 256, stream=stream0)",
                empty("buf1"),
                f"{POI}.run(buf0, buf1, 256, stream=stream0)",
                "return (buf1, buf0, )",
            ]
        ),
        aot="0_forward",
    )
    backward = wrapper(
        triton(POI),
        body="\n".join(
            [
                "primals_1, tangents_1 = args",
                empty("buf0"),
                f"{POI}.run(primals_1, tangents_1, buf0, 256, stream=stream0)",
                "del primals_1",
                "return (buf0, )",
            ]
        ),
        aot="0_backward",
    )
    for name, text in (("forward", forward), ("backward", backward)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "output_code.py").write_text(text + f"\n{EXAMPLES}", encoding="utf-8")
    memories = {one.graph: one for one in memory_of_program(load_compiled(tmp_path))}
    saved = next(one for one in memories["0_backward"].buffers if one.name == "primals_1")

    assert (saved.kind, saved.origin) == (MemoryKind.SAVED, "0_forward/0")
    assert saved.freed is not None


EXAMPLES = """
def get_args():
    primals_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    tangents_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
"""


@pytest.mark.parametrize(("label", "kept"), [("", 2 * KIB), (", 'input'", KIB)])
def test_gradients_are_held_in_code_of_torch_before_2_13(
    tmp_path: Path, label: str, kept: int
) -> None:
    """Code whose checks are labelled may free what autograd handed over."""
    memory = memory_of(
        tmp_path,
        "tangents_1, = args",
        f"assert_size_stride(tangents_1, (256, ), (1, ){label})",
        empty("buf0"),
        f"{POI}.run(tangents_1, buf0, 256, stream=stream0)",
        "del tangents_1",
        "return (buf0, )",
        aot="0_backward",
        example=EXAMPLE.replace("primals_1", "tangents_1"),
    )

    assert memory.buffers[0].kind is MemoryKind.GRADIENT
    assert memory.bytes_after[-1] == kept


@pytest.mark.parametrize(
    "line",
    [
        f"buf0 = empty_strided_cuda(({'+'.join(['s0'] * 1500)}, ), (1, ), torch.float32)",
        f"buf0 = args{'[0]' * 1200}",
        "buf0 = [None] * 1000000000000",
        "buf0 = empty_strided_cuda((10**9**9, ), (1, ), torch.float32)",
        "buf0 = empty_strided_cuda((1/0, ), (1, ), torch.float32)",
        "\n".join(f"{'    ' * at}while True:" for at in range(18)) + f"\n{'    ' * 18}pass",
        "def call(args):\n    return call(args)\nbuf0 = call(args)",
        "(buf0, buf1), *buf2 = args",
        "del buf9, (buf8, buf7)",
        "buf0 = alloc_from_pool(nothing)",
        "buf0 = alloc_from_pool()",
        "buf0 = empty_strided_cuda()",
        "buf0 = torch.ops.aten.sort.stable()[0][1]",
    ],
)
def test_odd_code_is_followed_as_far_as_it_goes(tmp_path: Path, line: str) -> None:
    """Nothing that a file says ends in a traceback, or takes for ever."""
    memory = memory_of(tmp_path, empty("buf5"), line, "return (buf5, )")

    assert memory.bytes_after[1] == KIB
