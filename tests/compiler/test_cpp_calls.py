"""The calls of C++ wrappers: each way to launch, what stands around it, and what is no call."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.cpp_code import (
    ADDMM,
    HANDLE,
    TOPO,
    context,
    graph,
    launcher,
    put,
    read,
    stack,
    wrapper,
)
from kernelmap.compiler import load_compiled
from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.graph import graphs_of
from kernelmap.model import Backend, Notice, Occurrence, SourceLine, WrapperCall

POI = "triton_poi_fused_add_0"
LAUNCH = f"call_{POI}(buf0, 128L, this->device_idx_, stream, kernels, this->cubin_dir_);"


def only(folder: Path, body: str, *functions: str) -> WrapperCall:
    """The single call of a wrapper with this body."""
    (call,) = graph(folder, body, *functions).calls
    return call


def slugs(notices: tuple[Notice, ...]) -> list[str]:
    return [notice.slug for notice in notices]


ON_THE_SPOT = f"""kernels.{POI} = loadKernel("/c/x.cubin", "{POI}", 0, this->cubin_dir_);
Grid {POI}_grid_0 = Grid(2L, 1L, 1L);
launchKernel(kernels.{POI}, {POI}_grid_0.grid_x, 1, 1, 4, 0, args, stream);"""


@pytest.mark.parametrize(
    ("function", "launch"),
    [
        (f"call_{POI}", f"call_{POI}(buf0, 128L, this->device_idx_, stream, kernels);"),
        (f"launch_{POI}", f"{{ launch_{POI}(buf0, 128L, kernels, stream); }}"),
        (f"start_{POI}", f"start_{POI}(buf0, 128L, kernels, stream);"),
        (None, ON_THE_SPOT),
    ],
)
def test_a_triton_kernel_is_launched_in_several_ways(
    tmp_path: Path, function: str | None, launch: str
) -> None:
    """It has a launching function of any name, or none; the call stands where it is launched."""
    launchers = [launcher(POI, called=function)] if function else []
    compiled = graph(tmp_path, f"{TOPO}\n{HANDLE}{POI}:7\n{launch}", *launchers)
    (call,) = compiled.calls
    (kernel,) = compiled.kernels

    assert (call.wrapper, call.backend, call.category) == (POI, Backend.TRITON, "poi")
    assert (call.handle, call.origins and call.origins.aten) == (7, ("aten.t", "aten.addmm"))
    assert (call.kernel, kernel.function) == (POI, POI)
    assert (kernel.path or "").endswith(".cubin")


def test_a_launcher_tells_source_sizes_and_device_name(tmp_path: Path) -> None:
    """The comment in it is the kernel's source; `loadKernel` says what the device shows."""
    compiled = graph(tmp_path, LAUNCH, launcher(POI, device_name="triton_"))
    (kernel,) = compiled.kernels

    assert compiled.calls[0].numels == (128,)
    assert compiled.calls[0].recorded is False
    assert kernel.function == "triton_"
    assert kernel.heuristic == "pointwise"
    assert kernel.signature == (("in_ptr0", "*fp32"), ("xnumel", "i32"))
    text = Path(compiled.code or "").read_text("utf-8").split("\n")
    assert kernel.first_line is not None
    assert text[kernel.first_line - 1].endswith(f"call_{POI}(")
    assert text[(kernel.last_line or 0) - 1] == "}"


def test_the_code_says_which_calls_leave_a_range(tmp_path: Path) -> None:
    """Only what stands behind a RAIIAtenRecordFunctionHandle of its own does."""
    shim = "aoti_torch_cuda_addmm_out"
    body = f"{{ {context(shim)}\n{ADDMM} }}\n{{ {context(shim, opens=False)}\n{ADDMM} }}\n{LAUNCH}"
    compiled = graph(tmp_path, body, launcher(POI, recorded=True))

    assert [call.recorded for call in compiled.calls] == [True, False, True]


