"""The Python API from files to tables, and what it says of input that it cannot use."""

from __future__ import annotations

import gzip
import json
import shutil
from itertools import permutations
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest
from pandas.testing import assert_frame_equal

import kernelmap
from kernelmap import Correlation, KernelmapError, Options, Side, correlate
from kernelmap.pipeline import which
from kernelmap.tables.schema import TABLES


@pytest.fixture(scope="module")
def mlp(samples: Path) -> Path:
    return samples / "sim_mlp_train"


@pytest.fixture(scope="module")
def correlation(mlp: Path) -> Correlation:
    return correlate(mlp, mlp / "profile.json.gz")


def slug(*sources: Path, options: Options | None = None) -> str:
    with pytest.raises(KernelmapError) as caught:
        correlate(*sources, options=options)
    assert caught.value.hint
    return caught.value.slug


def test_the_order_of_inputs_does_not_matter(mlp: Path, correlation: Correlation) -> None:
    """Code and profile are told apart by content: any order gives the same tables."""
    parts = (
        mlp / "model__0_forward_1.0" / "output_code.py",
        mlp / "model__0_backward_2.1",
        mlp / "profile.json.gz",
    )
    first, *others = [correlate(*order) for order in permutations(parts)]

    for other in others:
        for table in TABLES:
            assert_frame_equal(first.tables.frame(table), other.tables.frame(table))
    assert_frame_equal(first.calls, correlation.calls)


def test_every_table_is_a_frame(correlation: Correlation) -> None:
    """Each table of the schema is an attribute; nothing else is."""
    for table in TABLES:
        assert isinstance(getattr(correlation, table), pd.DataFrame), table
    with pytest.raises(AttributeError, match="no 'flops'"):
        _ = correlation.flops


def test_figures_are_plotly(correlation: Correlation) -> None:
    """A figure is made from the tables by its name."""
    assert isinstance(correlation.figure("ops"), go.Figure)
    with pytest.raises(KernelmapError, match="flops"):
        correlation.figure("flops")


def test_results_are_written_by_suffix(correlation: Correlation, tmp_path: Path) -> None:
    """to_html, to_json and to_parquet write; a name of another format is refused, not guessed."""
    assert correlation.to_html(tmp_path / "r.html").stat().st_size > 1_000_000
    assert (
        json.loads(correlation.to_json(tmp_path / "r.json").read_text())["summary"]["launches"]
        == 560
    )
    assert (correlation.to_parquet(tmp_path / "tables") / "ops.parquet").is_file()
    with pytest.raises(KernelmapError, match="does not name this format"):
        correlation.to_html(tmp_path / "r.json")


def test_an_input_is_never_overwritten(mlp: Path, tmp_path: Path) -> None:
    """Writing a result over the profile it was made from is refused."""
    profile = tmp_path / "profile.json"
    profile.write_bytes(gzip.decompress((mlp / "profile.json.gz").read_bytes()))
    before = profile.read_bytes()

    with pytest.raises(KernelmapError) as caught:
        correlate(mlp, profile).to_json(profile)

    assert caught.value.slug == "output-is-input"
    assert profile.read_bytes() == before


def test_explain_names_what_there_is(correlation: Correlation) -> None:
    """An unknown launch or call is answered with what can be asked for."""
    for target in ("99999", "9" * 5000, "0_forward/99", "nonsense", ""):
        with pytest.raises(KernelmapError) as caught:
            correlation.explain(target)
        assert "--by" in caught.value.hint


def test_which_needs_no_trace(mlp: Path) -> None:
    """The code alone tells what a name stands for, and the nearest names where it does not."""
    code = mlp / "model__0_forward_1.0"
    (hit,) = which("triton_poi_fused_gelu_view_1", code)

    assert hit.calls == ("0_forward/2",)
    assert hit.launches is None
    with pytest.raises(KernelmapError, match="triton_poi_fused_gelu_7") as caught:
        which("triton_poi_fused_gelu_7", code)
    assert "triton_poi_fused_gelu_view_1" in caught.value.hint


