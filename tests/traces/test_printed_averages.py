"""Tables that torch's profiler prints stand in for a profile, as far as they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelmap
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError
from kernelmap.model import Activity
from kernelmap.model.notices import Notice
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.printed_averages import find_averages
from traces.printed_tables import NAME_WIDTH, PrintedRow, printed_table

FUSED = PrintedRow(name="triton_poi_fused_gelu_0", own_us=212.48, calls=160)
GEMM = PrintedRow(name="ampere_sgemm_64x32_sliced1x4_nn", own_us=1_250.0, calls=10)
COPY = PrintedRow(name="Memcpy HtoD (Pageable -> Device)", own_us=4.0, calls=2)
FILL = PrintedRow(name="Memset (Device)", own_us=1.5, calls=3)
MM = PrintedRow(name="aten::mm", own_us=1_250.0, calls=10, cpu_us=90.0)
OWN_OP = PrintedRow(name="triton_poi_fused_gelu_0", own_us=212.48, calls=160, cpu_us=600.0)
STEP = PrintedRow(name="ProfilerStep*", own_us=2_000.0, calls=2)
ON_HOST = PrintedRow(name="cudaLaunchKernel", own_us=0.0, calls=170, cpu_us=400.0)
KINETO = (STEP, MM, GEMM, OWN_OP, FUSED, ON_HOST, COPY, FILL)


def read(folder: Path, text: str) -> tuple[dict[str, tuple[int, int]], tuple[Notice, ...]]:
    """By name, how often it ran and for how many nanoseconds; and the notices."""
    path = folder / "pasted.txt"
    path.write_text(text, encoding="utf-8")

    assert is_trace(path)
    trace = load_trace(path)
    rows = trace.launches
    return {
        name: (int((rows.name_id == at).sum()), int(rows.dur_ns[rows.name_id == at].sum()))
        for at, name in enumerate(rows.names)
    }, trace.notices


EACH_KERNEL_ONCE = {
    "triton_poi_fused_gelu_0": (160, 212_480),
    "ampere_sgemm_64x32_sliced1x4_nn": (10, 1_250_000),
    "Memcpy HtoD (Pageable -> Device)": (2, 4_000),
    "Memset (Device)": (3, 1_500),
}


@pytest.mark.parametrize("device", ["CUDA", "XPU", "MPS", "HPU", "NPU", "MTIA", "PRIVATEUSEONE"])
def test_each_kernel_counts_once(tmp_path: Path, device: str) -> None:
    """Its operator has the same time once more, and a step's range has it all; the footer tells."""
    text = printed_table(KINETO, device=device, total_us=1_467.98)

    sums, notices = read(tmp_path, text)

    assert sums == EACH_KERNEL_ONCE
    assert [notice.slug for notice in notices] == ["sums-only"]
    assert device in notices[0].message


@pytest.mark.parametrize(
    "columns",
    [
        {"memory": True},
        {"shapes": True},
        {"stacks": True},
        {"overloads": True},
        {"flops": True},
        {"unit": "us"},
        {"top_level": True},
        {"memory": True, "shapes": True, "stacks": True, "flops": True, "overloads": True},
    ],
    ids="-".join,
)
def test_columns_are_found_by_their_titles(tmp_path: Path, columns: dict[str, object]) -> None:
    """Memory, shapes, stacks, overloads and FLOPs stand between the times, or do not."""
    rows = [
        PrintedRow(
            name=row.name,
            own_us=row.own_us,
            calls=row.calls,
            cpu_us=row.cpu_us,
            stack=("model.py(7): forward", "train.py(31): <module>"),
        )
        for row in KINETO
    ]
    text = printed_table(rows, total_us=1_467.98, **columns)  # type: ignore[arg-type]

    assert read(tmp_path, text)[0] == EACH_KERNEL_ONCE


