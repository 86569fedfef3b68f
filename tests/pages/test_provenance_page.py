"""The four panes in a real browser: light in all directions, keys, addresses, search, size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernelmap import Correlation, correlate
from kernelmap.model import CompiledProgram
from kernelmap.pages.report import Content
from kernelmap.pages.report.provenance import chain
from pages import browsing
from pages.hand_tables import HOSTILE
from pages.provenance_world import ADD, correlation, large, small
from tiny import Timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
KINDS = ("line", "pre", "post", "call")
KILOBYTE = 1024
PAGE_SIZE = 5 * 1024 * KILOBYTE
"""Of a report of nothing: most of it draws charts."""
READING_MS = 250
"""More than a pointer rests before the other panes move (provenance.js), on a busy machine too."""


class Panes(browsing.Visit):
    """The view of one report."""

    def lit(self, mark: str = "sure") -> dict[str, list[str]]:
        """The lit rows in sight of each pane: their code."""
        return {
            kind: self.page.locator(f"[data-kind={kind}] .row.{mark} .code").all_text_contents()
            for kind in KINDS
        }

    def point(self, kind: str, text: str) -> None:
        """Let the pointer rest on the row that holds `text`, until the other panes have moved."""
        # A pointer that lies there already, from an earlier test, would tell the page nothing.
        self.page.mouse.move(0, 0)
        self.row(kind, text).hover(position={"x": 80, "y": 9})
        self.page.wait_for_timeout(READING_MS)
        self.settle()

    def leave(self) -> None:
        """Move the pointer off the panes, until nothing is lit any more."""
        self.page.mouse.move(5, 5)
        self.page.wait_for_function("() => !document.querySelector('.pane .row.sure')")

    def row(self, kind: str, text: str) -> Locator:
        """The first linked row of a pane that holds `text`."""
        return self.page.locator(f"[data-kind={kind}] .row.linked", has_text=text).first

    @property
    def about(self) -> str:
        return self.page.locator("#provenance-view .chosen").inner_text()


@cache
def correlated(sample: Path) -> Correlation:
    return correlate(sample)


def written(run: Correlation, path: Path) -> Path:
    return browsing.write(Content(tables=run.tables, records=run), path)


def opened(browser: Browser, report: Path, address: str = "#provenance") -> Panes:
    visit = browsing.opened(browser, report, address)
    return Panes(visit.page, visit.said, visit.asked)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(small(), tmp_path_factory.mktemp("panes") / "report.html")


@pytest.fixture(scope="module")
def shared(browser: Browser, report: Path) -> Iterator[Panes]:
    visit = opened(browser, report)
    yield visit
    visit.page.close()


@pytest.fixture
def visit(shared: Panes) -> Iterator[Panes]:
    """The report that all tests of this module look at: its forward graph, nothing kept."""
    shared.begin_again("#provenance&graph=0_backward")
    shared.go("#provenance&graph=0_forward")  # another graph lets go of what was kept
    yield shared
    assert shared.silent


@pytest.fixture
def own(browser: Browser, report: Path) -> Iterator[Panes]:
    """A window of one's own: for what no address undoes."""
    visit = opened(browser, report, "#provenance&graph=0_forward")
    yield visit
    assert visit.silent
    visit.page.close()


WAYS = {
    ("line", "self.fc"): ("self.fc", "linear =", "mm =", "mm(buf0"),
    ("pre", "linear"): ("self.fc", "linear =", "mm =", "mm(buf0"),
    ("post", "mm:"): ("self.fc", "linear =", "mm =", "mm(buf0"),
    ("call", "extern_kernels.mm"): ("self.fc", "linear =", "mm =", "mm(buf0"),
    ("post", "erf:"): ("gelu(x)", "gelu =", "erf =", "run(buf0)"),
    ("call", "run(buf1)"): ("gelu(x)", "gelu =", "mul =", "run(buf1)"),
}


@pytest.mark.parametrize(("start", "expected"), WAYS.items())
def test_the_whole_chain_lights_up(
    visit: Panes, start: tuple[str, str], expected: tuple[str, ...]
) -> None:
    """From any pane, exactly one row in each of the four belongs to it."""
    visit.point(*start)
    lit = visit.lit()

    for kind, text in zip(KINDS, expected, strict=True):
        (code,) = lit[kind]
        assert text in code.replace(': "f32[8]"', "")
    assert sum(map(len, visit.lit("weak").values())) == 0