def test_handles_and_comments_wait_for_their_call(tmp_path: Path) -> None:
    """Declarations, a brace, Python in a raw string may stand between them."""
    code = 'x = f(")") if y else "{ }"  # ( [ "'
    body = f"""
    {TOPO}
    static constexpr int64_t int_array_2[] = {{16L, 32L}};
    {HANDLE}aoti_torch_cuda_addmm_out:3
    static constexpr int64_t int_array_3[] = {{1L, 16L}};
    {{
    {context("aoti_torch_cuda_addmm_out", stack("m.py", 6, code), stack("m.py", 9, "z = 1"))}
    {ADDMM}
    }}"""
    call = only(tmp_path, body.replace('")")', '") ")'))

    assert (call.handle, call.target) == (3, "aten.addmm")
    assert call.origins is not None
    assert call.lines == (
        SourceLine(file="m.py", line=6, code=code.replace('")")', '") ")')),
        SourceLine(file="m.py", line=9, code="z = 1"),
    )


def test_a_cpp_kernel_takes_no_comment_of_another(tmp_path: Path) -> None:
    """C++ kernels have a handle and no list of nodes."""
    body = (
        f"{TOPO}\nint x = 1;\n{HANDLE}cpp_fused_add_0:2\ncpp_fused_add_0((float*)(b.data_ptr()));"
    )
    declared = 'extern "C"  void  cpp_fused_add_0(float* in_out_ptr0);'
    call = only(tmp_path, body, declared)

    assert (call.backend, call.handle, call.origins, call.recorded) == (Backend.CPP, 2, None, None)


def test_the_kernel_file_says_whether_cpp_kernels_leave_ranges(tmp_path: Path) -> None:
    """The kernel file decides if it defines what the wrapper declares; any other says nothing."""
    record = 'RAIIAtenRecordFunctionHandle record_x_("graph_0_cpp_fused_add_0", nullptr);'
    defined = f'extern "C"  void  cpp_fused_add_0(float* x)\n{{\n{record}\n}}\n'
    text = wrapper("cpp_fused_add_0(b);", 'extern "C"  void  cpp_fused_add_0(float* x);')
    recording = read(tmp_path / "own", text, kernel_cpp=defined).graphs[0]
    plain = read(tmp_path / "plain", text, kernel_cpp=defined.replace(record, "")).graphs[0]
    other = read(tmp_path / "other", text, kernel_cpp=defined.replace("add", "mul")).graphs[0]

    assert [g.calls[0].recorded for g in (recording, plain, other)] == [True, False, None]
    assert (recording.kernels[0].path or "").endswith("cxyz.kernel.cpp")
    assert (recording.kernels[0].first_line, other.kernels[0].path) == (None, None)


@pytest.mark.parametrize(
    ("function", "target"),
    [
        ("aoti_torch_cuda_mm_out", "aten.mm"),
        ("aoti_torch_cpu_addmm_out", "aten.addmm"),
        ("aoti_torch_cuda__scaled_dot_product_flash_attention", None),
        ("aoti_torch_xpu_convolution", "aten.convolution"),
        ("aoti_torch_cuda_randint_low_out", "aten.randint"),
        ("aoti_torch_cuda_index_put", "aten.index_put"),
        ("aoti_torch_cpu__mm_plus_mm_out", "aten._mm_plus_mm"),
        ("aoti_torch_cpu_mkldnn__convolution_pointwise", "mkldnn._convolution_pointwise"),
        ("aoti_torch_cpu__c10d_functional_all_reduce_", "_c10d_functional.all_reduce_"),
        ("aoti_torch_addmm_out", "aten.addmm"),
    ],
)
def test_a_library_call_names_its_operator(
    tmp_path: Path, function: str, target: str | None
) -> None:
    """Device, overload and `_out` belong to the C function, the rest is the operator."""
    call = only(tmp_path, f"AOTI_TORCH_ERROR_CODE_CHECK({function}(buf0, 1L, &buf1_handle));")

    assert (call.wrapper, call.backend) == (function, Backend.EXTERN)
    assert call.target == (target or "aten._scaled_dot_product_flash_attention")


