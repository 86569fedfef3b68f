"""What each rule of the matcher gains: switch it off, and count what changes.

    python scripts/rules.py MARKED... --corpus CORPUS    # the page docs/rules.md; half an hour
    python scripts/rules.py MARKED... --recordings       # print the recordings alone; minutes
    python scripts/rules.py --worlds sorts --only once   # print worlds with a word in their name
    python scripts/rules.py MARKED... --without between --without suits      # several at once

MARKED are recordings with a truth beside those of the samples, CORPUS is a folder of traces without
one, of which changes are counted. `--figures FILE` keeps what was measured, until the package
changes. Whoever adds a rule adds it to rules_off.py, and a rule that gains nothing here goes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import usage
from rules_cases import (
    PROJECT,
    SIMULATED,
    Case,
    Worth,
    answer_of,
    foreign,
    recordings,
    worlds,
    worth_of,
)
from rules_off import RULES, Rule, switched_off

from kernelmap.matching.aligner import by_model

PAGE = PROJECT / "docs" / "rules.md"
_ALL = ""
"""Instead of a rule: nothing is switched off."""
_SHOWN = 3
"""Simulated rows of one rule that the page names."""

Figures = dict[tuple[str, str], Worth]
"""The worth by rule that is off (_ALL: none) and by group of cases."""

_HEAD = """<!-- Made by scripts/rules.py; do not edit. -->
# Rules of the matcher, and what each gains

Each rule was switched off, and everything was matched again: what changed is what the rule gains.
*Recordings* are those of GPUs, as they are and with something taken away that a user may lack: the
host side, half of the code, one launch or api call in fifty, the beginning or the end; *traces of
others* have no truth, so changes are counted. *Simulated* rows are those of
[accuracy.md](accuracy.md); they are the only evidence where no recording shows the case. A wrong
call counts once per launch. What is covered is a share of the compiled time. Where nothing that is
measured shows what a rule is for, its case stands in the last column. A rule with two empty cells
has no reason to be there.

| rule | what it says | in recordings | in simulated rows, or the case |
|---|---|---|---|
"""


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("marked", nargs="*", type=Path, help="folders of marked recordings")
    parser.add_argument("--corpus", type=Path, help="a folder of traces without a truth")
    parser.add_argument("--recordings", action="store_true", help="print, without any worlds")
    parser.add_argument("--worlds", metavar="WORD", help="print, only worlds with this word")
    parser.add_argument("--seeds", type=int, default=1, help="so many seeds of written worlds")
    parser.add_argument("--only", action="append", metavar="RULE", help="print, these rules alone")
    parser.add_argument("--without", action="append", metavar="RULE", help="print, all at once")
    parser.add_argument("--figures", type=Path, help="a file for what was measured")
    chosen = parser.parse_args()
    sets = {rule.name: [rule] for rule in RULES if not chosen.only or rule.name in chosen.only}
    if chosen.without:
        sets = {" + ".join(chosen.without): [r for r in RULES if r.name in chosen.without]}
    figures = measured(_cases(chosen), sets, chosen.figures)
    if chosen.recordings or chosen.worlds is not None or chosen.only or chosen.without:
        print("\n".join(_report(sets, figures)))
    else:
        PAGE.write_text(page(figures), encoding="utf-8")


def _cases(chosen: Any) -> Iterator[Case]:  # noqa: ANN401 -- what the command line says
    if chosen.worlds is None:
        yield from recordings(chosen.marked)
        yield from foreign(chosen.corpus) if chosen.corpus else ()
    if not chosen.recordings:
        yield from worlds(range(1, 1 + chosen.seeds), chosen.worlds or "")


def measured(
    cases: Iterable[Case], sets: Mapping[str, Sequence[Rule]], kept: Path | None = None
) -> Figures:
    """The worth of each group of cases with all rules, and without those of each set.

    What `kept` has of the same package is not measured again.
    """
    memory = _Memory(kept)
    figures: Figures = defaultdict(Worth)
    for case in cases:
        of_case = memory.of(case)
        missing = {name: rules for name, rules in sets.items() if name not in of_case}
        if missing or _ALL not in of_case:
            of_case |= _worths(case, missing)
            memory.save()
        for name in (_ALL, *sets):
            figures[name, case.group] += of_case[name]
        print(f"{case.group}: {case.name}", file=sys.stderr, flush=True)
    return figures


def _worths(case: Case, sets: Mapping[str, Sequence[Rule]]) -> dict[str, Worth]:
    """The worth of one case with all rules, and without those of each set."""
    entered: set[str] = set()
    models = _Models()
    tried = [rule for rules in sets.values() for rule in rules]
    with switched_off(tried, entered), models.kept():
        base = case.matched()
    before = answer_of(base)
    worths = {_ALL: worth_of(case, base, before)}
    for name, rules in sets.items():
        # A rule that was never asked changes nothing.
        worths[name] = worths[_ALL]
        if any(rule.name in entered for rule in rules):
            learns = any(rule.learns for rule in rules)
            with switched_off(rules), nullcontext() if learns else models.kept():
                worths[name] = worth_of(case, case.matched(), before)
    return worths


class _Models:
    """What the model learned of a case and says of it: the same for rules that only judge that."""

    def __init__(self) -> None:
        self._learned: dict[bytes, Any] = {}
        self._decoded: dict[int, Any] = {}
        self._module: Any = by_model

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While this holds nothing is learned twice."""
        learner, decoded = self._module.Learner, self._module.decode_all

        def learns(sites: Any, tokens: Any, tuned: Any, taught: Any = ()) -> Any:  # noqa: ANN401
            content = [tuned.tobytes()]
            for one in tokens.sequences:
                content += [one.token.tobytes(), one.settled.tobytes(), bytes([one.doubted])]
            key = b"|".join(content)

            def learned() -> Any:  # noqa: ANN401
                if key not in self._learned:
                    self._learned[key] = learner(sites, tokens, tuned, taught).learn_model()
                return self._learned[key]

            return SimpleNamespace(learn_model=learned)

        def decodes(model: Any, tokens: Any, sites: Any) -> Any:  # noqa: ANN401
            number = id(model.decoder)  # models are kept, so that no other one has this number
            if number not in self._decoded:
                self._decoded[number] = decoded(model, tokens, sites)
            return self._decoded[number]

        self._module.Learner, self._module.decode_all = learns, decodes
        try:
            yield
        finally:
            self._module.Learner, self._module.decode_all = learner, decoded


