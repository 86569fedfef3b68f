"""The commands: arguments in, text and exit code out. The pipeline below them is a stand-in."""

from __future__ import annotations

import json
import logging
import re
import sys
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import COMMANDS, main
from kernelmap.commands import command
from kernelmap.errors import KernelmapError
from kernelmap.matching.explaining.explain import Explanation
from kernelmap.matching.explaining.hits import Hit
from kernelmap.model import Notice
from kernelmap.model.savings import Savings
from kernelmap.options import Options, Side
from kernelmap.pages.write import write_tables
from kernelmap.tables.build import Tables
from kernelmap.tables.schema import BY
from kernelmap.tables.selection import Selection
from pages.hand_tables import make_tables

HIT = Hit(
    rule="device name",
    wrapper="triton_poi_fused_add_0",
    graph="0_forward",
    calls=("0_forward/0",),
    launches=None,
    evidence=("it runs the function triton_",),
)


@dataclass
class Pipeline:
    """What the commands asked for, and what they are given."""

    tables: Tables = field(default_factory=make_tables)
    error: BaseException | None = None
    asked: list[tuple[tuple[Path, ...], Options]] = field(default_factory=list)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.tables.notices

    def correlate(self, *paths: Path, options: Options | None = None) -> Pipeline:
        self.asked.append((paths, options or Options()))
        if self.error:
            raise self.error
        return self

    @property
    def speeds(self) -> Pipeline:
        return self

    @property
    def first_savings(self) -> Savings:
        assert self.tables.savings is not None
        return self.tables.savings

    def write(  # noqa: PLR0913 -- as that of a Correlation
        self,
        path: Path,
        *,
        by: str,
        top: int,
        sort: str,
        selection: Selection | None = None,
        speeds: bool,
        launches: bool,
    ) -> Path:
        inputs, _ = self.asked[-1]
        return write_tables(
            self.tables,
            path,
            by=by,
            top=top,
            sort=sort,
            selection=selection,
            speeds=speeds,
            launches=launches,
            inputs=inputs,
        )

    def again(self, *words: str) -> str:
        return command(*words, *self.asked[-1][0])

    def to_html(self, path: Path, *, path_map: Mapping[str, str] | None = None) -> Path:
        assert path_map is not None
        return self.write(path, by="op", top=20, sort="time", speeds=False, launches=False)

    def explain(self, target: str) -> Explanation:
        return Explanation(title=f"call {target}", verdict="exact", evidence=("seen",))

    def which(self, name: str, *paths: Path, options: Options, anyway: bool) -> tuple[Hit, ...]:
        assert (name, paths, options) == ("triton_", (Path("code.py"),), Options())
        assert not anyway
        return (HIT,)


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    pipeline = Pipeline()
    module = ModuleType("kernelmap.pipeline")
    vars(module).update(correlate=pipeline.correlate, which=pipeline.which)
    monkeypatch.setitem(sys.modules, "kernelmap.pipeline", module)
    return pipeline


def run(*args: str, env: Mapping[str, str | None] | None = None) -> Result:
    return CliRunner().invoke(main, args, env=env)


def test_a_table_goes_to_stdout_and_notes_to_stderr(pipeline: Pipeline) -> None:
    """What a script reads is the table alone; what a person should know stands beside it."""
    result = run("correlate", "code.py", "profile.json")

    assert result.exit_code == 0
    assert result.stdout.startswith("GPU time by original op")
    assert "note: the trace ends early" in result.stderr
    assert "note:" not in result.stdout
    assert pipeline.asked == [
        ((Path("code.py"), Path("profile.json")), Options(work=False, wall=False, memory=False))
    ]


def test_wall_time_is_made_for_who_asks(pipeline: Pipeline, tmp_path: Path) -> None:
    """That is `--by wall`, a report, and a folder of tables."""
    run("correlate", "profile.json", "--by", "wall", "--format", "json")
    run("correlate", "profile.json", "-o", str(tmp_path / "report.html"))
    run("correlate", "profile.json", "-o", str(tmp_path / "tables"))
    run("correlate", "profile.json", "-o", str(tmp_path / "result.json"))

    assert [options.wall for _, options in pipeline.asked] == [True, True, True, False]


