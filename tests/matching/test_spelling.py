"""Names of C++ kernels in the spellings of several tools."""

from __future__ import annotations

import pytest

from kernelmap.matching.names.spelling import key_of_spelling, mangled_name, shorten_spelling

# What NVIDIA's tools write, what Kineto (and c++filt) write, and the kernel's own name.
PAIRS = (
    (
        "void ours::fill<(int)4, ours::Fill<long>, std::array<char *, (unsigned long)1>>(int, T2)",
        "void ours::fill<4, ours::Fill<long>, std::array<char*, 1ul> >(int, ours::Fill<long>)",
        "fill",
    ),
    (
        "void ours::<unnamed>::copy<ours::<unnamed>::Opaque<(unsigned int)4>, (bool)1>(T1 *, int)",
        (
            "void ours::(anonymous namespace)::copy<ours::(anonymous namespace)::Opaque<4u>, true>"
            "(ours::(anonymous namespace)::Opaque<4u>*, int)"
        ),
        "copy",
    ),
    (
        (
            "void ours::each<(int)2, void ours::impl<float>(ours::It &, const T1 &)::[lambda(int)"
            " (instance 1)]>(int, T2)"
        ),
        (
            "void ours::each<2, ours::impl<float>(ours::It&, float const&)::{lambda(int)#1}>"
            "(int, ours::impl<float>(ours::It&, float const&)::{lambda(int)#1})"
        ),
        "each",
    ),
    (
        (
            "void ours::each<ours::op(ours::It &)::[lambda() (instance 3)]::operator ()() const::"
            "[lambda(const float &) (instance 7)]>(T1)"
        ),
        (
            "void ours::each<ours::op(ours::It&)::{lambda()#3}::operator()() const::"
            "{lambda(float const&)#7}>(ours::op(ours::It&)::{lambda()#3}::operator()() const::"
            "{lambda(float const&)#7})"
        ),
        "each",
    ),
    ("saxpy(double *, double, int)", "saxpy(double*, double, int)", "saxpy"),
    ("sm80_gemm_f32_tn_n", "sm80_gemm_f32_tn_n", "sm80_gemm_f32_tn_n"),
)


@pytest.mark.parametrize(("nvidia", "kineto", "shortened"), PAIRS)
def test_two_spellings_of_one_symbol_have_one_key(nvidia: str, kineto: str, shortened: str) -> None:
    """Casts, suffixes, lambdas, blanks and parameter lists make no difference."""
    assert key_of_spelling(nvidia) == key_of_spelling(kineto)
    assert shorten_spelling(nvidia) == shorten_spelling(kineto) == shortened


def test_other_template_arguments_are_another_kernel() -> None:
    """Whatever distinguishes two kernels stays in the key."""
    names = [
        "void f<(int)4>(T1)",
        "void f<(int)2>(T1)",
        "void f<(int)4, float>(T1)",
        "void f<ours::op()::[lambda() (instance 1)]>(T1)",
        "void f<ours::op()::[lambda() (instance 2)]>(T1)",
        "void f<(bool)0>(T1)",
        "void g<(int)4>(T1)",
    ]

    assert len({key_of_spelling(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["triton_poi_fused_add_0", "triton__0d1c", "Memset (Device)"])
def test_names_that_are_no_cpp_stay_as_they_are(name: str) -> None:
    """Triton's names, and those of copies and fills, have one spelling."""
    assert shorten_spelling(name) == name
    assert mangled_name(name) == ()


def test_a_mangled_symbol_tells_its_qualified_name() -> None:
    """It is read as far as namespaces and the name go."""
    assert mangled_name("_ZN4ours4eachIfEEvT_") == ("ours", "each")
    assert mangled_name("_ZNK4ours1fEv") == ("ours", "f")
    assert mangled_name("_Z5saxpyPdS_di") == ("saxpy",)
    assert mangled_name("_Z") == ()
