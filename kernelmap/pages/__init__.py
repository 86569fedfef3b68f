"""Pages: records of what there is to show, renderers of them, and files of every format.

What comes in are tables and records of the model; what goes out is text.
"""
