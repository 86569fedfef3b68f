"""--cache-dir: of a cache that many runs share, what this profile names, and no surer than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.caches import key_of, put_code, put_entry
from compiler.generated import triton, wrapper
from kernelmap import KernelmapError, Options, correlate
from kernelmap.compiler import InductorCache, load_compiled
from kernelmap.correlation import Correlation
from kernelmap.matching.match import Match, match_launches
from kernelmap.model import CompiledProgram, Confidence, Trace
from kernelmap.model.names import Wanted, graph_mark, names_wanted
from tiny import Timeline, graph

A, B, C = "triton_poi_fused_add_0", "triton_poi_fused_mul_1", "triton_poi_fused_sin_2"
HASHES = {name: content.ljust(52, "a") for name, content in ((A, "ca"), (B, "cb"), (C, "cc"))}


def code(*names: str, nodes: str = "n", aot: str = "0_forward", more: str = "") -> str:
    """Generated code that runs each kernel once, the ops stated at definition and call."""
    comments = {
        name: f"Topologically Sorted Source Nodes: [{nodes}], Original ATen: [aten.{name[17:20]}]"
        for name in names
    }
    paths = {name: f"# kernel path: /their/{HASHES[name][1:3]}/{HASHES[name]}.py" for name in names}
    definitions = [triton(name, comment=f"{paths[name]}\n# {comments[name]}") for name in names]
    calls = [f"# {comments[name]}\n{name}.run(x, 64, stream=s)" for name in names]
    return wrapper(*definitions, body="\n".join([*calls, more]) + "\n", aot=aot)


def ran(*names: str, key: str | None = None, times: int = 4) -> Trace:
    """A trace of a graph that runs `names`, with content hashes."""
    line = Timeline()
    for _ in range(times):
        line.invoke(graph("0_forward", *names, hashes=HASHES), key=key)
    return line.trace()


def matched(trace: Trace, folder: Path, *given: Path) -> Match:
    program = load_compiled(*given, cache=InductorCache(folder, names_wanted(trace)))
    return match_launches(program, trace)


def calls(result: Match) -> set[tuple[str, int]]:
    """Every call that a launch was given to, with the confidence."""
    pairs = zip(result.matching.call.tolist(), result.matching.confidence.tolist(), strict=True)
    graphs = result.program.calls
    return {(graphs[at][1].wrapper, int(sure)) for at, sure in pairs if at >= 0}


def slugs(program: CompiledProgram) -> list[str]:
    return [notice.slug for notice in program.notices]


def test_a_key_in_the_cache_is_as_sure_as_a_log(tmp_path: Path) -> None:
    """The entry of a range's key is that range's code, whatever else lies in the cache."""
    put_entry(tmp_path, key_of("x"), code(A, B))
    put_entry(tmp_path, key_of("y"), code(A, B, nodes="m"))
    put_code(tmp_path, code(A, B, nodes="m"))
    result = matched(ran(A, B, key=key_of("x")), tmp_path)
    (compiled,) = result.program.graphs

    assert (compiled.cache_key, compiled.borrowed) == (key_of("x"), False)
    assert calls(result) == {(A, Confidence.EXACT), (B, Confidence.EXACT)}
    assert slugs(result.program) == ["cache-used"]


def test_a_graph_that_only_its_kernels_name_is_never_exact(tmp_path: Path) -> None:
    """Though all kernels fit by hash and order, an older run may have left this code."""
    put_code(tmp_path, code(A, B))
    result = matched(ran(A, B), tmp_path)

    assert [graph.borrowed for graph in result.program.graphs] == [True]
    assert calls(result) == {(A, Confidence.INFERRED), (B, Confidence.INFERRED)}


def test_given_code_is_asked_first(tmp_path: Path) -> None:
    """What was given stays exact; code from a cache that fits as well changes nothing."""
    put_code(tmp_path / "cache", code(A, B, nodes="stale"))
    given = tmp_path / "given.py"
    given.write_text(code(A, B), encoding="utf-8")
    trace = ran(A, B)
    result = matched(trace, tmp_path / "cache", given)

    assert [graph.code for graph in result.program.graphs] == [str(given)]
    assert calls(result) == calls(match_launches(load_compiled(given), trace))
    assert calls(result) == {(A, Confidence.EXACT), (B, Confidence.EXACT)}


def test_the_same_code_given_and_cached_counts_as_given(tmp_path: Path) -> None:
    """Code that is given stays as certain if the cache has a copy of it."""
    put_code(tmp_path / "cache", code(A))
    given = tmp_path / "given.py"
    given.write_text(code(A), encoding="utf-8")
    program = load_compiled(given, cache=InductorCache(tmp_path / "cache", names_wanted(ran(A, B))))

    assert [(graph.code, graph.borrowed) for graph in program.graphs] == [(str(given), False)]


def test_two_cached_graphs_that_fit_alike_stay_open(tmp_path: Path) -> None:
    """If the code of two runs fits, their order in the cache does not decide."""
    put_code(tmp_path, code(A, B))
    put_code(tmp_path, code(A, B, nodes="other"))
    result = matched(ran(A, B), tmp_path)

    assert len(result.program.graphs) == 2
    assert set(result.matching.confidence.tolist()) == {Confidence.AMBIGUOUS}


def test_a_key_with_two_codes_stays_open(tmp_path: Path) -> None:
    """One key may have several entries, for other shapes; then either may have run."""
    for nodes in ("n", "m"):
        put_entry(tmp_path, key_of("x"), code(A, B, nodes=nodes))
    result = matched(ran(A, B, key=key_of("x")), tmp_path)

    assert [graph.cache_key for graph in result.program.graphs] == [key_of("x")] * 2
    assert set(result.matching.confidence.tolist()) == {Confidence.AMBIGUOUS}


def test_stale_code_is_not_taken(tmp_path: Path) -> None:
    """Code with a kernel that did not run, and code without any that did, stays in the cache."""
    for aot in range(40):
        put_code(tmp_path, code(C, aot=f"{aot}_inference"))
        put_code(tmp_path, code(A, C, aot=f"{aot}_forward"))
    put_code(tmp_path, code(A, B))
    program = load_compiled(cache=InductorCache(tmp_path, names_wanted(ran(A, B))))

    assert [len(graph.calls) for graph in program.graphs] == [2]
    assert "gave 0 graphs by cache key, 1 by their kernels" in program.notices[0].message


def test_kernels_without_their_graph_have_a_definition(tmp_path: Path) -> None:
    """Code that shares a kernel says what it computes; the calls stay those of the trace."""
    put_code(tmp_path, code(A, C))
    result = matched(ran(A, B), tmp_path)
    (seen,) = result.program.graphs
    first, second = seen.calls

    assert seen.code is None
    assert first.origins is not None
    assert (first.origins.nodes, first.origins.aten) == (("n",), ("aten.add",))
    assert seen.kernels[0].signature is not None
    assert (second.origins, seen.kernels[1].signature) == (None, None)
    assert slugs(result.program) == ["cache-used"]


def test_definitions_that_disagree_give_what_they_share(tmp_path: Path) -> None:
    """Two graphs with one kernel for other nodes leave its operators, and no node."""
    put_code(tmp_path, code(A, C))
    put_code(tmp_path, code(A, C, nodes="other"))
    origins = matched(ran(A, B), tmp_path).program.graphs[0].calls[0].origins

    assert origins is not None
    assert (origins.nodes, origins.aten) == ((), ("aten.add",))


def test_a_kernel_that_runs_twice_has_no_ops_of_its_own(tmp_path: Path) -> None:
    """A definition lists the ops of its first call; the second may work for others."""
    put_code(tmp_path, code(A, C))
    seen = matched(ran(A, B, A), tmp_path).program.graphs[0]

    assert [call.origins for call in seen.calls] == [None, None, None]
    assert seen.kernels[0].origins is not None


def test_calls_that_nobody_counted_have_no_ops_of_a_definition(tmp_path: Path) -> None:
    """Outside of graph ranges one row may stand for several calls of a kernel."""
    put_code(tmp_path, code(A, C))
    line = Timeline()
    for _ in range(4):
        line.invoke(graph("0_forward", A, B, A, hashes=HASHES), marked=False)
    (seen,) = matched(line.trace(), tmp_path).program.graphs

    assert [call.wrapper for call in seen.calls] == [A, B]
    assert [call.origins for call in seen.calls] == [None, None]


def test_a_kernels_own_file_is_found_below_the_folder(tmp_path: Path) -> None:
    """The profile's path is of another machine; the file with its stem gives the definition."""
    source = triton(A).split("'''")[1]
    file = put_code(tmp_path, source)
    hashes = {A: file.stem}
    trace = Timeline().invoke(graph("0_forward", A, hashes=hashes), key=None).trace()
    (kernel,) = matched(trace, tmp_path).program.graphs[0].kernels

    assert (kernel.path, kernel.hash) == (str(file), file.stem)
    assert kernel.signature is not None
    assert kernel.heuristic == "pointwise"