def test_a_pointer_that_comes_back_to_its_place_lights_it_again(visit: Panes) -> None:
    """To leave and to return is a movement, even to the very same pixel."""
    for _ in range(2):
        visit.point("post", "erf:")
        assert visit.lit()["call"]
        visit.leave()


def test_a_line_lights_all_that_it_became(visit: Panes) -> None:
    """One source line, one node before autograd, two after it, two calls and their kernel."""
    visit.point("line", "gelu(x)")
    lit = visit.lit()

    assert [len(lit[kind]) for kind in KINDS] == [1, 1, 2, 2]
    assert visit.page.locator("[data-kind=call] .row.also").count() == 2
    assert "200 ns" in visit.about
    visit.leave()


def test_a_definition_lights_its_calls(visit: Panes) -> None:
    """A kernel's lines stand for all calls of it, and show the sum of their time."""
    definition = visit.page.locator("[data-kind=call] .row", has_text="async_compile.triton")
    definition.hover(position={"x": 150, "y": 9})
    visit.page.wait_for_function("() => document.querySelector('.pane .row.sure')")

    assert len(visit.lit()["call"]) == 2
    assert definition.locator(".sum").inner_text() == "Σ 200 ns"


def test_a_click_keeps_the_light_and_escape_lets_go(visit: Panes) -> None:
    """Kept light does not follow the pointer; the address names what is kept."""
    page = visit.page
    visit.row("call", "extern_kernels.mm").click(position={"x": 150, "y": 9})
    kept = visit.lit()
    visit.point("post", "erf:")

    assert page.evaluate("location.hash") == "#call=0_forward%2F1"
    assert visit.lit() == kept
    assert "kept" in visit.about
    page.keyboard.press("Escape")
    assert not any(visit.lit().values())
    assert page.evaluate("location.hash") == "#provenance&graph=0_forward"


@pytest.mark.parametrize(
    ("kind", "text"), [("line", "self.fc"), ("pre", "linear"), ("post", "erf:"), ("call", "run(b")]
)
def test_an_address_leads_back(visit: Panes, kind: str, text: str) -> None:
    """What a click put into the address lights the same rows when it is opened again."""
    visit.row(kind, text).click(position={"x": 150, "y": 9})
    visit.page.wait_for_function("() => location.hash.includes('=0_forward')")
    visit.settle()
    address, lit, about = visit.page.evaluate("location.hash"), visit.lit(), visit.about
    visit.page.keyboard.press("Escape")
    assert not any(visit.lit().values())
    visit.begin_again()
    visit.go(address)

    assert any(lit.values())
    assert (visit.lit(), visit.about) == (lit, about)


def test_a_line_needs_no_graph_in_its_address(browser: Browser, report: Path) -> None:
    """It is shown where it has most of its time, and found from the top of the page."""
    visit = opened(browser, report, "#provenance&line=%2Fhome%2Fuser%2Fmodel.py%3A7")

    assert visit.lit()["call"] == ["    extern_kernels.mm(buf0, out=buf1)"]
    visit.page.fill("#search", "model.py:9")
    visit.page.click("#hits li:has-text('line')")
    visit.page.wait_for_function("() => location.hash.includes('py%3A9')")
    visit.page.click("#lines-view .links a:has-text('side by side')")
    visit.page.wait_for_selector("#provenance-view:not([hidden])")
    assert len(visit.lit()["call"]) == 2
    assert visit.silent
    visit.page.close()


def test_an_address_that_leads_nowhere_says_so(visit: Panes) -> None:
    """Neither an unknown graph nor an unknown call is an error of the page."""
    for address, message in (
        ("#call=9_forward/3", "no 9_forward/3"),
        ("#call=0_forward/99", "no such line"),
        ("#provenance&graph=0_forward&post=nothing", "no such line"),
        ("#call=%", "no %"),
    ):
        visit.go(address)

        assert message in visit.about


def test_forward_and_backward_are_linked(visit: Panes) -> None:
    """The button and its key lead over, and a kept source line stays kept."""
    page = visit.page
    visit.row("line", "gelu(x)").click(position={"x": 200, "y": 9})
    page.click("#provenance-view .bar .other")
    page.wait_for_function("() => location.hash.includes('0_backward')")

    assert len(visit.lit()["line"]) == 1
    assert visit.lit()["call"] == [f"    {'triton_poi_fused_mul_1'}.run()"]
    assert page.locator("[data-kind=line] .row.sure .ns").all_text_contents() == [
        "100 ns",
        "200 ns",
    ]
    page.keyboard.press("b")
    page.wait_for_function("() => location.hash.includes('0_forward')")
    assert len(visit.lit()["call"]) == 2


