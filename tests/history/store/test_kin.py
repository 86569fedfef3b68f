"""Several models on one branch are several series: what a series is, and what filters by tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

import kernelmap
from history.store.made import Made, with_op
from kernelmap.cli import main
from kernelmap.errors import UsageError
from kernelmap.history.compare.gate.baselines import newest_runs
from kernelmap.history.store.refs import bearing, device, kin, said, series_tags
from kernelmap.history.store.store import Store

pytestmark = pytest.mark.sampled

SAMPLE = Path(__file__).resolve().parents[3] / "sample_traces" / "sim_mlp_train"


def on(side: str, devices: tuple[str, ...], time_ns: int = 100) -> Made:
    made = with_op("aten.mm", time_ns)
    summary = replace(made.content.summary, side=side, devices=devices)
    return Made(content=replace(made.content, summary=summary))


@pytest.fixture
def two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Runs of two models by turns on one branch, one of them five times as long."""
    monkeypatch.chdir(tmp_path)
    store = Store("kept")
    for time_ns in (10_000, 11_000, 12_100):
        for model, factor in (("small", 1), ("large", 5)):
            store.record(with_op("aten.mm", factor * time_ns), branch="main", tags={"model": model})
    return store


def choose(*tags: str) -> None:
    text = f"[tool.kernelmap]\nseries = {json.dumps(tags)}\n"
    Path("pyproject.toml").write_text(text, encoding="utf-8")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def test_a_series_is_branch_device_and_chosen_tags(two_models: Store) -> None:
    """Runs of one model are kin, of two models not; tags that are not chosen do not matter."""
    small, large, again, *_ = two_models.runs()
    choose("model", "batch")

    assert series_tags() == ("model", "batch")
    assert kin(small, series_tags()) == kin(again, series_tags()) != kin(large, series_tags())
    assert kin(small) == kin(large)
    assert said(series_tags()) == "one branch, device and tags model, batch"


@pytest.mark.parametrize("value", ['"model"', "[1]", '[""]', "{}"])
def test_a_choice_that_is_no_list_of_tags_is_said(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is named, and what to write."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(f"[tool.kernelmap]\nseries = {value}\n", encoding="utf-8")

    with pytest.raises(UsageError) as raised:
        series_tags()
    assert raised.value.slug == "wrong-series"
    assert "pyproject.toml" in raised.value.message


def test_a_history_compares_within_a_series(two_models: Store) -> None:
    """Each ratio is to the run before of the same model; a tag leaves one model alone."""
    choose("model")
    document = json.loads(
        run("runs", "history", "aten.mm", "--store", "kept", "--format", "json").stdout
    )
    ratios = [row["ratio"] for row in document["runs"]]
    small = run("runs", "history", "aten.mm", "--store", "kept", "--tag", "model=small")
    mixed = two_models.follow("aten.mm")["ratio"].dropna().tolist()

    assert ratios == [None, None, *[pytest.approx(1.1, rel=0.01)] * 4]
    assert {row["tags"] for row in document["runs"]} == {"model=small", "model=large"}
    assert max(mixed) > 4
    assert small.stdout.count("main") == 3
    assert "one branch, device and tag model" in small.stderr


def test_a_list_holds_the_runs_of_a_tag(two_models: Store) -> None:
    """`runs --tag` shows those that bear it now, a tag that was set later included."""
    first = two_models.runs()[0].id
    two_models.tag(first, {"model": "large"})
    document = json.loads(
        run("runs", "--store", "kept", "--tag", "model=large", "--format", "json").stdout
    )

    assert len(document["runs"]) == 4
    assert first in {row["run"] for row in document["runs"]}
    assert len(bearing(two_models.runs(), {"model": "large", "size": "1"})) == 0
    assert run("runs", "--store", "kept", "--tag", "model").exit_code == 2


def test_a_gate_takes_runs_of_one_series(two_models: Store) -> None:
    """--tag chooses; without it several series are an error that names them."""
    ids = {
        model: [r.id for r in reversed(two_models.runs()) if r.tags["model"] == model]
        for model in ("small", "large")
    }
    mixed = newest_runs("main", 2, store="kept").ids
    choose("model")

    assert mixed == (ids["large"][0], ids["small"][0])
    assert newest_runs("main", 2, store="kept", tags={"model": "small"}).ids == tuple(
        ids["small"][:2]
    )
    with pytest.raises(UsageError) as raised:
        newest_runs("main", 2, store="kept")
    assert raised.value.slug == "several-series"
    assert "model=large, model=small" in raised.value.message
    assert run("gate", "--baseline", "main", "--tag", "model=small", str(SAMPLE)).exit_code == 2


def test_a_gate_on_the_command_line_says_what_it_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The baseline is of the input's device, and runs of others are counted in a note."""
    monkeypatch.chdir(tmp_path)
    store, result = Store("kept"), kernelmap.correlate(SAMPLE)
    for _ in range(2):
        store.record(result, branch="main", tags={"model": "small"})
    store.record(on("cpu", ()), branch="main", tags={"model": "small"})
    given = ("gate", "--baseline", "main", "--last", "5", "--tag", "model=small")
    gated = run(*given, str(SAMPLE), "--store", "kept")

    assert gated.exit_code == 0, gated.output
    assert "1 run of main on other devices than" in gated.stderr


def test_a_cpu_is_not_called_gpu(tmp_path: Path) -> None:
    """A run whose time is the CPU's says so, whatever GPU the machine has."""
    store = Store(tmp_path)
    cpu = store.record(on("cpu", ()), branch="main")
    gpu = store.record(on("gpu", ("Some GPU",)), branch="main")
    none = store.record(on("gpu", ()), branch="main")
    shown = run("runs", "--store", str(tmp_path)).stdout

    assert [device(recorded.facts) for recorded in (cpu, gpu, none)] == [
        "CPU",
        "Some GPU",
        "(device not known)",
    ]
    assert "CPU" in shown
    assert len({kin(recorded) for recorded in store.runs()}) == 3
