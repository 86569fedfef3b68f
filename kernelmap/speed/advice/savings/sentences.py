"""One sentence for each saving: what is there, with figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from kernelmap.model.notices import (
    format_count,
    format_duration,
    format_percent,
    format_place,
    join_some,
)
from kernelmap.model.savings import Lever, Spot
from kernelmap.model.wall_time import REMARKS

_LONG = 48


class SavingFacts(Struct, frozen=True, kw_only=True):
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
        return format_duration(self.idle_ns + self.busy_ns)


def say_where(spot: Spot) -> str:
    """An operator or event with its line: `aten::item in train (train.py:45)`."""
    source = None if spot.source is None else format_place(spot.source)
    joint = " " if source and source.startswith("in ") else " at "
    name = None if spot.what is None else shorten_name(spot.what)
    return joint.join(filter(None, (name, source)))


def shorten_name(name: str) -> str:
    """A name that fits into a sentence: of a long one its beginning and its end."""
    return name if len(name) <= _LONG else f"{name[: _LONG // 2]}…{name[-_LONG // 2 :]}"


def _places_with_name(spots: Sequence[Spot]) -> list[str]:
    """The places that have a name, the largest first."""
    # Names that speak of nothing in particular are no places.
    named = (spot for spot in spots if spot.what not in REMARKS and not _is_rest(spot))
    return list(dict.fromkeys(filter(None, map(say_where, named))))


def _is_rest(spot: Spot) -> bool:
    return spot.what is not None and spot.what.startswith(("(", "before ("))


def _say_mostly(spots: Sequence[Spot], shown: int = 3) -> str:
    """The largest places: all if they are few, else some, as those that it is mostly."""
    names = _places_with_name(spots)
    if not names:
        return ""
    return (
        f": {join_some(names)}" if len(names) <= shown else f", mostly {join_some(names[:shown])}"
    )


def _say_names(spots: Sequence[Spot]) -> str:
    return join_some([name for name in (spot.what for spot in spots) if name]) or "compiled code"


def _launch_bound(of: SavingFacts) -> str:
    return (
        f"The GPU waits {of.time} for the host to launch {format_count(of.launches, 'kernel')} of"
        f" {_say_names(of.spots)} one by one; they run {format_duration(of.ran_ns)}"
    )


def _graph_launching(of: SavingFacts) -> str:
    return (
        f"The GPU waits {of.time} while the host gets to {format_count(of.replays, 'replay')} of "
        f"CUDA graphs ({_say_names(of.spots)})"
    )


def _static_inputs(of: SavingFacts) -> str:
    return (
        f"The GPU waits {of.time} while inputs are copied to where CUDA graphs expect them"
        f"{_say_mostly(of.spots)}"
    )


def _say_eager(of: SavingFacts, who: str) -> str:
    waits = (
        f"The GPU waits {format_duration(of.idle_ns)} for "
        f"{format_count(of.launches, 'launch')} of {who}"
    )
    runs = f"; kernels that could be fused run {format_duration(of.busy_ns)}" if of.busy_ns else ""
    # On the CPU, and where nothing waits, there is only work that could be fused.
    if of.device == "CPU" or not of.idle_ns:
        what = "Work" if of.device == "CPU" else "Kernels"
        takes = "takes" if of.device == "CPU" else "take"
        waits, runs = f"{what} of {who} that could be fused {takes} {of.time}", ""
    return f"{waits}{_say_mostly(of.spots)}{runs}"


def _graph_break(of: SavingFacts) -> str:
    at = f" at {join_some(of.breaks)}" if of.breaks else ""
    breaks = "Graph breaks" if len(of.breaks) > 1 else "A graph break"
    cost = f"cost{'' if len(of.breaks) > 1 else 's'} {of.time} between graphs"
    outside = (
        f", and leave{'' if len(of.breaks) > 1 else 's'} {format_percent(of.outside)} of the "
        f"{of.device} time outside of compiled code"
        if of.outside
        else ""
    )
    places = "" if of.breaks else _say_mostly(of.spots)
    return f"{breaks}{at} {cost}{outside}{places}"


def _say_guards(of: SavingFacts) -> str:
    return (
        f"Guards and wrappers around compiled code take {of.time} in which nothing runs"
        f"{_say_mostly(of.spots)}"
    )


def _say_synchronization(of: SavingFacts) -> str:
    return (
        f"The host waits for the GPU{_say_in(of.spots)}; until it has launched again, the GPU waits"
        f" {of.time}"
    )


def _say_in(spots: Sequence[Spot]) -> str:
    names = _places_with_name(spots)
    return f" in {join_some(names)}" if names else ""


def _say_moving(of: SavingFacts, what: str) -> str:
    names = join_some([shorten_name(name) for name in of.names])
    takes = "takes" if what.startswith("1 ") else "take"
    return f"{what} ({names}) {takes} {of.time} in which nothing computes"


def _say_copies(of: SavingFacts) -> str:
    return _say_moving(of, "1 copy" if of.launches == 1 else f"{of.launches:,} copies")


def _say_python(of: SavingFacts) -> str:
    if of.device == "CPU":
        return f"No operator runs for {of.time}{_say_mostly(of.spots)}"
    return f"The GPU waits {of.time} while the host runs without an event{_say_mostly(of.spots)}"


_SENTENCES: Mapping[str, Callable[[SavingFacts], str]] = {
    Lever.LAUNCH_BOUND: _launch_bound,
    Lever.GRAPH_LAUNCHING: _graph_launching,
    Lever.STATIC_INPUTS: _static_inputs,
    Lever.EAGER_OPERATORS: lambda of: _say_eager(of, "eager operators"),
    Lever.EAGER_OPTIMIZER: lambda of: _say_eager(of, "the eager optimizer"),
    Lever.GRAPH_BREAK: _graph_break,
    Lever.GUARDS: _say_guards,
    Lever.SYNCHRONIZATION: _say_synchronization,
    Lever.LOADING_DATA: lambda of: f"The GPU waits {of.time} for data{_say_mostly(of.spots)}",
    Lever.COMPILING: lambda of: (
        f"The window holds {of.time} of compiling, autotuning or recording{_say_mostly(of.spots)}"
    ),
    Lever.RECOMPILES: lambda of: (
        f"Code was compiled again inside of the window, for {of.time}: {join_some(of.again)}"
    ),
    Lever.HOST_WORK: lambda of: f"The host works {of.time}{_say_in(of.spots)} and launches nothing",
    Lever.PYTHON: _say_python,
    Lever.NOT_RECORDED: lambda of: (
        f"The GPU waits {of.time}, and the profile lacks what the host did meanwhile"
    ),
    Lever.WAITING: lambda of: (
        f"The GPU is idle for {of.time} though its next kernel was launched in time"
        f"{_in_words(of.spots)}"
    ),
    Lever.EXPOSED_COMMUNICATION: lambda of: _say_moving(of, "Collectives"),
    Lever.EXPOSED_COPY: _say_copies,
}


def _in_words(spots: Sequence[Spot]) -> str:
    names = list(dict.fromkeys(filter(None, (spot.what for spot in spots))))
    return f" ({join_some(names)})" if names else ""


def say_finding(slug: str, facts: SavingFacts) -> str:
    """What is there, for the slug of a Lever."""
    return _SENTENCES[slug](facts)
