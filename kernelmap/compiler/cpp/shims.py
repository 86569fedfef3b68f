"""The C functions of libtorch that generated C++ calls: their operators and their operands.

`aoti_torch_<device>_<operator>` runs one operator; old code leaves out the device. The dispatcher
and the proxy executor take any operator: the dispatcher is given its name, the proxy executor only
a number, so the comment above has to name the operator. Functions that allocate, look at memory in
another way, or ask a tensor something run no operator.

Inductor reuses memory by moving one variable into the next, so an operand's name leads to the
variable that the memory was first allocated for. Left out: operands that are made within the call
(views of a buffer), which the debug printer leaves out, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.cpp.tokens import Token, TokenKind
from kernelmap.compiler.python.call_names import Callee
from kernelmap.model import Backend, Operands, Origins, WrapperCall
from kernelmap.model.names import SHIM, shim_name, shim_operator

_GLUE = {
    "aoti_torch_clone": "aten.clone",
    "aoti_torch_copy_": "aten.copy_",
    "aoti_torch_tensor_copy_": "aten.copy_",
    "aoti_torch_zero_": "aten.zero_",
}
_ITEM = "aoti_torch_item_"
# Old functions without a device in their name; without this list they look like any other helper.
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
# Functions that take the operator by its name, `aten::mm`, as their first argument.
_BY_NAME = ("aoti_torch_call_dispatcher", "findSchemaOrThrow")
# This one takes a number; the comment above the call has the name.
_BY_NUMBER = "aoti_torch_proxy_executor_call_function"
# A custom operator in Python: its name was given to a statement before.
_PYTHON = "PyObject_CallObject"
_OPERATOR = "torch.ops."
_SAVE, _PRINT, _FORMAT = "aoti_torch_save_tensor_handle", "aoti_torch_print_tensor_handle", "printf"
PRINTERS = (_SAVE, _PRINT, _FORMAT)
"""Functions that the printer's statements call."""

# The printer's statements name the kernel that runs next.
_BEFORE = "before_launch"
_MOVE, _VIEW, _OWNED = "move", "reinterpret_tensor_wrapper", "wrap_with_raii_handle_if_needed"
_HANDLE = "_handle"
_DATA, _NO_TENSOR = "data_ptr", "nullptr"


def callee_of_shim(
    function: str, given: Sequence[Sequence[Token]], python_operator: str
) -> Callee | None:
    """What a call of `function` runs.

    `given` are its arguments, `python_operator` is what was last named for a call of Python.
    """
    if function in _GLUE:
        return Callee(wrapper=function, backend=Backend.GLUE, target=_GLUE[function])
    if function.startswith(_ITEM):
        return Callee(wrapper=function, backend=Backend.GLUE, target="aten.item")
    first = given[0][0].value if given and given[0] else ""
    # `aten::mm` is the operator `aten.mm`; what is no such name leaves it open.
    if function in _BY_NAME or function == _BY_NUMBER:
        space, separator, name = first.partition("::")
        target = f"{space}.{name}" if separator else None
    elif function == _PYTHON and first == "custom_op_wrapper":
        target = _named_operator(python_operator)
    else:
        is_operator = _operator_of_function(function) is not None
        return Callee(wrapper=function, backend=Backend.EXTERN) if is_operator else None
    return Callee(wrapper=function, backend=Backend.EXTERN, target=target, looked_up=True)


def target_of(called: Callee, given: str | None, origins: Origins | None) -> str | None:
    """The operator of a library call; `given` is the name in its handle, `origins` its comment.

    Without any name it is the last of the comment, which is sorted by data flow.
    """
    if called.target is not None or called.backend is not Backend.EXTERN:
        return called.target
    listed = origins.aten if origins is not None else ()
    # Bare name → operator, for the operators that the comment lists.
    names = {op.partition(".")[2]: op for op in listed}
    name = _operator_of_function(called.wrapper) or _operator_of_function(given or "")
    if name is not None:
        return shim_operator(name, names)
    # The comment is sorted by data flow, so the call's own operator is the last.
    return listed[-1] if origins is not None and origins.ordered and listed else None


