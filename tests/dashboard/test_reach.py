"""The dashboard for everybody: with a reader of screens, by keyboard, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from accessible import grave
from dashboard.asking import served
from dashboard.test_browser import Visit, visiting
from kernelmap.history.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

VIEWS = (
    "/",
    "/compare",
    "/compare?before=main~5&after=main",
    "/items",
    "/item?kind=op&key=aten.mm",
    "/runs",
    "/run",
    "/coverage",
    "/nothing",
)
PHONE, DESK = (390, 844), (1280, 900)


@pytest.fixture(scope="module")
def url(planted: Store) -> Iterator[str]:
    """A dashboard over the small history."""
    with served(planted) as served_url:
        yield served_url


@pytest.fixture(scope="module")
def phone(browser: Browser, url: str) -> Iterator[Visit]:
    with visiting(browser, url, theme="dark", size=PHONE) as visit:
        yield visit


@pytest.fixture(scope="module")
def desk(browser: Browser, url: str) -> Iterator[Visit]:
    with visiting(browser, url, size=DESK) as visit:
        yield visit


@pytest.mark.sampled
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_keeps_anybody_out(desk: Visit, view: str) -> None:
    """axe-core finds nothing serious on any page in light, and a page has one first heading."""
    desk.go(view)

    assert grave(desk.page) == []
    assert desk.page.locator("h1").count() == 1


@pytest.mark.thorough
@pytest.mark.sampled
@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_shows_all_of_a_page(phone: Visit, view: str) -> None:
    """In dark and narrow, axe-core finds nothing serious either, and nothing is cut off.

    Pages of the bar are all in sight, and what a cell of a table holds stands beside its heading.
    """
    phone.go(view)
    page = phone.page

    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    cut = page.evaluate(
        """() => [...document.querySelectorAll("#bar a, .labelled td")]
            .filter((each) => each.offsetWidth)
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).length"""
    )
    assert cut == 0


@pytest.mark.thorough
def test_ticks_of_a_phone_stand_apart(phone: Visit) -> None:
    """Names of commits below a chart leave room between them, and the newest is there."""
    phone.go("/")
    ticks = phone.page.locator("#page .chart").first.locator(".xtick text:visible")
    ticks.first.wait_for()
    boxes = sorted(
        ticks.evaluate_all(
            "(all) => all.map((each) => { const box = each.getBoundingClientRect();"
            " return [box.left, box.right, each.textContent]; })"
        )
    )

    assert len(boxes) >= 2
    assert all(after[0] - before[1] > 12 for before, after in pairwise(boxes))


def test_every_control_is_reached_by_key(desk: Visit) -> None:
    """Tab reaches the links of the bar, the menus and the buttons, each with a ring around it."""
    desk.go("/")
    page = desk.page
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => {
                    const now = document.activeElement;
                    const ring = getComputedStyle(now).outlineStyle;
                    return `${now.closest("#bar") ? "bar" : now.tagName} ${ring}`;
                }"""
            )
        )

    assert {"bar solid", "SUMMARY solid", "BUTTON solid"} <= reached
