"""TORCH_LOGS text, as a terminal shows it or people paste it → the generated code in it.

`output_code` gives whole graphs and the files that they were written to: a file that can still be
opened is read in place of a message that was cut off. `kernel_code` gives single Triton kernels,
without path, original ops and calls: those that no graph of the text defines are kept.
`post_grad_graphs` and `aot_graphs` give a graph's nodes and their lines, by compile id or by the
number of the AOT id. `fusion` with `ir_pre_fusion` says why pairs were not fused. Left out: the
other artifacts, C++ kernels alone (they bear no name), and the C++ wrappers of AOTInductor, which a
notice counts.

The content hash in a file's name says without doubt which code `Output code written to: PATH` is
about. Where a message was cut off the hash no longer fits; then a path belongs to the code beside
it, of the same rank and compile id: the one above it, or, where that has its path, the one below
(torch 2.5 wrote the path first). A file that can be opened and is what its name says replaces the
text of the message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

from msgspec import Struct, field

from kernelmap.compiler.facts import CodeFacts, CodeText, Reading
from kernelmap.compiler.files.code_file import content_stem, is_generated_code, stem_of
from kernelmap.compiler.fx.graph_text import parse_graph_text, parse_printed
from kernelmap.compiler.pasted.fusion import FusionLog
from kernelmap.compiler.pasted.messages import Message, split_messages
from kernelmap.compiler.python.comments import id_at_head
from kernelmap.compiler.python.kernel_source import triton_facts
from kernelmap.compiler.python.source import encoding_of, is_cpp_wrapper, is_file, read_text
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.model import Notice
from kernelmap.model.program import NotFused
from kernelmap.model.unpacked import first_unpacked, open_unpacked

_MARK_BYTES = 4  # of a byte order mark
_STRENGTH = 11  # A TORCH_TRACE log knows more of the same code.
_FAR = 400  # lines; code that was logged may have others above its id
_WRITTEN = "Output code written to:"
_CPP = ("Output wrapper code:", "AOT wrapper code:")
_CPP_WRITTEN = ("Wrapper code written to:", "AOT wrapper code written to:")
"""Before torch 2.15, and since."""
_KERNEL = "Triton Kernel:"
_GRAPHS = ("aot_graphs", "post_grad_graphs")
_OF_SCHEDULER = ("fusion", "ir_pre_fusion")
# Titles of printed AOT graphs → the kinds of code that may be made of them.
_AOT_GRAPH = {"Forward graph": ("forward", "inference"), "Backward graph": ("backward",)}

_Stream = tuple[int | None, str | None]  # rank, compile id
_FARTHEST = 100_000  # lines; beyond, definitions follow each other without gaps
_JIT = "@triton.jit"


def read_text_log(path: Path) -> Reading:
    """The generated code in what `TORCH_LOGS=output_code` prints, or in a part of it.

    Raises KernelmapError where the file cannot be read.
    """
    text = _Text(path)
    try:
        log_messages = split_messages(text.iter_lines())
    except OSError as error:
        raise unreadable(path, error) from error
    for message in log_messages:
        text.take_message(message)
    return text.finish_reading()


class _Text(Struct):
    path: Path
    codes: list[tuple[Message, str]] = []
    written: list[Message] = []
    kernels: dict[int | None, list[Message]] = field(default_factory=lambda: defaultdict(list))
    post_grad: dict[_Stream, str] = {}
    aot: dict[tuple[int | None, str], str] = {}
    graphs: dict[int, str] = {}
    fusion: dict[_Stream, FusionLog] = field(default_factory=lambda: defaultdict(FusionLog))
    not_fused: dict[int, tuple[NotFused, ...]] = {}
    cpp_written: list[str] = []
    cut_in_line: int | None = None

    def iter_lines(self) -> Iterator[str]:
        """The lines of the file, as far as they can be unpacked where it is packed."""
        read = 0
        encoding = encoding_of(first_unpacked(self.path, _MARK_BYTES))
        with TextIOWrapper(open_unpacked(self.path), encoding, "replace", newline="\n") as file:
            try:
                for line in file:
                    read += 1
                    yield line
            except EOFError:
                self.cut_in_line = read + 1

    def take_message(self, message: Message) -> None:
        """Use one message."""
        if message.head == _WRITTEN:
            self.written.append(message)
        elif message.head in _CPP_WRITTEN:
            self.cpp_written.append(message.body_text().strip())
        elif message.head in _CPP:
            # C++ wrappers whose text was printed.
            if is_cpp_wrapper(code := message.body_text()):
                self.codes.append((message, code))
        elif message.artifact in _GRAPHS:
            self._take_graph(message)
        elif message.artifact in _OF_SCHEDULER:
            self.fusion[message.stream].take_lines(text for _, text in message.parts)
        elif message.artifact == "kernel_code" and message.head in (_KERNEL, None):
            self.kernels[message.rank].append(message)
        elif message.artifact in ("output_code", None):
            code = message.body_text()
            if is_generated_code(code):
                self.codes.append((message, code))
                # The graph of the code, as text: the last post-grad graph of
                # the same rank and compile id, which then is used up, else
                # the AOT graph of the id that the code states.
                traced = self.aot.get((message.rank, id_at_head(code, _FAR) or ""), "")
                self.graphs[message.line] = self.post_grad.pop(message.stream, traced)
                # Its scheduling was done just before.
                self.not_fused[message.line] = self.fusion.pop(
                    message.stream, FusionLog()
                ).decisions()

    def _take_graph(self, message: Message) -> None:
        text = message.body_text()
        if message.artifact == "post_grad_graphs":
            self.post_grad[message.stream] = text
            return
        # The title is ` ===== Forward graph 0 =====`: kind and number.
        title, _, number = text.partition("=====")[2].partition("=====")[0].strip().rpartition(" ")
        for kind in _AOT_GRAPH.get(title, ()):
            self.aot[message.rank, f"{number}_{kind}"] = text

    def finish_reading(self) -> Reading:
        """Everything that was found."""
        placement = with_paths(self.codes, self.written)
        texts = [
            CodeText(
                text=code.text,
                code=code.path or f"{self.path}:{code.message.line}",
                place=self._place_of_rank(code.message.rank),
                strength=_STRENGTH,
                facts=self._facts_of(code.message),
            )
            for code in placement.codes
        ]
        # Single kernels count only if no graph of the text defines them.
        defined = "\n".join(text.text for text in texts)
        for rank, sources in self.kernels.items():
            text = definitions_of(sources, defined)
            if text is not None:
                place = self._place_of_rank(rank)
                code = str(self.path)
                texts.append(CodeText(text=text, code=code, place=place, strength=_STRENGTH))
        # A C++ wrapper that was printed needs no file.
        printed = any(is_cpp_wrapper(text.text) for text in texts)
        lost = (*placement.lost, *(() if printed else self.cpp_written))
        return Reading(tuple(texts), tuple(self._iter_notices(lost, has_code=bool(texts))))

    def _facts_of(self, message: Message) -> CodeFacts:
        graph = self.graphs.get(message.line, "")
        nodes = parse_graph_text(graph)
        return CodeFacts(
            compile_id=message.compile_id,
            post_grad=nodes,
            post_grad_text=parse_printed(graph, nodes),
            not_fused=self.not_fused.get(message.line, ()),
        )

    def _place_of_rank(self, rank: int | None) -> tuple[str, ...]:
        parts = self.path.resolve().parts
        return parts if rank is None else (*parts, f"rank_{rank}")

    def _iter_notices(self, lost: Sequence[str], *, has_code: bool) -> Iterator[Notice]:
        if lost:
            yield Notice(
                slug="code-not-here",
                message=f"{self.path} names {len(lost)} files of generated code that are not here "
                f"or were changed, first {lost[0]}.",
                hint="Copy them from the machine that ran, or print them: TORCH_LOGS=output_code.",
                gap=True,
            )
        if self.cut_in_line is not None:
            yield Notice(
                slug="log-lines-unread",
                message=f"{self.path}: it is packed and ends within line {self.cut_in_line}.",
                hint="It was cut off or edited; what stood behind is missing.",
                gap=True,
            )
        if not has_code and not lost:
            yield Notice(
                slug="log-without-code",
                message=f"{self.path} holds no generated code.",
                hint="Record with TORCH_LOGS=output_code, and until the first step is done.",
                gap=True,
            )


def definitions_of(messages: Sequence[Message], defined: str) -> str | None:
    """Definitions of the kernels that `defined` does not define; None where none is left."""
    lines: list[str] = []
    for message in messages:
        source = message.body_text().strip("\n") + "\n"
        name = _name_of_wrapper(source) if _JIT in source else None
        if name is None or f"{name} = async_compile." in defined:
            continue
        # A definition gets the line of its message, so that line numbers lead to the log.
        if message.line < _FARTHEST:
            lines += [""] * (message.line - 1 - len(lines))
        lines.append(f"{name} = async_compile.triton({name!r}, {source!r})")
    return "\n".join(lines) + "\n" if lines else None


def _name_of_wrapper(source: str) -> str | None:
    """The wrapper's name, which Inductor keeps even where the function is only `triton_`."""
    facts = triton_facts(source)
    name = facts.meta.get("kernel_name", facts.function)
    return name if isinstance(name, str) and name.isidentifier() else None


