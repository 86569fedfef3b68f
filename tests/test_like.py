"""--like from the command line: what may be named, what it gives, and what is said of the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap.cli import main
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError
from worlds import World, simulate

BUNDLE = World(seed=1, machine=5, invocations=4)
PRODUCTION = replace(BUNDLE, seed=2, host=False, autotune=False, eager=0.4)
VLLM = "mi300x_vllm_decode_full"


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, args)])


@pytest.fixture
def code(samples: Path) -> Path:
    """The code of both runs."""
    return samples / "sim_mlp_train"


@pytest.fixture
def profile(code: Path, tmp_path: Path) -> Path:
    """The profile of a run that shows its calls."""
    simulate(load_compiled(code), BUNDLE).write_kineto(tmp_path / "annotated.json")
    return tmp_path / "annotated.json"


@pytest.fixture
def production(code: Path, tmp_path: Path) -> Path:
    """The profile of a run that shows nothing but the GPU."""
    simulate(load_compiled(code), PRODUCTION).write_kineto(tmp_path / "production.json")
    return tmp_path / "production.json"


def test_a_profile_without_code_gets_calls(code: Path, profile: Path, production: Path) -> None:
    """`correlate PROFILE --like CODE --like PROFILE`: calls, lines and ops of the like-run."""
    correlation = kernelmap.correlate(production, like=[code, profile])
    launches = correlation.launches
    compiled = launches[launches["call"].notna()]

    assert set(compiled["method"]) == {"transfer"}
    assert set(compiled["confidence"]) == {"inferred"}
    assert len(compiled) > 100
    assert "aten.addmm" in set(correlation.ops["name"])
    assert correlation.calls.dropna(subset="call")["line"].notna().all()
    assert profile in correlation.files
    assert production in correlation.files


def test_both_orders_say_the_same(code: Path, profile: Path, production: Path) -> None:
    """Neither the order of inputs nor that of --like matters."""
    one = run("correlate", production, "--like", code, "--like", profile, "--format", "json")
    other = run("correlate", production, "--like", profile, "--like", code, "--format", "json")

    assert one.exit_code == 0, one.output
    assert one.stdout == other.stdout


@pytest.mark.parametrize("form", ["result.json", "tables"])
def test_a_saved_result_is_a_like_run(
    form: str, code: Path, profile: Path, production: Path, tmp_path: Path
) -> None:
    """A saved JSON with launches or folder of tables gives as much as its profile."""
    saved = kernelmap.correlate(code, profile).write(tmp_path / form, launches=True)
    direct = kernelmap.correlate(code, production, like=[profile])
    again = kernelmap.correlate(code, production, like=saved)

    assert again.launches["call"].equals(direct.launches["call"])
    assert "transfer" in set(again.launches["method"])


def test_a_saved_result_needs_its_code(code: Path, profile: Path, production: Path) -> None:
    """It names calls and holds none; without any code that is an error with a way out."""
    saved = kernelmap.correlate(code, profile).to_json(profile.with_name("r.json"), launches=True)
    done = run("correlate", production, "--like", saved)

    assert done.exit_code == 3
    assert "holds no code" in done.stderr
    assert "hint: Give the code as well" in done.stderr


def test_code_may_come_with_a_saved_result(code: Path, profile: Path, production: Path) -> None:
    """`--like RESULT --like CODE` needs no code among the inputs."""
    saved = kernelmap.correlate(code, profile).to_json(profile.with_name("r.json"), launches=True)
    correlation = kernelmap.correlate(production, like=[saved, code])

    assert "transfer" in set(correlation.launches["method"].dropna())


def test_a_saved_result_of_other_code_is_reported(
    code: Path, profile: Path, production: Path, samples: Path
) -> None:
    """Calls that the given code does not have are named, and nothing is taken from them."""
    saved = kernelmap.correlate(code, profile).to_json(profile.with_name("r.json"), launches=True)
    other = samples / "sim_attention_autotune"
    correlation = kernelmap.correlate(other, production, like=saved)

    assert "transfer" not in set(correlation.launches["method"].dropna())
    assert "like-code-differs" in {notice.slug for notice in correlation.notices}


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (None, "unreadable-path"),
        ("neither this nor that", "unknown-format"),
        ('{"traceEvents": []}', "no-trace-events"),
    ],
)
def test_what_is_no_run_is_an_error(
    content: str | None, slug: str, code: Path, production: Path, tmp_path: Path
) -> None:
    """A missing file, another format, an empty trace: one line what, one line what next."""
    path = tmp_path / "like"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(KernelmapError) as raised:
        kernelmap.correlate(code, production, like=path)

    assert raised.value.slug == slug


def test_code_alone_teaches_nothing(samples: Path, production: Path) -> None:
    """--like needs a profile of the run."""
    code = samples / "sim_mlp_train" / "model__0_forward_1.0"
    done = run("correlate", production, "--like", code)

    assert done.exit_code == 3
    assert "holds no profile to learn from" in done.stderr


def test_code_that_a_bundle_lends_has_its_function_and_no_compilation(samples: Path) -> None:
    """A lent graph has the function and line of its log; how it was compiled is the bundle's."""
    bundle = samples / "cuda_cuda_graphs"
    recorded = bundle / "rank_0" / "trace.json.gz"
    lent = kernelmap.correlate(recorded, like=bundle).graphs.set_index("graph")
    own = kernelmap.correlate(bundle).graphs.set_index("graph")
    of_the_code, of_the_run = ["function", "source"], ["compilation", "cache", "compile_ns"]
    graphs = ["0_forward", "0_backward"]

    assert lent.loc[graphs, of_the_code].equals(own.loc[graphs, of_the_code])
    assert own.loc[graphs, of_the_run].notna().all(axis=None)
    assert lent.loc[graphs, [*of_the_run, "compilations", "failed_guard"]].isna().all(axis=None)


