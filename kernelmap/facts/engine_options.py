"""How a serving engine is told what torch's own settings would say: its options, for advice.

An engine compiles, captures and profiles by itself, so its user sets neither torch.compile nor
torch.profiler. What is named here was read in the documentation and code of vLLM 0.26, of SGLang,
of ATOM and of TensorRT-LLM 1.3 of 2026; the engines were not run here.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kernelmap.facts.engines import find_engine
from kernelmap.model.trace import Trace

_LOG = "TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1"


class EngineOptions(Struct, frozen=True, kw_only=True):
    """What an engine calls its settings, to stand in a sentence; None where it has none of a kind.

    `without_graphs` starts it without CUDA graphs, `with_graphs` lets them launch more,
    `outside_graphs` says what takes more of a step into them, and `own_capture` has the engine
    write profiles of its captures. `recording` makes a profile, `whole_steps` chooses the steps in
    it; `shapes` and `stacks` have it record them, and `marks` the ranges of steps. `compiles` says
    when the engine compiles at all, `code` how the code is had, `kernels` what tries other kernels.
    `collectives` makes communication shorter, `ahead` prepares a step while the one before runs.
    """

    without_graphs: str
    with_graphs: str
    outside_graphs: str
    recording: str
    whole_steps: str
    compiles: str
    code: str
    own_capture: str | None = None
    shapes: str | None = None
    stacks: str | None = None
    marks: str | None = None
    kernels: str | None = None
    collectives: str | None = None
    ahead: str | None = None


OPTIONS: Mapping[str, EngineOptions] = {
    "vLLM": EngineOptions(
        without_graphs="--enforce-eager, or cudagraph_mode NONE in --compilation-config, which"
        " keeps the compiled code",
        with_graphs="start vLLM without --enforce-eager, with cudagraph_mode FULL_AND_PIECEWISE and"
        " cudagraph_capture_sizes up to the largest batch in --compilation-config",
        outside_graphs="with cudagraph_mode FULL_AND_PIECEWISE in --compilation-config those of"
        " decode steps hold attention, too",
        recording="start vLLM with torch_profiler_dir in --profiler-config (before 0.13 with the"
        " variable VLLM_TORCH_PROFILER_DIR), and let /start_profile and /stop_profile stand around"
        " requests",
        whole_steps="delay_iterations and max_iterations in --profiler-config",
        compiles="vLLM compiles unless it starts with --enforce-eager, or with mode 0 in"
        " --compilation-config",
        code=f"start vLLM with {_LOG} VLLM_DISABLE_COMPILE_CACHE=1 and give the log: what comes"
        " from vLLM's compile cache writes none. Or give the code in that cache: --cache-dir with"
        " the folder inductor_cache in what vLLM prints as its cache directory"
        " (~/.cache/vllm/torch_compile_cache/…)",
        own_capture="capture_torch_profiler in --profiler-config (vLLM 0.26)",
        shapes="torch_profiler_record_shapes in --profiler-config",
        stacks="torch_profiler_with_stack in --profiler-config",
        marks="VLLM_CUSTOM_SCOPES_FOR_PROFILING=1",
        kernels="vLLM compiles the sizes that compile_sizes in --compilation-config lists each on"
        " its own, with max-autotune",
        collectives="fuse_allreduce_rms in pass_config of --compilation-config takes the norm"
        " behind an all-reduce into it",
        ahead="--async-scheduling prepares the next step meanwhile",
    ),
    "SGLang": EngineOptions(
        without_graphs="--disable-cuda-graph",
        with_graphs="start SGLang without --disable-cuda-graph, with --cuda-graph-max-bs up to the"
        " largest batch",
        outside_graphs="--enable-torch-compile fuses small operators of the model",
        recording="start SGLang with SGLANG_TORCH_PROFILER_DIR, and send a request to"
        " /start_profile while it serves",
        whole_steps="start_step and num_steps in the request to /start_profile",
        compiles="SGLang compiles with --enable-torch-compile",
        code=f"start SGLang with {_LOG} and give the log; or name the TORCHINDUCTOR_CACHE_DIR that"
        " it ran with: --cache-dir",
        own_capture="--enable-profile-cuda-graph, with SGLANG_ENABLE_CUDA_GRAPH_CAPTURE_TRACE=1",
        shapes="record_shapes in the request to /start_profile",
        stacks="with_stack in the request to /start_profile",
        kernels="--enable-torch-compile compiles in the mode max-autotune-no-cudagraphs",
        collectives="--enable-flashinfer-allreduce-fusion takes the norm behind an all-reduce into"
        " it",
        ahead="without --disable-overlap-schedule the next step is prepared meanwhile",
    ),
    "ATOM": EngineOptions(
        without_graphs="--enforce-eager",
        with_graphs="start ATOM without --enforce-eager, with --cudagraph-capture-sizes up to the"
        " largest batch",
        outside_graphs="with cudagraph_mode FULL_AND_PIECEWISE in its CompilationConfig those of"
        " decode steps hold attention, too",
        recording="start ATOM with --torch-profiler-dir, and let /start_profile and /stop_profile"
        " stand around requests",
        whole_steps="/start_profile before and /stop_profile behind them",
        compiles="ATOM compiles at --level 2 and 3, unless it starts with --enforce-eager",
        code=f"start ATOM with {_LOG} and an empty ~/.cache/atom, and give the log: what comes from"
        " that cache writes none",
        shapes="ATOM_PROFILER_MORE=1",
        stacks="ATOM_PROFILER_MORE=1",
    ),
    "TensorRT-LLM": EngineOptions(
        without_graphs="cuda_graph_config: null in the file of --config",
        with_graphs="start TensorRT-LLM with max_batch_size in cuda_graph_config up to the largest"
        " batch",
        outside_graphs="with enable_piecewise_cuda_graph in torch_compile_config steps with a"
        " prefill have some, too",
        recording="start TensorRT-LLM with TLLM_TORCH_PROFILE_TRACE=trace.json and"
        " TLLM_PROFILE_START_STOP=A-B",
        whole_steps="TLLM_PROFILE_START_STOP=A-B",
        compiles="TensorRT-LLM generates code with enable_inductor in torch_compile_config",
        code=f"start TensorRT-LLM with {_LOG} and give the log",
        marks="TLLM_LLMAPI_ENABLE_NVTX=1 under nsys",
        ahead="without disable_overlap_scheduler the next step is prepared meanwhile",
    ),
}
"""By the engine's name."""


def options_of_engine(trace: Trace | None) -> EngineOptions | None:
    """The options of the engine that ran; None where no engine is seen to have run."""
    return None if trace is None else OPTIONS.get(find_engine(trace) or "")
