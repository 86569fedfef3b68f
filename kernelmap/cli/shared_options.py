"""Options with one meaning in every command: declared once, on the program.

    kernelmap --store kept/runs runs show latest
    kernelmap correlate output_code.py profile.json --steps 3:5

They may stand before the command or after it. A command says which of them it takes
(`Command(shared=...)`), its help lists those, and any other one is wrong usage. What is given is
kept in the context of the program, and asked for here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kernelmap.cli.common import GIVEN, TYPED, AnyPath, OneOf, Shared, emit, say, writing
from kernelmap.options import Options, Side

if TYPE_CHECKING:
    from kernelmap.bearing import Question
    from kernelmap.model import Notice

_DIGITS = 18  # of the largest step number that a trace can hold


class _Steps(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """`A:B` or `A` as the first and the last step, both inclusive."""

    name = "steps"

    def convert(
        self,
        value: Any,  # noqa: ANN401 -- click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, int]:
        """The two numbers; wrong usage where there are none, or the second is smaller."""
        if isinstance(value, tuple):
            return value
        first, colon, last = str(value).partition(":")
        numbers = (first, last if colon else first)
        if not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
            self.fail(
                f"{value!r} is neither a step number such as 3 nor two such as 3:5", param, ctx
            )
        start, stop = map(int, numbers)
        if stop < start:
            self.fail(f"{value!r} ends before it starts", param, ctx)
        return start, stop


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ANN401 -- click's signature
    """Keep a value for the whole command line; what was typed goes before what is stated."""
    name = str(param.name)
    source = ctx.get_parameter_source(name)
    kept = ctx.meta.setdefault(GIVEN, {})
    # An option may stand before and behind the command. One that may be repeated has all its
    # values; of others the last one counts.
    if source is ParameterSource.COMMANDLINE:
        ctx.meta.setdefault(TYPED, {})[name] = param.opts[-1]
        kept[name] = (*kept.get(name, ()), *value) if param.multiple else value
    elif source in (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP):
        # A variable or a setting counts where nothing was typed.
        kept.setdefault(name, value)
    return value


def _begin_debugging(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001 -- click's signature
    # --debug before and behind the command logs once.
    if value and not ctx.meta.get("kernelmap.debug"):
        ctx.meta["kernelmap.debug"] = True
        ctx.find_root().call_on_close(_log_to_stderr())


def _log_to_stderr() -> Callable[[], None]:
    """Print what the package logs from now on; gives what ends that."""

    class _Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            with writing("standard error"):
                say(f"debug: {self.format(record)}")

    logger, handler = logging.getLogger("kernelmap"), _Lines()
    handler.setFormatter(logging.Formatter("%(relativeCreated)d ms %(name)s: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)

    def end() -> None:
        logger.removeHandler(handler)
        logger.setLevel(before)

    return end


debug = Shared(
    ["--debug"],
    is_flag=True,
    callback=_begin_debugging,
    envvar="KERNELMAP_DEBUG",
    help="Say on stderr what is done and when, and show the traceback of an error.",
)

quiet = Shared(
    ["-q", "--quiet"],
    is_flag=True,
    callback=_keep,
    envvar="KERNELMAP_QUIET",
    help="Say no notices, no progress and no names of written files on stderr: only errors.",
)

store = Shared(
    ["--store"],
    callback=_keep,
    metavar="PATH|URL",
    help="Where runs are kept: a folder, or a URL that fsspec knows.  [default: KERNELMAP_STORE,"
    " else [tool.kernelmap] in pyproject.toml, else .kernelmap]",
)

steps = Shared(
    ["--steps"],
    callback=_keep,
    type=_Steps(),
    metavar="A:B",
    help="Count profiler steps A to B only, or step A alone: --steps 3.",
)

side = Shared(
    ["--side"],
    callback=_keep,
    type=OneOf([side.value for side in Side]),
    default=Side.AUTO.value,
    show_default=True,
    help="Whose time to count; auto: the GPU's, if there is any.",
)

like = Shared(
    ["--like"],
    callback=_keep,
    type=AnyPath(),
    multiple=True,
    metavar="RUN",
    help="A run of the same code that knows its calls: a bundle, a profile with its code, or a"
    " saved result. May be given several times.",
)

cache_dir = Shared(
    ["--cache-dir"],
    callback=_keep,
    type=AnyPath(),
    envvar="KERNELMAP_CACHE_DIR",
    metavar="DIR",
    help="Inductor's cache folder, asked for the code of what ran and was not given.",
)

device_limits = Shared(
    ["--device-limits"],
    callback=_keep,
    type=AnyPath(),
    envvar="KERNELMAP_DEVICE_LIMITS",
    metavar="FILE",
    help="A .toml file with the limits of devices; it goes before the table of known ones.",
)

columns = Shared(
    ["--columns"],
    callback=_keep,
    metavar="A,B,C",
    help="Columns of the rows, by their names in files; `kernelmap help WORD` explains headings.",
)

where = Shared(
    ["--where"],
    callback=_keep,
    metavar="CONDITION",
    help="Only rows such as 'time_ns>1ms and confidence=exact': a column, one of = != ~ (holds)"
    " < <= > >=, and a value; `and`, `or`.",
)

anyway = Shared(
    ["--anyway"],
    callback=_keep,
    is_flag=True,
    help="Show figures also where they mislead: of lost kernels, of autotuning, of other code.",
)

STORE = (store,)
ROWS = (columns, where)
"""What every command takes that prints rows of a table."""
PAIRING = (like, cache_dir)
"""What every command takes that pairs launches with calls: what else may be known of the code."""

CORRELATION = (steps, side, *PAIRING, device_limits)
"""What every command takes that counts time as well."""

FIGURES = (*CORRELATION, anyway)
"""What every command takes whose figures are refused where a recording cannot bear them."""

PROGRAM = (debug, quiet, store, *FIGURES, *ROWS)
"""All of them, in the order of the help."""


def require_bearing(
    notices: Sequence[Notice], form: str | None, question: Question | None = None
) -> None:
    """Raise RefusedError where a recording cannot bear the question, unless --anyway is given.

    `notices` are those of its result; without a `question` it is about the code. With
    `form` "json" or "jsonl" the reasons are printed as a document in the place of the answer.
    """
    from kernelmap.bearing import find_refusals, refuse

    refused = find_refusals(notices, question) if question else find_refusals(notices)
    if not refused or wants_refused():
        return
    if form in ("json", "jsonl"):
        from kernelmap.pages.documents import of_refusal

        emit(of_refusal(refused))
    raise refuse(refused[0])


def wants_refused() -> bool:
    """Whether figures are asked for although the recording cannot bear them: --anyway."""
    return bool(click.get_current_context().meta.get(GIVEN, {}).get("anyway"))


def chosen_options() -> Options:
    """The choices of this correlation."""
    given: Mapping[str, Any] = click.get_current_context().meta.get(GIVEN, {})
    return Options(
        steps=given.get("steps"),
        side=Side(given.get("side", Side.AUTO.value)),
        like=given.get("like", ()),
        cache_dir=given.get("cache_dir"),
        device_limits=given.get("device_limits"),
    )
