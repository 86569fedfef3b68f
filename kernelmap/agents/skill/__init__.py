"""The skill that coding agents read: SKILL.md of this folder, as text."""

from __future__ import annotations

from pathlib import Path


def read_skill() -> str:
    """The text of SKILL.md."""
    return Path(__file__).with_name("SKILL.md").read_text(encoding="utf-8")
