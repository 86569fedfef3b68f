"""How a profile spells the type of a tensor's elements → as the FX graph writes it: `bf16`.

torch 2.1 to 2.14 write the names of C++ types (`Input type` of an operator); that of a 64-bit
integer is the compiler's choice.
"""

from __future__ import annotations

_SHORT = {
    "double": "f64",
    "float": "f32",
    "c10::Half": "f16",
    "c10::BFloat16": "bf16",
    "c10::Float8_e4m3fn": "f8e4m3fn",
    "c10::Float8_e4m3fnuz": "f8e4m3fnuz",
    "c10::Float8_e5m2": "f8e5m2",
    "c10::Float8_e5m2fnuz": "f8e5m2fnuz",
    "c10::complex<float>": "c64",
    "c10::complex<double>": "c128",
    "long": "i64",
    "long int": "i64",
    "long long": "i64",
    "int": "i32",
    "short": "i16",
    "short int": "i16",
    "signed char": "i8",
    "unsigned long": "u64",
    "unsigned long int": "u64",
    "unsigned int": "u32",
    "unsigned short": "u16",
    "short unsigned int": "u16",
    "unsigned char": "u8",
    "bool": "b8",
}


def short_dtype(spelled: str) -> str:
    """The type in short, a name that is not known as it is; empty where nothing is said.

    >>> short_dtype("c10::BFloat16"), short_dtype("long int"), short_dtype("c10::QInt8")
    ('bf16', 'i64', 'QInt8')
    """
    return _SHORT.get(spelled) or spelled.removeprefix("c10::")
