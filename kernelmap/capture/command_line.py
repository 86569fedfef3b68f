"""A command line → what a bundle says of it: the program's name and its options' names.

A value may be anybody's secret, so no value is kept unless the user asks for them. Then what is
called a secret is masked, on its own or inside of a text for a shell, for Python or in JSON, and
with it passwords in addresses, headers, and texts that have the shape of well-known tokens. What
cannot be known (a secret as a plain argument) stays then. The time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernelmap.capture.launch import is_python, python_parts

HIDDEN = "***"
_SECRET = re.compile(  # a tokenizer, a number of tokens and an author are no secrets
    r"token(?!i|s\b)|secret|passw(?:or)?d|passphrase|(?<![a-z])pass(?![a-z])|sshpass|pwd"
    r"|(?:api|access|private|session|account|signing)[-_]?key|credential|auth(?!or(?!iz))|cookie|bearer",
    re.IGNORECASE,
)
_KEY = re.compile(r"--?(?:[\w.-]*[-_.])?(?:key|pw)", re.IGNORECASE)
_OPTION = re.compile(r"--[A-Za-z][\w.-]*|-[A-Za-z?]")
_SCRIPT = re.compile(r"[\w./~+-]+\.py")
_ASSIGNED = re.compile(r"(-{0,2}[\w.-]+)=", re.DOTALL)
_NAME = re.compile(r"(?<![\w.-])-{0,2}[\w.-]+")
_VALUE = (
    r"""("[^"]*"|'[^']*'|(?:(?:Bearer|Basic|Digest|Token)[ \t]+)?"""
    r"""[^\s"';&|(){}\[\],][^\s"';&|)}\],]*)"""
)
_AFTER_A_SIGN = re.compile(rf"""(["']?[ \t]*[:=][ \t]*){_VALUE}""", re.IGNORECASE)
_AFTER_A_BLANK = re.compile(rf"([ \t]+){_VALUE}", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=://)[^/\s@]+@")
_TOKEN = re.compile(
    r"\b(?:hf_|gh[pousr]_|github_pat_|sk-|xox[abprs]-|AKIA|ASIA|AIza|glpat-|npm_|pypi-|nvapi-|eyJ)"
    r"[A-Za-z0-9_.=-]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
)


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
            hide_next = not sign and _is_secret(name)  # its value may look like an option
            yield f"{name}={HIDDEN}" if sign else name
        elif script is None and _SCRIPT.fullmatch(word):
            script = word
            yield word
        elif word == "--":
            yield word
        else:
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
        if name.start() < at or _SECRET.search(name[0]) is None:
            continue
        found = _AFTER_A_SIGN.match(text, name.end())
        if found is None and (name[0].startswith("-") or name[0].lower() == "bearer"):
            found = _AFTER_A_BLANK.match(text, name.end())
        if found is not None:
            parts += [text[at : found.end(1)], HIDDEN]
            at = found.end()
    return "".join([*parts, text[at:]])
