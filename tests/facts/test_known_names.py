"""The names of docs/names.md: each has one answer, the one that its row states."""

from __future__ import annotations

import pytest

from kernelmap.facts.api_calls import is_graph_launch, launched_activity, waits_for_device
from kernelmap.facts.autotuning import is_benchmark
from kernelmap.facts.communication import (
    collective_of,
    is_communication,
    is_communication_kernel,
    is_communication_operator,
)
from kernelmap.facts.compiling import CompilerWork, compiler_work
from kernelmap.facts.families import Family, kernel_family, operator_family
from kernelmap.facts.loading import is_loading_data
from kernelmap.model import Activity
from known_names import names_under, rows_under

_WORK = {
    "compiling": CompilerWork.COMPILING,
    "autotuning": CompilerWork.AUTOTUNING,
    "recording": CompilerWork.RECORDING_GRAPH,
    "-": None,
}


@pytest.mark.parametrize(("name", "collective"), rows_under("Kernels that communicate", 2))
def test_a_kernel_that_communicates(name: str, collective: str) -> None:
    """Every table takes it for communication, and fleet knows which collective it is."""
    assert is_communication_kernel(name)
    assert is_communication(name)
    assert kernel_family(name, Activity.KERNEL) is Family.COLLECTIVE
    assert collective_of(name) == collective


@pytest.mark.parametrize("name", names_under("Kernels that do not communicate"))
def test_a_kernel_that_does_not_communicate(name: str) -> None:
    """A word that a collective's name contains makes no collective."""
    assert not is_communication_kernel(name)
    assert not is_communication(name)
    assert kernel_family(name, Activity.KERNEL) is not Family.COLLECTIVE


@pytest.mark.parametrize("name", names_under("Operators and ranges that communicate"))
def test_an_operator_that_communicates(name: str) -> None:
    """Operators are known by their namespace or a whole name, ranges by torch's backends."""
    assert is_communication_operator(name)
    assert is_communication(name)
    assert operator_family(name) is Family.COLLECTIVE


@pytest.mark.parametrize("name", names_under("Operators and ranges that do not communicate"))
def test_an_operator_that_does_not_communicate(name: str) -> None:
    """What only lies around a collective, or has a word of one, is none."""
    assert not is_communication_operator(name)
    assert operator_family(name) is not Family.COLLECTIVE


@pytest.mark.parametrize(("name", "work"), rows_under("What the compiler does in a range", 1))
def test_what_the_compiler_does_in_a_range(name: str, work: str) -> None:
    """Only names that torch writes are the compiler's; a user's own range never is."""
    assert compiler_work(name) is _WORK[work]
    assert is_benchmark(name) is (work == "autotuning")


@pytest.mark.parametrize(("name", "launches"), rows_under("What an api call launches", 1))
def test_what_an_api_call_launches(name: str, launches: str) -> None:
    """The calls of CUDA, HIP and Intel's runtimes have one answer each."""
    activity = launched_activity(name)
    assert (activity.name.lower() if activity is not None else "-") == launches
    assert is_graph_launch(name) is (launches == "graph")


@pytest.mark.parametrize(("name", "waits"), rows_under("Which api calls wait", 1))
def test_which_api_calls_wait(name: str, waits: str) -> None:
    """A call that blocks its thread waits for the device; one that queues does not."""
    assert waits_for_device(name) is (waits == "yes")


@pytest.mark.parametrize(("name", "loads"), rows_under("Where data is loaded", 1))
def test_where_data_is_loaded(name: str, loads: str) -> None:
    """Loading is the program's data; parameters that FSDP fetches are none."""
    assert is_loading_data(name) is (loads == "yes")
