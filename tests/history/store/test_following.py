"""One op, call, line or graph by its name, over runs in which names change."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from history.store.made import Made
from kernelmap.cli import main
from kernelmap.cli.runs import history_command
from kernelmap.errors import UsageError
from kernelmap.history.store.following import FOLLOWED, KINDS
from kernelmap.history.store.store import Store
from kernelmap.tables.frames import check_frame
from kernelmap.tables.rows import Cell
from pages.hand_tables import HOSTILE, make_tables, table

pytestmark = pytest.mark.sampled


Rows = Sequence[Mapping[str, Cell]]


def made(steps: tuple[int, int] | None = (3, 4), total_ns: int = 1000, **rows: Rows) -> Made:
    """A result of two steps whose tables have these rows."""
    tables = make_tables()
    given = {name: table(name, of_table) for name, of_table in rows.items()}
    summary = replace(tables.summary, steps=steps, total_ns=total_ns)
    return Made(content=replace(tables, summary=summary, frames={**tables.frames, **given}))


def call(number: int, time_ns: int, fingerprint: str | None = "1c5fa9d02b7e") -> dict[str, Cell]:
    """A call that the compiler gave this number."""
    return {
        "call": f"0_forward/{number}",
        "graph": "0_forward",
        "wrapper": f"triton_poi_fused_add_{number}",
        "fingerprint": fingerprint,
        "config": f"num_warps={number}",
        "launches": 2,
        "time_ns": time_ns,
    }


def line(number: int, text: str | None, time_ns: int, at: str = "/home/ci/1") -> dict[str, Cell]:
    return {
        "file": f"{at}/src/model.py",
        "line": number,
        "code": text,
        "time_ns": time_ns,
        "backward_ns": 2 * time_ns,
    }


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["0_forward/8", "triton_poi_fused_add_8", "1c5fa9d02b7e"])
def test_a_call_is_found_under_other_names(name: str, url: str) -> None:
    """Its id, its wrapper and its fingerprint all lead to what it took before it was renumbered."""
    store = Store(url)
    store.record(made(calls=[call(7, 100), call(8, 900, "another")]), branch="main")
    store.record(made(calls=[call(8, 300)]), branch="topic", name="x")
    frame = store.follow(name)

    check_frame(FOLLOWED, frame)
    assert frame["title"].tolist() == [f"triton_poi_fused_add_{n} [0_forward/{n}]" for n in (7, 8)]
    assert frame["step_ns"].tolist() == [50, 150]
    assert frame["config"].tolist() == ["num_warps=7", "num_warps=8"]
    assert (frame["name"].tolist()[1], frame["branch"].tolist()) == ("x", ["main", "topic"])
    assert (frame.attrs["by"], frame.attrs["where"]) == ("call", {"fingerprint": "1c5fa9d02b7e"})
    assert len(store.follow("triton_poi_fused_add_7")) == 2


def test_calls_without_a_fingerprint_keep_their_name(tmp_path: Path) -> None:
    """A profile without code tells none: then only the name can be followed."""
    store = Store(tmp_path)
    for time_ns in (100, 200):
        store.record(made(calls=[call(7, time_ns, None)]))

    assert store.follow("triton_poi_fused_add_7")["time_ns"].tolist() == [100, 200]


def test_a_name_that_several_bear_is_said(tmp_path: Path) -> None:
    """The error names what may be given instead, and each of these is found."""
    store = Store(tmp_path)
    rows = [call(n, n, f"{n}" * 12) | {"wrapper": "extern_kernels.mm"} for n in range(1, 8)]
    store.record(made(calls=rows))

    with pytest.raises(UsageError, match=r"0_forward/1 \(111111111111\)") as caught:
        store.follow("extern_kernels.mm")
    assert caught.value.slug == "ambiguous-name"
    assert "and 2 more" in caught.value.message
    assert store.follow("0_forward/7")["time_ns"].tolist() == [7]


def test_equal_calls_of_a_run_are_added_up(tmp_path: Path) -> None:
    """A graph that was compiled twice has the same call twice: one row per run, and the number."""
    store = Store(tmp_path)
    store.record(made(calls=[call(7, 100), call(8, 300)]))
    (row,) = store.follow("1c5fa9d02b7e").to_dict("records")

    assert (row["rows"], row["launches"], row["time_ns"], row["step_ns"]) == (2, 4, 400, 200)
    assert row["share"] == 0.4
    assert row["title"] == "triton_poi_fused_add_8 [0_forward/8]"


def test_a_line_is_followed_by_its_text(url: str) -> None:
    """Forward and backward together, wherever it moves and wherever the checkout lies."""
    store = Store(url)
    store.record(made(lines=[line(40, "x = f(x)", 10), line(42, "y = g(x)", 7)]))
    store.record(made(lines=[line(42, "x = f(x)", 20, at="/home/ci/2")]))
    frame = store.follow("src/model.py:42")

    assert frame["time_ns"].tolist() == [30, 60]
    assert frame["title"].tolist()[0] == "/home/ci/1/src/model.py:40"
    assert store.follow("model.py:42", by="line")["time_ns"].tolist() == [30, 60]
    with pytest.raises(UsageError):
        store.follow("del.py:42")


def test_lines_of_the_same_text_stay_apart(tmp_path: Path) -> None:
    """Where the text is that of several lines, the number is followed."""
    store = Store(tmp_path)
    for time_ns in (10, 20):
        store.record(made(lines=[line(42, "return x", time_ns), line(50, "return x", 500)]))

    assert store.follow("model.py:42")["time_ns"].tolist() == [30, 60]


def test_a_function_of_eager_code_is_followed_by_its_name(tmp_path: Path) -> None:
    """Its row has no line, so it is named by the one where it begins, and followed as it moves."""
    store = Store(tmp_path)
    for begins, time_ns in ((20, 10), (24, 20)):
        function = line(0, "in head", time_ns) | {"line": None, "function_line": begins}
        store.record(made(lines=[function, line(42, "return x", 500)]))
    frame = store.follow("model.py:24")

    assert frame["time_ns"].tolist() == [30, 60]
    assert frame["title"].tolist()[1] == "/home/ci/1/src/model.py: in head"


def test_graphs_and_ops_are_followed(tmp_path: Path) -> None:
    """A graph by its function; an op by its name, which is looked for first."""
    store = Store(tmp_path)
    for name, time_ns in (("0_forward", 100), ("1_forward", 200)):
        graph: dict[str, Cell] = {
            "graph": name,
            "function": "block",
            "fingerprint": "ab" * 6,
            "time_ns": time_ns,
        }
        op: dict[str, Cell] = {
            "name": "aten.mm",
            "origin": "compiled",
            "launches": 1,
            "time_ns": time_ns + 1,
        }
        store.record(made(graphs=[graph], ops=[op]))

    assert store.follow("block")["title"].tolist() == ["0_forward", "1_forward"]
    assert store.follow("aten.mm")["time_ns"].tolist() == [101, 201]
    assert store.follow("aten.mm").attrs["by"] == "op"
    with pytest.raises(UsageError) as caught:
        store.follow("aten.mm", by="call")
    assert caught.value.slug == "nothing-to-follow"
    with pytest.raises(UsageError, match="no history by 'kernel'"):
        store.follow("aten.mm", by="kernel")


def test_ratios_compare_runs_of_one_branch(tmp_path: Path) -> None:
    """With the run before on it, per step; times are not compared with times per step."""
    store = Store(tmp_path)
    for branch, steps, time_ns in (
        ("main", (0, 1), 100),
        ("topic", (0, 0), 400),
        ("main", (0, 3), 300),
        ("main", None, 900),
        ("main", None, 450),
    ):
        store.record(made(steps, calls=[call(7, time_ns)]), branch=branch)
    frame = store.follow("0_forward/7")

    assert frame["ratio"].astype(object).where(frame["ratio"].notna(), None).tolist() == [
        None,
        None,
        1.5,
        None,
        0.5,
    ]
    assert store.follow("0_forward/7", branch="topic")["step_ns"].tolist() == [400]


def test_damaged_runs_are_named(url: str) -> None:
    """Those whose table cannot be read are left out with a notice."""
    store = Store(url)
    hurt, _ = (store.record(made(calls=[call(7, n)])) for n in (100, 200))
    path = f"runs/{hurt.id}/calls.parquet"
    content = bytearray(store.place.read(path))
    content[100] ^= 1
    store.place.write(path, bytes(content))
    frame = store.follow("0_forward/7")

    assert frame["time_ns"].tolist() == [200]
    assert [hurt.id in notice.message for notice in frame.attrs["notices"]] == [True]


@pytest.mark.sampled
@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize(
    "name", ["x' OR '1'='1", '"', "a:1", "", "?", HOSTILE, "model.py:99999999999999"]
)
def test_a_name_is_only_a_name(name: str, by: str, tmp_path: Path) -> None:
    """Whatever stands in it is compared, not run."""
    store = Store(tmp_path)
    store.record(made(calls=[call(7, 1)], ops=[], lines=[line(42, "x", 1)], graphs=[]))

    with pytest.raises(UsageError) as caught:
        store.follow(name, by=by)
    assert caught.value.slug == "nothing-to-follow"


def history(*arguments: str, folder: Path) -> Result:
    return CliRunner().invoke(
        main, ["runs", "history", *arguments, "--store", str(folder)], env={"COLUMNS": "160"}
    )


def test_a_history_is_printed(tmp_path: Path) -> None:
    """Table and Markdown show the newest, oldest first, and what changes; JSON and CSV have all."""
    store = Store(tmp_path)
    for number in (7, 7, 8):
        store.record(made(calls=[call(number, 100_000 * number)]), name=HOSTILE, branch="=b")
    table_, short = (
        history("0_forward/8", *more, folder=tmp_path).stdout for more in ((), ("-n", "1"))
    )
    document = json.loads(history("0_forward/8", "--format", "json", folder=tmp_path).stdout)
    rows = list(
        csv.DictReader(
            io.StringIO(history("0_forward/8", "--format", "csv", folder=tmp_path).stdout)
        )
    )

    assert table_.startswith(
        "call triton_poi_fused_add_8 [0_forward/8], followed by fingerprint 1c5fa9d02b7e\n"
    )
    assert [text_line.split()[0] for text_line in table_.splitlines()[3:]] == [
        r.id for r in store.runs()
    ]
    assert ("350.0 µs" in table_, "1.14x" in table_) == (True, True)
    assert table_.count("num_warps=7") == table_.count("num_warps=8") == 1
    assert "… 2 older" in short
    markdown = history("0_forward/8", "--format", "markdown", folder=tmp_path).stdout
    runs = [
        text_line.split("`")[1]
        for text_line in markdown.splitlines()
        if text_line.startswith("| `")
    ]
    assert runs == [r.id for r in store.runs()]
    assert (document["format"], document["by"]) == ("kernelmap.followed", "call")
    assert [run["time_ns"] for run in document["runs"]] == [700_000, 700_000, 800_000]
    assert document["runs"][0]["ratio"] is None
    assert [row["step_ns"] for row in rows] == ["350000", "350000", "400000"]
    assert rows[0]["branch"] == "'=b"


def test_without_steps_the_time_is_shown(tmp_path: Path) -> None:
    """Nothing is divided by steps that the profile does not have."""
    Store(tmp_path).record(made(None, calls=[call(7, 100_000)]))
    result = history("0_forward/7", folder=tmp_path)

    assert result.exit_code == 0, result.output
    assert "100.0 µs" in result.stdout
    assert "a step" not in result.stdout
    assert history("nobody", folder=tmp_path).exit_code == 2


def test_only_of_fleets_are_ranks_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For an ordinary run no row is made of what was found; hundreds of them took ten seconds."""
    store = Store(tmp_path)
    store.record(made(calls=[call(7, 7)]))
    monkeypatch.setattr("kernelmap.history.store.following.over_ranks", None)

    assert len(store.follow("0_forward/7")) == 1


def test_the_words_of_the_option_are_those_that_can_be_followed() -> None:
    """--by and `follow` know the same kinds, in the same order."""
    (option,) = (option for option in history_command.params if option.name == "by")

    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == KINDS
