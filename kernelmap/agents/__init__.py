"""Recordings → bounded answers for programs that ask: tools of an MCP server, and a skill.

Takes questions in words and row ids, gives one JSON document each. What a figure is, is made where
commands have it from (Correlation, its tables, comparison and advice): this room chooses rows,
quotes names and bounds the answer. Left out: all that writes, runs or fetches.
"""
