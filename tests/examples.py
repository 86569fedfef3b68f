"""How much of a law's class is tried: some in `make test`, more in `make test-long`."""

from __future__ import annotations

from hypothesis import settings

_USUAL = 100


def examples(usual: int) -> int:
    """`usual` of hypothesis' examples in `make test`, as much more in the other as it says."""
    return usual * settings().max_examples // _USUAL


def seeds(usual: int, thorough: int) -> range:
    """Seeds from 0 on: the first `usual` ones in `make test`, `thorough` ones in the other."""
    return range(thorough if is_long() else usual)


def is_long() -> bool:
    """Whether this is `make test-long`."""
    return settings().max_examples > _USUAL
