"""What steps could save, and what is missing for a better answer: (program, match, …) → Advice.

Rules are small functions over what was read; they state facts and guess nothing.
"""

from kernelmap.speed.advice.advise import advise_on_case
from kernelmap.speed.advice.case import Case, ProfiledRun

__all__ = [
    "Case",
    "ProfiledRun",
    "advise_on_case",
]
