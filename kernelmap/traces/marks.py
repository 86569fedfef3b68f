"""Places in a long text that is read in blocks: each mark with the text around it.

For what few events say that the trace model does not keep: the file is searched once more, and only
the events around a mark are decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kernelmap.traces.blocks import FileBlocks

REACH = 16 << 10
"""Bytes around a mark in which its event begins and ends."""


def iter_marks(path: Path, marks: re.Pattern[bytes]) -> Iterator[tuple[bytes, re.Match[bytes]]]:
    """Each match in a file with a text that has `REACH` bytes on both sides of it, in order."""
    text, done = b"", 0
    for block in FileBlocks(path):
        text += block
        for mark in marks.finditer(text, done):
            # A mark is looked at once its whole event has to be in the text.
            if mark.end() + REACH > len(text):
                break  # its event may end in the next block
            yield text, mark
            done = mark.end()
        # So much of the end is kept that the event of a later mark is
        # whole; `done` moves with the text.
        cut = max(done, len(text) - 2 * REACH) - REACH
        if cut > 0:
            text, done = text[cut:], max(0, done - cut)
    for mark in marks.finditer(text, done):
        yield text, mark
