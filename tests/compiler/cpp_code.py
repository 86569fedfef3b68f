"""Small C++ wrappers, in the words Inductor uses, for the tests of the compile side."""

from __future__ import annotations

import json
from pathlib import Path

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph, CompiledProgram

TOPO = "// Topologically Sorted Source Nodes: [x, y], Original ATen: [aten.t, aten.addmm]"
ADDMM = "AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_addmm_out(buf0, arg0, wrap(arg1, 1L)));"
HANDLE = "// [Provenance debug handles] "
COMMAND = "\n// Compile cmd\n// g++ x.wrapper.cpp -o x.so\n"
INFORMATION = "kernel_information.json"

_HEAD = """#include <torch/csrc/inductor/aoti_include/cuda.h>
#define CONVERT(...) \\
  try { __VA_ARGS__ } catch (...) { \\
    return 1;
static inline void launchKernel(CUfunction func, uint32_t gridX, void* args[]) {
    CUDA_DRIVER_CHECK(cuLaunchKernel(func, gridX, args));
}
"""


def wrapper(body: str, *functions: str, constants: str = "") -> str:
    """A wrapper of AOTInductor whose `run_impl` has the lines of `body`."""
    return "\n".join(
        (
            _HEAD,
            "namespace torch::aot_inductor {",
            "class AOTInductorModelKernels : public AOTInductorModelKernelsBase {",
            "  public:",
            "    void* cpp_fused_add_0{nullptr};",
            "};",
            *functions,
            "void AOTInductorModel::_const_run_impl(DeviceStreamType stream) {" + constants + "}",
            "void AOTInductorModel::run_impl(",
            "    AtenTensorHandle* input_handles, // array; handles (are stolen",
            "    DeviceStreamType stream",
            ") {",
            "    auto& kernels = static_cast<AOTInductorModelKernels&>(*this->kernels_.get());",
            body,
            "} // AOTInductorModel::run_impl",
            "} // namespace torch::aot_inductor",
            "",
        )
    )


def launcher(
    name: str, *, called: str | None = None, device_name: str | None = None, recorded: bool = False
) -> str:
    """The function that loads and launches the Triton kernel `name`, with its source."""
    record = (
        f"RAIIAtenRecordFunctionHandle record_{name}_("
        f'"kernels_.{name}", reinterpret_cast<IValueMapHandle>(&kwargs), info);'
    )
    return f"""template <typename in_ptr0_type_, typename kernels_type_>
static inline void {called or f"call_{name}"}(
    const in_ptr0_type_& in_ptr0,
    int64_t xnumel,
    cudaStream_t stream_,
    kernels_type_& kernels_,
    const std::optional<std::string>& cubin_dir_ = std::nullopt
){{
    /*
    async_compile.triton('{name}', \'\'\'
    import triton

    @triton_heuristics.pointwise(
        size_hints={{'x': 64}},
        triton_meta={{'signature': {{'in_ptr0': '*fp32', 'xnumel': 'i32'}}}},
        inductor_meta={{'grid_type': 'Grid1D'}},
    )
    @triton.jit
    def {name}(in_ptr0, xnumel):
        tl.store(in_ptr0, 1.0)  # an open brace {{ and a quote "
    \'\'\', device_str='cuda')
    */
    if (kernels_.{name} == nullptr) {{
        kernels_.{name} = loadKernel("/c/{name}.cubin", "{device_name or name}", 0, cubin_dir_);
    }}
    void* kernel_args_[] = {{&var_0, &var_1}};
    {record if recorded else ""}
    launchKernel(kernels_.{name}, grid_0, grid_1, grid_2, 4, 0, kernel_args_, stream_);
}}
"""


def context(name: str, *stacks: str, opens: bool = True) -> str:
    """The lines before a call that name it for debuggers and profilers."""
    text = "".join(f"\n{stack}\n" for stack in stacks)
    record = f'RAIIAtenRecordFunctionHandle record_{name}_("{name}", nullptr);' if opens else ""
    return f'KernelContextGuard _ctx("{name}", R"({text})");\n    {record}'


def stack(file: str, line: int, code: str) -> str:
    """A stack trace of one frame, as this kind of code writes it."""
    return f'File "{file}", line {line}, in forward\n    {code}'


def put(
    folder: Path,
    text: str,
    *,
    name: str = "cabc.wrapper.cpp",
    kernel_cpp: str | None = None,
    information: object = None,
) -> Path:
    """Write a wrapper, and beside it the file of its kernels and kernel_information.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    if kernel_cpp is not None:
        (folder / "cxyz.kernel.cpp").write_text(kernel_cpp, encoding="utf-8")
    if information is not None:
        (folder / INFORMATION).write_text(json.dumps(information), encoding="utf-8")
    return folder / name


def read(folder: Path, text: str, *, kernel_cpp: str | None = None) -> CompiledProgram:
    """The program of one wrapper."""
    return load_compiled(put(folder, text, kernel_cpp=kernel_cpp))


def graph(folder: Path, body: str, *functions: str) -> CompiledGraph:
    """The graph of a wrapper that leaves nothing unread."""
    program = read(folder, wrapper(body, *functions))

    assert program.notices == ()
    (compiled,) = program.graphs
    return compiled
