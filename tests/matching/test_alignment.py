"""Laws of alignment: launches without a host side, placed by their order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny
from kernelmap.compiler import load_compiled
from kernelmap.matching import match
from kernelmap.matching.alignment.answers import CLEAR, Answer
from kernelmap.matching.alignment.decode import Decoder, Seen
from kernelmap.matching.alignment.library_calls import Gap, divide
from kernelmap.matching.alignment.spots import spots_of
from kernelmap.matching.names.families import Family, kernel_family, operator_family
from kernelmap.model import Activity, CompiledGraph, CompiledProgram, Confidence
from kernelmap.traces import load_trace
from worlds import Names, World, simulate

CASES = (
    "triton_mlp",
    "triton_attnflash",
    "triton_foreach",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)


def found(seen: str, *graphs: CompiledGraph, whole: bool = False) -> list[Answer]:
    """The answers for launches under names of one letter each."""
    spots = spots_of(CompiledProgram(graphs=graphs))
    letters = sorted(spots.by_name)
    names = [letters.index(f"k_{letter}") for letter in seen]
    decoder = Decoder(spots, [spots.by_name[letter] for letter in letters], [False] * len(letters))
    again = [i > 0 and seen[i] == seen[i - 1] for i in range(len(seen))]
    nothing_against = [[0] * max(map(len, spots.by_name.values()))]
    columns = Seen(np.array(names), np.zeros(len(names), dtype=np.int64), np.array(again))
    return list(decoder.decode(columns, nothing_against, whole=whole))


def graph(name: str, letters: str) -> CompiledGraph:
    return tiny.graph(name, *(f"k_{letter}" for letter in letters))


def places(answers: list[Answer]) -> list[int]:
    return [answer.spot for answer in answers]


def test_launches_in_program_order_are_its_calls() -> None:
    """A sequence that repeats the code is the code, clearly."""
    answers = found("abcabc", graph("0_forward", "abc"))

    assert places(answers) == [0, 1, 2, 0, 1, 2]
    assert all(answer.margin >= CLEAR for answer in answers)


def test_order_tells_calls_of_one_kernel_apart() -> None:
    """A kernel that is called twice is told apart by what runs between."""
    answers = found("abacabac", graph("0_forward", "abac"))

    assert places(answers) == [0, 1, 2, 3] * 2
    assert all(answer.margin >= CLEAR for answer in answers)


def test_order_tells_graphs_with_shared_kernels_apart() -> None:
    """Two graphs that share kernels are told apart by the rest of their calls."""
    answers = found("abcabdabc", graph("0_forward", "abc"), graph("1_forward", "abd"))

    assert places(answers) == [0, 1, 2, 3, 4, 5, 0, 1, 2]


def test_equal_graphs_stay_ambiguous() -> None:
    """Two graphs that launch the same are both named."""
    answers = found("abab", graph("0_forward", "ab"), graph("1_forward", "ab"))

    assert all(answer.margin < CLEAR for answer in answers)
    assert {answer.alternatives for answer in answers} == {(0, 2), (1, 3)}


def test_a_lost_launch_leaves_its_neighbors_clear() -> None:
    """One launch is missing: the others keep their places."""
    answers = found("abcdabdabcd", graph("0_forward", "abcd"))

    assert places(answers) == [0, 1, 2, 3, 0, 1, 3, 0, 1, 2, 3]
    assert all(answer.margin >= CLEAR for answer in answers)


def test_which_of_two_equal_launches_was_lost_is_open() -> None:
    """Of two calls in a row one launch is left: it may be either."""
    answers = found("abbcabcabbc", graph("0_forward", "abbc"))

    assert answers[5].margin < CLEAR
    assert set(answers[5].alternatives) == {1, 2}


def test_benchmarks_before_a_call_are_no_calls() -> None:
    """Of a series under one name the last is the call: the autotuner measures before it runs."""
    answers = found("abbbbbcabc", graph("0_forward", "abc"))

    assert places(answers) == [0, -1, -1, -1, -1, 1, 2, 0, 1, 2]


def test_a_window_may_cut_a_graph_and_a_replay_may_not() -> None:
    """A window that begins with the middle of a graph is fine; a whole sequence begins anew."""
    one, other = graph("0_forward", "ab"), graph("1_forward", "b")

    assert found("b", one, other)[0].margin < CLEAR
    assert found("b", one, other, whole=True)[0].spot == 2
    assert found("b", one, other, whole=True)[0].margin >= CLEAR


def test_a_stray_under_a_known_name_is_no_call() -> None:
    """A launch that fits nowhere does not push the others from their places."""
    answers = found("abcdbabcd", graph("0_forward", "abcd"))

    assert places(answers)[:4] == [0, 1, 2, 3]
    assert places(answers)[5:] == [0, 1, 2, 3]
    assert answers[4].margin < CLEAR or answers[4].spot == -1


@given(
    code=st.lists(st.sampled_from("abcd"), min_size=1, max_size=6),
    times=st.integers(1, 4),
    lost=st.sets(st.integers(0, 23), max_size=2),
)
def test_what_is_clear_is_right(code: list[str], times: int, lost: set[int]) -> None:
    """However a graph calls its kernels, and whatever two launches are lost: clear means right."""
    truth = [i for i in range(len(code) * times) if i not in lost]
    seen = "".join(code[i % len(code)] for i in truth)
    answers = found(seen, graph("0_forward", "".join(code))) if seen else []
    clear = [
        (answer.spot, i % len(code))
        for answer, i in zip(answers, truth, strict=True)
        if answer.margin >= CLEAR and answer.spot >= 0 and not lost
    ]

    assert all(spot == true for spot, true in clear)
    assert len(answers) == len(seen)


def test_library_launches_are_divided_by_family() -> None:
    """A convolution's kernels go to the convolution, the product's to the product."""
    shares = divide(
        [Family.PRELUDE, Family.CONVOLUTION, Family.HELPER, Family.GEMM],
        [3.0] * 4,
        Gap((Family.CONVOLUTION, Family.GEMM)),
    )

    assert [share.call for share in shares] == [0, 0, 0, 1]
    assert all(share.clear for share in shares)


def test_one_launch_for_two_like_calls_names_both() -> None:
    """Two products in the code, one launch: either may have lost its own."""
    (share,) = divide([Family.GEMM], [3.0], Gap((Family.GEMM, Family.GEMM)))

    assert set(share.alternatives) == {0, 1}


def test_between_invocations_the_nearest_launch_is_taken() -> None:
    """Before a graph that begins with a product, the product right before it is its own."""
    shares = divide([Family.GEMM, Family.OTHER, Family.GEMM], [1.0] * 3, Gap((Family.GEMM,), 0))

    assert [share.call for share in shares] == [-1, -1, 0]
    assert shares[2].clear


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Cijk_Alik_Bljk_HHS_BH_MT128x128x32_MI16x16x16", Family.GEMM),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_nhwckrsc_nhwc_cudnn", Family.CONVOLUTION),
        ("void pytorch_flash::flash_fwd_kernel<traits>(Params)", Family.ATTENTION),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Family.COLLECTIVE),
        ("vectorized_layer_norm_kernel", Family.OTHER),
    ],
)
def test_device_names_have_families(name: str, family: Family) -> None:
    """The words of a device name say what library work it is."""
    assert kernel_family(name, Activity.KERNEL) is family


@pytest.mark.parametrize(
    ("target", "family"),
    [
        ("aten.addmm", Family.GEMM),
        ("aten.bmm", Family.GEMM),
        ("aten._scaled_dot_product_flash_attention", Family.ATTENTION),
        ("aten._scaled_dot_product_flash_attention_backward", Family.ATTENTION_BACKWARD),
        ("aten.convolution_backward", Family.CONVOLUTION),
        ("aten.randint", Family.RANDOM),
        ("aten.cumsum", Family.OTHER),
    ],
)
def test_operators_have_families(target: str, family: Family) -> None:
    """The name of an operator says what library work it asks for."""
    assert operator_family(target) is family


def legacy(program: CompiledProgram) -> CompiledProgram:
    """The program as torch before 2.4 wrote it: every function is called `triton_`."""

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        kernels = (
            replace(k, function="triton_") if k.function.startswith("triton_") else k
            for k in graph.kernels
        )
        return replace(graph, kernels=tuple(kernels))

    return replace(program, graphs=tuple(map(renamed, program.graphs)))


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
    path = tmp_path / "trace.json"
    simulated.write_kineto(path)
    trace = load_trace(path)
    result = match(program, trace)
    truth = {each.event: each for each in simulated.truth}
    time: Counter[str] = Counter()
    for row, event in enumerate(trace.launches.event.tolist()):
        true, call = truth[event], int(result.matching.call[row])
        time["compiled"] += true.dur_ns if true.call is not None else 0
        if call >= 0:
            graph, own = result.program.calls[call]
            right = (graph.id, own.index) == (true.graph, true.call)
            time["right" if right else "wrong"] += true.dur_ns

    assert not result.matching.with_confidence(Confidence.EXACT).any()
    assert time["right"] >= 0.75 * time["compiled"]
    assert time["wrong"] <= 0.01 * time["compiled"]


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
    result = match(CompiledProgram(graphs=()), trace)
    launches = trace.launches
    triton = np.array(["triton" in name for name in launches.names])[launches.name_id]
    replayed = result.situation.host.replayed & triton
    calls = result.matching.call[replayed].tolist()

    assert replayed.sum() == kernels
    assert result.matching.with_confidence(Confidence.INFERRED)[replayed].all()
    assert [result.program.calls[call][1].wrapper for call in calls] == [
        launches.names[name] for name in launches.name_id[replayed].tolist()
    ]