class _Memory:
    """What was measured of the package as it is: by case and rule, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._digest = path, _digest_of_package()
        text = path.read_text(encoding="utf-8") if path and path.exists() else "{}"
        self._cases: dict[str, dict[str, Worth]] = {
            name: {rule: Worth(**fields) for rule, fields in of_case.items()}
            for name, of_case in json.loads(text).get(self._digest, {}).items()
        }

    def of(self, case: Case) -> dict[str, Worth]:
        """What is known of a case, to be added to."""
        return self._cases.setdefault(f"{case.group}: {case.name}", {})

    def save(self) -> None:
        """Write it down."""
        if self._path:
            plain = {
                name: {
                    rule: {field: getattr(worth, field) for field in Worth.__slots__}
                    for rule, worth in of_case.items()
                }
                for name, of_case in self._cases.items()
            }
            self._path.write_text(json.dumps({self._digest: plain}), encoding="utf-8")


def _digest_of_package() -> str:
    digest = hashlib.sha256()
    for path in sorted((PROJECT / "kernelmap").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _report(sets: Iterable[str], figures: Figures) -> Iterator[str]:
    """Lines: of each set the groups in which something changes without it."""
    for name in sets:
        yield f"== {name}"
        for (of, group), worth in figures.items():
            if of == name and worth.changed:
                plain = figures[_ALL, group]
                yield (
                    f"   {group:48s} covered {_points(plain, worth):+7.2f} wrong"
                    f" {plain.wrong} -> {worth.wrong}, exact {worth.exact_wrong}, candidates astray"
                    f" {plain.astray} -> {worth.astray}, changed {worth.changed}/{worth.launches}"
                )


def _points(plain: Worth, without: Worth) -> float:
    """By how many points coverage changes without a rule, whatever is named counting as well."""
    return 100 * (without.reached - plain.reached)


def page(figures: Figures) -> str:
    """The text of docs/rules.md."""
    lines = []
    for rule in RULES:
        gains = {
            group: _gain(figures[_ALL, group], worth)
            for (name, group), worth in figures.items()
            if name == rule.name and worth.changed
        }
        real = [f"{group}: {gain}" for group, gain in gains.items() if group not in SIMULATED]
        played = sorted(
            (group for group in gains if group in SIMULATED),
            key=lambda group: _weight(figures[_ALL, group], figures[rule.name, group]),
        )
        simulated = [f"{group}: {gains[group]}" for group in played[:_SHOWN]]
        if len(played) > _SHOWN:
            simulated.append(f"and in {len(played) - _SHOWN} more")
        cells = (rule.name, rule.says, "; ".join(real), "; ".join(simulated) or rule.case)
        lines.append(f"| {' | '.join(cells)} |")
    return _HEAD + "\n".join(lines) + "\n"


def _weight(plain: Worth, without: Worth) -> tuple[int, float]:
    """What is told first: where most wrong calls are kept out, then where coverage changes most."""
    return plain.wrong - without.wrong, -abs(_points(plain, without))


def _gain(plain: Worth, without: Worth) -> str:
    """What a rule gains in a group, in a few words."""
    said = []
    points = -_points(plain, without)
    if abs(points) >= 0.005:  # noqa: PLR2004 -- what two digits show
        said.append(f"{points:+.2f} points covered")
    elif plain.right != without.right:
        said.append(f"{plain.right - without.right:+d} with the right call alone")
    for name, count in (
        ("wrong", without.wrong - plain.wrong),
        ("misleading candidates", without.astray - plain.astray),
    ):
        if count:
            said.append(f"{abs(count)} {name} {'fewer' if count > 0 else 'more'}")
    return ", ".join(said) or f"{without.changed} launches otherwise"


if __name__ == "__main__":
    main()