class PlacedCode(Struct, frozen=True):
    """A text of code; `path` is where it was written, None where the text does not say."""

    message: Message
    text: str
    path: str | None


class CodePlacement(Struct, frozen=True):
    """All code that was found, and the paths of code that is nowhere to be had."""

    codes: tuple[PlacedCode, ...]
    lost: tuple[str, ...]


def with_paths(codes: Sequence[tuple[Message, str]], written: Sequence[Message]) -> CodePlacement:
    """Join each code with its path, and add the files of which only the path is there."""
    # The content hash is sure; what it leaves open is decided by order.
    paths = _by_hash(codes, written)
    _by_place(codes, written, paths)
    placed = [_open_file_of(*code, path) for code, path in zip(codes, paths, strict=True)]
    lost: list[str] = []
    # A path whose code was printed is not opened a second time.
    seen = {path for path in paths if path is not None}
    for message in written:
        path = message.first_line
        if path in seen or not path:
            continue
        seen.add(path)
        text = _whole_file(path)
        if text is None:
            lost.append(path)
        else:
            placed.append(PlacedCode(message, text, path))
    return CodePlacement(tuple(placed), tuple(lost))


def _by_hash(codes: Sequence[tuple[Message, str]], written: Sequence[Message]) -> list[str | None]:
    # Stem of the file → its path. The stem is the hash of the content.
    stems = {stem_of(path): path for message in written if (path := message.first_line)}
    return [stems.get(content_stem(text)) if stems else None for _, text in codes]


