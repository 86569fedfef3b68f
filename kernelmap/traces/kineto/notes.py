"""What torch's own tools, and its second backend, write beside a launch → notes and names.

Taken: a JSON list of the values of `values.NOTED`, in any form that was seen of them.

`stack` is what `torch._inductor.profiler.inductor_trace_handler` writes (torch 2.14): a list of
Python stacks, one per node that the kernel was made for. It looks a kernel up by its name, in the
backward of the compiled region first, and takes the first entry of a name; so of a kernel that a
graph calls twice it may name the lines of the other call. That is why it is torch's word, and
decides nothing.

Labels of `torch.cuda.graph_annotations` come in two forms: `annotation`, a JSON list as text, which
the backend `cupti_monitor` writes, or the keys of the label as arguments of their own (`name`,
`module_fqn`, `autograd_phase`), which `python -m torch.cuda._annotate_cuda_graph_trace` writes, and
`export_chrome_trace` of torch 2.15.
Only launches of CUDA graphs have labels: elsewhere such a key is somebody else's.

`cupti_monitor` (`cuspy` in torch 2.15) calls all copies `Memcpy` and all fills `Memset`, and says
between which kinds of memory in arguments; torch's other backend says that in the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from kernelmap.facts.copies import name_copy, name_fill, spell_copy, spell_memory
from kernelmap.facts.stack_traces import is_torch, says_what_runs, user_lines
from kernelmap.model.source import LaunchNote, SourceLine
from kernelmap.traces.chrome.json_stream import MALFORMED
from kernelmap.traces.kineto.values import NOTED

_NOTHING = LaunchNote()
_MODULE_KEYS = ("module_fqn", "fqn", "module", "name", "str")
"""Of a label, what names a module, the clearest first. `mark_kernels("layers.0")` makes a `name` of
its text; torch 2.13 called that `str`."""
_PHASE = "autograd_phase"


def read_note(noted: bytes, *, in_graph: bool) -> LaunchNote | None:
    r"""What torch's own tools say of a launch, None where that is nothing.

    >>> read_note(b'[null, "[{\\"name\\": \\"layers.0\\"}]"]', in_graph=True).module
    'layers.0'
    """
    values = _values(noted)
    label = _label_of(values) if in_graph else {}
    named = (str(label[key]).strip() for key in _MODULE_KEYS if isinstance(label.get(key), str))
    module = next(filter(None, named), None)
    note = LaunchNote(
        lines=tuple(filter(_says_what_runs, user_lines(_stacks(values.get("stack"))))),
        # A name in parentheses is a row of what has no module.
        module=f"label {module}" if module and module.startswith("(") else module,
        is_backward=label.get(_PHASE) == "backward",
    )
    return None if note == _NOTHING else note


BARE_NAMES = frozenset({"Memcpy", "Memset"})
"""Names of copies and fills that do not say between which kinds of memory."""


def name_of_note(noted: bytes) -> str | None:
    """What a copy or a fill is called by the kinds of memory that are stated beside it, if any are.

    >>> name_of_note(b'[null, null, null, null, null, null, null, null, "device"]')
    'Memset (Device)'
    """
    values = _values(noted)
    if values.get("copy_kind") is not None:
        kinds = spell_memory(values.get("src_kind")), spell_memory(values.get("dst_kind"))
        return name_copy(spell_copy(values["copy_kind"]), *kinds)
    if values.get("memory_kind") is not None:
        return name_fill(spell_memory(values["memory_kind"]))
    return None


def _values(noted: bytes) -> Mapping[str, object]:
    """The values by their names."""
    try:
        return dict(zip(NOTED, msgspec.json.decode(noted, type=list[object]), strict=False))
    except MALFORMED:
        # A value that was skipped, such as a text that is no UTF-8.
        return {}


def _says_what_runs(line: SourceLine) -> bool:
    """Whether it is the user's, or one of torch's that tells one operator from another."""
    return not is_torch(line.file) or says_what_runs(line.file)


def _stacks(value: object) -> Iterator[str]:
    """A list of stacks, or one stack as a text."""
    for stack in value if isinstance(value, list) else [value]:
        if isinstance(stack, str):
            yield stack


def _label_of(values: Mapping[str, object]) -> dict[str, object]:
    """All keys of a launch's labels; of one that several state, the last one counts."""
    label = {key: values[key] for key in (*_MODULE_KEYS, _PHASE) if values.get(key) is not None}
    annotation = values.get("annotation")
    if isinstance(annotation, str) and annotation.lstrip()[:1] in {"[", "{"}:
        try:
            annotation = msgspec.json.decode(annotation)
        except MALFORMED:
            annotation = str(annotation)
    for one_of in annotation if isinstance(annotation, list) else [annotation]:
        if isinstance(one_of, dict):
            label.update({str(key): value for key, value in one_of.items()})
        elif isinstance(one_of, str):
            label["name"] = one_of
    return label
