"""Whether a kernel, an operator or a range moves data between ranks, and by which collective.

Kernels of libraries made for nothing else count by the beginning of the function or by its
namespace (`ncclDevKernel_...`, `deep_ep::internode::...`). All others count by a collective's whole
name in the function's own name: `all_reduce`, `allGather`, `reduce_scatter`, `alltoall`. Single
words are no evidence: `gather`, `scatter`, `reduce` and `broadcast` are local work in most names.

- Names of template arguments say nothing (`elementwise_kernel<..., AllReduceOp>`).
- Kernels that Inductor generated say nothing: it names them after operators nearby, and they run on
  one device.
- A user's kernel called `my_all_reduce` counts: nobody calls local work so, and leaving it out
  would count waiting for other ranks as work.
- On the host, operators count by their namespace (`c10d::`) or like kernels if they have one
  (`vllm::all_reduce`); ranges by what torch's backends put before the collective (`gloo:`). A range
  `all_reduce_loss` is a user's, and does not count.
"""

from __future__ import annotations

import re
from functools import cache

from kernelmap.facts.generated import is_generated_kernel

# A collective's whole name. In this order: the first that fits decides what a name is called.
_COLLECTIVES = (
    ("all_reduce", r"all_?reduce|cross_?device_?reduce"),
    ("all_gather", r"all_?gather|fcollect"),
    ("reduce_scatter", r"reduce_?scatter"),
    ("all_to_all", r"all_?(?:to|2)_?all"),
)
# In a name of a communication library single words tell, too.
_OF_LIBRARIES = (
    ("all_to_all", r"a2a"),
    ("send_recv", r"send_?recv"),
    ("broadcast", r"broadcast|bcast"),
    ("barrier", r"barrier|sync"),
    ("dispatch", r"dispatch"),
    ("combine", r"combine"),
    ("send", r"send|put"),
    ("recv", r"recv|wait_?(?:for_?)?signal|get"),
    ("wait", r"wait"),
    ("gather", r"gather"),
    ("scatter", r"scatter"),
    ("reduce", r"reduce|rdxn"),
)
UNKNOWN = "collective"
"""What a collective is called whose name does not tell which one it is."""
ONE_TO_ONE = frozenset({"send", "recv", "isend", "irecv", "coalesced", "send_recv", "wait"})
"""What two ranks of a group do between them: not all of its ranks take part, nor as often."""

_WHOLE_NAME = re.compile("|".join(words for _, words in _COLLECTIVES))
# How functions of communication libraries begin, or a namespace around them; in lower case. Before
# the beginning of a mangled name stand digits.
_LIBRARY = re.compile(
    r"(?<![a-z_])(?:nccl|rccl|msccl|moea2a)|nvshmem|rocshmem|multimem|_on_stream_kernel"
    r"|(?<![a-z_])(?:c10d|symm_mem|symmetric_memory|quickreduce)::"
    r"|deep_ep::int(?:ra|er)node|mori::.*(?:dispatch|combine)"
)
# A quick filter: a name without any of these words is looked at no closer, so a word that is new in
# _LIBRARY has to stand here, too.
_MAYBE = re.compile(
    rf"{_WHOLE_NAME.pattern}|nccl|rccl|msccl|a2a|shmem|multimem|_on_stream_|c10d|symm_mem"
    r"|symmetric_memory|quickreduce|deep_ep|mori::",
    re.IGNORECASE,
)
# On one device: checks of values, layouts of what is sent, copies before and behind an all-gather.
_LOCAL = re.compile(
    r"c10d::(?:.*::)?checkfornan|moea2a(?:prepare|sanitize)|_copy_(?:in|out)\b|^fsdp::"
)
_GENERATED_CPP = re.compile(r"(?:graph_\d+_)?cpp_fused")

_NAMESPACES = re.compile(
    r"(?:_?c10d(?:_functional(?:_autograd)?)?|symm_mem|xccl|hccl|torchcomms?)(?:::|\.)"
)
_BACKENDS = re.compile(r"(?:nccl|rccl|ncclx|gloo|mpi|ucc|xccl|hccl|mccl|ccl|device):(?!:)")
HOST_BACKENDS = ("gloo", "mpi", "ucc")
"""Backends of torch that communicate from the host; their ranges last as long as a collective."""
_RECORDED = "record_param_comms"


def is_communication(name: str) -> bool:
    """Whether a kernel, operator or range of this name communicates with other ranks.

    >>> is_communication("ncclDevKernel_AllReduce_Sum_f32_RING_LL")
    True
    >>> is_communication("c10d::allreduce_"), is_communication("aten::gather")
    (True, False)
    """
    return is_communication_kernel(name) or is_communication_operator(name)


