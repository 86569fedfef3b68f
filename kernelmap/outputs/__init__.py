"""Renderers of pages, and one file per format that tables are written in.

In: pages and tables. Out: text for a terminal, HTML, Markdown, JSON, CSV, Parquet, figures, the
report.
"""
