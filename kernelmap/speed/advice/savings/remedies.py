"""What to do about each saving, looking at what the program does already.

Every option that is named here was read in the documentation of torch 2.13 (or of the version that
the sentence names); those of serving engines stand in engine_remedies.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from kernelmap.model.notices import join_some
from kernelmap.model.roofline import Slug
from kernelmap.model.savings import Lever, Spot
from kernelmap.speed.advice.savings.engine_remedies import remedy_of_engine
from kernelmap.speed.advice.savings.scene import Scene


class Found(Struct, frozen=True, kw_only=True):
    """What a remedy looks at: the program, where the time is, and under which device names.

    `per_run` says how many kernels a run of a graph launches.
    """

    scene: Scene
    spots: tuple[Spot, ...] = ()
    names: tuple[str, ...] = ()
    per_run: float = 0.0


Remedy = Callable[[Found], str]

_FUSED = ("Adam", "AdamW", "SGD", "Adagrad")
"""Optimizers of torch 2.13 that take `fused=True`."""
_FEW = 3
"""Kernels of a run: one CUDA graph in place of fewer spares next to nothing, since it is a launch
itself. Arithmetic."""
_COMPILE = 'torch.compile(model, mode="reduce-overhead")'
_GRAPHS = 'torch.compile(mode="reduce-overhead")'


def _launch_bound(found: Found) -> str:
    # Some graphs run as CUDA graphs already; these ones were skipped.
    if found.scene.has_cuda_graphs:
        return (
            "Let these graphs be launched by CUDA graphs as the others are: TORCH_LOGS=perf_hints"
            " says why they were skipped."
        )
    if 0 < found.per_run < _FEW and not found.scene.breaks:
        return (
            "Each run of the compiled code launches so few kernels that the GPU mostly waits for"
            " the host to start the run: run it less often with more work, or compile a larger"
            ' function around it with mode="reduce-overhead".'
        )
    # A graph break divides what CUDA graphs could launch together.
    if found.scene.breaks:
        at = join_some([text.partition(" (")[0] for text in found.scene.breaks], 2)
        return (
            f"Mend the graph breaks first ({at}): each piece would be a CUDA graph of its own, and"
            f" one of few kernels spares little. Then let CUDA graphs launch them: {_GRAPHS}."
        )
    return (
        f"Let CUDA graphs launch them together: {_GRAPHS}. Else give each launch more work, such as"
        " a larger batch."
    )


def _eager_operators(found: Found) -> str:
    scene = found.scene
    if not scene.is_compiled and not scene.has_cuda_graphs:
        return (
            f"Nothing here is compiled: {_COMPILE} fuses these operators and launches them as one"
            " CUDA graph."
        )
    if not scene.is_compiled:
        return "Take them into the CUDA graphs that run already, or compile them together."
    more = ", so that CUDA graphs launch them, too" if scene.has_cuda_graphs else ""
    return (
        "Compile what runs them, best in one function with the model (loss, sampling, masks,"
        f" clipping of gradients){more}."
    )


def _eager_optimizer(found: Found) -> str:
    steps = "torch.compile(optimizer.step)"
    # Kernels of a fused optimizer have `_fused_` in their names.
    if any("._fused_" in (spot.what or "") for spot in found.spots):
        return (
            "The optimizer's kernels are fused already; what is left is its Python and its other"
            f" launches. Compile its step: {steps}."
        )
    able = [name for name in found.scene.optimizers if name in _FUSED]
    if able:
        return f"One kernel for all parameters: {able[0]}(…, fused=True); or compile it: {steps}."
    return f"Compile its step: {steps}."


_OF_BREAK = (
    (r"graph_break\(\)", "Remove the call of torch._dynamo.graph_break()."),
    (
        r"Tensor\.item|\.item\(\)|scalar",
        "Keep the value in a tensor, or set torch._dynamo.config.capture_scalar_outputs = True.",
    ),
    (
        r"[Dd]ata-dependent|[Gg]eneric[_ ]jump",
        "Write the condition with torch.where or torch.cond, which compile.",
    ),
    (
        r"print|logging|warn",
        "Take printing and logging out of the compiled function.",
    ),
    (
        r"disable",
        "What torch.compiler.disable marks runs eagerly: call it before or behind the function.",
    ),
)
"""What to do about the reasons that Dynamo of torch 2.2 to 2.13 gives for a graph break."""


def _graph_break(found: Found) -> str:
    # All breaks lie in torch's own code, where the user cannot mend them.
    if found.scene.breaks and set(found.scene.breaks) <= set(found.scene.breaks_in_torch):
        return (
            "It lies in torch's own code: TORCH_LOGS=graph_breaks shows who calls it. Compile what"
            " is called behind it instead, or a function that does not reach it."
        )
    breaks = " ".join(found.scene.breaks)
    mends = [mend for pattern, mend in _OF_BREAK if re.search(pattern, breaks)]
    see = (
        "torch.compile(fullgraph=True) stops at a graph break and says why; TORCH_LOGS=graph_breaks"
        " lists all."
    )
    return " ".join([*mends[:1], see])


def _remedy_synchronization(found: Found) -> str:
    names = " ".join(spot.what or "" for spot in found.spots[:1]).lower()
    if any(word in names for word in ("item", "local_scalar", "is_nonzero", "bool")):
        return (
            "Keep the value on the device, or read it every few steps: .item(), float() and a"
            " condition on a tensor wait for all that was launched before. torch.where takes the"
            " place of a condition."
        )
    if any(word in names for word in ("nonzero", "unique", "masked_select", "repeat_interleave")):
        return "Use an operator whose result has a size that is known without asking the device."
    if "memcpy" in names or "_copy" in names or names.endswith("::to"):
        return "Copy without waiting: pinned memory (tensor.pin_memory()) and non_blocking=True."
    if "free" in names or "malloc" in names:
        return "Allocate before the steps: giving memory back to the device waits for all its work."
    return (
        "Take the wait out of the step: no synchronize(), .cpu() or .item() in it; measure with"
        " events instead."
    )


def _remedy_compiling(found: Found) -> str:
    names = " ".join(filter(None, (spot.what for spot in found.spots)))
    if re.search(r"CUDAGraphNode\.record|recording a CUDA graph", names):
        return (
            "CUDA graphs were recorded inside of the window, once: record the profile after more"
            " warm-up steps (torch runs each graph once before it records it)."
        )
    return (
        "Record the profile after the warm-up, when all is compiled and autotuned:"
        " torch.profiler.schedule(wait=…, warmup=…), or `kernelmap capture`, which waits for that."
    )


def _host_work(found: Found) -> str:
    names = " ".join(spot.what or "" for spot in found.spots[:1])
    if "aten::" in names or "aten." in names:
        return "Run this operator on the device, or ahead of the step in another thread."
    if re.search("malloc|alloc|hostregister", names.lower()):
        return "Allocate before the steps, so that the caching allocator has the memory already."
    return "Do it before the steps, or in another thread."


def _remedy_python(found: Found) -> str:
    if not found.scene.has_steps:
        marked = (
            "torch.cuda.profiler.start() and stop() around some, and an NVTX range around each"
            if found.scene.by_nsys
            else "prof.step() at the end of each"
        )
        return (
            "No steps are marked, so the window may hold what the program did before and between"
            f" them, such as imports and compiling: mark steps ({marked})."
        )
    if found.scene.on_cpu and found.scene.has_stacks:
        return "Do it ahead of the step, or less of it: nothing else runs meanwhile."
    if found.scene.has_stacks:
        return "Move this Python out of the step, or do it while the device still has work queued."
    shows = (
        "NVTX ranges around it show which"
        if found.scene.by_nsys
        else "a profile with with_stack=True shows which function, record_function around it which"
        " part"
    )
    return f"Code ran that leaves no event, such as Python: {shows}."


def _remedy_waiting(found: Found) -> str:
    names = " ".join(spot.what or "" for spot in found.spots[:1])
    if "another stream" in names:
        return "The stream waits for another one: look in the timeline for the event between them."
    if "another device" in names:
        return "The device waits for another one: divide the work more evenly over them."
    return "Launch fewer and larger kernels: the next one is queued before each of these gaps."


def _remedy_copy(found: Found) -> str:
    names = " ".join(found.names)
    if "HtoD" in names:
        return _copy_to_device(found.scene, names)
    return next((text for word, text in _COPIES.items() if word in names), _COPIES["DtoD"])


def _copy_to_device(scene: Scene, names: str) -> str:
    if scene.is_fsdp:
        return (
            "FSDP keeps parameters on the host and copies them for each use: keep them on the"
            " device where memory allows (no offload policy), or let it copy the next ones ahead"
            " (set_modules_to_forward_prefetch)."
        )
    ahead = (
        "Copy ahead, on a stream of its own with non_blocking=True, while the step before computes"
    )
    if re.search("pageable", names, re.IGNORECASE):
        return f"Pin the memory (pin_memory=True) first: it is pageable now. {ahead}."
    pinned = re.search("pinned", names, re.IGNORECASE)
    memory = ": the memory is pinned already" if pinned else ", from pinned memory"
    return f"{ahead}{memory}. Or keep the data on the device."


_COPIES = {
    "DtoH": "Copy less to the host, or into pinned memory with non_blocking=True on a stream of its"
    " own.",
    "PtoP": "Copy between devices on a stream of its own, beside computing.",
    "Memset": "Let compiled code write the values: a fill of its own is fused into what follows.",
    "DtoD": "Write the values where they are needed at once: a copy within the device moves them"
    " twice.",
}


_TEXTS: Mapping[str, str] = {
    Lever.GRAPH_LAUNCHING: (
        "CUDA graphs launch already. Let fewer of them do more: forward and loss in one"
        " function, no graph breaks, and more work in a replay, such as a larger batch."
    ),
    Lever.STATIC_INPUTS: (
        "Keep these inputs at one address: fill the same tensors in every step (tensor.copy_), and"
        " say so before compiling by torch._dynamo.mark_static_address(tensor). Then CUDA graphs"
        " read them where they are. TORCH_LOGS=cudagraph_static_inputs lists which are static."
    ),
    Lever.GUARDS: (
        "Compile fewer and larger functions: guards run once for all that a function holds. Where"
        " nothing that they look at changes after the warm-up,"
        " torch.compiler.set_stance(skip_guard_eval_unsafe=True) leaves most of them out; it is"
        " unsafe where something does."
    ),
    Lever.LOADING_DATA: (
        "Load ahead: num_workers=…, prefetch_factor=…, persistent_workers=True and pin_memory=True"
        " of the data loader, and copy with non_blocking=True."
    ),
    Lever.RECOMPILES: (
        "Keep constant what the guard depends on, or say that it changes:"
        " torch._dynamo.mark_dynamic(tensor, dim) or torch.compile(dynamic=True). TORCH_LOGS="
        "recompiles prints each one."
    ),
    Lever.NOT_RECORDED: (
        "Record the host side of all launches: ProfilerActivity.CPU, or nsys --trace=cuda,nvtx, and"
        " torch.cuda.synchronize() right before the profiler stops."
    ),
    Lever.EXPOSED_COMMUNICATION: (
        "Let collectives run beside computing: start them earlier and in smaller buckets"
        " (DistributedDataParallel's bucket_cap_mb, FSDP's prefetching). `kernelmap fleet` says"
        " whether they wait for a slow rank."
    ),
}
"""What does not depend on the program."""

_REMEDIES: Mapping[str, Remedy] = {
    Lever.LAUNCH_BOUND: _launch_bound,
    Lever.EAGER_OPERATORS: _eager_operators,
    Lever.EAGER_OPTIMIZER: _eager_optimizer,
    Lever.GRAPH_BREAK: _graph_break,
    Lever.SYNCHRONIZATION: _remedy_synchronization,
    Lever.COMPILING: _remedy_compiling,
    Lever.HOST_WORK: _host_work,
    Lever.PYTHON: _remedy_python,
    Lever.WAITING: _remedy_waiting,
    Lever.EXPOSED_COPY: _remedy_copy,
}

_OF_BOUND = {
    "memory": "Move less: a smaller dtype, or fusion with what writes or reads the tensors. For"
    ' kernels of Inductor, mode="max-autotune" tries more configurations.',
    "compute": 'Try other kernels: mode="max-autotune" measures templates against the library; a'
    " smaller dtype has a higher limit.",
    "latency": "There is too little work in a call to fill the device: larger batches, or fewer and"
    " larger calls.",
}
_OF_SLUG = {
    Slug.WRITTEN_AND_READ: "Let the compiler fuse the kernels: TORCH_LOGS=fusion says why it did"
    " not.",
    Slug.SPLIT_REDUCTION: "A reduction in one kernel needs more parallel work: larger outputs,"
    " or torch._inductor.config.split_reductions = False to try.",
    Slug.COMPUTED_AGAIN: "Keep the first result instead of computing it once more.",
    Slug.SMALL_GRID: "Give the kernel more parallel work: batch the calls, or reduce over fewer"
    " elements at a time.",
    Slug.STRIDED_ACCESS: "Keep the tensor in the layout in which it is read (.contiguous() where it"
    " is made, channels_last for convolutions).",
    Slug.LAYOUT_COPY: "Make the tensor in this layout and dtype at once, or read it as it is.",
    Slug.PADDING_COPY: "Make the sizes multiples of 8 elements where the tensors are made, so that"
    " no kernel has to pad them.",
    Slug.FLOAT32_PRODUCT: "torch.set_float32_matmul_precision('high'), or bfloat16 under"
    " torch.autocast.",
    Slug.UNEVEN_ROWS: "Pad the rows to a multiple of 16 bytes where the tensor is made (4,096"
    " elements instead of 4,095).",
    Slug.SCATTERED_ACCESS: "Sort the indices where the order is free, or gather whole rows instead"
    " of elements.",
    Slug.CONTENDED_ATOMICS: "Sort the indices and reduce each run of equal ones first"
    " (torch.segment_reduce, or a one-hot product for few places).",
    Slug.COSTLY_FUNCTIONS: "Compute what depends on few values once, and read it (such as the"
    " sines of positions), or take cheaper functions (gelu with approximate='tanh').",
    Slug.HELPER_KERNELS: "Keep convolutions in channels_last, so that no layout is changed. A"
    " product is split where its result is small and its sum long: larger batches need no split.",
    Slug.LOW_OCCUPANCY: "Let another kernel do it, with smaller tiles or fewer registers:"
    " autotuning tries some, and a library picks others for other sizes and layouts.",
    Slug.LAST_WAVE: "Other block sizes divide the work evenly: autotuning tries some. Sizes that"
    " are a little smaller leave no rest.",
    Slug.START_AND_END: "Fewer and larger calls: larger batches, fusion, or one call for many equal"
    " ones (bmm, foreach).",
    Slug.UNEVEN_PRODUCT: "Pad the sizes to multiples of 8 elements, or better of a whole tile.",
    Slug.EXCESS_TRAFFIC: "Read memory in the order in which it lies: every access brings 32 bytes"
    " at least. Of convolutions, channels_last saves copies to another layout.",
    Slug.BUSY_SMS: "Compute less for each element: keep what is the same for many (sines of"
    " positions, indices), or a cheaper function.",
    Slug.L2_ATOMICS: "Sort what is added by its address, or reduce it before it is added.",
}


def find_remedy(slug: str, found: Found, bound: str | None = None) -> str:
    """What to do about a saving; `bound` is what keeps calls without a reason from being faster."""
    what = next((spot.what or "" for spot in found.spots), "")
    of_engine = remedy_of_engine(slug, found.scene, what, bound)
    if of_engine is not None:
        return of_engine
    if slug in _REMEDIES:
        return _REMEDIES[slug](found)
    if slug in _TEXTS:
        return _TEXTS[slug]
    if slug in _OF_SLUG:
        return _OF_SLUG[Slug(slug)]
    return _OF_BOUND[bound or "memory"]
