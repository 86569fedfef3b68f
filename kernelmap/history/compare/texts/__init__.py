"""What `diff` says: every sentence, page and document of JSON that is made of a comparison.

In: a comparison. Out: words, pages and texts of files.
"""
