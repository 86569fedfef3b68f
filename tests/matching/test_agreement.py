"""Laws of agreement: what one invocation leaves open, many decide; what differs is held back."""

from __future__ import annotations

from matching.bare import graph, matched, named


def test_the_same_loss_every_time_is_other_code() -> None:
    """A graph did not run if only one kernel of it is ever seen: other code has that kernel."""
    given, other = graph("0_forward", "a b"), "b"
    answers = named(matched(" ".join(["a b", other] * 6), given))

    assert answers == ["0/0", "0/1", "-"] * 6


def test_a_rare_loss_is_a_loss() -> None:
    """Where a graph usually runs as a whole, one invocation of which little is left is believed."""
    given = graph("0_forward", "a b")
    answers = named(matched("a b " * 5 + "b " + "a b " * 5, given))

    assert answers == ["0/0", "0/1"] * 5 + ["0/1"] + ["0/0", "0/1"] * 5


def test_kernels_of_other_code_in_between_make_it_other_code() -> None:
    """Compiled kernels that the code does not have, inside of every run: the code is another."""
    given = graph("0_forward", "a b c")

    assert set(named(matched("a b foreign c " * 5, given))) == {"-"}
    assert named(matched("a b c foreign " * 5, given)) == ["0/0", "0/1", "0/2", "-"] * 5


def test_what_most_invocations_launch_is_theirs() -> None:
    """The other invocations show which of several products is not the code's."""
    given = graph("0_forward", "a mm b")
    answers = named(matched("a gemm b " * 6 + "a other_gemm gemm b", given))

    assert answers == ["0/0", "0/1", "0/2"] * 6 + ["0/0", "-", "0/1", "0/2"]


def test_a_product_like_the_code_own_stays_open_beside_it() -> None:
    """Of two products of one name, where the code has one, neither is certain to be that one."""
    given = graph("0_forward", "a mm b")
    answers = named(matched("a gemm b " * 6 + "a gemm gemm b", given))

    assert answers[-3:-1] == ["-", "-"]


def test_a_lost_kernel_joins_the_gaps_on_both_sides() -> None:
    """Two products with a lost kernel between them keep their places."""
    given = graph("0_forward", "a mm b mm c d e")
    whole = "a gemm b other_gemm c d e "
    answers = named(matched(whole * 6 + "a gemm other_gemm c d e " + whole, given))

    assert answers[42:48] == ["0/0", "0/1", "0/3", "0/4", "0/5", "0/6"]


def test_library_calls_behind_the_last_kernel_are_found() -> None:
    """The calls at the end of a graph are distinguished from the eager work that follows."""
    given = graph("0_forward", "a b mm")
    answers = named(matched("eager a b gemm gemm " * 5, given))

    assert answers == ["-", "0/0", "0/1", "0/2", "-"] * 5


def test_a_grouped_product_begins_with_its_addresses() -> None:
    """ATen computes the addresses of all matrices right before each product, at an end as well."""
    given = graph("0_backward", "a mm _grouped_mm b _grouped_mm _grouped_mm")
    words = "a gemm prepares grouped b prepares grouped prepares grouped eager "
    answers = named(matched(words * 3, given))

    assert answers == ["0/0", "0/1", *["0/2"] * 2, "0/3", *["0/4"] * 2, *["0/5"] * 2, "-"] * 3


def test_a_hint_that_comes_every_time_decides() -> None:
    """Two graphs of the same kernels: the library launch in between says which one it is."""
    one, other = graph("0_forward", "a attention b"), graph("0_backward", "a attention_backward b")
    rounds = named(matched("a fwd b a bwd b " * 6, one, other))
    once = named(matched("a fwd b", one, other))

    assert rounds == ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"] * 6
    assert once[2] == "?0/2,1/2"


def test_the_grid_that_a_call_always_has_tells_which_was_lost() -> None:
    """If one of two calls of a kernel in a row was lost, the grid of the other says which."""
    given = graph("0_forward", "a b b c")
    words, shapes = "a b b c " * 5 + "a b c", "pqrs" * 5 + "prs"

    assert named(matched(words, given, shapes=shapes))[-2] == "0/2"
    assert named(matched(words, given))[-2] == "?0/1,0/2"


def test_grids_that_change_from_run_to_run_teach_nothing() -> None:
    """With sizes that differ every time, a lost call stays open."""
    given = graph("0_forward", "a b b c")
    words = "a b b c " * 5 + "a b c"
    shapes = "abcdefghijklmnopqrstuvw"

    assert named(matched(words, given, shapes=shapes))[-2] == "?0/1,0/2"


def test_of_a_long_series_the_last_are_the_calls() -> None:
    """Two calls of one kernel in a row, benchmarked before: the last two launches are theirs."""
    given = graph("0_forward", "a b b c")
    tuned = "a " + "fill b " * 8 + "b b c "
    answers = named(matched(tuned + "a b b c " * 4, given))

    assert answers[17:20] == ["0/1", "0/2", "0/3"]
    assert set(answers[1:17]) == {"-"}


def test_a_benchmark_whose_call_was_lost_is_no_call() -> None:
    """Nothing is cleared before a call: a series that ends behind a clearing has lost it."""
    given = graph("0_forward", "a b c")
    tuned, usual = "a " + "fill b " * 6, "a b c " * 4

    assert named(matched(tuned + "b c " + usual, given))[13:15] == ["0/1", "0/2"]
    assert named(matched(tuned + "c " + usual, given))[12:14] == ["-", "0/2"]


def test_where_nothing_is_launched_as_a_rule_a_stranger_stands_out() -> None:
    """Beside a lost kernel, a product is not placed where the code never launches any."""
    given = graph("0_forward", "a b mm c d e")
    whole = "a b gemm c d e "
    answers = named(matched(whole * 6 + "a other_gemm gemm c d e " + whole, given))

    assert answers[36:42] == ["0/0", "-", "0/2", "0/3", "0/4", "0/5"]


def test_a_kernel_alone_that_is_cleared_for_is_benchmarked() -> None:
    """A graph of one kernel: a long row of it is calls, and with clearing between, benchmarks."""
    alone = graph("0_forward", "a")
    runs = "a eager " * 4

    assert named(matched(runs + "a a a a a a", alone))[8:] == ["0/0"] * 6
    assert set(named(matched(runs + "fill a " * 6, alone))[8:]) == {"-"}
