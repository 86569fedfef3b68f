"""Launches without a host side, held against the order of the calls: spellings, walks, votes."""
