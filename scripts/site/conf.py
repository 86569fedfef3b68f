"""What Sphinx makes the documentation's site with; scripts/make_site.py hands it the pages."""

from __future__ import annotations

project = "kernelmap"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_title = "kernelmap"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
templates_path: list[str] = []
myst_heading_anchors = 3  # the anchors of headings are those of the usual Markdown viewers
nitpicky = True
pygments_style = "default"
pygments_dark_style = "monokai"
suppress_warnings = ["misc.highlighting_failure"]  # outputs of commands are no shell