def test_a_table_of_the_old_profiler_has_operators(tmp_path: Path) -> None:
    """Without rows of kernels, operators have the time, and together that of the footer."""
    text = printed_table((MM, OWN_OP), total_us=1_462.48)

    assert read(tmp_path, text)[0] == {
        "aten::mm": (10, 1_250_000),
        "triton_poi_fused_gelu_0": (160, 212_480),
    }


def test_rows_of_both_kinds_count_where_the_footer_counts_them(tmp_path: Path) -> None:
    """An operator whose kernels have no row of their own stands for them."""
    text = printed_table((FUSED, MM), total_us=1_462.48)

    assert read(tmp_path, text)[0] == {
        "triton_poi_fused_gelu_0": (160, 212_480),
        "aten::mm": (10, 1_250_000),
    }


def test_a_users_range_on_the_device_is_no_kernel(tmp_path: Path) -> None:
    """It has a row of the host's and one of the device's, under one name, whatever that is."""
    ranges = (
        PrintedRow(name="my forward pass", own_us=0.0, cpu_us=5_000.0),
        PrintedRow(name="my forward pass", own_us=1_900.0),
    )
    text = printed_table((*ranges, *KINETO), total_us=1_467.98)

    assert read(tmp_path, text)[0] == EACH_KERNEL_ONCE


def test_shares_tell_the_whole_where_the_footer_is_cut_off(tmp_path: Path) -> None:
    """A paste that ends amid the table still counts each kernel once."""
    text = printed_table(KINETO, total_us=1_467.98)
    cut = "\n".join(text.split("\n")[:-4])

    assert "time total" not in cut
    assert read(tmp_path, cut)[0] == EACH_KERNEL_ONCE


def test_rows_that_are_not_shown_are_said(tmp_path: Path) -> None:
    """`row_limit` leaves rows out; the footer still counts them."""
    text = printed_table(KINETO, total_us=1_467.98, limit=3)
    sums, notices = read(tmp_path, text)

    assert sums == {"ampere_sgemm_64x32_sliced1x4_nn": (10, 1_250_000)}
    assert [notice.slug for notice in notices] == ["sums-only", "rows-left-out"]
    assert "218.0 µs of 1.47 ms" in notices[1].message


def test_names_that_the_table_cut_off_are_said(tmp_path: Path) -> None:
    """At 55 characters torch cuts names; with `max_name_column_width=None` they are whole."""
    long = PrintedRow(name="triton_per_fused__to_copy_add_mul_native_layer_norm_view_17", own_us=9)
    notices = read(tmp_path, printed_table((long,)))[1]

    assert [notice.slug for notice in notices] == ["sums-only", "names-cut-off"]
    assert read(tmp_path, printed_table((long,), width=None))[0] == {long.name: (1, 9_000)}


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda text: f"step 3, loss 0.25\n{text}\nmore output\n",
        lambda text: "\n".join(f"[rank0]: {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
        lambda text: "\n".join(line.strip() for line in text.split("\n")),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"```\n{text}```\n{text}",
    ],
    ids=["in a log", "ranks", "indented", "stripped", "Windows", "twice"],
)
def test_what_stands_around_a_table_does_not_matter(tmp_path: Path, wrapped) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """People paste tables with blanks, prefixes and other text."""
    text = wrapped(printed_table(KINETO, total_us=1_467.98))

    assert read(tmp_path, text)[0] == EACH_KERNEL_ONCE


def test_words_of_a_table_without_its_titles_are_no_table(tmp_path: Path) -> None:
    """A log that speaks of the profiler is no profile."""
    path = tmp_path / "notes.txt"
    path.write_text("Self CPU time total: 3.000ms, and the table is elsewhere", encoding="utf-8")

    assert find_averages("") is None
    assert not is_trace(path)


def test_copies_and_fills_are_no_kernels(tmp_path: Path) -> None:
    """They are told by their names, as the profiler writes them."""
    path = tmp_path / "table.txt"
    path.write_text(printed_table(KINETO, total_us=1_467.98), encoding="utf-8")
    launches = load_trace(path).launches
    of_name = {
        launches.names[int(n)]: int(a)
        for n, a in zip(launches.name_id, launches.activity, strict=True)
    }

    assert of_name["Memset (Device)"] == Activity.MEMSET
    assert of_name["Memcpy HtoD (Pageable -> Device)"] == Activity.MEMCPY
    assert of_name["triton_poi_fused_gelu_0"] == Activity.KERNEL