@pytest.mark.parametrize(
    ("trace", "gap"),
    [(ran(A), True), (Timeline().eager("aten::add").trace(), True)],
    ids=["nothing fits", "nothing is named"],
)
def test_a_cache_that_gives_nothing_is_reported(trace: Trace, gap: bool, tmp_path: Path) -> None:
    """A folder that holds nothing of this run, or that nothing can be asked of, says so."""
    put_code(tmp_path, code(C))
    program = load_compiled(cache=InductorCache(tmp_path, names_wanted(trace)))

    assert (program.graphs, program.kernels) == ((), ())
    assert [(notice.slug, notice.gap) for notice in program.notices] == [("cache-unused", gap)]


def test_keys_and_hashes_are_no_paths(tmp_path: Path) -> None:
    """A profile that names files elsewhere is not followed there."""
    put_entry(tmp_path / "other", key_of("x"), code(A))
    hostile = f"f/../../../other/fxgraph/xa/{key_of('x')}"
    (tmp_path / "cache").mkdir()
    asked = Wanted(keys=frozenset({hostile}), kernels=frozenset({(A, "../../other/x")}))
    program = load_compiled(cache=InductorCache(tmp_path / "cache", asked))

    assert (program.graphs, program.kernels) == ((), ())


def test_a_folder_that_is_none_is_an_error(samples: Path, tmp_path: Path) -> None:
    """A misspelled cache folder is not passed over."""
    profile = samples / "sim_mlp_train/profile.json.gz"
    with pytest.raises(KernelmapError) as caught:
        correlate(profile, options=Options(cache_dir=tmp_path / "none"))

    assert (caught.value.slug, caught.value.exit_code) == ("no-cache-dir", 2)


