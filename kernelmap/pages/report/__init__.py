"""The report: one HTML file that works offline. A Python and a JavaScript file per view.

`page.py` puts it together; `shared.py` is what each view is given.
"""

from kernelmap.pages.report.page import render_report
from kernelmap.pages.report.shared import Content, Records

__all__ = ["Content", "Records", "render_report"]
