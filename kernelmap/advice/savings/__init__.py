"""What steps could save at most, in one list: (wall time, calls, their limits) → Savings.

Every answer that advises shows this list: doctor, roofline, the wall time, the report. A piece of a
step's time belongs to one saving, so that the list never adds up to more than the steps took.
"""

from kernelmap.advice.savings.find import Step, find_gpu_savings, find_savings
from kernelmap.advice.savings.records import Basis, Lever, Saving, Savings, Spot

__all__ = [
    "Basis",
    "Lever",
    "Saving",
    "Savings",
    "Spot",
    "Step",
    "find_gpu_savings",
    "find_savings",
]