def test_options_reach_the_pipeline(pipeline: Pipeline) -> None:
    """Steps and side are the pipeline's choices, taken as written."""
    run("correlate", "profile.json", "--steps", "3:5", "--side", "cpu")
    run("correlate", "profile.json", "--steps", "7")
    run("correlate", "profile.json", "--like", "bundle", "--like", "other")

    first, second, third = (options for _, options in pipeline.asked)
    assert first == Options(steps=(3, 5), side=Side.CPU, work=False, wall=False, memory=False)
    assert second.steps == (7, 7)
    assert third.like == (Path("bundle"), Path("other"))


def test_work_is_read_where_it_is_asked_for(pipeline: Pipeline, tmp_path: Path) -> None:
    """By order of rows, limits of devices, a report, a folder of tables; not by other files."""
    run("correlate", "profile.json", "--by", "line", "--sort", "headroom")
    run("correlate", "profile.json", "--device-limits", "limits.toml")
    run("correlate", "profile.json", "-o", str(tmp_path / "report.html"))
    run("correlate", "profile.json", "-o", str(tmp_path / "tables"))
    run("correlate", "profile.json", "-o", str(tmp_path / "result.json"))

    asked = [options for _, options in pipeline.asked]
    assert [options.work for options in asked] == [True, True, True, True, False]
    assert asked[1].device_limits == Path("limits.toml")


@pytest.mark.parametrize("by", BY)
@pytest.mark.usefixtures("pipeline")
def test_every_table_can_be_asked_for(by: str) -> None:
    """Each word of --by gives its table in each format."""
    for form in ("table", "json", "jsonl", "csv", "markdown"):
        result = run("correlate", "profile.json", "--by", by, "--format", form, "--top", "2")

        assert result.exit_code == 0, result.output
        assert result.stdout.endswith("\n")


@pytest.mark.usefixtures("pipeline")
def test_launches_stand_in_the_json_on_request() -> None:
    """--launches adds the tables that grow with the trace."""
    with_them = json.loads(run("correlate", "x", "--format", "json", "--launches").stdout)
    without = json.loads(run("correlate", "x", "--format", "json").stdout)

    assert set(with_them) - set(without) == {"launches", "invocations"}


@pytest.mark.usefixtures("pipeline")
def test_an_output_is_written_and_named(tmp_path: Path) -> None:
    """With -o stdout stays empty unless a format is asked for too."""
    target = tmp_path / "report.html"
    quiet = run("correlate", "x", "-o", str(target))
    both = run("correlate", "x", "-o", str(target), "--format", "table")

    assert (quiet.exit_code, quiet.stdout) == (0, "")
    assert f"wrote {target}" in quiet.stderr
    assert both.stdout.startswith("GPU time")
    assert target.read_text().startswith("<!doctype html>")


