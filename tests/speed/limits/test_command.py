"""`kernelmap correlate --roofline`: every form says the same, and no input is written over."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap.cli import main
from kernelmap.errors import UsageError
from kernelmap.tables.frames import check_frame
from kernelmap.tables.roofline import REASONS, ROOFLINE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LIMITS = """
[[device]]
names = ["Simulated GPU"]
bandwidth_gbps = 3352
tflops = { float32 = 66.9, tfloat32 = 494.7 }
"""


@pytest.fixture
def limits(tmp_path: Path) -> Path:
    path = tmp_path / "limits.toml"
    path.write_text(LIMITS)
    return path


@pytest.fixture
def sample(samples: Path) -> tuple[str, str]:
    return str(samples / "sim_mlp_train"), str(samples / "sim_mlp_train" / "profile.json.gz")


def run(*arguments: object) -> Result:
    words = ["correlate", "--roofline", *map(str, arguments)]
    return CliRunner().invoke(main, words, env={"COLUMNS": "140"})


def document(*arguments: object) -> Any:  # noqa: ANN401 -- JSON
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_table_of_the_json_adds_up(sample: tuple[str, str], limits: Path) -> None:
    """Time, bytes and headroom are those of the window and of the calls, in every table."""
    answer = document(*sample, "--device-limits", limits)
    tables = [answer[f"{word}s"] for word in ROOFLINE]

    assert answer["format"] == "kernelmap.speed.limits"
    assert [list(rows[0]) for rows in tables] == [
        list(schema.by_name) for schema in ROOFLINE.values()
    ]
    for name in ("time_ns", "bytes", "flops", "headroom_ns"):
        assert len({sum(row[name] or 0 for row in rows) for rows in tables}) == 1, name
    assert sum(row["time_ns"] for row in tables[0]) == answer["total_ns"]


def test_bytes_are_those_of_the_operands(sample: tuple[str, str]) -> None:
    """Each call names what it reads and writes; that, times its executions, is what it moved."""
    for row in document(*sample)["calls"]:
        if row["call"]:
            of_one = sum(int(text.rpartition(" ")[2]) for text in row["operands"])
            assert row["bytes"] == of_one * row["executions"]
            assert all(text.split()[1] in ("read", "written") for text in row["operands"])


def test_utilization_stands_below_the_table_and_in_the_json(samples: Path, tmp_path: Path) -> None:
    """The line, the column of modules and JSON say the same numbers."""
    limits = tmp_path / "limits.toml"
    limits.write_text(LIMITS.replace("tfloat32 = 494.7", "bfloat16 = 989"))
    given = (samples / "sim_gpt_train", "--device-limits", limits)
    answer, shown = document(*given), run(*given, "--by", "module").stdout
    use = answer["model_use"]

    assert use["mfu"] == use["at_peak_ns"] / use["wall_ns"]
    assert use["flops"] == sum(row["model_flops"] or 0 for row in answer["modules"])
    assert f"MFU at least {use['mfu']:.1%}"[:-1] in shown
    assert "989 TFLOP/s dense bfloat16" in shown
    assert re.search(r"^module .* MFU$", shown, re.MULTILINE)
    for row in answer["modules"]:
        known = row["at_peak_ns"] is not None and row["time_ns"]
        assert row["mfu"] == (row["at_peak_ns"] / row["time_ns"] if known else None)


def test_a_layer_has_the_operations_of_all_modules_in_it(samples: Path, tmp_path: Path) -> None:
    """Time and model FLOPs of a module's total are those of the rows whose paths it begins."""
    limits = tmp_path / "limits.toml"
    limits.write_text(LIMITS.replace("tfloat32 = 494.7", "bfloat16 = 989"))
    answer = document(samples / "sim_gpt_train", "--device-limits", limits)
    modules = {row["name"]: row for row in answer["modules"]}

    for name in ("layers.0", "layers.0.attention"):
        inner = [row for path, row in modules.items() if f"{path}.".startswith(f"{name}.")]
        at_peak_ns = sum(row["at_peak_ns"] or 0 for row in inner)
        total = modules[name]

        assert len(inner) > 1
        assert total["total_ns"] == sum(row["time_ns"] for row in inner)
        assert total["total_model_flops"] == sum(row["model_flops"] or 0 for row in inner) > 0
        assert total["total_mfu"] == pytest.approx(at_peak_ns / total["total_ns"])
    # What runs nothing itself has a row all the same, and no time of its own.
    assert modules["layers"]["time_ns"] == 0 < modules["layers"]["total_ns"]


def test_rows_come_with_most_headroom_first(sample: tuple[str, str], limits: Path) -> None:
    """Rows with the most headroom come first, rows without a limit last."""
    headroom = [row["headroom_ns"] for row in document(*sample, "--device-limits", limits)["calls"]]
    values = [value for value in headroom if value is not None]

    assert values == sorted(values, reverse=True)
    assert headroom[: len(values)] == values


