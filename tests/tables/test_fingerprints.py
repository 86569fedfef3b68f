"""Fingerprints: what a call computes, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram
from kernelmap.tables.fingerprints import Fingerprints, fingerprint_program
from tiny import graph, program

CODES = (
    "sim_mlp_train/model__0_forward_1.0/output_code.py",
    "sim_attention_autotune/model__0_backward_2.1/output_code.py",
    "cpu_block/model__0_forward_1.0/output_code.py",
    "thread_lift_fresh/output_code.py",
)
FRAGMENT = """\
# Topologically Sorted Source Nodes: [a], Original ATen: [aten.add, aten.mul]
# Graph fragment:
#   %x_1 : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=x_1]
#   %y_1 : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=y_1]
#   %add : Tensor "f32[8, 16][16, 1]cuda:0"[num_users=1] = \
call_function[target=torch.ops.aten.add.Tensor](args = (%x_1, %y_1), kwargs = {})
#   %mul : Tensor "f32[8, 16][16, 1]cuda:0"[num_users=1] = \
call_function[target=torch.ops.aten.mul.Tensor](args = (%add, 2.0), kwargs = {})
#   return %mul
triton_poi_fused_add_mul_0 = async_compile.triton('triton_poi_fused_add_mul_0', '''
import triton
@triton.jit
def triton_poi_fused_add_mul_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    tl.store(out_ptr0, tl.load(in_ptr0) + tl.load(in_ptr1))
''', device_str='cuda')


def call(args):
    x_1, y_1 = args
    buf0 = empty_strided_cuda((8, 16), (16, 1), torch.float32)
    # Topologically Sorted Source Nodes: [a], Original ATen: [aten.add, aten.mul]
    triton_poi_fused_add_mul_0.run(x_1, y_1, buf0, 128, stream=raw_stream0)
    buf1 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf0, reinterpret_tensor(y_1, (16, 4), (1, 16), 0), out=buf1)
    return (buf1, )
"""


def read(text: str, folder: Path) -> CompiledProgram:
    path = folder / "output_code.py"
    path.write_text(text, encoding="utf-8")
    return load_compiled(path)


def printed(text: str, folder: Path) -> list[str]:
    prints = fingerprint_program(read(text, folder))
    return [call_print.fingerprint for call_print in prints.calls if call_print is not None]


def renamed(text: str, shift: Mapping[str, int]) -> str:
    """The same code with all kernels, buffers, inputs, nodes and handles numbered otherwise."""

    def number(kind: str, pattern: str, text: str) -> str:
        return re.sub(pattern, lambda m: f"{m[1]}{int(m[2]) + shift[kind]}", text)

    text = number("kernel", r"((?:triton|cpp)_fused_\w*?_|triton_\w*?_)(\d+)\b", text)
    text = number("buffer", r"\b(buf)(\d+)\b", text)
    text = number("input", r"\b((?:primals|tangents|arg|x|y)_)(\d+)\b", text)
    text = number("node", r"(%(?!primals|tangents|buf|arg|x_|y_)\w+_)(\d+)\b", text)
    return number("handle", r"(\[Provenance debug handles\] .*:)(\d+)", text)


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(CODES),
    shift=st.fixed_dictionaries(
        {k: st.integers(0, 999) for k in ("kernel", "buffer", "input", "node", "handle")}
    ),
)
def test_renaming_leaves_every_fingerprint(
    name: str, shift: dict[str, int], samples: Path, tmp_path: Path
) -> None:
    """Renumbered kernels, buffers, inputs, nodes and handles: the same fingerprints and bodies."""
    text = (samples / name).read_text(encoding="utf-8")
    before, after = (
        fingerprint_program(read(code, tmp_path)) for code in (text, renamed(text, shift))
    )

    assert before == after
    assert all(print_ is not None for print_ in (*before.calls, *before.graphs))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f32[8, 16]", "f32[8, 32]"),
        ("f32[8, 16]", "f16[8, 16]"),
        ("[16, 1]cuda:0", "[1, 8]cuda:0"),
        ("aten.mul.Tensor", "aten.div.Tensor"),
        ("(%add, 2.0)", "(%add, 3.0)"),
        ("(%x_1, %y_1)", "(%x_1, %x_1)"),
    ],
)
def test_other_work_has_another_fingerprint(old: str, new: str, tmp_path: Path) -> None:
    """Another shape, dtype, stride, target, constant or wiring gives another fingerprint."""
    first, second = printed(FRAGMENT, tmp_path), printed(FRAGMENT.replace(old, new), tmp_path)

    assert first[0] != second[0]
    assert first[1] == second[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(8, 4), (4, 1)", "(8, 5), (5, 1)"),
        ("float32)\n    ext", "float16)\n    ext"),
        ("mm(", "bmm("),
    ],
)
def test_library_calls_are_recognized_by_their_buffers(old: str, new: str, tmp_path: Path) -> None:
    """Without a fragment the types of the allocations and the routine decide."""
    first, second = printed(FRAGMENT, tmp_path), printed(FRAGMENT.replace(old, new), tmp_path)

    assert first[0] == second[0]
    assert first[1] != second[1]


def test_a_library_call_is_its_own_statement(tmp_path: Path) -> None:
    """What its comment lists is what its inputs do: other ops there make it no other call."""
    line = "    extern_kernels.mm(buf0"
    named = "    # Topologically Sorted Source Nodes: [a, m], Original ATen: [aten.{}, aten.mm]\n"
    relu, gelu = (FRAGMENT.replace(line, named.format(op) + line) for op in ("relu", "gelu"))

    assert relu != gelu
    assert printed(relu, tmp_path) == printed(gelu, tmp_path)
    origins = read(gelu, tmp_path).graphs[0].calls[1].origins
    assert origins is not None
    assert origins.aten == ("aten.gelu", "aten.mm")


def test_fragments_without_types_lean_on_the_buffers(tmp_path: Path) -> None:
    """Older torch writes targets only: shapes then come from the wrapper's allocations."""
    plain = re.sub(r'Tensor "[^"]*"', "", FRAGMENT)
    wider = plain.replace("buf0 = empty_strided_cuda((8, 16)", "buf0 = empty_strided_cuda((8, 32)")

    assert printed(plain, tmp_path)[0] != printed(wider, tmp_path)[0]
    assert printed(plain, tmp_path)[0] != printed(plain.replace("2.0", "3.0"), tmp_path)[0]


