"""The report's views in a real browser: what they draw, and what a person can do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

import kernelmap
from examples import some
from kernelmap.pages.report import Content
from kernelmap.pages.text import format_duration, format_percent
from pages.browsing import LAPTOP, Visit, opened, visiting, write
from pages.hand_tables import make_tables, table
from pages.report_world import ADD, content, correlation, small
from tiny import Timeline, graph
from traces.test_launch_places import NESTED, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shared(browser: Browser, small_report: Path) -> Iterator[Visit]:
    with visiting(browser, small_report) as visit:
        yield visit


@pytest.fixture
def visit(shared: Visit) -> Iterator[Visit]:
    """The small report that tests of this module look at, from its beginning."""
    shared.begin_again()
    yield shared
    assert shared.silent


@pytest.fixture
def own(browser: Browser, small_report: Path) -> Iterator[Visit]:
    """A window of one's own: for what no address undoes."""
    with visiting(browser, small_report) as visit:
        yield visit


@pytest.fixture(scope="module")
def shared_sample(browser: Browser, report_of: Callable[[str], Path]) -> Iterator[Visit]:
    with visiting(browser, report_of("sim_mlp_train")) as visit:
        yield visit


@pytest.fixture
def sample(shared_sample: Visit) -> Iterator[Visit]:
    """The report of a sample that tests of this module look at, from its beginning."""
    shared_sample.begin_again()
    yield shared_sample
    assert shared_sample.silent


@pytest.fixture(scope="module")
def saved(browser: Browser, saved_report: Path) -> Iterator[Visit]:
    with visiting(browser, saved_report, "#graphs") as visit:
        yield visit


# ---- ops


def test_ops_stand_with_their_bounds(visit: Visit) -> None:
    """Each op has its time, its share and both bounds, as the table of ops has them."""
    visit.go("#ops")
    for row in small().attribution.ops:
        cells = visit.page.locator("#ops-view tbody tr", has_text=row.name).first
        texts = cells.locator("td").all_text_contents()
        share = row.time_ns / small().attribution.total_ns

        assert texts[2:4] == [
            format_duration(row.time_ns) if row.time_ns else "",
            format_percent(share),
        ]
        assert texts[4] == (format_duration(row.exclusive_ns) if row.exclusive_ns else "")
        assert texts[5] == format_duration(row.involved_ns)
    assert visit.page.locator("#ops-view .track u").count() > 0


BOX = "#ops-view .map g.slice"
STILL = """async (boxes) => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const places = () => JSON.stringify(
        [...document.querySelectorAll(boxes)].map((box) => box.getBoundingClientRect()));
    for (let last = null; last !== places(); await wait(100)) last = places();
    return true;
}"""
"""Comes back when Plotly has moved all boxes to their places."""


def test_the_treemap_has_all_time_and_leads_to_calls(own: Visit) -> None:
    """Boxes nest as module, line, op and call; a click goes in, a call's box leads to its panes."""
    own.go("#ops")
    page = own.page
    total = small().tables.summary.total_ns
    assert page.get_attribute("#ops-view .map", "data-total") == str(total)
    assert page.locator(BOX, has_text="encoder").count() == 1

    click(own, "model.py:2")
    page.wait_for_selector("#ops-view .map .pathbar")
    own.page.wait_for_function(STILL, arg=BOX)
    click(own, "extern_kernels.mm")
    own.settle()
    assert page.evaluate("location.hash") == "#call=0_forward%2F1"


def click(visit: Visit, label: str) -> None:
    """Click on the title of the first box of that label; its middle may be under its parts."""
    place = visit.page.locator(BOX, has_text=label).first.bounding_box()
    assert place is not None
    visit.page.mouse.click(place["x"] + 20, place["y"] + 9)


def test_no_name_is_markup_in_the_treemap(browser: Browser, tmp_path: Path) -> None:
    """Plotly reads a little HTML: tags, links and entities in names stand there as they are."""
    names = ("<b>bold</b>", '<a href="javascript:alert(1)">a</a>', "one<br>two", "&lt;i&gt;")
    compiled = graph("0_forward", *names)
    run = correlation(Timeline().invoke(compiled).eager(f"aten::{names[1]}").trace(), compiled)
    report = write(content(run), tmp_path / "report.html")
    with visiting(browser, report, "#ops") as visit:
        check_names(visit, names)