def test_an_unknown_device_has_rates_and_a_note(sample: tuple[str, str]) -> None:
    """Bytes and GB/s need no limits; shares and headroom are null, and a note says why."""
    answer = document(*sample)
    calls = [row for row in answer["calls"] if row["call"]]

    assert all(row["gbps"] and row["headroom_ns"] is None for row in calls)
    assert [notice["slug"] for notice in answer["notices"]] == ["device-limits-unknown"]
    assert answer["devices"] == [{"name": "Simulated GPU", "limits": None}]


def test_every_form_says_why(sample: tuple[str, str], limits: Path) -> None:
    """The reasons stand in JSON and Python with all columns, and below the table for people."""
    given = (*sample, "--device-limits", limits)
    result = kernelmap.correlate(*sample).roofline(limits)
    rows = document(*given)["reasons"]
    shown, markdown = run(*given), run(*given, "--format", "markdown")

    check_frame(REASONS, result.reasons)
    assert [list(row) for row in rows] == [list(REASONS.by_name)] * len(result.reasons)
    assert {row["slug"] for row in rows} >= {"written-and-read"}
    for text in (shown.stdout, markdown.stdout, result.render("html")):
        assert "Why" in text
        assert all(call in text for call in rows[0]["calls"])


@pytest.mark.sampled
@pytest.mark.parametrize("by", ROOFLINE)
def test_the_table_and_its_markdown_name_the_rows(
    by: str, sample: tuple[str, str], limits: Path
) -> None:
    """Terminal and Markdown show the same rows, and one for those that are left out."""
    arguments = (*sample, "--device-limits", limits, "--by", by, "--top", 3)
    shown = run(*arguments)
    markdown = run(*arguments, "--format", "markdown")

    assert shown.exit_code == markdown.exit_code == 0
    assert "Work is known for" in shown.stdout
    assert "Work is known for" in markdown.stdout
    rows = re.findall(r"^\| `", markdown.stdout, re.MULTILINE)
    assert 0 < len(rows) <= 3


def test_python_gives_the_same_frames(sample: tuple[str, str], limits: Path) -> None:
    """`c.roofline()` has a DataFrame per table, with the columns that the schema states."""
    result = kernelmap.correlate(*sample).roofline(limits)
    answer = document(*sample, "--device-limits", limits)

    for word, table in ROOFLINE.items():
        frame = getattr(result, f"{word}s")
        check_frame(table, frame)
        assert frame["headroom_ns"].sum() == sum(r["headroom_ns"] or 0 for r in answer[f"{word}s"])
    with pytest.raises(AttributeError, match="no 'launches'"):
        _ = result.launches


def test_nothing_that_was_read_is_written_over(sample: tuple[str, str], limits: Path) -> None:
    """Neither the profile nor the file of limits; other suffixes are refused."""
    result = kernelmap.correlate(*sample).roofline(limits)

    for path in (limits.with_suffix(".csv"), Path(sample[1])):
        with pytest.raises(UsageError):
            result.write(path)
    link = limits.with_suffix(".json")
    link.hardlink_to(limits)
    with pytest.raises(UsageError):
        result.write(link)
    assert limits.read_text() == LIMITS


def test_a_cpu_has_the_limits_of_the_users_file_alone(samples: Path, limits: Path) -> None:
    """A CPU is in no table and needs no note; a user's file states its limits under `CPU`."""
    inputs = (samples / "cpu_block", samples / "cpu_block" / "profile.json.gz")
    plain = document(*inputs)
    limits.write_text(LIMITS.replace("Simulated GPU", "CPU"))
    stated = document(*inputs, "--device-limits", limits)

    assert (plain["devices"], plain["notices"]) == ([{"name": "CPU", "limits": None}], [])
    assert stated["devices"][0]["limits"]["bandwidth"] == 3352 * 10**9
    measured = [row for row in stated["calls"] if row["bytes"] and row["reason"] is None]
    assert measured
    assert all(row["headroom_ns"] is not None for row in measured)
    # Nothing is launched there, so no time is one of launches.
    assert {"start-and-end", "low-occupancy"}.isdisjoint(it["slug"] for it in stated["reasons"])


def test_wrong_limits_end_the_command(sample: tuple[str, str], limits: Path) -> None:
    """A file that states none is wrong usage, with a hint."""
    limits.write_text("nothing")
    result = run(*sample, "--device-limits", limits)

    assert result.exit_code == 2
    assert "hint:" in result.stderr


@pytest.mark.browser
def test_the_page_draws_its_chart_and_asks_for_nothing(
    sample: tuple[str, str], limits: Path, tmp_path: Path, browser: Browser
) -> None:
    """One file, Plotly in it: a point per call, no message, no request."""
    target = tmp_path / "roofline.html"
    assert run(*sample, "--device-limits", limits, "-o", target).exit_code == 0
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(target.as_uri())
    page.wait_for_selector(".js-plotly-plot .point", timeout=60_000)

    assert page.locator(".js-plotly-plot .point").count() == 17
    assert not said
    assert asked == [target.as_uri()]
    page.close()
