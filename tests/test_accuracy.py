"""How right we have to be in simulated worlds, by situation, over three seeds."""

from __future__ import annotations

from pathlib import Path

import pytest
from accuracy_worlds import measured, programs_in, row

from kernelmap.model import CompiledProgram, Confidence
from worlds.situations import SITUATIONS, Situation

SEEDS = range(1, 4)
BY_NAME = {situation.name: situation for situation in SITUATIONS}

UNIQUE = (0.995, 0.001)
"""What has to be right of what is inferred, and what may be claimed of the time outside."""
LEGACY = (0.99, 0.005)

USUAL = {
    "GPU only, unique names": (0.98, *UNIQUE),
    "replay, capture seen": (0.97, 0.995, 0.003),
    "replay, capture seen, two streams": (0.97, 0.995, 0.003),
    "replay, capture not seen": (0.97, *UNIQUE),
    "replay, capture not seen, two streams": (0.97, *UNIQUE),
    "replay, capture not seen, legacy names": (0.95, *LEGACY),
    "GPU only, legacy names": (0.95, *LEGACY),
    "GPU only, one name for all kernels": (0.80, *LEGACY),
}
HARD = {
    "unique: another program's code missing": (0.85, *UNIQUE),
    "unique: a graph's code missing": (0.85, *UNIQUE),
    "unique: code given that never ran": (0.85, *UNIQUE),
    "unique: graphs share names": (0.85, *UNIQUE),
    "unique: another thread between": (0.85, *UNIQUE),
    "unique: order changes": (0.85, *UNIQUE),
    "unique: 5 % lost": (0.85, *UNIQUE),
    "legacy: another program's code missing": (0.75, *LEGACY),
    "legacy: code given that never ran": (0.85, *LEGACY),
    "legacy: another thread between": (0.85, *LEGACY),
    "legacy: 5 % lost": (0.85, *LEGACY),
}
"""Of old names without their code too little is known to cover more: the code may be any other."""


def falls_short(situation: Situation, programs: list[CompiledProgram]) -> str | None:
    """The row of a situation that is not as it has to be, None if all is well."""
    coverage, right, claimed = (USUAL | HARD)[situation.name]
    found = measured(situation, programs, SEEDS)
    well = (
        (found.covered or 0.0) >= coverage
        and (found.right(Confidence.INFERRED) or 0.0) >= right
        and (found.claimed or 0.0) <= claimed
        and found.right(Confidence.EXACT) in (None, 1.0)
    )
    return None if well else row(situation, found)


@pytest.mark.parametrize("name", [*USUAL, *HARD])
def test_shipped_code_is_found_and_rightly(name: str, samples: Path) -> None:
    """In every situation enough of the time finds its call, and hardly any finds a wrong one."""
    assert falls_short(BY_NAME[name], programs_in(samples)) is None


@pytest.mark.corpus
@pytest.mark.parametrize("name", USUAL)
def test_real_code_is_found_and_rightly(name: str, corpus: Path, samples: Path) -> None:
    """The same holds for the code of real programs beside the shipped ones."""
    assert falls_short(BY_NAME[name], programs_in(samples, corpus / "inductor")) is None


@pytest.mark.parametrize("name", ["host ranges", "host ranges, no cache key"])
def test_with_a_host_side_nothing_exact_is_wrong(name: str, samples: Path) -> None:
    """Whatever is lost and wherever the window cuts: what is exact is right."""
    found = measured(BY_NAME[name], programs_in(samples), SEEDS)

    assert found.right(Confidence.EXACT) == 1.0
