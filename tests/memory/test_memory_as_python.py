"""The statements of a wrapper free what Python frees when it runs them.

Random wrappers are followed, and run by Python itself with stand-ins for tensors: after each line
the bytes that the code is said to hold are those of the storages that Python still has.
"""

from __future__ import annotations

import weakref
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.generated import program, wrapper
from examples import examples
from kernelmap.memory import memory_of_program
from kernelmap.model.memory import GraphMemory

_ITEM = 4  # bytes of float32


class _Storage:
    """Memory that Python keeps as long as a tensor has it."""

    def __init__(self, size: int) -> None:
        self.size = size


class _Tensor:
    def __init__(self, storage: _Storage) -> None:
        self.storage = storage


class _Python:
    """What runs a wrapper: functions for its names, and the storages that are alive."""

    def __init__(self) -> None:
        self.alive: weakref.WeakSet[_Storage] = weakref.WeakSet()
        self.noted: list[tuple[int, int]] = []

    def empty(self, shape: tuple[int], _stride: object, _dtype: object) -> _Tensor:
        storage = _Storage(shape[0] * _ITEM)
        self.alive.add(storage)
        return _Tensor(storage)

    def view(self, tensor: _Tensor, *_: object) -> _Tensor:
        return _Tensor(tensor.storage)

    def note(self, line: int) -> None:
        self.noted.append((line, sum(storage.size for storage in self.alive)))

    def run(self, lines: list[str]) -> None:
        """Run the lines as the body of a function, and note what is alive after each."""
        body = [f"    {line}\n    note({at})" for at, line in enumerate(lines)]
        text = "\n".join([PARTITION, "def call():", *body, "call()"])
        names = {
            "empty_strided_cuda": self.empty,
            "reinterpret_tensor": self.view,
            "note": self.note,
            "torch": type("torch", (), {"float32": None}),
        }
        exec(text, names)  # noqa: S102 -- our own lines


PARTITION = """def partition_0(args):
    given, other = args
    del other
    args.clear()
    inner = empty_strided_cuda((7, ), (1, ), torch.float32)
    made = empty_strided_cuda((11, ), (1, ), torch.float32)
    del inner
    del given
    return (made, )
"""


_FROM_TENSOR = {
    "view": "{name} = reinterpret_tensor({tensor}, (1, ), (1, ), 0)",
    "rename": "{name} = {tensor}",
    "reuse": "{name} = {tensor}; del {tensor}  # reuse",
    "del": "del {tensor}",
    "list": "{name}_list = [{tensor}, {other}]",
}
_FROM_LIST = {
    "partition": "({name}, ) = partition_0({listed})",
    "clear": "{listed}.clear()",
    "del list": "del {listed}",
}
_EMPTY = {"empty": "{name} = empty_strided_cuda(({size}, ), (1, ), torch.float32)"}


def _random_body(random: Random) -> list[str]:
    """Statements that a wrapper may have, each of which Python can run."""
    tensors, lists, lines = list[str](), list[str](), list[str]()
    for at in range(random.randint(1, 16)):
        forms = _EMPTY | (_FROM_TENSOR if tensors else {}) | (_FROM_LIST if lists else {})
        kind = random.choice([*forms])
        words = {
            "name": f"buf{at}",
            "size": random.randint(1, 50),
            "tensor": random.choice(tensors or [""]),
            "other": random.choice(tensors or [""]),
            "listed": random.choice(lists or [""]),
        }
        lines.append(forms[kind].format(**words))
        if kind in ("reuse", "del"):
            tensors.remove(str(words["tensor"]))
        # A list is used once: a partition unpacks two.
        if kind in _FROM_LIST:
            lists.remove(str(words["listed"]))
        if kind == "list":
            lists.append(f"buf{at}_list")
        elif kind not in ("del", "clear", "del list"):
            tensors.append(f"buf{at}")
    return [*lines, f"return ({', '.join([*tensors[:2], ''])})"]


@settings(max_examples=examples(100))
@given(random=st.randoms(use_true_random=False))
def test_bytes_alive_after_each_line_are_those_that_python_keeps(
    tmp_path_factory: pytest.TempPathFactory, random: Random
) -> None:
    """Names, lists, views, reuse and functions hold memory as long as in a run, and no longer."""
    lines = _random_body(random)
    python = _Python()
    python.run(lines[:-1])
    text = wrapper(body="\n".join(lines), functions=PARTITION, aot="0_inference")
    (memory,) = memory_of_program(program(tmp_path_factory.mktemp("code"), text))

    body = text.split("\n").index("def call(args):") + 2
    alive = _bytes_after_lines(memory, body)
    counted = 0
    for line, kept in python.noted:
        counted = alive.get(line, counted)
        assert counted == kept, (lines, line)


def _bytes_after_lines(memory: GraphMemory, body: int) -> dict[int, int]:
    """The bytes after the last step of each line, which may be one of a partition that it calls."""
    alive: dict[int, int] = {}
    at = -1
    for step, after in zip(memory.steps[1:], memory.bytes_after[1:].tolist(), strict=True):
        if step.function is None:
            at = (step.line or 0) - body - 1
        alive[at] = after
    return alive