def test_what_is_only_on_the_same_line_is_lit_weakly(visit: Panes) -> None:
    """A backward that was compiled lazily has no mapping: its lines lead on, and look like it."""
    visit.page.keyboard.press("b")
    visit.page.wait_for_function("() => location.hash.includes('0_backward')")
    visit.point("call", ".run()")

    assert [len(visit.lit()[kind]) for kind in KINDS] == [1, 0, 0, 1]
    assert [len(visit.lit("weak")[kind]) for kind in KINDS] == [0, 1, 1, 0]


def test_keys_walk_over_hot_lines(visit: Panes) -> None:
    """Keys j and k go down and up in the pane, n and p by time over the calls; both wrap round."""
    page = visit.page

    def kept(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        return page.locator("#provenance-view .chosen").inner_text().replace("\n", " ")

    assert "0_forward/0" in kept("n")
    assert "0_forward/1" in kept("n")
    assert "0_forward/0" in kept("p")
    assert "0_forward/2" in kept("p")
    assert "0_forward/0" in kept("j")
    assert "0_forward/1" in kept("ArrowDown")
    assert "0_forward/0" in kept("k")
    assert "mul" in kept("h", "k")
    assert "erf" in kept("ArrowUp")
    assert "gelu" in kept("ArrowLeft", "k")
    assert page.locator(".pane.active").get_attribute("data-kind") == "pre"


def test_the_search_goes_through_all_panes(own: Panes) -> None:
    """Every row that has the text is marked; Enter goes on, Shift Enter back, Escape ends it."""
    page = own.page
    page.keyboard.press("/")
    page.keyboard.type("GELU")

    lit = own.lit("found")
    assert [len(lit[kind]) for kind in KINDS] == [1, 2, 0, 0]
    assert page.inner_text("#provenance-view .told") == "1 of 3"
    page.keyboard.press("Enter")
    assert page.inner_text("#provenance-view .told") == "2 of 3"
    assert page.locator(".row.at").count() == 1
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    assert page.inner_text("#provenance-view .told") == "3 of 3"
    page.keyboard.press("Escape")
    assert not any(own.lit("found").values())
    page.keyboard.press("/")
    page.keyboard.type("no such text")
    assert page.inner_text("#provenance-view .told") == "not found"


def wide(page: Page) -> float:
    """The width of the pane of generated code."""
    box = page.locator("[data-kind=call]").bounding_box()
    assert box is not None
    return box["width"]


def test_shapes_fold_and_scale(own: Panes) -> None:
    """Shapes are shown on request, a pane folds to a strip, and a divider moves."""
    page = own.page
    shape = page.locator("[data-kind=post] .code .t").first
    before = wide(page)

    assert not shape.is_visible()
    page.keyboard.press("s")
    assert shape.is_visible()
    page.click("[data-kind=line] .fold")
    assert wide(page) > before + 20
    page.click("[data-kind=line] .fold")
    divider = page.locator(".divider").last.bounding_box()
    assert divider
    page.mouse.move(divider["x"] + 2, 400)
    page.mouse.down()
    page.mouse.move(divider["x"] - 98, 400, steps=4)
    page.mouse.up()
    assert abs(wide(page) - before - 100) < 3


def _ns(shown: str) -> float:
    """A time as the page writes it, in ns."""
    number, unit = shown.replace(",", "").split()
    return float(number) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]


def test_times_are_of_all_runs_or_of_one(
    browser: Browser, samples: Path, report_of: Callable[[str], Path]
) -> None:
    """The key divides by the number of runs, and keeps what is lit and where one was."""
    run = correlated(samples / "cpu_block")
    visit = opened(browser, report_of("cpu_block"), "#call=0_forward/5")
    gutter = visit.page.locator("[data-kind=call] .row.sure .ns")
    scroll = "document.querySelector('[data-kind=call] .scroll').scrollTop"
    before, top, lit = gutter.inner_text(), visit.page.evaluate(scroll), visit.lit()
    visit.page.keyboard.press("u")

    runs = run.attribution.graphs[0].invocations
    assert runs > 1
    assert _ns(before) / runs == pytest.approx(_ns(gutter.inner_text()), rel=0.01)
    assert (visit.page.evaluate(scroll), visit.lit()) == (top, lit)
    assert visit.silent
    visit.page.close()


