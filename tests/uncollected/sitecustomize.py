"""On PYTHONPATH (children.py) of processes that import torch: they look for no garbage.

Nearly all that the import makes stays until the process ends. A third of the time of a short one
went into visiting it again and again.
"""

import atexit
import gc

gc.disable()
atexit.register(gc.freeze)
