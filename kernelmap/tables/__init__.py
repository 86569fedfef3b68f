"""Tables: every column declared once, rows of plain cells, and frames of pandas.

In: the records of attribution, matching and roofline. Out: tables whose columns are declared once
(schema.py), as rows or as frames.
"""
