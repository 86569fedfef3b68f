"""What a script says to `--help`: its docstring, and the options that it adds."""

from __future__ import annotations

import argparse


def parser(docstring: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the docstring of a script as it stands."""
    return argparse.ArgumentParser(
        description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )
