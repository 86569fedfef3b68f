"""What the fixture `golden` is: a module of its own, since several folders have a conftest.py."""

from __future__ import annotations

from collections.abc import Callable

Golden = Callable[[str, str], None]
"""Compare a text (name, text) with the one that is kept beside the test."""
