"""What a browser posts to the dashboard, as Dash's renderer writes it."""

from __future__ import annotations

from typing import Any

UPDATE = "/_dash-update-component"


def question(path: str = "/", query: str = "", seen: object = None) -> dict[str, Any]:
    """The question for the page of a URL, asked by a browser that has seen something."""
    return {
        "output": "..page.children...bar.children...seen.data...tick.interval..",
        "outputs": [
            {"id": "page", "property": "children"},
            {"id": "bar", "property": "children"},
            {"id": "seen", "property": "data"},
            {"id": "tick", "property": "interval"},
        ],
        "inputs": [
            {"id": "url", "property": "pathname", "value": path},
            {"id": "url", "property": "search", "value": query},
            {"id": "tick", "property": "n_intervals", "value": 1},
        ],
        "state": [{"id": "seen", "property": "data", "value": seen}],
        "changedPropIds": ["url.pathname"],
    }