def pairs(correlation: Correlation) -> list[tuple[str | None, str | None]]:
    launches = correlation.launches
    return list(zip(launches["call"], launches["wrapper"], strict=True))


def test_a_sample_pairs_alike_from_the_cache(samples: Path, tmp_path: Path) -> None:
    """By keys, the cache gives what the given code does; by kernels it gives the same, inferred."""
    folder = samples / "sim_mlp_train"
    profile = folder / "profile.json.gz"
    given = correlate(folder, profile)
    marks = [mark for name in given.trace.ranges.names if (mark := graph_mark(name))]
    texts = {path.parent.name: path.read_text("utf-8") for path in folder.glob("*/output_code.py")}
    ran_by = {
        invocation.span.key: given.program.graphs[invocation.assignment.graphs[0]].kind
        for invocation in given.match.context.invocations
        if invocation.assignment.graphs
    }
    for mark in marks:
        kind = ran_by[mark.key]
        text = next(text for name, text in texts.items() if kind is not None and kind in name)
        put_code(tmp_path / "codes", text)
        put_entry(tmp_path / "keys", mark.key or "", text)
    by_key = correlate(profile, options=Options(cache_dir=tmp_path / "keys"))
    by_code = correlate(profile, options=Options(cache_dir=tmp_path / "codes"))

    assert pairs(by_key) == pairs(by_code) == pairs(given)
    assert list(by_key.launches["confidence"]) == list(given.launches["confidence"])
    assert set(by_code.launches["confidence"]) == {"inferred", "outside"}
