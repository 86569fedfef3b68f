"""The C++ in a text of generated code, on the lines where it stands.

Takes the text of a C++ file (`*.wrapper.cpp` of AOTInductor, `*.main.cpp` in Inductor's cache), or
of a Python file that holds C++ in a string, `cpp_wrapper_src = (r'''…''')`, as `cpp_wrapper=True`
makes Inductor write it. Everything else becomes empty lines, so line numbers stay. Nothing here
compiles what it reads.
"""

from __future__ import annotations

import re

_ENTRIES = ("::run_impl(", "void inductor_entry_impl(", "class AOTInductorModelKernels")
_IN_PYTHON = re.compile(
    r"^(?:cpp_wrapper_src|kernel_src) = \(\s*[rR]?(?P<quotes>\"\"\"|''')", re.MULTILINE
)
_END = re.compile(r"^} // (?:inductor_entry_impl|\w+::run_impl)$", re.MULTILINE)
_EXPORTED = re.compile(r'^extern "C"[^(;{}"]*?\b(\w++)\(', re.MULTILINE)
_HEADERS = ("#include <torch/csrc/inductor/", "AOTInductorModel", "inductor_entry_impl(")
_STARTS = ("//", "/*", "#include", "#define", "#pragma", "#if")
_PYTHON_STRING = "cpp_wrapper_src = ("


def is_cpp_wrapper(text: str) -> bool:
    """Whether `text` holds a C++ wrapper or the start of one, and not only kernels.

    >>> is_cpp_wrapper("void AOTInductorModel::run_impl(int x) { }")
    True
    >>> is_cpp_wrapper('extern "C" void cpp_fused_add_0(const float* in_ptr0);')
    False
    """
    return any(entry in text for entry in _ENTRIES)


def starts_as_cpp(head: str) -> bool:
    """Whether the start of a file is that of C++ by Inductor, as far as that shows."""
    return head.lstrip().startswith(_STARTS) and any(word in head for word in _HEADERS)


def holds_cpp(head: str) -> bool:
    """Whether the start of a Python file says that it holds a C++ wrapper."""
    return any(line.startswith(_PYTHON_STRING) for line in head.split("\n"))


def cpp_part(text: str) -> str | None:
    """The C++ of `text` on its own lines, None where it holds none."""
    inside = list(_IN_PYTHON.finditer(text))
    if not inside:
        return text if text.lstrip().startswith(_STARTS) or is_cpp_wrapper(text) else None
    parts, at = list[str](), 0
    for opening in inside:
        if opening.end() < at:
            continue
        end = text.find(opening["quotes"], opening.end())
        end = len(text) if end < 0 else end
        parts.append("\n" * text.count("\n", at, opening.end()) + text[opening.end() : end])
        at = end
    return "".join(parts)


def exported(text: str) -> frozenset[str]:
    """The names of the kernels that a wrapper declares.

    >>> exported('extern "C"  void  cpp_fused_add_0(const float* in_ptr0);')
    frozenset({'cpp_fused_add_0'})
    """
    return frozenset(match[1] for match in _EXPORTED.finditer(text))


def defines_any(text: str, names: frozenset[str]) -> bool:
    """Whether `text` exports one of `names`."""
    return not names.isdisjoint(exported(text))


def core(text: str) -> str:
    """What makes two copies of generated code the same.

    The same wrapper is written with its kernels behind it or without, with the compiler's command
    below it, and inside of Python; only what comes before and in its entry function counts.
    """
    part = cpp_part(text)
    if part is None:
        return text.strip()
    ends = list(_END.finditer(part))
    return part[: ends[-1].end() if ends else len(part)].strip()
