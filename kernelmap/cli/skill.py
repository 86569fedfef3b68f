"""`kernelmap skill`: what to tell a coding agent, so that it asks the right question."""

from __future__ import annotations

import click

from kernelmap.agents.skill import read_skill
from kernelmap.cli.common import Command, emit


@click.command(cls=Command, short_help="Print what a coding agent should know to ask.")
def skill() -> None:
    """Print the skill for coding agents: which question to ask when, and what answers mean.

    It is one Markdown file, SKILL.md, as agents of several makers read it. It lies in the package
    as well, in kernelmap/agents/skill/.

    Example: kernelmap skill > SKILL.md
    """
    emit(read_skill())
