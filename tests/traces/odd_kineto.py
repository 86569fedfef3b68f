"""Kineto files as nobody would write them, generated: what two readers must read alike.

Tokens, not values, are drawn: numbers and strings in every spelling, keys in any order, twice or
with escapes, white space, nested arguments, both forms of a file, and damage.
"""

from __future__ import annotations

import json

from hypothesis import strategies as st

_CODE = f"/srv/torchinductor/{'c' + 'a' * 51}.py"
ROLES = (
    "torch/_inductor/utils.py(3): copy_misaligned_inputs",
    f"{_CODE}(9): call",
    f"{_CODE}(9): Runner.call",
    f"{_CODE}(9): Runner.partition_1",
)
_SPACES = st.sampled_from(["", "", " ", "\n  ", "\t", "\r\n"])
_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_ESCAPED = st.sampled_from(
    [
        r"\u0041",
        r"\ud83d\ude00",
        r"\ud83d",
        r"\udc00\ud800",
        r"\n",
        r"\/",
        r"\x",
        "\\",
        r"\u12",
        "\t",
    ]
)
_RAW = st.one_of(
    _WORDS.map(lambda word: json.dumps(word)[1:-1]),
    _WORDS.map(lambda word: json.dumps(word, ensure_ascii=False)[1:-1]),
    st.lists(st.one_of(_ESCAPED, st.just("a")), max_size=3).map("".join),
    st.sampled_from(["python_function", r"\"python_function", "None", "x_inductor", "a): call"]),
)
_STRINGS = _RAW.map('"{}"'.format)
_DIGITS = st.text("0123456789", max_size=12)
_DECIMALS = st.builds(
    "{}{}.{}{}".format,
    st.sampled_from(["", "", "-"]),
    st.one_of(st.integers(0, 10**6), st.integers(0, 2**63)),
    _DIGITS.filter(bool),
    st.sampled_from(["", "", "", "5", "50000", "4999999999", "e3", "E-2", "e400"]),
)
_WHOLE = st.one_of(
    st.integers(-3, 40),
    st.sampled_from([2**n + d for n in (31, 32, 43, 53, 61, 63, 64) for d in (-1, 0, 1)]),
    st.integers(0, 10**16),
).map(str)
_NUMBERS = st.one_of(_WHOLE, _DECIMALS)
_OTHERS = st.sampled_from(
    [
        "null",
        "true",
        "false",
        "nan",
        "-",
        "01",
        "-0",
        "1.",
        ".5",
        "1e5",
        "[]",
        "{}",
        "[1]",
        "[null]",
    ]
)
_QUOTED = st.one_of(_NUMBERS, st.sampled_from([" 5", "5 ", "007", "1_0", "٣", "-5", "+5"])).map(
    '"{}"'.format
)
_SCALARS = st.one_of(_WHOLE, _WHOLE, _NUMBERS, _QUOTED, _STRINGS, _OTHERS)
_PLAIN = st.integers(0, 9).map(str)
_TIMES = st.one_of(st.integers(0, 999).map("{}.125".format), _NUMBERS, _SCALARS)
_LISTS = st.lists(_SCALARS, max_size=4).map(lambda items: f"[{', '.join(items)}]")
_SIZES = st.tuples(_PLAIN, _PLAIN, _PLAIN).map(lambda sizes: f"[{','.join(sizes)}]")
_EXTENTS = st.one_of(
    _SIZES, _SIZES, _LISTS, _SCALARS, st.sampled_from(['"grid(4,)"', '"4x2"', "[3]", "[1, 2]"])
)
_NESTED = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.dictionaries(_RAW, inner, max_size=3).map(
            lambda items: "{" + ",".join(f'"{key}":{value}' for key, value in items.items()) + "}"
        ),
    ),
    max_leaves=6,
)
_CATEGORIES = st.one_of(
    st.sampled_from(
        ["cpu_op", "user_annotation", "cuda_runtime", "kernel", "gpu_memcpy", "python_function"]
    ),
    st.sampled_from(["Operator", "Kernel", "ac2g", "kernal", "mtia_insight", r"c\u0070u_op", ""]),
).map('"{}"'.format)
_NAMES = st.one_of(
    st.sampled_from(["aten::mm", "k", "Memcpy", "Memset", *ROLES, *ROLES]).map('"{}"'.format),
    _STRINGS,
)
_STACKS = st.sampled_from(
    [r'["  File \"m.py\", line 3, in f\n    x = 1\n"]', r'"File \"m.py\", line 4"']
)
_LABELS = st.sampled_from([r'"[{\"name\": \"layers.0\"}]"', r'"[{\"module_fqn\": 1}]"', '"["'])
_ARGUMENTS = {
    "correlation": _SCALARS,
    "External id": _SCALARS,
    "external id": _SCALARS,
    "Sequence number": _SCALARS,
    "device": _SCALARS,
    "stream": _SCALARS,
    "graph id": _SCALARS,
    "graph node id": _SCALARS,
    "process id": _SCALARS,
    "thread id": _SCALARS,
    "capture id": _SCALARS,
    "grid": _EXTENTS,
    "block": _EXTENTS,
    "kernel": _NAMES,
    "kernel_file": _SCALARS,
    "kernel_hash": _STRINGS,
    "num_warps": _SCALARS,
    "Input Dims": _NESTED,
    "original_stream": _SCALARS,
    "stack": st.one_of(_NESTED, _STACKS),
    "annotation": st.one_of(_NESTED, _LABELS),
    "name": st.one_of(_NESTED, _NAMES),
    "module_fqn": _SCALARS,
    "autograd_phase": st.sampled_from(['"backward"', "null", "1"]),
    "copy kind": st.one_of(_SCALARS, st.just('"HtoD"')),
    "src kind": st.one_of(_SCALARS, st.just('"device"')),
    "memory kind": _SCALARS,
    r"\u0067rid": _EXTENTS,
}


