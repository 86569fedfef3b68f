"""A C function of libtorch that generated C++ calls → what it runs, or None where that is no work.

`aoti_torch_<device>_<operator>` runs one operator; old code leaves out the device. The dispatcher
and the proxy executor take any operator: the dispatcher is told its name, the proxy executor only a
number, so that the comment above has to say which one it is. Left out: functions that allocate,
look at memory in another way, or ask a tensor something.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.compiler.cpp.tokens import Token
from kernelmap.compiler.python.call_names import Callee
from kernelmap.model import Backend, Origins, WrapperCall
from kernelmap.model.operators import SHIM, shim_name, shim_operator

_GLUE = {
    "aoti_torch_clone": "aten.clone",
    "aoti_torch_copy_": "aten.copy_",
    "aoti_torch_tensor_copy_": "aten.copy_",
    "aoti_torch_zero_": "aten.zero_",
}
_ITEM = "aoti_torch_item_"
_WITHOUT_DEVICE = {
    "_embedding_bag",
    "_fft_c2c",
    "_mm_plus_mm_out",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_v2",
    "_scaled_mm",
    "_scaled_mm_v2",
    "addmm_out",
    "bmm_out",
    "convolution",
    "index_put_out",
    "mm_out",
    "nonzero",
    "repeat_interleave_Tensor",
    "scatter_out",
    "scatter_reduce_out",
}
_BY_NAME = ("aoti_torch_call_dispatcher", "findSchemaOrThrow")
_BY_NUMBER = "aoti_torch_proxy_executor_call_function"
_PYTHON = "PyObject_CallObject"
_OPERATOR = "torch.ops."


def shim(function: str, given: Sequence[Sequence[Token]], told: str) -> Callee | None:
    """What a call of `function` runs.

    `given` are its arguments, `told` is the operator that was last named for a call of Python.
    """
    if function in _GLUE:
        return Callee(wrapper=function, backend=Backend.GLUE, target=_GLUE[function])
    if function.startswith(_ITEM):
        return Callee(wrapper=function, backend=Backend.GLUE, target="aten.item")
    first = given[0][0].value if given and given[0] else ""
    if function in _BY_NAME or function == _BY_NUMBER:
        space, found, name = first.partition("::")
        target = f"{space}.{name}" if found else None
    elif function == _PYTHON and first == "custom_op_wrapper":
        target = _told(told)
    else:
        known = _operator(function) is not None
        return Callee(wrapper=function, backend=Backend.EXTERN) if known else None
    return Callee(wrapper=function, backend=Backend.EXTERN, target=target, looked_up=True)


def target_of(called: Callee, given: str | None, origins: Origins | None) -> str | None:
    """The operator of a library call; `given` is the name in its handle, `origins` its comment.

    Without any name it is the last of the comment, which is sorted by data flow.
    """
    if called.target is not None or called.backend is not Backend.EXTERN:
        return called.target
    listed = origins.aten if origins is not None else ()
    names = {op.partition(".")[2]: op for op in listed}
    name = _operator(called.wrapper) or _operator(given or "")
    if name is not None:
        return shim_operator(name, names)
    return listed[-1] if origins is not None and origins.ordered and listed else None


def target_by_nodes(call: WrapperCall, targets: Sequence[str]) -> str | None:
    """The operator of a library call by its nodes' `targets` (`aten.mm.default`), else None.

    The node whose operator the call's name spells; or the only one.
    """
    if call.backend is not Backend.EXTERN:
        return None
    split = [target.split(".") for target in targets]
    listed = {parts[1]: ".".join(parts[:2]) for parts in split if len(parts) > 1}
    name = _operator(call.wrapper)
    spelled = shim_operator(name, listed) if name is not None else call.target
    if spelled in listed.values():
        return spelled
    return next(iter(listed.values())) if len(listed) == 1 else None


def _operator(function: str) -> str | None:
    """The operator's name with its overload, as the function spells it."""
    bare = function.removeprefix(SHIM)
    return shim_name(function) or (bare if bare != function and bare in _WITHOUT_DEVICE else None)


def _told(text: str) -> str | None:
    """`mylib.scale` of `torch.ops.mylib.scale.default`."""
    space, _, name = text.removeprefix(_OPERATOR).partition(".")
    return f"{space}.{name.partition('.')[0]}" if text.startswith(_OPERATOR) and name else None
