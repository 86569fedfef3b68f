"""One sentence for each saving: what is there, with figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from kernelmap.advice.savings.records import Lever, Spot
from kernelmap.model.notices import count, duration, percent, place, some
from kernelmap.wall.records import REMARKS

_LONG = 48


class Facts(Struct, frozen=True, kw_only=True):
    """What a sentence may say of a saving.

    `idle_ns` and `busy_ns` are its time, `ran_ns` and `launches` those of all launches that its
    lever concerns. `names` are device names, `breaks` and `again` as in Scene. `outside` is the
    part of the GPU's time that a graph break leaves outside of compiled code, `replays` counts
    those of CUDA graphs.
    """

    idle_ns: int
    busy_ns: int
    ran_ns: int
    launches: int
    spots: tuple[Spot, ...]
    names: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    outside: float = 0.0
    replays: int = 0
    device: str = "GPU"

    @property
    def time(self) -> str:
        """All of its time."""
        return duration(self.idle_ns + self.busy_ns)


def where(spot: Spot) -> str:
    """An operator or event with its line: `aten::item in train (train.py:45)`."""
    source = None if spot.source is None else place(spot.source)
    joint = " " if source and source.startswith("in ") else " at "
    name = None if spot.what is None else shortened(spot.what)
    return joint.join(filter(None, (name, source)))


def shortened(name: str) -> str:
    """A name that fits into a sentence: of a long one its beginning and its end."""
    return name if len(name) <= _LONG else f"{name[: _LONG // 2]}…{name[-_LONG // 2 :]}"


def _places(spots: Sequence[Spot]) -> list[str]:
    """The places that have a name, the largest first."""
    # Names that speak of nothing in particular are no places.
    named = (spot for spot in spots if spot.what not in REMARKS and not _is_rest(spot))
    return list(dict.fromkeys(filter(None, map(where, named))))


def _is_rest(spot: Spot) -> bool:
    return spot.what is not None and spot.what.startswith(("(", "before ("))


def _mostly(spots: Sequence[Spot], shown: int = 3) -> str:
    """The largest places: all if they are few, else some, as those that it is mostly."""
    names = _places(spots)
    if not names:
        return ""
    return f": {some(names)}" if len(names) <= shown else f", mostly {some(names[:shown])}"


def _named(spots: Sequence[Spot]) -> str:
    return some([name for name in (spot.what for spot in spots) if name]) or "compiled code"


def _launch_bound(of: Facts) -> str:
    return (
        f"The GPU waits {of.time} for the host to launch {count(of.launches, 'kernel')} of"
        f" {_named(of.spots)} one by one; they run {duration(of.ran_ns)}"
    )


def _graph_launching(of: Facts) -> str:
    return (
        f"The GPU waits {of.time} while the host gets to {count(of.replays, 'replay')} of CUDA"
        f" graphs ({_named(of.spots)})"
    )


def _static_inputs(of: Facts) -> str:
    return (
        f"The GPU waits {of.time} while inputs are copied to where CUDA graphs expect them"
        f"{_mostly(of.spots)}"
    )


def _eager(of: Facts, who: str) -> str:
    waits = f"The GPU waits {duration(of.idle_ns)} for {count(of.launches, 'launch')} of {who}"
    runs = f"; kernels that could be fused run {duration(of.busy_ns)}" if of.busy_ns else ""
    # On the CPU, and where nothing waits, there is only work that could be fused.
    if of.device == "CPU" or not of.idle_ns:
        what = "Work" if of.device == "CPU" else "Kernels"
        takes = "takes" if of.device == "CPU" else "take"
        waits, runs = f"{what} of {who} that could be fused {takes} {of.time}", ""
    return f"{waits}{_mostly(of.spots)}{runs}"


def _graph_break(of: Facts) -> str:
    at = f" at {some(of.breaks)}" if of.breaks else ""
    breaks = "Graph breaks" if len(of.breaks) > 1 else "A graph break"
    cost = f"cost{'' if len(of.breaks) > 1 else 's'} {of.time} between graphs"
    outside = (
        f", and leave{'' if len(of.breaks) > 1 else 's'} {percent(of.outside)} of the {of.device}"
        " time outside of compiled code"
        if of.outside
        else ""
    )
    places = "" if of.breaks else _mostly(of.spots)
    return f"{breaks}{at} {cost}{outside}{places}"


def _guards(of: Facts) -> str:
    return (
        f"Guards and wrappers around compiled code take {of.time} in which nothing runs"
        f"{_mostly(of.spots)}"
    )


def _synchronization(of: Facts) -> str:
    return (
        f"The host waits for the GPU{_in(of.spots)}; until it has launched again, the GPU waits"
        f" {of.time}"
    )


def _in(spots: Sequence[Spot]) -> str:
    names = _places(spots)
    return f" in {some(names)}" if names else ""


def _moving(of: Facts, what: str) -> str:
    names = some([shortened(name) for name in of.names])
    takes = "takes" if what.startswith("1 ") else "take"
    return f"{what} ({names}) {takes} {of.time} in which nothing computes"


def _copies(of: Facts) -> str:
    return _moving(of, "1 copy" if of.launches == 1 else f"{of.launches:,} copies")


def _python(of: Facts) -> str:
    if of.device == "CPU":
        return f"No operator runs for {of.time}{_mostly(of.spots)}"
    return f"The GPU waits {of.time} while the host runs without an event{_mostly(of.spots)}"


_SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    Lever.LAUNCH_BOUND: _launch_bound,
    Lever.GRAPH_LAUNCHING: _graph_launching,
    Lever.STATIC_INPUTS: _static_inputs,
    Lever.EAGER_OPERATORS: lambda of: _eager(of, "eager operators"),
    Lever.EAGER_OPTIMIZER: lambda of: _eager(of, "the eager optimizer"),
    Lever.GRAPH_BREAK: _graph_break,
    Lever.GUARDS: _guards,
    Lever.SYNCHRONIZATION: _synchronization,
    Lever.LOADING_DATA: lambda of: f"The GPU waits {of.time} for data{_mostly(of.spots)}",
    Lever.COMPILING: lambda of: (
        f"The window holds {of.time} of compiling, autotuning or recording{_mostly(of.spots)}"
    ),
    Lever.RECOMPILES: lambda of: (
        f"Code was compiled again inside of the window, for {of.time}: {some(of.again)}"
    ),
    Lever.HOST_WORK: lambda of: f"The host works {of.time}{_in(of.spots)} and launches nothing",
    Lever.PYTHON: _python,
    Lever.NOT_RECORDED: lambda of: (
        f"The GPU waits {of.time}, and the profile lacks what the host did meanwhile"
    ),
    Lever.WAITING: lambda of: (
        f"The GPU is idle for {of.time} though its next kernel was launched in time"
        f"{_in_words(of.spots)}"
    ),
    Lever.EXPOSED_COMMUNICATION: lambda of: _moving(of, "Collectives"),
    Lever.EXPOSED_COPY: _copies,
}


def _in_words(spots: Sequence[Spot]) -> str:
    names = list(dict.fromkeys(filter(None, (spot.what for spot in spots))))
    return f" ({some(names)})" if names else ""


def finding(slug: str, facts: Facts) -> str:
    """What is there, for the slug of a Lever."""
    return _SENTENCES[slug](facts)
