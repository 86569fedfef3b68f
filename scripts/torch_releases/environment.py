"""A virtual environment with one release of torch, and what `kernelmap capture` needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from torch_releases.findings import PROJECT, in_order

OLDEST = "2.2"


def list_releases() -> list[str]:
    """The last patch of every release from OLDEST on, as pip finds them, oldest first.

    A release candidate or nightly that is newer than all of them comes last.
    """
    pip = [sys.executable, "-m", "pip", "index", "versions", "torch", "--pre"]
    said = subprocess.run(pip, check=True, capture_output=True, text=True).stdout  # noqa: S603 -- this Python's pip
    return choose_releases(said)


def choose_releases(said: str) -> list[str]:
    """Of what `pip index versions` says.

    >>> choose_releases("Available versions: 2.14.1, 2.14.0, 2.13.0+cpu, 2.2.2, 2.1.2")
    ['2.2.2', '2.13.0', '2.14.1']
    """
    versions = re.search(r"Available versions: (.*)", said)
    found = versions[1].split(",") if versions else []
    listed = {one.strip().partition("+")[0] for one in found}
    newest: dict[str, str] = {}
    for version in sorted(listed, key=in_order):
        newest[".".join(version.split(".")[:2])] = version
    chosen = sorted(newest.values(), key=in_order)
    return [version for version in chosen if in_order(version) >= in_order(OLDEST)]


def make_environment(folder: Path, version: str) -> Path:
    """Install torch `version` into a new environment; its Python.

    Raises CalledProcessError where pip fails: it has said why.
    """
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603 -- this Python
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # torch first and alone: what kernelmap needs must not choose another one
    numpy = "numpy<2" if in_order(version) < in_order("2.4") else "numpy"
    subprocess.run([*pip, f"torch=={version}", numpy, "setuptools<81"], check=True)  # noqa: S603 -- that environment's pip
    needed = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = [one for one in needed["optional-dependencies"]["capture"] if "torch" not in one]
    subprocess.run([*pip, *needed["dependencies"], *extra, numpy], check=True)  # noqa: S603 -- that environment's pip
    # a CPU build brings no Triton, and scripts/fake_gpu writes Triton code: the newest of that time
    asked = [str(python), "-c", "import triton"]
    if subprocess.run(asked, check=False, capture_output=True).returncode:  # noqa: S603 -- that environment's Python
        subprocess.run([*pip, "triton"], check=True)  # noqa: S603 -- that environment's pip
    return python
