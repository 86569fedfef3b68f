"""Code whose syntax would take gigabytes is an error, whatever it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.cpp_code import ADDMM, wrapper
from kernelmap.compiler import load_compiled
from kernelmap.compiler.python.source import count_signs, parse_python
from kernelmap.errors import KernelmapError
from kernelmap.model.paths import FILE, SIGNS, TOKENS, VARIABLE

MOST = 5_000
HEAD = "async_compile = AsyncCompile()\n"
UNITS = ("a\n", "a;", "a.b\n", "1,", "f(a)\n", "-", "(", "{}\n", "lambda:0\n", "a=b\n", "# a\n")


@pytest.mark.sampled
@pytest.mark.parametrize("unit", UNITS)
def test_dense_python_is_refused(
    tmp_path: Path, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a syntax tree has a node of, the limit counts: no text of many nodes passes it."""
    path = tmp_path / "output_code.py"
    path.write_text(HEAD + unit * (2 * MOST))
    load_compiled(path)
    monkeypatch.setenv(VARIABLE, str(MOST / SIGNS.most))
    monkeypatch.setattr("kernelmap.compiler.python.source.read_bytes", Path.read_bytes)

    with pytest.raises(KernelmapError) as caught:
        load_compiled(path)

    assert caught.value.slug == "input-too-large"
    assert str(path) in caught.value.message
    assert parse_python(path.read_text()) is None


@pytest.mark.parametrize("quotes", ["'''", '"""'])
def test_long_texts_in_code_count_once(quotes: str) -> None:
    """Sources of kernels stand in texts, each of which is one node."""
    text = f"{HEAD}x = async_compile.triton('x', {quotes}{'(a, b)' * MOST}{quotes})\n"

    assert count_signs(text) < MOST


def test_dense_cpp_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for tokens of C++."""
    path = tmp_path / "x.wrapper.cpp"
    path.write_text(wrapper(f"{ADDMM}\n" + "a b;" * MOST))
    assert load_compiled(path).graphs
    monkeypatch.setenv(VARIABLE, str(MOST / TOKENS.most))
    monkeypatch.setattr("kernelmap.compiler.python.source.read_bytes", Path.read_bytes)

    with pytest.raises(KernelmapError) as caught:
        load_compiled(path)

    assert caught.value.slug == "input-too-large"


def test_a_file_beyond_the_limit_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for the text itself."""
    path = tmp_path / "output_code.py"
    path.write_text(HEAD + "#" * 5000)
    monkeypatch.setenv(VARIABLE, str(4000 / FILE.most))

    with pytest.raises(KernelmapError) as caught:
        load_compiled(path)

    assert caught.value.slug == "input-too-large"
