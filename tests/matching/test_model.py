"""Laws of the model: launches without a host side, placed by their order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.compiler import load_compiled
from kernelmap.matching import match_launches
from kernelmap.matching.explaining.explain import explain_launch
from kernelmap.matching.match import Match
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence
from kernelmap.traces import load_trace
from matching.bare import graph, matched, named, run
from worlds import Names, World, simulate
from worlds.recordings import recorded
from worlds.score import score
from worlds.situations import legacy

CASES = (
    "triton_mlp",
    "triton_attnflash",
    "triton_foreach",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)


def letters(name: str, code: str) -> CompiledGraph:
    """A graph that calls a kernel per letter."""
    return graph(name, " ".join(code))


def modelled(words: str, *graphs: CompiledGraph) -> Match:
    """What the model makes of the launches."""
    return matched(words, *graphs)


def answers_for(seen: str, *graphs: CompiledGraph) -> list[str]:
    """The answers for launches of kernels of one letter each."""
    return named(modelled(" ".join(seen), *graphs))


def test_launches_in_program_order_are_its_calls() -> None:
    """A sequence that repeats the code is the code, clearly."""
    assert answers_for("abcabc", letters("0_forward", "abc")) == ["0/0", "0/1", "0/2"] * 2


def test_one_launch_alone_has_no_order() -> None:
    """Its name says more than the model could; two under names of the code have an order."""
    code = graph("0_forward", "a b")
    alone, two = modelled("a o o", code), modelled("a b o", code)

    assert (named(alone), alone.posterior) == (["0/0", "-", "-"], None)
    assert named(two) == ["0/0", "0/1", "-"]
    assert two.posterior is not None


def test_order_tells_calls_of_one_kernel_apart() -> None:
    """What runs between the two calls of a kernel distinguishes them."""
    answers = answers_for("abacabac", letters("0_forward", "abac"))

    assert answers == ["0/0", "0/1", "0/2", "0/3"] * 2


def test_order_tells_graphs_with_shared_kernels_apart() -> None:
    """The rest of their calls distinguishes two graphs that share kernels."""
    answers = answers_for("abcabdabc", letters("0_forward", "abc"), letters("1_forward", "abd"))

    assert answers == ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2", "0/0", "0/1", "0/2"]


def test_equal_graphs_stay_ambiguous() -> None:
    """Two graphs that launch the same are both named."""
    answers = answers_for("abab", letters("0_forward", "ab"), letters("1_forward", "ab"))

    assert answers == ["?0/0,1/0", "?0/1,1/1"] * 2


def test_equal_layers_are_told_apart_by_their_place_in_the_step() -> None:
    """Where every step runs as many equal graphs as there are, the k-th is the k-th."""
    layers = [letters(f"{number}_inference", "ab") for number in range(1, 4)]
    answers = answers_for("xababab" * 4, letters("0_inference", "x"), *layers)

    step = ["0/0", "1/0", "1/1", "2/0", "2/1", "3/0", "3/1"]
    assert answers == step * 4


def test_equal_layers_in_changing_order_are_all_named() -> None:
    """Where steps run different numbers of equal graphs, each of them may have run."""
    layers = [letters(f"{number}_inference", "ab") for number in range(1, 4)]
    answers = answers_for("xababxabxabababxabxabab", letters("0_inference", "x"), *layers)

    assert set(answers) == {"0/0", "?1/0,2/0,3/0", "?1/1,2/1,3/1"}


def test_a_lost_launch_leaves_its_neighbors_clear() -> None:
    """One launch is missing: the others keep their places."""
    answers = answers_for("abcdabdabcd", letters("0_forward", "abcd"))
    whole = ["0/0", "0/1", "0/2", "0/3"]

    assert answers == [*whole, "0/0", "0/1", "0/3", *whole]


def test_which_of_two_equal_launches_was_lost_is_open() -> None:
    """If one launch of two calls in a row is left, it may be of either."""
    assert answers_for("abbcabcabbc", letters("0_forward", "abbc"))[5] == "?0/1,0/2"


def test_benchmarks_before_a_call_are_no_calls() -> None:
    """The last launch of a series is the call's: the autotuner measures before it runs."""
    answers = answers_for("abcabbbbbcabcabc", letters("0_forward", "abc"))

    assert answers[3:10] == ["0/0", "-", "-", "-", "-", "0/1", "0/2"]


