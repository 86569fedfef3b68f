"""The text of marks: exact round trips, whatever names generated code has."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelmap.model.marks import (
    LONGEST,
    MarkedCall,
    MarkedGraph,
    decode_mark,
    encode_mark,
    graph_digest,
    is_mark,
    shortened_wrapper,
)

DIGEST = "3f2ab4c5d6e7f801"
digests = st.text("0123456789abcdef", min_size=16, max_size=16)
names = st.text(st.characters(), max_size=30)
long_names = st.text(st.characters(), max_size=500)
numbers = st.integers(0, 10**18 - 1)
graph_marks = st.builds(
    MarkedGraph,
    digest=digests,
    name=st.none() | st.text(max_size=6),
    compile_id=st.none() | st.text(max_size=3),  # longer ones may be shortened
)
call_marks = st.builds(
    MarkedCall, digest=digests, index=numbers, wrapper=names, handle=st.none() | numbers
)


@given(graph_marks | call_marks.filter(lambda it: shortened_wrapper(it.wrapper) == it.wrapper))
@example(MarkedGraph(digest=DIGEST, name="-", compile_id=""))
@example(MarkedCall(digest=DIGEST, index=0, wrapper=""))
@example(MarkedCall(digest=DIGEST, index=0, wrapper="%"))
@example(MarkedCall(digest=DIGEST, index=0, wrapper="a:1 kernelmap:1 call\0\n\udc80"))
def test_a_mark_is_read_back_exactly(mark: MarkedGraph | MarkedCall) -> None:
    """What was written around a graph or a call is what is read."""
    assert decode_mark(encode_mark(mark)) == mark


@given(digests, numbers, long_names, st.none() | numbers)
def test_a_long_wrapper_can_still_be_compared(
    digest: str, index: int, wrapper: str, handle: int | None
) -> None:
    """A wrapper of any length comes back as `shortened_wrapper` gives it; the rest is exact."""
    read = decode_mark(
        encode_mark(MarkedCall(digest=digest, index=index, wrapper=wrapper, handle=handle))
    )

    expected = shortened_wrapper(wrapper)
    assert read == MarkedCall(digest=digest, index=index, wrapper=expected, handle=handle)
    assert shortened_wrapper(expected) == expected


@given(digests, long_names, long_names)
def test_marks_are_short_plain_text(digest: str, name: str, other: str) -> None:
    """No name makes a mark long, cuts it off at a NUL or breaks its line."""
    for mark in (
        MarkedGraph(digest=digest, name=name, compile_id=other),
        MarkedCall(digest=digest, index=10**18 - 1, wrapper=name, handle=10**18 - 1),
    ):
        text = encode_mark(mark)

        assert len(text) <= LONGEST
        assert text.isascii()
        assert text.isprintable()
        assert is_mark(text)


@given(st.text())
@example("kernelmap:1 call 3f2ab4c5d6e7f801/1 %ff")
@example("kernelmap:1 call 3f2ab4c5d6e7f801/\u0661 x")
@example("kernelmap:1 graph 3f2ab4c5d6e7f801 0_forward")
@example("kernelmap:2 call 3f2ab4c5d6e7f801/1 x")
def test_other_texts_are_no_marks(text: str) -> None:
    """A foreign range is None and no error; marks of later versions of ours are recognized."""
    assert decode_mark(text) is None
    assert is_mark(text) == text.startswith("kernelmap:")


def test_long_names_that_end_differently_stay_apart() -> None:
    """Shortening keeps two wrappers two."""
    one, other = shortened_wrapper("triton_" * 90 + "0"), shortened_wrapper("triton_" * 90 + "1")

    assert one != other


@pytest.mark.parametrize(
    "copy",
    [
        "\ndef call(args):\n    pass\n",
        "def call(args):\r\n    pass",
        "# kernel path: /tmp/x/cab.py\ndef call(args):\n    # Original path: /a.py:3\n    pass",
    ],
)
def test_copies_of_a_text_have_one_digest(copy: str) -> None:
    """Line ends, outer white space and paths of the machine are no part of a graph's name."""
    assert graph_digest(copy) == graph_digest("def call(args):\n    pass")


def test_graphs_that_differ_in_one_comment_have_two_digests() -> None:
    """The AOT id is a comment, and two graphs may differ in nothing else."""
    body = "def call(args): pass"

    assert graph_digest("# AOT ID: ['0_forward']\n" + body) != graph_digest(
        "# AOT ID: ['1_forward']\n" + body
    )
