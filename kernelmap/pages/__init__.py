"""Pages: records of what there is to show, renderers of them, and files of every format.

In: tables, findings and other records of the layers below. Out: text for a terminal, HTML,
Markdown, CSV, figures, the report. What is a page is told by records; only renderers draw.
"""
