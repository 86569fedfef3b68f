"""What differs beside the times is named in the first two lines, and nothing where nothing does.

Real recordings are rewritten: settings, variables and versions where torch and the profiler state
them, types and shapes in the code and its graphs.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison, speak_verdict
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.opening import open_side, side_of_run
from kernelmap.history.compare.sides.side import CallSide, ComparedSide
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.in_json import dumps
from kernelmap.history.compare.texts.show import short_page
from kernelmap.history.compare.texts.words import say_explaining, say_verdict
from kernelmap.history.store.configuration import pack_configuration, unpack_configuration
from kernelmap.history.store.store import Store
from kernelmap.pages.render import terminal
from kernelmap.tables.configuration import Configuration
from simulated_clock import simulated_clock

SAMPLE = "cuda_mlp_train"
SETTINGS = {
    "max_fusion_size": "64",
    "epilogue_fusion": "True",
    "max_autotune": "False",
    "coordinate_descent_tuning": "False",
    "triton.cudagraphs": "False",
    "max_autotune_gemm_backends": "ATEN,TRITON,CPP",
}
MATMUL = "('none', True, True)"
LISTED = {"dynamo.recompile_limit": "64"}
VARIABLES = {
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "MY_TORCH_TOKEN": "hf_secret",
    "TORCHINDUCTOR_CACHE_DIR": "/tmp/one",  # noqa: S108 -- a path that must not be read
}
_CACHE = re.compile(r"\t(\{\"key\": \"\w+\"\})")
_RUNNABLE = re.compile(r'(V.*"fx_graph_runnable".*)\n')


class Recording:
    """A copy of the sample whose log states settings and variables, as far as it is changed."""

    def __init__(self, sample: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(sample, folder)
        self.settings, self.listed, self.variables = dict(SETTINGS), dict(LISTED), dict(VARIABLES)
        self.matmul = MATMUL

    def rewrite(self, name: str, old: str, new: str) -> None:
        """Change the text of each file of that name."""
        for path in self.folder.rglob(name):
            packed = path.suffix == ".gz"
            raw = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
            text = raw.decode().replace(old, new)
            path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())

    def side(self, *, packed: bool = False) -> ComparedSide:
        """The recording as one side, with all that its log is to state written into it."""
        (log,) = self.folder.rglob("torch_trace.log")
        components = [
            f"[a] inductor_config[{name}]: {value}" for name, value in self.settings.items()
        ]
        components.append(f"[a] cuda_matmul_settings: {self.matmul}")
        lines = [f"os.environ['{name}'] = '{value}'" for name, value in self.variables.items()]
        for name, value in self.listed.items():
            part, _, rest = name.partition(".")
            lines.append(f"torch._{part}.config.{rest} = {value}")
        runnable = "".join(f"\t{line}\n" for line in [*lines, "class Repro(torch.nn.Module):"])
        text = _CACHE.sub(
            lambda match: "\t" + json.dumps(json.loads(match[1]) | {"components": components}),
            log.read_text(),
        )
        log.write_text(_RUNNABLE.sub(lambda match: f"{match[1]}\n{runnable}", text))
        if packed:
            log.with_name("t.log.gz").write_bytes(gzip.compress(log.read_bytes()))
            log.unlink()
        return open_side(str(self.folder)).side


def first_lines(comparison: Comparison) -> str:
    return "\n".join(terminal.render_text(short_page(comparison), 400).plain.split("\n")[:2])


def _dtype(recording: Recording) -> None:
    """The same model in bf16, wherever the code or a graph states a type."""
    for name in ("output_code.py", "torch_trace.log"):
        for old, new in (
            ("f32[", "bf16["),
            ("*fp32", "*bf16"),
            ("torch.float32", "torch.bfloat16"),
        ):
            recording.rewrite(name, old, new)


def _batch(recording: Recording) -> None:
    """Twice the batch: the first dimension of every tensor, and all that is made of it."""
    for name in ("output_code.py", "torch_trace.log"):
        for old, new in (
            ("[8, 128", "[16, 128"),
            ("(8, 128", "(16, 128"),
            ("1024, 256", "2048, 256"),
        ):
            recording.rewrite(name, old, new)
        recording.rewrite(name, "xnumel = ", "xnumel = 2 * ")


def _setting(name: str, value: str) -> Callable[[Recording], None]:
    return lambda recording: recording.settings.update({name: value})


def _mode(recording: Recording) -> None:
    recording.settings |= {"max_autotune": "True", "coordinate_descent_tuning": "True"}


def _matmul(recording: Recording) -> None:
    recording.matmul = "('tf32', True, True)"


PLANTED: dict[str, tuple[Callable[[Recording], object], str]] = {
    "a setting": (_setting("max_fusion_size", "2"), "max_fusion_size 64 → 2"),
    "a switch": (_setting("epilogue_fusion", "False"), "epilogue_fusion on → off"),
    "a list": (
        _setting("max_autotune_gemm_backends", "ATEN"),
        "max_autotune_gemm_backends ATEN,TRITON,CPP → ATEN",
    ),
    "a setting of Dynamo": (
        lambda recording: recording.listed.pop("dynamo.recompile_limit"),
        "dynamo.recompile_limit 64 → default",
    ),
    "what products may round": (
        _matmul,
        "cuda_matmul_settings ('none', True, True) → ('tf32', True, True)",
    ),
    "a variable": (
        lambda recording: recording.variables.pop("PYTORCH_CUDA_ALLOC_CONF"),
        "PYTORCH_CUDA_ALLOC_CONF expandable_segments:True → not set",
    ),
    "torch": (
        lambda recording: recording.rewrite("manifest.toml", "2.11.0+cu130", "2.13.0+cu130"),
        "torch 2.11.0+cu130 → 2.13.0+cu130",
    ),
    "Triton": (
        lambda recording: recording.rewrite("manifest.toml", "3.6.0", "3.9.0"),
        "triton 3.6.0 → 3.9.0",
    ),
    "the driver": (
        lambda recording: recording.rewrite(
            "trace.json.gz", '"cuda_driver_version":13000', '"cuda_driver_version":12080'
        ),
        "driver 13.0 → 12.8",
    ),
    "the device": (
        lambda recording: recording.rewrite("trace.json.gz", "NVIDIA H200", "NVIDIA H100"),
        "GPU NVIDIA H200 → NVIDIA H100",
    ),
    "the mode": (_mode, "mode default → max-autotune-no-cudagraphs"),
    "the dtype": (_dtype, "calls: fp32 became bf16"),
    "the batch": (_batch, "calls: [1024, 256] became [2048, 256]"),
}


@pytest.fixture(scope="module")
def plain(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> ComparedSide:
    return Recording(samples / SAMPLE, tmp_path_factory.mktemp("plain") / "run").side()


@pytest.mark.sampled
@pytest.mark.parametrize("case", PLANTED)
def test_what_was_planted_is_named(
    case: str, plain: ComparedSide, samples: Path, tmp_path: Path
) -> None:
    """In the first two lines, and it alone; between two recordings that have it nothing is.

    The second one has another cache folder and another token, which are no settings, and keeps its
    log packed.
    """
    plant, words = PLANTED[case]
    once, again = (Recording(samples / SAMPLE, tmp_path / name) for name in ("once", "again"))
    plant(once)
    plant(again)
    again.variables |= {"MY_TORCH_TOKEN": "hf_another", "TORCHINDUCTOR_CACHE_DIR": "/tmp/other"}  # noqa: S108 -- as above
    changed, same = once.side(), again.side(packed=True)
    planted, equal = compare_sides(plain, changed), compare_sides(changed, same)

    assert words in first_lines(planted)
    assert len([each for each in planted.differences if each.may_explain]) == 1
    assert equal.differences == ()
    assert say_verdict(equal) == ["comparable: nothing else is known to differ (3 and 3 steps)"]
    assert "hf_" not in dumps(planted) + dumps(equal)


def _with_calls(side: ComparedSide, change: Callable[[CallSide], CallSide]) -> ComparedSide:
    graphs = tuple(replace(graph, calls=tuple(map(change, graph.calls))) for graph in side.graphs)
    return replace(side, graphs=graphs)


def _slower(call: CallSide) -> CallSide:
    return replace(
        call,
        time_ns=round(1.07 * call.time_ns),
        samples={key: round(1.07 * time_ns) for key, time_ns in call.samples.items()},
    )


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("clock", "slower"), [(1980.0, 1.0), (1841.4, 1980 / 1841.4)], ids=["equal", "planted"]
)
def test_a_clock_that_a_profile_samples_is_named(
    clock: float, slower: float, samples: Path, tmp_path: Path
) -> None:
    """By its frequencies, in the first two lines; between two recordings at one clock, nothing."""
    before, after = (
        open_side(
            str(simulated_clock(samples / SAMPLE, tmp_path / name, clock=mhz, slower=by))
        ).side
        for name, mhz, by in (("before", 1980.0, 1.0), ("after", clock, slower))
    )
    comparison = compare_sides(before, after)
    lines = first_lines(comparison)

    assert comparison.differences == ()
    assert ("the SM clock was 7.0 % lower (1,980 → 1,841 MHz)" in lines) == (slower > 1)
    assert lines.startswith("no change\nSM clock: alike") == (slower == 1)


def test_a_clock_that_nobody_sampled_is_named(plain: ComparedSide) -> None:
    """As what all of the same code did alike."""
    slower = _with_calls(plain, _slower)
    total = plain.total_ns + sum(
        round(0.07 * call.time_ns) for graph in plain.graphs for call in graph.calls
    )
    slower = replace(slower, summary=replace(plain.summary, total_ns=total))

    assert "all of the same code alike: clock, power or device" in first_lines(
        compare_sides(plain, slower)
    )


def test_what_explains_the_change_comes_first(plain: ComparedSide) -> None:
    """Calls were fused otherwise: settings about fusion stand before all other settings.

    One of a compiler that makes no kernel of this device stands behind them, whatever its name.
    """
    names = (
        "cpp.max_horizontal_fusion_size",
        "a_first_name",
        "max_fusion_size",
        "max_autotune_gemm",
        "triton.cudagraph_trees",
    )
    graph = max(plain.graphs, key=lambda graph: len(graph.calls))
    fused = max(
        (call for call in graph.calls if call.backend == "triton"), key=lambda call: call.time_ns
    )
    half = len(fused.piece.parts) // 2

    def part(index: int, parts: tuple[str, ...]) -> CallSide:
        name = f"part_{index}"
        piece = replace(fused.piece, fingerprint=name, name=name, parts=parts)
        return replace(fused, id=f"{graph.id}/{index}", name=name, piece=piece)

    split = [part(1000, fused.piece.parts[:half]), part(1001, fused.piece.parts[half:])]
    calls = [each for call in graph.calls for each in (split if call is fused else [call])]
    graphs = [replace(each, calls=tuple(calls)) if each is graph else each for each in plain.graphs]
    total = plain.total_ns + fused.time_ns
    after = replace(plain, graphs=tuple(graphs), summary=replace(plain.summary, total_ns=total))
    comparison = compare_sides(
        replace(plain, settings=dict.fromkeys(names, "1")),
        replace(after, settings=dict.fromkeys(names, "2")),
    )

    assert comparison.differences[-1].name == "cpp.max_horizontal_fusion_size"
    assert find_first_line(comparison).startswith(
        "max_fusion_size 1 → 2, max_autotune_gemm 1 → 2, triton.cudagraph_trees 1 → 2 and 2 more; "
        "fused otherwise: 1 call became 2, "
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({}, {"x": ("1",)}, "x default → 1"),
        ({"x": ("1",)}, {"x": ("2",)}, "x 1 → 2"),
        ({"x": ("1", "default")}, {"x": ("1",)}, ""),
        ({"x": ("1", "default")}, {}, ""),
        ({}, {"trace.enabled": ("True",)}, ""),
        (None, {"x": ("1",)}, ""),
        (None, None, ""),
    ],
)
def test_settings_that_a_log_lists_are_not_the_default(
    before: dict[str, tuple[str, ...]] | None,
    after: dict[str, tuple[str, ...]] | None,
    said: str,
    plain: ComparedSide,
) -> None:
    """A setting that one side lists is the default on the other; one of some graphs is no sign.

    What changes no kernel is left out. Where a side lists none because no log says, nothing is
    known, and nothing differs.
    """
    bare = replace(plain, settings={}, environment=None)
    comparison = compare_sides(replace(bare, changed=before), replace(bare, changed=after))

    assert say_explaining(comparison) == said


def test_logs_that_list_all_and_logs_that_list_some(plain: ComparedSide) -> None:
    """A value that one side states among all is held against one that the other side changed.

    Where the other side changed nothing, nobody says which value is the default.
    """
    whole = replace(plain, settings={"x": "1"}, changed=None, environment=None)
    some = replace(whole, settings={}, changed={"x": ("2",)})
    none = replace(whole, settings={}, changed={})

    assert say_explaining(compare_sides(whole, some)) == "x 1 → 2"
    assert say_explaining(compare_sides(some, whole)) == "x 2 → 1"
    assert say_explaining(compare_sides(whole, none)) == ""
    assert say_explaining(compare_sides(whole, replace(some, changed={"x": ("1",)}))) == ""


def test_a_mode_is_said_in_place_of_its_options(plain: ComparedSide) -> None:
    """From all settings or from those that are not the default; values of no mode stay settings."""
    off = {"max_autotune": "False", "coordinate_descent_tuning": "False"}
    all_off = off | {"triton.cudagraphs": "False", "cudagraphs": "False"}
    replayed = off | {"triton.cudagraphs": "True", "cudagraphs": "True"}
    tuned = {"max_autotune": ("True",), "coordinate_descent_tuning": ("True",)}
    bare = replace(plain, environment=None)

    def said(before: ComparedSide, after: ComparedSide) -> str:
        return say_explaining(compare_sides(before, after))

    listed = [replace(bare, settings={}, changed=changed) for changed in ({}, tuned)]
    stated = [
        replace(bare, settings=settings)
        for settings in (all_off, replayed, all_off | {"max_autotune": "True"})
    ]
    assert said(*listed) == "mode default → max-autotune-no-cudagraphs"
    assert said(*stated[:2]) == "mode default → reduce-overhead"
    assert said(stated[0], stated[2]) == "max_autotune off → on"


def test_a_gate_begins_with_what_differs(plain: ComparedSide) -> None:
    """Before its reasons stands what may explain them; of many settings the notes name five."""
    many = {f"option_{at}": "1" for at in range(40)}
    before = replace(plain, settings=many, versions={"triton": "3.6.0"})
    after = replace(plain, settings=dict.fromkeys(many, "2"), versions={"triton": "3.7.0"})
    comparison = compare_sides(before, after)
    verdict = judge_comparison(comparison, GateLimits())

    assert speak_verdict(comparison, verdict).split("\n")[0] == (
        "note: triton 3.6.0 → 3.7.0, option_0 1 → 2, option_1 1 → 2 and 38 more"
    )
    assert len([note for note in verdict.notes if note.startswith("differs beside")]) == 7


def test_a_side_without_settings_is_said(plain: ComparedSide) -> None:
    """Nothing else is known to differ, and what is not known is named."""
    bare = replace(plain, settings={}, changed=None)
    not_compared = "not compared: settings of the compiler, which no log of {} states"
    for sides, whose in (
        ((bare, bare), "either side"),
        ((bare, plain), "the older side"),
        ((plain, bare), "the newer side"),
    ):
        assert say_verdict(compare_sides(*sides))[1:] == [not_compared.format(whose)]
    assert len(say_verdict(compare_sides(plain, plain))) == 1


def test_a_kept_run_knows_what_it_was_compiled_with(samples: Path, tmp_path: Path) -> None:
    """A run of a store against another, or against files: the same differences as of files."""
    before, after = (Recording(samples / SAMPLE, tmp_path / name) for name in ("before", "after"))
    after.settings["max_fusion_size"] = "2"
    after.rewrite("trace.json.gz", '"cuda_driver_version":13000', '"cuda_driver_version":12080')
    sides = [before.side(), after.side()]
    store = Store(str(tmp_path / "kept"))
    for recording in (before, after):
        store.record(kernelmap.correlate(recording.folder), name=recording.folder.name)
    kept = [side_of_run(store.open(name), name) for name in ("before", "after")]
    expected = [
        ("driver", "13.0", "12.8"),
        ("setting max_fusion_size", "64", "2"),
    ]
    for pair in (sides, kept, (sides[0], kept[1])):
        found = compare_sides(*pair).differences
        assert sorted((each.what, each.before, each.after) for each in found) == expected
    assert store.check() == (2, ())


@pytest.mark.parametrize("name", ["saved.json", "saved"])
def test_a_saved_result_knows_what_it_was_compiled_with(
    name: str, samples: Path, tmp_path: Path
) -> None:
    """Two saved results, or one against files: the same differences as of files, and words.

    One that is kept as a run afterwards keeps them as well.
    """
    before, after = (Recording(samples / SAMPLE, tmp_path / name) for name in ("before", "after"))
    after.settings["max_fusion_size"] = "2"
    after.variables.pop("PYTORCH_CUDA_ALLOC_CONF")
    after.rewrite("manifest.toml", "2.11.0+cu130", "2.13.0+cu130")
    sides = [before.side(), after.side()]
    saved = [
        kernelmap.correlate(each.folder).write(tmp_path / f"{each.folder.name}-{name}")
        for each in (before, after)
    ]
    store = Store(str(tmp_path / "kept"))
    run = store.record(kernelmap.load(saved[1]))
    opened = [open_side(str(path)).side for path in saved]
    expected = compare_sides(*sides)
    said = find_first_line(expected)

    assert len(expected.differences) == 3
    for pair in (opened, (sides[0], opened[1]), (opened[0], side_of_run(run, "run"))):
        comparison = compare_sides(*pair)
        assert comparison.differences == expected.differences
        assert find_first_line(comparison) == said
    assert "hf_secret" not in str(kernelmap.load(saved[0]).tables.configuration)


def test_a_result_that_was_saved_earlier_states_nothing(samples: Path, tmp_path: Path) -> None:
    """Of a file without the key nothing is known, as where no log states anything."""
    path = kernelmap.correlate(samples / SAMPLE).write(tmp_path / "saved.json")
    document = json.loads(path.read_text())
    assert document.pop("configuration")["versions"]["torch"].startswith("2.")
    path.write_text(json.dumps(document))

    assert kernelmap.load(path).tables.configuration == Configuration()


@given(
    st.builds(
        Configuration,
        settings=st.dictionaries(st.text(), st.text(), max_size=3),
        changed=st.none()
        | st.dictionaries(
            st.text(), st.lists(st.text(), min_size=1, max_size=2).map(tuple), max_size=3
        ),
        environment=st.none() | st.dictionaries(st.text(), st.text(), max_size=3),
    )
)
def test_a_configuration_is_read_as_it_was_kept(configuration: Configuration) -> None:
    """Whatever the names and values are, and whether or not anything is stated of each kind."""
    assert unpack_configuration(pack_configuration(configuration)) == configuration
