"""Make the simulated samples of sample_traces/ anew; over the same code, the same bytes each time.

    python scripts/make_samples.py           # profiles over the generated code that is there
    python scripts/make_samples.py --code    # the generated code too; needs torch 2.13, triton, g++

Recorded samples are left alone: scripts/record_cpu_sample.py makes sample_traces/cpu_block.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import usage
from small_log import small_log

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import make_thread_case  # noqa: E402 -- after the line above

from kernelmap.compiler import load_compiled  # noqa: E402 -- as above
from worlds import SimulatedTrace, World, simulate  # noqa: E402 -- as above
from worlds.fleet import FleetWorld, Planted, write_fleet  # noqa: E402 -- as above

SAMPLES = PROJECT / "sample_traces"
GENERATE = PROJECT / "scripts" / "fake_gpu" / "generate.py"
KEPT = ("output_code.py", "inductor_provenance_tracking_node_mappings.json")
LOG = "torch_trace.log"
PROFILE = "profile.json.gz"
SIMULATED = "by kernelmap scripts/make_samples.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A case of scripts/fake_gpu and the world that its code is played in.

    `log`: the code is kept as the log that TORCH_TRACE wrote, which has graphs and source lines.
    """

    name: str
    case: str
    title: str
    notes: str
    world: World
    log: bool = False


CASES = (
    Sample(
        name="sim_gpt_train",
        case="gpt",
        title="A language model of two layers, trained in bfloat16",
        notes="The log keeps only events that kernelmap reads.",
        world=World(seed=13, invocations=10, eager=0.1, autotune=False, durations="plausible"),
        log=True,
    ),
    Sample(
        name="sim_mlp_train",
        case="mlp",
        title="An MLP block, trained: forward, backward, optimizer",
        notes="Graph ranges carry a cache key, kernel ranges carry the kernel's file.",
        world=World(seed=11, invocations=20, eager=0.2, autotune=False, durations="plausible"),
    ),
    Sample(
        name="sim_attention_autotune",
        case="attn",
        title="Self-attention, trained, with caches and recorded shapes off",
        notes="Graph ranges say None, kernel ranges a name only; the first step autotunes.",
        world=World(
            seed=12,
            invocations=8,
            record_shapes=False,
            graph_ranges="none",
            durations="plausible",
        ),
    ),
)


PLANTED = {
    2: "a clock that is 6 % slower",
    5: "late data",
    6: "another autotuning result of 0_forward/2",
}
FLEET = FleetWorld(
    ranks=8,
    steps=4,
    seed=15,
    planted={
        2: Planted(clock=1.06),
        5: Planted(late_ns=1_400_000),
        6: Planted(config="triton_poi_fused_gelu_view_1"),
    },
)


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--code", action="store_true", help="run torch.compile again")
    code = parser.parse_args().code
    make_thread_case.main()
    _make_fleet()
    for sample in CASES:
        folder = SAMPLES / sample.name
        if code:
            _generate(sample, folder)
        if not folder.exists():
            raise SystemExit(f"{folder.name} has no generated code: run with --code (needs torch)")
        trace = _play(sample, folder)
        (folder / "RUN.toml").write_text(_run_toml(sample, trace), encoding="utf-8")
        print(f"sample_traces/{sample.name}: {len(trace.truth)} launches, simulated")


def _make_fleet() -> None:
    """Ranks that ran the code of sim_mlp_train, with something wrong on three of them."""
    folder = SAMPLES / "sim_fleet"
    folder.mkdir(exist_ok=True)
    program = load_compiled(*sorted((SAMPLES / "sim_mlp_train").glob("model__*")))
    write_fleet(folder, program, FLEET)
    planted = "\n".join(f'"{rank}" = "{what}"' for rank, what in PLANTED.items())
    text = f'''title = "{FLEET.ranks} ranks of a training run, with something wrong on three"
kind = "simulated"
made_by = "python scripts/make_samples.py"
command = "kernelmap fleet . --code ../sim_mlp_train/model__0_forward_1.0"
seed = {FLEET.seed}
notes = """
The code is that of sim_mlp_train. The profiles are simulated (tests/worlds): no GPU ran.
"""

[versions]
torch = "2.13.0"

[truth]
steps = {FLEET.steps}

[truth.planted]
{planted}
'''
    (folder / "RUN.toml").write_text(text, encoding="utf-8")
    print(f"sample_traces/sim_fleet: {FLEET.ranks} ranks, simulated")


def _generate(sample: Sample, folder: Path) -> None:
    """Inductor's code of the case, in a process of its own as torch's settings demand."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, str(GENERATE), sample.case, name]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- our own script
        if folder.exists():
            shutil.rmtree(folder)
        if sample.log:
            _keep_log(Path(name), folder)
        else:
            _keep_files(Path(name), folder)


def _keep_log(made: Path, folder: Path) -> None:
    (log,) = (made / "torch_trace").iterdir()
    folder.mkdir(parents=True)
    small = small_log(log.read_text(encoding="utf-8"), lambda text: text)  # is neutral already
    (folder / LOG).write_text(small, encoding="utf-8")


def _keep_files(made: Path, folder: Path) -> None:
    for graph in sorted(made.glob("torch_compile_debug/run_*/torchinductor/model__*")):
        for kept in (graph / file for file in KEPT if (graph / file).exists()):
            (folder / graph.name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, folder / graph.name / kept.name)


def _play(sample: Sample, folder: Path) -> SimulatedTrace:
    program = load_compiled(*(folder / LOG,) if sample.log else sorted(folder.glob("model__*")))
    trace = replace(simulate(program, sample.world), simulated=SIMULATED)
    trace.write_kineto(folder / PROFILE)
    return trace


def _run_toml(sample: Sample, trace: SimulatedTrace) -> str:
    kinds = Counter("call" if truth.reason is None else "outside" for truth in trace.truth)
    calls = Counter(f"{it.graph}/{it.call}" for it in trace.truth if it.reason is None)
    rows = "\n".join(f'"{call}" = {calls[call]}' for call in sorted(calls, key=_in_order))
    return f'''title = "{sample.title}"
kind = "simulated"
made_by = "python scripts/make_samples.py --code"
command = "kernelmap correlate . profile.json.gz"
seed = {sample.world.seed}
notes = """
The code is real: Inductor wrote it for an H100, without one (scripts/fake_gpu, case {sample.case}).
The profile is simulated (tests/worlds): no GPU ran, and no time in it was measured.
{sample.notes}
"""

[versions]
torch = "2.13.0"

[truth]
invocations = {sample.world.invocations}
launches_of_calls = {kinds["call"]}
launches_outside = {kinds["outside"]}

[truth.launches]
{rows}
'''


def _in_order(call: str) -> tuple[str, int]:
    graph, _, index = call.rpartition("/")
    return graph, int(index)


if __name__ == "__main__":
    main()
