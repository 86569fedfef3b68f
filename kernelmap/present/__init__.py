"""What there is to show: pages as plain records, before a renderer draws them.

In: tables, findings and other records of the layers below. Out: pages; nothing here draws.
"""
