"""Scripts of `kernelmap repro`: each call of a recording gives one, and none holds foreign code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import main
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.repro import make_repro
from kernelmap.repro.answer import ReproSource, make_script, read_source
from kernelmap.repro.literals import one_line, quote_source, safe_name
from kernelmap.repro.script import write_comment


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "120"})


@pytest.fixture(scope="module")
def llama(samples: Path) -> ReproSource:
    """A recording of an H200: a block that is trained."""
    return read_source(samples / "cuda_llama_train")


def test_each_call_of_a_recording_gives_a_script(llama: ReproSource) -> None:
    """Kernels and library calls alike, and nearly all with a check of their result."""
    ids = [llama.program.call_id(at) for at in range(len(llama.program.calls))]
    made = [make_script(llama, (call,)) for call in ids]
    for script in made:
        ast.parse(script.text)
    assert len([script for script in made if not script.unchecked]) >= len(made) - 3


def test_a_script_has_what_was_recorded(llama: ReproSource) -> None:
    """The configuration from grid and threads, the time and its limit, the device, the versions."""
    text = make_script(llama, ("0_forward/0",)).text
    assert '{"XBLOCK": 1, "num_warps": 2, "num_stages": 1}' in text
    assert "recorded       1.50 us, median of 3 on NVIDIA H200; its limit there is 0.11 us" in text
    assert "torch 2.11.0+cu130" in text
    assert "import kernelmap" not in text


def test_a_kernel_stands_in_a_script_as_it_was(llama: ReproSource) -> None:
    """But for the decorator, which is Triton's own in place of Inductor's."""
    text = make_script(llama, ("0_forward/0",)).text
    code = llama.program.graphs[0].text or ""
    body = text[text.index("def triton_per_fused__fused_rms_norm_0") :].split("\n\n\n", 1)[0]
    assert body in code
    assert "triton_heuristics" not in text


def test_two_neighbours_share_their_memory(llama: ReproSource) -> None:
    """What the first writes is what the second reads: it is made once."""
    text = make_script(llama, ("0_forward/0", "0_forward/1")).text
    assert text.count("    buf2 = tensor(") == 1
    assert "run_1(" in text
    assert "run_2(" in text


def test_other_configurations_are_measured_on_demand(samples: Path) -> None:
    """`--try`: other blocks and warps, none of which is the recorded one.

    Code alone gives no reason.
    """
    code = samples / "cuda_llama_train/rank_0/code/model__0_forward_1.0/output_code.py"
    source = read_source(code)
    assert "TRIES_1" not in make_script(source, ("0_forward/3",)).text
    text = make_script(source, ("0_forward/3",), try_others=True).text
    assert "no reason is known" in text
    listed = text[text.index("TRIES_1 = [") :].split("\n]", 1)[0]
    recorded = text[text.index("CONFIGS_1 = [") :].split("\n]", 1)[0]
    assert listed.count("num_warps") > 4
    assert not [one for one in recorded.splitlines()[1:] if one.strip().rstrip(",") in listed]


def test_calls_of_two_graphs_make_no_script(llama: ReproSource) -> None:
    """A script shows how one call reads what another writes: both are of one graph."""
    with pytest.raises(UsageError, match="different graphs"):
        make_script(llama, ("0_forward/0", "0_backward/0"))


def test_a_name_that_several_calls_have_names_none(llama: ReproSource) -> None:
    """The error lists the calls that may be meant."""
    with pytest.raises(UsageError, match=r"'extern_kernels\.mm' is run by 15 calls") as raised:
        make_script(llama, ("extern_kernels.mm",))
    assert "0_forward/1" in raised.value.hint


def test_a_script_replaces_no_file(samples: Path, tmp_path: Path) -> None:
    """-o writes a new file, and says so of one that is there."""
    case = tmp_path / "case.py"
    asked = ("repro", "0_forward/0", str(samples / "cuda_llama_train"), "-o", str(case))
    assert run(*asked).exit_code == 0
    written = case.read_text()
    assert "def triton_per_fused" in written
    again = run(*asked)
    assert again.exit_code == 2
    assert "is there already" in again.output
    assert case.read_text() == written


def test_a_call_without_code_says_what_to_give(samples: Path) -> None:
    """An error with a reason and a next step, and no half script."""
    source = read_source(samples / "cuda_code_withheld")
    missing = next(
        source.program.call_id(at)
        for at, (graph, _) in enumerate(source.program.calls)
        if graph.text is None
    )
    with pytest.raises(KernelmapError, match="has no code among the inputs") as raised:
        make_script(source, (missing,))
    assert raised.value.slug == "no-script"
    assert "output_code.py" in raised.value.hint


HOSTILE = (
    '"""\nimport os; os.system("x")\n"""',
    "a\\",
    "'''",
    "x\r\ny",
    "b\u2028c",
    "{0}{x}",
    "\x00",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_an_input_becomes_code(text: str) -> None:
    """Names, comments and sources are quoted: parsed again, they are what they were, and inert."""
    assert safe_name(text).isidentifier()
    assert ast.literal_eval(quote_source(text)) == text
    module = ast.parse(f'"""{one_line(text)}"""\n# {one_line(text)}\n')
    assert [type(node) for node in module.body] == [ast.Expr]
    assert isinstance(ast.parse(f'print("{one_line(text)}")').body[0], ast.Expr)
    assert all(line.startswith("#") for line in write_comment(f"said of {text * 20}"))


def test_the_door_takes_paths(samples: Path) -> None:
    """`make_repro` reads the inputs itself; code alone will do, and no time is stated then."""
    code = samples / "cuda_llama_train/rank_0/code/model__0_forward_1.0/output_code.py"
    made = make_repro("0_forward/0", code)
    assert "no profile of this call was given" in made.text
    assert "not recorded" in made.text
