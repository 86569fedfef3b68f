"""A script that calls `kernelmap.fleet`: workers import it, and it should hear so in one error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fleet_runs import ROOT, program
from worlds.fleet import FleetWorld, write_fleet

_CALL = """\
fleet = kernelmap.fleet("world")
print(fleet.read, "read")
"""


def _run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("distributed", reason="Dask is not installed")
    (folder / "world").mkdir()
    write_fleet(folder / "world", program(), FleetWorld(ranks=2, steps=2))
    (folder / "script.py").write_text(script, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "KERNELMAP_STORE": str(folder / "store")},
        capture_output=True,
        text=True,
        check=False,
    )


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


def test_below_a_main_guard_a_script_reads_a_fleet(tmp_path: Path) -> None:
    """Workers import the script and go on to read ranks."""
    guarded = _CALL.strip().replace("\n", "\n    ")
    ended = _run(tmp_path, f'import kernelmap\nif __name__ == "__main__":\n    {guarded}\n')

    assert ended.stdout == "2 read\n"
    assert ended.stderr == ""
