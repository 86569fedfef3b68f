"""Make the documentation's site of docs/: HTML that works offline and from a disk.

    python scripts/make_site.py build/site

The pages are the Markdown files of docs/, with CONTRIBUTING.md, SECURITY.md and CHANGELOG.md beside
them; the navigation is that of docs/README.md. A link that leads nowhere ends it (Sphinx's -n and
-W), and nothing is fetched. A link to a file of the project that is no page becomes its name.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
DOCS = PROJECT / "docs"
CONF = Path(__file__).with_name("site")
BESIDE = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ENTRY = re.compile(r"^- \[[^\]]+\]\(([^)]+)\)", re.MULTILINE)
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write the site to the folder that is named; exit with Sphinx's code."""
    parser = usage.parser(__doc__)
    parser.add_argument("out", type=Path, help="the folder to write to")
    sys.exit(build(parser.parse_args().out))


def build(out: Path) -> int:
    """Write the site to `out`; 0 where nothing is amiss. Needs the extra `docs`."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder)
        stage(pages)
        given = ["-q", "-n", "-W", "--keep-going", "-b", "html", "-c", str(CONF)]
        return build_main([*given, "-d", str(pages / "doctrees"), str(pages / "in"), str(out)])


def stage(folder: Path) -> None:
    """Lay the pages out in `folder`/in as the site has them."""
    place = folder / "in"
    ignored = shutil.ignore_patterns("*.md")
    shutil.copytree(DOCS, place, ignore=ignored)
    for path in [*sorted(DOCS.rglob("*.md")), *(PROJECT / name for name in BESIDE)]:
        text = linked(path.read_text(encoding="utf-8"), path)
        if path == DOCS / "README.md":
            text = with_navigation(text)
        elif path.name == "README.md":
            text += "\n```{toctree}\n:hidden:\n:glob:\n\n[0-9]*\n```\n"
        target = place / _page(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def with_navigation(text: str) -> str:
    """`text` with a hidden tree for each of its sections, of the pages that it lists."""
    head, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return "".join([head, *map(_with_tree, sections)])


def _with_tree(section: str) -> str:
    title = section.partition("\n")[0].removeprefix("## ")
    pages = "\n".join(target.removesuffix(".md") for target in _ENTRY.findall(section))
    tree = f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
    return f"{section.rstrip()}\n\n{tree}\n"


def linked(text: str, path: Path) -> str:
    """The page `path` with links that fit the site; text of code stays as it is."""
    here = _page(path).parent

    def link(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if not target or "://" in target:
            return match[0]
        there = (path.parent / target).resolve()
        if there.suffix != ".md" and not there.is_relative_to(DOCS):
            return match["words"]
        page = "/".join([".."] * len(here.parts) + list(_page(there).parts))
        return f"[{match['words']}]({page}{'#' * bool(anchor)}{anchor})"

    parts = _CODE.split(text)
    return "".join(part if at % 2 else _LINK.sub(link, part) for at, part in enumerate(parts))


def _page(path: Path) -> Path:
    """Where a file of the project lies in the site."""
    if path in (PROJECT / "README.md", DOCS / "README.md"):
        return Path("index.md")
    if path.parent == PROJECT:
        return Path(path.name.lower())
    if path.name == "README.md":
        return path.relative_to(DOCS).with_name("index.md")
    return path.relative_to(DOCS)


if __name__ == "__main__":
    main()
