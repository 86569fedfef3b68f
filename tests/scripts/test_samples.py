"""What lies in sample_traces/ is what RUN.toml says, and comes from its script."""

from __future__ import annotations

import gzip
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path

import make_samples
import make_thread_case
import pytest
from gpu_cases.beside import REPORT
from gpu_cases.measured import CODE, MEASURED
from gpu_cases.record import SNAPSHOT

from kernelmap import correlate
from kernelmap.model.bundle import State, is_bundle, read_manifest

SAMPLES = sorted(make_samples.SAMPLES.iterdir())
SIMULATED = [it for it in SAMPLES if it.name.startswith(("sim_", "thread_"))]
BUNDLES = [it for it in SAMPLES if is_bundle(it)]
BESIDE = {
    *("manifest.toml", "RUN.toml", "truth.json", "nsys.sqlite", "again.json.gz"),
    *(MEASURED, CODE, REPORT, f"{SNAPSHOT}.gz"),
}
"""Files of a sample that are no part of its bundle."""
BINARY = (".sqlite", ".ncu-rep", ".pickle")
NAMES = ("*/profile*.json*", "*/*/trace.json.gz")
PROFILES = sorted(path for name in NAMES for path in make_samples.SAMPLES.glob(name))


def document(path: Path) -> dict[str, object]:
    data = path.read_bytes()
    decoded: dict[str, object] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return decoded


def kernel_names(path: Path) -> Counter[str]:
    events = document(path)["traceEvents"]
    assert isinstance(events, list)
    return Counter(event["name"] for event in events if event.get("cat") == "kernel")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_every_sample_tells_how_it_was_made(sample: Path) -> None:
    """RUN.toml names the title, the command that made the sample, and whether it was recorded."""
    run = tomllib.loads((sample / "RUN.toml").read_text(encoding="utf-8"))

    assert {"title", "kind", "made_by", "seed", "versions", "truth"} <= run.keys()
    assert run["kind"] == ("simulated" if sample in SIMULATED else "recorded")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "profile", PROFILES, ids=lambda path: str(path.relative_to(make_samples.SAMPLES))
)
def test_a_simulated_profile_says_so(profile: Path) -> None:
    """The JSON itself says who simulated it; a recorded one does not."""
    assert ("simulated" in document(profile)) is (profile.parent in SIMULATED)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_no_path_of_a_machine_is_left(sample: Path) -> None:
    """Absolute paths in samples start with one of the neutral folders, and no host is named."""
    neutral = ("/tmp/torchinductor_user", "/home/user/", "/opt/venv/")  # noqa: S108 -- names
    for path in (it for it in sample.rglob("*") if it.is_file()):
        data = path.read_bytes()
        plain = gzip.decompress(data) if path.suffix == ".gz" else data
        is_binary = path.name.removesuffix(".gz").endswith(BINARY)
        text = plain.decode(errors="replace" if is_binary else "strict")
        for start in ("/tmp/", "/home/", "/root", "/opt/", "/usr/", "/work"):  # noqa: S108 -- names
            for piece in text.split(start)[1:]:
                assert f"{start}{piece[:40]}".startswith(neutral)
        assert "host_name" not in text


GAPS = {
    "cuda_autotune_inside": {"unpaired-time"},  # it compiles inside the window
    "cuda_captured_eager": {"unpaired-time"},  # eager work is replayed
    "cuda_captured_pieces": {"unpaired-time"},
    "cuda_code_withheld": {"code-missing"},
    "cuda_lost_kernels": {"activity-missing", "unpaired-time"},
    "cuda_reason_pairs": {"unpaired-time"},  # the GPU still did a warm-up step when it began
}


@pytest.mark.sampled
@pytest.mark.parametrize("sample", BUNDLES, ids=lambda path: path.name)
def test_a_sample_that_is_a_bundle_is_one_input(sample: Path) -> None:
    """The folder alone gives a table; it holds the manifest's files unchanged, and the truth."""
    correlation = correlate(sample)
    manifest = read_manifest(sample)
    files = {path for path in sample.rglob("*") if path.is_file()}
    there = {path.relative_to(sample).as_posix() for path in files}
    unlisted = {name for name in there if name in BESIDE or name.startswith(("ncu_", "captures/"))}

    assert (manifest.state, manifest.command) == (State.COMPLETE, None)
    assert {file.path for file in manifest.files} == there - unlisted
    gaps = {notice.slug for notice in correlation.notices if notice.gap}
    assert gaps == GAPS.get(sample.name, set())


def test_samples_show_why_something_was_compiled_again(samples: Path) -> None:
    """Graph breaks and failed guards stand below the graphs, modules beside the time."""
    breaks = correlate(samples / "cpu_graph_breaks").program.compilations
    again = correlate(samples / "cpu_dynamic_recompile").program.compilations
    modules = correlate(samples / "cpu_mlp_train").modules

    assert sum(bool(compilation.graph_breaks) for compilation in breaks) == 2
    assert [bool(compilation.failed_guards) for compilation in again] == [False, True]
    assert len(modules) > 2
    assert all(compilation.compile_ns for compilation in (*breaks, *again))


def test_the_thread_case_is_the_reported_one() -> None:
    """Six wrappers show two names on the GPU, 600 and 100 times, with and without the host."""
    for name in ("profile.json", "profile_gpu_only.json.gz"):
        names = kernel_names(make_thread_case.TARGET / name)

        assert names == {"triton__0d1c": 600, "triton__0d1": 100}


def test_simulated_samples_come_out_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making the thread case again gives the files that are kept, byte by byte."""
    monkeypatch.setattr(make_thread_case, "TARGET", tmp_path)
    monkeypatch.setattr(make_thread_case, "PROJECT", tmp_path.parent)
    monkeypatch.setattr(sys, "argv", ["make_thread_case.py"])
    kept = make_samples.SAMPLES / "thread_lift_fresh"
    make_thread_case.main()

    for path in sorted(kept.iterdir()):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name
