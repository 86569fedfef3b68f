"""A user's command → the command and environment that record it, its run, and a text of it.

`python [options] script.py …`, `-m module` and `-c code` run under kernelmap.capture.runner.
Anything else is a launcher (torchrun, accelerate, a shell script). The Python processes that a
launcher or such a program starts get ready by themselves, by a sitecustomize on PYTHONPATH.
The program runs as if it had been started without us: its terminal, signals, exit code.

A command line is kept without what nobody else should read: values that their option calls a
secret, also inside of a text for a shell or for Python, passwords inside addresses, and texts that
have the shape of well-known tokens. What cannot be known (a secret as a plain argument) stays.
"""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

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
_BY_SIGNAL = 128  # what shells add to the number of the signal that ended a program
_PASSED_ON = tuple(
    number
    for number in signal.Signals
    if number.name in ("SIGTERM", "SIGHUP")  # Windows has one
)
HIDDEN = "***"
_WORDS = (  # a tokenizer, a number of tokens and an author are no secrets
    r"(?:token(?!i|s\b)|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key|credential"
    r"|auth(?!or))"
)
_ANY_CASE = re.IGNORECASE | re.DOTALL
_OPTION = re.compile(rf"(?P<name>-{{0,2}}[\w.-]*{_WORDS}[\w.-]*)(?P<value>=.*)?", _ANY_CASE)
_KEY = re.compile(r"(?P<name>--?(?:[\w.-]*[-_.])?(?:key|pw))(?P<value>=.*)?", _ANY_CASE)
_INSIDE = re.compile(  # of a text of several words, such as that behind `sh -c`
    rf"(?P<name>(?<![\w.-])(?:[\w.-]*{_WORDS}[\w.-]*[ \t]*=[ \t]*|--?[\w.-]*{_WORDS}[\w.-]*[ \t]+))"
    r"""(?:"[^"]*"|'[^']*'|[^\s"';&|)-][^\s"';&|)]*)""",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
_TOKEN = re.compile(
    r"\b(?:hf_|gh[pousr]_|github_pat_|sk-|xox[abp]-|AKIA|glpat-|eyJ)[A-Za-z0-9_.=-]{12,}"
)


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
    """`python -u train.py` → `python -u -m kernelmap.capture.runner train.py`.

    `-c` and `-m` may stand at the end of other flags, and their value in the same word.
    """
    python, *rest = command
    at = 0
    while at < len(rest):
        word = rest[at]
        if not word.startswith("-") or word == "-":
            break
        flags = re.fullmatch(r"-([A-Za-z?]*?)([mc])(.*)", word, re.DOTALL)
        if flags is not None and not word.startswith(("-W", "-X", "--")):
            before = [f"-{flags[1]}"] if flags[1] else []
            value = [flags[3]] if flags[3] else []
            what = [f"-{flags[2]}", *value, *rest[at + 1 :]]
            return _runner(python, [*rest[:at], *before], what)
        at += 2 if word in _WITH_VALUE else 1
    return _runner(python, rest[:at], rest[at:])


def _runner(python: str, options: Sequence[str], what: Sequence[str]) -> tuple[str, ...]:
    named = [word for word in what if word not in _WHAT][:1]
    if not named or named == ["-"]:
        raise UsageError(
            "nothing-to-run",
            "no program stands behind python",
            "Name a script, -m MODULE or -c CODE; a program on stdin cannot be recorded.",
        )
    return (python, *options, "-m", RUNNER, *what)


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `command` on our stdin, stdout and stderr; its exit code, 128 + n after signal n.

    The terminal sends Ctrl-C to the program too, so it ends the program and not us; what asks us
    to end is passed on. Raises UsageError where the program cannot be started.
    """
    with ExitStack() as handlers:
        # Handlers, not SIG_IGN: a program that is started inherits what is ignored.
        handlers.enter_context(_handled(signal.SIGINT, lambda _number, _frame: None))
        try:
            process = subprocess.Popen(command, env=dict(environment))  # noqa: S603 -- the user's own command
        except OSError as error:
            raise UsageError(
                "command-not-started",
                f"{command[0]} cannot be started: {error.strerror or error}",
                "Check its spelling; a script that is not executable needs `python` before it.",
            ) from error

        def pass_on(number: int, _frame: FrameType | None) -> None:
            process.send_signal(number)

        for number in _PASSED_ON:
            handlers.enter_context(_handled(number, pass_on))
        code = process.wait()
    return code if code >= 0 else _BY_SIGNAL - code


@contextmanager
def _handled(
    number: signal.Signals, handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Have `number` handled; one that we were started to ignore stays ignored, by both of us."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def without_secrets(command: Sequence[str]) -> tuple[str, ...]:
    """`command` with every secret replaced by `***`.

    >>> without_secrets(["python", "train.py", "--hub-token", "abc", "--lr=0.1", "WANDB_API_KEY=x"])
    ('python', 'train.py', '--hub-token', '***', '--lr=0.1', 'WANDB_API_KEY=***')
    """
    shown: list[str] = []
    hide_next = False
    for word in command:
        if hide_next and not word.startswith("-"):
            shown.append(HIDDEN)
            hide_next = False
            continue
        found = _OPTION.fullmatch(word) or _KEY.fullmatch(word)
        hide_next = found is not None and found["value"] is None and word.startswith("-")
        if found is not None and found["value"] is not None:
            shown.append(f"{found['name']}={HIDDEN}")
        else:
            named = _INSIDE.sub(rf"\g<name>{HIDDEN}", word)
            shown.append(_TOKEN.sub(HIDDEN, _ADDRESS.sub(f"{HIDDEN}@", named)))
    return tuple(shown)
