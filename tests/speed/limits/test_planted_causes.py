"""Programs that Inductor compiled, each wasteful in one way or in none: the reasons that they get.

generated/causes.json.gz has the code that `scripts/fake_gpu/generate.py cause_…` wrote. Nobody
changed a program, or a rule, for the sake of the other. `few_rows` cuts its rows into stretches
that are no multiples of 16 bytes, which counters of a GPU show as twice the instructions
(tests/speed/limits/test_reason_pairs.py).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from kernelmap.model.roofline import Roofline, Slug
from speed.limits.played import played

GENERATED = Path(__file__).parents[1] / "work" / "generated" / "causes.json.gz"
PROGRAMS: Mapping[str, str] = json.loads(gzip.decompress(GENERATED.read_bytes()))
BFLOAT16 = "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT"
NOTABLE = 0.01  # of the time of a window

WASTEFUL: list[tuple[str, dict[int, float], str | None, set[str]]] = [
    ("every_eighth", {0: 6.0}, None, {"strided-access"}),
    ("column", {0: 4.0}, None, {"strided-access"}),
    ("whole_sum", {}, None, {"split-reduction"}),
    ("column_sums", {}, None, {"split-reduction"}),
    ("few_rows", {}, None, {"split-reduction", "uneven-rows"}),
    ("computed_for_two", {}, None, {"computed-again"}),
    ("softmax_and_sum", {}, None, {"computed-again", "split-reduction"}),
    ("two_passes", {}, None, {"written-and-read"}),
    ("cast_weight", {}, BFLOAT16, {"layout-copy"}),
    ("turned", {}, BFLOAT16, {"layout-copy"}),
    ("float32_product", {}, "ampere_sgemm_128x64_nn", {"float32-product"}),
    ("float32_template", {}, None, {"float32-product"}),
    ("odd_vocabulary", {0: 3.0}, BFLOAT16, {"uneven-product"}),
    ("few_more_than_a_tile", {0: 3.0}, BFLOAT16, {"uneven-product"}),
    ("many_small", {}, BFLOAT16, {"launch-bound"}),
]
QUIET: list[tuple[str, dict[int, float], str | None]] = [
    ("quiet_pointwise", {}, None),
    ("quiet_softmax", {}, None),
    ("quiet_transpose", {}, None),
    ("quiet_norm", {}, None),
    ("quiet_embedding", {}, None),
    ("quiet_product", {}, BFLOAT16),
    ("three_orders", {}, None),
    ("twice_computed", {}, None),
    ("float32_product", {}, "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_cublas"),
    ("odd_vocabulary", {}, BFLOAT16),
    ("every_eighth", {}, None),
]


def notable(result: Roofline) -> set[str]:
    """The reasons that save a hundredth of the window or more, those of other rows included.

    Start and end of launches are left out: these programs are small, whatever else they waste.
    """
    least = NOTABLE * result.total_ns
    return {
        reason.slug.value
        for reason in result.reasons
        if reason.slug is not Slug.START_AND_END
        and (reason.saves_ns or 0) + (reason.overlap_ns or 0) >= least
    }


def _word(value: object) -> str:
    """What a test is called by; sets have no order that is the same in every process."""
    return "+".join(sorted(value)) if isinstance(value, set) else str(value)


@pytest.mark.parametrize(("name", "slower", "kernel", "slugs"), WASTEFUL, ids=_word)
def test_a_waste_gets_its_reason(
    name: str, slower: Mapping[int, float], kernel: str | None, slugs: set[str], tmp_path: Path
) -> None:
    """The reason that the program was written for, and no other that matters."""
    result = played(tmp_path, PROGRAMS[name], slower=slower, kernel=kernel)

    assert notable(result) == slugs


@pytest.mark.parametrize(("name", "slower", "kernel"), QUIET, ids=_word)
def test_a_program_without_waste_gets_none(
    name: str, slower: Mapping[int, float], kernel: str | None, tmp_path: Path
) -> None:
    """Neither what is fast, nor what is as good as its shape allows."""
    assert not notable(played(tmp_path, PROGRAMS[name], slower=slower, kernel=kernel))
