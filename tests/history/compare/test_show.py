"""A comparison for people: terminal, Markdown, JSON and HTML say the same, whatever names hold."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from histories.play import Weather, play
from histories.story import first_state, slower
from msgspec.structs import replace

import kernelmap
from kernelmap.cli import main
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.numbers.statistics import find_evidence, floor_of_repeats
from kernelmap.history.compare.numbers.sums import SampledChange, sum_changes
from kernelmap.history.compare.texts import in_json, show
from kernelmap.history.compare.texts.words import lines_of_changes, say_whole_change
from kernelmap.pages.page import Bar, Tone
from kernelmap.pages.render import html, markdown, terminal
from kernelmap.pages.write import write_tables

HOSTILE = "<script>alert(1)</script>|`x`"
GELU = "triton_poi_fused_gelu_view_1"


@pytest.fixture(scope="module")
def saved(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings as folders: `one`, and `other` with a slower call."""
    folder = tmp_path_factory.mktemp("recordings")
    base = first_state(samples / "sim_mlp_train")
    for name, state in (("one", base), ("other", slower(base, GELU, 2.0)[0])):
        write_tables(play(state.program, state.cost_list(), Weather(), 5), folder / name)
    write_tables(play(base.program, base.cost_list(), Weather(), 5), folder / "short.json")
    return folder


@pytest.fixture(scope="module")
def comparison(saved: Path) -> Comparison:
    return kernelmap.diff(*(kernelmap.load(saved / name) for name in ("one", "other")))


def as_html(comparison: Comparison) -> str:
    return html.render_document(show.whole_page(comparison), title=show.say_sides(comparison))


def with_changes(comparison: Comparison, changes: Sequence[Change]) -> Comparison:
    """The comparison with other changes, summed anew."""
    sums = sum_changes(SampledChange(change=change) for change in changes)
    return replace(comparison, changes=tuple(changes), sums=sums)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def with_work(saved: Path) -> Comparison:
    """The same two recordings; the slow call needs at least 61 % of its time in the first."""
    sides = [kernelmap.load(saved / name) for name in ("one", "other")]
    least_ns = None
    for side in sides:
        calls = side.calls
        (at,) = calls.index[calls["wrapper"] == GELU]
        time_ns = float(calls["time_ns"].to_list()[at])
        least_ns = 0.61 * time_ns if least_ns is None else least_ns
        calls.at[at, "share_of_limit"] = least_ns / time_ns
        calls.at[at, "bound"] = "memory"
    return kernelmap.diff(*sides)


def test_what_moved_from_its_limit_is_said(with_work: Comparison, comparison: Comparison) -> None:
    """If both sides know a call's limit, its words say how far from it the call was and is."""
    plain, measured = lines_of_changes(comparison), lines_of_changes(with_work)
    (slow,) = [line for line in measured if "moved from" in line.words]
    documents = [
        json.loads(in_json.dumps(with_work))["changes"],
        json.loads(in_json.dumps(comparison))["changes"],
    ]
    (change,) = [change for change in documents[0] if "moved from" in change["words"]]

    assert slow.what == change["what"] == GELU
    assert re.search(r"moved from 61 to (2|3)\d % of bandwidth", slow.words)
    assert change["share_of_limit_before"] == pytest.approx(0.61)
    assert 0.28 < change["share_of_limit_after"] < 0.33
    assert {row["share_of_limit_after"] for row in documents[1]} == {None}
    assert [line.words for line in plain if line.what != GELU] == [
        line.words for line in measured if line.what != GELU
    ]
    assert not any("moved from" in line.words for line in plain)


def test_lines_add_up_to_the_change(comparison: Comparison) -> None:
    """However many lines are shown, they hold the whole change."""
    for top in (1, 2, 50):
        assert (
            sum(line.change_ns for line in lines_of_changes(comparison, top))
            == comparison.change_ns
        )


def test_the_terminal_names_the_slow_call(comparison: Comparison) -> None:
    """Headline, cause, call and words stand in the table."""
    text = terminal.render_text(show.short_page(comparison), 160).plain

    assert say_whole_change(comparison) in text
    assert re.search(rf"same code +{GELU}.*0_forward/2 +2\.0\dx slower +significant", text)
    assert re.search(r"\+\S+ µs .* \+5\.\d\.\.\+6\.\d µs +same code", text)
    assert "comparable: nothing else is known to differ (20 and 20 steps)" in text
    assert "aten.gelu" in terminal.render_text(show.short_page(comparison, by="op"), 160).plain


