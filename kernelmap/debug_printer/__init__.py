"""AOTInductor's debug printer: what to set so that it speaks of a kernel, and what it has left.

`settings_for_calls` gives the environment variables for chosen calls; `read_left_over` reads saved
tensors and logs, and says which call each of them belongs to.
"""

from kernelmap.debug_printer.chosen import Chosen, Settings, settings_for_calls
from kernelmap.debug_printer.left_over import LeftOver, LogStory, SavedFile, read_left_over

__all__ = [
    "Chosen",
    "LeftOver",
    "LogStory",
    "SavedFile",
    "Settings",
    "read_left_over",
    "settings_for_calls",
]
