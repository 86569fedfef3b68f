"""What engines call their steps."""

from __future__ import annotations

import pytest

from kernelmap.facts.engines import EngineStep, engine_step
from kernelmap.model.trace import StepKind


@pytest.mark.parametrize(
    ("name", "engine", "kind", "batch", "tokens"),
    [
        ("execute_context_2(512)_generation_0(0)", "vLLM", "prefill", 2, 512),
        ("execute_context_0(0)_generation_30(30)", "vLLM", "decode", 30, 30),
        ("execute_context_1(99)_generation_30(60)", "vLLM", "mixed", 31, 159),
        ("execute_context_0(0)_generation_0(0)", "vLLM", "idle", 0, 0),
        (
            "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
            *("vLLM", "decode", 32, 32),
        ),
        (
            "execute_9_context_3(sq128sk256sqsq1sqsk1)_generation_2(sq2sk300sqsq1sqsk1)",
            *("vLLM", "mixed", 5, 130),
        ),
        ("execute_new_2_cached_0", "vLLM", "prefill", 2, None),
        # Requests whose prompt runs in pieces are cached ones, too.
        ("execute_new_0_cached_8", "vLLM", None, 8, None),
        ("execute_new_1_cached_8", "vLLM", None, 9, None),
        ("step[EXTEND bs=2 toks=4096]", "SGLang", "prefill", 2, 4096),
        ("step[EXTEND bs=2 toks=12 c_sqsq=80 c_sqsk=120 c_sk=20]", "SGLang", "prefill", 2, 12),
        ("step[DECODE bs=16]", "SGLang", "decode", 16, None),
        ("step[DECODE bs=2 g_sqsq=2 g_sqsk=30 g_sk=30]", "SGLang", "decode", 2, None),
        ("step[MIXED bs=2]", "SGLang", "mixed", 2, None),
        ("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 g_sq=1 g_sk=12]", "SGLang", "mixed", 2, 6),
        ("step[TARGET_VERIFY bs=4]", "SGLang", "verify", 4, None),
        ("step[DRAFT_EXTEND_V2 bs=4]", "SGLang", "draft", 4, None),
        ("step[IDLE bs=0]", "SGLang", "idle", 0, None),
        # A mode that is new is a step of a kind that nobody knows.
        ("step[PREBUILT bs=4]", "SGLang", None, 4, None),
        ("prefill[bs=2 tok=16384]", "ATOM", "prefill", 2, 16384),
        ("decode[bs=64]", "ATOM", "decode", 64, None),
        ("[Executor] _forward_step: 2 ctx reqs, 5 gen reqs", "TensorRT-LLM", "mixed", 7, None),
        ("[Executor] _forward_step 9: 0 ctx reqs, 5 gen reqs", "TensorRT-LLM", "decode", 5, None),
        (
            "[Executor] _forward_step 60000: 2 ctx reqs, 512 ctx tokens, 0 gen reqs",
            *("TensorRT-LLM", "prefill", 2, 512),
        ),
        # A request in generation may check several drafted tokens.
        (
            "[Executor] _forward_step 9: 1 ctx reqs, 512 ctx tokens, 5 gen reqs",
            *("TensorRT-LLM", "mixed", 6, None),
        ),
    ],
)
def test_the_range_of_a_step_says_what_it_says(
    name: str, engine: str, kind: str | None, batch: int, tokens: int | None
) -> None:
    """Kind, requests and tokens are what the text states, and None where it does not."""
    told = None if kind is None else StepKind(kind)
    assert engine_step(name) == EngineStep(engine=engine, kind=told, batch=batch, tokens=tokens)


@pytest.mark.parametrize(
    "name",
    [
        *("decode", "prefill", "step", "step[3]", "step[decode bs=4]", "step[DECODE]"),
        *("execute_model", "execute_context", "execute_context_1", "execute_new_batch"),
        *("prefill[layer 3]", "decode[x]", "my execute_context_0(0)_generation_1(1)"),
        *("[Executor] _forward_step", "[Executor] _forward_step 3", "_forward_step 3: 1 ctx reqs"),
        f"step[DECODE bs={'9' * 5000}]",
        f"execute_context_0(0)_generation_{'1' * 5000}(1)",
    ],
)
def test_a_users_range_is_no_step_of_an_engine(name: str) -> None:
    """Only the whole form counts: a word of it is anybody's."""
    assert engine_step(name) is None