def test_the_device_number_has_no_say(tmp_path: Path) -> None:
    """Rank 0 on cuda:0 and rank 1 on cuda:1 compute the same."""
    moved = FRAGMENT.replace("cuda:0", "cuda:1").replace("stream0", "stream1")

    assert printed(FRAGMENT, tmp_path) == printed(moved, tmp_path)


def test_equal_calls_are_numbered(tmp_path: Path) -> None:
    """The second of two calls that compute the same bears `~1`."""
    line = "    triton_poi_fused_add_mul_0.run(x_1, y_1, buf0, 128, stream=raw_stream0)\n"
    twice = FRAGMENT.replace(line, line + line)
    first, second, _ = printed(twice.replace("    # Topo", "    # "), tmp_path)

    assert second == f"{first}~1"


def test_a_body_is_the_code_without_names(tmp_path: Path) -> None:
    """Other code for the same work: the fingerprint stays, the body differs."""
    changed = FRAGMENT.replace("tl.load(in_ptr0) +", "tl.load(in_ptr0, mask) +")
    one, other = (
        fingerprint_program(read(code, tmp_path)).calls[0] for code in (FRAGMENT, changed)
    )

    assert one is not None
    assert other is not None
    assert one.fingerprint == other.fingerprint
    assert one.body != other.body
    assert one.parts == ("aten.add.Tensor f32[8, 16]", "aten.mul.Tensor f32[8, 16]")


def test_graphs_and_calls_without_text_have_fingerprints_too() -> None:
    """Records alone are enough; a graph that only a trace knows has none."""
    compiled = graph("0_forward", "triton_poi_fused_add_0", "aten.mm", "triton_poi_fused_add_0")
    prints: Fingerprints = fingerprint_program(program(compiled))

    assert len({call_print.fingerprint for call_print in prints.calls if call_print}) == 3
    assert prints.graphs[0] is not None


@pytest.mark.corpus
def test_real_code_compiled_twice_is_the_same(corpus: Path) -> None:
    """A cold and a warm run of one model have the same fingerprints, in every graph."""
    runs = [
        fingerprint_program(load_compiled(corpus / "inductor" / name))
        for name in ("cpu_base/torch_compile_debug", "cpu_warm/tt")
    ]

    assert sorted(map(str, runs[0].graphs)) == sorted(map(str, runs[1].graphs))