def test_names_mean_nothing_in_markdown_and_html(comparison: Comparison) -> None:
    """What comes from an input is text, never a tag, a cell border or code."""
    named = with_changes(comparison, [replace(c, what=HOSTILE) for c in comparison.changes])
    page, text = as_html(named), markdown.render_markdown(show.short_page(named))

    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "`` <script>alert(1)</script>\\|`x` ``" in text
    assert as_html(named) == page


def test_the_waterfall_leads_from_before_to_after(comparison: Comparison) -> None:
    """Each bar begins where the one above it ends, up or down; the times are those of the sums."""
    table = show.table_of_causes(comparison)
    names = [row.cells[0] for row in table.rows]
    bars = [row.cells[1] for row in table.rows if isinstance(row.cells[1], Bar)]
    at = bars[0].end

    assert names == ["before", *(cause.value for cause in comparison.by_cause), "after"]
    assert (bars[0].tone, bars[-1].tone) == (Tone.PLAIN, Tone.PLAIN)
    for bar in bars[1:-1]:
        assert at == pytest.approx(bar.start if bar.tone is Tone.MORE else bar.end)
        at = bar.end if bar.tone is Tone.MORE else bar.start
    assert at == pytest.approx(bars[-1].end)
    assert all(0 <= bar.start <= bar.end <= 1 for bar in bars)
    # Bars whose lengths are not the times say so.
    lengths = bars[0].end / bars[-1].end
    is_whole = lengths == pytest.approx(comparison.before_ns / comparison.after_ns, rel=1e-6)
    assert is_whole is not any("cut off" in str(text) for text in table.about)


def test_json_adds_up(saved: Path) -> None:
    """The document names its format; causes, changes and tables hold the whole change."""
    result = run("diff", saved / "one", saved / "other", "--format", "json")
    document = json.loads(result.stdout)

    assert result.exit_code == 0
    assert (document["format"], document["version"]) == ("kernelmap.diff", 1)
    assert sum(document["causes"].values()) == document["change_ns"]
    for table in ("changes", "ops", "lines", "calls", "graphs"):
        assert sum(row["change_ns"] for row in document[table]) == document["change_ns"], table
    first = document["changes"][0]
    low, high = first["interval_ns"]
    assert low <= first["change_ns"] <= high
    assert re.fullmatch(
        r"2\.\d\dx slower, \+\S+ µs a step \(\+5\.\d\.\.\+6\.\d µs\), significant",
        first["words"],
    )


