"""What comes by a pipe, a path without a command, nothing at all, and how to be quiet."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import COMMANDS, main
from kernelmap.cli.exit_codes import EXIT_CODES


def run(*words: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(main, words, input=given, env={"COLUMNS": "160"})


@pytest.fixture
def trace(samples: Path) -> Path:
    return samples / "cuda_mlp_train" / "rank_0" / "trace.json.gz"


ROOT = Path(__file__).resolve().parent.parent.parent


def packed_with_zstd(packed: bytes) -> bytes:
    made: bytes = pa.compress(gzip.decompress(packed), "zstd", asbytes=True)
    return made


def left_behind() -> set[Path]:
    return set(Path(gettempdir()).glob("kernelmap-*"))


@pytest.mark.parametrize("packing", ["gzip", "zstd", "none"])
def test_a_pipe_is_what_the_file_is(trace: Path, packing: str) -> None:
    """Rows and ledger are those of the file, packed in any way; no copy stays behind."""
    raw = trace.read_bytes()
    given = {
        "gzip": lambda: raw,
        "none": lambda: gzip.decompress(raw),
        "zstd": lambda: packed_with_zstd(raw),
    }[packing]()
    before = left_behind()
    piped = run("correlate", "-", "--by", "kernel", "--format", "csv", given=given)
    plain = run("correlate", str(trace), "--by", "kernel", "--format", "csv")

    assert piped.exit_code == 0, piped.stderr
    assert piped.stdout == plain.stdout
    assert left_behind() == before


def test_code_may_lie_beside_a_pipe(trace: Path, samples: Path) -> None:
    """`-` is one input among others."""
    code = str(samples / "cuda_mlp_train" / "rank_0" / "torch_trace")
    words = ("--by", "line", "--format", "csv")
    piped = run("correlate", "-", code, *words, given=trace.read_bytes())
    plain = run("correlate", str(trace), code, *words)

    assert piped.exit_code == 0
    assert piped.stdout == plain.stdout


def test_sqlite_may_come_by_a_pipe(tmp_path: Path) -> None:
    """What it holds is known by its content: an export of Nsight Systems says what it lacks."""
    database = tmp_path / "x.sqlite"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    done = run("correlate", "-", given=database.read_bytes())
    plain = run("correlate", str(database))

    assert done.exit_code == plain.exit_code == 3
    assert done.stderr == plain.stderr.replace(str(database), "-")


def test_commands_that_are_printed_name_the_pipe(trace: Path) -> None:
    """What is said to do next reads a pipe again, and names no file that is gone."""
    document = json.loads(
        run("correlate", "-", "--top", "1", "--format", "json", given=trace.read_bytes()).stdout
    )
    assert document["left_out"]["whole"] == "kernelmap correlate --format json -"
    assert "kernelmap-" not in json.dumps(document)


def test_one_pipe_is_one_input(trace: Path) -> None:
    """A second `-` would be empty."""
    done = run("correlate", "-", "-", given=trace.read_bytes())
    assert done.exit_code == 2
    assert "one input" in done.stderr


def test_what_is_damaged_in_a_pipe_is_said(trace: Path) -> None:
    """Zstd that breaks off is unusable input, under the name that was given."""
    whole = packed_with_zstd(trace.read_bytes())
    before = left_behind()
    for given in (whole[: len(whole) // 2], whole[:4] + b"nonsense", b""):
        done = run("correlate", "-", given=given)
        assert done.exit_code == 3, done.output
        assert "kernelmap-" not in done.stderr
    assert left_behind() == before


def test_a_path_alone_asks_for_lines(samples: Path) -> None:
    """It is `correlate --by line` with whatever options follow."""
    place = str(samples / "cuda_mlp_train")
    assert run(place).stdout == run("correlate", "--by", "line", place).stdout
    assert json.loads(run(place, "--format", "json").stdout)["table"] == "lines"
    assert json.loads(run("--steps", "4", place, "--format", "json").stdout)["table"] == "lines"
    assert run(place, "--by", "op").stdout == run("correlate", place, "--by", "op").stdout


def test_a_word_that_is_neither_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip in a command is no path; a command goes before a folder of its name."""
    monkeypatch.chdir(tmp_path)
    assert "Did you mean `correlate`?" in run("corelate").stderr
    for name in COMMANDS:
        (tmp_path / name).mkdir()
    assert run("help").stdout.startswith("Usage")
    assert "Missing argument" in run("correlate").stderr


