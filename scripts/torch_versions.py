"""Try releases of torch, and keep what was found for docs/versions.md.

    python scripts/torch_versions.py list                 # releases to try, oldest first
    python scripts/torch_versions.py list --missing       # those without a file in docs/versions
    python scripts/torch_versions.py list --missing --newest      # and the newest in any case
    python scripts/torch_versions.py try 2.14.1           # in an environment made for it
    python scripts/torch_versions.py try 2.13.0 --python .venv-test/bin/python
    python scripts/torch_versions.py try 2.13.0 --only capture --only log       # keeps the rest

`try` writes docs/versions/VERSION.json and exits with 1 where something is not read;
scripts/make_docs.py makes the table of all such files.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import usage
from torch_releases.environment import list_releases, make_environment
from torch_releases.findings import Release, Verdict, keep, read_kept
from torch_releases.trials import ALL, run_trials

_ABOUT = """
import json, platform, torch
try:
    import triton
    version = triton.__version__
except ImportError:
    version = None
print(json.dumps([torch.__version__, platform.python_version(), version]))
"""


def main() -> int:
    """Run the command line."""
    parser = usage.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list")
    listing.add_argument("--missing", action="store_true")
    listing.add_argument("--newest", action="store_true")
    trying = commands.add_parser("try")
    trying.add_argument("version")
    trying.add_argument("--python", type=Path, help="an environment that has this torch")
    trying.add_argument("--only", action="append", choices=ALL, default=[])
    options = parser.parse_args()
    if options.command == "list":
        known = {release.torch for release in read_kept()} if options.missing else set()
        releases = list_releases()
        known -= {releases[-1]} if options.newest else set()
        print(json.dumps([version for version in releases if version not in known]))
        return 0
    return _try(options.version, options.python, options.only)


def _try(version: str, python: Path | None, only: Sequence[str]) -> int:
    """Install, try, keep; the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        # a link to a Python of an environment must stay a link
        used = python.absolute() if python else make_environment(folder / "venv", version)
        release = _find_out(version, used, folder / "written", only)
    print(f"wrote {keep(release)}")
    return int(any(one.verdict is Verdict.UNREAD for one in release.findings.values()))


def _find_out(version: str, python: Path, folder: Path, only: Sequence[str]) -> Release:
    said = subprocess.run([python, "-c", _ABOUT], check=True, capture_output=True, text=True)  # noqa: S603 -- that environment's Python
    build, python_version, triton = json.loads(said.stdout.splitlines()[-1])
    if build.partition("+")[0] != version:
        raise SystemExit(f"{python} has torch {build}, not {version}")
    print(f"torch {build}, Python {python_version}, Triton {triton}", flush=True)
    before = next((kept.findings for kept in read_kept() if kept.build == build), {})
    return Release(
        torch=version,
        build=build,
        python=python_version,
        triton=triton,
        tried=datetime.now(UTC).date().isoformat(),
        findings={**(before if only else {}), **run_trials(python, folder, only)},
    )


if __name__ == "__main__":
    sys.exit(main())
