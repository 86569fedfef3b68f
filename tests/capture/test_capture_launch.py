"""How a user's command is run: as Python would run it, in its own terminal, with its exit code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from children import interruptible
from kernelmap.capture.command_line import WANTED, launch
from kernelmap.capture.plan import SITE, TAG_VARIABLE, VARIABLE, Plan, hand_on, plan_in
from kernelmap.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent.parent
RUNNER = "kernelmap.capture.runner"
PROGRAM = """
import atexit, os, pickle, signal, sys
import __main__

class Own: pass

def fail():
    raise ValueError("deep")

assert pickle.loads(pickle.dumps(Own())).__class__ is Own
atexit.register(lambda: print(__main__.Own.__name__))
spec = __spec__ and __spec__.name
print(__name__, sys.argv, sys.path[:1], __file__, __package__, spec, sys.stdin.read())
print(__main__ is sys.modules["__main__"], {"__builtins__", "__file__"} <= set(vars(__main__)))
sys.stderr.write("to stderr\\n")
how = sys.argv[1] if len(sys.argv) > 1 else ""
if how == "exit": sys.exit(7)
if how == "say": sys.exit("the last word")
if how == "raise": fail()
if how == "interrupt": os.kill(os.getpid(), signal.SIGINT)
if how == "kill": os.kill(os.getpid(), signal.SIGKILL)
if how == "hook":
    sys.excepthook = lambda kind, error, frames: print("own hook", kind, frames.tb_lineno)
    fail()
"""


def python(*arguments: str, cwd: Path, **more: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of this Python with some words on stdin."""
    done = subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
        input="words",
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=interruptible,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.sampled
@pytest.mark.parametrize(
    "command",
    [
        *(f"program.py {how}" for how in ("", "exit", "say", "raise", "interrupt", "kill", "hook")),
        "package/inner.py --lr -m",
        "-m program raise",
        "-m package x y",
        "package x",
        "archive.zip x",
        "-u -O program.py",
        "-c print(__name__,__import__('sys').argv,__import__('sys').path[:1]) x",
        "broken.py",
        "missing.py",
        "-m missing",
    ],
)
def test_a_program_cannot_tell_the_runner_from_python(tmp_path: Path, command: str) -> None:
    """Output, traceback, exit code and signal are the same to the letter."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "broken.py").write_text("x = (\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text(PROGRAM)
    (tmp_path / "package" / "inner.py").write_text(PROGRAM)
    with ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", PROGRAM)
    words = command.split(" ") if command.startswith("-c") else command.split()
    recorded = launch([sys.executable, *words], Plan(), {}).command

    plain = python(*words, cwd=tmp_path)
    assert RUNNER in recorded
    assert python(*recorded[1:], cwd=tmp_path) == (*plain[:2], without_runpy(plain[2]))


def without_runpy(text: str) -> str:
    """A traceback of `python -m` without Python's own two frames on top, which we spare people."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "<frozen runpy>" not in line)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["python", "a.py", "-m", "x"], ["python", "-m", RUNNER, "a.py", "-m", "x"]),
        (["python3.12", "-u", "a.py"], ["python3.12", "-u", "-m", RUNNER, "a.py"]),
        (["python", "-W", "m", "a.py"], ["python", "-W", "m", "-m", RUNNER, "a.py"]),
        (["python", "-Xdev", "-mpkg", "1"], ["python", "-Xdev", "-m", RUNNER, "-m", "pkg", "1"]),
        (["python", "-um", "pkg"], ["python", "-u", "-m", RUNNER, "-m", "pkg"]),
        (["/opt/bin/python", "-c", "1"], ["/opt/bin/python", "-m", RUNNER, "-c", "1"]),
        (["torchrun", "-m", "pkg"], ["torchrun", "-m", "pkg"]),
    ],
)
def test_the_runner_stands_where_the_program_began(command: list[str], expected: list[str]) -> None:
    """Python's own options stay Python's, the program's stay the program's."""
    assert list(launch(command, Plan(), {}).command) == expected


