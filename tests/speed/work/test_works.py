"""The work of whole programs: every Triton kernel of the samples, and code that means harm."""

from __future__ import annotations

import gzip
import json
from math import prod
from pathlib import Path

import pytest
from msgspec.structs import replace

from kernelmap.compiler import load_compiled
from kernelmap.model import Backend, CompiledProgram
from kernelmap.model.work import Amount, Work
from kernelmap.speed.work import evidence_of_code, works_of_calls
from kernelmap.speed.work.tensors import dense_strides
from speed.work.wrapper_code import kernel, loaded, module

GPU_SAMPLES = ("sim_mlp_train", "sim_attention_autotune", "sim_gpt_train", "thread_lift_fresh")
CORPUS = ("triton_mlp", "triton_attnflash", "triton_foreach", "triton_usertriton")
CODE = '''
async_compile = AsyncCompile()
copy_0 = async_compile.triton('copy_0', """
@triton_heuristics.pointwise(
    size_hints={{'x': 1024}},
    triton_meta={{'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}}}},
    inductor_meta={{}},
)
@triton.jit
def copy_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = {numel}
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + ({index}), None)
    tl.store(out_ptr0 + (x0), tmp0, None)
""")
def call(args):
    arg0_1, = args
    assert_size_stride(arg0_1, ({size}, 8), (8, 1))
    buf0 = empty_strided_cuda(({size}, 8), (8, 1), torch.float32)
    copy_0.run(arg0_1, buf0, {numel}, stream=stream0)
    buf1 = empty_strided_cuda((8, 8), (8, 1), torch.float32)
    extern_kernels.mm(reinterpret_tensor(buf0, (8, {size}), (1, 8), 0), buf0, out=buf1)
    buf1.copy_(buf1)
    return (buf1, )
'''


TEMPLATE = '''
async_compile = AsyncCompile()
triton_tem_fused_mm_0 = async_compile.triton('triton_tem_fused_mm_0', """
@triton_heuristics.template(
    triton_meta={'signature': {'arg_A': '*fp32', 'arg_B': '*fp32', 'arg_C': '*fp32',
                               'arg_D': '*fp32', 'out_ptr0': '*fp32'}},
    inductor_meta={},
)
@triton.jit
def triton_tem_fused_mm_0(arg_A, arg_B, arg_C, arg_D, out_ptr0):
    ALLOW_TF32 : tl.constexpr = ALLOWED
    offsets = tl.program_id(0) * 64 + tl.arange(0, 64)
    acc = tl.dot(tl.load(arg_A + offsets), tl.load(arg_B + offsets), allow_tf32=ALLOW_TF32)
    acc += tl.dot(tl.load(arg_C + offsets), tl.load(arg_D + offsets), allow_tf32=ALLOW_TF32)
    tl.store(out_ptr0 + offsets, acc)
""")
def call(args):
    buf0 = empty_strided_cuda((16, 32), (32, 1), torch.float32)
    buf1 = empty_strided_cuda((32, 8), (8, 1), torch.float32)
    buf2 = empty_strided_cuda((16, 8), (8, 1), torch.float32)
    triton_tem_fused_mm_0.run(buf0, buf1, buf0, buf1, buf2, 1, 1, 1, stream=stream0)
'''


def written(tmp_path: Path, **values: object) -> list[Work]:
    path = tmp_path / "output_code.py"
    path.write_text(CODE.format(**{"numel": 128, "index": "x0", "size": 16} | values))
    return list(works_of_calls(load_compiled(path)))


def generated(program: CompiledProgram) -> list[Work]:
    pairs = zip(program.calls, works_of_calls(program), strict=True)
    return [work for (_, call), work in pairs if call.backend is not Backend.CPP]


def test_the_sum_of_a_workspace_reads_it_and_writes_its_rows(tmp_path: Path) -> None:
    """Reductions in mixed order end in a method of torch: every element is read and added once."""
    path = tmp_path / "output_code.py"
    path.write_text("""
def call(args):
    workspace_0 = empty_strided_cuda((8192, ), (1, ), torch.float32)
    buf1 = workspace_0[0 * (8) * (512) : (0 + 1) * (8) * (512)].view(8, 512).sum(dim=0).view([512])
    return (buf1, )
""")

    (work,) = works_of_calls(load_compiled(path))

    assert work.flops == 8 * 512
    assert work.bytes is not None
    assert work.bytes.most == (8 * 512 + 512) * 4


@pytest.mark.parametrize("sample", GPU_SAMPLES)
def test_every_call_of_a_gpu_sample_has_work(sample: str, samples: Path) -> None:
    """What Inductor writes for a GPU can be read to the last call."""
    assert all(work.bytes is not None for work in generated(load_compiled(samples / sample)))


@pytest.mark.corpus
@pytest.mark.parametrize("case", CORPUS)
def test_every_call_of_the_corpus_has_work(case: str, corpus: Path) -> None:
    """The same for code that nobody wrote for this test."""
    assert all(
        work.bytes is not None for work in generated(load_compiled(corpus / "inductor" / case))
    )


