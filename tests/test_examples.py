"""How `make test` draws a quarter of the cases of a law."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, sample

IDS = st.lists(st.sampled_from([f"test_{name}[{case}]" for name in "ab" for case in range(30)]))


@settings(max_examples=examples(100))
@given(IDS)
def test_every_law_keeps_a_quarter_of_its_cases(ids: list[str]) -> None:
    """Rounded up, so that no law is left out; the order in which tests are collected is nothing."""
    kept = sample(set(ids))

    assert kept <= set(ids)
    assert kept == sample(sorted(set(ids), reverse=True))
    for name in "ab":
        cases = {test for test in ids if test.startswith(f"test_{name}[")}

        assert len(kept & cases) == -(-len(cases) // 4)
