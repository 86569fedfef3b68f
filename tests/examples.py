"""How many examples hypothesis tries of a law."""

from __future__ import annotations

from hypothesis import settings

_USUAL = 100


def examples(usual: int) -> int:
    """`usual` of them in `make test`, as much more in `make test-long` as its profile says."""
    return usual * settings().max_examples // _USUAL
