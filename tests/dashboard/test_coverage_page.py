"""How sure the times are: the page over all runs, and the warning on all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.changed_tables import record_with_lines
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import page_at
from kernelmap.dashboard.pages.coverage import JUMP, LIMIT, doubts, jumps, stands_out
from kernelmap.history.store import Store
from kernelmap.pages.address import parse_address
from kernelmap.pages.page import Figure, Link, Note, Page, PageTable, Tone

DOUBTS = {2: 0.02, 4: 0.3, 5: 0.3, 11: 0.07}  # of 12 runs, the last 3 of them on `feature`


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """An archive of twelve runs, four of them with time in doubt."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    where: Path = tmp_path_factory.mktemp("doubtful") / "store"
    return record_with_lines(Store(where), 12, DOUBTS)


def shown(archive: Archive, url: str) -> Page:
    path, _, query = url.partition("?")
    return page_at(parse_address(path, query), archive)


def table(page: Page) -> PageTable:
    return next(section for section in page.sections if isinstance(section, PageTable))


def warnings(page: Page) -> list[str]:
    return [
        "".join(cell.text if isinstance(cell, Link) else cell for cell in section.lines[0])
        for section in page.sections
        if isinstance(section, Note) and section.tone is Tone.WARNING
    ]


def test_runs_in_doubt_are_named_with_what_was_said(doubtful: Archive) -> None:
    """Those above the limit and those that jumped, worst first, with their notices and links."""
    table_ = table(shown(doubtful, "/coverage"))

    assert table_.data["commit"].tolist() == ["c0005", "c0004", "c0011", "c0002"]
    assert set(table_.data["notices"]) == {"the trace ends early"}
    runs = [row.cells[2] for row in table_.rows]
    assert [cell.to.run for cell in runs if isinstance(cell, Link)] == table_.data["run"].tolist()


def test_shares_of_a_run_are_those_that_were_recorded(doubtful: Archive) -> None:
    """Each branch has a chart, whose shares add up to all time."""
    charts = [chart for chart in shown(doubtful, "/coverage").sections if isinstance(chart, Figure)]
    data = pd.concat([chart.data for chart in charts])

    assert [set(chart.data["branch"]) for chart in charts] == [{"feature"}, {"main"}]
    buckets = ["exact", "inferred", "ambiguous", "outside", "unknown"]
    np.testing.assert_allclose(data[buckets].sum(axis=1).astype(float), 1.0)
    unmatched = dict(zip(data["commit"], data["unmatched"], strict=True))
    assert {c: s for c, s in unmatched.items() if s} == {f"c{at:04}": s for at, s in DOUBTS.items()}


def test_without_doubts_that_is_said(archive: Archive) -> None:
    """An empty table names how many runs were looked at."""
    table_ = table(shown(archive, "/coverage"))

    assert table_.rows == ()
    assert table_.empty.startswith("None of the 32 runs")


@pytest.mark.parametrize("url", ["/coverage?last=1", "/item?kind=op&key=aten.mm&last=1"])
def test_a_run_alone_is_seen(url: str, doubtful: Archive) -> None:
    """Every chart of a single run draws it: as a dot, or as an area that is not without width."""
    charts = [one for one in shown(doubtful, url).sections if isinstance(one, Figure)]

    assert charts
    for chart in charts:
        drawn = [trace for trace in chart.plot.data if trace.hoverinfo != "skip"]
        assert drawn
        assert all("markers" in trace.mode or len(set(trace.x)) > 1 for trace in drawn)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("url", "warning"),
    [
        ("/", "3 of the 12 runs shown rest on more than 5 % unmatched time (up to 30.0 %)"),
        ("/?branch=main", "2 of the 9 runs"),
        ("/?branch=main&last=3", None),
        ("/item?kind=op&key=aten.mm&branch=feature", "1 of the 3 runs shown rests on"),
        ("/items?kind=op", "This run rests on more than 5 % unmatched time (up to 7.0 %)"),
        ("/items?kind=op&branch=main", None),
        ("/compare?before=main&after=latest", "1 of the 2 runs"),
        ("/compare?before=main&after=main~1", None),
        ("/run?run=latest", "This run"),
        ("/compare?before=nobody&after=latest", "This run"),
    ],
)
def test_no_page_shows_a_run_in_doubt_without_a_word(
    url: str, warning: str | None, doubtful: Archive
) -> None:
    """Whoever sees such a run is told how many there are, with a link to their coverage."""
    path, _, query = url.partition("?")
    notes = doubts(parse_address(path, query), doubtful)

    if warning is None:
        assert notes == ()
    else:
        (words,) = notes
        assert isinstance(words, Note)
        assert words.tone is Tone.WARNING
        (text, link), *_ = words.lines
        assert str(text).startswith(warning)
        assert isinstance(link, Link)
        assert link.to.page == "coverage"


@pytest.mark.sampled
@pytest.mark.parametrize("url", ["/", "/item?kind=op&key=aten.mm", "/items"])
def test_the_warning_stands_above_the_page(url: str, doubtful: Archive, archive: Archive) -> None:
    """It is part of the page itself, and only where there is something to warn of."""
    assert any("unmatched time" in warning for warning in warnings(shown(doubtful, url)))
    assert warnings(shown(archive, url)) == []


_SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(_SHARES)
def test_what_is_above_the_limit_is_always_reported(shares: list[float]) -> None:
    """A run below the limit is listed only if its share grew."""
    unmatched = pd.Series(shares)
    standing_out = stands_out(unmatched)

    assert standing_out[unmatched > LIMIT].all()
    rest = (unmatched <= LIMIT) & ~(jumps(unmatched) >= JUMP)
    assert not standing_out[rest].any()


@given(st.floats(0, 1), st.integers(1, 20))
def test_what_stays_the_same_is_no_jump(share: float, count: int) -> None:
    """However much is in doubt, it jumps once and not for ever."""
    rise = jumps(pd.Series([0.0] * 5 + [share] * (5 + count)))

    assert rise.iloc[5] == pytest.approx(share)
    assert (rise.iloc[10:] == 0).all()
