"""What axe-core finds on a page, and the contrast between colors of a style sheet."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_GRAVE = ("serious", "critical")
_RUN = "axe.run(document, {resultTypes: ['violations'], preload: false})"


def grave(page: Page) -> list[str]:
    """The serious and critical violations on a page: rule, how many elements, the first of them."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python is not installed")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    violations = page.evaluate(_RUN)["violations"]
    return [
        f"{violation['id']}: {len(violation['nodes'])}, {violation['nodes'][0]['html'][:200]}"
        for violation in violations
        if violation["impact"] in _GRAVE
    ]


def palettes(style: str) -> list[dict[str, str]]:
    """The custom properties of each block of a style sheet that sets some, by name."""
    blocks = re.findall(r"\{([^{}]*--[^{}]*)\}", style)
    return [dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{6})", block)) for block in blocks]


def contrast(one: str, other: str) -> float:
    """The ratio of the brightnesses of two colors, as WCAG 2 defines it: 1 to 21.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
