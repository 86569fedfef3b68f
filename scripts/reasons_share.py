"""Say how much of the headroom of recordings has a reason, by reason, and what has none.

    python scripts/reasons_share.py sample_traces/cuda_*   # half a minute
    python scripts/reasons_share.py --left 5 FOLDER...     # and the largest calls without a reason

A reason of a call counts as far as the headroom of the call goes. Reasons of its limit
(written-and-read, computed-again) do not count: they say how the limit could fall. A folder may
hold a bundle or a sample, or a profile.json.gz beside the log of TORCH_TRACE.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import usage

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kernelmap import Correlation, correlate
from kernelmap.model.roofline import Roofline, Slug

_OF_LIMITS = (Slug.WRITTEN_AND_READ, Slug.COMPUTED_AGAIN)


@dataclass(frozen=True, slots=True)
class Share:
    """The headroom of a recording in ns, and what of it each reason explains.

    `left` has by call what no reason explains.
    """

    name: str
    headroom_ns: int
    by_slug: Mapping[str, int]
    left: Mapping[int, int]

    @property
    def explained(self) -> float:
        """The share that has a reason; all of nothing."""
        return sum(self.by_slug.values()) / self.headroom_ns if self.headroom_ns else 1.0

    def __str__(self) -> str:
        parts = Counter(self.by_slug).most_common()
        of = max(1, self.headroom_ns)
        said = ", ".join(f"{slug} {ns / of:.1%}" for slug, ns in parts if ns >= of / 1000)
        return f"{self.name:26} {self.headroom_ns / 1000:9,.0f} µs {self.explained:6.1%}  {said}"


def correlation_of(folder: Path) -> Correlation:
    """What is said of a folder."""
    logs = sorted(folder.glob("*torch_trace*.log*"))
    return correlate(*logs[:1], folder / "profile.json.gz") if logs else correlate(folder)


def share_of(name: str, roofline: Roofline) -> Share:
    """How much of a recording's headroom its reasons explain."""
    left = {speed.call: speed.headroom_ns or 0 for speed in roofline.calls}
    headroom_ns = sum(left.values())
    by_slug: Counter[str] = Counter()
    for reason in roofline.reasons:
        if reason.slug in _OF_LIMITS:
            continue
        for call, saved_ns in zip(reason.calls, reason.savings or (), strict=False):
            part = min(saved_ns, left[call])
            left[call] -= part
            by_slug[reason.slug.value] += part
    return Share(name=name, headroom_ns=headroom_ns, by_slug=by_slug, left=left)


def _say_left(found: Correlation, roofline: Roofline, share: Share, top: int) -> None:
    """Print the calls with the most headroom that has no reason."""
    speeds = {speed.call: speed for speed in roofline.calls}
    for call, left_ns in Counter(share.left).most_common(top):
        graph, stated = found.program.calls[call]
        speed = speeds[call]
        each = (speed.executions or 1) * 1000
        print(
            f"    {left_ns / 1000:9,.1f} µs  {graph.call_id(stated):20} each"
            f" {speed.time_ns / each:.1f} µs, memory {(speed.memory_ns or 0) / each:.1f}, compute"
            f" {(speed.compute_ns or 0) / each:.1f}, {speed.ran[-1][0][:60]}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line per recording and one of all."""
    parser = usage.parser(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--left", type=int, default=0, help="calls without a reason, so many each")
    options = parser.parse_args(arguments)
    headroom_ns, sums = 0, Counter[str]()
    for folder in options.folders:
        found = correlation_of(folder)
        roofline = found.roofline().tables.roofline
        share = share_of(folder.name, roofline)
        print(share)
        _say_left(found, roofline, share, options.left)
        headroom_ns += share.headroom_ns
        sums.update(share.by_slug)
    print(Share(name="all", headroom_ns=headroom_ns, by_slug=sums, left={}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
