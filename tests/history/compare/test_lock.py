"""kernels.lock: a text that changes when the fusion structure does, and only then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hostile import moving
from kernelmap.cli import main
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError
from kernelmap.history.compare.lock.changes import lock_changes
from kernelmap.history.compare.lock.records import (
    LockedCall,
    LockedGraph,
    dump_lock,
    load_lock,
    lock_program,
)
from tiny import graph, program


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def code(samples: Path) -> Path:
    return samples / "sim_mlp_train"


@pytest.fixture
def locked(code: Path, tmp_path: Path) -> Path:
    path = tmp_path / "kernels.lock"

    assert run("inspect", code / "model__0_forward_1.0", "--lock", path).exit_code == 0
    return path


def test_a_lock_comes_back_as_it_was(code: Path) -> None:
    """Text and records say the same."""
    graphs = lock_program(load_compiled(code), {"0_forward/0": "XBLOCK=1 num_warps=8"})

    assert load_lock(dump_lock(graphs)) == graphs
    assert graphs[1].calls[0].config == "XBLOCK=1 num_warps=8"


@given(st.text(min_size=1), st.text())
def test_whatever_names_hold_a_lock_is_plain_lines(name: str, config: str) -> None:
    """Names of code and settings of a profile, which may hold anything, stay words of a line."""
    named = f"triton_{name}"
    graphs = lock_program(program(graph(f"{name}_forward", named)), {f"{name}_forward/0": config})
    text = dump_lock(graphs)

    assert load_lock(text) == graphs
    assert moving(text) == set()
    assert len(text.splitlines()) == len(
        dump_lock(lock_program(program(graph("0_forward", "triton_a")), {})).splitlines()
    )


def test_the_same_code_passes(code: Path, locked: Path) -> None:
    """No change: exit 0, whatever else lies beside the code."""
    result = run("gate", "--lock", locked, code / "model__0_forward_1.0")

    assert (result.exit_code, result.stdout) == (0, "gate: the code is what the lock says\n")


def test_renumbered_kernels_pass(code: Path, locked: Path, tmp_path: Path) -> None:
    """Code with other numbers is the same code."""
    text = (code / "model__0_forward_1.0" / "output_code.py").read_text(encoding="utf-8")
    renamed = tmp_path / "output_code.py"
    renamed.write_text(
        re.sub(r"(triton_\w+_|buf)(\d+)\b", lambda m: f"{m[1]}{int(m[2]) + 40}", text)
    )

    assert run("gate", "--lock", locked, renamed).exit_code == 0
    assert run("inspect", renamed, "--format", "lock").stdout == locked.read_text(encoding="utf-8")


def test_an_unreviewed_change_fails_with_what_changed(
    code: Path, locked: Path, tmp_path: Path
) -> None:
    """Other work in one kernel: exit 1, and the lines before and after."""
    text = (code / "model__0_forward_1.0" / "output_code.py").read_text(encoding="utf-8")
    changed = tmp_path / "output_code.py"
    changed.write_text(text.replace("aten.erf.default", "aten.tanh.default"))
    result = run("gate", "--lock", locked, changed)

    assert result.exit_code == 1
    assert "0_forward: the call computes something else\n" in result.stdout
    assert (
        len(
            re.findall(
                r"^  [-+] [0-9a-f]{12}  triton_poi_fused_gelu_view", result.stdout, re.MULTILINE
            )
        )
        == 2
    )
    assert "gate: 1 unreviewed change" in result.stdout


def locked_graph(*calls: str, name: str = "0_forward", config: str | None = None) -> LockedGraph:
    """A call per word, with one op per letter."""
    made = tuple(
        LockedCall(
            fingerprint=f"{sum(map(ord, word)):012x}",
            name=f"triton_{word}",
            ops=tuple(f"aten.{letter}" for letter in word),
            config=config,
        )
        for word in calls
    )
    return LockedGraph(name=name, kind="forward", fingerprint="0" * 12, calls=made)


def changes_between(before: LockedGraph, after: LockedGraph) -> list[str]:
    return [change.what for change in lock_changes([before], [after])]


def test_changes_are_named() -> None:
    """Fused otherwise, new, gone, another order, another configuration."""
    old = locked_graph("ab", "c", "d")

    assert changes_between(old, locked_graph("a", "b", "c", "d")) == [
        "fused otherwise: 1 call became 2"
    ]
    assert changes_between(old, locked_graph("abc", "d")) == ["fused otherwise: 2 calls became 1"]
    assert changes_between(old, locked_graph("ab", "c", "d", "e")) == ["a new call"]
    assert changes_between(old, locked_graph("ab", "d")) == ["a call is gone"]
    assert changes_between(old, locked_graph("c", "ab", "d")) == ["the same calls in another order"]
    assert changes_between(old, old) == []


def test_configurations_count_where_both_sides_know_them() -> None:
    """A lock made with a profile does not fail on code alone."""
    warps = [locked_graph("ab", config=text) for text in (None, "num_warps=4", "num_warps=8")]

    assert changes_between(warps[1], warps[0]) == changes_between(warps[0], warps[2]) == []
    assert changes_between(warps[1], warps[2]) == ["the configuration changed"]


def test_graphs_come_and_go() -> None:
    """A graph like none of the others is new; a renamed one is no change."""
    old, new = locked_graph("ab", "c"), locked_graph("x", "y", name="1_forward")
    changes = lock_changes([old], [replace(old, name="5_forward"), new])

    assert [(change.what, change.graph) for change in changes] == [
        ("a new graph (2 calls)", "1_forward")
    ]
    assert [change.what for change in lock_changes([old, new], [old])] == [
        "the graph is gone (2 calls)"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# something else\n",
        "# kernelmap lock 3\n",
        "# kernelmap lock 1\n  0123456789ab  a  b\n",
    ],
)
def test_what_is_no_lock_is_an_error(text: str) -> None:
    """The error names the line and says how to make a lock."""
    with pytest.raises(KernelmapError, match=r"line \d") as caught:
        load_lock(text)
    assert caught.value.slug == "bad-lock"


def test_a_lock_needs_code(tmp_path: Path) -> None:
    """Without a lock file, or without code, nothing passes."""
    missing = run("gate", "--lock", tmp_path / "none.lock", tmp_path)

    assert missing.exit_code == 3
    assert lock_program(program(), {}) == ()
    assert len(lock_program(program(graph("0_forward", "aten.mm")), {})) == 1
