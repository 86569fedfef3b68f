"""The report for everybody: on a phone, by keyboard, with a reader of screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kernelmap
from accessible import grave
from kernelmap.pages.report.page import VIEWS
from pages.browsing import Visit, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PHONE, DESK = (390, 844), (1440, 900)
NAMES = [view.name for view in VIEWS]


@pytest.fixture(scope="module")
def report(report_of: Callable[[str], Path]) -> Path:
    return report_of("sim_gpt_train")


@pytest.fixture(scope="module")
def phone(browser: Browser, report: Path) -> Iterator[Visit]:
    visit = opened(browser, report, size=PHONE, scheme="dark")
    yield visit
    assert visit.silent
    visit.page.close()


@pytest.fixture(scope="module")
def desk(browser: Browser, report: Path) -> Iterator[Visit]:
    visit = opened(browser, report, size=DESK)
    yield visit
    assert visit.silent
    visit.page.close()


@pytest.mark.sampled
@pytest.mark.parametrize("view", NAMES)
@pytest.mark.parametrize("where", ["phone", "desk"])
def test_nothing_keeps_anybody_out(request: pytest.FixtureRequest, view: str, where: str) -> None:
    """axe-core finds nothing serious in any view: light on a desk, dark on a phone."""
    visit: Visit = request.getfixturevalue(where)
    visit.go(f"#{view}")

    assert grave(visit.page) == []
    assert visit.page.locator(f"#{view}-view h1").count() == 1


@pytest.mark.thorough
@pytest.mark.parametrize("view", NAMES)
def test_a_phone_shows_all_of_a_view(phone: Visit, view: str) -> None:
    """No view is wider than a phone, and the top bar is whole: views, search, light and dark."""
    phone.go(f"#{view}")
    page = phone.page

    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    for part in ("#fold", "#search", "#theme"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
    assert page.inner_text("#fold") == page.text_content(f"#tab-{view}")


def test_the_views_unfold_on_a_phone(phone: Visit) -> None:
    """The button of the top bar shows all views; one that is chosen, or Escape, folds them."""
    phone.go("#overview")
    page = phone.page
    page.click("#fold")

    assert page.locator("#tabs a:visible").count() == len(NAMES)
    page.keyboard.press("Escape")
    assert page.locator("#tabs a:visible").count() == 0
    page.click("#fold")
    page.click("#tab-kernels")
    phone.settle()
    assert page.locator("#tabs a:visible").count() == 0
    assert page.evaluate("location.hash") == "#kernels"


def test_source_stands_first_on_a_phone(phone: Visit) -> None:
    """The panes stand below one another: source above, generated code below, graphs folded."""
    phone.go("#provenance")
    panes = phone.page.locator("#provenance-view .pane").evaluate_all(
        "(all) => all.map((each) => [each.dataset.kind, each.classList.contains('folded'), "
        "each.getBoundingClientRect().top, each.getBoundingClientRect().width])"
    )

    assert [kind for kind, *_ in panes] == ["line", "pre", "post", "call"]
    assert [folded for _, folded, *_ in panes] == [False, True, True, False]
    assert [top for *_, top, _ in panes] == sorted(top for *_, top, _ in panes)
    assert all(width > 0.9 * PHONE[0] for *_, width in panes)


def test_panes_keep_their_headings_on_a_phone(phone: Visit) -> None:
    """However long the code is, the heading and the columns' names above it are whole."""
    phone.go("#provenance")
    squeezed = phone.page.locator(
        "#provenance-view .pane > header:visible, #provenance-view .caption:visible"
    ).evaluate_all("(all) => all.filter((each) => each.offsetHeight < 18).length")

    assert squeezed == 0


def test_source_has_room_to_be_read(desk: Visit) -> None:
    """Each pane has room for its lines, the source not all of it; a key moves a divider."""
    desk.go("#provenance")
    page = desk.page
    first = "document.querySelector('#provenance-view .pane').offsetWidth"
    wide = page.evaluate(first)

    assert 0.28 * DESK[0] < wide < 0.35 * DESK[0]
    page.locator("#provenance-view .divider").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(first) < wide


def test_a_name_is_cut_in_its_middle(desk: Visit) -> None:
    """The beginning and end of a long name are shown; its text and tooltip are the whole name."""
    desk.go("#overview")
    labels = desk.page.locator("#overview-view .bars .cut").evaluate_all(
        "(all) => all.map((each) => [each.textContent, each.title, each.firstChild.textContent, "
        "each.lastChild.textContent, each.scrollWidth - each.clientWidth])"
    )
    cut = [label for label in labels if label[2] != label[0]]

    assert any(text.startswith("triton_") for text, *_ in cut)
    for text, title, first, last, _ in cut:
        assert text == title
        assert text.startswith(first)
        assert text.endswith(last)
    assert all(over <= 1 for *_, over in labels)


