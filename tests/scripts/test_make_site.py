"""The documentation's site: whole, strict, and without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import make_site
import pytest

from kernelmap.manual import entries

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LONGEST_S = 300  # on a machine with much else to do; it takes 6 s of processor time
LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*(?:src|href)=\"(?:https?:)?//[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, made as `make docs` makes it; a warning is an error."""
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra docs)")
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(  # noqa: S603 -- our own script
        [sys.executable, ROOT / "scripts" / "make_site.py", out],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.thorough
def test_every_page_is_there(site: Path) -> None:
    """A page per Markdown file of docs/, and the pages beside the README."""
    pages = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    names = {path.with_name("index") if path.name == "README" else path for path in pages}
    made = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}

    assert names | {Path("contributing"), Path("security"), Path("changelog")} <= made


@pytest.mark.thorough
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """Scripts, pictures, styles and fonts lie in the folder, so the site works from a disk."""
    for page in site.rglob("*.html"):
        assert not LOADED.search(page.read_text("utf-8")), page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text("utf-8"))


@pytest.mark.thorough
def test_messages_have_their_addresses(site: Path) -> None:
    """Where kernelmap.manual sends a reader there is the heading: messages.html#SLUG."""
    text = (site / "messages.html").read_text("utf-8")

    assert [slug for slug in entries() if f'id="{slug}"' not in text] == []


def test_the_navigation_has_every_page_once() -> None:
    """docs/README.md lists each page of docs/ once; decisions have a list of their own."""
    text = (DOCS / "README.md").read_text("utf-8")
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE)
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    pages = {page for page in pages if not page.startswith("decisions/")} - {"README.md"}
    beside = {f"../{name}" for name in make_site.BESIDE}

    assert sorted(listed) == sorted(pages | beside | {"decisions/README.md"})


def test_links_fit_the_site() -> None:
    """Links between pages stay, those to other files become words, and code stays as it is."""
    text = (
        "[a](../CONTRIBUTING.md#set-up) [b](../kernelmap/x.py) `[c](../d.py)` [e](cli.md) [f](#g)"
    )
    wanted = "[a](contributing.md#set-up) b `[c](../d.py)` [e](cli.md) [f](#g)"

    assert make_site.linked(text, DOCS / "start.md") == wanted
    assert make_site.linked("[a](../start.md)", DOCS / "decisions" / "x.md") == "[a](../start.md)"
