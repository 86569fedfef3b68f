"""What a wrapper's allocations, views and checks say of its buffers: name → type.

Takes the lines of generated code, Python or C++; gives texts such as `float32(8, 16)(16, 1)`. Line
by line, since code that does not parse has types too; a word of it decides whether a line is looked
at more closely, since most of them are the insides of kernels. A name that is used again keeps its
first type: the wrapper's names are used once. Left out: the dtype of inputs, which the code does
not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TUPLE = r"(\([^()]*\))"
_VIEW = re.compile(rf"(\w+) = reinterpret_tensor\((\w+), {_TUPLE}, {_TUPLE}")
_CHECK = re.compile(rf"assert_size_stride\((\w+), {_TUPLE}, {_TUPLE}")
_MADE = re.compile(rf"(\w+) = [\w.]+\([^()]*{_TUPLE}, {_TUPLE}.*?torch\.(\w+)")
_SAME = re.compile(r"(?:auto )?(\w+) = (?:std::move\()?(\w+)\)?;")
_ARRAY = re.compile(r"(int_array_\w+)\[\] = \{([^}]*)\}")
_CPP_MADE = re.compile(
    r"aoti_torch_empty_strided\(\w+, (\w+), (\w+), (\w+), .*&(\w+?)(?:_handle)?\)"
)
_SUFFIX = re.compile(r"\b(\d+)L+\b")


def buffer_types(lines: Iterable[str]) -> dict[str, str]:
    """The types of all buffers that the code allocates, views or checks; C++ arrays are sizes."""
    found: dict[str, str] = {}
    for line in lines:
        if "reinterpret_tensor(" in line and (view := _VIEW.search(line)):
            name, base, shape, stride = view.groups()
            found.setdefault(name, f"{_dtype(found.get(base))}{shape}{stride}")
        elif "torch." in line and (made := _MADE.search(line)):
            name, shape, stride, dtype = made.groups()
            found.setdefault(name, f"{dtype}{shape}{stride}")
        elif "assert_size_stride(" in line and (check := _CHECK.search(line)):
            found.setdefault(check[1], f"?{check[2]}{check[3]}")
        elif "int_array_" in line and (array := _ARRAY.search(line)):
            sizes = _SUFFIX.sub(r"\1", array[2])
            found[array[1]] = f"({sizes.strip().rstrip(',')})"
        elif "empty_strided(" in line and (made := _CPP_MADE.search(line)):
            shape, stride, dtype, name = made.groups()
            text = f"{found.get(shape, shape)}{found.get(stride, stride)}"
            found.setdefault(name, dtype.removeprefix("cached_torch_dtype_") + text)
        elif "reuse" in line and (same := _SAME.search(line)) and same[2] in found:
            found.setdefault(same[1], found[same[2]])
    return found


def _dtype(kind: str | None) -> str:
    return kind.partition("(")[0] if kind else "?"