@cache
def is_communication_kernel(name: str) -> bool:
    """Whether a kernel of this name moves data between devices.

    >>> is_communication_kernel("void vllm::cross_device_reduce_1stage<half, 8>(vllm::RankData*)")
    True
    >>> is_communication_kernel("triton_poi_fused_all_reduce_mul_0")
    False
    """
    # Generated kernels bear names of operators nearby, and run on one device.
    if not _MAYBE.search(name) or is_generated_kernel(name) or _GENERATED_CPP.match(name):
        return False
    function = _function(name).lower()
    if _LOCAL.search(function):
        return False
    # A library may show in a namespace, a collective only in the function's own name.
    own = function.rpartition("::")[2]
    return bool(_LIBRARY.search(function) or _WHOLE_NAME.search(own))


@cache
def is_communication_operator(name: str) -> bool:
    """Whether an operator, written `c10d::send` or `c10d.send`, or a range communicates.

    >>> is_communication_operator("_c10d_functional.all_reduce")
    True
    >>> is_communication_operator("gloo:all_reduce"), is_communication_operator("all_reduce_loss")
    (True, False)
    """
    if _NAMESPACES.match(name) or _BACKENDS.match(name) or name == _RECORDED:
        return True
    space, dots, own = name.lower().replace(".", "::", 1).partition("::")
    if not dots or not space.isidentifier() or _LOCAL.search(f"{space}::{own}"):
        return False
    return _WHOLE_NAME.search(own) is not None


def is_host_collective(name: str) -> bool:
    """Whether a range on the host is one collective from its beginning to its end.

    So torch calls what a backend does for CPU tensors; an operator `c10d::allreduce_` only asks,
    and `nccl:all_reduce` lasts until the kernel is queued.

    >>> is_host_collective("gloo:all_reduce"), is_host_collective("nccl:all_reduce")
    (True, False)
    """
    backend, colon, collective = name.partition(":")
    return backend in HOST_BACKENDS and bool(colon) and not collective.startswith(":")


@cache
def collective_of(name: str) -> str:
    """The collective of a kernel, operator or range that communicates, as torch calls it.

    >>> collective_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
    'all_reduce'
    >>> collective_of("gloo:all_gather"), collective_of("mscclKernel_Sum_half_Simple_false")
    ('all_gather', 'collective')
    """
    if _BACKENDS.match(name):
        return name.partition(":")[2]
    own = _function(name).replace(".", "::").rpartition("::")[2]
    text = own.lower()
    found = (word for word, words in (*_COLLECTIVES, *_OF_LIBRARIES) if re.search(words, text))
    return next(found, UNKNOWN)


def name_of_collective(name: str, stated: str | None) -> str:
    """The collective as the profile states it, else by the name of its kernel or range.

    >>> name_of_collective("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)", "_allgather_base")
    'allgather_base'
    >>> name_of_collective("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)", None)
    'all_gather'
    """
    return collective_of(name) if stated is None else stated.lower().lstrip("_")


def operator_of_kernel(kernel: str) -> str | None:
    """What stands for the operator of a collective that no operator launched; None for other work.

    Of NCCL and RCCL it is the range that torch opens for them, of other libraries `device:` with
    the collective.

    >>> operator_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)")
    'nccl:all_reduce'
    >>> operator_of_kernel("void vllm::cross_device_reduce_1stage<half, 8>(vllm::RankData*)")
    'device:all_reduce'
    >>> operator_of_kernel("triton_poi_fused_add_0")
    """
    if not is_communication_kernel(kernel):
        return None
    backend = "nccl" if kernel.startswith(("nccl", "rccl")) else "device"
    return f"{backend}:{collective_of(kernel)}"


def _function(name: str) -> str:
    """A demangled name without its result, template arguments and parameters.

    >>> _function("void a::(anonymous namespace)::b<c<1>, (d)2>::e<f>(g*, h<i>)")
    'a::::b::e'
    """
    name = name.replace("(anonymous namespace)", "")
    kept, depth = [], 0
    for piece in re.split(r"([<(])|([>)])", name):
        if piece is None:
            continue
        if piece in "<(":
            # The parameter list begins: nothing behind it is part of the name.
            if piece == "(" and not depth:
                break
            depth += 1
        elif piece in ">)":
            depth -= 1
        elif not depth:
            kept.append(piece)
    return "".join(kept).rpartition(" ")[2]
