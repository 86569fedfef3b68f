"""A user's command → the command and the environment that record it.

`python [options] script.py …`, `-m module` and `-c code` run under kernelmap.capture.runner.
Anything else is a launcher (torchrun, accelerate, a shell script). The Python processes that a
launcher or such a program starts get ready by themselves, by a sitecustomize on PYTHONPATH.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernelmap.capture.plan import LOG_VARIABLE, VARIABLE, Plan, hand_on, rank_in
from kernelmap.errors import UsageError
from kernelmap.model.bundle import LOGS

RUNNER = "kernelmap.capture.runner"
WANTED: Mapping[str, str] = {
    "INDUCTOR_PROVENANCE": "1",
    "TORCHINDUCTOR_UNIQUE_KERNEL_NAMES": "1",
    "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
}
"""What compilation must be told. Each value is part of the key of Inductor's cache or changes the
generated code, so the first recorded run compiles anew and the next one finds it in the cache."""
_QUIET = {"KINETO_LOG_LEVEL": "99"}  # else Kineto writes into the program's stderr
_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)?t?)?(?:\.exe)?", re.IGNORECASE)
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
_WHAT = ("-m", "-c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What to start. `python` is the interpreter that runs the program itself, None for launchers.

    `settings` are the variables of WANTED and TORCH_TRACE as the program will see them; those in
    `differing` the user had set to something else, which stays.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    settings: Mapping[str, str]
    differing: tuple[str, ...]
    python: str | None
    plan: Plan

    @property
    def log_folder(self) -> Path | None:
        """Where the user has torch's log written; None where it goes into the bundle."""
        return None if self.plan.logs is not None else Path(self.settings[LOG_VARIABLE])


def launch(command: Sequence[str], plan: Plan, environment: Mapping[str, str]) -> Launch:
    """How to run `command` as `plan` says. UsageError where that cannot be."""
    own_log = environment.get(LOG_VARIABLE)
    python = command[0] if is_python(command[0]) else None
    name = None if python is None else f"rank_{rank_in(environment) or 0}"
    plan = replace(plan, logs=None if own_log else LOGS, name=name)
    settings = {name: environment.get(name, value) for name, value in WANTED.items()}
    if own_log:
        settings[LOG_VARIABLE] = own_log
    changed = {**_QUIET, **environment, **settings, VARIABLE: plan.to_json()}
    if python is None:
        hand_on(plan, changed)
    return Launch(
        command=tuple(command) if python is None else _under_runner(command),
        environment=changed,
        settings=settings,
        differing=tuple(name for name, value in WANTED.items() if settings[name] != value),
        python=python,
        plan=plan,
    )


def is_python(program: str) -> bool:
    """Whether `program` is a Python interpreter by its name.

    >>> [is_python(name) for name in ("/usr/bin/python3.12", "python", "torchrun", "pythonic")]
    [True, True, False, False]
    """
    return _PYTHON.fullmatch(Path(program).name) is not None


def _under_runner(command: Sequence[str]) -> tuple[str, ...]:
    """`python -u train.py` → `python -u -m kernelmap.capture.runner train.py`."""
    options, what = python_parts(command)
    named = [word for word in what if word not in _WHAT][:1]
    if not named or named == ["-"]:
        raise UsageError(
            "nothing-to-run",
            "no program stands behind python",
            "Name a script, -m MODULE or -c CODE; a program on stdin cannot be recorded.",
        )
    return (command[0], *options, "-m", RUNNER, *what)


def python_parts(command: Sequence[str]) -> tuple[list[str], list[str]]:
    """Python's own options, and what it runs: a script, `-m` module or `-c` code, with arguments.

    `-c` and `-m` may stand at the end of other flags, and their value in the same word.
    """
    rest = command[1:]
    at = 0
    while at < len(rest):
        word = rest[at]
        if not word.startswith("-") or word == "-":
            break
        flags = re.fullmatch(r"-([A-Za-z?]*?)([mc])(.*)", word, re.DOTALL)
        if flags is not None and not word.startswith(("-W", "-X", "--")):
            before = [f"-{flags[1]}"] if flags[1] else []
            value = [flags[3]] if flags[3] else []
            return [*rest[:at], *before], [f"-{flags[2]}", *value, *rest[at + 1 :]]
        at += 2 if word in _WITH_VALUE else 1
    return list(rest[:at]), list(rest[at:])
