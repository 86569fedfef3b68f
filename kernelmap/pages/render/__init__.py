"""Renderers of pages: a terminal, HTML, Markdown."""
