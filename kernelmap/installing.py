"""The pip command that installs an extra of this kernelmap, for hints of errors.

A bare `pip install kernelmap[store]` takes whatever an index has under that name, and until we
publish kernelmap there, that is not ours. pip notes beside a package where it came from (PEP 610).
"""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

_CHECKOUT = Path(__file__).resolve().parent.parent


def install_command(extra: str, python: str = "python") -> str:
    """What to type to install kernelmap with the extra into the environment of `python`.

    A folder, a repository or a file that it was installed from is named; what came from an index
    comes from there again.
    """
    return f"{python} -m pip install {_name_requirement(extra, _read_origin())}"


def _read_origin() -> object:
    """What pip noted of where kernelmap came from; None where it noted nothing."""
    try:
        noted = distribution("kernelmap").read_text("direct_url.json")
        return None if noted is None else json.loads(noted)
    except (PackageNotFoundError, OSError, ValueError):
        return None


def _name_requirement(extra: str, origin: object) -> str:
    match origin:
        case {"url": str(url), "dir_info": {"editable": True}}:
            return f"--editable '{unquote(urlsplit(url).path)}[{extra}]'"
        case {"url": str(url), "dir_info": _}:
            return f"'{unquote(urlsplit(url).path)}[{extra}]'"
        case {"url": str(url), "vcs_info": {"vcs": str(vcs), "commit_id": str(commit)}}:
            return f"'kernelmap[{extra}] @ {vcs}+{url}@{commit}'"
        case {"url": str(url)}:
            return f"'kernelmap[{extra}] @ {url}'"
    if (_CHECKOUT / "pyproject.toml").is_file():  # it runs from a checkout that nobody installed
        return f"--editable '{_CHECKOUT}[{extra}]'"
    return f"'kernelmap[{extra}]'"
