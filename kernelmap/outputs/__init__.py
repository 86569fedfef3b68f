"""Renderers of pages, and one file per format that tables are written in."""