def test_a_report_is_written_and_named(
    pipeline: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a name it is report.html; written again, it takes the place of the one before."""
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    first = run("correlate", "code.py", "profile.json", "--open", "--steps", "3:5")
    again = run("correlate", "code.py", "profile.json", "--open")

    assert (first.exit_code, again.exit_code, first.stdout) == (0, 0, "")
    assert "wrote report.html" in first.stderr
    assert pipeline.asked[0] == ((Path("code.py"), Path("profile.json")), Options(steps=(3, 5)))
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.usefixtures("pipeline")
def test_a_page_of_somebody_else_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report.html that is no report is written over only where it is named."""
    monkeypatch.chdir(tmp_path)
    Path("report.html").write_text("mine", encoding="utf-8")
    result = run("correlate", "profile.json", "--open")

    assert result.exit_code == 2
    assert "is no report of kernelmap" in result.stderr
    assert Path("report.html").read_text(encoding="utf-8") == "mine"
    assert run("correlate", "profile.json", "-o", "report.html").exit_code == 0


@pytest.mark.usefixtures("pipeline")
def test_a_report_is_a_page() -> None:
    """No browser is handed anything else."""
    result = run("correlate", "profile.json", "--open", "-o", "report.json")

    assert result.exit_code == 2
    assert "ends in .html" in result.stderr


@pytest.mark.usefixtures("pipeline")
def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    """Naming the profile as output is wrong usage."""
    profile = tmp_path / "profile.json"
    profile.write_text("{}")
    result = run("correlate", str(profile), "-o", str(profile))

    assert result.exit_code == 2
    assert "was read and would be overwritten" in result.stderr
    assert profile.read_text() == "{}"


@pytest.mark.usefixtures("pipeline")
def test_strict_turns_gaps_into_exit_code_1() -> None:
    """The same run is fine without --strict and fails with it; the result is printed anyway."""
    assert run("correlate", "x").exit_code == 0
    strict = run("correlate", "x", "--strict")

    assert strict.exit_code == 1
    assert strict.stdout.startswith("GPU time")
    assert "1 of the notes above" in strict.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("correlate",),
        ("correlate", "x", "--by", "color"),
        ("correlate", "x", "--steps", "a:b"),
        ("correlate", "x", "--steps", "5:3"),
        ("correlate", "x", "--steps", "9" * 5000),
        ("correlate", ""),
        ("correlate", "x", "-o", ""),
        ("which", __file__, "triton_"),
        ("explain", __file__, "3"),
        ("explain", str(Path(__file__).parent), "3"),
        ("correlate", "x", "--top", "0"),
        ("correlate", "x", "-o", "result.xlsx"),
        ("nothing",),
        ("which", "triton_"),
    ],
)
@pytest.mark.usefixtures("pipeline")
def test_wrong_usage_exits_with_2(args: tuple[str, ...]) -> None:
    """What was put wrongly is said on stderr, without a traceback."""
    result = run(*args)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_unusable_input_exits_with_3_and_a_next_step(pipeline: Pipeline) -> None:
    """An error is three lines: what, what next, where more is said; --debug adds where."""
    pipeline.error = KernelmapError("not-json", "profile.json is not JSON", "Export it again.")
    result = run("correlate", "profile.json")
    debug = run("correlate", "profile.json", "--debug")

    assert (result.exit_code, debug.exit_code) == (3, 3)
    assert result.stderr == (
        "error: profile.json is not JSON\nhint: Export it again.\nsee: kernelmap help not-json\n"
    )
    assert "Traceback" in debug.stderr


def test_debug_says_what_is_done(samples: Path) -> None:
    """With --debug stderr has a line per file and step, dated; stdout is the same as without."""
    quiet = run("inspect", str(samples / "sim_mlp_train"))
    debug = run("inspect", str(samples / "sim_mlp_train"), "--debug")
    lines = debug.stderr.splitlines()

    assert debug.stdout == quiet.stdout
    assert quiet.stderr == ""
    assert len([line for line in lines if "output_code.py is read as generated code" in line]) == 2
    assert all(re.match(r"debug: \d+ ms kernelmap\.[a-z_.]+: ", line) for line in lines)


@pytest.mark.parametrize("options", [(), ("--debug",)])
def test_debug_ends_with_its_command(pipeline: Pipeline, options: tuple[str, ...]) -> None:
    """Whether a command succeeds or fails, logging is afterwards as it was before."""
    logger = logging.getLogger("kernelmap")
    before = (logger.level, list(logger.handlers))
    run("correlate", "x", *options)
    pipeline.error = KernelmapError("not-json", "x is not JSON", "Export it again.")
    run("correlate", "x", *options)

    assert (logger.level, logger.handlers) == before


