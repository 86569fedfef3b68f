"""The GitHub Action and the GitLab component: their form, and their scripts on stand-ins."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from click.testing import CliRunner
from histories.play import Weather, play
from histories.story import first_state, longer, slower

from capture.bundle_world import recorded
from kernelmap.cli import main
from kernelmap.pages.write import write_tables

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).resolve().parent.parent
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COMPONENT = (ROOT / "templates" / "kernelmap.yml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
STANDINS = {
    # what a GPU would record, put where the command asks for it; a saved result has no report
    "kernelmap": """
        if [ "$1" = capture ]; then
          pwd >> "$STANDINS/ran"; echo "$@" >> "$STANDINS/ran"
          cp -r "$STANDINS/recordings/$(basename "$5")" "$5"
        elif [ "$1" = correlate ] && [ ! -e "$2/rank_0" ]; then touch "$4"
        else exec "$PYTHON" -m kernelmap "$@"; fi
    """,
    "gh": """
        echo "$@" >> "$STANDINS/sent"
        case "$*" in *--paginate*) cat "$STANDINS/ids" ;; *) cat body.md >> "$STANDINS/sent" ;; esac
    """,
    "curl": 'echo "$@" >> "$STANDINS/sent"; cat kernelmap-ci/comment.md >> "$STANDINS/sent"',
}


@dataclass(frozen=True, kw_only=True)
class Template:
    """One service's file: its inputs, what each script is given, and the scripts of its parts."""

    inputs: Mapping[str, Any]
    text: str
    reference: str
    scripts: tuple[tuple[str, str, Mapping[str, str]], ...]


def action() -> Template:
    document = yaml.safe_load(ACTION)
    scripts = tuple(
        (step["name"], step["run"], step.get("env", {}))
        for step in document["runs"]["steps"]
        if "run" in step
    )
    return Template(
        inputs=document["inputs"],
        text=ACTION,
        reference=r"\$\{\{ inputs\.([\w-]+) \}\}",
        scripts=scripts,
    )


def component() -> Template:
    head, body = yaml.safe_load_all(COMPONENT)
    job = body["kernelmap"]
    scripts = tuple(
        (part, "\n".join(job[part]), job["variables"])
        for part in ("before_script", "script", "after_script")
    )
    return Template(
        inputs=head["spec"]["inputs"],
        text=COMPONENT,
        reference=r"\$\[\[ inputs\.([\w-]+) \]\]",
        scripts=scripts,
    )


TEMPLATES = pytest.mark.parametrize("template", [action(), component()], ids=["github", "gitlab"])


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        (ACTION, "github-actions"),
        *((path.read_text(encoding="utf-8"), "github-workflows") for path in WORKFLOWS),
        (COMPONENT.partition("\n---\n")[2], "gitlab-ci"),
    ],
    ids=["github", *(path.stem for path in WORKFLOWS), "gitlab"],
)
def test_the_published_schemas_hold(text: str, schema: str, tmp_path: Path) -> None:
    """The schema of the service, as check-jsonschema brings it along; no network."""
    pytest.importorskip("check_jsonschema")
    place = tmp_path / "file.yml"
    place.write_text(text, encoding="utf-8")
    given = ["--builtin-schema", f"vendor.{schema}", str(place)]
    line = [sys.executable, "-m", "check_jsonschema", *given]
    done = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603 -- ours

    assert done.returncode == 0, done.stdout + done.stderr


@TEMPLATES
def test_inputs_are_declared_described_and_used(template: Template) -> None:
    """Every input has a description and a use, and nothing else is asked for."""
    used = set(re.findall(r"inputs\.([\w-]+)", template.text))

    assert used == set(template.inputs)
    assert all(declared["description"].endswith(".") for declared in template.inputs.values())
    assert "what was not: docs/versions.md" in template.text