def check_names(visit: Visit, names: Sequence[str]) -> None:
    shown = visit.page.locator(f"{BOX} text").all_text_contents()

    for name in names:
        assert any(text.startswith(name) for text in shown)
        place = visit.page.locator(BOX, has_text=name).last.bounding_box()
        assert place is not None
        visit.page.mouse.move(place["x"] + 20, place["y"] + 9)
        visit.page.wait_for_function(
            "(name) => document.querySelector('.map .hovertext')?.textContent.includes(name)",
            arg=name,
        )
    assert visit.page.locator(".map svg a").count() == 0


@pytest.mark.thorough
def test_boxes_hold_their_parts(visit: Visit) -> None:
    """Each box of the treemap is as long as the boxes in it, and what is left of it."""
    visit.go("#ops")
    boxes = visit.page.evaluate(
        """() => {
            const [{ ids, parents, values }] = document.querySelector('#ops-view .map').data;
            return [ids, parents, values];
        }"""
    )
    time = dict(zip(boxes[0], boxes[2], strict=True))
    parts = dict.fromkeys(time, 0)
    for parent, value in zip(boxes[1], boxes[2], strict=True):
        if parent:
            parts[parent] += value

    assert len(time) > 3
    assert all(parts[box] <= time[box] for box in time)
    assert parts[boxes[0][0]] == time[boxes[0][0]] == small().tables.summary.total_ns


def test_an_op_chosen_narrows_the_treemap(visit: Visit) -> None:
    """A row of the table shows where that op's time comes from, and back again."""
    visit.go("#ops")
    page = visit.page
    page.locator("#ops-view tbody tr", has_text="aten.mm").click()
    visit.settle()

    assert page.evaluate("location.hash") == "#op=aten.mm"
    assert page.get_attribute("#ops-view .map", "data-total") == "200"
    page.click("text=Show all")
    visit.settle()
    assert page.get_attribute("#ops-view .map", "data-total") == str(
        small().tables.summary.total_ns
    )


@pytest.mark.thorough
def test_a_module_has_the_boxes_of_the_modules_in_it(browser: Browser, tmp_path: Path) -> None:
    """Of a module chosen the map has all that lies in it, and its row its own part beside that."""
    modules = ("layers.0", "layers.0.up", "layers.1.up")
    plain = graph("0_forward", *(f"triton_poi_fused_{name}" for name in "abc"))
    calls = tuple(
        replace(call, modules=(module,)) for call, module in zip(plain.calls, modules, strict=True)
    )
    compiled = replace(plain, calls=calls)
    run = correlation(Timeline().invoke(compiled).trace(), compiled)
    page = write(content(run), tmp_path / "report.html")
    visit = opened(browser, page, "#op=layers.0&by=module")
    rows = [
        row.locator("td").all_text_contents()
        for row in visit.page.locator("#ops-view tbody tr", has_text="layers").all()
    ]

    assert visit.page.get_attribute("#ops-view .map", "data-total") == "200"
    assert visit.page.locator(BOX, has_text="layers.0.up").count() == 1
    assert [row[0] for row in rows] == ["layers", "layers.0", "layers.0.up", "layers.1.up"]
    assert rows[1][2:5] == [format_duration(200), format_percent(200 / 300), format_duration(100)]
    visit.page.close()


# ---- timeline


def hover(visit: Visit, launch: int) -> str:
    """What the tip says with the pointer on a launch."""
    trace = small().trace
    start = int(trace.launches.start_ns[launch]) - trace.origin_ns
    visit.go(f"#launch={launch}&from={start}&to={start + 100}")
    box = visit.page.locator("#timeline-view canvas").bounding_box()
    assert box is not None
    # A pointer that lies there already, from an earlier test, would tell the page nothing.
    visit.page.mouse.move(0, 0)
    visit.page.mouse.move(box["x"] + 132 + (box["width"] - 140) / 2, box["y"] + 26 + 22 + 20)
    return visit.page.inner_text("#tip")


