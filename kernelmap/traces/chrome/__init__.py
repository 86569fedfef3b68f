"""Chrome's JSON of trace events, a block of text at a time, and what is done with a broken one."""
