"""The text of a generated file → its syntax tree, its comment lines, and the values of literals.

Takes a path, bytes or a text. Line numbers count from 1 and are those of Python's parser: lines end
with a newline, a carriage return, or both. Left out: comments that share a line with code. Nothing
here runs or imports what it reads.

C++ is a file (`*.wrapper.cpp` of AOTInductor, `*.main.cpp` in Inductor's cache), or stands in a
string of a Python file, `cpp_wrapper_src = (r'''…''')`, as `cpp_wrapper=True` makes Inductor write
it. Everything around it becomes empty lines, so line numbers stay.
"""

from __future__ import annotations

import ast
import codecs
import re
import string
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from kernelmap.errors import unreadable
from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model.paths import SIGNS, read_bytes

UTF_16 = "utf-16"
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Long texts hold the sources of kernels; each is a single node of the tree.
_LONG_TEXT = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"", re.DOTALL)
_PLAIN = ("ctx", "op", "ops", "id", "attr", "arg", "name", "kind", "type_comment")  # no expression
_MIXED = ("keys", "kw_defaults", "names", "kwd_attrs")  # hold None or texts, too
_HOLDING = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN)
    if kind not in (ast.Name, ast.Constant)  # most of a tree
    else ()
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""The fields of each kind of node in which `nodes_in` looks for others."""
_TREES: ContextVar[dict[str, ast.Module] | None] = ContextVar("trees", default=None)
# Bytes that are no signs: those of names and numbers, spaces and tabs.
_NO_SIGNS = f"{string.ascii_letters}{string.digits}_ \t".encode()


def read_text(path: Path) -> str:
    """The text of `path`; bytes that are no UTF-8 become U+FFFD. Raises KernelmapError."""
    try:
        data = read_bytes(path)
    except OSError as error:
        raise unreadable(path, error) from error
    return decode_text(data)


def decode_text(data: bytes) -> str:
    """`data` as text whose lines end with a newline; bytes that are no UTF-8 become U+FFFD."""
    text = data.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(data: bytes) -> str:
    """The encoding that a byte order mark states, UTF-8 without one; some shells write UTF-16."""
    return UTF_16 if data[:2] in _UTF_16_MARKS else "utf-8-sig"


def is_file(path: Path) -> bool:
    """Whether `path`, which some text names, is a file that can be seen."""
    try:
        return path.is_file()
    except OSError:  # A folder on the way is closed to us, or the name is too long for any file.
        return False


def count_signs(text: str) -> int:
    """How many signs and lines stand in a text of Python outside of long texts, about.

    Its syntax tree has about as many nodes, each of a thousand bytes.

    >>> count_signs("f(a, [1])"), count_signs("x = '''((('''")
    (5, 1)
    """
    return len(_LONG_TEXT.sub("", text).encode("utf-8", "replace").translate(None, _NO_SIGNS))


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of `text`, None where Python's parser refuses it or it would be too large."""
    # The length is looked at first, so that short texts need not be counted.
    if SIGNS.is_exceeded(len(text)) and SIGNS.is_exceeded(count_signs(text)):
        return None
    with warnings.catch_warnings():
        # Kernels hold backslashes that Python would like doubled; that is not our reader's concern.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


