# What the scanner in C offers to Python; _scanner.c explains it.

from typing import Self, TypeAlias

Bytes: TypeAlias = bytes | memoryview
TABLES: tuple[tuple[str, tuple[str, ...]], ...]
VERSION: int
DROPPED: int
HANDED_BACK: int

class Scanner:
    def __new__(cls, seed: int, needles: tuple[bytes, ...]) -> Self: ...
    def scan(self, text: bytes, /) -> tuple[int, bool, bool, tuple[bytes, ...]] | bytes | None: ...
    def set_category(self, category: bytes, kind: int, table: int, /) -> None: ...
    def drop_frames(self, number: int, /) -> None: ...
    def text(self, number: int, /) -> bytes: ...

def fill(
    text: Bytes, places: Bytes, parts: tuple[tuple[int, Bytes, Bytes, Bytes], ...], /
) -> bytes: ...