def test_a_logged_name_moves_no_cursor(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file's name holds cannot break the line that says it, nor reach the terminal."""

    def correlate(*paths: Path, options: Options) -> Pipeline:
        logging.getLogger("kernelmap.pipeline").debug("%s is read with %s", paths[0], options.side)
        return pipeline

    monkeypatch.setattr(sys.modules["kernelmap.pipeline"], "correlate", correlate)
    said = run("correlate", "a\x1b[2J\nb", "--debug").stderr

    assert "\x1b" not in said
    assert len([line for line in said.splitlines() if line.startswith("debug: ")]) == 1


def test_an_interrupt_is_quiet(pipeline: Pipeline) -> None:
    """Ctrl-C ends with the code that shells know, and without a traceback."""
    pipeline.error = KeyboardInterrupt()
    result = run("correlate", "x")

    assert (result.exit_code, result.output) == (130, "")


@pytest.mark.usefixtures("pipeline")
def test_which_and_explain_answer_in_each_format() -> None:
    """Text, JSON and Markdown of one answer name the same things."""
    for form in ("table", "json", "markdown"):
        which = run("which", "triton_", "code.py", "--format", form)
        explain = run("explain", "0_forward/3", "code.py", "profile.json", "--format", form)

        assert "triton_poi_fused_add_0" in which.stdout
        assert "call 0_forward/3" in explain.stdout
        assert (which.exit_code, explain.exit_code) == (0, 0)


def test_inspect_lists_the_calls_of_generated_code(tmp_path: Path) -> None:
    """The smallest real program, in both formats."""
    code = tmp_path / "output_code.py"
    code.write_text(
        "from torch._inductor.select_algorithm import extern_kernels\n"
        "def call(args):\n"
        "    a, b = args\n"
        "    buf0 = empty_strided_cuda((2, 2), (2, 1), torch.float32)\n"
        "    extern_kernels.mm(a, b, out=buf0)\n"
        "    return (buf0, )\n"
    )
    table = run("inspect", str(code))
    document = json.loads(run("inspect", str(code), "--format", "json").stdout)

    assert table.exit_code == 0, table.output
    assert "extern_kernels.mm" in table.stdout
    assert [call["line"] for call in document["graphs"][0]["calls"]] == [5]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_how_a_command_is_called(command: str) -> None:
    """Every command has a one-line summary and at least one example, each on its own line."""
    text = run(command, "--help").stdout
    examples = [line for line in text.splitlines() if f"kernelmap {command} " in line]

    assert f"Example: kernelmap {command} " in text
    assert all(line.count(f"kernelmap {command} ") == 1 for line in examples)
    assert f"  {command} " in run("--help").stdout


@pytest.mark.usefixtures("pipeline")
def test_the_width_follows_the_terminal() -> None:
    """COLUMNS decides; names are cut where it is small."""
    narrow = run("correlate", "x", env={"COLUMNS": "80"}).stdout
    wide = run("correlate", "x", env={"COLUMNS": "160"}).stdout

    assert max(map(len, narrow.splitlines())) <= 80
    assert max(map(len, wide.splitlines())) > 100


def test_what_a_path_holds_cannot_move_the_cursor(pipeline: Pipeline) -> None:
    """Names in notes and errors are shown in one line, escapes and all."""
    pipeline.error = KernelmapError("not-json", "a\nb\x1b[31m is not JSON", "Export it.")
    result = run("correlate", "x")

    assert result.stderr == (
        "error: a\\nb\\x1b[31m is not JSON\nhint: Export it.\nsee: kernelmap help not-json\n"
    )


def test_an_impossible_output_is_said_before_any_work(pipeline: Pipeline) -> None:
    """Nobody waits for a result that has no place to go."""
    for place in ("result.xlsx", "nowhere/result.json", __file__):
        result = run("correlate", "x", "-o", place)

        assert (result.exit_code, pipeline.asked) == (2, []), result.output


@pytest.mark.parametrize("command", ["which", "explain"])
def test_a_file_where_a_name_belongs_is_reported(command: str) -> None:
    """Swapped arguments are named as such."""
    result = run(command, __file__, "triton_")

    assert result.exit_code == 2
    assert "the name comes first, then the files" in " ".join(result.stderr.split())


@pytest.mark.sampled
@pytest.mark.parametrize("output", ["report.html", "tables", "table.csv"])
@pytest.mark.parametrize("by", ["op", "line", "call", "kernel", "module"])
def test_what_is_written_changes_no_column(tmp_path: Path, output: str, by: str) -> None:
    """A report needs rates and headroom; the table printed beside it is the one without `-o`."""
    sample = Path(__file__).resolve().parents[2] / "sample_traces" / "sim_mlp_train"
    words = ["correlate", str(sample), "--by", by, "--format", "table"]
    texts = [
        CliRunner().invoke(main, [*words, *more]).stdout
        for more in ([], ["-o", str(tmp_path / output)])
    ]

    assert "headroom" not in texts[0]
    assert texts[0] == texts[1]


def test_speeds_are_shown_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--sort headroom` and `--device-limits` ask for rates, on the screen and in Markdown."""
    root = Path(__file__).resolve().parents[2]
    sample, limits = root / "sample_traces" / "sim_gpt_train", root / "docs/examples/limits.toml"
    words = ["correlate", str(sample), "--by", "line", "--device-limits", str(limits)]
    monkeypatch.setenv("COLUMNS", "200")
    for more in ([], ["--sort", "headroom"]):
        for form in ("table", "markdown"):
            shown = CliRunner().invoke(main, [*words, *more, "--format", form]).stdout

            assert all(word in shown for word in ("headroom", "GB/s", "bound")), more
