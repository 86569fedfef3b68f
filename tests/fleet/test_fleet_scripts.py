"""A script that calls `kernelmap.fleet`: workers import it, and it should hear so in one error.

Each starts workers of its own: in `make test` only what ends before they start is tried.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from fleet_runs import ROOT, program
from kernelmap.errors import KernelmapError
from worlds.fleet import FleetWorld, write_fleet

_CALL = """\
fleet = kernelmap.fleet("world")
print(fleet.read, "read")
"""


def _run(folder: Path, script: str, *how: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("distributed", reason="Dask is not installed")
    (folder / "world").mkdir()
    write_fleet(folder / "world", program(), FleetWorld(ranks=2, steps=2))
    (folder / "script.py").write_text(script, encoding="utf-8")
    return subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, *(how or ("script.py",))],
        input=script if how == ("-",) else None,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "KERNELMAP_STORE": str(folder / "store")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_without_a_main_guard_a_script_ends_with_one_error(tmp_path: Path) -> None:
    """The error names the line that is missing; no worker and nothing of Dask prints a traceback.

    A handler of the script gets it as any error of kernelmap.
    """
    caught = "import kernelmap\ntry:\n  fleet = kernelmap.fleet('world')\n"
    caught += "except kernelmap.KernelmapError as error:\n  print(error.slug, error.hint)\n"
    ended = _run(tmp_path, caught)

    assert ended.stdout.startswith("no-main-guard Call it below that line")
    assert ended.stderr == ""
    assert ended.returncode == 0


@pytest.mark.thorough
def test_below_a_main_guard_a_script_reads_a_fleet(tmp_path: Path) -> None:
    """Workers import the script and go on to read ranks."""
    guarded = _CALL.strip().replace("\n", "\n    ")
    ended = _run(tmp_path, f'import kernelmap\nif __name__ == "__main__":\n    {guarded}\n')

    assert ended.stdout == "2 read\n"
    assert ended.stderr == ""


def test_a_script_from_standard_input_ends_with_one_error(tmp_path: Path) -> None:
    """Workers cannot import it: the error says so before any starts, with what to do below it."""
    ended = _run(tmp_path, f"import kernelmap\n{_CALL}", "-")
    last = ended.stderr.strip().splitlines()[-2:]

    assert ended.returncode == 1
    assert "was read from standard input, and workers import it" in last[0]
    assert last[1].startswith("Save it as a file")
    assert "distributed" not in ended.stderr


@pytest.mark.thorough
def test_a_program_that_is_no_script_reads_a_fleet(tmp_path: Path) -> None:
    """`python -c`, as a prompt and a notebook, has no file that workers would import."""
    ended = _run(tmp_path, "", "-c", f"import kernelmap\n{_CALL}")

    assert (ended.stdout, ended.stderr) == ("2 read\n", "")


_NOT_FOR_IMPORT = """\
import kernelmap
if __name__ != "__main__":
    raise ValueError("not for import")
kernelmap.fleet("world")
"""
_NO_CHILDREN = """\
import kernelmap, multiprocessing

def read(folder):
    return kernelmap.fleet(folder).read

if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        pool.apply(read, ("world",))
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "reason"),
    [(_NOT_FOR_IMPORT, "ValueError: not for import"), (_NO_CHILDREN, "daemonic")],
    ids=["not for import", "no children"],
)
def test_workers_that_do_not_start_end_in_an_error_of_ours(
    tmp_path: Path, script: str, reason: str
) -> None:
    """Whatever keeps them from it stands above, and the last line says how to do without."""
    ended = _run(tmp_path, script)
    lines = ended.stderr.strip().splitlines()

    assert reason in ended.stderr
    assert any(line.startswith("kernelmap.errors.KernelmapError: ") for line in lines)
    assert any(
        line.endswith("FleetOptions(cluster=Cluster(workers=0)), --workers 0.") for line in lines
    )


def test_an_error_in_python_shows_what_to_do_next() -> None:
    """A traceback has the hint below the message, as the command line has."""
    error = KernelmapError("no-trace", "what is wrong", "What to do next.")
    shown = "".join(traceback.format_exception_only(error))

    assert shown.endswith("what is wrong\nWhat to do next.\n")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 -- made here
    assert "".join(traceback.format_exception_only(copy)) == shown