PROXY = "aoti_torch_proxy_executor_call_function(proxy_executor, 0, 0, ints, 2, tensors)"
SCALE = "// Topologically Sorted Source Nodes: [y, z], Original ATen: [aten.relu, mylib.scale]"


DISPATCHED = """AOTI_TORCH_ERROR_CODE_CHECK(
    aoti_torch_call_dispatcher("mylib::scale", "", dispatch_vars.data())
);"""
BOXED = """static auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
    "mylib::scale", "");
op.callBoxed(&dispatch_stack);"""
IN_PYTHON = """
PyTuple_SetItem(py_args, 0, PyUnicode_FromString("torch.ops.mylib.scale.default"));
RAIIPyObject py_buf3(PyObject_CallObject(custom_op_wrapper, py_args));"""


@pytest.mark.parametrize(
    ("statements", "wrapper_name"),
    [
        (f"AOTI_TORCH_ERROR_CODE_CHECK({PROXY});", "aoti_torch_proxy_executor_call_function"),
        (DISPATCHED, "aoti_torch_call_dispatcher"),
        (BOXED, "findSchemaOrThrow"),
        (IN_PYTHON, "PyObject_CallObject"),
    ],
)
def test_an_operator_that_is_looked_up_when_it_runs(
    tmp_path: Path, statements: str, wrapper_name: str
) -> None:
    """Its handle has the name of a C function that is not there; its own name is found anyway."""
    call = only(tmp_path, f"{SCALE}\n{HANDLE}aoti_torch_cuda_scale:3\n{statements}")

    assert (call.wrapper, call.target) == (wrapper_name, "mylib.scale")
    assert (call.handle, call.recorded) == (3, None)


def test_glue_is_reported_from_preparation(tmp_path: Path) -> None:
    """Copies and look-ups of values are calls; allocating, viewing and asking are none."""
    body = """
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, a, b, c, d, 0, &buf0_handle));
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_assign_tensors_out(buf1, &buf2_handle));
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(arg4_1, &arg4_1_dtype));
    AOTICudaStreamGuard stream_guard(stream, this->device_idx_);
    aoti_torch_clone_preserve_strides(arg0_1, &arg0_1_aligned);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_copy_(buf12, buf3, 0));
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg0_1, &arg0_1_scalar));
    aoti_torch_cuda_guard_set_index(guard, 1);
    aoti_torch_clone(buf1, &output_handles[0]);
    """
    calls = graph(tmp_path, body).calls

    assert {call.backend for call in calls} == {Backend.GLUE}
    assert [call.target for call in calls] == ["aten.copy_", "aten.item", "aten.clone"]


def test_branches_and_loops_are_known(tmp_path: Path) -> None:
    """A cond is written as `if`, a while loop as `while (1)`."""
    body = f"""
    if (arg0_1_scalar) {{
        // subgraph: true_graph_0
        {LAUNCH}
    }} else {{
        {ADDMM}
    }}
    while (1) {{
        {ADDMM}
        if (!x) break;
    }}
    {ADDMM}
    """
    calls = graph(tmp_path, body, launcher(POI)).calls

    assert [call.occurrence for call in calls] == [
        Occurrence.BRANCH,
        Occurrence.BRANCH,
        Occurrence.LOOP,
        Occurrence.ONCE,
    ]


def test_a_name_that_is_not_called_is_no_call(tmp_path: Path) -> None:
    """Declarations, members, texts and comments name kernels as well."""
    declared = 'extern "C"  void  cpp_fused_add_0(float* in_out_ptr0);'
    body = f"""
    // {ADDMM}
    /* {LAUNCH} */
    auto text = "{POI}(buf0)";
    auto python = R"(cpp_fused_add_0(x))";
    void* f = &aoti_torch_cuda_addmm_out;
    """

    assert graph(tmp_path, body, declared, launcher(POI)).calls == ()