def test_which_counts_the_trace_that_correlate_takes(mlp: Path, correlation: Correlation) -> None:
    """A trace in a folder of code is read for `which`, too: its launches and library names."""
    library = "splitKreduce_kernel"
    bearing = correlation.launches["name"].str.contains(library)

    assert sum(hit.launches or 0 for hit in which(library, mlp)) == int(bearing.sum()) > 0
    with pytest.raises(KernelmapError, match="no launch bears it"):
        which("no such name", mlp)


def test_steps_narrow_the_window(mlp: Path, correlation: Correlation) -> None:
    """Only launches of the chosen steps are counted; steps that are not there are an error."""
    some = correlate(mlp, mlp / "profile.json.gz", options=Options(steps=(3, 5)))
    launches = correlation.launches

    assert some.attribution.total_ns == int(
        launches[launches["step"].isin([3, 4, 5])]["dur_ns"].sum()
    )
    assert slug(mlp, mlp / "profile.json.gz", options=Options(steps=(90, 91))) == "no-such-steps"


def test_the_other_side_is_a_choice(samples: Path) -> None:
    """A profile without GPU work is counted on the CPU; asked for the GPU, it is empty."""
    folder = samples / "cpu_block"
    auto = correlate(folder, folder / "profile.json.gz")
    gpu = correlate(folder, folder / "profile.json.gz", options=Options(side=Side.GPU))

    assert auto.attribution.side == "cpu"
    assert auto.attribution.total_ns > 0
    assert gpu.attribution.total_ns == 0


def test_wrong_input_is_one_clear_error(mlp: Path, tmp_path: Path) -> None:
    """Each kind of input that cannot be used has its own slug, and a next step."""
    text = tmp_path / "notes.txt"
    text.write_text("no code, no trace")
    empty = tmp_path / "empty"
    empty.mkdir()
    profile = mlp / "profile.json.gz"

    assert slug(mlp / "model__0_forward_1.0") == "no-trace"
    assert slug(text, profile) == "unknown-format"
    text.write_bytes(b"PK\x03\x04 and no more of a zip file")
    assert slug(text, profile) == "unreadable-package"
    assert slug(empty, profile) == "nothing-found"
    assert slug(tmp_path / "missing", profile) == "unreadable-path"


def test_importing_kernelmap_gives_its_names() -> None:
    """What the package says it has, it has."""
    for name in kernelmap.__all__:
        assert getattr(kernelmap, name) is not None
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = kernelmap.nothing_such


def test_the_one_profile_in_a_folder_of_code_is_taken(mlp: Path, tmp_path: Path) -> None:
    """Where none is named; of several none is chosen, and the error names them."""
    folder = tmp_path / "run"
    shutil.copytree(mlp, folder)
    both = correlate(folder)
    named = correlate(mlp, mlp / "profile.json.gz")
    shutil.copy(mlp / "profile.json.gz", folder / "other.json.gz")

    assert both.ops.equals(named.ops)
    assert str(folder / "profile.json.gz") in map(str, both.files)
    with pytest.raises(KernelmapError, match=r"2: .*other\.json\.gz, .*profile") as caught:
        correlate(folder)
    assert caught.value.slug == "no-trace"
    assert correlate(folder, mlp / "profile.json.gz").ops.equals(named.ops)


def test_a_folder_that_is_named_twice_holds_its_profile_once(mlp: Path, tmp_path: Path) -> None:
    """Whether it is spelled alike, otherwise, or reached through a link."""
    link = tmp_path / "link"
    link.symlink_to(mlp)
    once = correlate(mlp)

    for again in (mlp, mlp / ".." / mlp.name, link):
        assert correlate(mlp, again).attribution.total_ns == once.attribution.total_ns


def test_a_profile_in_a_folder_without_code_is_taken(mlp: Path, tmp_path: Path) -> None:
    """A folder that holds nothing but a profile is that profile."""
    alone = shutil.copy(mlp / "profile.json.gz", tmp_path / "alone.json.gz")

    assert correlate(tmp_path).ops.equals(correlate(alone).ops)
    assert correlate(mlp / "model__0_forward_1.0", tmp_path).trace.sources == (str(alone),)
