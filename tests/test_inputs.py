"""Inputs at the edge: what is no file, what may not be read, and that nothing read is written."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelmap import KernelmapError, correlate
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.traces import is_trace, load_trace


@pytest.fixture
def run(samples: Path, tmp_path: Path) -> Path:
    """A copy of a sample that a test may harm."""
    return Path(shutil.copytree(samples / "sim_mlp_train", tmp_path / "run"))


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.json")
    return folder / "pipe.json"


def loop(folder: Path) -> Path:
    (folder / "loop.json").symlink_to(folder / "loop.json")
    return folder / "loop.json"


ODD: dict[str, Callable[[Path], Path]] = {
    "pipe": pipe,
    "device": lambda _: Path("/dev/zero"),
    "loop": loop,
    "missing": lambda folder: folder / "missing.json",
    "name too long": lambda folder: folder / ("x" * 5000),
    "null byte": lambda folder: folder / "a\0b",
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_one_clear_error(kind: str, run: Path, tmp_path: Path) -> None:
    """Nothing but files and folders is opened: neither a hang nor a traceback, on any way in."""
    path = ODD[kind](tmp_path)
    ways: list[Callable[[], object]] = [
        lambda: correlate(run, path),
        lambda: load_compiled(path),
        lambda: load_trace(path),
    ]
    for way in ways:
        with pytest.raises(KernelmapError, match="cannot be read") as caught:
            way()

        assert caught.value.slug == "unreadable-path"
        assert len(caught.value.message) < 300
    assert not is_trace(path)


LOOKS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it is empty"),
    "blank": (b"\n \n", "holds nothing"),
    "text": (b"\nhello\n", "some other text"),
    "binary": (b"\x00\x01\x02", "binary data"),
    "bzip2": (bz2.compress(b"{}"), "packed with bzip2"),
    "xz": (lzma.compress(b"{}"), "packed with xz"),
    "twice": (gzip.compress(gzip.compress(b"{}")), "packed twice"),
    "UTF-16": ("{}".encode("utf-16"), "text in UTF-16"),
    "tar": (b"name".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
    "saved": (b'{\n"format": "kernelmap.correlation"', "a result that kernelmap saved"),
}


@pytest.mark.parametrize("kind", LOOKS)
def test_what_a_file_looks_like_is_said(kind: str, run: Path, tmp_path: Path) -> None:
    """Whoever gives something else learns what it was taken for."""
    content, says = LOOKS[kind]
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(KernelmapError, match=says) as caught:
        correlate(run, path)

    assert str(path) in caught.value.message
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_do_not_matter(ends: str, run: Path) -> None:
    """Code that went through another system reads the same."""
    code = run / "model__0_forward_1.0" / "output_code.py"
    before = load_compiled(code)
    code.write_text(code.read_text(), newline=ends)

    assert load_compiled(code) == before


def test_a_pipe_inside_a_folder_is_passed_over(run: Path) -> None:
    """What waits for a writer does not keep the code beside it from being read."""
    before = load_compiled(run)
    pipe(run)

    assert is_compiled(run)
    assert load_compiled(run) == before


def test_what_may_not_be_read_inside_a_folder_is_said(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may not be read is a gap with a notice."""
    closed = run / "model__0_backward_2.1" / "output_code.py"
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and allowed(path, mode))
    program = load_compiled(run)

    assert [graph.id for graph in program.graphs] == ["0_forward"]
    (notice,) = [notice for notice in program.notices if notice.slug == "folder-read-in-part"]
    assert (notice.gap, str(closed) in notice.message) == (True, True)


def test_a_dangling_link_inside_a_folder_is_no_gap(run: Path) -> None:
    """A link that leads nowhere holds nothing that could be missing."""
    (run / "latest").symlink_to(run / "gone")

    assert load_compiled(run).notices == ()


def read_of(run: Path) -> set[Path]:
    """The files of a run that have to be read: code, what lies beside it, and the profile."""
    beside = ("output_code.py", "fx_graph_transformed.py", "fx_graph_readable.py", ".json")
    code_files = {path for path in run.rglob("*") if path.name.endswith(beside)}
    return code_files | {run / "profile.json.gz"}


@pytest.mark.parametrize("how", ["itself", "symlink", "hard link"])
def test_nothing_that_was_read_is_overwritten(how: str, run: Path, tmp_path: Path) -> None:
    """Code in a given folder, its companions and the profile stay, under whatever name."""
    mapping = run / "model__0_forward_1.0" / "inductor_provenance_tracking_node_mappings.json"
    mapping.write_text('{"cppCodeToPost": {}}')
    correlation = correlate(run, run / "profile.json.gz")
    for number, path in enumerate(sorted(read_of(run))):
        before = path.read_bytes()
        target = tmp_path / f"{number}.json"
        if how == "symlink":
            target.symlink_to(path)
        elif how == "hard link":
            target.hardlink_to(path)
        elif path.suffix == ".json":
            target = path
        else:
            continue
        with pytest.raises(KernelmapError) as caught:
            correlation.write(target)

        assert caught.value.slug == "output-is-input"
        assert path.read_bytes() == before


def test_a_folder_of_tables_spares_inputs(run: Path, tmp_path: Path) -> None:
    """Where one table would land on an input, no table is written at all."""
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "ops.parquet").hardlink_to(run / "profile.json.gz")
    correlation = correlate(run, run / "profile.json.gz")
    with pytest.raises(KernelmapError) as caught:
        correlation.write(tables)

    assert caught.value.slug == "output-is-input"
    assert [path.name for path in tables.iterdir()] == ["ops.parquet"]


def test_what_was_not_read_may_be_replaced(run: Path) -> None:
    """A result beside the inputs, also inside of a given folder, is written again and again."""
    for _ in range(2):
        correlation = correlate(run, run / "profile.json.gz")

        assert correlation.write(run / "report.json").is_file()
        assert correlation.to_csv(run / "ops.csv").is_file()
        assert correlation.to_markdown(run / "lines.md", by="line", top=3).is_file()


def test_each_file_holds_the_table_that_was_asked_for(run: Path, tmp_path: Path) -> None:
    """`by` reaches the files that hold one table."""
    correlation = correlate(run, run / "profile.json.gz")

    assert correlation.to_csv(tmp_path / "k.csv", by="kernel").read_text().startswith("wrapper,")
    assert "by source line" in correlation.to_markdown(tmp_path / "l.md", by="line").read_text()
    assert correlation.write(tmp_path / "c.csv", by="call").read_text().startswith("call,")
    with pytest.raises(KernelmapError, match="no table by"):
        correlation.to_csv(tmp_path / "x.csv", by="color")
