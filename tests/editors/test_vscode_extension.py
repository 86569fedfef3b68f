"""The extension for VS Code: what it declares is documented, and its own tests pass."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXTENSION = ROOT / "editors" / "vscode"


def test_its_settings_stand_in_the_guide() -> None:
    """Each of package.json, and no other."""
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    guide = (ROOT / "docs" / "in-your-editor.md").read_text(encoding="utf-8")
    declared = package["contributes"]["configuration"]["properties"].keys()

    assert set(re.findall(r"^\| `(kernelmap\.\w+)` \|", guide, re.MULTILINE)) == declared


def test_its_lock_names_no_registry() -> None:
    """Whoever builds it takes packages, by their digests, from the registry that they have."""
    locked = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    fetched = [package for name, package in locked.items() if name]

    assert fetched
    assert not [package for package in fetched if "resolved" in package]
    assert all("integrity" in package for package in fetched)


@pytest.mark.thorough
@pytest.mark.skipif(
    shutil.which("npm") is None or not (EXTENSION / "node_modules").is_dir(),
    reason="no npm on PATH, or `make test-vscode` has fetched nothing yet",
)
def test_its_own_tests_pass() -> None:
    """It is linted, built and tested, against the server of this environment."""
    command = Path(sys.executable).parent / "kernelmap"
    done = subprocess.run(
        ["npm", "test"],  # noqa: S607 -- the npm of whoever tests
        cwd=EXTENSION,
        env={**os.environ, "KERNELMAP": str(command)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
