"""A small wrapper of AOTInductor with the debug printer's statements, and logs of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from compiler.cpp_code import put, wrapper

ADDMM, LOG, SORT, ADD = (
    "aoti_torch_cpu_addmm_out",
    "cpp_fused_log_0",
    "at::_ops::sort_stable::call",
    "cpp_fused_add_1",
)
PROXY = "aoti_torch_proxy_executor_call_function"
# Each call: the printer's name, its tensors, the statement. Inductor reuses buf0 as buf1.
CALLS = (
    (ADDMM, ("buf0", "arg0_1"), "aoti_torch_cpu_addmm_out(buf0, w, arg0_1, view(w2, 1L));"),
    (LOG, ("buf1",), "cpp_fused_log_0((float*)(buf1.data_ptr()));"),
    (SORT, ("buf1",), "aoti_torch_cpu_sort_stable(buf1, 1L, &buf3_handle, &buf4_handle);"),
    (ADDMM, ("buf5", "buf3"), "aoti_torch_cpu_addmm_out(buf5, w, buf3, view(w2, 1L));"),
    (None, (), 'aoti_torch_proxy_executor_call_function(proxy, 0, "lib::op");'),
    (
        ADD,
        ("buf6", "buf5"),
        "cpp_fused_add_1((float*)(buf6.data_ptr()), (const float*)buf5.data_ptr());",
    ),
)
NAMES = tuple(name for name, _, _ in CALLS if name is not None)


def body(level: int | None, *, only: Sequence[str] = NAMES) -> str:
    """The calls in a row, with what the printer adds at `level` for the kernels `only`."""
    lines = []
    for number, (name, tensors, statement) in enumerate(CALLS):
        said = name is not None and name in only and level is not None
        lines += statements(level, "before", name, tensors) if said and level and name else []
        lines.append(statement)
        lines += statements(level, "after", name, tensors) if said and level and name else []
        lines += ["auto buf1 = std::move(buf0);  // reuse"] if number == 0 else []
    return "\n".join(lines)


def statements(level: int, when: str, name: str, tensors: Sequence[str]) -> list[str]:
    """The printer's statements at one side of a call."""
    if level == 1:
        save = "aoti_torch_save_tensor_handle"
        return [
            f'{save}({variable}, "{variable}", "{when}_launch", "{name}");' for variable in tensors
        ]
    if level == 2:
        show = "aoti_torch_print_tensor_handle"
        return [
            f'{show}({variable}, "{when}_launch - {name} - {variable}");' for variable in tensors
        ]
    return [f'printf("[ {when}_launch: {name} ]\\n");']


def code(folder: Path, level: int | None = None, *, only: Sequence[str] = NAMES) -> Path:
    """The wrapper in a file of `folder`."""
    return put(folder, wrapper(body(level, only=only)))


def launches(*numbers: int) -> str:
    """A log of level 3 in which the calls with these numbers began and came back."""
    names = [CALLS[number][0] for number in numbers]
    return "".join(f"[ before_launch: {name} ]\n[ after_launch: {name} ]\n" for name in names)


def tensor(title: str, low: float | str = -1.0, high: float | str = 1.0) -> str:
    """What level 2 prints of a tensor."""
    return (
        f"[  {title}  ]:\nNumber of elements: 4\nDtype: float32\nMean value: 0.5\n"
        f"Min value: {low}\nMax value: {high}\nDevice: cpu\nSize: [2, 2]\nStride: [2, 1]\n"
        "Layout: Strided\nIs contiguous: 1\nRequires grad: 0\n\n"
    )


def values(number: int, when: str, **odd: str) -> str:
    """All tensors of a call, those named in `odd` with that value in them."""
    name, tensors, _ = CALLS[number]
    return "".join(
        tensor(
            f"{when}_launch - {name} - {variable}",
            high=odd.get(variable, "1"),
            low=odd.get(variable, "-1"),
        )
        for variable in tensors
    )
