"""Forty questions of people about recordings, how an agent asks them, and answers known otherwise.

`known` is what the raw events, truth.json, measured.json or RUN.toml of the recording say
(plain_run.py), never what kernelmap says. `found` reads the answer from the last document. `{open}`
stands for the recording's name, `{before}` for that of the first of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.plain_run import PlainRun

Told = dict[str, Any]
Step = tuple[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """`of` are the bundles that `open` is asked for, with the steps that are meant, if any."""

    words: str
    of: tuple[str, ...]
    ask: tuple[Step, ...] = ()
    found: Callable[[Told], object]
    known: Callable[[PlainRun], object]
    steps: str | None = None


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A question that has no answer: `paths` cannot bear it, for the reason `slug`."""

    words: str
    paths: tuple[str, ...]
    ask: tuple[Step, ...]
    slug: str


def _row(tool: str, **asked: Any) -> tuple[Step, ...]:  # noqa: ANN401 -- as JSON comes
    return ((tool, asked),)


def _top(by: str, rows: int = 1, **asked: Any) -> tuple[Step, ...]:  # noqa: ANN401 -- as JSON comes
    return _row("top", by=by, rows=rows, **asked)


def _first(name: str) -> Callable[[Told], object]:
    return lambda told: told["rows"][0][name]


def _value(name: str) -> Callable[[Told], object]:
    return lambda told: told[name]


def _sum_of(name: str, **where: str) -> Callable[[Told], int]:
    """The sum of a column over the rows of a document that have these cells."""
    return lambda told: sum(
        row[name]
        for row in told["rows"]
        if all(row.get(column) == cell for column, cell in where.items())
    )


def _rise(told: Told) -> int:
    row: dict[str, int] = told["rows"][0]
    return row["peak_bytes"] - row["start_bytes"]


def _settings(told: Told) -> set[str]:
    return {text.split()[1].rstrip(":") for text in told["hard_to_compare"]}


_LEDGER = _row("ledger")
_SLOWEST_CALL = _top("call", rows=3, contains="/")

