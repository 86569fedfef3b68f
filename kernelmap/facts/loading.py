"""Whether the program loads data in a range of the host, by the range's name.

torch calls its loader's range `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`; the
others are users' own, so words decide.
"""

from __future__ import annotations

import re

_LOADS = re.compile(
    r"DataLoader|data_?load(?:er|ing)|(?:load|next|get|fetch)_?(?:batch|data)\b|\bprefetch",
    re.IGNORECASE,
)
# What FSDP prefetches are parameters of the next module, from other ranks.
_PARAMETERS = re.compile(r"FSDP::|FullyShardedDataParallel")


def is_loading_data(name: str) -> bool:
    """Whether data is loaded in the range `name`.

    >>> is_loading_data("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    True
    >>> is_loading_data("prefetch"), is_loading_data("FSDP::forward_prefetch for layers.1")
    (True, False)
    """
    return _LOADS.search(name) is not None and _PARAMETERS.search(name) is None