def test_a_user_kernel_runs_its_function(tmp_path: Path) -> None:
    """Its wrapper's name has a number, the device shows its own name."""
    definition = launcher("my_kernel_0", device_name="my_kernel").replace(
        "'my_kernel_0', '''", "'my_kernel', '''"
    )
    definition = definition.replace("def my_kernel_0(", "def my_kernel(")
    definition = definition.replace("size_hints={'x': 64}", "custom_kernel=True")
    call = only(
        tmp_path, f"{HANDLE}my_kernel_0:1\ncall_my_kernel_0(b, 4, stream, kernels);", definition
    )

    assert (call.wrapper, call.backend, call.handle) == ("my_kernel_0", Backend.USER, 1)
    assert (call.function, call.target) == ("my_kernel", "my_kernel")


def test_a_multi_kernel_names_what_was_chosen(tmp_path: Path) -> None:
    """Its function launches the member that was the fastest when it was compiled."""
    name = "triton_per_fused_sum_1"
    compiled = graph(
        tmp_path,
        "call_multi_kernel_0(buf0, 8L, stream, kernels);",
        launcher(name, called="call_multi_kernel_0"),
    )
    kernels = compiled.kernel_by_name

    assert (compiled.calls[0].wrapper, compiled.calls[0].backend) == (
        "multi_kernel_0",
        Backend.MULTI,
    )
    assert kernels["multi_kernel_0"].members == (name,)
    assert kernels[name].function == name


def test_constants_that_are_folded_are_a_graph_of_their_own(tmp_path: Path) -> None:
    """They run when the model is loaded, once, not with every run."""
    program = read(tmp_path, wrapper(ADDMM, constants=ADDMM.replace("addmm", "mm")))
    main, constants = program.graphs

    assert [call.target for call in main.calls] == ["aten.addmm"]
    assert [call.target for call in constants.calls] == ["aten.mm"]
    assert constants.id == f"{main.id}_constants"
    assert {g.kind for g in program.graphs} == {"inference"}


def test_a_node_says_best_what_a_library_call_runs(tmp_path: Path) -> None:
    """The target of its node wins over the name of the function."""
    body = (
        f"{HANDLE}aoti_torch_cuda_addmm_out:1\n{ADDMM}\n{HANDLE}aoti_torch_cuda_scale:2\n{PROXY};"
    )
    nodes = "a = torch.ops.aten.addmm.dtype(x)", "b = torch.ops.theirs.scale.default(a)"
    text = "".join(
        f'        {node.partition(" ")[0]}: "f32[4]" = {node.partition("= ")[2]}\n'
        for node in nodes
    )
    path = put(
        tmp_path,
        wrapper(body),
        information={
            "aoti_torch_cuda_addmm_out:1": {"post_grad_nodes": ["a"]},
            "aoti_torch_cuda_scale:2": {"post_grad_nodes": ["b"]},
        },
    )
    (tmp_path / "fx_graph_transformed.py").write_text(
        f"class GraphModule(torch.nn.Module):\n    def forward(self, x):\n{text}        return ()\n"
    )
    program = load_compiled(path)

    assert [call.target for call in program.graphs[0].calls] == ["aten.addmm", "theirs.scale"]


def test_what_was_cut_off_keeps_what_is_there(tmp_path: Path) -> None:
    """The body goes on to the end; a wrapper that ends before its body has kernels and a notice."""
    whole = wrapper(f"{ADDMM}\n{LAUNCH}", launcher(POI))
    cut = read(tmp_path / "a", whole[: whole.index(LAUNCH) + 30])
    early = read(tmp_path / "b", whole[: whole.index("void AOTInductorModel::run_impl(")])

    assert [call.target for call in cut.graphs[0].calls] == ["aten.addmm", None]
    assert [kernel.name for kernel in early.graphs[0].kernels] == [POI]
    assert (slugs(cut.notices), slugs(early.notices)) == ([], ["code-without-call"])


def test_a_handle_without_its_call_is_reported(tmp_path: Path) -> None:
    """As in Python: what a handle stands for is not guessed."""
    program = read(tmp_path, wrapper(f"{HANDLE}aoti_torch_cuda_bmm_out:9\n{ADDMM}"))

    assert slugs(program.notices) == ["handle-without-call"]
    assert program.graphs[0].calls[0].handle is None


