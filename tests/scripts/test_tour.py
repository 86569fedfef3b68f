"""The picture of the rooms in docs/tour.md."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import tour


def test_no_circle_leads_through_rooms() -> None:
    """Rooms have an order in which each imports from earlier ones alone."""
    rooms: dict[str, set[str]] = {}
    for room, other in tour.imports_between_rooms():
        rooms.setdefault(room, set()).add(other)

    order = list(TopologicalSorter(rooms).static_order())  # CycleError names the circle

    assert order[0] == "model"
    assert order[-1] == "cli"


def test_arrows_that_follow_from_others_are_left_out(tmp_path: Path) -> None:
    """Of a chain and its shortcut the chain is drawn, with the imports of each."""
    package = tmp_path / "house"
    for room, text in (
        ("low", ""),
        ("middle", "from house.low import a\nfrom house.low.b import c"),
        ("high", "from house.middle import a\nfrom house.low import d"),
    ):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").write_text(text)

    arrows = re.findall(r"(\w+) -->\|(\d+)\| (\w+)", tour.picture(package))

    assert arrows == [("high", "1", "middle"), ("middle", "2", "low")]
