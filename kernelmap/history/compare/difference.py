"""One thing that differs between two recordings beside their times, and its words."""

from __future__ import annotations

from msgspec import Struct

from kernelmap.history.store.facts import VERSION_NAMES

SETTING, VARIABLE = "setting ", "variable "
"""What `what` begins with for a setting of the compiler, and an environment variable."""
CODE, MODE, SHAPES, CUDA_GRAPHS = "code", "mode", "shapes or types", "CUDA graphs"
GPU, DEVICE = "GPU", "device"

_EXPLAINING = (MODE, GPU, DEVICE, SHAPES, CUDA_GRAPHS, *VERSION_NAMES)
_SWITCHED = {"True": "on", "False": "off"}


class Difference(Struct, frozen=True, kw_only=True):
    """`what` differs: `before` and `after`, None where a recording does not say.

    `words` say it in a sentence of their own, where there is one.
    """

    what: str
    before: str | None
    after: str | None
    words: str | None = None

    @property
    def is_other_code(self) -> bool:
        """Whether the two sides hardly have code in common, so that no ratio means much."""
        return self.what == CODE

    @property
    def is_setting(self) -> bool:
        """Whether it is a setting of the compiler."""
        return self.what.startswith(SETTING)

    @property
    def may_explain(self) -> bool:
        """Whether other kernels or other times may follow from it, so that it is said first.

        Of shapes only where it is known what became of most.
        """
        if self.what == SHAPES:
            return self.words is not None
        return self.what in _EXPLAINING or self.what.startswith((SETTING, VARIABLE))

    @property
    def name(self) -> str:
        """What it is of, without its kind: `max_fusion_size`."""
        return self.what.removeprefix(SETTING).removeprefix(VARIABLE)

    def say_difference(self) -> str:
        """The difference in words."""
        if self.words is not None:
            return self.words
        return f"{self.what}: {self.before or 'not known'}, then {self.after or 'not known'}"

    def say_briefly(self) -> str:
        """The same in a few words, as the first line has it: `epilogue_fusion on → off`."""
        if self.words is not None:
            return self.words
        sides = (_SWITCHED.get(value or "", value) for value in (self.before, self.after))
        return f"{self.name} {' → '.join(value or 'not known' for value in sides)}"
