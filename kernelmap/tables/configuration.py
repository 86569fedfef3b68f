"""What a recording was made with: versions, settings of the compiler, variables of torch.

Settings and variables are what the logs state of each graph (compiler/logs/); a result keeps them
beside its tables. Left out: devices, which the summary has, and every variable that
facts/torch_variables.py does not name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from kernelmap.model import CompiledProgram

DEFAULT = "default"
"""The value of a setting that a graph does not state among those that it changed."""


class Configuration(Struct, frozen=True, kw_only=True):
    """Values by name; several of one name stand in one text, as graphs and inputs differ.

    `settings` are all that bear on generated code, empty where no log states them. `changed` are
    those that are not the default in some graph, each with all its values, and `environment` the
    variables that are set; None where no log states them. `versions` are those of torch and what it
    stands on, as far as the inputs state them.
    """

    settings: Mapping[str, str] = {}
    changed: Mapping[str, tuple[str, ...]] | None = None
    environment: Mapping[str, str] | None = None
    versions: Mapping[str, str] = {}

    @property
    def states_settings(self) -> bool:
        """Whether a log says with which settings the code was made."""
        return bool(self.settings) or self.changed is not None or self.environment is not None

    @property
    def is_stated(self) -> bool:
        """Whether anything is known of it."""
        return self.states_settings or bool(self.versions)


def configuration_of(
    program: CompiledProgram, versions: Mapping[str, str] | None = None
) -> Configuration:
    """What the logs of a program state, and the versions that its inputs do."""
    # Graphs of one program share their settings: each set of them is gone through once.
    settings = dict.fromkeys(each.settings for graph in program.graphs for each in graph.emitted)
    beside = dict.fromkeys(each for graph in program.graphs for each in graph.beside)
    changed = [dict(each.settings) for each in beside]
    names = sorted({name for of_graph in changed for name in of_graph})
    return Configuration(
        settings=_join_values(settings),
        changed={
            name: tuple(sorted({of_graph.get(name, DEFAULT) for of_graph in changed}))
            for name in names
        }
        if changed
        else None,
        environment=_join_values(each.environment for each in beside) if beside else None,
        versions=versions or {},
    )


def _join_values(stated: Iterable[Iterable[tuple[str, str]]]) -> Mapping[str, str]:
    values: dict[str, set[str]] = {}
    for pairs in stated:
        for name, value in pairs:
            values.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(of_name)) for name, of_name in values.items()}