@pytest.mark.parametrize(
    "command", [["python"], ["python", "-u"], ["python", "-"], ["python", "-m"]]
)
def test_without_a_program_there_is_nothing_to_record(command: list[str]) -> None:
    """An interactive Python and a program on stdin are refused, with the way out."""
    with pytest.raises(UsageError) as raised:
        launch(command, Plan(), {})
    assert raised.value.slug == "nothing-to-run"


@pytest.mark.parametrize(
    ("provenance", "on_gpu", "own", "wanted", "anew"),
    [
        (True, True, {}, set(WANTED), True),
        (True, True, dict(WANTED), set(WANTED), False),
        (False, True, {}, set(), False),
        (False, False, {}, {"TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE"}, True),
    ],
)
def test_the_cache_is_kept_where_provenance_is_not_wanted(
    provenance: bool, on_gpu: bool, own: dict[str, str], wanted: set[str], anew: bool
) -> None:
    """Then no variable that changes generated code is set, unless a CPU would show nothing."""
    plan = Plan(provenance=provenance)
    launched = launch(["python", "a.py"], plan, own, on_gpu=on_gpu)

    assert set(launched.settings) == wanted == set(WANTED) & set(launched.environment)
    assert launched.compiles_anew == anew
    assert launched.plan.provenance == provenance


def test_whoever_asks_why_has_all_compiled_anew() -> None:
    """Keys of the caches get a text of this capture alone, behind the program's own."""
    own = {**WANTED, TAG_VARIABLE: "mine"}
    tags = [
        launch(["python", "a.py"], Plan(why=True), own).environment[TAG_VARIABLE] for _ in range(2)
    ]
    launched = launch(["python", "a.py"], Plan(why=True), dict(WANTED))

    assert all(tag.startswith("minekernelmap_") for tag in tags)
    assert len(set(tags)) == 2
    assert launched.compiles_anew
    assert TAG_VARIABLE not in launched.settings
    assert TAG_VARIABLE not in launch(["python", "a.py"], Plan(), {}).environment


def test_code_without_provenance_has_its_backward_compiled_as_ever() -> None:
    """A user who turned provenance off wants no other compilation for it either."""
    own = {"INDUCTOR_PROVENANCE": "0"}

    assert not launch(["python", "a.py"], Plan(), own).plan.provenance


def test_what_the_user_set_stays() -> None:
    """A variable that the user set stays and is reported; the others are set."""
    set_by_user = {"INDUCTOR_PROVENANCE": "0", "KINETO_LOG_LEVEL": "2", "HOME": "/home/user"}
    launched = launch(["python", "a.py"], Plan(), set_by_user)

    assert launched.differing == ("INDUCTOR_PROVENANCE",)
    assert {**launched.environment, **set_by_user} == launched.environment
    assert launched.environment["TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE"] == "1"
    assert set(launched.settings) == {
        "INDUCTOR_PROVENANCE",
        "TORCHINDUCTOR_UNIQUE_KERNEL_NAMES",
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE",
    }


def test_a_log_folder_of_the_user_s_is_used() -> None:
    """A TORCH_TRACE of the user stays, and torch's log is then left where it goes."""
    launched = launch(["python", "a.py"], Plan(), {"TORCH_TRACE": "/logs"})

    assert (launched.log_folder, launched.plan.logs) == (Path("/logs"), None)
    assert launch(["python", "a.py"], Plan(), {}).log_folder is None


def test_a_plan_survives_its_journey() -> None:
    """A plan comes out of the environment as it went in; a child process names itself."""
    plan = Plan(folder="/b", warmup=3, stacks=True, name="rank_0")
    environment = {VARIABLE: plan.to_json()}
    received = plan_in(environment)
    hand_on(plan, environment)

    assert received == plan
    assert plan_in(environment) == replace(plan, name=None)
    assert environment["PYTHONPATH"] == str(SITE)
    assert plan_in({}) is None


