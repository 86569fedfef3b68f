"""What a diagnosis gives: findings with the time that each concerns, and what they add up to.

Takes nothing, gives frozen records. A launch may lack several things at once (an exact call, a
source line); each kind of lack is added up by itself, and in it every launch counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from msgspec import Struct

from kernelmap.manual import where
from kernelmap.model import Notice
from kernelmap.model.savings import Savings
from kernelmap.model.trace import Bool


class Lack(StrEnum):
    """What is missing of a launch, or of a call where no profile was given; worst first.

    CALL: its confidence is inferred, ambiguous or unknown. OP, NODE, LINE, MODULE: it has one call,
    of which that is not known. STEADY: it ran in the window, but is no part of a usual step.
    """

    CALL = "call"
    OP = "op"
    NODE = "node"
    LINE = "line"
    MODULE = "module"
    STEADY = "steady"


class Weight(IntEnum):
    """LOST: time is missing from the result altogether. NOTE: nothing has to change for it.

    A reason whose time other reasons explain is a note as well.
    """

    LOST = 0
    CHANGE = 1
    NOTE = 2


class Claim(Struct, frozen=True, kw_only=True):
    """What one rule says: a reason, and the units (launches or calls) that it concerns.

    `slug` names the heading in docs/messages.md. `then` says what a change brings, `do` is the
    flag, the variable or the code that brings it. `rows` are masks (units,) by what the units lack;
    a `left_over` claim counts only where nothing else explains them.
    """

    slug: str
    what: str
    do: str
    then: str
    weight: Weight = Weight.CHANGE
    rows: Mapping[Lack, Bool] = {}
    left_over: bool = False

    @classmethod
    def of_notice(cls, notice: Notice, do: str, then: str, weight: Weight = Weight.CHANGE) -> Claim:
        """The claim of a notice: what it says, under its slug."""
        return cls(slug=notice.slug, what=notice.message, do=do, then=then, weight=weight)


class Gap(Struct, frozen=True, kw_only=True):
    """What one finding concerns of one lack.

    `time_ns` and `launches` count what no earlier reason explains, so that they add up over the
    findings; `involved_ns` counts all that the reason concerns. The three are None, and `calls`
    adds up instead, where no profile was given. `share` is of the window's time, or of the calls.
    `now` gives the time by confidence, for the lack of an exact call only.
    """

    lack: Lack
    time_ns: int | None
    involved_ns: int | None
    launches: int | None
    calls: int
    share: float | None
    now: Mapping[str, int] = {}


class Finding(Struct, frozen=True, kw_only=True):
    """A reason why the answer is not better, and what to do about it."""

    slug: str
    what: str
    do: str
    then: str
    weight: Weight
    gaps: tuple[Gap, ...]

    @property
    def see(self) -> str:
        """Where it is documented."""
        return where([self.slug])

    @property
    def worst(self) -> Gap | None:
        """The gap of its own with the largest share; that of modules only where it is alone."""
        telling = [gap for gap in self.gaps if gap.lack is not Lack.MODULE]
        return max(telling or self.gaps, key=lambda gap: gap.share or 0, default=None)


class Total(Struct, frozen=True, kw_only=True):
    """All that lacks one thing; `unexplained_ns` (or calls) is what no finding changes."""

    lack: Lack
    time_ns: int | None
    calls: int
    share: float | None
    unexplained_ns: int | None
    unexplained_calls: int


class Headroom(Struct, frozen=True, kw_only=True):
    """A call with time beyond what its device needs for its work.

    `headroom_ns` is of the whole window, `share` its part of it. `bound` is what keeps the call
    from being faster, by its reasons where these tell it. `reasons` are slugs of roofline.md, the
    largest saving first, with their `evidence`: those that explain a tenth of the headroom or more.
    """

    call: str
    wrapper: str
    headroom_ns: int
    share: float
    share_of_limit: float
    bound: str
    reasons: tuple[str, ...]
    evidence: tuple[str, ...]


class WantedCounters(Struct, frozen=True, kw_only=True):
    """Calls whose headroom nothing explains, and how Nsight Compute counts what they do.

    `calls` are ids, `headroom_ns` what they have together. `command` is the command line of ncu, in
    which the program is still to be named, `then` the one that uses what it wrote.
    """

    calls: tuple[str, ...]
    headroom_ns: int
    command: str
    then: str


class Advice(Struct, frozen=True, kw_only=True):
    """A diagnosis.

    `side` is "gpu" or "cpu", None without a profile; `total_ns` is the window's time, and
    `confidence` divides it. `calls` counts those of the program. `step_ns` is the time of the steps
    of a CPU profile, `step_compiled_ns` when compiled code ran in them. Findings come worst first.
    `counters` says what could explain headrooms, None where nothing is open.
    `savings` is what the steps could save, None without a profile. `headrooms` are the calls with
    the most GPU time above the limits of their device, whether or not a step waits for them.
    `refused` says why the recording bears no figures of savings and headrooms: these are empty.
    """

    side: str | None
    total_ns: int | None
    confidence: Mapping[str, int]
    calls: int
    findings: tuple[Finding, ...]
    totals: tuple[Total, ...]
    step_ns: int | None = None
    step_compiled_ns: int | None = None
    headrooms: tuple[Headroom, ...] = ()
    savings: Savings | None = None
    counters: WantedCounters | None = None
    refused: tuple[Notice, ...] = ()

    @property
    def changes(self) -> int:
        """How many findings ask for a change."""
        return sum(finding.weight is not Weight.NOTE for finding in self.findings)
