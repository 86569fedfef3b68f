"""A command line → the same without what nobody else should read.

Takes out values that their option calls a secret, also inside of a text for a shell or for Python,
passwords inside addresses, and texts that have the shape of well-known tokens. What cannot be known
(a secret as a plain argument) stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
