"""torch_compile_debug: what of it is used, what is passed over on purpose, and copies once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compiler.caches import key_of, put_code, put_entry
from compiler.generated import MAPPING, triton, wrapper
from compiler.logs import Log, graph
from kernelmap.compiler import load_compiled
from kernelmap.compiler.formats import format_of
from kernelmap.model import CompiledGraph
from kernelmap.tables.configuration import configuration_of

A = "triton_poi_fused_a_0"
IR = "op0: SchedulerNode(ComputedBuffer)\nop0.writes = [MemoryDep('buf0', c0, {c0: 64})]\n"
RUNNABLE = """import torch
from torch import tensor, device
class Repro(torch.nn.Module):
    def forward(self, arg0_1):
        return (torch.ops.aten.neg.default(arg0_1),)
def load_args(reader):
    reader.storage(None, 256)
if __name__ == '__main__':
    run_repro(Repro(), load_args, accuracy=False, command='run')
"""


def code() -> str:
    mark = f"# [Provenance debug handles] {A}:1"
    return wrapper(triton(A), body=f"{mark}\n{A}.run(x, 64, stream=s)", aot="0_forward")


def fill(folder: Path) -> Path:
    """One graph's folder with everything that torch writes into it."""
    folder.mkdir(parents=True)
    texts = {
        "output_code.py": code(),
        "fx_graph_readable.py": graph("neg", "gone", first=3),
        "fx_graph_transformed.py": graph("neg", first=5),
        "fx_graph_runnable.py": RUNNABLE,
        "ir_pre_fusion.txt": IR,
        "ir_post_fusion.txt": IR,
        MAPPING: f'{{"cppCodeToPost": {{"{A}:1": ["neg"]}}}}',
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder, with the logs beside the graphs."""
    run = tmp_path / "torch_compile_debug/run_2026_11_21_07_06_22_157497-pid_8844"
    fill(run / "torchinductor/model__0_forward_1.0")
    (run / "torchdynamo").mkdir()
    for name in ("torchdynamo/debug.log", "torchinductor/aot_model___0_debug.log"):
        (run / name).write_text("[graph.py:7 DEBUG] Output code written to: /x.py\n", "utf-8")
    return run.parent


def read(folder: Path) -> CompiledGraph:
    program = load_compiled(folder)
    (compiled,) = program.graphs

    assert program.notices == ()
    return compiled


def test_code_mapping_and_the_graph_after_all_passes_are_used(run: Path) -> None:
    """Of the two graph texts the later one counts; its nodes carry the lines."""
    compiled = read(run)

    assert (compiled.id, compiled.kind) == ("0_forward", "forward")
    assert compiled.calls[0].nodes == ("neg",)
    assert [(node.name, node.lines[0].line) for node in compiled.nodes] == [("neg", 5)]


def test_the_graph_before_the_passes_serves_where_the_later_is_missing(run: Path) -> None:
    """fx_graph_readable.py is used without fx_graph_transformed.py."""
    next(run.rglob("fx_graph_transformed.py")).unlink()

    assert [node.lines[0].line for node in read(run).nodes] == [3, 4]


def test_the_program_that_runs_a_graph_alone_states_its_settings(run: Path) -> None:
    """Settings, known variables and versions are read of it, as of the same text in a log."""
    stated = """os.environ['TORCHINDUCTOR_MAX_AUTOTUNE'] = '1'
os.environ['MY_TORCH_TOKEN'] = 'hf_secret'
torch._inductor.config.max_fusion_size = 2
# torch version: 2.13.0+cu130
"""
    program = next(run.rglob("fx_graph_runnable.py"))
    program.write_text(stated + RUNNABLE)
    (beside,) = read(run).beside
    compiled = load_compiled(run)

    assert beside.settings == (("max_fusion_size", "2"),)
    assert beside.environment == (("TORCHINDUCTOR_MAX_AUTOTUNE", "1"),)
    assert beside.versions == (("torch", "2.13.0+cu130"),)
    assert str(program) in compiled.files
    assert configuration_of(compiled).changed == {"max_fusion_size": ("2",)}
    program.unlink()
    assert read(run).beside == ()


def test_every_other_file_is_passed_over(run: Path) -> None:
    """Repro scripts, the IR and debug logs hold no generated code."""
    taken = {path.name for path in run.rglob("*") if path.is_file() and format_of(path)}

    assert taken == {"output_code.py"}


def test_copies_in_cache_and_log_count_once(run: Path, tmp_path: Path) -> None:
    """The cache's file, its .debug folder, its entry and the log beside the run are one graph."""
    cache = tmp_path / "cache"
    file = put_code(cache, code())
    shutil.copytree(next(run.rglob("model__*")), file.with_suffix(".debug"))
    put_entry(cache, key_of("x"), code())
    log = Log().code(code(), str(file)).artifact("fx_graph_cache_miss", {"key": key_of("x")})
    log.put(run / "tlparse/dedicated_log_torch_trace_wuykpkm6.log")
    compiled = read(tmp_path)

    assert (compiled.compile_id, compiled.cache_key) == ("0/0", key_of("x"))
    assert compiled.calls[0].nodes == ("neg",)
