"""What differs between two recordings beside their times, and its words.

Found here is what they were compiled with: versions, mode, settings and environment variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.history.store.facts import VERSION_NAMES
from kernelmap.tables.configuration import DEFAULT

SETTING, VARIABLE = "setting ", "variable "
"""What `what` begins with for a setting of the compiler, and an environment variable."""
CODE, MODE, SHAPES, CUDA_GRAPHS = "code", "mode", "shapes or types", "CUDA graphs"
GPU, DEVICE = "GPU", "device"

_EXPLAINING = (MODE, GPU, DEVICE, SHAPES, CUDA_GRAPHS, *VERSION_NAMES)
_SWITCHED = {"True": "on", "False": "off"}
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


class Difference(Struct, frozen=True, kw_only=True):
    """`what` differs: `before` and `after`, None where a recording does not say.

    `words` say it in a sentence of their own, where there is one.
    """

    what: str
    before: str | None
    after: str | None
    words: str | None = None

    @property
    def is_other_code(self) -> bool:
        """Whether the two sides hardly have code in common, so that no ratio means much."""
        return self.what == CODE

    @property
    def is_setting(self) -> bool:
        """Whether it is a setting of the compiler."""
        return self.what.startswith(SETTING)

    @property
    def may_explain(self) -> bool:
        """Whether other kernels or other times may follow from it, so that it is said first.

        Of shapes only where it is known what became of most.
        """
        if self.what == SHAPES:
            return self.words is not None
        return self.what in _EXPLAINING or self.what.startswith((SETTING, VARIABLE))

    @property
    def name(self) -> str:
        """What it is of, without its kind: `max_fusion_size`."""
        return self.what.removeprefix(SETTING).removeprefix(VARIABLE)

    def say_difference(self) -> str:
        """The difference in words."""
        if self.words is not None:
            return self.words
        return f"{self.what}: {self.before or 'not known'}, then {self.after or 'not known'}"

    def say_briefly(self) -> str:
        """The same in a few words, as the first line has it: `epilogue_fusion on → off`."""
        if self.words is not None:
            return self.words
        sides = (_SWITCHED.get(value or "", value) for value in (self.before, self.after))
        return f"{self.name} {' → '.join(value or 'not known' for value in sides)}"


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