def test_a_run_that_needs_no_lesson(samples: Path) -> None:
    """A bundle beside itself: every launch has a host side, which is said and changes nothing."""
    sample = samples / "cpu_mlp_train"
    alone = run("correlate", sample)
    taught = run("correlate", sample, "--like", sample)

    assert taught.exit_code == 0
    # The command that asks for more names the run as well.
    words = " ".join(taught.stdout.split()).replace(f" --like {sample}", "")
    assert words == " ".join(alone.stdout.split())
    assert "decides nothing" in taught.stderr or "taught nothing" in taught.stderr


def test_every_command_takes_it(code: Path, profile: Path, production: Path) -> None:
    """which, explain, annotate and doctor see the same mapping."""
    like = ("--like", code, "--like", profile)
    name = "triton_poi_fused_gelu_view_1"
    which = run("which", name, production, *like)
    explain = run("explain", "0_forward/2", production, *like)
    doctor = run("doctor", production, *like)
    target = production.with_name("out.json")
    annotated = run("annotate", production, *like, "-o", target)
    listing = run("annotate", production, *like, "--listing")

    assert (which.exit_code, explain.exit_code, doctor.exit_code) == (0, 0, 0)
    assert "learnt from annotated.json + sim_mlp_train: invocation" in explain.stdout
    assert "launches" in which.stdout
    assert "is from another run" in doctor.stdout
    assert annotated.exit_code == 0, annotated.output
    assert '"method": "transfer"' in target.read_text().replace('":"', '": "')
    assert "extern_kernels.addmm" in listing.stdout


def test_the_like_run_is_never_overwritten(code: Path, profile: Path, production: Path) -> None:
    """What --like names is an input, too."""
    before = profile.read_bytes()
    done = run("correlate", production, "--like", code, "--like", profile, "-o", profile)

    assert done.exit_code == 2
    assert profile.read_bytes() == before


@pytest.mark.corpus
def test_the_advice_for_replays_names_the_way(corpus: Path) -> None:
    """Without a like-run doctor says which one the engine can write; with one it does not."""
    replay = corpus / "kineto" / f"{VLLM}.replay.json.gz"
    capture = corpus / "kineto" / f"{VLLM}.capture.json.gz"

    asked, taught = run("doctor", replay), run("doctor", replay, "--like", capture)

    assert "--like with that file" in " ".join(asked.stdout.split())
    assert "--like with that file" not in " ".join(taught.stdout.split())


@pytest.mark.corpus
def test_a_captured_decode_step_teaches_its_replay(corpus: Path) -> None:
    """421 launches were captured, and 421 replayed: every Triton kernel has its call."""
    replay = corpus / "kineto" / f"{VLLM}.replay.json.gz"
    capture = corpus / "kineto" / f"{VLLM}.capture.json.gz"
    done = run("correlate", replay, "--like", capture, "--format", "json", "--launches")
    rows = json.loads(done.stdout)["launches"]
    triton = [row for row in rows if row["name"].startswith("triton")]
    runs = {(row["call"].partition("/")[0], row["invocation"]) for row in triton}

    assert len(triton) == 48
    assert all(row["method"] == "transfer" for row in triton)
    assert all(row["wrapper"] == row["name"] for row in triton)
    assert len(runs) == 25
