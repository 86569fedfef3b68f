"""The host side: the roles of ranges, spans of compiled code, captures, what a recording covers."""
