"""Inductor's cache folder as an input: code under its key, without ever loading a pickle."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.caches import key_of, put_code, put_entry
from compiler.generated import triton, wrapper, wrappers
from compiler.logs import graph
from kernelmap.compiler import load_compiled
from kernelmap.compiler.files.fx_entry import text_of

A = "triton_poi_fused_a_0"


def code(op: str = "neg", aot: str = "0_forward") -> str:
    body = f"# [Provenance debug handles] {A}:1\n{A}.run(x, y, 64, stream=s)\naten.{op}(x)"
    return wrapper(triton(A), body=body, aot=aot)


def test_an_entry_gives_all_that_a_log_gives(tmp_path: Path) -> None:
    """Code, key, mapping, stack traces and the graph's text stand in the entry."""
    frame = '  File "/home/me/m.py", line 7, in f\n    y = f(x)\n'
    put_entry(
        tmp_path,
        key_of("x"),
        code(),
        inductor_post_grad_graph_str=graph("neg"),
        inductor_provenance_mapping_str={"cppCodeToPost": {f"{A}:1": ["neg"]}},
        inductor_provenance_stack_traces_str={f"{A}:1": [frame]},
    )
    file = put_code(tmp_path, code())
    program = load_compiled(tmp_path)
    (compiled,) = program.graphs

    assert program.notices == ()
    assert (compiled.cache_key, compiled.code, compiled.id) == (key_of("x"), str(file), "0_forward")
    assert compiled.calls[0].nodes == ("neg",)
    assert [line.line for line in compiled.calls[0].lines] == [7]
    assert [node.lines[0].line for node in compiled.nodes] == [10]
    assert not compiled.borrowed


def test_code_that_is_gone_is_read_from_its_entry(tmp_path: Path) -> None:
    """The entry alone is enough; the graph is then named by it."""
    entry = put_entry(tmp_path, key_of("x"), code())
    (compiled,) = load_compiled(entry).graphs

    assert (compiled.code, compiled.cache_key, wrappers(compiled)) == (
        str(entry),
        key_of("x"),
        [A, "aten.neg"],
    )


def test_old_entries_name_their_file(tmp_path: Path) -> None:
    """Entries without code state the stem of the file that has it."""
    file = put_code(tmp_path, code())
    path = tmp_path / "fxgraph/xa" / key_of("x") / "entry"
    path.parent.mkdir(parents=True)
    path.write_bytes(pickle.dumps({"class": "CompiledFxGraph", "cache_key": file.stem}, protocol=4))
    (compiled,) = load_compiled(path).graphs

    assert (compiled.code, compiled.cache_key) == (str(file), key_of("x"))


def test_one_code_under_two_keys_is_two_graphs(tmp_path: Path) -> None:
    """Each key names its own graph in a profile."""
    put_code(tmp_path, code())
    for name in ("x", "y"):
        put_entry(tmp_path, key_of(name), code())
    graphs = load_compiled(tmp_path).graphs

    assert sorted(graph.cache_key or "" for graph in graphs) == [key_of("x"), key_of("y")]
    assert len({graph.id for graph in graphs}) == 2


class Trap:
    """What a hostile pickle does when it is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("a pickle was loaded",))


def test_no_pickle_is_ever_loaded(tmp_path: Path) -> None:
    """An entry that would run something when loaded is only searched for its texts."""
    path = tmp_path / "fxgraph/xa" / key_of("x") / "entry"
    path.parent.mkdir(parents=True)
    state = {"class": "CompiledFxGraph", "source_code": code(), "trap": Trap()}
    path.write_bytes(pickle.dumps(state, protocol=4))

    assert [wrappers(graph) for graph in load_compiled(tmp_path).graphs] == [[A, "aten.neg"]]


@pytest.mark.parametrize(
    ("others", "slugs"),
    [
        ({"inductor_provenance_mapping_str": "{"}, ["cache-entry-unreadable"]),
        ({"inductor_provenance_stack_traces_str": "[1]"}, ["cache-entry-unreadable"]),
        ({"inductor_provenance_mapping_str": ""}, []),
    ],
)
def test_a_broken_text_costs_only_itself(
    others: dict[str, object], slugs: list[str], tmp_path: Path
) -> None:
    """The code stays where another text of the entry is no JSON of its kind."""
    put_entry(tmp_path, key_of("x"), code(), **others)
    program = load_compiled(tmp_path)

    assert [graph.cache_key for graph in program.graphs] == [key_of("x")]
    assert [notice.slug for notice in program.notices] == slugs


def test_an_entry_without_code_says_so(tmp_path: Path) -> None:
    """C++ wrappers and entries that were cut off hold no code that is read."""
    entry = put_entry(tmp_path, key_of("x"), None)
    program = load_compiled(entry)

    assert program.graphs == ()
    assert [(notice.slug, notice.gap) for notice in program.notices] == [
        ("cache-entry-unreadable", True)
    ]


@given(st.dictionaries(st.text(st.characters(codec="ascii"), min_size=1), st.text(), max_size=5))
def test_texts_are_found_as_pickle_wrote_them(state: dict[str, str]) -> None:
    """Whatever text stands behind a name that is written once, it is found; never more than it."""
    data = pickle.dumps({**state, "source_code": "x" * 300}, protocol=4)

    assert text_of(data, "source_code") == "x" * 300 or "source_code" in "".join(
        (*state, *state.values())
    )
    assert text_of(data[: len(data) // 2], "source_code") in (None, "x" * 300)


@given(st.binary())
def test_any_bytes_are_survived(data: bytes) -> None:
    """Bytes behind a name that are not text give no text."""
    text = text_of(b"\x8c\x01k" + data, "k")

    assert text is None or len(text.encode("utf-8", "replace")) <= 3 * len(data)
