"""Where a serving engine ran, its own options are advised, and nothing that its user cannot set."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelmap
from kernelmap.facts.engine_options import OPTIONS
from kernelmap.model.roofline import BESIDE_CALLS, Slug
from kernelmap.model.savings import Lever
from kernelmap.options import Options
from kernelmap.speed.advice.savings.remedies import Found, find_remedy
from kernelmap.speed.advice.savings.scene import Scene
from worlds.engine import Engine, capture, replay

TORCHS = (
    *("torch.compile(", "train.py", "kernelmap capture", "prof.step", "torch.profiler"),
    *("with_stack=True", "record_shapes=True", "ProfilerActivity", "mark_dynamic", "set_stance"),
    *("cuda.synchronize()", 'mode="', "mode='", "DistributedDataParallel", "schedule("),
    *("torch._inductor.config", "set_float32_matmul_precision", "record_function"),
)
"""Of a program that owns its loop, its model and its profiler."""
_OF_TRAINING = {
    Lever.EAGER_OPTIMIZER,
    Lever.LOADING_DATA,
    # Torch's own CUDA graphs alone copy their inputs; engines capture graphs of their own.
    Lever.STATIC_INPUTS,
}
_SPOTS = ("", "aten::item", "cudaFree", "cudaDeviceSynchronize")


def scenes(engine: str) -> Iterator[Scene]:
    """What is known of a program, where it matters for advice."""
    for flag in (False, True):
        yield Scene(
            is_compiled=flag,
            on_cpu=False,
            has_cuda_graphs=flag,
            has_stacks=flag,
            is_fsdp=False,
            has_steps=flag,
            engine=engine,
        )


def torchs_words(text: str) -> list[str]:
    return [word for word in TORCHS if word in text]


@pytest.mark.parametrize("engine", OPTIONS)
@pytest.mark.parametrize("slug", sorted({*Lever, *Slug} - {*_OF_TRAINING, *BESIDE_CALLS}))
def test_no_remedy_names_what_an_engine_sets_itself(slug: str, engine: str) -> None:
    """Each saving and each bound has advice that the engine's user can follow."""
    for scene in scenes(engine):
        for bound in (None, "memory", "compute", "latency"):
            text = find_remedy(slug, Found(scene=scene), bound)

            assert text.endswith(".")
            assert torchs_words(text) == []


def as_served(folder: Path, profile: Path) -> Path:
    """A profile in which one operator of vLLM ran as well."""
    content = profile.read_bytes()
    document = json.loads(gzip.decompress(content) if profile.suffix == ".gz" else content)
    events = document["traceEvents"]
    like = next(event for event in events if event.get("cat") == "cpu_op")
    args = {"External id": 2**30}
    events.append({**like, "name": "vllm::rotary_embedding", "dur": 0.001, "args": args})
    path = folder / "served.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def said_of(*inputs: Path, like: tuple[Path, ...] = ()) -> str:
    """All that is advised or hinted at."""
    result = kernelmap.correlate(*inputs, options=Options(like=like))
    advice = kernelmap.doctor(*inputs, options=Options(like=like))
    hints = [notice.hint or "" for notice in result.notices]
    return "\n".join(
        [*hints, *(it.do for it in advice.findings), *(it.do for it in result.savings.items)]
    )


@pytest.mark.sampled
@pytest.mark.parametrize(
    "profile",
    [
        "cuda_code_withheld/rank_0/trace.json.gz",
        "cuda_cuda_graphs/rank_0/trace.json.gz",
        "cuda_decode_graphs/rank_0/trace.json.gz",
        "cuda_graph_breaks/rank_0/trace.json.gz",
        "cuda_lost_kernels/rank_0/trace.json.gz",
        "sim_attention_autotune/profile.json.gz",
        "thread_lift_fresh/profile.json",
    ],
)
def test_nothing_that_is_said_of_an_engine_names_torchs_settings(
    samples: Path, tmp_path: Path, profile: str
) -> None:
    """Recordings of other programs, as if an engine had run them: notices, findings, savings."""
    said = said_of(as_served(tmp_path, samples / profile))

    assert torchs_words(said) == []


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("vLLM", ("VLLM_DISABLE_COMPILE_CACHE=1", "inductor_cache", "--enforce-eager")),
        ("SGLang", ("TORCH_TRACE=torch_trace", "--cache-dir", "--enable-torch-compile")),
        ("ATOM", ("~/.cache/atom", "--level 2 and 3", "--enforce-eager")),
        ("TensorRT-LLM", ("enable_inductor", "cuda_graph_config: null")),
    ],
)
def test_each_engine_says_how_its_code_is_had(
    tmp_path: Path, engine: str, words: tuple[str, ...]
) -> None:
    """The compiled code is what every trace of an engine lacks first."""
    path = tmp_path / "steps.json"
    replay(path, Engine(layers=3, marks=engine), ["prefill", 8, 8, 8, 8])
    said = said_of(path)

    assert [word for word in words if word not in said] == []
    assert torchs_words(said) == []


def test_captures_of_an_engine_without_a_replay_name_its_options(tmp_path: Path) -> None:
    """Nothing ran, so this is an error; its next step is one of the engine's."""
    path = tmp_path / "capture.json"
    capture(path, Engine(layers=3), [8])
    document = json.loads(path.read_text("utf-8"))
    for event in document["traceEvents"]:  # operators of SGLang's, and of no other engine
        event["name"] = event.get("name", "").replace("vllm::", "sgl::")
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(kernelmap.KernelmapError) as caught:
        kernelmap.correlate(path)

    assert caught.value.slug == "no-gpu-activity"
    assert "--disable-cuda-graph" in caught.value.hint
    assert torchs_words(caught.value.hint) == []
