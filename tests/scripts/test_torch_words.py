"""The oracle of torch's words sees where kernelmap names another call, and has a reason or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_words import (
    FIRST_OF_NAME,
    NO_REASON,
    Agreement,
    NotedKernel,
    compare,
    logs_of,
    noted_kernels,
    read_trace,
    reason_of,
    table,
    traces_of,
    without_words,
    words_of,
)

import kernelmap

SAMPLE = Path(__file__).resolve().parents[2] / "sample_traces" / "cuda_two_streams"


def noted(key: str, stack: str, *, aot_id: str = "0_forward") -> NotedKernel:
    return NotedKernel("Torch-Compiled Region: 0/0", aot_id, key, (stack,))


def test_words_of_the_same_call_agree_and_others_differ() -> None:
    """One launch has the words of its own call, one has made-up words, and the rest has none."""
    document = read_trace(traces_of(SAMPLE)[0])
    kernels = noted_kernels(SAMPLE)
    result = kernelmap.correlate(SAMPLE)
    named = result.launches[result.launches["call"].notna()]
    right, wrong = (int(event) for event in named["event"].tolist()[:2])
    graph, handle = result.calls.set_index("call").loc[
        named["call"].tolist()[0], ["graph", "handle"]
    ]
    [own] = [one for one in kernels if one.aot_id == graph and one.key.endswith(f":{handle}")]
    words = {right: own.stacks, wrong: ("made up",)}

    found = compare("two", document, words, kernels, logs_of(SAMPLE))

    assert (found.by_torch, found.both, found.agree) == (2, 2, 1)
    assert found.by_kernelmap == len(named)
    assert dict(found.reasons) == {NO_REASON: 1}
    assert "made up" in found.differences[0]


def test_torch_takes_the_first_call_of_a_name() -> None:
    """That is the reason only where the words are those of the first, and ours is another."""
    kernels = [
        noted("extern_kernels.mm:1", "a", aot_id="0_backward"),
        noted("extern_kernels.mm:1", "b"),
        noted("extern_kernels.mm:2", "c"),
        noted("extern_kernels.mm_out:3", "d"),
    ]

    assert reason_of(("b",), kernels[2], kernels) == FIRST_OF_NAME
    assert reason_of(("a",), kernels[2], kernels) == NO_REASON
    assert reason_of(("c",), kernels[1], kernels) == NO_REASON
    assert reason_of(("b",), kernels[3], kernels) == NO_REASON


def test_kernelmap_is_not_given_the_words() -> None:
    """What torch's handler adds is taken out again, and nothing else."""
    plain = {"traceEvents": [{"name": "k", "args": {"stream": 7}}, {"name": "s"}], "schema": 1}
    worded = {
        "traceEvents": [
            {"name": "k", "args": {"stream": 7, "stack": ["File x"]}, "uid": 0},
            {"name": "s", "uid": 1},
        ],
        "schema": 1,
        "uid_assigned": True,
    }

    assert without_words(worded) == plain
    assert words_of(worded) == {0: ("File x",)}


def test_the_table_adds_up() -> None:
    """The last row counts all recordings, and each reason has its launches."""
    one, two = Agreement("one", 10, 8, 6, 6, 5), Agreement("two", 1, 1, 1, 1, 1)
    one.reasons[FIRST_OF_NAME] = 1
    lines = table([one, two])

    assert "| all | 11 | 9 | 7 | 7 | 6 | 1 |" in lines
    assert f"| {FIRST_OF_NAME} | 1 |" in lines


@pytest.mark.torch
@pytest.mark.thorough
def test_torch_s_own_code_agrees_on_a_recording() -> None:
    """Torch 2.14 and newer join words to the events of an older torch, all of which agree."""
    profiler = pytest.importorskip("torch._inductor.profiler", reason="torch 2.14 has it")
    from torch_words import recording_agreement

    found = recording_agreement(SAMPLE)

    assert profiler.inductor_trace_handler
    assert found.both == found.agree > 0
