"""A user's command line: how it is started to be recorded, and what of it a bundle keeps.

`python [options] script.py …`, `-m module` and `-c code` run under kernelmap.capture.runner.
Anything else is a launcher (torchrun, accelerate, a shell script). The Python processes that a
launcher or such a program starts get ready by themselves, by a sitecustomize on PYTHONPATH.

A value may be anybody's secret, so a bundle keeps no value unless the user asks for them. Then what
is called a secret is masked, on its own or inside of a text for a shell, for Python or in JSON, and
with it passwords in addresses, headers, and texts that have the shape of well-known tokens. What
cannot be known (a secret as a plain argument) stays then. The time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernelmap.capture.plan import (
    LOG_VARIABLE,
    TAG_VARIABLE,
    VARIABLE,
    Plan,
    fresh_tag,
    hand_on,
    rank_in,
)
from kernelmap.errors import UsageError
from kernelmap.model.bundle import LOGS

HIDDEN = "***"
_SECRET = re.compile(  # a tokenizer, a number of tokens and an author are no secrets
    r"token(?!i|s\b)|secret|passw(?:or)?d|passphrase|(?<![a-z])pass(?![a-z])|sshpass|pwd"
    r"|(?:api|access|private|session|account|signing)[-_]?key|credential|auth(?!or(?!iz))|cookie|bearer",
    re.IGNORECASE,
)
# `key` and `pw` count only as the last part of an option's name, such as `--ssh-key`.
_KEY = re.compile(r"--?(?:[\w.-]*[-_.])?(?:key|pw)", re.IGNORECASE)
_OPTION = re.compile(r"--[A-Za-z][\w.-]*|-[A-Za-z?]")
_SCRIPT = re.compile(r"[\w./~+-]+\.py")
_ASSIGNED = re.compile(r"(-{0,2}[\w.-]+)=", re.DOTALL)
_NAME = re.compile(r"(?<![\w.-])-{0,2}[\w.-]+")
# In quotes, or up to the next blank or bracket, with the scheme of a header (`Bearer`) before it.
_VALUE = (
    r"""("[^"]*"|'[^']*'|(?:(?:Bearer|Basic|Digest|Token)[ \t]+)?"""
    r"""[^\s"';&|(){}\[\],][^\s"';&|)}\],]*)"""
)
_AFTER_A_SIGN = re.compile(rf"""(["']?[ \t]*[:=][ \t]*){_VALUE}""", re.IGNORECASE)
_AFTER_A_BLANK = re.compile(rf"([ \t]+){_VALUE}", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
# Tokens of well-known services by how they begin, and private keys.
_TOKEN = re.compile(
    r"\b(?:hf_|gh[pousr]_|github_pat_|sk-|xox[abprs]-|AKIA|ASIA|AIza|glpat-|npm_|pypi-|nvapi-|eyJ)"
    r"[A-Za-z0-9_.=-]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
)

RUNNER = "kernelmap.capture.runner"
WANTED: Mapping[str, str] = {
    "INDUCTOR_PROVENANCE": "1",
    "TORCHINDUCTOR_UNIQUE_KERNEL_NAMES": "1",
    "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
}
"""The variables that compilation needs. Each value is part of the key of Inductor's cache or
changes the generated code, so the first recorded run compiles anew and the next one finds it in the
cache."""
_PROVENANCE = "INDUCTOR_PROVENANCE"
_CPP_PROFILE = "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE"
_QUIET = {"KINETO_LOG_LEVEL": "99"}  # else Kineto writes into the program's stderr
_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)?t?)?(?:\.exe)?", re.IGNORECASE)
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
_WHAT = ("-m", "-c")


def names_only(command: Sequence[str]) -> tuple[str, ...]:
    """The program and the names of its options; every value is `***`.

    >>> names_only(["python", "-u", "train.py", "--lr", "0.1", "--token=abc", "data/"])
    ('python', '-u', 'train.py', '--lr', '***', '--token=***', '***')
    >>> names_only(["torchrun", "--nproc_per_node=2", "train.py", "-b64"])
    ('torchrun', '--nproc_per_node=***', 'train.py', '-b***')
    """
    program, *rest = command
    if not is_python(program):
        return (program, *_names(rest, script=None))
    options, what = python_parts(command)
    if what[0] == "-m":
        return (program, *options, *what[:2], *_names(what[2:], script=""))
    if what[0] == "-c":
        return (program, *options, "-c", *[HIDDEN] * len(what[1:2]), *_names(what[2:], script=""))
    return (program, *options, what[0], *_names(what[1:], script=""))


def _names(words: Sequence[str], *, script: str | None) -> Iterator[str]:
    """What stays of each word; `script` None: the first Python file among them is the program."""
    hide_next = False
    for word in words:
        name, sign, _ = word.partition("=")
        if hide_next:
            hide_next = False
            yield HIDDEN
        elif _OPTION.fullmatch(name):
            # Only a secret hides the next word for certain: other options may have no value.
            hide_next = not sign and _is_secret(name)  # its value may look like an option
            yield f"{name}={HIDDEN}" if sign else name
        elif script is None and _SCRIPT.fullmatch(word):
            script = word
            yield word
        elif word == "--":
            yield word
        else:
            # A short option may have its value in the same word: `-b64`.
            yield f"{word[:2]}{HIDDEN}" if _OPTION.fullmatch(word[:2]) else HIDDEN


