"""What one call does to memory: one line of `explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kernelmap
from compiler.generated import program, triton, wrapper
from kernelmap.memory import memory_of_graph, memory_of_program
from kernelmap.pages import answers, documents
from kernelmap.pages.memory_of_call import say_memory_of_call
from kernelmap.pages.render import terminal
from read_once import compiled

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
POI = "triton_poi_fused_add_0"
BODY = (
    "arg0_1, = args",
    "args.clear()",
    "buf0 = empty_strided_cuda((256, ), (1, ), torch.float32)",
    f"{POI}.run(arg0_1, buf0, 256, stream=stream0)",
    "del arg0_1",
    "buf1 = empty_strided_cuda((512, ), (1, ), torch.float32)",
    f"{POI}.run(buf0, buf1, 256, stream=stream0)",
    "buf2 = buf0; del buf0  # reuse",
    f"{POI}.run(buf1, buf2, 256, stream=stream0)",
    "del buf1",
    "return (buf2, )",
)


def said(tmp_path: Path) -> list[str | None]:
    """The line of each call of BODY, with the lines of the code counted from that of buf0."""
    code = program(tmp_path, wrapper(triton(POI), body="\n".join(BODY), aot="0_inference"))
    (memory,) = memory_of_program(code)
    first = next(step.line for step in memory.steps if step.code.startswith("buf0 ="))
    assert first is not None
    texts = [say_memory_of_call(memory, call.index) for call in code.graphs[0].calls]
    lines = {f"line {first + at} ": f"line +{at} " for at in range(len(BODY))}
    for old, new in lines.items():
        texts = [None if text is None else text.replace(old, new) for text in texts]
    return texts


def test_a_call_makes_holds_and_lets_go(tmp_path: Path) -> None:
    """What it is the first to write to, until when, and what nobody uses behind it."""
    assert said(tmp_path) == [
        (
            "makes buf0 (1.02 kB), held until line +5 of the code; 1.02 kB are alive while it runs,"
            " of 3.07 kB at the peak"
        ),
        (
            "makes buf1 (2.05 kB), held until line +7 of the code; the last to use buf0 (1.02 kB);"
            " 3.07 kB are alive while it runs, the peak"
        ),
        (
            "makes buf2 (1.02 kB), buf2 in the memory of buf0, held when the graph is done; the"
            " last to use buf1 (2.05 kB); 3.07 kB are alive while it runs, the peak"
        ),
    ]


def test_nothing_is_said_of_a_call_that_was_not_followed(tmp_path: Path) -> None:
    """No statement, no line."""
    code = program(tmp_path, wrapper(triton(POI), body="\n".join(BODY), aot="0_inference"))
    (memory,) = memory_of_program(code)

    assert say_memory_of_call(memory, 99) is None


@pytest.mark.parametrize("name", ["cuda_memory_llama", "cuda_dynamic_recompile", "aoti_block"])
def test_one_graph_is_followed_as_all_are(name: str) -> None:
    """A backward alone gets what its forward saved, as in the whole program."""
    code = compiled(SAMPLES / name)
    graphs = {graph.id: graph for graph in code.graphs}

    for memory in memory_of_program(code):
        assert memory_of_graph(code, graphs[memory.graph]) == memory


def test_explain_says_it_of_calls() -> None:
    """In words and in JSON; of a launch nothing is said."""
    run = kernelmap.correlate(SAMPLES / "cuda_memory_llama")
    of_call, of_launch = run.explain("0_backward/2"), run.explain("0")
    document = json.loads(documents.of_explanation(of_call))
    page = terminal.render_text(answers.page_of_explanation(of_call), 100).plain

    assert document["memory"] == of_call.memory
    assert "6.83 MB are alive while it runs, the peak" in document["memory"]
    assert "Memory" in page
    assert json.loads(documents.of_explanation(of_launch))["memory"] is None


def test_which_says_it_of_one_call_and_of_several() -> None:
    """With a profile and without; of several calls it adds up what they make."""
    sample = SAMPLES / "cuda_memory_llama"
    run = kernelmap.correlate(sample)
    memories = {memory.graph: memory for memory in run.memory_of_graphs}
    (one,) = kernelmap.which("triton_poi_fused__unsafe_view_mul_silu_5", sample)
    forward, backward = kernelmap.which("extern_kernels.mm", sample / "rank_0" / "code")

    (call,) = one.calls
    text = say_memory_of_call(memories[one.graph], int(call.rpartition("/")[2]))
    assert one.memory == f"{call} {text}"
    assert forward.memory is not None
    assert f"the {len(forward.calls)} calls of extern_kernels.mm in 0_forward" in forward.memory
    assert backward.memory is not None
    document = json.loads(documents.of_which("mm", [one]))
    assert document["hits"][0]["memory"] == one.memory
    page = terminal.render_text(answers.page_of_hits("mm", [one]), 400).plain
    assert one.memory in page


def test_a_name_in_many_graphs_is_answered_without() -> None:
    """Following each of them would take longer than the answer."""
    hits = kernelmap.which("extern_kernels.mm", SAMPLES / "cuda_dynamic_recompile")

    assert len({hit.graph for hit in hits}) > 2
    assert {hit.memory for hit in hits} == {None}