def test_work_is_what_one_execution_does(tmp_path: Path) -> None:
    """128 floats read and written; a product of 8 x 16 and 16 x 8; a copy of 64 floats."""
    copy, product, glue = written(tmp_path)

    assert (copy.bytes, copy.flops) == (Amount.exactly(2 * 128 * 4), 0)
    assert (product.bytes, product.flops) == (Amount.exactly((2 * 128 + 64) * 4), 2 * 8 * 16 * 8)
    assert product.dtype == "float32"
    assert (glue.bytes, glue.flops) == (Amount.exactly(2 * 64 * 4), 0)


def test_results_without_a_dtype_have_that_of_their_operator(tmp_path: Path) -> None:
    """Attention gives values like its operands, logsumexp in float32, and seeds of eight bytes."""
    path = tmp_path / "output_code.py"
    path.write_text(
        """
def call(args):
    buf0 = empty_strided_cuda((2, 4, 32, 16), (2048, 512, 16, 1), torch.bfloat16)
    buf1 = torch.ops.aten._scaled_dot_product_flash_attention.default(buf0, buf0, buf0, 0.0, False)
    buf2 = buf1[0]
    assert_size_stride(buf2, (2, 4, 32, 16), (2048, 512, 16, 1))
    buf3 = buf1[1]
    assert_size_stride(buf3, (2, 4, 32), (128, 32, 1))
    buf4 = buf1[6]
    assert_size_stride(buf4, (2, ), (1, ))
    return (buf2, buf3, buf4, )
"""
    )
    (work,) = works_of_calls(load_compiled(path))

    assert work.bytes == Amount.exactly(4 * 4096 * 2 + 256 * 4 + 2 * 8)


@pytest.mark.parametrize(("allowed", "dtype"), [("True", "tfloat32"), ("False", "float32")])
def test_a_template_counts_its_products(allowed: str, dtype: str, tmp_path: Path) -> None:
    """Two products of 16 x 32 and 32 x 8, added; every operand whole; rounded where it says so."""
    path = tmp_path / "output_code.py"
    path.write_text(TEMPLATE.replace("ALLOWED", allowed))
    (work,) = works_of_calls(load_compiled(path))

    assert work.bytes == Amount.exactly(4 * (2 * 512 + 2 * 256 + 128))
    assert (work.flops, work.dtype) == (2 * 2 * 16 * 32 * 8, dtype)


@pytest.mark.parametrize(
    ("statement", "sizes"),
    [
        ("torch.ops._c10d_functional.all_reduce_.default(buf0, 'sum', '0')", [32, 32]),
        (
            "torch.ops._c10d_functional.all_reduce_coalesced_.default([buf0, buf0], 'sum', '0')",
            [32, 32, 32, 32],
        ),
        (
            (
                "buf1 = torch.ops._c10d_functional.all_gather_into_tensor.default(buf0, 4, '0')\n"
                "    assert_size_stride(buf1, (32, ), (1, ))"
            ),
            [32, 128],
        ),
        (
            (
                "buf1 = torch.ops._c10d_functional.reduce_scatter_tensor.default(buf0, 'sum', 4)\n"
                "    assert_size_stride(buf1, (2, ), (1, ))"
            ),
            [32, 8],
        ),
    ],
)
def test_a_collective_counts_its_message(statement: str, sizes: list[int], tmp_path: Path) -> None:
    """What this device hands over and is given; links bound it, not memory."""
    path = tmp_path / "output_code.py"
    path.write_text(
        "def call(args):\n"
        "    buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)\n"
        f"    {statement}\n"
    )
    (work,) = works_of_calls(load_compiled(path))

    assert work.over_links
    assert [operand.bytes for operand in work.operands or ()] == list(map(Amount.exactly, sizes))


def test_waiting_for_a_collective_moves_nothing(tmp_path: Path) -> None:
    """The message was counted where it was sent."""
    path = tmp_path / "output_code.py"
    path.write_text(
        "def call(args):\n"
        "    buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)\n"
        "    torch.ops._c10d_functional.wait_tensor.default(buf0)\n"
    )
    (work,) = works_of_calls(load_compiled(path))

    assert work == Work(model_flops=0, reason="the message of a collective is not known")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("numel", 0),
        ("numel", -5),
        ("numel", 10**40),
        ("index", "x0 // 0"),
        ("index", "x0 % (0 - 3)"),
        ("index", "+".join(["x0"] * 20_000)),
        ("index", "(" * 80 + "x0" + ")" * 80),
        ("index", "x0 * x0 * x0"),
        ("index", "nobody_knows(x0)[7]"),
        ("size", -1),
        ("size", 10**40),
        ("size", "s0"),
    ],
)
def test_code_that_makes_no_sense_gives_no_nonsense(
    name: str, value: object, tmp_path: Path
) -> None:
    """Whatever the code states, work is missing or a number that fits into a table."""
    stated_works = written(tmp_path, **{name: value})
    for copy in evidence_of_code(load_compiled(tmp_path / "output_code.py"), stated_works).copies:
        assert 0 < copy.elements < 2**60
    for work in stated_works:
        if work.bytes is None:
            assert work.reason
        else:
            assert 0 <= work.bytes.least <= work.bytes.most < 2**60
        assert 0 <= (work.flops or 0) < 2**60