def test_functions_that_call_each_other_come_to_an_end(tmp_path: Path) -> None:
    """A function that calls itself is followed once."""
    loop = "static void part_1(int x) { part_2(x); }\nstatic void part_2(int x) { part_1(x);\n"
    call = only(tmp_path, "part_1(1);", f"{loop}{ADDMM} }}")

    assert call.target == "aten.addmm"


@given(st.data())
def test_whatever_is_broken_reading_ends(data: st.DataObject) -> None:
    """Text that is cut, doubled or spoiled gives calls of the wrapper or none, and no error."""
    text = wrapper(f"{TOPO}\n{HANDLE}{POI}:1\n{LAUNCH}\n{ADDMM}", launcher(POI))
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 200)))
        spoil = data.draw(st.sampled_from(['"', 'R"(', "/*", "{", "}", "(", ")", "#", "\n", "'"]))
        text = text[:begin] + spoil + text[data.draw(st.sampled_from([begin, end])) :]
    source = CodeText(text=f"//\n{text}", code="x.cpp", place=("x.cpp",), strength=0)

    for compiled, _ in graphs_of(source):
        assert [call.index for call in compiled.calls] == list(range(len(compiled.calls)))


JIT = '''
import torch
from torch._inductor.codecache import CppWrapperCodeCache

cpp_wrapper_src = (
r"""
#include <torch/csrc/inductor/cpp_wrapper/cuda.h>
static const char* {name}_source = R"TRITON(
async_compile.triton('{name}', \'\'\'
@triton_heuristics.pointwise(
    triton_meta={{'signature': {{'xnumel': 'i32'}}}}, inductor_meta={{}}
)
@triton.jit
def {name}(xnumel):
    pass
\'\'\', device_str='cuda')
)TRITON";
static void call_{name}(int64_t xnumel, int32_t device_idx_, cudaStream_t stream_) {{
    {name} = loadKernel({name}_result.cubin_path, {name}_result.mangled_name, 0);
    launchKernel({name}, grid_0, 1, 1, 4, 0, kernel_args_, stream_);
}}
void inductor_entry_impl(AtenTensorHandle* input_handles) {{
    call_{name}(64L, 0, stream0);
}} // inductor_entry_impl
"""
)
inductor_entry = CppWrapperCodeCache.load_pybinding(main_code=cpp_wrapper_src)
'''


def test_cpp_inside_of_python_keeps_its_lines(tmp_path: Path) -> None:
    """`cpp_wrapper=True` writes a Python file around the C++; the cache's copy is the same code."""
    text = JIT.format(name=POI)
    folder = tmp_path / "model__0_forward_1.0"
    path = put(folder, text, name="output_code.py")
    alone = text.partition('r"""')[2].partition('"""')[0].lstrip()
    put(tmp_path, alone + "\n// more\n", name="cabc.main.cpp")
    (graph_,) = load_compiled(tmp_path).graphs
    (call,) = graph_.calls
    (kernel,) = graph_.kernels

    assert (graph_.id, graph_.kind, graph_.code) == ("0_forward", "forward", str(path))
    assert f"call_{POI}(64L" in text.split("\n")[(call.line or 0) - 1]
    assert (call.numels, call.stream) == ((64,), 0)
    assert (kernel.heuristic, kernel.function) == ("pointwise", POI)


def test_copies_of_a_wrapper_are_one_graph(tmp_path: Path) -> None:
    """Alone, with its kernels behind it, or with the compiler's command below it."""
    text = wrapper(ADDMM)
    put(tmp_path / "a", text)
    put(tmp_path / "b", text + "\n// Compile cmd\n// g++ x.wrapper.cpp -o x.so\n", name="cb.cpp")
    put(tmp_path / "c", f'{text}\nextern "C" void cpp_fused_add_0(float* x) {{ }}\n', name="cc.cpp")

    assert len(load_compiled(tmp_path).graphs) == 1
