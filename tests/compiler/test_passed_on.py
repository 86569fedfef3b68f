"""Library calls in functions of their own, as TORCH_COMPILE_DEBUG_EXTEND=1 makes torch 2.14 write.

torch's trace handler finds a call by the name of such a function; for us it is the call itself.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from compiler.generated import graph, program, triton, wrapper
from kernelmap.capture.rewrite import rewritten
from kernelmap.speed.work.generated_code import read_code

_WRAPPERS = """
def extern_kernels_extern_kernels_addmm_3(*args, **kwargs):
    # Extra indirection is only enabled for profiler timeline provenance.
    return extern_kernels.addmm(*args, **kwargs)
def extern_kernels_aten_randint_low_out_5(*args, **kwargs):
    # Extra indirection is only enabled for profiler timeline provenance.
    return aten.randint.low_out(*args, **kwargs)
"""
_BODY = """
# Topologically Sorted Source Nodes: [linear], Original ATen: [aten.t, aten.addmm]
# [Provenance debug handles] extern_kernels.addmm:1
{addmm}(arg0, buf0, buf1, alpha=1, beta=1, out=buf2)
# Topologically Sorted Source Nodes: [relu], Original ATen: [aten.relu]
# [Provenance debug handles] triton_poi_fused_relu_0:2
triton_poi_fused_relu_0.run(buf2, buf3, 64, stream=stream0)
# [Provenance debug handles] aten.randint.low_out:3
{randint}(0, 10, [1], out=buf4)
# [Provenance debug handles] extern_kernels.addmm:4
{addmm}(arg0, buf3, buf1, alpha=1, beta=1, out=buf2)
"""
_DIRECT = {"addmm": "extern_kernels.addmm", "randint": "aten.randint.low_out"}
_WRAPPED = {
    "addmm": "extern_kernels_extern_kernels_addmm_3",
    "randint": "extern_kernels_aten_randint_low_out_5",
}
_KERNEL = triton("triton_poi_fused_relu_0")


def _text(names: dict[str, str]) -> str:
    return wrapper(_KERNEL, functions=_WRAPPERS, body=_BODY.format(**names))


def test_a_call_of_such_a_function_is_the_call_of_the_routine(tmp_path: Path) -> None:
    """Line, wrapper, operator, handle and comment are those of code that calls it directly."""
    direct = graph(tmp_path / "direct", _text(_DIRECT))
    wrapped = graph(tmp_path / "wrapped", _text(_WRAPPED))

    assert wrapped.calls == direct.calls
    assert [call.handle for call in wrapped.calls] == [1, 2, 3, 4]
    assert wrapped.calls[0].origins is not None


def test_code_that_is_cut_off_is_read_alike(tmp_path: Path) -> None:
    """Where Python cannot parse the text, lines give the same calls."""
    end = "\ndef broken(:\n"
    (direct,) = program(tmp_path / "direct", _text(_DIRECT) + end).graphs
    (wrapped,) = program(tmp_path / "wrapped", _text(_WRAPPED) + end).graphs

    assert wrapped.calls == direct.calls
    assert [call.handle for call in wrapped.calls] == [1, 2, 3, 4]


def test_a_capture_numbers_the_same_calls(tmp_path: Path) -> None:
    """Hooks stand at the statements, with the numbers of the compile side."""
    made = rewritten(_text(_WRAPPED), "x.py")

    assert made is not None
    of_code = graph(tmp_path, _text(_WRAPPED)).calls
    bare = [replace(call, origins=None, handle=None) for call in of_code]
    assert [replace(call, origins=None, handle=None) for call in made.calls] == bare


def test_work_finds_the_statement_of_such_a_call(tmp_path: Path) -> None:
    """Operands are those of the statement, under whichever name it calls the routine."""
    wrapped = graph(tmp_path, _text(_WRAPPED))
    code = read_code(wrapped)

    assert code is not None
    assert all(code.statement_of(call) is not None for call in wrapped.calls)


def test_a_function_that_does_more_is_a_function(tmp_path: Path) -> None:
    """Its calls stand where they are written."""
    more = _WRAPPERS.replace(
        "return extern_kernels.addmm", "x = 1\n    return extern_kernels.addmm"
    )
    text = wrapper(_KERNEL, functions=more, body=_BODY.format(**_WRAPPED))
    lines = text.split("\n")

    (read,) = program(tmp_path, text).graphs
    first = read.calls[0]

    assert first.wrapper == "extern_kernels.addmm"
    assert lines[(first.line or 0) - 1].strip().startswith("return extern_kernels.addmm")