def test_without_code_there_is_no_work(samples: Path) -> None:
    """A program known from a trace only says why; so does one that nobody can parse."""
    program = load_compiled(samples / "sim_mlp_train")
    bare = replace(program, graphs=tuple(replace(g, text=None) for g in program.graphs))
    broken = replace(program, graphs=tuple(replace(g, text="call(:") for g in program.graphs))

    assert {work.reason for work in works_of_calls(bare)} == {"its code is not given"}
    assert {work.reason for work in works_of_calls(broken)} == {"its code cannot be parsed"}


@pytest.mark.parametrize(
    ("stated", "fewest"), [((), None), ((132,), 132), ((132, 108), 108), ((0, "n"), None)]
)
def test_the_fewest_multiprocessors_that_kernels_state_count(
    stated: tuple[object, ...], fewest: int | None, tmp_path: Path
) -> None:
    """Kernels that were compiled for two devices: what holds for both."""
    kernels = [
        kernel(
            f"fill_{at}",
            "tl.store(out_ptr0 + (x0), 1.0, xmask)",
            meta=f", 'device': DeviceProperties(type='cuda', multi_processor_count={number})",
            out_ptr0="fp32",
        )
        for at, number in enumerate(stated)
    ]
    program = loaded(tmp_path, module("".join(kernels), "return (arg0_1, )"))

    assert evidence_of_code(program, works_of_calls(program)).processors == fewest


def test_a_template_of_a_convolution_counts_its_products(tmp_path: Path) -> None:
    """8 images of 64 x 56 x 56, 128 filters of 3 x 3: generated/causes.json.gz has the code."""
    packed = Path(__file__).parent / "generated" / "causes.json.gz"
    path = tmp_path / "output_code.py"
    path.write_text(json.loads(gzip.decompress(packed.read_bytes()))["maxauto_conv"])
    program = load_compiled(path)
    (work,) = (
        work
        for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
        if call.backend is Backend.TEMPLATE
    )

    assert work.flops == 2 * 8 * 128 * 64 * 3 * 3 * 54 * 54
    assert work.dtype == "float16"
    assert work.bytes == Amount.exactly(2 * (8 * 64 * 56 * 56 + 128 * 64 * 9 + 8 * 128 * 54 * 54))


SIZES = ((4, 8), (16,), ())


@pytest.mark.parametrize(
    ("statement", "made"),
    [
        pytest.param("buf0 = torch.ops.aten._foreach_norm.Scalar([{a}])", "scalars", id="norms"),
        pytest.param(
            "buf0 = torch.ops.aten._foreach_neg.default([{a}])", "like operands", id="like operands"
        ),
        pytest.param("aten._foreach_add_.List([{a}], [{b}])", "in place", id="in place"),
        pytest.param("aten._foreach_zero_.default([{a}])", "in place", id="nothing is read"),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
def test_a_foreach_call_counts_all_tensors_of_its_lists(
    statement: str, made: str, count: int, tmp_path: Path
) -> None:
    """Each is read once and each result written once, whatever the operator computes."""
    lists = {name: [f"{name}{at}" for at in range(count)] for name in "ab"}
    lines = [
        f"{name} = empty_strided_cuda({size}, {dense_strides(size)}, torch.float32)"
        for names in lists.values()
        for name, size in zip(names, SIZES, strict=False)
    ]
    lines.append(statement.format(**{name: ", ".join(of) for name, of in lists.items()}))
    if made != "in place":
        for at, size in enumerate(SIZES[:count]):
            shape = () if made == "scalars" else size
            lines += [
                f"r{at} = buf0[{at}]",
                f"assert_size_stride(r{at}, {shape}, {dense_strides(shape)})",
            ]
    (work,) = works_of_calls(loaded(tmp_path, module("", *lines, "return (a0, )")))
    nbytes = [4 * prod(size) for size in SIZES[:count]]
    read = 0 if "zero" in statement else sum(nbytes) * (2 if "{b}" in statement else 1)
    written = count * 4 if made == "scalars" else sum(nbytes)

    assert work.bytes == Amount.exactly(read + written)
    assert work.flops == (0 if "zero" in statement else None)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("buf0 = torch.ops.aten._foreach_norm.Scalar([a, other])",), id="operand"),
        pytest.param(("buf0 = torch.ops.aten._foreach_norm.Scalar([a, a])",), id="no result"),
        pytest.param(
            (
                "buf0 = torch.ops.aten._foreach_norm.Scalar([a, a])",
                "r0 = buf0[0]",
                "assert_size_stride(r0, (), ())",
            ),
            id="one result of two",
        ),
    ],
)
def test_a_foreach_call_of_unknown_tensors_has_no_bytes(
    lines: tuple[str, ...], tmp_path: Path
) -> None:
    """A part of the bytes would pass for all of them."""
    made = "a = empty_strided_cuda((4, ), (1, ), torch.float32)"
    (work,) = works_of_calls(loaded(tmp_path, module("", made, *lines, "return (a, )")))

    assert work.bytes is None
    assert work.reason is not None
    assert "not known" in work.reason
