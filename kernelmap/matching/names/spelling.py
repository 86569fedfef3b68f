"""Names of C++ kernels as different tools spell them: a common key, a short name.

NVIDIA's tools and Kineto demangle one symbol in two ways:

    void at::native::f<(int)4, void at::native::g<float>(int)::[lambda(float) (instance 1)]>(T2)
    void at::native::f<4, at::native::g<float>(int)::{lambda(float)#1}>(at::native::g<float>…)

What both say alike is the key: qualified names and template arguments, without result types,
parameter lists, casts of numbers and white space. A mangled symbol is not demangled; its qualified
name can be read off it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ANONYMOUS = re.compile(r"\(anonymous namespace\)|<unnamed>|\{unnamed\}")
_LAMBDAS = (
    re.compile(r"\[lambda\([^\[\]]*\) \(instance (\d+)\)\]"),
    re.compile(r"\{lambda\([^{}]*\)#(\d+)\}"),
)
_CALL_OPERATOR = re.compile(r"operator ?\( ?\)")
_CAST = re.compile(r"\([\w: ]+\)(-?\d)")
_SUFFIX = re.compile(r"\b(\d+)(?:ull?|ll?|u)\b")
_WORDS = re.compile(r"\b(?:void|const|typename)\b")
_BOOL = {"true": "1", "false": "0"}
_TRUTH = re.compile(r"\b(?:true|false)\b")
_INNERMOST = re.compile(r"\([^()]*\)")
_SPACE = re.compile(r"\s+")
_TEMPLATE = re.compile(r"<[^<>]*>")
_PART = re.compile(r"(\d{1,9})")


@lru_cache(maxsize=1 << 14)  # a profile asks for few names, many times
def key_of_spelling(name: str) -> str:
    """What every spelling of one kernel has in common.

    >>> key_of_spelling("void f<(int)4, std::array<char *, (unsigned long)2>>(int, T2)")
    'f<4,std::array<char*,2>>'
    >>> key_of_spelling("void f<4, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)")
    'f<4,std::array<char*,2>>'
    """
    # Tools write anonymous namespaces in three ways.
    text = _ANONYMOUS.sub("{}", name)
    # Lambdas lie in one another, so the innermost are rewritten until none is left.
    for pattern in _LAMBDAS:
        while (shorter := pattern.sub(r"{lambda#\1}", text)) != text:
            text = shorter
    # The parentheses of `operator()` are part of a name. Those of casts go next, and what is left
    # are lists of parameters, from the inside out.
    text = _CALL_OPERATOR.sub("operator{}", text)
    text = _CAST.sub(r"\1", text)
    while (shorter := _INNERMOST.sub("", text)) != text:
        text = shorter
    text = _WORDS.sub("", text)
    text = _TRUTH.sub(lambda word: _BOOL[word[0]], text)
    return _SPACE.sub("", _SUFFIX.sub(r"\1", text))


def shorten_spelling(name: str) -> str:
    """The kernel's own name, without namespaces, arguments and result.

    >>> shorten_spelling("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(T3)")
    'reduce_kernel'
    >>> names = ("_ZN2at6native13reduce_kernelILi512ELi1EEEvT1_", "triton_poi_fused_add_0")
    >>> tuple(map(shorten_spelling, names))
    ('reduce_kernel', 'triton_poi_fused_add_0')
    """
    if parts := mangled_name(name):
        return parts[-1]
    if name.startswith(("Memcpy ", "Memset ")):
        return name
    text = key_of_spelling(name)
    # Template arguments, from the inside out.
    while (shorter := _TEMPLATE.sub("", text)) != text:
        text = shorter
    return text.rpartition("::")[2] or name


def mangled_name(symbol: str) -> tuple[str, ...]:
    """The parts of the qualified name that a mangled symbol begins with; () for other names.

    >>> mangled_name("_ZN2at6native13reduce_kernelILi512ELi1EEEvT1_"), mangled_name("_Z5saxpyPdS_")
    (('at', 'native', 'reduce_kernel'), ('saxpy',))
    """
    if not symbol.startswith("_Z"):
        return ()
    rest = symbol[2:].removeprefix("N").lstrip("rVK")
    nested = symbol.startswith("_ZN")
    # Each part is its length, then its letters: `13reduce_kernel`.
    parts: list[str] = []
    while number := _PART.match(rest):
        end = number.end() + int(number[1])
        parts.append(rest[number.end() : end])
        rest = rest[end:]
        if not nested:
            break
    return tuple(parts)