@st.composite
def _object(draw: st.DrawFn, members: list[tuple[str, str]]) -> str:
    """The members in any order and spacing, now and then one of them twice."""
    listed = list(draw(st.permutations(members)))
    if listed and not draw(st.integers(0, 20)):
        listed.append(draw(st.sampled_from(listed)))
    gap, colon = draw(_SPACES), draw(_SPACES)
    return "{" + ",".join(f'{gap}"{key}"{colon}:{value}' for key, value in listed) + gap + "}"


@st.composite
def _arguments(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.sampled_from(sorted(_ARGUMENTS)), max_size=5, unique=True))
    return draw(_object([(key, draw(_ARGUMENTS[key])) for key in keys]))


@st.composite
def events(draw: st.DrawFn) -> str:
    """The text of one event; most have what a complete one has."""
    odd = st.integers(0, 11).map(lambda number: number == 0)
    usual = {
        "ph": st.sampled_from(['"X"'] * 6 + ['"i"', '"f"', "null", "7"]),
        "cat": _CATEGORIES,
        "name": _NAMES,
        "pid": st.one_of(_PLAIN, _PLAIN, _SCALARS),
        "tid": st.one_of(_PLAIN, _PLAIN, _SCALARS),
        "ts": _TIMES,
        "dur": _TIMES,
        "args": st.one_of(_arguments(), _arguments(), _SCALARS),
    }
    members = [(key, draw(values)) for key, values in usual.items() if not draw(odd)]
    if draw(odd):
        members.append((draw(_RAW), draw(_NESTED)))
    return draw(_object(members))


_PLAIN_EVENTS = st.builds(
    '{{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}.125, "dur": 3, "args":'
    ' {{"correlation": {}, "device": 0, "stream": 7}}}}'.format,
    st.sampled_from(["cpu_op", "cuda_runtime", "kernel", "user_annotation", "python_function"]),
    st.sampled_from(["a", "b", *ROLES]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 10**6),
    st.integers(0, 5),
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A whole file in one of its two forms, perhaps damaged."""
    mostly = st.one_of(_PLAIN_EVENTS, _PLAIN_EVENTS, events()) if draw(st.booleans()) else events()
    listed = draw(st.lists(mostly, max_size=8))
    between = "," + draw(_SPACES)
    inside = draw(_SPACES) + between.join(listed) + draw(_SPACES)
    form = draw(
        st.sampled_from(
            [
                "[%s]",
                '{"traceEvents": [%s]}',
                '{"baseTimeNanoseconds": 5, "traceEvents":[%s], "traceName": "x"}',
                '{"deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": [%s],"a":[{"b":1}]}',
            ]
        )
    )
    text = form.replace("%s", inside).encode("utf-8", "surrogatepass")
    return draw(damaged(text)) if draw(st.booleans()) else text


@st.composite
def damaged(draw: st.DrawFn, text: bytes) -> bytes:
    """The text cut off, with a bit flipped, or with bytes put in or taken out."""
    at = draw(st.integers(0, max(len(text) - 1, 0)))
    bit = 1 << draw(st.integers(0, 7))
    some = draw(st.sampled_from([b"\xff", b"\xc3", b"\xed\xa0\x80", b"]", b"}", b'"', b",", b"\\"]))
    return draw(
        st.sampled_from(
            [
                text[:at],
                text[:at] + bytes((text[at] ^ bit,)) + text[at + 1 :] if text else text,
                text[:at] + some + text[at:],
                text[:at] + text[at + 3 :],
            ]
        )
    )
