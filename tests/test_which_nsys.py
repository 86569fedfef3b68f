"""`which` over an Nsight Systems export: names in any spelling, rows of the timeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap import Correlation, correlate
from kernelmap.cli import main
from kernelmap.errors import UsageError
from kernelmap.pipeline import which
from read_once import compiled
from traces.small_nsys import kernel, launched, strings, write_export
from worlds import World, simulate
from worlds.nsys import Export, write_nsys

SPLIT_K = "splitKreduce_kernel"
GELU = "triton_poi_fused_gelu_view_1"


@pytest.fixture(scope="module")
def code(samples: Path) -> Path:
    return samples / "sim_mlp_train"


@pytest.fixture(scope="module")
def export(code: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:

    path = tmp_path_factory.mktemp("nsys") / "run.sqlite"
    world = simulate(compiled(code), World(seed=3, cuda_graphs=True, invocations=6))
    write_nsys(path, [world], Export(schema="3.25.0"))
    return path


@pytest.fixture(scope="module")
def correlation(code: Path, export: Path) -> Correlation:
    return correlate(code, export)


def test_a_library_kernel_is_divided_over_its_calls(correlation: Correlation) -> None:
    """Every launch of the name is in one hit: calls, operators outside, the most first."""
    launches = correlation.launches
    (name,) = {name for name in launches["name"] if SPLIT_K in name}
    hits = correlation.which(name)

    assert sum(hit.launches or 0 for hit in hits) == (launches["name"] == name).sum()
    assert {hit.graph for hit in hits} == {"0_forward", "0_backward", "(outside)"}
    assert [hit.launches for hit in hits] == sorted((h.launches or 0 for h in hits), reverse=True)
    for hit in hits:
        bound = launches[(launches["name"] == name) & launches["call"].isin(hit.calls)]
        assert not hit.calls or len(bound) == hit.launches
        assert sum(number for _, number in hit.confidence) == hit.launches


def test_a_generated_kernel_accounts_for_all_launches_of_its_name(
    correlation: Correlation,
) -> None:
    """Launches of the autotuner under the name stand beside those of the call."""
    launches = correlation.launches
    hit, tuned = correlation.which(GELU)

    assert (hit.graph, tuned.graph) == ("0_forward", "(outside)")
    assert (hit.launches, tuned.launches) == (6, (launches["name"] == GELU).sum() - 6)
    assert tuned.launches
    assert any("autotuner" in sentence for sentence in tuned.evidence)


def test_any_spelling_finds_the_same_launches(correlation: Correlation) -> None:
    """NVIDIA's spelling, Kineto's and the short name lead to one answer, by rules of their own."""
    (name,) = {name for name in correlation.trace.launches.names if SPLIT_K in name}
    spellings = {
        name: "name of launches",
        name.replace("true", "(bool)1").replace("32", "(int)32"): "same symbol, spelled in another"
        " way",
        SPLIT_K: "short name of launches",
    }
    hits_of = {spelling: correlation.which(spelling) for spelling in spellings}

    assert {spelling: hits[0].rule for spelling, hits in hits_of.items()} == spellings
    assert len({tuple((h.wrapper, h.launches) for h in hits) for hits in hits_of.values()}) == 1


def test_a_mangled_name_is_known_where_the_export_has_it(tmp_path: Path) -> None:
    """The export names a kernel three times; each name finds it."""
    names = strings("void f<(int)4>(T1)", "cudaLaunchKernel_v7000", "f", "_Z1fILi4EEvT_")
    one = kernel(10, 20, shortName=3, mangledName=4)
    path = write_export(tmp_path / "x.sqlite", launched(one, StringIds=names))
    rules = {
        "_Z1fILi4EEvT_": "other spelling of launches",
        "f": "other spelling of launches",
        "void f<4>(int)": "same symbol, spelled in another way",
        "_Z1fILi2EEvT_": "short name of launches",
    }

    assert {name: which(name, path)[0].rule for name in rules} == rules


def test_a_hit_says_what_for_where_and_how_sure(correlation: Correlation) -> None:
    """Original ops, stream, place in the step, neighbors and confidence stand in the hit."""
    hit, _ = correlation.which(GELU)

    assert hit.ops == ("aten.view", "aten.gelu")
    assert dict(hit.confidence) == {"exact": 5, "inferred": 1}
    assert hit.where is not None
    assert hit.where.streams == (7,)
    assert hit.where.position is not None
    place, size = hit.where.position
    assert 1 <= place <= size
    assert hit.where.before is not None
    assert any("on stream 7" in sentence for sentence in hit.evidence)


def test_an_unknown_name_says_what_was_tried(code: Path, export: Path) -> None:
    """The message names all that the name is not, the hint what is spelled like it."""
    with pytest.raises(UsageError) as caught:
        which("triton_poi_fused_gelu_7", code, export)

    assert caught.value.slug == "unknown-name"
    assert "no launch bears it" in caught.value.message
    assert GELU in caught.value.hint


def test_the_id_of_a_call_leads_to_explain(code: Path) -> None:
    """A call is no kernel: the hint names the command that takes its id."""
    with pytest.raises(UsageError, match="no wrapper") as caught:
        which("0_forward/3", code)

    assert "kernelmap explain 0_forward/3" in caught.value.hint


def test_a_time_of_the_timeline_is_a_launch(correlation: Correlation) -> None:
    """Times count from the start of the session, in any unit."""
    launches = correlation.trace.launches
    row = len(launches) - 3
    middle = int(launches.start_ns[row] + launches.dur_ns[row] // 2) - correlation.trace.zeros_ns[0]
    texts = (f"{middle}ns", f"{middle / 1e3:.3f}us", f"{middle / 1e9:.9f}s", f"{middle / 1e9:.9f}")

    for text in texts:
        assert [explanation.title.split(":")[0] for explanation in correlation.at(text)] == [
            f"launch {row}"
        ]


@pytest.mark.parametrize(
    ("time", "slug"), [("0s", "nothing-there"), ("99s", "nothing-there"), ("soon", "not-a-time")]
)
def test_where_nothing_ran_the_nearest_launches_are_named(
    time: str, slug: str, correlation: Correlation
) -> None:
    """Before the first and after the last launch there is one on one side only."""
    with pytest.raises(UsageError) as caught:
        correlation.at(time)

    assert caught.value.slug == slug
    assert slug == "not-a-time" or "launch" in caught.value.hint.lower()


def test_a_correlation_id_of_a_replay_is_all_its_launches(correlation: Correlation) -> None:
    """One graph launch has one id; the launches of the other ids are one each."""
    launches = correlation.launches
    replay = int(launches["correlation"].mode().iloc[0])
    size = int((launches["correlation"] == replay).sum())

    assert len(correlation.correlated(replay)) == size > 5
    assert "goes back to" in " ".join(correlation.correlated(replay)[0].evidence)
    with pytest.raises(UsageError) as caught:
        correlation.correlated(10**9)
    assert caught.value.slug == "nothing-there"


def asked(*arguments: str | Path) -> str:
    wide = {"COLUMNS": "300"}
    result = CliRunner().invoke(main, ["which", *map(str, arguments)], env=wide)

    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_answers_in_three_forms(code: Path, export: Path) -> None:
    """Table, JSON and Markdown say the same, for names and for rows of the timeline."""
    table = asked(SPLIT_K, code, export)
    document = json.loads(asked(SPLIT_K, code, export, "--format", "json"))
    markdown = asked(SPLIT_K, code, export, "--format", "markdown")
    rows = json.loads(asked("--correlation", "1", code, export, "--format", "json"))

    assert len(document["hits"]) >= 3
    for hit in document["hits"]:
        assert hit["wrapper"] in table
        assert hit["wrapper"] in markdown
        assert hit["where"]["streams"] == [7]
    assert [launch["title"] for launch in rows["launches"]] == ["launch 0: kernel " + first(export)]
    assert "launch 0" in asked("--correlation", "1", code, export)
    assert "is 1 kernel," in asked(GELU, code, export)
    assert "### " in asked("--correlation", "1", code, export, "--format", "markdown")


def test_the_launches_of_a_replay_are_a_list(
    code: Path, export: Path, correlation: Correlation
) -> None:
    """Many launches are a line each, and what they share is said once."""
    replay = int(correlation.launches["correlation"].mode().iloc[0])
    explanations = correlation.correlated(replay)
    printed = asked("--correlation", str(replay), code, export)

    assert printed.startswith(f"{len(explanations)} launches:")
    assert all(
        explanation.title in printed and explanation.verdict in printed
        for explanation in explanations
    )
    assert printed.count("launched by cudaGraphLaunch") == 1
    assert "goes back to" not in printed


def first(export: Path) -> str:
    launches = correlate(export).trace.launches
    return launches.names[int(launches.name_id[0])]


def test_a_name_needs_something_to_look_it_up_in() -> None:
    """A name alone is wrong usage."""
    result = CliRunner().invoke(main, ["which", "triton_"])

    assert result.exit_code == 2
    assert "INPUTS" in result.stderr


def test_everything_is_written_as_from_any_profile(
    correlation: Correlation, tmp_path: Path
) -> None:
    """Tables add up to the GPU time, and report, JSON and Parquet are written."""
    total = int(correlation.trace.launches.dur_ns.sum())
    written = [
        correlation.to_html(tmp_path / "report.html"),
        correlation.to_json(tmp_path / "all.json", launches=True),
        correlation.to_parquet(tmp_path / "tables"),
    ]

    assert all(path.exists() for path in written)
    for table in ("ledger", "calls", "kernels", "ops", "nodes", "graphs"):
        assert int(correlation.tables.frame(table)["time_ns"].sum()) == total, table
    assert set(correlation.launches["method"].dropna()) >= {"range", "capture"}


def test_replays_are_split_over_ops_and_counted_as_invocations(correlation: Correlation) -> None:
    """Time that ran from CUDA graphs reaches the ops, and every replay is an invocation."""
    graphs = correlation.graphs.set_index("graph")
    launches = correlation.launches
    replayed = launches[launches["graph_node"].notna()]

    assert graphs.loc["0_forward", "invocations"] == 6
    assert len(replayed) > 50
    assert (replayed["confidence"] == "exact").all()
    assert replayed["call"].notna().all()