@TEMPLATES
def test_scripts_take_inputs_as_variables_only(template: Template, tmp_path: Path) -> None:
    """An input pasted into a script could be a script: each comes in as a variable. bash parses."""
    outside = {"PWD", "HOME", "GITHUB_ACTION_PATH", "KERNELMAP_TOKEN"}
    for name, script, given in template.scripts:
        (tmp_path / "script").write_text(script, encoding="utf-8")
        check = ["bash", "-n", str(tmp_path / "script")]
        parsed = subprocess.run(check, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
        variables = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", script))

        assert parsed.returncode == 0, parsed.stderr
        assert "${{" not in script, name
        assert "$[[" not in script, name
        assert {
            variable for variable in variables - outside if not variable.startswith("CI_")
        } <= set(given)


def test_every_script_of_the_action_names_its_shell() -> None:
    """A composite action has no default one; what it uses of others has a version."""
    steps = yaml.safe_load(ACTION)["runs"]["steps"]

    assert all(step.get("shell") == "bash" for step in steps if "run" in step)
    assert all(re.search(r"@v\d+$", step["uses"]) for step in steps if "uses" in step)


def test_the_page_asks_for_inputs_that_exist() -> None:
    """The examples of docs/ci.md give what is required, and nothing that is not there."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (used,) = [yaml.safe_load(block) for block in blocks if "OWNER/kernelmap@main" in block]
    (included,) = [yaml.safe_load(block) for block in blocks if "component:" in block]
    for given, template in (
        (used["jobs"]["kernels"]["steps"][-1]["with"], action()),
        (included["include"][0]["inputs"], component()),
    ):
        required = {name for name, declared in template.inputs.items() if "default" not in declared}

        assert required <= set(given) <= set(template.inputs)


def _cases(first: str, *, answer: bool) -> list[ParameterSet]:
    """Each template with both answers; all but the first of these cases are `thorough`."""
    given = {"github": action(), "gitlab": component()}
    return [
        pytest.param(
            template,
            tried,
            id=f"{name}-{tried}",
            marks=[] if (name, tried) == (first, answer) else [pytest.mark.thorough],
        )
        for name, template in given.items()
        for tried in (False, True)
    ]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a job, with stand-ins for the programs that need a GPU or a service."""
    for name, script in STANDINS.items():
        program = tmp_path / "standins" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/bash -e\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
    (tmp_path / "standins" / "ids").write_text("", encoding="utf-8")
    for name in ("job/base", "job/branch", "job/kernelmap-base"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def run(template: Template, place: Path, **given: str) -> list[int]:
    """The scripts after the installation, in a shell as the service starts it: their exit codes."""
    defaults = {
        name: str(declared.get("default", "")) for name, declared in template.inputs.items()
    }
    values = defaults | {"command": "python train.py *"} | given
    codes = []
    for _, script, variables in template.scripts[1:]:
        filled = {
            name: re.sub(template.reference, lambda match: values[match[1]], str(value))
            for name, value in variables.items()
        }
        done = subprocess.run(  # noqa: S603 -- our own script
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],  # noqa: S607 -- any
            cwd=place / "job",
            env={
                "PATH": f"{place / 'standins'}:{os.environ['PATH']}",
                "PYTHON": sys.executable,
                "PYTHONPATH": str(ROOT),
                "STANDINS": str(place / "standins"),
                "KERNELMAP_TOKEN": "secret",
                **dict.fromkeys(("CI_API_V4_URL", "CI_PROJECT_ID"), "here"),
                "CI_MERGE_REQUEST_IID": "7",
                **filled,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        codes.append(done.returncode)
    return codes


@pytest.mark.parametrize(("template", "slow"), _cases("github", answer=True))
def test_a_slow_branch_fails_and_the_comment_says_why(
    template: Template, slow: bool, place: Path, samples: Path
) -> None:
    """Three recordings by turns; the pages are there either way, and the command is split whole."""
    base = longer(first_state(samples / "sim_mlp_train"), 20)
    later = slower(base, "extern_kernels.addmm", 1.1)[0] if slow else base
    for seed, (name, state) in enumerate({"main1": base, "new": later, "main2": base}.items()):
        target = place / "standins" / "recordings" / name
        target.parent.mkdir(exist_ok=True)
        write_tables(play(state.program, state.cost_list(), Weather(), seed), target)
    codes = run(template, place)
    ran = (place / "standins" / "ran").read_text("utf-8").splitlines()
    sent = (place / "standins" / "sent").read_text("utf-8")
    output = place / "job" / "kernelmap-ci"

    assert any(codes) == slow
    assert [Path(line).name for line in ran[::2]] in (
        ["base", "branch", "base"],
        ["kernelmap-base", "job", "kernelmap-base"],
    )
    assert all(line.endswith(" -- python train.py *") for line in ran[1::2])
    assert ("failed for 1 reason" in sent) == slow
    assert ("same code, 1.1" in sent) == slow
    assert json.loads((output / "gate.json").read_text("utf-8"))["gate"]["failed"] == slow
    assert "2 recordings pooled" in (output / "diff.html").read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize(("template", "reviewed"), _cases("gitlab", answer=False))
def test_code_that_was_not_reviewed_fails(template: Template, reviewed: bool, place: Path) -> None:
    """A lock in the branch is compared with what was recorded there."""
    for name in ("main1", "new", "main2"):
        (place / "standins" / "recordings").mkdir(exist_ok=True)
        recorded(place / "standins" / "recordings" / name)
    new = place / "standins" / "recordings" / "new"
    for folder in ("job", "job/branch"):
        lock = place / folder / "kernels.lock"
        assert CliRunner().invoke(main, ["inspect", str(new), "--lock", str(lock)]).exit_code == 0
        if not reviewed:
            lines = lock.read_text("utf-8").splitlines(keepends=True)
            *_, kernel = (line for line in lines if "cpp_fused" in line)
            lines.remove(kernel)
            lock.write_text("".join(lines), encoding="utf-8")
    codes = run(template, place, lock="kernels.lock")
    sent = (place / "standins" / "sent").read_text("utf-8")

    pages = (place / "job" / "kernelmap-ci").glob("*.html")

    assert any(codes) == (not reviewed)
    assert {page.name for page in pages if page.stat().st_size} == {"diff.html", "report.html"}
    assert ("1 unreviewed change" in sent) == (not reviewed)


def test_a_second_comment_replaces_the_first(place: Path) -> None:
    """The action looks for its own comment and changes that one."""
    output = place / "job" / "kernelmap-ci"
    output.mkdir()
    (output / "comment.md").write_text("## verdict\n", encoding="utf-8")
    (place / "standins" / "ids").write_text("41\n42\n", encoding="utf-8")
    whole = action()
    last = Template(
        inputs=whole.inputs,
        text=whole.text,
        reference=whole.reference,
        scripts=(whole.scripts[0], whole.scripts[-1]),
    )

    assert run(last, place) == [0]
    sent = (place / "standins" / "sent").read_text("utf-8")
    assert "-X PATCH" in sent
    assert "issues/comments/41 " in sent
    assert sent.endswith("<!-- kernelmap -->\n## verdict\n")
