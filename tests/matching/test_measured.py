"""Laws of the autotuner's series: launches of one kernel in a row, more than the code makes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from kernelmap.matching.aligner.measured import measured_words
from kernelmap.matching.aligner.sites import sites_of
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.model import CompiledProgram
from matching.bare import graph


def measured(seen: str, code: str) -> set[str]:
    """The kernels of `code` that run in series; `-` is memory that is cleared, `o` other work."""
    sites = sites_of(CompiledProgram(graphs=(graph("0_forward", code),)))
    words = sorted({name for names in sites.names for name in names})
    alphabet = [*(word.removeprefix("k_") for word in words), "-", "o"]
    tokens: Tokens = SimpleNamespace(  # type: ignore[assignment] # what is asked
        words=tuple(words),
        word=np.array([*range(len(words)), -1, -1]),
        restored=np.array([letter == "-" for letter in alphabet]),
        sequences=[SimpleNamespace(token=np.array([alphabet.index(it) for it in seen]))],
    )
    return {word.removeprefix("k_") for word in np.array(words)[measured_words(tokens, sites)]}


def test_two_launches_more_than_calls_in_a_row_are_a_series() -> None:
    """One more may be a stray of the call before."""
    assert measured("abaab", "a b") == set()
    assert measured("abaaab", "a b") == {"a"}
    assert measured("aabaaab", "a a b") == set()
    assert measured("aabaaaab", "a a b") == {"a"}


def test_memory_cleared_between_launches_of_a_kernel_makes_a_series() -> None:
    """Other work between them does not."""
    assert measured("aba-ab", "a b") == {"a"}
    assert measured("abaoab", "a b") == set()