def test_a_launcher_s_processes_find_our_sitecustomize_first(tmp_path: Path) -> None:
    """The user's own sitecustomize runs too, and sees neither our folder nor a second one."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys; print('theirs', __name__, any('capture/site' in p for p in sys.path))"
    )
    launched = launch(
        ["torchrun", "a.py"], Plan(folder=str(tmp_path / "b")), {"PYTHONPATH": "mine"}
    )
    path = os.pathsep.join([str(SITE), str(tmp_path), str(ROOT)])
    code = "import sys, sitecustomize; print(sitecustomize.__file__, len(sys.meta_path))"
    plain = python("-c", code, cwd=tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]))
    watched = python(
        "-c", code, cwd=tmp_path, PYTHONPATH=path, **{VARIABLE: launched.plan.to_json()}
    )

    assert launched.environment["PYTHONPATH"].split(os.pathsep) == [str(SITE), "mine"]
    assert plain[1].split()[:4] == ["theirs", "sitecustomize", "False", *plain[1].split()[3:4]]
    assert watched[1].split()[:-1] == plain[1].split()[:-1]
    assert int(watched[1].split()[-1]) == int(plain[1].split()[-1]) + 1
    assert not (tmp_path / "b").exists()


def test_a_program_finds_nothing_of_ours_loaded_but_modules_of_the_standard_library(
    tmp_path: Path,
) -> None:
    """Until it loads torch: a variable that it sets for numpy or torch counts as without us."""
    plan = Plan(folder=str(tmp_path / "b"))
    packages = "{name.partition('.')[0] for name in sys.modules}"
    others = f"{packages} - {{*sys.stdlib_module_names}}"
    code = f"import sys; print(*sorted({others}))"
    recorded = launch([sys.executable, "-c", code], plan, {})

    plain = set(python("-c", code, cwd=tmp_path)[1].split())
    watched = set(python(*recorded.command[1:], cwd=tmp_path, **recorded.environment)[1].split())
    assert RUNNER in recorded.command
    assert watched - plain == {"kernelmap"}


def test_a_plan_of_another_kernelmap_leaves_a_program_as_it_is(tmp_path: Path) -> None:
    """What cannot be recorded still runs, the user's own sitecustomize included."""
    (tmp_path / "sitecustomize.py").write_text("print('theirs')")
    path = os.pathsep.join([str(SITE), str(tmp_path), str(ROOT)])
    code, out, _ = python("-c", "print(1)", cwd=tmp_path, PYTHONPATH=path, **{VARIABLE: "{}"})

    assert (code, out) == (0, "theirs\n1\n")


def test_a_signal_that_we_ignore_the_program_ignores_too(tmp_path: Path) -> None:
    """A shell has what it runs in the background ignore Ctrl-C; so it is with us between."""
    code = (
        "import os, signal, sys; from kernelmap.capture.running import run_program\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "told = 'import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)'\n"
        "run_program([sys.executable, '-c', told], os.environ)\n"
    )

    assert python("-c", code, cwd=tmp_path)[:2] == (0, "True\n")


def test_a_launcher_command_is_started_as_it_is(tmp_path: Path) -> None:
    """Streams and exit code pass through, and what was missing is said."""
    assert shutil.which("sh")
    run = "from kernelmap.cli import main; main()"
    command = ["capture", "-o", "b", "--", "sh", "-c", "cat; echo err >&2; exit 5"]
    code, out, err = python("-c", run, *command, cwd=tmp_path)

    assert (code, out) == (5, "words")
    assert err.startswith("note: code is compiled anew")
    assert "\nerr\n" in err
    assert "no process of the program made a step" in err
    assert python("-c", run, *command, cwd=tmp_path)[0] == 2


@pytest.mark.sampled
@pytest.mark.parametrize(
    "command", ["no-such", "./plain.txt", "./strange", "python no-such.py", "python"]
)
@pytest.mark.parametrize("there", [False, True])
def test_a_program_that_cannot_start_leaves_no_bundle(
    tmp_path: Path, command: str, there: bool
) -> None:
    """Wrong usage, and the folder is as before: without a bundle, or with the older one."""
    (tmp_path / "plain.txt").write_text("no program")
    (tmp_path / "strange").write_bytes(b"\x7fELF, but no program")
    (tmp_path / "strange").chmod(0o755)
    run = "from kernelmap.cli import main; main()"
    words = [sys.executable if word == "python" else word for word in command.split()]
    if there:
        assert python("-c", run, "capture", "-o", "b", "--", "true", cwd=tmp_path)[0] == 0
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    code, _, err = python("-c", run, "capture", "--force", "-o", "b", "--", *words, cwd=tmp_path)

    assert code == 2, err
    assert "error:" in err
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before