@contextmanager
def sharing_trees(trees: dict[str, ast.Module]) -> Iterator[None]:
    """Within it `tree_of` parses equal texts once: what it parses it keeps in `trees`."""
    before = _TREES.set(trees)
    try:
        yield
    finally:
        _TREES.reset(before)


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of generated code as `parse` gives it, to be read and never changed.

    Generated code is read for its calls, and once more for their work: `sharing_trees`.
    """
    trees = _TREES.get()
    # Where nobody shares trees, each call parses anew.
    tree = trees.get(text) if trees else None
    if tree is None:
        tree = parse_python(text)
        if trees is not None and tree is not None:
            trees[text] = tree
    return tree


def nodes_in(tree: ast.AST) -> list[ast.AST]:
    """A node and all that it holds, in the order of `ast.walk` and in a third of its time.

    Left out: operators, and whether a name is read or written, which are nodes of their own.

    >>> [type(node).__name__ for node in nodes_in(ast.parse("f(a)", mode="eval").body)]
    ['Call', 'Name', 'Name']
    """
    found = [tree]
    for node in found:  # grows while it is run through
        if _HOLDING[type(node)]:
            found += parts_of(node)
    return found


def parts_of(node: ast.AST) -> list[ast.AST]:
    """What a node holds, in the order of `ast.iter_child_nodes`, less what `nodes_in` leaves out.

    >>> [type(part).__name__ for part in parts_of(ast.parse("f(a, b + c)", mode="eval").body)]
    ['Name', 'Name', 'BinOp']
    """
    parts: list[ast.AST] = []
    for name in _HOLDING[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            parts.append(value)
        elif isinstance(value, list):
            mixed = name in _MIXED
            parts += [item for item in value if isinstance(item, ast.AST)] if mixed else value
    return parts


def names_in(tree: ast.AST) -> list[str]:
    """The names that a node mentions, in the order of `nodes_in`, as often as they stand there.

    >>> names_in(ast.parse("f(a + f(b))", mode="eval").body)
    ['f', 'a', 'f', 'b']
    """
    return [node.id for node in nodes_in(tree) if isinstance(node, ast.Name)]


def comment_lines(text: str, tree: ast.Module) -> dict[int, str]:
    r"""Line number → text after `#`, for lines that hold nothing but a comment.

    `tree` is the text's own: only inside a string that goes on can such a line be no comment.

    >>> text = "x = '#1'  # two\n# three\ny = '''\n# four'''"
    >>> comment_lines(text, ast.parse(text))
    {2: 'three'}
    """
    # Lines that lie inside of a string: a `#` there begins no comment.
    inside: set[int] = set()
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None:
            inside.update(range(node.lineno + 1, node.end_lineno + 1))
        # Nodes of a single line cannot hold such a string, which saves most of the walk.
        pending.extend(filter(_goes_on, ast.iter_child_nodes(node)))
    comments = {}
    for number, line in enumerate(text.split("\n"), 1):
        if number not in inside and (comment := bare_comment(line)) is not None:
            comments[number] = comment
    return comments


def _goes_on(node: ast.AST) -> bool:
    """Whether anything of a node may stand on a second line; most statements are one line."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return True  # its lines do not count those of its decorators
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is None or last is None or first < last


def bare_comment(line: str) -> str | None:
    """The comment of a line of text that is known to stand outside of strings.

    >>> bare_comment("   # kernel path: x")
    'kernel path: x'
    """
    stripped = line.strip()
    return stripped[1:].strip() if stripped.startswith("#") else None


