"""What steps could save, and what is missing for a better answer: (program, match, …) → Advice.

In: the program, the match, the window, and what the recording holds. Out: findings and savings, as
records.

Rules are small functions over what was read; they state facts and guess nothing.
"""

from kernelmap.advice.advise import advise_on_case
from kernelmap.advice.case import Case, ProfiledRun
from kernelmap.advice.records import Advice, Claim, Finding, Gap, Headroom, Lack, Total, Weight

__all__ = [
    "Advice",
    "Case",
    "Claim",
    "Finding",
    "Gap",
    "Headroom",
    "Lack",
    "ProfiledRun",
    "Total",
    "Weight",
    "advise_on_case",
]
