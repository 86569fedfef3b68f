"""What a store of runs says over time, read only: in a browser, or as pages on disk.

In: a store, and the address of a page. Out: the page, as HTML, and the data behind its tables.
"""