def test_a_table_of_the_cpu_alone_is_named(tmp_path: Path) -> None:
    """It says nothing of a device, and the error says what to record."""
    path = tmp_path / "table.txt"
    path.write_text(printed_table((MM, ON_HOST), device=None), encoding="utf-8")

    assert is_trace(path)
    with pytest.raises(KernelmapError, match="times of the CPU") as caught:
        load_trace(path)
    assert caught.value.slug == "no-gpu-activity"


def test_the_answer_shows_kernels(tmp_path: Path) -> None:
    """Where no operator is known of anything, the page has a row per kernel."""
    path = tmp_path / "table.txt"
    path.write_text(printed_table(KINETO, total_us=1_467.98), encoding="utf-8")
    result = kernelmap.correlate(path)
    page = result.to_markdown(tmp_path / "page.md").read_text(encoding="utf-8")

    assert result.tables.summary.launches == 175
    assert "GPU time by kernel" in page
    assert "triton_poi_fused_gelu_0" in page
    assert "(unknown)" not in page
    hints = [notice.hint or "" for notice in result.notices + result.tables.notices]
    assert not any("ProfilerActivity" in hint for hint in hints)


def test_names_of_given_code_stand_beside_the_sums(tmp_path: Path, samples: Path) -> None:
    """A kernel of the code is its call, as in a printed table of nsys."""
    path = tmp_path / "table.txt"
    rows = (PrintedRow(name="triton__0d1", own_us=256.0, calls=100),)
    path.write_text(printed_table(rows), encoding="utf-8")
    kernels = kernelmap.correlate(samples / "thread_lift_fresh" / "output_code.py", path).kernels

    assert (
        kernels.set_index("device_name").loc["triton__0d1", "wrapper"]
        == "triton_poi_fused_arange_1"
    )


def test_a_name_that_was_cut_off_is_the_only_kernel_that_begins_so(
    tmp_path: Path, samples: Path
) -> None:
    """Torch's tables have room for 52 letters; most kernels of Inductor begin unlike any other."""
    code = samples / "sim_mlp_train"
    names = {kernel.function for graph in load_compiled(code).graphs for kernel in graph.kernels}
    long = next(name for name in sorted(names) if len(name) >= NAME_WIDTH)
    assert sum(name.startswith(long[: NAME_WIDTH - 3]) for name in names) == 1
    path = tmp_path / "table.txt"
    path.write_text(printed_table((PrintedRow(name=long, own_us=7.0, calls=3),)), encoding="utf-8")
    outputs = list(code.rglob("output_code.py"))
    kernels = kernelmap.correlate(*outputs, path).kernels.set_index("wrapper")

    assert kernels.loc[long, "launches"] == 3
    assert kernels.loc[long, "time_ns"] == 7_000


@given(
    st.lists(
        st.tuples(st.integers(1, 10**9), st.integers(1, 1_000), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_times_of_kernels_add_up_to_the_footer(drawn: list[tuple[int, int, bool]]) -> None:
    """Whatever their units, what is read of kernels is what the footer states, but for rounding."""
    kernels = [
        PrintedRow(name=f"kernel_{n}", own_us=time / 1_000, calls=calls)
        for n, (time, calls, _) in enumerate(drawn)
    ]
    operators = [
        PrintedRow(name=f"aten::op_{n}", own_us=time / 1_000, calls=calls, cpu_us=5.0)
        for n, (time, calls, launched) in enumerate(drawn)
        if launched
    ]
    table = find_averages(printed_table([*kernels, *operators]))

    assert table is not None
    assert [row.name for row in table.sums] == [row.name for row in kernels]
    assert [row.launches for row in table.sums] == [row.calls for row in kernels]
    assert not table.missing_ns
