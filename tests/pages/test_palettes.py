"""Texts stand out from what is behind them, in light and dark, computed from the style sheets."""

from __future__ import annotations

from importlib.resources import files

import pytest

from accessible import contrast, palettes

SHEETS = ("kernelmap/pages/report/static/core.css", "kernelmap/pages/static/page.css")
READ = 4.5  # what WCAG 2 asks of text
PAIRS = [
    *((text, ground) for text in ("ink", "soft", "accent") for ground in ("card", "page", "hover")),
    ("warn-ink", "warn"),
]


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_texts_can_be_read(sheet: str, text: str, ground: str) -> None:
    """Every text color has a contrast of at least 4.5 to each background that it stands on."""
    package, _, name = sheet.rpartition("/static/")
    style = (files(package.replace("/", ".")) / "static" / name).read_text("utf-8")
    matching = [palette for palette in palettes(style) if {text, ground} <= palette.keys()]

    assert len(matching) == 3  # light, the system's dark, and the dark that was chosen
    for palette in matching:
        assert contrast(palette[text], palette[ground]) >= READ
