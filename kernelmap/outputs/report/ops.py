"""The view ops: what its script draws."""

from __future__ import annotations

from kernelmap.outputs.report.content import Content
from kernelmap.outputs.report.packed import Texts


def data(content: Content, texts: Texts) -> object:  # noqa: ARG001 -- the views' signature
    """Nothing yet."""
    return {}
