"""What a recording says of lines of source, for an editor: hints, hovers and lenses, read only.

A process of its own reads the recording (reading.py) into a small record (recorded.py). That, a
file's path and its text are all that hints are made of (places.py, answers.py). server.py speaks
the protocol.
"""