def without_secrets(command: Sequence[str]) -> tuple[str, ...]:
    """`command` with every secret that can be known replaced by `***`.

    >>> without_secrets(["python", "train.py", "--hub-token", "abc", "--lr=0.1", "WANDB_API_KEY=x"])
    ('python', 'train.py', '--hub-token', '***', '--lr=0.1', 'WANDB_API_KEY=***')
    """
    shown: list[str] = []
    hide_next = False
    for word in command:
        assigned = _ASSIGNED.match(word)
        if hide_next:
            hide_next = False
            shown.append(HIDDEN)
        elif assigned is not None and _is_secret(assigned[1]):
            shown.append(f"{assigned[1]}={HIDDEN}")
        else:
            # Words with a blank in them are a text for a shell; its secrets are masked inside.
            hide_next = word.startswith("-") and _is_secret(word) and " " not in word
            shown.append(_TOKEN.sub(HIDDEN, _ADDRESS.sub(f"{HIDDEN}@", _masked(word))))
    return tuple(shown)


def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None or _KEY.fullmatch(name) is not None


def _masked(text: str) -> str:
    """`text` of several words without the values of what it calls a secret."""
    parts: list[str] = []
    at = 0
    for name in _NAME.finditer(text):
        # This name lies in a value that was hidden.
        if name.start() < at or _SECRET.search(name[0]) is None:
            continue
        value = _AFTER_A_SIGN.match(text, name.end())
        # After a blank only an option has its value, or `Bearer`: "the password of" hides no word.
        if value is None and (name[0].startswith("-") or name[0].lower() == "bearer"):
            value = _AFTER_A_BLANK.match(text, name.end())
        if value is not None:
            parts += [text[at : value.end(1)], HIDDEN]
            at = value.end()
    return "".join([*parts, text[at:]])


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLaunch:
    """What to start. `python` is the interpreter that runs the program itself, None for launchers.

    `settings` are the wanted variables and TORCH_TRACE as the program will see them; those in
    `differing` the user had set to something else, which stays. `compiles_anew` is whether code is
    generated otherwise than where the program runs alone, so that its cache does not have it.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    settings: Mapping[str, str]
    differing: tuple[str, ...]
    compiles_anew: bool
    python: str | None
    plan: Plan

    @property
    def log_folder(self) -> Path | None:
        """Where the user has torch's log written; None where it goes into the bundle."""
        return None if self.plan.logs is not None else Path(self.settings[LOG_VARIABLE])


def launch(
    command: Sequence[str], plan: Plan, environment: Mapping[str, str], *, on_gpu: bool = True
) -> ProgramLaunch:
    """How to run `command` as `plan` says. UsageError where that cannot be.

    `on_gpu` is whether there is a GPU for it to run on.
    """
    own_log = environment.get(LOG_VARIABLE)
    python = command[0] if is_python(command[0]) else None
    name = None if python is None else f"rank_{rank_in(environment) or 0}"
    wanted = _wanted(plan, on_gpu=on_gpu)
    # What the user has set in his environment stays.
    settings = {name: environment.get(name, value) for name, value in wanted.items()}
    plan = replace(
        plan,
        logs=None if own_log else LOGS,
        name=name,
        provenance=settings.get(_PROVENANCE) == WANTED[_PROVENANCE],
    )
    if own_log:
        settings[LOG_VARIABLE] = own_log
    changed = {**_QUIET, **environment, **settings, VARIABLE: plan.to_json()}
    if plan.why:
        changed[TAG_VARIABLE] = fresh_tag(environment.get(TAG_VARIABLE, ""))
    # A launcher's Pythons get ready by themselves; a single Python is started by the runner.
    if python is None:
        hand_on(plan, changed)
    return ProgramLaunch(
        command=tuple(command) if python is None else _under_runner(command),
        environment=changed,
        settings=settings,
        differing=tuple(name for name, value in wanted.items() if settings[name] != value),
        compiles_anew=plan.why
        or any(name in wanted and name not in environment for name in (_PROVENANCE, _CPP_PROFILE)),
        python=python,
        plan=plan,
    )


def _wanted(plan: Plan, *, on_gpu: bool) -> Mapping[str, str]:
    """The variables to set.

    Without provenance none that changes the code, but on a CPU: C++ kernels leave no trace without
    their profile, so there would be nothing to see.
    """
    if plan.provenance:
        return WANTED
    return {} if on_gpu else {_CPP_PROFILE: WANTED[_CPP_PROFILE]}


def is_python(program: str) -> bool:
    """Whether `program` is a Python interpreter by its name.

    >>> [is_python(name) for name in ("/usr/bin/python3.12", "python", "torchrun", "pythonic")]
    [True, True, False, False]
    """
    return _PYTHON.fullmatch(Path(program).name) is not None


def _under_runner(command: Sequence[str]) -> tuple[str, ...]:
    """`python -u train.py` → `python -u -m kernelmap.capture.runner train.py`."""
    options, what = python_parts(command)
    # `-m` and `-c` need a value behind them.
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
        # `-c` or `-m` ends Python's own options, also at the end of other flags: `-um module`.
        flags = re.fullmatch(r"-([A-Za-z?]*?)([mc])(.*)", word, re.DOTALL)
        if flags is not None and not word.startswith(("-W", "-X", "--")):
            before = [f"-{flags[1]}"] if flags[1] else []
            value = [flags[3]] if flags[3] else []
            return [*rest[:at], *before], [f"-{flags[2]}", *value, *rest[at + 1 :]]
        at += 2 if word in _WITH_VALUE else 1
    return list(rest[:at]), list(rest[at:])
