"""The view Provenance: source, graphs and code side by side."""

from __future__ import annotations

from kernelmap.outputs.report.content import Content
from kernelmap.outputs.report.packed import Texts


def data(content: Content, texts: Texts) -> object:  # noqa: ARG001 -- the views' signature
    """What the panes show; None without records."""
    return None if content.records is None else {}
