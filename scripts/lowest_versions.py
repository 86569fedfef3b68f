"""Run smoke tests with the lowest versions that pyproject.toml allows.

Makes a virtual environment, installs the lower bound of every dependency and extra but torch, and
of the packages that the tests need, and runs tests that touch every one of them. With --list it
says what it would install. Exits with what the tests exit with.

    python scripts/lowest_versions.py
    python scripts/lowest_versions.py --venv FOLDER     # keeps the environment, or uses it again
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
SMOKE = (
    *("tests/test_pipeline.py", "tests/test_inputs.py", "tests/test_dependencies.py"),
    *("tests/cli", "tests/pages/test_write.py", "tests/pages/test_saved_results.py"),
    *(
        "tests/pages/test_load.py",
        "tests/traces/test_nsys_forms.py",
        "tests/history/compare/test_gate.py",
    ),
    *(
        "tests/traces/test_trace_kineto.py",
        "tests/history/store/test_store.py",
        "tests/history/store/test_history.py",
    ),
    *("tests/dashboard/test_app.py", "tests/dashboard/test_guard.py"),
    "tests/dashboard/test_serving.py",
)
_EXTRAS = ("store", "dashboard")
_FOR_TESTS = ("pytest", "hypothesis", "pytest-randomly", "pytest-timeout")
_ALL = ("--hypothesis-profile", "steady")  # examples of every law, as in CI
_LEFT_OUT = ("kernelmap",)  # an extra that names another one
_BOUND = re.compile(r"(?P<name>[\w-]+)(?:\[[\w,]*\])?(?:>=(?P<version>[\w.]+))?")


def main() -> int:
    """Install and test."""
    parser = usage.parser(__doc__)
    parser.add_argument("--venv", type=Path, metavar="FOLDER", help="else a temporary one")
    parser.add_argument("--list", action="store_true", help="only name the versions")
    options = parser.parse_args()
    if options.list:
        print("\n".join(lowest()))
        return 0
    if options.venv is not None:
        return _tested(options.venv)
    with tempfile.TemporaryDirectory() as folder:
        return _tested(Path(folder) / "venv")


def lowest() -> list[str]:
    """Every requirement at its lower bound; packages for tests of new features are left out.

    Raises ValueError where a dependency has no lower bound.
    """
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(requirement for name in _EXTRAS for requirement in extras[name]),
    ]
    wanted += [
        requirement for requirement in extras["test"] if requirement.partition(">")[0] in _FOR_TESTS
    ]
    return sorted(
        {_at_least(requirement) for requirement in wanted if not requirement.startswith(_LEFT_OUT)}
    )


def _at_least(requirement: str) -> str:
    bound = _BOUND.fullmatch(requirement)
    if bound is None or bound["version"] is None:
        raise ValueError(f"{requirement} has no lower bound")
    return f"{bound['name']}=={bound['version']}"


def _tested(folder: Path) -> int:
    """The environment with the lowest versions, and what the tests say in it."""
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603 -- this Python
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *lowest()], check=True)  # noqa: S603 -- that environment's pip
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_ALL, *SMOKE]
    return subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode  # noqa: S603 -- that environment's pytest


if __name__ == "__main__":
    sys.exit(main())
