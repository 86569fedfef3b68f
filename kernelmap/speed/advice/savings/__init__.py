"""What steps could save at most, in one list: (wall time, calls, their limits) → Savings.

Every answer that advises shows this list: doctor, roofline, the wall time, the report. A piece of a
step's time belongs to one saving, so that the list never adds up to more than the steps took.
"""

from kernelmap.model.savings import Basis, Lever, Saving, Savings, Spot
from kernelmap.speed.advice.savings.find import find_gpu_savings, find_savings, measure_steps

__all__ = [
    "Basis",
    "Lever",
    "Saving",
    "Savings",
    "Spot",
    "find_gpu_savings",
    "find_savings",
    "measure_steps",
]
