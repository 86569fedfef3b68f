"""Files that are not what they were: there is an answer, or a clear error."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from examples import an_eighth, seeds
from hostile import UNUSABLE, USAGE, moving, run
from kernelmap import errors
from kernelmap.cli import main
from traces.small_nsys import kernel, launched, write_export

_TOKEN = re.compile(rb'-?\d+(?:\.\d+)?|"[^"\\]{0,80}"|null|true|false')
_INSTEAD = (
    b"null",
    b'"x"',
    b"-1",
    b"9" * 30,
    b"1e999",
    b"[]",
    b"{}",
    b"true",
    b'"\\ud800"',
    b"NaN",
)
_INSERTED = (b"\xff\xfe", b"\0", b"\n", b'"', b"{", b"]", b"\x1b[31m", b"\xed\xa0\x80")


def emptied(_data: bytes, _random: Random) -> bytes:
    return b""


def truncated(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def replaced(_data: bytes, random: Random) -> bytes:
    return random.randbytes(random.randrange(1, 300))


def flipped(data: bytes, random: Random) -> bytes:
    """One to twenty flipped bits."""
    bits = bytearray(data)
    for _ in range(random.choice([1, 3, 20])):
        bits[random.randrange(len(bits))] ^= 1 << random.randrange(8)
    return bytes(bits)


def inserted(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(_INSERTED) + data[at:]


def spliced(data: bytes, random: Random) -> bytes:
    """A stretch that is missing, or there twice."""
    return data[: random.randrange(len(data) + 1)] + data[random.randrange(len(data) + 1) :]


def retyped(data: bytes, random: Random) -> bytes:
    """Another value in place of a number, a text or a word of JSON."""
    values = list(_TOKEN.finditer(data))
    if not values:
        return data[::-1]
    value = random.choice(values)
    return data[: value.start()] + random.choice(_INSTEAD) + data[value.end() :]


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    emptied,
    truncated,
    replaced,
    flipped,
    inserted,
    spliced,
    retyped,
)


def damaged(path: Path, random: Random) -> str:
    """Damage one file, or put a folder in its place; what was done."""
    data = path.read_bytes()
    if random.random() < 0.1:
        path.unlink()
        path.mkdir()
        return f"{path.name}: a folder"
    damage = random.choice(DAMAGES)
    if data.startswith(b"\x1f\x8b") and random.random() < 0.7:
        path.write_bytes(gzip.compress(damage(gzip.decompress(data), random), 1))
    else:
        path.write_bytes(damage(data, random))
    return f"{path.name}: {damage.__name__}"


def each_file_damaged(
    whole: Path, copy: Path, seed: int, commands: Sequence[Sequence[str]]
) -> None:
    """Damage every file of a folder in turn, and ask one of the commands each time."""
    random = Random(seed)  # noqa: S311 -- damage, no secret
    files = sorted(file.relative_to(whole) for file in whole.rglob("*") if file.is_file())
    for at, file in enumerate(files):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        what = damaged(copy / file, random)
        words = [str(copy) if word == "RUN" else word for word in commands[at % len(commands)]]
        try:
            run(*words, reads=copy)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {what}, {words}") from error


READ = (
    ("correlate", "RUN", "--format", "json"),
    ("inspect", "RUN"),
    ("doctor", "RUN"),
    ("inspect", "--format", "lock", "RUN"),
)
SAMPLES = ("cpu_graph_breaks", "cpu_block", "aoti_block", "sim_mlp_train", "thread_lift_fresh")


@pytest.mark.parametrize(("sample", "seed"), an_eighth(product(SAMPLES, range(4))))
def test_any_file_of_a_run_may_be_damaged(
    sample: str, seed: int, samples: Path, tmp_path: Path
) -> None:
    """Logs, code, mappings, manifests, traces: damage is answered, or refused in one line."""
    each_file_damaged(samples / sample, tmp_path / "run", seed, READ[seed:] + READ[:seed])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one result, saved as JSON and as tables."""
    sample = Path(__file__).resolve().parent.parent / "sample_traces" / "sim_mlp_train"
    folder = tmp_path_factory.mktemp("saved")
    for name in ("result.json", "tables"):
        done = CliRunner().invoke(main, ["correlate", str(sample), "-o", str(folder / name)])
        assert done.exit_code == 0
    return folder


@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("form", an_eighth(["tables", "result.json"]))
def test_any_file_of_a_saved_result_may_be_damaged(
    form: str, seed: int, saved: Path, samples: Path, tmp_path: Path
) -> None:
    """Comparisons, gates and lessons read saved results, and say which one they cannot use."""
    sample, target = str(samples / "sim_mlp_train"), str(tmp_path / "copy" / form)
    commands = (
        ("diff", target, sample),
        ("correlate", sample, "--like", target),
        ("diff", sample, target, "--format", "json"),
        ("gate", "--baseline", target, sample),
    )
    for part in range(1 if form == "tables" else 2):
        each_file_damaged(saved, tmp_path / "copy", 10 * seed + part, commands[part:])


