"""C++ as tokens, functions, blocks: what must not be taken for code, and what is never lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.compiler.cpp.functions import ControlBlocks, find_functions, split_arguments
from kernelmap.compiler.cpp.tokens import Token, TokenKind, tokenize_cpp
from kernelmap.model import Occurrence

ONCE, BRANCH, LOOP = Occurrence.ONCE, Occurrence.BRANCH, Occurrence.LOOP


def values(text: str, *kinds: TokenKind) -> list[str]:
    return [token.value for token in tokenize_cpp(text) if not kinds or token.kind in kinds]


@given(st.text(), st.text("abcXYZ_", max_size=16))
def test_a_raw_string_holds_anything(inside: str, tag: str) -> None:
    """Quotes, braces, brackets and comment marks in a raw string are text, up to its own end."""
    closing = f'){tag}"'
    inside = inside.replace(closing, "")
    scanned = tokenize_cpp(f'f(R"{tag}({inside}{closing}, 1)')

    assert [token.value for token in scanned] == ["f", "(", inside, ",", "1", ")"]
    assert scanned[2].kind is TokenKind.TEXT
    assert scanned[2].last == 1 + inside.count("\n")


@given(st.text("abR\"'()[]{}/*\\#;\n 1.", max_size=60))
def test_any_text_has_tokens(text: str) -> None:
    """Nothing that looks like C++ makes it stop, and lines only go up to the text's last."""
    scanned = tokenize_cpp(text)
    lines = [token.line for token in scanned]

    assert lines == sorted(lines)
    assert all(1 <= token.line <= token.last <= text.count("\n") + 1 for token in scanned)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a /* { ( */ b", ["a", " { ( ", "b"]),
        ("a // { ( \nb", ["a", "{ (", "b"]),
        ('"a\\"b // c" d', ['a"b // c', "d"]),
        ("'\"' x", ["'\"'", "x"]),
        ("1'000L x", ["1'000L", "x"]),
        ("1e-5f+2", ["1e-5f", "+", "2"]),
        ("a::b->c", ["a", "::", "b", "->", "c"]),
        ("#define X { \\\n  ( \nx", ["x"]),
        ("  #if 0\nx # y", ["x", "#", "y"]),
        ('u8R"(a"b)" x', ['a"b', "x"]),
    ],
)
def test_what_is_one_token(text: str, expected: list[str]) -> None:
    """Comments, texts, numbers and directives are taken whole."""
    assert values(text) == expected


@pytest.mark.parametrize("start", ['R"x(', "/* ", '"'])
def test_what_never_ends_hides_its_own_line_only(start: str) -> None:
    """A file that was cut off, or quoted badly, keeps what follows."""
    assert values(f"a {start} hidden {{\nf(1);", TokenKind.NAME, TokenKind.NUMBER) == [
        "a",
        "f",
        "1",
    ]


def test_a_thousand_open_comments_are_read_in_no_time() -> None:
    """A hostile text costs no search per mark: unclosed marks are given up on."""
    scanned = tokenize_cpp("/* \n" * 50_000 + "f")

    assert scanned[-1] == Token(TokenKind.NAME, "f", 50_001, 50_001)


CODE = """
extern "C"  void  cpp_fused_add_0(const float* in_ptr0,
                       float* out_ptr0);
extern "C" {
int AOTInductorModelRun(int a) { return f(a); }
}
namespace {
class Model : public Base {
  public:
    void* cpp_fused_add_0{nullptr};
    Model() {}
    int get(int x = 3) const { return x; }
};
}
Model::Model(int a, std::string&& b)
    : Base(1, a) {
    this->x = {1, 2};
}
extern "C"  void  cpp_fused_mul_1(float* out_ptr0)
{
    for (;;) { }
}
void last() { if (x) {
"""


def test_functions_are_found_where_they_stand() -> None:
    """Namespaces, classes and `extern "C"` are looked into; a body without end goes to the end."""
    outline = find_functions(tokenize_cpp(CODE))

    assert {name: (f.line, f.last) for name, f in outline.defined.items()} == {
        "AOTInductorModelRun": (5, 5),
        "Model": (11, 11),
        "get": (12, 12),
        "Base": (16, 18),
        "cpp_fused_mul_1": (19, 22),
        "last": (23, 23),
    }
    assert outline.defined["get"].parameters == ("x",)
    assert outline.exported == {"cpp_fused_add_0": 2, "cpp_fused_mul_1": 19}


def test_arguments_are_split_at_their_own_commas() -> None:
    """Commas in brackets, braces and texts separate nothing."""
    code = tokenize_cpp('f(a, g(b, c), {d, e}, "x,y", /* h, */ i[j, k])')

    assert [[t.value for t in argument] for argument in split_arguments(code, 1)] == [
        ["a"],
        ["g", "(", "b", ",", "c", ")"],
        ["{", "d", ",", "e", "}"],
        ["x,y"],
        ["i", "[", "j", ",", "k", "]"],
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("f();", [ONCE]),
        ("{ f(); }", [ONCE]),
        ("if (f()) { f(); } else { f(); } f();", [ONCE, BRANCH, BRANCH, ONCE]),
        ("if (a) f(); f();", [BRANCH, ONCE]),
        ("if (a) f(); else if (b) { f(); } f();", [BRANCH, BRANCH, ONCE]),
        ("while (f()) { f(); if (a) break; f(); } f();", [LOOP, LOOP, LOOP, ONCE]),
        ("for (;;) { if (a) { f(); } }", [LOOP]),
        ("if (a) { while (b) f(); f(); }", [LOOP, BRANCH]),
        ("if (a) for (;;) f(); f();", [LOOP, ONCE]),
        ("do { f(); } while (a); f();", [LOOP, ONCE]),
        ("if (a) { x = {1, 2}; f(); } f();", [BRANCH, ONCE]),
        ("switch (a) { case 0: f(); }", [BRANCH]),
    ],
)
def test_how_often_a_statement_runs(body: str, expected: list[Occurrence]) -> None:
    """`if` makes a branch, `while` and `for` a loop; a loop in a branch stays a loop."""
    code, blocks, seen = tokenize_cpp(body), ControlBlocks(ONCE), []
    for at, token in enumerate(code):
        blocks.step_to(code, at)
        if token.value == "f":
            seen.append(blocks.occurrence)

    assert seen == expected