def test_a_launch_tells_its_call(visit: Visit) -> None:
    """Pointed at, it shows wrapper, call, op, line and how sure that is."""
    hint = hover(visit, 1)

    for text in ("extern_kernels.mm", "0_forward/1", "aten.mm", "model.py:2", "exact"):
        assert text in hint
    assert "100 ns" in hint


def test_outside_launches_tell_their_op(visit: Visit) -> None:
    """A launch that ran under no call is shown as outside."""
    hint = hover(visit, 5)

    assert "aten.relu" in hint
    assert "outside: eager" in hint


def test_what_is_unknown_is_not_called_outside(browser: Browser, tmp_path: Path) -> None:
    """A launch without a host side and without code is shown as unknown."""
    compiled = graph("0_forward", ADD)
    line = Timeline().invoke(compiled).launch("elementwise_kernel", api=None)
    visit = opened(
        browser, write(content(correlation(line.trace())), tmp_path / "r.html"), "#timeline"
    )
    visit.page.wait_for_selector("#timeline-view .sight li")
    text = visit.page.inner_text("#timeline-view .sight")

    assert "unknown · 1 launch" in text
    assert "outside" not in text
    visit.page.close()


def test_the_timeline_zooms_and_moves(own: Visit) -> None:
    """Wheel, keys, buttons and dragging change what is in sight, and the address keeps it."""
    own.go("#timeline")
    page = own.page

    def seen() -> str:
        own.settle()
        return page.inner_text("#timeline-view .range")

    whole = seen()
    box = page.locator("#timeline-view canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 600, box["y"] + 70)
    page.mouse.wheel(0, -240)
    closer = seen()
    page.keyboard.press("w")
    closest = seen()
    page.keyboard.press("d")
    moved = seen()
    page.mouse.down()
    page.mouse.move(box["x"] + 700, box["y"] + 70)
    page.mouse.up()
    dragged = seen()
    page.wait_for_function("() => location.hash.startsWith('#timeline&from=')")

    assert len({whole, closer, closest, moved, dragged}) == 5
    assert moved.split(",")[0] == closest.split(",")[0] == dragged.split(",")[0]
    page.keyboard.press("f")
    assert seen() == whole


def test_an_address_with_a_stretch_shows_it_again(visit: Visit) -> None:
    """From and to, in ns, as the timeline writes them itself."""
    visit.go("#timeline&from=400&to=900")

    assert visit.page.inner_text("#timeline-view .range") == "500 ns in sight, from 400 ns"


def test_what_is_in_sight_adds_up(own: Visit) -> None:
    """All in sight: the sum of all launches, and each call's part of it."""
    own.go("#timeline")
    own.page.wait_for_selector("#timeline-view .sight li")
    run = small()

    head = own.page.inner_text("#timeline-view .sight header")
    assert format_duration(run.tables.summary.total_ns) in head
    text = own.page.inner_text("#timeline-view .sight")
    assert f"{ADD}0_forward/0 · 2 launches" in text.replace("\n", "")


def test_the_next_launch_of_a_call_is_a_key_away(visit: Visit) -> None:
    """`n` goes to the next launch of the same call, `p` back."""
    visit.go("#launch=1")
    page = visit.page
    page.keyboard.press("n")
    following = page.inner_text("#timeline-view .told")
    page.keyboard.press("p")

    assert "kernelmap explain 8" in following
    assert "0_forward/1" in following
    assert "kernelmap explain 1" in page.inner_text("#timeline-view .told")


def test_colors_can_be_chosen(visit: Visit) -> None:
    """The bars change with what their color is to mean."""
    visit.go("#timeline")
    pictures = []
    for by in ("graph", "kernel", "confidence", "op"):
        visit.page.select_option("#timeline-view select", by)
        visit.settle()
        pictures.append(visit.page.evaluate("document.querySelector('canvas').toDataURL()"))

    assert pictures[-1] not in pictures[:-1]


@pytest.mark.thorough
def test_an_op_in_and_outside_compiled_code_is_two_rows(sample: Visit) -> None:
    """A click shows the row that was clicked, and the parts of that row alone."""
    sample.go("#ops")
    page = sample.page
    for name in ("aten.add · outside", "aten.add"):
        rows = page.locator("#ops-view tbody tr:not(.space)").all()
        row = next(row for row in rows if row.locator("td").first.inner_text() == name)
        texts = row.locator("td").all_text_contents()
        row.locator("td").nth(2).click()
        sample.settle()

        chosen = page.locator("#ops-view tr[aria-selected=true] td").all_text_contents()
        assert chosen == texts
        lead = page.inner_text("#ops-view .lead")
        assert lead.startswith(f"{name}: ")
        # Calls are shared by their nodes here; what ran outside compiled code has none.
        assert "outside" not in name or lead.startswith(f"{name}: {texts[2]} ")


# ---- kernels


def test_kernels_sort_both_ways(sample: Visit) -> None:
    """A click on a heading sorts by it, another one turns it round; the count stays."""
    sample.go("#kernels")
    page = sample.page
    heading = page.locator("#kernels-view th button", has_text="mean")
    heading.click()
    down = sample.column("kernels", 5)
    heading.click()
    up = sample.column("kernels", 5)

    assert down == up[::-1]
    assert page.locator("#kernels-view th[aria-sort=ascending]").inner_text().startswith("mean")
    assert page.inner_text("#kernels-view .count") == "24 rows"


def test_the_filter_keeps_rows_that_have_all_words(sample: Visit) -> None:
    """Words are found anywhere in a row, in any order and case; the count says how many."""
    sample.go("#kernels")
    page = sample.page
    page.fill("#kernels-view .filter", "GELU triton_red")

    assert all("gelu" in name for name in sample.column("kernels"))
    assert page.inner_text("#kernels-view .count") == f"{len(sample.column('kernels'))} of 24 rows"
    page.fill("#kernels-view .filter", "")
    assert len(sample.column("kernels")) == 24


def test_a_kernel_shows_its_code_and_its_calls(visit: Visit) -> None:
    """The definition as it stands in the generated code; calls lead to their panes."""
    visit.go(f"#kernel={ADD}")
    page = visit.page
    panel = page.locator("#kernels-view .panel")

    assert panel.locator("pre").inner_text() == f"def {ADD}(): pass  # </script>"
    assert panel.locator(".users a").all_text_contents() == ["0_forward/0", "0_forward/2"]
    page.keyboard.press("j")
    visit.settle()
    assert panel.locator("h2").inner_text() != ADD
    page.keyboard.press("k")
    visit.settle()
    panel.locator(".users a").first.click()
    visit.settle()
    assert visit.active == "Provenance"


@pytest.mark.thorough
def test_every_row_of_the_kernels_can_be_chosen(sample: Visit) -> None:
    """A wrapper with several device kernels has a row for each, and its panel is of that row."""
    sample.go("#kernels")
    page = sample.page
    rows = page.locator("#kernels-view tbody tr:not(.space)")
    panel = page.locator("#kernels-view .panel")
    chosen = "#kernels-view tr[aria-selected=true]"
    for at in [*some(range(rows.count() - 1)), rows.count() - 1]:
        cells = rows.nth(at).locator("td").all_text_contents()
        rows.nth(at).locator("td").nth(1).click()
        sample.settle()

        time, _, launches, _ = cells[-4:]
        assert panel.locator("header p").inner_text().startswith(f"{time} in {launches} launch")
        assert page.locator(chosen).locator("td").all_text_contents() == cells
    last = page.evaluate("location.hash")
    for key in "k" * rows.count() + "j" * rows.count():  # as fast as a key repeats, and faster
        page.keyboard.press(key)
    sample.settle()
    assert page.evaluate("location.hash") == last


def test_a_library_routine_shows_the_statements_that_call_it(visit: Visit) -> None:
    """It has no definition, so the lines of its calls stand there."""
    visit.go("#kernel=extern_kernels.mm")

    assert "extern_kernels.mm.run()" in visit.page.inner_text("#kernels-view pre")


def test_an_engines_steps_have_a_card(saved: Visit, visit: Visit) -> None:
    """A row per kind and batch, the steady state marked; a report without such steps has none."""
    saved.go("#overview")
    card = saved.page.locator("#overview-view .card", has_text="Engine steps")
    rows = [" ".join(text.split()) for text in card.locator("tr").all_inner_texts()]
    saved.go("#graphs")

    assert rows[0] == "step kind requests steps tokens time share mean busy MFU longest run"
    assert rows[1].startswith("decode steady state 32 3 96 9.00 ms")
    assert rows[1].endswith("75.0 % at least 4.2 % 3 to 5")
    assert [row.split()[0] for row in rows[2:]] == ["prefill", "(in"]
    assert "Engine steps" not in visit.page.inner_text("#overview-view")


def test_what_is_missing_sorts_last(saved: Visit) -> None:
    """Rows without a value stand at the end, whichever way the others are sorted."""
    heading = saved.page.locator("#graphs-view th button", has_text="compile id")
    heading.click()
    up = saved.column("graphs")
    heading.click()

    assert up == ["0_backward", "0_forward", "(no graph)"]
    assert saved.column("graphs") == ["0_forward", "0_backward", "(no graph)"]


def test_long_tables_draw_what_is_in_sight(browser: Browser, tmp_path: Path) -> None:
    """Of two thousand kernels some dozen rows stand in the page, and all can be scrolled to."""
    tables = make_tables()
    names = [f"kernel_{number}" for number in range(2000)]
    many = table("kernels", [{"wrapper": name, "time_ns": 9} for name in names])
    content = Content(tables=replace(tables, frames={**tables.frames, "kernels": many}))
    visit = opened(browser, write(content, tmp_path / "long.html"), "#kernels")
    page = visit.page

    assert len(visit.column("kernels")) < 100
    page.evaluate("document.querySelector('#kernels-view .scroll').scrollTop = 1e9")
    visit.settle()
    assert visit.column("kernels")[-1] == "kernel_1999"
    visit.go("#kernel=kernel_1000")
    assert "kernel_1000" in visit.column("kernels")
    page.close()


# ---- graphs


def test_every_run_of_a_graph_is_a_dot(sample: Visit) -> None:
    """The distribution and the order of all invocations, and what a graph is."""
    sample.go("#id=0_forward")
    page = sample.page

    assert page.locator("#graphs-view .chart path.point").count() == 20
    assert page.locator("#graphs-view .boxplot").count() == 2
    page.locator("#graphs-view .chart path.point").first.hover(force=True)
    assert "run 0, invocation 0" in str(page.locator("#graphs-view .hovertext").text_content())


def test_the_runs_follow_light_and_dark(sample: Visit) -> None:
    """The chart of runs takes the colors of the side that the page is turned to."""
    sample.go("#id=0_forward")
    page = sample.page
    title = page.locator("#graphs-view .chart .ytitle")
    light = title.evaluate("(text) => text.style.fill")
    page.click("#theme")
    sample.settle()

    assert title.evaluate("(text) => text.style.fill") != light
    page.click("#theme")
    sample.settle()
    assert title.evaluate("(text) => text.style.fill") == light


@pytest.mark.parametrize(("view", "chart"), [("ops", ".map"), ("graphs", ".chart")])
def test_charts_fill_their_place(sample: Visit, view: str, chart: str) -> None:
    """A chart is as wide as its place, also when the window changed while another view stood."""
    sample.go(f"#{view}")
    sample.go("#kernels")
    sample.page.set_viewport_size({"width": 1000, "height": 700})
    sample.go(f"#{view}")
    as_wide = """([view, chart]) => {
        const place = document.querySelector(`#${view}-view ${chart}`);
        return place.querySelector("svg").clientWidth === place.clientWidth;
    }"""

    sample.page.wait_for_function(as_wide, arg=[view, chart])
    sample.page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})


def test_recompilations_stand_with_their_reason(saved: Visit) -> None:
    """What compiled again, which guard failed, and where graphs ended early."""
    text = saved.page.inner_text("#graphs-view")

    assert "Compiled more than once" in text
    assert "because this did not hold: L['x'].size()[0] == 8" in text
    assert "Failed to trace `print`" in text


def test_a_function_of_eager_code_is_no_line_and_no_rest(browser: Browser, tmp_path: Path) -> None:
    """The overview names it as every text does, with the file's name alone."""
    run = kernelmap.correlate(written(tmp_path, NESTED))
    visit = opened(browser, write(content(run), tmp_path / "report.html"))
    shown = visit.page.locator("#overview-view").inner_text()

    assert "in forward (model.py:12)" in shown
    assert "in <module> (train.py)" in shown
    assert "undefined" not in shown
    assert visit.silent
    visit.page.close()
