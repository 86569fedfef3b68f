"""What a log proves, in words: a sentence for each end, and no more certainty than there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from debug_printer.printed_code import ADDMM, LOG, code, launches, tensor, values
from kernelmap.debug_printer import read_left_over
from kernelmap.debug_printer.shown import sentences


def said(folder: Path, text: str) -> list[str]:
    log = folder / "run.log"
    log.write_text(text, encoding="utf-8")
    left = read_left_over(code(folder), log=log)
    assert left.log is not None

    return list(sentences(left, left.log))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"[ before_launch: {LOG} ]\n", f"it died in call cabc/1 ({LOG}), ops aten.log: it began"),
        (
            f"[ before_launch: {LOG} ]\n[ aft",
            f"it died in call cabc/1 ({LOG}), ops aten.log or later",
        ),
        (launches(0, 1, 2, 3, 5), "the log ends normally: the last launch, call cabc/5"),
        (launches(0), f"the log ends after call cabc/0 ({ADDMM}), ops aten.addmm came back"),
        (launches(0), f"the next that the printer speaks of, call cabc/1 ({LOG})"),
        (launches(0, 1, 2, 3), "after it the printer is silent about cabc/4 aoti_torch_proxy"),
        (launches(0, 1, 2, 3), "several calls run this kernel"),
        (launches(0, 1), "the log never speaks of 2 calls (cabc/2, cabc/5)"),
        ("[ before_launch: x ]\n", "it died in x, which the code does not call"),
        (
            launches(0, 1, 2, 3, 5, 0, 1) + f"[ before_launch: {ADDMM} ]\n",
            f"it died in one of the calls cabc/0, cabc/3 ({ADDMM})",
        ),
        (launches(0) + "[ bef", "run it without buffers: python -u, or stdbuf -oL"),
    ],
)
def test_the_end_in_words(tmp_path: Path, text: str, words: str) -> None:
    """Call, kernel and ops where they are known; candidates where they are not."""
    printed = said(tmp_path, text)

    assert any(sentence.startswith(words) or sentence.endswith(words) for sentence in printed), (
        printed
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (values(0, "after"), "no NaN and no Inf in what was printed"),
        (values(0, "after", buf0="nan"), "the first call that turned NaN is call cabc/0"),
        (values(0, "after", buf0="inf"), "weights are never printed: one of theirs may be the"),
        (values(3, "before", buf3="nan"), "NaN is first seen before call cabc/3"),
        (values(3, "before", buf3="nan"), "it may come from call cabc/2 (aoti_torch_cpu_sort"),
        (tensor("aoti_model_inputs - arg0_1", "inf"), "Inf came in with the model's input arg0_1"),
        (values(0, "before", arg0_1="nan"), "NaN came in with arg0_1, first seen before call"),
        (values(0, "before", buf0="nan"), "values marked unset stood in memory before any call"),
    ],
)
def test_the_first_bad_value_in_words(tmp_path: Path, text: str, words: str) -> None:
    """The words say which call turned it, where it came in, or that there is none."""
    printed = said(tmp_path, text)

    assert any(sentence.startswith(words) for sentence in printed), printed