def test_a_hostile_text_stays_text(visit: Panes) -> None:
    """Markup in code and source is shown letter by letter."""
    shown = "".join(visit.page.locator("#provenance-view .code").all_text_contents())

    assert shown.count(HOSTILE) == 2
    assert visit.page.locator("#provenance-view img, #provenance-view script").count() == 0


def test_dark_has_its_own_colors(visit: Panes) -> None:
    """Card, light and heat differ between the two, and the light can be read on both."""
    page = visit.page
    visit.row("call", "extern_kernels.mm").click(position={"x": 150, "y": 9})

    def colors() -> list[str]:
        backgrounds: list[str] = page.evaluate(
            """() => [".pane .row.sure .code", ".pane .row.sure .ns", "#provenance-view"].map(
                (each) => getComputedStyle(document.querySelector(each)).background)"""
        )
        return backgrounds

    light = colors()
    page.click("#theme")
    visit.settle()
    dark = colors()

    assert all(one != other for one, other in zip(light, dark, strict=True))


def test_panes_without_anything_make_room(browser: Browser, tmp_path: Path) -> None:
    """A graph that only the trace knows has a list of calls and no other pane."""
    run = correlation(CompiledProgram(graphs=()), Timeline().invoke([ADD, "aten.mm"]).trace())
    visit = opened(browser, written(run, tmp_path / "bare.html"))

    assert visit.page.locator(".pane.folded").count() == 3
    assert visit.page.locator("[data-kind=call] .row").count() == 2
    assert visit.silent
    visit.page.close()


def test_a_run_without_compiled_code_says_so(browser: Browser, tmp_path: Path) -> None:
    """No graph is no error, neither of the page nor of its keys."""
    run = correlation(CompiledProgram(graphs=()), Timeline().eager("aten::add").trace())
    visit = opened(browser, written(run, tmp_path / "eager.html"))
    for key in "jnb/su":
        visit.page.keyboard.press(key)
    visit.page.keyboard.press("Escape")

    assert "No compiled code" in visit.page.inner_text("#provenance-view")
    assert visit.silent
    visit.page.close()


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_thousands_of_calls_stay_small_and_smooth(
    browser: Browser, tmp_path: Path, count: int
) -> None:
    """Only rows in sight are elements, wherever one scrolls; the file is within its limit."""
    path = written(large(count), tmp_path / "large.html")
    visit = opened(browser, path, "#provenance")
    page = visit.page

    assert path.stat().st_size < PAGE_SIZE + count * KILOBYTE
    for top in (0, 70 * count, 10**9):
        page.locator("[data-kind=call] .scroll").evaluate(
            "(each, top) => each.scrollTo(0, top)", top
        )
        visit.settle()
        rows = page.locator("[data-kind=call] .row")
        assert 40 < rows.count() < 120
    last = int(rows.last.get_attribute("data-row") or 0)
    assert last > 8 * count
    visit.go(f"#call=0_inference/{count - 1}")
    page.wait_for_selector("[data-kind=call] .row.sure")
    assert len(visit.lit()["post"]) == 3
    assert visit.lit()["line"] == ["x = f(x, 99)"]
    assert visit.silent
    page.close()


LIT = """async (calls) => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const found = [];
    for (const call of calls) {
        kernelmap.app.go(kernelmap.app.hash(null, { call }));
        while (!document.querySelector(".chosen").textContent.includes(call)) await wait(1);
        found.push(kernelmap.views.provenance.lit());
    }
    return found;
}"""
"""How much each call lights, one after the other."""


@pytest.mark.parametrize("sample", ["cpu_block", "aoti_block"])
def test_the_page_lights_what_python_linked(
    browser: Browser, samples: Path, report_of: Callable[[str], Path], sample: str
) -> None:
    """For every call of a real run the page lights the links that the model has, no more."""
    run = correlated(samples / sample)
    visit = opened(browser, report_of(sample), "#provenance")
    for at, compiled in enumerate(run.program.graphs):
        first = run.program.first_call[at]
        lines_of_calls = run.attribution.call_lines[first : first + len(compiled.calls)]
        links = chain(compiled, lines_of_calls)
        ids = [compiled.call_id(call) for call in compiled.calls]
        for call, counts in zip(compiled.calls, visit.page.evaluate(LIT, ids), strict=True):
            assert counts["post"] == len(links.call_post[call.index])
            assert counts["pre"] == len(links.call_pre[call.index])
            assert counts["line"] == len(links.call_line[call.index])
    assert visit.silent
    visit.page.close()
