"""The table of docs/versions.md: a row per release of torch, a column per trial."""

from __future__ import annotations

from collections.abc import Sequence

from torch_releases.findings import Finding, Release, Verdict

_MARKS = {
    Verdict.READ: "🟢",
    Verdict.PARTLY: "🟡",
    Verdict.UNREAD: "🔴",
    Verdict.ABSENT: "⚪",
    Verdict.UNTRIED: "⚪",
}


def release_table(releases: Sequence[Release]) -> str:
    """Markdown, rows as given; blank where a release was tried before there was that trial."""
    columns = list(dict.fromkeys(name for release in releases for name in release.findings))
    lines = [
        f"| torch | {' | '.join(columns)} | tried |",
        f"|---{'|---' * len(columns)}|---|",
    ]
    for release in releases:
        triton = f", Triton {release.triton}" if release.triton else ""
        cells = [_cell(release.findings.get(name)) for name in columns]
        lines.append(
            f"| {release.build}{triton} | {' | '.join(cells)} "
            f"| {release.tried}, Python {release.python} |"
        )
    return "\n".join(lines) + "\n"


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return ""
    # what torch last said of an error may hold anything
    words = finding.words.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    return f"{_MARKS[finding.verdict]} {words}"