QUESTIONS = (
    Question(
        words="How long did the GPU work in this recording?",
        of=("cuda_mlp_train",),
        ask=_LEDGER,
        found=_value("total_ns"),
        known=lambda run: run.ns(),
    ),
    Question(
        words="How much of that are copies?",
        of=("cuda_mlp_train",),
        ask=_LEDGER,
        found=_sum_of("time_ns", activity="memcpy"),
        known=lambda run: run.ns(lambda _, event: event["cat"] == "gpu_memcpy"),
    ),
    Question(
        words="By how many bytes does the forward lift the memory at its peak?",
        of=("cuda_mlp_train",),
        ask=_top("memory", contains="forward"),
        found=_rise,
        known=lambda run: run.rise_of(backward=False),
    ),
    Question(
        words="And the backward?",
        of=("cuda_mlp_train",),
        ask=_top("memory", contains="backward"),
        found=_rise,
        known=lambda run: run.rise_of(backward=True),
    ),
    Question(
        words="By how many bytes does the forward of the Llama block lift the memory?",
        of=("cuda_memory_llama",),
        ask=_top("memory", contains="forward"),
        found=_rise,
        known=lambda run: run.rise_of(backward=False),
    ),
    Question(
        words="Is this trace usable, and how many steps has it?",
        of=("cuda_llama_train",),
        found=lambda told: (told.get("refused"), told["counted_steps"]),
        known=lambda run: (None, run.about["truth"]["steps"]),
    ),
    Question(
        words="On which GPU was it recorded?",
        of=("cuda_llama_train",),
        found=lambda told: told["devices"],
        known=lambda run: [run.about["versions"]["gpu"]],
    ),
    Question(
        words="Which call of compiled code takes most time?",
        of=("cuda_llama_train",),
        ask=_SLOWEST_CALL,
        found=_first("call"),
        known=lambda run: run.slowest_call(),
    ),
    Question(
        words="How long does it take, over all steps?",
        of=("cuda_llama_train",),
        ask=_SLOWEST_CALL,
        found=_first("time_ns"),
        known=lambda run: run.calls_ns()[run.slowest_call()],
    ),
    Question(
        words="How long does the backward graph take?",
        of=("cuda_llama_train",),
        ask=_top("graph", contains="0_backward"),
        found=_first("time_ns"),
        known=lambda run: run.graph_ns("0_backward"),
    ),
    Question(
        words="How much time goes into matrix products of compiled code?",
        of=("cuda_llama_train",),
        ask=_top("op", contains="aten.mm"),
        found=_first("time_ns"),
        known=lambda run: run.operator_ns("aten::mm"),
    ),
    Question(
        words="Which calls are matrix products in the forward?",
        of=("cuda_llama_train",),
        ask=_row("which", name="aten.mm"),
        found=lambda told: {
            call for row in told["rows"] if row["graph"] == "0_forward" for call in row["calls"]
        },
        known=lambda run: {
            call for call in run.operator_calls("aten::mm") if call.startswith("0_forward/")
        },
    ),
    Question(
        words="Which line costs most in the backward? (the feed-forward of scripts/gpu_cases)",
        of=("cuda_language_train",),
        ask=_top("line", sort="backward_ns"),
        found=lambda told: (told["rows"][0]["line"], "self.down(" in told["rows"][0]["code"]),
        known=lambda _: (90, True),
    ),
    Question(
        words="How many activities of the GPU are in it?",
        of=("cuda_language_train",),
        found=_value("launches"),
        known=lambda run: len(run.gpu),
    ),
    Question(
        words="How much time has an exact call?",
        of=("cuda_language_train",),
        ask=_LEDGER,
        found=_sum_of("time_ns", bucket="exact"),
        known=lambda run: run.compiled_ns(),
    ),
    Question(
        words="Which single launch takes longest?",
        of=("cuda_conv_train",),
        ask=_top("launch", sort="dur_ns"),
        found=_first("dur_ns"),
        known=lambda run: max(round(event["dur"] * 1000) for event in run.gpu.values()),
    ),
    Question(
        words="How long did the kernel run that takes most time?",
        of=("cuda_conv_train",),
        ask=_top("kernel", rows=40, tokens=4000),
        found=lambda told: max(
            sum(row["time_ns"] for row in told["rows"] if row.get("device_name") == name)
            for name in {row.get("device_name") for row in told["rows"]} - {None}
        ),
        known=lambda run: run.kernel_ns(run.slowest_kernel()),
    ),
    Question(
        words="What share of the time is compiled code?",
        of=("cuda_attention_train",),
        ask=_LEDGER,
        found=lambda told: round(_sum_of("share", bucket="exact")(told), 6),
        known=lambda run: round(run.compiled_ns() / run.ns(), 6),
    ),
    Question(
        words="How long does the backward take here?",
        of=("cuda_attention_train",),
        ask=_top("graph", contains="0_backward"),
        found=_first("time_ns"),
        known=lambda run: run.graph_ns("0_backward"),
    ),
    Question(
        words="How long was the GPU busy, where two streams ran at once?",
        of=("cuda_two_streams",),
        ask=_LEDGER,
        found=_value("busy_ns"),
        known=lambda run: run.busy_ns(),
    ),
    Question(
        words="How often did the forward of the equal layers run?",
        of=("cuda_equal_layers",),
        ask=_top("graph", contains="0_forward"),
        found=_first("invocations"),
        known=lambda run: run.runs_of("0_forward"),
    ),
    Question(
        words="How many graphs ran in this program with graph breaks?",
        of=("cuda_graph_breaks",),
        ask=_top("graph", rows=20),
        found=lambda told: sum(row.get("invocations", 0) > 0 for row in told["rows"]),
        known=lambda run: len({ran["digest"] for ran in run.truth["order"]}),
    ),
    Question(
        words="Which calls run kernel triton_poi_fused_add_relu_0?",
        of=("cuda_two_streams",),
        ask=_row("which", name="triton_poi_fused_add_relu_0"),
        found=lambda told: {call for row in told["rows"] for call in row["calls"]},
        known=lambda run: run.calls_of_kernel("triton_poi_fused_add_relu_0"),
    ),
    Question(
        words="How much longer does a step take on the GPU, unfused?",
        of=("cuda_wide_llama", "cuda_wide_llama_unfused"),
        ask=_row("diff"),
        found=lambda told: told["after_ns"],
        known=lambda run: round(run.ns() / run.about["truth"]["steps"]),
    ),
    Question(
        words="Which settings of the compiler differ between the two?",
        of=("cuda_wide_llama", "cuda_wide_llama_unfused"),
        ask=_row("diff"),
        found=_settings,
        known=lambda _: {"epilogue_fusion", "max_fusion_size"},
    ),
    Question(
        words="How much time under CUDA graphs belongs to calls?",
        of=("cuda_cuda_graphs",),
        ask=_LEDGER,
        found=lambda told: sum(
            row["time_ns"] for row in told["rows"] if row["bucket"] in ("exact", "inferred")
        ),
        known=lambda run: run.compiled_ns(),
    ),
    Question(
        words="Is all code of this run there? (RUN.toml: that of the second model was taken out)",
        of=("cuda_code_withheld",),
        found=lambda told: "code-missing" in {it["slug"] for it in told["notices"]},
        known=lambda run: "withheld" in run.folder.name,
    ),
    Question(
        words="What does this recording lack? (RUN.toml: provenance was off)",
        of=("cuda_provenance_off",),
        ask=_row("doctor"),
        found=lambda told: "provenance-off" in {it["slug"] for it in told["lacks"]},
        known=lambda run: run.folder.name.endswith("provenance_off"),
    ),
    Question(
        words="What ran in the steps that did not tune, of a profile that is all tuning?",
        of=("cuda_autotune_inside",),
        steps="1:2",
        ask=_LEDGER,
        found=_value("total_ns"),
        known=lambda run: sum(
            round(event["dur"] * 1000) for event in run.launched_in(1, 2).values()
        ),
    ),
    Question(
        words="How much did the whole steps launch, of a profile that lost its last kernels?",
        of=("cuda_lost_kernels",),
        steps="4:8",
        found=_value("launches"),
        known=lambda run: len(run.launched_in(4, 8)),
    ),
)