@pytest.mark.parametrize("seed", an_eighth(range(40)))
def test_any_bytes_of_an_export_may_be_damaged(seed: int, tmp_path: Path) -> None:
    """Pages of SQLite with other bytes in them are read as far as they go, or named as damaged."""
    random = Random(seed)  # noqa: S311 -- damage, no secret
    kernels = [kernel(20 * at, 20 * at + 10, correlationId=at) for at in range(400)]
    path = write_export(tmp_path / "x.sqlite", launched(*kernels))
    data = bytearray(path.read_bytes())
    header = seed % 2 * 100  # what follows it names tables and columns
    for _ in range(random.choice([1, 3, 30])):
        place = random.randrange(header, 1000 if header else len(data))
        data[place] = random.choice([0, 1, 127, 128, 255, random.randrange(256)])
    path.write_bytes(data)
    run("correlate", path, "--format", "json", reads=path)


def test_a_table_with_odd_bytes_in_its_name_is_damage(tmp_path: Path) -> None:
    """SQLite's own message about such a name is no UTF-8 either."""
    path = write_export(tmp_path / "x.sqlite", launched(kernel(10, 20)))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREAT\xff TABLE", 1))
    done = run("correlate", path, reads=path)

    assert done.exit_code == UNUSABLE
    assert "cannot be read as SQLite" in done.stderr


PATHS = {
    "300 characters": "x" * 300,
    "300 characters in a folder": "FOLDER/" + "y" * 300,
    "5000 characters": "x" * 5000,
    "a null character": "a\0b",
    "odd bytes": "FOLDER/odd\udcff",
    "what acts": "FOLDER/a\x1b[31m\u202e\n",
    "below a file": "FOLDER/file/x",
    "a loop": "FOLDER/loop",
    "a device": "/dev/zero",
    "a pipe": "FOLDER/pipe",
    "an address": "foo://x",
    "half an address": "foo://[x",
}
PLACES = {
    "correlate": ("PATH",),
    "correlate beside": ("SAMPLE", "PATH"),
    "correlate --like": ("SAMPLE", "--like", "PATH"),
    "correlate --cache-dir": ("SAMPLE", "--cache-dir", "PATH"),
    "correlate -o": ("SAMPLE", "-o", "PATH"),
    "annotate -o": ("SAMPLE", "-o", "PATH"),
    "inspect": ("PATH",),
    "which": ("triton_poi_fused_0", "PATH"),
    "which NAME": ("PATH", "SAMPLE"),
    "explain": ("1", "PATH"),
    "explain LAUNCH": ("PATH", "SAMPLE"),
    "doctor": ("PATH",),
    "inspect --printed": ("SAMPLE", "--printed", "PATH"),
    "diff": ("PATH", "SAMPLE"),
    "diff of two": ("SAMPLE", "PATH"),
    "gate --lock": ("--lock", "PATH", "SAMPLE"),
    "gate --baseline": ("--baseline", "PATH", "SAMPLE"),
    "runs --store": ("--store", "PATH"),
    "runs --store URL": ("--store", "file://PATH"),
    "runs add": ("add", "SAMPLE", "--store", "PATH"),
    "diff --store": ("latest", "latest", "--store", "PATH"),
    "dashboard --store": ("--export", "pages", "--store", "PATH"),
    "dashboard --export": ("--export", "PATH", "--store", "STORE"),
    "capture -o": ("-o", "PATH", "--", "true"),
}


@pytest.mark.parametrize("place", an_eighth(PLACES))
def test_any_path_is_refused_in_words(
    place: str, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a path is asked for, one that no file can have is wrong usage or unusable input."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(b"\xff\xfe\0x")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    (folder / "store" / "runs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERNELMAP_STORE", raising=False)
    for kind, path in PATHS.items():
        hostile = path.replace("FOLDER", str(folder))
        filled = {"SAMPLE": str(samples / "cpu_block"), "STORE": str(folder / "store")}
        asked = (filled.get(word, word.replace("PATH", hostile)) for word in PLACES[place])
        words = [place.split(maxsplit=1)[0], *asked]
        done = run(*words, reads=folder / "file")

        if kind in ("300 characters", "a null character", "below a file", "a loop"):
            assert done.exit_code in (USAGE, UNUSABLE), (kind, done.output)
        assert len(done.stderr.splitlines()) < 30


@pytest.mark.parametrize("error", [MemoryError(), ValueError("a\x1b[31m\nb"), OSError(28, "full")])
def test_what_nobody_expected_is_one_line(
    error: Exception, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours ends in an error with a next step; --debug shows where it came from."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("kernelmap.pipeline.correlate", fail)
    words = ["correlate", str(samples / "cpu_block")]
    plain, debugged = (CliRunner().invoke(main, [*words, *more]) for more in ([], ["--debug"]))

    assert plain.exit_code == debugged.exit_code == UNUSABLE
    assert [line.split()[0] for line in plain.stderr.splitlines()] == ["error:", "hint:", "see:"]
    assert not moving(plain.stderr)
    assert "Traceback" in debugged.stderr
    assert errors.unforeseen(error).message in plain.stderr or "\x1b" in str(error)
