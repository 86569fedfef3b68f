"""Traces written once more, with what was found in the events: Kineto files, Chrome traces."""