_LINES = (("top", {"by": "line"}),)
REFUSED = (
    Refused(
        words="Which line costs most? (the profiler stopped too early)",
        paths=("cuda_lost_kernels",),
        ask=_LINES,
        slug="kernels-lost",
    ),
    Refused(
        words="How long did the GPU work? (the same)",
        paths=("cuda_lost_kernels",),
        ask=_LEDGER,
        slug="kernels-lost",
    ),
    Refused(
        words="How fast is step 9? (its kernels are those that were lost)",
        paths=("cuda_lost_kernels", "steps=9"),
        ask=_top("op"),
        slug="kernels-lost",
    ),
    Refused(
        words="Which op costs most? (the first step tuned)",
        paths=("cuda_autotune_inside",),
        ask=_top("op"),
        slug="only-autotuning",
    ),
    Refused(
        words="Which kernel costs most? (only the host was recorded)",
        paths=("made/host.json",),
        ask=(),
        slug="no-gpu-activity",
    ),
    Refused(
        words="Which kernel costs most? (a small program from its start)",
        paths=("cuda_user_triton/nsys.sqlite",),
        ask=_top("kernel"),
        slug="only-autotuning",
    ),
    Refused(
        words="Which line costs most? (the code is that of another model)",
        paths=("cuda_llama_train/rank_0/trace.json.gz", "cuda_mlp_train/rank_0/code"),
        ask=_LINES,
        slug="code-of-another-run",
    ),
    Refused(
        words="Which line costs most? (a profile of a capture, in which next to nothing runs)",
        paths=("cuda_captured_eager/captures/capture_bs_4.json.gz",),
        ask=_LINES,
        slug="only-captures",
    ),
    Refused(
        words="How long is a step? (it compiled in its only one)",
        paths=("made/compiling.json",),
        ask=_top("wall"),
        slug="only-compiling",
    ),
    Refused(
        words="What does a step cost? (complete steps hold 4 % of what was recorded)",
        paths=("made/small.json",),
        ask=_top("kernel"),
        slug="steps-too-small",
    ),
)