def target_by_nodes(call: WrapperCall, targets: Sequence[str]) -> str | None:
    """The operator of a library call by its nodes' `targets` (`aten.mm.default`), else None.

    The node whose operator the call's name spells; or the only one.
    """
    if call.backend is not Backend.EXTERN:
        return None
    split = [target.split(".") for target in targets]
    listed = {parts[1]: ".".join(parts[:2]) for parts in split if len(parts) > 1}
    name = _operator_of_function(call.wrapper)
    spelled = shim_operator(name, listed) if name is not None else call.target
    if spelled in listed.values():
        return spelled
    return next(iter(listed.values())) if len(listed) == 1 else None


def _operator_of_function(function: str) -> str | None:
    """The operator's name with its overload, as the function spells it."""
    bare = function.removeprefix(SHIM)
    return shim_name(function) or (bare if bare != function and bare in _WITHOUT_DEVICE else None)


def _named_operator(text: str) -> str | None:
    """`mylib.scale` of `torch.ops.mylib.scale.default`."""
    space, _, name = text.removeprefix(_OPERATOR).partition(".")
    return f"{space}.{name.partition('.')[0]}" if text.startswith(_OPERATOR) and name else None


class Variables(Struct):
    """What is known of the variables so far: `memory` leads from a name to where it began."""

    memory: dict[str, str] = {}
    printed: str | None = None

    def see_name(self, body: Sequence[Token], at: int) -> None:
        """Take in the name at `at`, if it moves memory from one variable to another."""
        names = [token.value for token in body[max(0, at - 4) : at + 4]]
        # At the end of a body fewer tokens are left than a move has.
        if len(names) < 8:  # noqa: PLR2004 -- `X = std::move(Y)` and a mark after it
            return
        match names:
            # `buf1 = std::move(buf0)`, where `at` is the word `move`.
            case [new, "=", "std", "::", _, "(", old, ")"] if body[at].value == _MOVE:
                self._move_memory(new, old)
            # `X = wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(Y,
            # …`: a view in Y's memory.
            case [new, "=", outer, "(", _, "(", old, ","] if (
                body[at].value == _VIEW and outer == _OWNED
            ):
                self._move_memory(new, old)
            case _:
                pass

    def take_printed(self, function: str, texts: Sequence[str]) -> None:
        """Take in a statement of the printer with the texts among its arguments."""
        name = _kernel_named(function, texts)
        self.printed = name or self.printed

    def take_operands(self, given: Sequence[Sequence[Token]]) -> Operands:
        """The operands of a call with the arguments `given`."""
        names = tuple(dict.fromkeys(_iter_tensors(given)))
        printed, self.printed = self.printed, None
        return Operands(
            names=names,
            memory=tuple(self.memory.get(name, name) for name in names),
            results=tuple(_iter_results(given, self.memory)),
            printed=printed,
        )

    def _move_memory(self, new: str, old: str) -> None:
        # Chains lead back to the first owner of the memory: for buf0 → buf1 → buf2 that is buf0.
        self.memory[new] = self.memory.get(old, old)


def _kernel_named(function: str, texts: Sequence[str]) -> str | None:
    """The kernel that a statement says to be about to run."""
    if function == _SAVE:
        # The texts of a saved tensor end with the kernel;
        # only the statements before its launch count.
        return texts[-1] if _BEFORE in texts[:-1] else None
    text = texts[0] if texts else ""
    if function == _PRINT:
        # `before_launch - KERNEL - TENSOR`.
        when, _, rest = text.partition(" - ")
        name = rest.rpartition(" - ")[0]
        return name if when == _BEFORE and name else None
    # `[ before_launch: KERNEL ]`.
    head = f"[ {_BEFORE}: "
    return text[len(head) :].rpartition(" ]")[0] or None if text.startswith(head) else None


def _iter_tensors(given: Sequence[Sequence[Token]]) -> Iterator[str]:
    """Arguments that are a variable, or `(type)(variable.data_ptr())`."""
    for argument in given:
        if len(argument) == 1:
            if argument[0].kind is TokenKind.NAME and argument[0].value != _NO_TENSOR:
                yield argument[0].value
            continue
        for at in range(2, len(argument)):
            if argument[at].value == _DATA and argument[at - 1].value == ".":
                yield argument[at - 2].value
                break


def _iter_results(given: Sequence[Sequence[Token]], memory: Mapping[str, str]) -> Iterator[str]:
    """Arguments that are `&variable_handle`."""
    for argument in given:
        if len(argument) == 2 and argument[0].value == "&" and argument[1].value.endswith(_HANDLE):  # noqa: PLR2004 -- mark and name
            name = argument[1].value.removesuffix(_HANDLE)
            yield memory.get(name, name)