def test_the_keys_of_the_json_are_those_of_the_page(comparison: Comparison) -> None:
    """docs/ci.md names every key of the document, of a change, a sum and of their evidence."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "ci.md").read_text(encoding="utf-8")
    about_json = page.partition("## The JSON of a comparison")[2]
    tables = re.split("A change:|A sum holds|A gate adds", about_json)
    cells = [re.findall(r"^\| (?!key |-)([^|]+) \|", text, re.MULTILINE) for text in tables]
    document = json.loads(in_json.dumps(comparison))
    change = document["changes"][0]

    assert [key for cell in cells[0] for key in cell.split(", ")] == list(document)
    assert [key for cell in cells[1] for key in cell.split(", ")] == list(change)
    assert set(document["sums"][0]) <= {
        key for cell in cells[1] + cells[2] for key in cell.split(", ")
    }
    assert all(f"`{key}`" in tables[1] for key in change["evidence"])
    assert all(f"`{key}`" in tables[0] for key in document["ops"][0])


@pytest.mark.parametrize("suffix", [".json", ".md", ".html"])
def test_a_comparison_is_written(saved: Path, tmp_path: Path, suffix: str) -> None:
    """-o goes by the suffix, and prints nothing but that it wrote."""
    target = tmp_path / f"diff{suffix}"
    result = run("diff", saved / "one", saved / "other", "-o", target)

    assert (result.exit_code, result.stdout) == (0, "")
    assert GELU in target.read_text(encoding="utf-8")


def test_nothing_of_the_users_is_overwritten(saved: Path) -> None:
    """A recording is no place to write to; another suffix is no format."""
    assert (
        run("diff", saved / "one", saved / "short.json", "-o", saved / "short.json").exit_code == 2
    )
    assert run("diff", saved / "one", saved / "other", "-o", saved / "x.txt").exit_code == 2


def test_without_invocations_there_are_no_statistics(saved: Path) -> None:
    """A JSON that left them out still gives causes; whether they are noise stays open."""
    result = run("diff", saved / "short.json", saved / "other", "--format", "json")
    changes = json.loads(result.stdout)["changes"]

    assert result.exit_code == 0
    assert {change["significant"] for change in changes} == {None}


def test_raw_inputs_are_correlated_first(samples: Path) -> None:
    """A folder of code and profile is a side; another model is hard to compare."""
    one, other = samples / "sim_mlp_train", samples / "sim_attention_autotune"
    files = sorted(map(str, one.glob("**/output_code.py")))
    same = run("diff", one, "+".join([*files, str(one / "profile.json.gz")]))
    strict = run("diff", one, other, "--strict")

    assert "No change." in same.stdout
    assert strict.exit_code == 1
    assert "differs beside the code: shapes or types" in strict.stdout


def test_more_runs_tell_smaller_changes() -> None:
    """Twenty invocations show what five do not, and four show nothing; equal samples never do."""
    rng = np.random.default_rng(1)
    times = rng.normal(1000.0, 20.0, size=(2, 20))
    few = find_evidence({0: (times[0][:5], times[1][:5] * 1.02)})[0]
    apart = find_evidence({0: (times[0][:5], times[1][:5] * 2)})[0]
    many = find_evidence({0: (times[0], times[1] * 1.05)})[0]
    same = find_evidence({0: (times[0], times[0])})[0]

    assert not few.significant
    assert apart.significant
    assert find_evidence({0: (times[0][:4], times[1][:4] * 2)}) == {}
    assert many.significant
    assert many.low_ns > 0
    assert not same.significant
    assert not find_evidence({0: (times[0], times[1] * 1.05)}, floors={0: 0.2})[0].significant


def test_results_and_their_names_are_compared_alike(saved: Path) -> None:
    """A path, as a text or as a Path, means the result that was saved there."""
    one, other = (kernelmap.load(saved / name) for name in ("one", "other"))
    by_name = kernelmap.diff(str(saved / "one"), saved / "other")

    assert by_name.changes == kernelmap.diff(one, other).changes
    assert by_name.changes


def test_the_floor_is_what_repeats_differ_by() -> None:
    """Runs that agree have no floor; runs that spread by 1 % have one of a few percent."""
    assert floor_of_repeats([np.array([100.0, 100.0, 100.0])]) == 0
    assert 0.02 < floor_of_repeats([np.array([99.0, 100.0, 101.0])]) < 0.05


def test_the_time_of_a_cpu_is_called_that(comparison: Comparison) -> None:
    """What stands below the finding in a pull request names the side whose time it is."""
    cpu = tuple(
        replace(side, summary=replace(side.summary, side=type(side.summary.side)("cpu")))
        for side in comparison.sides
    )
    named = replace(comparison, sides=(cpu[0], cpu[1]))

    assert "\n- `GPU time: " in markdown.render_markdown(show.short_page(comparison))
    assert "\n- `CPU time: " in markdown.render_markdown(show.short_page(named))


def test_a_line_of_several_says_how_many_calls_it_holds(comparison: Comparison) -> None:
    """The line counts its calls and names other work; a call with most of the time comes first."""
    (spread,) = [change for change in comparison.changes if change.cause is Cause.SPREAD]
    outside = replace(spread, what="aten.cat", before=(), after=())
    alike = with_changes(comparison, (spread, spread, outside))
    most = replace(spread, change_ns=100 * spread.change_ns)

    assert [line.what for line in lines_of_changes(alike)] == ["2 calls and aten.cat"]
    assert [line.words for line in lines_of_changes(alike)] == ["single runs"]
    (named,) = lines_of_changes(with_changes(comparison, (spread, outside, most)))
    assert named.what == f"{spread.what} and 2 more"


def test_what_diff_gives_is_the_comparison_that_texts_are_made_of() -> None:
    """A user holds all that a comparison of the same sides holds, and it shows itself beside."""
    shown = kernelmap.diff("sample_traces/sim_mlp_train", "sample_traces/sim_gpt_train")
    plain = compare_sides(*shown.sides)

    assert isinstance(shown, kernelmap.Comparison)
    assert in_json.comparison_in_json(shown) == in_json.comparison_in_json(plain)
    assert repr(shown) == f"<Comparison: {show.title_of(plain)} · {show.say_sides(plain)}>"
