"""What to type to install an extra: from where kernelmap came, never a bare name from an index."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from kernelmap import installing
from kernelmap.installing import install_command

ROOT = Path(__file__).resolve().parent.parent
SHARED_FILES = (
    "action.yml",
    "templates/kernelmap.yml",
    "README.md",
    "docs",
    "kernelmap/messages.md",
)


@pytest.mark.parametrize(
    ("noted", "arguments"),
    [
        (
            {"url": "file:///home/user/my%20tools/kernelmap", "dir_info": {"editable": True}},
            ["--editable", "/home/user/my tools/kernelmap[store]"],
        ),
        ({"url": "file:///srv/kernelmap", "dir_info": {}}, ["/srv/kernelmap[store]"]),
        (
            {
                "url": "https://git.example.org/team/kernelmap",
                "vcs_info": {"vcs": "git", "commit_id": "4ad0"},
            },
            ["kernelmap[store] @ git+https://git.example.org/team/kernelmap@4ad0"],
        ),
        (
            {"url": "https://files.example.org/kernelmap-1-py3-none-any.whl", "archive_info": {}},
            ["kernelmap[store] @ https://files.example.org/kernelmap-1-py3-none-any.whl"],
        ),
    ],
)
def test_an_extra_comes_from_where_kernelmap_came(
    noted: dict[str, object], arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What pip noted of the installation is what the command names, as a shell reads it."""

    class Installed:
        def read_text(self, _name: str) -> str:
            return json.dumps(noted)

    monkeypatch.setattr(installing, "distribution", lambda _name: Installed())

    assert shlex.split(install_command("store")) == ["python", "-m", "pip", "install", *arguments]


@pytest.mark.parametrize("text", [None, "", "[]", '{"url": 3}'])
def test_a_checkout_that_nobody_installed_names_itself(
    text: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a note, or with one that says nothing, the checkout that runs is installed."""

    class Installed:
        def read_text(self, _name: str) -> str | None:
            return text

    monkeypatch.setattr(installing, "distribution", lambda _name: Installed())

    assert shlex.split(install_command("fleet"))[-2:] == ["--editable", f"{ROOT}[fleet]"]


def test_nothing_to_be_copied_asks_an_index_for_kernelmap() -> None:
    """Docs, CI files and messages never have pip look up the bare name: a squatter could own it."""
    bare = re.compile(
        r"(?:install|default:|KERNELMAP:)[^\n#]*[\s'\"`]kernelmap(?:\[[\w,]*\])?['\"`\s]*$"
    )
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for name in SHARED_FILES
        for path in (
            [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*.md"))
        )
        for line in path.read_text(encoding="utf-8").splitlines()
        if bare.search(line) or re.search(r"pip install ['\"]?kernelmap", line)
    ]

    assert not found
