"""What the doctor says, as texts that a person has checked line by line, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

import kernelmap
from kernelmap.model.advice import Advice, Finding, Gap, Lack, Weight
from kernelmap.pages import advice as shown
from kernelmap.pages import documents
from kernelmap.pages.render import markdown, terminal
from speed.advice.diagnosed import diagnose
from tiny import Timeline, graph, program

pytestmark = pytest.mark.sampled

Golden = Callable[[str, str], None]
WIDTH = 100
KINETO = (
    "a100_triton_example",
    "h100_bert_small_eager",
    "mi250_minitoy_train",
    "mi300x_flux_compiled_and_graphs",
    "mi300x_torch_compile_triton",
    "mi300x_vllm_decode_full.capture",
    "mi300x_vllm_decode_full.replay",
    "v100_cudagraphs",
)
RECORDED = ("cpu_base", "cpu_nonlazy", "cpu_warm", "aoti_cpu/lv0")
GENERATED = (
    "inductor/triton_mlp",
    "inductor/triton_names_nounique",
    "torch_trace/inductor_provenance_aot_debug_handle_log.txt",
    "torch_trace/inductor_provenance_jit_cuda_log.txt",
    "torch_trace/inductor_provenance_jit_debug_handle_log.txt",
    "torch_trace/multi_rank_schedule",
    "torch_trace/simple.log",
    "torch_trace/simple_corrupted_json.log",
)
SAMPLES = (
    ("aoti_block", "profile.json.gz"),
    ("cpu_block", "profile.json.gz"),
    ("cpu_dynamic_recompile", None),
    ("cpu_graph_breaks", None),
    ("cpu_mlp_train", None),
    ("sim_attention_autotune", "profile.json.gz"),
    ("sim_mlp_train", "profile.json.gz"),
    ("thread_lift_fresh", "profile.json"),
    ("thread_lift_fresh", "profile_gpu_only.json.gz"),
)
HOSTILE = "a`b|c\x1b[31m\nd"


def advised(folder: Path, *sources: str) -> str:
    """What is printed in `folder`, where paths are those of every machine."""
    with chdir(folder):
        return terminal.render_text(shown.page_of_advice(kernelmap.doctor(*sources)), WIDTH).plain


@pytest.mark.parametrize(("name", "profile"), SAMPLES)
def test_a_sample_reads_as_on_file(
    name: str, profile: str | None, samples: Path, golden: Golden
) -> None:
    """The advice for the shipped samples; a bundle holds its profile."""
    text = advised(samples, name, *([f"{name}/{profile}"] if profile else []))

    golden(f"{name}.{profile.partition('.')[0] if profile else 'bundle'}.txt", text)


def test_the_steps_that_are_advised_leave_nothing_to_guess(samples: Path) -> None:
    """What is promised for --steps holds: all of it is exact or outside."""
    sources = (samples / "sim_attention_autotune", *samples.glob("sim_attention*/profile.json.gz"))
    before, after = (
        kernelmap.doctor(*sources, options=kernelmap.Options(steps=steps))
        for steps in (None, (1, 7))
    )
    (tuning,) = [finding for finding in before.findings if finding.slug == "autotuning-inside"]

    assert "--steps 1:7" in tuning.do
    assert "inferred" in before.confidence
    assert set(after.confidence) == {"exact", "outside"}
    assert not {"autotuning-inside", "cache-key-none"} & {
        finding.slug for finding in after.findings
    }


def test_the_host_side_that_is_advised_makes_it_exact(samples: Path) -> None:
    """The same run, recorded with its host side, has no inferred launch."""
    folder = samples / "thread_lift_fresh"
    bare = kernelmap.doctor(folder, folder / "profile_gpu_only.json.gz")
    full = kernelmap.doctor(folder, folder / "profile.json")

    assert (bare.findings[0].slug, set(bare.confidence)) == ("host-side-missing", {"inferred"})
    assert set(full.confidence) == {"exact"}


@pytest.mark.corpus
@pytest.mark.parametrize("name", KINETO)
def test_a_profile_alone_reads_as_on_file(name: str, corpus: Path, golden: Golden) -> None:
    """The advice for profiles that nobody here recorded."""
    golden(f"{name}.txt", advised(corpus, f"kineto/{name}.json.gz"))


@pytest.mark.corpus
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_run_reads_as_on_file(name: str, corpus: Path, golden: Golden) -> None:
    """The advice for code and profile of one run on the CPU."""
    folder = f"inductor/{name}"
    golden(f"{name.replace('/', '_')}.txt", advised(corpus, folder, f"{folder}/trace.json"))


@pytest.mark.corpus
@pytest.mark.parametrize("name", GENERATED)
def test_code_alone_reads_as_on_file(name: str, corpus: Path, golden: Golden) -> None:
    """The advice before anything is profiled."""
    golden(f"{Path(name).name.partition('.')[0]}.txt", advised(corpus, name))


def tiny() -> Advice:
    """The advice for one graph without provenance, whose kernels run twice."""
    compiled = graph("0_forward", "triton_poi_fused_a_0", "aten.mm", cache_key="fkey")
    line = (
        Timeline()
        .invoke(compiled, key="fkey")
        .invoke(compiled, key="fkey")
        .launch("sgemm", api=None)
    )
    return diagnose(program(compiled), line.trace())


def test_markdown_reads_as_on_file(golden: Golden) -> None:
    """The findings as a table for a pull request."""
    golden("tiny.md", markdown.render_markdown(shown.page_of_advice(tiny())))


def test_json_is_whole() -> None:
    """Exact times, every finding with where it is documented, and the sums."""
    document = json.loads(documents.of_advice(tiny()))
    (lost,) = [finding for finding in document["findings"] if finding["slug"] == "ranges-lost"]

    assert (document["format"], document["version"]) == ("kernelmap.speed.advice", 1)
    assert (
        document["verdict"] == "80.0 % of the GPU time is exact, 20.0 % unknown; 2 things to change"
    )
    assert document["confidence_ns"] == {"exact": 400, "unknown": 100}
    assert lost["see"] == "kernelmap help ranges-lost"
    assert lost["weight"] == "change"
    assert [(gap["lack"], gap["time_ns"]) for gap in lost["gaps"]] == [("call", 100)]
    assert {total["lack"] for total in document["totals"]} == {"call", "node", "line", "module"}


def test_no_name_breaks_out() -> None:
    """What an input says of itself moves no cursor, and leaves its cell in Markdown as it is."""
    gap = Gap(lack=Lack.LINE, time_ns=1, involved_ns=1, launches=1, calls=1, share=1.0)
    finding = Finding(
        slug="x", what=HOSTILE, do=HOSTILE, then=HOSTILE, weight=Weight.CHANGE, gaps=(gap,)
    )
    bad = Advice(
        side="gpu", total_ns=1, confidence={"exact": 1}, calls=1, findings=(finding,), totals=()
    )
    rows = [
        row
        for row in markdown.render_markdown(shown.page_of_advice(bad)).splitlines()
        if row.startswith("|")
    ]

    assert "\x1b" not in terminal.render_text(shown.page_of_advice(bad), WIDTH).plain
    assert len(rows) == 3
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """Sentences are broken at spaces."""
    lines = terminal.render_text(shown.page_of_advice(tiny()), width).plain.splitlines()

    assert max(map(len, lines)) <= width


def test_an_empty_window_has_no_share() -> None:
    """Where nothing ran there is nothing to divide by."""
    advice = diagnose(program(), Timeline().trace())

    assert shown.say_verdict(advice).startswith("the window holds no CPU time")
