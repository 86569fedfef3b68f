"""Pickles of plain data are read as Python would read them, and nothing in a pickle is ever run."""

from __future__ import annotations

import ast
import gzip
import pickle
from collections import OrderedDict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.model.paths import VARIABLE
from kernelmap.traces.memory_snapshot import plain_pickle
from kernelmap.traces.memory_snapshot.plain_pickle import PickleError, read_plain_pickle

SAMPLE = Path(__file__).parents[2] / "sample_traces" / "cuda_memory_mlp"
KEYS = st.text(max_size=8) | st.integers(-(2**40), 2**70)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**100), 2**100)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.binary(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=5)
    ),
    max_leaves=20,
)


class Opens:
    """Unpickled, it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return self.path.write_text, ("it ran",)


@settings(max_examples=examples(100))
@given(PLAIN, st.sampled_from([3, 4, 5]))
def test_plain_data_comes_back(value: object, protocol: int) -> None:
    """Whatever of it is met again, and in whichever protocol it was written."""
    both = [value, value, {"again": value}]

    assert read_plain_pickle(pickle.dumps(both, protocol)) == both


def test_a_snapshot_of_a_gpu_comes_back() -> None:
    """As Python's pickle gives it; torch's own writer in C++ writes protocol 2."""
    data = gzip.decompress((SAMPLE / "memory_snapshot.pickle.gz").read_bytes())
    expected = pickle.loads(data)  # noqa: S301 -- of our own sample

    assert read_plain_pickle(data) == expected
    assert read_plain_pickle(pickle.dumps(expected, 2)) == expected


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_names_a_function_is_refused_and_not_run(tmp_path: Path, protocol: int) -> None:
    """Neither functions nor classes nor what stands for them elsewhere."""
    target = tmp_path / "ran"
    foreign = [Opens(target), OrderedDict(a=1), int, ValueError("x"), pickle.loads]

    for value in foreign:
        with pytest.raises(PickleError, match="names something to import or to call") as caught:
            read_plain_pickle(pickle.dumps({"segments": [value]}, protocol))
        assert caught.value.is_foreign
    assert not target.exists()


@pytest.mark.parametrize(
    "code", [b"c", b"\x93", b"R", b"b", b"i", b"o", b"\x81", b"\x92", b"P", b"Q"]
)
def test_every_opcode_that_leads_out_of_the_file_is_refused(code: bytes) -> None:
    """Whatever stands before it: an opcode that is not known does nothing."""
    with pytest.raises(PickleError) as caught:
        read_plain_pickle(b"\x80\x02(X\x02\x00\x00\x00osX\x06\x00\x00\x00system" + code + b".")

    assert caught.value.is_foreign


def test_the_reader_has_no_way_to_import_anything() -> None:
    """Python's pickle is not among what it imports, nor anything that looks names up."""
    tree = ast.parse(Path(plain_pickle.__file__).read_text())
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert imported == {
        "struct",
        "collections.abc",
        "typing",
        "kernelmap.model.paths",
        "__future__",
    }
    assert not called & {"getattr", "eval", "exec", "__import__", "compile", "globals", "vars"}


@settings(max_examples=examples(100))
@given(PLAIN, st.data())
def test_what_is_cut_off_or_damaged_is_an_error_or_plain(
    value: object, data: st.DataObject
) -> None:
    """Any bytes at all: a value of plain types, or a PickleError."""
    whole = pickle.dumps(value, 4)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(PickleError):
        read_plain_pickle(whole[:cut])

    changed = bytearray(whole)
    changed[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = read_plain_pickle(bytes(changed))
    except PickleError:
        return
    assert type(read) in (type(None), bool, int, float, str, bytes, list, tuple, dict)


def _nested(levels: int) -> bytes:
    return b"\x80\x02" + b"]" * levels + b"a" * (levels - 1) + b"."


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty", b"", "does not begin"),
        ("protocol", b"\x80\x07N.", "protocol 7"),
        ("text", b"I1\n.", "does not begin"),
        ("two values", b"\x80\x02NN.", "one value"),
        ("open mark", b"\x80\x02N(.", "one value"),
        ("no value", b"\x80\x02.", "one value"),
        ("unknown", b"\x80\x02\xff.", "opcode 0xff"),
        ("set", b"\x80\x04\x8f.", "opcode 0x8f"),
        ("marks", b"\x80\x02" + b"(" * 2000, "lie in one another"),
        ("a number without an end", b"\x80\x02\x8a\xff" + b"\x01" * 255 + b".", "255 bytes"),
        ("a text beyond the end", b"\x80\x04\x8d" + b"\xff" * 8 + b".", "cut off"),
        ("a frame beyond the end", b"\x80\x04\x95" + b"\xff" * 8 + b".", "one value"),
        ("a memo that is empty", b"\x80\x02h\x07.", "cut off"),
        ("a key that takes for ever", b"\x80\x02}" + b")" + b"\x85" * 99 + b"Ns.", "neither text"),
        ("an odd dict", b"\x80\x02}(NNNu.", "cut off"),
        ("items into a text", b"\x80\x02X\x01\x00\x00\x00a(Ne.", "cut off"),
        ("items into nothing", b"\x80\x02(Ne.", "cut off"),
        ("values before a mark", b"\x80\x02](Na.", "cut off"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_bytes_are_a_clear_error(name: str, data: bytes, why: str) -> None:
    """Each says why, and takes neither time nor memory before it does."""
    with pytest.raises(PickleError, match=why):
        read_plain_pickle(data)
    assert name


def test_a_place_in_the_memo_costs_one_value_wherever_it_is() -> None:
    """Python's own reader makes room for four thousand million."""
    assert read_plain_pickle(b"\x80\x02]r\xff\xff\xff\xff0j\xff\xff\xff\xff.") == []


def test_what_is_nested_deep_or_shared_often_does_no_harm() -> None:
    """Nothing walks through it: neither a stack that overflows, nor 2^60 values."""
    assert type(read_plain_pickle(_nested(200_000))) is list
    doubled = b"\x80\x04]\x94" + b"".join(b"](h%ch%ce\x94" % (at, at) for at in range(60)) + b"\x85"
    with pytest.raises(PickleError, match="one value"):
        read_plain_pickle(doubled + b".")


def test_the_values_of_a_pickle_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of few bytes may ask for many values, and a large one for more than there is room."""
    monkeypatch.setenv(VARIABLE, "0.00001")  # 300 values

    assert len(read_plain_pickle(pickle.dumps(list(range(290))))) == 290  # type: ignore[arg-type]
    for data in (pickle.dumps(list(range(310))), b"\x80\x02" + b"]" * 310):
        with pytest.raises(PickleError, match="300 values"):
            read_plain_pickle(data)
