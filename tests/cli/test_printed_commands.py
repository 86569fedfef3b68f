"""A command that is printed to be copied runs as it is pasted."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap import correlate
from kernelmap.cli import main
from kernelmap.commands import OF_A_RUN, ask_again, command, input_word
from kernelmap.options import Options, Side
from kernelmap.pages.render.layout import wrap_sentence

COMMAND = re.compile(r"`(kernelmap [^`\n]+)`|(?:next|Then[^:\n]*|and|see): (kernelmap [^\n<\"]+)")
GAP = re.compile(
    r"kernelmap [a-z-]+(?: [^`\n]*)?"
    r"(?:…|\.\.\.|\b(?:CODE|PROFILE|INPUTS?|FOLDER|FILE|RUN|LAUNCH|CALL)\b)"
)
PACKAGE = Path(kernelmap.__file__).parent
USERS = ("capture",)  # runs a program of the user's, which nothing here knows
SAMPLES = (
    "cuda_routed",
    "cuda_decode_graphs",
    "cuda_graph_breaks",
    "cpu_graph_breaks",
    "sim_attention_autotune",
)


def ran(*words: str | Path) -> Result:
    """The command line with these words."""
    return CliRunner().invoke(main, [str(word) for word in words])


def printed(text: str) -> list[str]:
    """The commands that a text tells to run."""
    found = [one or other for one, other in COMMAND.findall(text)]
    return [each.strip() for each in found if each.split()[1] not in USERS]


def assert_all_run(text: str) -> list[str]:
    """Each of them ends well."""
    commands = list(dict.fromkeys(printed(text)))
    for each in commands:
        done = ran(*shlex.split(each)[1:])
        assert done.exit_code == 0, (each, done.stderr)
    return commands


@pytest.fixture
def odd(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sample whose name a shell would take apart, and in which one stands."""
    folder = tmp_path / "here"
    folder.mkdir()
    shutil.copytree(samples / "cpu_graph_breaks", folder / "my run's $HOME")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.sampled
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_doctor_and_correlate_print_runs(
    sample: str, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Advice, notices and footers name the inputs of this run, as they were given."""
    monkeypatch.chdir(samples)
    for words in (["doctor", sample], ["correlate", sample], ["correlate", "--roofline", sample]):
        done = ran(*words)
        assert done.exit_code == 0
        assert_all_run(done.output)


def test_a_name_of_an_input_is_quoted(odd: Path) -> None:
    """Spaces, quotes and dollars of a path are no matter."""
    (name,) = (path.name for path in odd.iterdir())
    commands = assert_all_run(ran("doctor", name).output)
    assert any(each.startswith("kernelmap explain") for each in commands), commands
    call = str(correlate(name).calls["call"].dropna().iloc[0])
    lost = ran("which", call, name)
    assert lost.exit_code == 2
    assert assert_all_run(lost.stderr)[0] == command("explain", call, name)


def test_the_commands_of_a_report_name_its_inputs(odd: Path) -> None:
    """The page is opened elsewhere; its commands are those of the folder where it was made."""
    (path,) = odd.iterdir()
    result = correlate(path.name)
    for words in (["explain", "0"], ["doctor"], ["correlate", "--by", "wall", "--format", "csv"]):
        done = ran(*shlex.split(result.again(*words))[1:])
        assert done.exit_code == 0, done.stderr
    page = result.to_html(odd / "report.html").read_text("utf-8")
    assert "kernelmap explain LAUNCH" in page


def test_many_launches_at_one_time_lead_to_the_evidence_of_the_first(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`which --correlation` lists verdicts; the command below them asks for more."""
    monkeypatch.chdir(samples)
    launches = correlate("cuda_cuda_graphs").launches
    most = launches["correlation"].mode()[0]
    done = ran("which", "--correlation", str(most), "cuda_cuda_graphs")
    assert done.exit_code == 0
    assert assert_all_run(done.stdout)


def test_the_choices_of_a_run_go_with_its_commands() -> None:
    """Each command gets the options that it takes, and no other."""
    options = Options(
        steps=(3, 5),
        side=Side.CPU,
        cache_dir=Path("-cache"),
        like=(Path("a b"),),
        device_limits=Path("limits.toml"),
    )
    assert ask_again(["explain", "7"], ["-x.json"], options) == (
        "kernelmap explain 7 ./-x.json --cache-dir ./-cache --like 'a b'"
    )
    for name, taken in OF_A_RUN.items():
        assert set(taken) <= {param.name for param in _parameters(name)}, name


def _parameters(name: str) -> list[click.Parameter]:
    context = click.Context(main, **main.context_settings)
    made = main.get_command(context, name)
    assert made is not None
    return made.get_params(click.Context(made, parent=context))


def test_what_a_store_tells_to_run_names_the_store(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --store the next command asks the same store."""
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "a store"
    assert ran("runs", "add", samples / "cuda_routed", "--store", store).exit_code == 0
    asked: tuple[list[str | Path], ...] = (
        ["runs", "show", "nothing", "--store", store],
        ["runs", "--store", store, "show", "nothing"],
        ["runs", "history", "nothing", "--store", store],
    )
    for words in asked:
        done = ran(*words)
        assert done.exit_code == 2
        commands = [each for each in assert_all_run(done.stderr) if " runs" in each]
        assert commands
        assert all("--store" in each for each in commands)


def test_gate_prints_how_to_write_the_lock_anew(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command has the code and the lock of this run, and ends the complaint."""
    monkeypatch.chdir(tmp_path)
    assert ran("inspect", samples / "cuda_routed", "--lock", "k.lock").exit_code == 0
    words: list[str | Path] = ["gate", "--lock", "k.lock", samples / "cuda_mlp_train"]
    failed = ran(*words)
    assert failed.exit_code == 1
    assert assert_all_run(failed.stdout)
    assert ran(*words).exit_code == 0


@pytest.mark.parametrize("width", [20, 60, 80])
def test_no_width_breaks_a_command(width: int) -> None:
    """What a terminal is too narrow for it breaks itself, and copies as one line."""
    asked = command("explain", "17", "a long folder/output_code.py", "a long folder/profile.json")
    text = f"Compare medians, or record more steps; `{asked}` shows the longest of them, if any."
    lines = wrap_sentence(text, width, first="   ", then="   ")
    assert len(lines) > 1
    assert any(asked in line for line in lines)
    assert " ".join(map(str.strip, lines)) == text


def test_an_input_that_looks_like_an_option_is_none() -> None:
    """A file may be called `-o`."""
    assert input_word("-o") == "./-o"
    assert input_word("a/-o") == "a/-o"


def _texts(path: Path) -> list[str]:
    """The string literals of a file that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def test_no_command_is_printed_with_a_gap_to_fill() -> None:
    """`kernelmap explain LAUNCH …` is a riddle: where the inputs are known they stand in it."""
    gaps = [
        (path.name, text)
        for path in PACKAGE.rglob("*.py")
        for text in _texts(path)
        if GAP.search(text)
    ]
    assert gaps == []
