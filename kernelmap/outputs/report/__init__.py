"""The report: one HTML file that works offline. A Python and a JavaScript file per view.

`page.py` puts it together; `content.py` is what each view is given.
"""

from kernelmap.outputs.report.content import Content, Records
from kernelmap.outputs.report.page import render

__all__ = ["Content", "Records", "render"]
