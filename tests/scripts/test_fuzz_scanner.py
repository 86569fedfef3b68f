"""The scanner in C stays within its text, whatever that holds: sanitizers watch it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fuzz_scanner
import pytest

from examples import examples

SECONDS = examples(10)


def run(program: Path, folder: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 -- our own program
        [program, str(seconds), "7", *fuzz_scanner.seeds(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def built(folder: Path, source: Path = fuzz_scanner.SOURCE) -> Path:
    program = fuzz_scanner.build(folder, source)
    if program is None:
        pytest.skip("no compiler with address and undefined-behavior sanitizers")
    return program


@pytest.mark.thorough
def test_no_text_is_read_beyond_its_end(tmp_path: Path) -> None:
    """Damaged texts of every kind lead to rows or to giving up, and to nothing else."""
    ran = run(built(tmp_path), tmp_path, SECONDS)

    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "scanned wholly" in ran.stdout


@pytest.mark.thorough
def test_no_packet_is_read_beyond_its_end(tmp_path: Path) -> None:
    """Damaged packets lead to whole rows, and to places of texts inside of the trace."""
    program = built(tmp_path, fuzz_scanner.OF_PACKETS)
    ran = subprocess.run(  # noqa: S603 -- our own program
        [program, str(SECONDS), "7", *fuzz_scanner.seeds_of_packets(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "traces scanned" in ran.stdout


def test_one_byte_too_many_is_noticed(tmp_path: Path) -> None:
    """The watch itself works: a scanner that does not look where its text ends is caught."""
    scanner = fuzz_scanner.PROJECT / "kernelmap" / "traces" / "kineto" / "_scanner.c"
    (tmp_path / "scripts").mkdir()
    (tmp_path / "kernelmap" / "traces" / "kineto").mkdir(parents=True)
    careless = scanner.read_text().replace("|| scan->end - at < length)", ")")
    (tmp_path / "kernelmap" / "traces" / "kineto" / "_scanner.c").write_text(careless)
    source = tmp_path / "scripts" / "fuzz_scanner.c"
    source.write_text(fuzz_scanner.SOURCE.read_text())
    shared = fuzz_scanner.SOURCE.with_name("fuzz_text.h")
    source.with_name(shared.name).write_text(shared.read_text())

    ran = run(built(tmp_path, source), tmp_path, 60)

    assert careless != scanner.read_text()
    assert ran.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in ran.stderr
    assert (tmp_path / "finding.bin").exists()