def test_a_stray_under_a_known_name_is_no_call() -> None:
    """A launch that fits nowhere does not push the others from their places."""
    answers = answers_for("abcdabcdbabcdabcd", letters("0_forward", "abcd"))
    whole = ["0/0", "0/1", "0/2", "0/3"]

    assert answers == [*whole, *whole, "-", *whole, *whole]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(code=st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), times=st.integers(2, 4))
def test_what_is_clear_is_right(code: list[str], times: int) -> None:
    """However a graph calls its kernels, whole invocations that are called clear are right."""
    answers = answers_for("".join(code) * times, letters("0_forward", "".join(code)))
    truth = [f"0/{place}" for place in range(len(code))] * times

    assert all(
        said == true for said, true in zip(answers, truth, strict=True) if said[0] not in "-?"
    )


def test_a_sort_begins_a_graph_as_it_ends_one() -> None:
    """A call of many kernels has all of them; at the end of a graph the last may be open."""
    sorting = "arange radixsort_count radixsort_sum radixsort_pass radixsort_pass"
    given = graph("0_forward", "sort a b sort")
    answers = named(modelled(f"eager {sorting} a b {sorting} other " * 6, given))

    called = [answer for answer in answers if answer != "-"]
    assert called.count("0/0") == 5 * 6
    assert called.count("0/3") >= 4 * 6
    assert answers[6:8] == ["0/1", "0/2"]


def test_a_sort_may_take_another_way_each_time() -> None:
    """A sort may run more passes in one of two invocations, or in every other one."""
    given = [letters("0_forward", "ab"), graph("1_forward", "sort c d")]

    def sorting(passes: int) -> str:
        return f"arange radixsort_count radixsort_sum {'radixsort_pass ' * passes}sort_postprocess"

    steps = [f"a b {sorting(passes)} c d" for passes in (8, 3)]
    once = named(modelled(" eager ".join(steps), *given))
    often = named(modelled(" eager ".join(steps * 3), *given))

    assert once.count("1/0") == 12 + 7
    assert often.count("1/0") == 3 * (12 + 7)


def test_what_repeats_is_seen_once() -> None:
    """Eager work before every invocation is not the graph's, however often it is there."""
    given = graph("0_forward", "mm a b mm")
    few = named(modelled("other_gemm gemm a b gemm eager " * 3, given))
    many = named(modelled("other_gemm gemm a b gemm eager " * 40, given))

    assert {few[0], many[0]} == {"-"}
    assert set(many[::6]) == {"-"}
    assert set(many[2::6]) == {"0/1"}


def test_a_habit_that_is_clear_elsewhere_decides() -> None:
    """Where most invocations show which product is the call's, one with a stranger has it, too."""
    given = graph("0_forward", "a mm b")
    answers = named(modelled("a gemm b " * 8 + "a other_gemm gemm b " + "a gemm b " * 8, given))

    assert answers[24:28] == ["0/0", "-", "0/1", "0/2"]


def test_the_last_of_a_series_is_the_call() -> None:
    """The autotuner clears memory before each measurement, so the last launch is the call's."""
    words = "a b c fill a fill a fill a a b c" + " a b c" * 6
    result = modelled(words, letters("0_forward", "abc"))

    assert named(result)[3:12] == [*"------", "0/0", "0/1", "0/2"]
    assert result.posterior is not None
    assert result.posterior[9] > 0.99


def test_library_work_alone_is_no_invocation() -> None:
    """Eager work that looks like a graph's products is not the graph: its kernels run, too."""
    given = graph("0_forward", "mm a mm")
    answers = named(modelled("gemm a gemm eager gemm other_gemm eager " * 6, given))

    assert answers == ["0/0", "0/1", "0/2", "-", "-", "-", "-"] * 6


def test_kernels_are_shared_out_by_family() -> None:
    """A convolution's kernels go to the convolution, the product's to the product."""
    given = graph("0_forward", "a convolution mm b")
    answers = named(modelled("a nchwToNhwc cudnn_fprop nhwcToNchw gemm b " * 4, given))

    assert answers == ["0/0", "0/1", "0/1", "0/1", "0/2", "0/3"] * 4


def test_one_launch_for_two_like_calls_names_both() -> None:
    """Two products in the code, one launch: either may have lost its own."""
    given = graph("0_forward", "a mm mm b")
    answers = named(modelled("a gemm gemm b " * 4 + "a gemm b " + "a gemm gemm b", given))

    assert answers[17] == "?0/1,0/2"


