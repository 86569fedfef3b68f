"""Whether two recordings may be compared: what differs beside the code.

Takes two sides, gives one sentence per difference. A difference does not stop a comparison; whoever
wants that asks for --strict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kernelmap.compare.causes import Cause, Paired, Part
from kernelmap.compare.side import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`what` differs: `before` and `after`, None where a recording does not say."""

    what: str
    before: str | None
    after: str | None

    def text(self) -> str:
        """The difference in words."""
        return f"{self.what}: {self.before or 'not known'}, then {self.after or 'not known'}"


def differences(
    sides: tuple[Side, Side], found: Paired, parts: Iterable[Part]
) -> tuple[Difference, ...]:
    """What makes the two sides hard to compare; empty where nothing is known to."""
    before, after = sides
    pairs = [
        ("GPU", _joined(before.summary.devices), _joined(after.summary.devices)),
        ("side", before.summary.side, after.summary.side),
        *(
            (name, before.versions.get(name), after.versions.get(name))
            for name in ("torch", "triton", "cuda", "rocm")
        ),
        ("processes", _processes(before), _processes(after)),
        ("steps", _steps(before), _steps(after)),
    ]
    told = [
        Difference(what=what, before=one, after=other)
        for what, one, other in pairs
        if one != other and (what == "steps" or None not in (one, other))
    ]
    shapes = sum(part.cause is Cause.SHAPES for part in parts)
    if shapes:
        told.append(Difference(what="shapes or types", before=f"of {shapes} calls", after="others"))
    if not found.pairs and (before.graphs or after.graphs):
        told.append(Difference(what="code", before="no graph in common", after="other graphs"))
    return tuple(told)


def _joined(names: Iterable[str]) -> str | None:
    return ", ".join(sorted(set(names))) or None


def _processes(side: Side) -> str | None:
    return f"{side.processes}" if side.processes else None


def _steps(side: Side) -> str | None:
    return "without steps" if side.steps is None else "with steps"