def literal_value(node: ast.expr) -> object:
    """The value of a literal, None where `node` is none (a literal None reads the same)."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):  # most arguments are
        return None
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def literal_items(node: ast.expr | None) -> dict[object, ast.expr]:
    """The entries of a dict display whose keys are hashable literals, values unread."""
    if not isinstance(node, ast.Dict):
        return {}
    items: dict[object, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = literal_value(key) if key is not None else None
        if isinstance(name, str | int | tuple):
            items[name] = value
    return items


def as_integers(value: object) -> tuple[int, ...] | None:
    """`value` as whole numbers where it is a list, tuple or set of them, in rising order kept."""
    if not isinstance(value, list | tuple | set | frozenset):
        return None
    numbers = [item for item in value if isinstance(item, int) and not isinstance(item, bool)]
    if len(numbers) != len(value):
        return None
    return tuple(sorted(numbers) if isinstance(value, set | frozenset) else numbers)


def dotted_name(node: ast.expr) -> str | None:
    """`torch.ops.aten.mm` of a chain of names, None for anything else.

    >>> dotted_name(ast.parse("a.b.c", mode="eval").body)
    'a.b.c'
    """
    if isinstance(node, ast.Name):  # most are
        return node.id
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join((node.id, *reversed(parts)))


def last_word(call: ast.Call) -> str:
    """`empty_strided_cuda` of whatever it is called by."""
    return (dotted_name(call.func) or "").rpartition(".")[2]


def dtype_among(call: ast.Call) -> str | None:
    """The `torch.float32` among the arguments of a call."""
    given = keyword_value(call, "dtype")
    for node in [*call.args, *([given] if given is not None else [])]:
        owner, _, name = (dotted_name(node) or "").rpartition(".")
        if owner == "torch" and name in ITEMSIZE:
            return name
    return None


def keyword_value(call: ast.Call, *names: str) -> ast.expr | None:
    """The value of the first keyword argument that bears one of `names`."""
    for name in names:
        for argument in call.keywords:
            if argument.arg == name:
                return argument.value
    return None


def text_arguments(call: ast.Call) -> list[str]:
    """The positional arguments that are string literals, in order."""
    return [
        argument.value
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


# Only a wrapper in C++ has one of these: its entry function, or the class of its kernels.
_ENTRIES = ("::run_impl(", "void inductor_entry_impl(", "class AOTInductorModelKernels")
# The opening of the string that holds C++ in a Python file: `cpp_wrapper_src = (r'''`.
_IN_PYTHON = re.compile(
    r"^(?:cpp_wrapper_src|kernel_src) = \(\s*[rR]?(?P<quotes>\"\"\"|''')", re.MULTILINE
)
_ASSIGNED = "_src = ("  # of such an opening: few texts have one
# The comment behind the closing brace of an entry: what follows is not the same in all copies.
_END = re.compile(r"^} // (?:inductor_entry_impl|\w+::run_impl)$", re.MULTILINE)
# A declaration of a C++ kernel: `extern "C" void cpp_fused_add_0(`.
_EXPORTED = re.compile(r'^extern "C"[^(;{}"]*?\b(\w++)\(', re.MULTILINE)
_HEADERS = ("#include <torch/csrc/inductor/", "AOTInductorModel", "inductor_entry_impl(")
_STARTS = ("//", "/*", "#include", "#define", "#pragma", "#if")
_PYTHON_STRING = "cpp_wrapper_src = ("


def is_cpp_wrapper(text: str) -> bool:
    """Whether `text` holds a C++ wrapper or the start of one, and not only kernels.

    >>> is_cpp_wrapper("void AOTInductorModel::run_impl(int x) { }")
    True
    >>> is_cpp_wrapper('extern "C" void cpp_fused_add_0(const float* in_ptr0);')
    False
    """
    return any(entry in text for entry in _ENTRIES)


def starts_as_cpp(head: str) -> bool:
    """Whether the start of a file is that of C++ by Inductor, as far as that shows."""
    return head.lstrip().startswith(_STARTS) and any(word in head for word in _HEADERS)


def holds_cpp(head: str) -> bool:
    """Whether the start of a Python file says that it holds a C++ wrapper."""
    return any(line.startswith(_PYTHON_STRING) for line in head.split("\n"))


def cpp_part(text: str) -> str | None:
    """The C++ of `text` on its own lines, None where it holds none."""
    inside = list(_IN_PYTHON.finditer(text)) if _ASSIGNED in text else []
    if not inside:
        return text if text.lstrip().startswith(_STARTS) or is_cpp_wrapper(text) else None
    parts, at = list[str](), 0
    for opening in inside:
        # The words also stand inside of the string before: that is no new string.
        if opening.end() < at:
            continue
        end = text.find(opening["quotes"], opening.end())
        end = len(text) if end < 0 else end
        # Python before the string becomes empty lines, so that line numbers stay those of the file.
        parts.append("\n" * text.count("\n", at, opening.end()) + text[opening.end() : end])
        at = end
    return "".join(parts)


def exported_kernels(text: str) -> frozenset[str]:
    """The names of the kernels that a wrapper declares.

    >>> exported_kernels('extern "C"  void  cpp_fused_add_0(const float* in_ptr0);')
    frozenset({'cpp_fused_add_0'})
    """
    return frozenset(match[1] for match in _EXPORTED.finditer(text))


def defines_any(text: str, names: frozenset[str]) -> bool:
    """Whether `text` exports one of `names`."""
    return not names.isdisjoint(exported_kernels(text))


def core_of_code(text: str) -> str:
    """What makes two copies of generated code the same.

    The same wrapper is written with its kernels behind it or without, with the compiler's command
    below it, and inside of Python; only what comes before and in its entry function counts.
    """
    part = cpp_part(text)
    if part is None:
        return text.strip()
    # The last entry function ends what all copies share.
    ends = list(_END.finditer(part))
    return part[: ends[-1].end() if ends else len(part)].strip()