def test_a_product_right_before_a_graph_is_its_own() -> None:
    """Before a graph that begins with a product, the product right before it is its own."""
    given = graph("0_forward", "mm a b")
    answers = named(modelled("gemm eager gemm a b " * 5, given))

    assert answers == ["-", "-", "0/0", "0/1", "0/2"] * 5


def test_the_model_says_how_probable_a_call_is() -> None:
    """The posterior is parallel to the launches, NaN where nothing was placed."""
    given = graph("0_forward", "a b c")
    posterior = modelled("eager a b c eager " * 4, given).posterior

    assert posterior is not None
    assert np.isnan(posterior[::5]).all()
    assert (posterior[1::5] >= 0.95).all()


def test_the_runner_up_of_the_model_is_behind_by_odds() -> None:
    """`explain` says how much less likely the second best is, not how many events were lost."""
    result = modelled("a b c " * 4, graph("0_forward", "a b c"))
    evidence = explain_launch(result, 1).evidence

    assert any("second best by its order is" in it and "less likely" in it for it in evidence)
    assert not any("lost events" in it for it in evidence)


def test_streams_are_sequences_of_their_own() -> None:
    """What runs on another stream at the same time stands between no two launches of a graph."""
    given = [letters("0_forward", "abcd"), letters("1_forward", "efgh")]
    trace = run("a e b f c g d h " * 4)
    streams = np.tile([7, 13], len(trace.launches) // 2)
    trace = replace(trace, launches=replace(trace.launches, stream=streams))
    result = match_launches(CompiledProgram(graphs=tuple(given)), trace)

    assert named(result) == ["0/0", "1/0", "0/1", "1/1", "0/2", "1/2", "0/3", "1/3"] * 4


def test_what_is_open_on_one_stream_is_open_on_another() -> None:
    """Every stream has its candidates, whichever was read before it."""
    given = CompiledProgram(graphs=(graph("0_forward", "a mm mm b"),))
    words = "a gemm gemm b " * 4 + "a gemm b " + "a gemm gemm b "
    trace = run(words * 2)
    streams = np.repeat([7, 13], len(words.split()))
    trace = replace(trace, launches=replace(trace.launches, stream=streams))
    answers = named(match_launches(given, trace))

    assert answers[17] == "?0/1,0/2"
    assert answers[: len(words.split())] == answers[len(words.split()) :]


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("names", ["unique", "legacy"])
@pytest.mark.parametrize("case", CASES)
def test_bare_launches_are_mostly_found_and_rightly(
    case: str, names: Names, corpus: Path, tmp_path: Path
) -> None:
    """Without a host side most compiled time finds its call; nothing is exact, little is wrong."""
    program = load_compiled(corpus / "inductor" / case)
    program = legacy(program) if names == "legacy" else program
    simulated = simulate(program, World(seed=1, host=False, names=names, drop=0.01))
    trace, truth = recorded(simulated, program, "kineto", tmp_path)
    scores = score(match_launches(program, trace), truth)

    assert scores.exact == 0
    assert scores.matched >= 0.75
    assert scores.wrong <= 0.01


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("files", "kernels"),
    [
        (("mi300x_flux_compiled_and_graphs.json.gz",), 433),
        (
            (
                "mi300x_vllm_decode_full.capture.json.gz",
                "mi300x_vllm_decode_full.replay.json.gz",
            ),
            48,
        ),
    ],
    ids=["flux", "vllm"],
)
def test_a_replay_is_read_by_what_was_captured(
    files: tuple[str, ...], kernels: int, corpus: Path
) -> None:
    """Every Triton kernel of a replay finds the call that launched it at capture time."""
    trace = load_trace(*(corpus / "kineto" / name for name in files))
    result = match_launches(CompiledProgram(graphs=()), trace)
    launches = trace.launches
    triton = np.array(["triton" in name for name in launches.names])[launches.name_id]
    replayed = result.context.host.replayed & triton
    calls = result.matching.call[replayed].tolist()

    assert replayed.sum() == kernels
    assert result.matching.with_confidence(Confidence.INFERRED)[replayed].all()
    assert [result.program.calls[call][1].wrapper for call in calls] == [
        launches.names[name] for name in launches.name_id[replayed].tolist()
    ]
