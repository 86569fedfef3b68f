"""Two sides → what they were compiled with otherwise: versions, mode, settings, variables.

A setting counts where both sides state it. Logs that do not list all settings list those that are
not the default; there a setting that only one side lists is the default on the other. Graphs of one
program may differ: then a listed setting counts where no graph of one side has a value of the
other's, since a side that compiled a graph more or less is no other configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.history.compare.difference import MODE, SETTING, VARIABLE, Difference
from kernelmap.history.compare.side import ComparedSide
from kernelmap.history.store.facts import VERSION_NAMES
from kernelmap.tables.configuration import DEFAULT

_UNSET = "not set"
_ON, _OFF = "True", "False"
_MAX_AUTOTUNE, _DESCENT, _GRAPHS = "max_autotune", "coordinate_descent_tuning", "triton.cudagraphs"
_ASKED_FOR = "cudagraphs"  # whether a graph is to be replayed, which follows from triton.cudagraphs
_MODES: Mapping[tuple[str, str, str], str] = {
    (_OFF, _OFF, _OFF): "default",
    (_OFF, _OFF, _ON): "reduce-overhead",
    (_ON, _ON, _OFF): "max-autotune-no-cudagraphs",
    (_ON, _ON, _ON): "max-autotune",
}
"""Values of those three settings → the mode of torch.compile that has them (torch 2.0 to 2.15)."""
_NO_CODE = (
    "trace.",
    "test_configs.",
    "compile_threads",
    "force_disable_caches",
    "fx_graph_cache",
    "fx_graph_remote_cache",
    "worker_",
    "dynamo.verbose",
    "functorch.debug_partitioner",
    "functorch.enable_autograd_cache",
    "functorch.enable_remote_autograd_cache",
    "functorch.force_non_lazy_backward_lowering",
    "functorch.unlift_effect_tokens",
)
"""Listed settings that change what is logged, cached or checked, and no kernel: the key of the
cache leaves them out as well."""


def find_configured(before: ComparedSide, after: ComparedSide) -> Iterator[Difference]:
    """What both sides state and state otherwise."""
    for name in VERSION_NAMES:
        yield from _compare(name, before.versions.get(name), after.versions.get(name))
    modes = _mode_of(before), _mode_of(after)
    yield from _compare(MODE, *modes)
    # What a mode sets is said by the mode.
    told = (_MAX_AUTOTUNE, _DESCENT, _GRAPHS) if None not in modes else ()
    for difference in _find_settings(before, after):
        if difference.name not in told and not _follows_from_graphs(difference, before, after):
            yield difference
    yield from _find_variables(before.environment, after.environment)


def states_settings(side: ComparedSide) -> bool:
    """Whether its logs say with which settings it was compiled."""
    return bool(side.settings) or side.changed is not None


def _compare(what: str, before: str | None, after: str | None) -> Iterator[Difference]:
    if before != after and None not in (before, after):
        yield Difference(what=what, before=before, after=after)


def _find_settings(before: ComparedSide, after: ComparedSide) -> Iterator[Difference]:
    listed = {*(before.changed or ()), *(after.changed or ())}
    for name in sorted({*(before.settings.keys() & after.settings.keys()), *listed}):
        # Both state all settings: a text that differs is a difference.
        if name in before.settings and name in after.settings:
            yield from _compare(SETTING + name, before.settings[name], after.settings[name])
        elif not name.startswith(_NO_CODE):
            one, other = _listed_values(before, after, name), _listed_values(after, before, name)
            if one and other and set(one).isdisjoint(other):
                yield Difference(what=SETTING + name, before=", ".join(one), after=", ".join(other))


def _listed_values(side: ComparedSide, other: ComparedSide, name: str) -> tuple[str, ...]:
    """The values of a setting that not both sides state among all; empty where not known."""
    if name in side.settings:
        return (side.settings[name],)
    if side.changed is None:
        return ()
    # The other side states a value that may be the default: nothing tells.
    if name not in side.changed and name in other.settings:
        return ()
    return side.changed.get(name, (DEFAULT,))


def _find_variables(
    before: Mapping[str, str] | None, after: Mapping[str, str] | None
) -> Iterator[Difference]:
    if before is None or after is None:
        return
    for name in sorted({*before, *after}):
        yield from _compare(VARIABLE + name, before.get(name, _UNSET), after.get(name, _UNSET))


def _mode_of(side: ComparedSide) -> str | None:
    """The mode of torch.compile whose options it has; None where no mode has them."""
    if not states_settings(side):
        return None
    tuned, descended, replayed = (
        _switch_of(side, name) for name in (_MAX_AUTOTUNE, _DESCENT, _GRAPHS)
    )
    return _MODES.get((tuned, descended, replayed))


def _switch_of(side: ComparedSide, name: str) -> str:
    """Whether a setting of a mode is on; several values in one text are neither."""
    if side.settings:
        return side.settings.get(name, "")
    # Off is the default of all of them.
    listed = (side.changed or {}).get(name, (_OFF,))
    return ", ".join(_OFF if value == DEFAULT else value for value in listed)


def _follows_from_graphs(difference: Difference, before: ComparedSide, after: ComparedSide) -> bool:
    """Whether it only repeats what triton.cudagraphs says."""
    return difference.name == _ASKED_FOR and all(
        side.settings.get(_ASKED_FOR) == side.settings.get(_GRAPHS) for side in (before, after)
    )
