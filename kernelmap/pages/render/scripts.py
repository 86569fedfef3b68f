"""The scripts of a page: Plotly's own file, and how a content security policy names a script."""

from __future__ import annotations

import base64
import hashlib
from importlib.util import find_spec
from pathlib import Path

_FILE = Path("package_data") / "plotly.min.js"


def plotly_script() -> str:
    """Plotly for a browser, as its package brings it.

    `plotly.offline.get_plotlyjs` gives the same text, after a tenth of a second of imports.
    """
    spec = find_spec("plotly")
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        return (Path(folder) / _FILE).read_bytes().decode()
    raise ModuleNotFoundError("No module named 'plotly'", name="plotly")


def script_hash(script: str) -> str:
    """What a content security policy calls a script by."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