def test_without_a_word_the_recording_here_is_named(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a bundle, and beside one: the questions that make sense, which run as printed."""
    bundle = tmp_path / "run of today"
    shutil.copytree(samples / "cuda_mlp_train", bundle)
    monkeypatch.chdir(tmp_path)
    said = run()
    monkeypatch.chdir(bundle)
    inside = run()

    assert said.exit_code == inside.exit_code == 0
    assert "The recording run of today:" in said.stdout
    assert "NVIDIA" in said.stdout
    for text in (said.stdout, inside.stdout):
        assert text.count("\n  kernelmap ") == 5
    assert "kernelmap doctor 'run of today'" in said.stdout
    assert "kernelmap doctor ." in inside.stdout


def test_what_a_bundle_says_of_itself_is_harmless(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its name nor its manifest moves the cursor of a terminal."""
    bundle = tmp_path / "a\x1b[2Jb"
    bundle.mkdir()
    manifest = (samples / "cuda_mlp_train" / "manifest.toml").read_text(encoding="utf-8")
    changed = manifest.replace("NVIDIA", "\\u001b[2JNVIDIA")
    (bundle / "manifest.toml").write_text(changed, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = run()

    assert "NVIDIA" in said.stdout
    assert "\x1b" not in said.stdout


def test_without_a_word_elsewhere_is_the_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing was recorded, the commands are listed, and it is wrong usage as before."""
    monkeypatch.chdir(tmp_path)
    done = run()
    assert done.exit_code == 2
    assert "Usage:" in done.output
    assert "correlate" in done.output


def test_quiet_is_quiet(trace: Path, tmp_path: Path) -> None:
    """With -q, before or behind the command, stderr has errors alone."""
    assert "note:" in run("correlate", str(trace)).stderr
    target = str(tmp_path / "x.json")
    for words in (("-q", "correlate"), ("correlate", "--quiet")):
        done = run(*words, str(trace), "-o", target)
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert run("-q", "roofline", str(trace)).stderr == ""
    assert "error:" in run("-q", "correlate", str(tmp_path / "gone.json")).stderr


def test_a_reader_that_goes_ends_a_pipe(trace: Path) -> None:
    """Lines of JSON into `head`, from a pipe: no traceback, and the first line is the head."""
    script = f"{sys.executable} -m kernelmap correlate - --by launch --format jsonl -q | head -n 1"
    done = subprocess.run(  # noqa: S602 -- our own words
        script, shell=True, input=trace.read_bytes(), capture_output=True, check=True
    )
    assert json.loads(done.stdout)["table"] == "launches"
    assert done.stderr == b""


def shown_commands() -> list[str]:
    """The commands of the page for agents, without those of its server and its skill."""
    text = (ROOT / "docs" / "for-agents.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if not re.match("kernelmap (mcp|skill)", line)]


@pytest.mark.thorough
@pytest.mark.parametrize("line", shown_commands())
def test_commands_of_the_page_run_as_shown(line: str) -> None:
    """In a shell, with its pipes and redirections, from the folder of the project."""
    words = line.replace("kernelmap", f"{sys.executable} -m kernelmap", 1)
    done = subprocess.run(  # noqa: S602 -- our own page
        words, shell=True, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout
    assert "error:" not in done.stderr


def test_the_table_of_exit_codes_is_printed() -> None:
    """`kernelmap help exit-codes` has each of them."""
    text = run("help", "exit-codes").stdout
    assert all(meaning in text for meaning in EXIT_CODES.values())


def test_a_gate_of_code_alone_answers_in_json(samples: Path, tmp_path: Path) -> None:
    """`gate --lock --format json` says whether it failed, and what changed."""
    lock, code = str(tmp_path / "kernels.lock"), str(samples / "cuda_mlp_train")
    assert run("inspect", code, "--lock", lock).exit_code == 0
    passed = run("gate", "--lock", lock, code, "--format", "json")
    failed = run(
        "gate", "--lock", lock, str(samples / "cuda_foreach_optimizer"), "--format", "json"
    )

    assert json.loads(passed.stdout) == {
        "format": "kernelmap.gate",
        "version": 1,
        "failed": False,
        "changes": "",
    }
    assert (passed.exit_code, failed.exit_code) == (0, 1)
    assert json.loads(failed.stdout)["failed"]
    assert json.loads(failed.stdout)["changes"]


def test_a_path_alone_that_leads_nowhere_is_no_command(tmp_path: Path) -> None:
    """It is said that the file is missing, not that a command is."""
    ended = CliRunner().invoke(main, [str(tmp_path / "gone.json")])

    assert ended.exit_code == 2
    assert "There is no file or folder" in ended.stderr
