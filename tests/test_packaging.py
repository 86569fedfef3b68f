"""What is published: facts about the project that are true, and a wheel that works by itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LONGEST_S = 500


def test_every_extra_is_explained() -> None:
    """The README's table says what each extra brings; `test` is for those who change kernelmap."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = {
        name
        for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
        for name in re.findall(r"`([a-z]+)`", cell)
    }

    assert set(PROJECT["optional-dependencies"]) - {"test"} == listed


def test_no_address_is_invented() -> None:
    """URLs are real ones or none: no placeholder ever stands where a reader would click."""
    urls = PROJECT.get("urls", {})

    assert not [url for url in urls.values() if re.search(r"OWNER|example|TODO|<", url)]
    assert set(urls) <= {"Homepage", "Documentation", "Repository", "Issues", "Changelog"}


def test_the_hooks_are_the_linters() -> None:
    """pre-commit runs what `make lint` runs and may fail, with its environment."""
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    hooks = [hook for repo in yaml.safe_load(text)["repos"] for hook in repo["hooks"]]
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nlint:")[2]
    lines = recipe.partition("\n\n")[0]
    # What is run by Python is a report that fails nothing.
    linters = re.findall(r"^\t(\S+(?<!python)(?: (?:check|format))?)(?!\S)", lines, re.MULTILINE)

    assert all(any(hook["entry"].startswith(linter) for hook in hooks) for linter in linters)
    assert len(linters) == 4


def test_the_image_takes_what_is_there() -> None:
    """Every file that the Dockerfile copies is in the repository, and is let into its context."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    let_in = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    }
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for name in line.split()[:-1]
    }

    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)
    assert re.search(r"^USER \d+$", text, re.MULTILINE)


@pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not on PATH")
def test_hadolint_finds_nothing() -> None:
    """Its rules hold for the Dockerfile; nothing here builds the image."""
    assert run("hadolint", ROOT / "Dockerfile", cwd=ROOT, path=os.environ["PATH"]) == ""


@pytest.mark.thorough
@pytest.mark.packaging
def test_a_wheel_works_by_itself(tmp_path: Path) -> None:
    """Built from the source archive and installed away from the checkout, it does its work.

    It explains messages, pairs a sample and writes the report.
    """
    pytest.importorskip("build", reason="build is not installed")
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", ROOT, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(source) as archive:
        archived = archive.getnames()
    install(wheel, tmp_path / "venv")
    command = tmp_path / "venv/bin/kernelmap"
    sample = ROOT / "sample_traces" / "sim_mlp_train"
    report = tmp_path / "report.html"

    assert {"kernelmap/messages.md", "kernelmap/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "scripts/"))]
    assert not any("/tests/" in name for name in archived)  # half of them would be taken along
    assert any(name.endswith("/_scanner.c") for name in archived)
    assert "record_shapes" in run(command, "help", "record-shapes-off", cwd=tmp_path)
    where = "import kernelmap; print(kernelmap.__file__)"
    assert str(tmp_path) in run(tmp_path / "venv/bin/python", "-c", where, cwd=tmp_path)
    shown = run(command, "correlate", sample, "-o", report, "--format", "table", cwd=tmp_path)
    assert "GPU time by original op" in shown
    assert report.stat().st_size


def install(wheel: Path, venv: Path) -> None:
    """An environment of its own with the wheel, and with what the wheel needs."""
    run(sys.executable, "-m", "venv", venv, cwd=venv.parent)
    run(venv / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=venv.parent)


def run(*words: object, cwd: Path, path: str = "/usr/bin:/bin") -> str:
    done = subprocess.run(  # noqa: S603 -- our own commands
        [*map(str, words)],
        cwd=cwd,
        # most of what pip installs here is never imported
        env={"PATH": path, "HOME": str(cwd), "PIP_NO_COMPILE": "1"},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