PERFETTO = """<script>addEventListener("message", ({ data, source }) => {
    if (data === "PING") source.postMessage("PONG", "*");
    else window.given = JSON.parse(new TextDecoder().decode(data.perfetto.buffer));
})</script>"""


def test_perfetto_is_given_what_is_in_sight(browser: Browser, report: Path) -> None:
    """A click opens Perfetto and passes it each launch with its call; before, it is not asked."""
    visit = opened(browser, report, "#timeline")
    page = visit.page
    page.context.route("https://ui.perfetto.dev/**", lambda route: route.fulfill(body=PERFETTO))
    assert visit.silent
    with page.context.expect_page() as opening:
        page.click(".perfetto")
    opening.value.wait_for_function("window.given")
    events = opening.value.evaluate("given.traceEvents")
    launches = [event for event in events if "launch" in event.get("args", {})]

    assert len(launches) == 1270
    assert {"0_forward/20", "0_backward/0"} <= {event["args"].get("call") for event in launches}
    assert sum(event["dur"] for event in launches) == pytest.approx(44_450, rel=1e-3)
    page.context.close()


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("/there/a b/c#d.py:7", "vscode://file/home/me/a%20b/c%23d.py:7"),
        ("/thereby/a.py:7", "vscode://file/thereby/a.py:7"),
        ("C:\\\\code\\\\a.py:7", "vscode://file/C:/code/a.py:7"),
        ("//host/share/a.py:7", None),
        ("a.py:7", None),
        ("javascript:alert(1)", None),
    ],
)
def test_a_line_opens_in_an_editor(desk: Visit, path: str, link: str | None) -> None:
    """Whole paths of this machine lead to VS Code, through the map of folders; others nowhere."""
    made = desk.page.evaluate(
        "([path]) => { kernelmap.app.data.paths = [['/there', '/home/me/']];"
        " return kernelmap.app.editor(path)?.href ?? null; }",
        [path.replace("\\\\", "\\")],
    )

    assert made == link


def test_a_search_for_an_op_opens_the_op(desk: Visit) -> None:
    """What bears the very name stands first, and Enter shows it in its table."""
    desk.go("#overview")
    page = desk.page
    page.fill("#search", "aten.gelu")
    page.keyboard.press("Enter")
    desk.settle()

    assert page.evaluate("location.hash") == "#op=aten.gelu"
    chosen = page.locator("#ops-view tr[aria-selected=true] td").first
    assert chosen.text_content() == "aten.gelu"


def test_speed_has_its_reasons_beside_those_of_measurement(desk: Visit) -> None:
    """What to do next begins with what steps could save, and leads to why calls have headroom."""
    desk.go("#overview")
    card = desk.page.locator("#overview-view .card", has_text="What to do next")

    assert "layout-copy · at most 244.6 µs a step, 5.3 %" in card.inner_text()
    assert card.locator("a[href='#roofline']").count() == 1


def test_the_title_is_the_name_of_the_folder(desk: Visit) -> None:
    """A report of one folder is called by it; what was read in it stands beside."""
    assert desk.page.title() == "sim_gpt_train · kernelmap"
    assert "profile.json.gz" in desk.page.inner_text("#overview-view .sources")


def test_ids_of_calls_are_never_cut(desk: Visit) -> None:
    """Beside the name of a call its id stands whole."""
    desk.go("#overview")
    ids = desk.page.locator("#overview-view .bars .id")

    assert ids.count() >= 5
    assert all(
        whole
        for whole in ids.evaluate_all("(all) => all.map((e) => e.scrollWidth <= e.clientWidth + 1)")
    )


def test_an_eager_kernel_is_no_saved_result(browser: Browser, tmp_path: Path) -> None:
    """A kernel that no compiled code launches has no code; the note says so, and no more."""
    idle = Path(__file__).resolve().parents[2] / "docs" / "examples" / "idle.json.gz"
    visit = opened(browser, kernelmap.correlate(idle).to_html(tmp_path / "eager.html"))
    visit.go("#kernel=elementwise_kernel")
    text = visit.page.inner_text("#kernels-view .panel")

    assert "No call of compiled code is known to launch it." in text
    assert "saved result" not in text
    assert visit.silent
    visit.page.close()