def _by_place(
    codes: Sequence[tuple[Message, str]], written: Sequence[Message], paths: list[str | None]
) -> None:
    """Fill what is open in `paths` from the order of the messages of each rank and compile id."""
    # Rank and compile id → lines of codes (as numbers) and of paths (as texts), to be sorted.
    streams: dict[tuple[int | None, str | None], list[tuple[int, int | str]]] = defaultdict(list)
    for number, (message, _) in enumerate(codes):
        streams[message.stream].append((message.line, number))
    for message in written:
        streams[message.stream].append((message.line, message.first_line))
    taken = set(paths)
    for stream in streams.values():
        # `last` is the code above that may still get a
        # path, `pending` a path that came before its code.
        last: int | None = None
        pending: str | None = None
        for _, item in sorted(stream, key=lambda entry: entry[0]):
            if isinstance(item, int):
                # A path above code without one is its path.
                if paths[item] is None and pending is not None:
                    paths[item], pending = pending, None
                    taken.add(paths[item])
                last = item
            elif item in taken:
                continue
            # A path below code without one is its path.
            elif last is not None and paths[last] is None:
                paths[last] = item
                taken.add(item)
            else:
                # A path that fits no code above waits for the next code.
                pending = item


def _open_file_of(message: Message, text: str, path: str | None) -> PlacedCode:
    """The code with the text of its file, where that can be opened."""
    # The text is whole: its hash is that of the file's name.
    if path is None or content_stem(text) == stem_of(path):
        return PlacedCode(message, text, path)
    # The message was cut off. A file that still has the right hash replaces it.
    whole = _whole_file(path)
    if whole is None and is_file(Path(path)):
        return PlacedCode(message, text, None)  # Something else stands there by now.
    return PlacedCode(message, whole or text, path)


def _whole_file(path: str) -> str | None:
    """The generated code at `path`, None where it is not there or was changed since."""
    file = Path(path)
    if not (file.is_absolute() and is_file(file)):
        return None
    try:
        text = read_text(file)
    except KernelmapError:
        return None
    return text if content_stem(text) == file.stem and is_generated_code(text) else None
