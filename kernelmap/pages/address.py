"""What a page shows, as its URL says it: the whole state of the dashboard, and nothing besides.

Takes a path and a query, gives an Address; `href` is the way back. What the URL does not say is
None. Unknown parameters are left out; a value that makes no sense is as if it were not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from msgspec.structs import asdict, replace

HOME = "history"
REPORT = "report"  # whose address names a run: report/<id>
_NUMBERS = ("last", "at")
_LONGEST = 2000  # characters of a value; source lines are among them


class Address(Struct, frozen=True, kw_only=True):
    """One view of the store.

    `page` is the word of a page, or what the URL said instead. `branch`, `gpu` (any device),
    `tags` (as `tagged` reads them) and `graph` choose runs and what is counted of them, `last` how
    many of a branch's newest runs are drawn and `axis` by what, `per` a tag of which each value is
    a series. `run`, `before` and `after` name runs as the command
    line does. `kind` and `key` name a call, an op, a line or a graph. `by` chooses a table, `find`
    a text to look for, `at` a page of a long table.
    """

    page: str = HOME
    branch: str | None = None
    gpu: str | None = None
    tags: str | None = None
    graph: str | None = None
    last: int | None = None
    run: str | None = None
    before: str | None = None
    after: str | None = None
    kind: str | None = None
    key: str | None = None
    by: str | None = None
    find: str | None = None
    at: int | None = None
    axis: str | None = None
    per: str | None = None

    @property
    def tagged(self) -> Mapping[str, str]:
        """The tags that runs have to bear.

        >>> Address(tags="model=small&batch=8").tagged
        {'model': 'small', 'batch': '8'}
        """
        return dict(parse_qsl(self.tags or "", keep_blank_values=True))

    def with_tag(self, key: str, value: str | None) -> Address:
        """The same address with one tag chosen otherwise; None for any."""
        tags = {name: tag_value for name, tag_value in self.tagged.items() if name != key}
        tags |= {} if value is None else {key: value}
        return replace(self, tags=urlencode(tags) or None)

    @property
    def said(self) -> dict[str, str]:
        """The parameters that are set, in a fixed order."""
        values = asdict(self)
        return {
            name: str(value)
            for name, value in values.items()
            if name != "page" and value is not None
        }

    @property
    def path(self) -> str:
        """The URL below the dashboard's root, without its parameters."""
        return "/" if self.page == HOME else f"/{self.page}"

    @property
    def href(self) -> str:
        """The URL below the dashboard's root.

        >>> Address(page="item", kind="op", key="aten.mm").href
        '/item?kind=op&key=aten.mm'
        """
        return f"{self.path}?{urlencode(self.said)}" if self.said else self.path

    def with_changes(self, **changes: Any) -> Address:  # noqa: ANN401 -- fields of this record
        """The same address with some parts changed."""
        return replace(self, **changes)

    def on_page(self, page: str, **more: Any) -> Address:  # noqa: ANN401 -- fields of this record
        """Another page that keeps the choice of branch, device, tags and graph."""
        return Address(page=page, graph=self.graph, **more).among_runs(self)

    def among_runs(self, other: Address) -> Address:
        """The same view of the runs that another address chooses."""
        return replace(self, branch=other.branch, gpu=other.gpu, tags=other.tags, per=other.per)

    @property
    def named_runs(self) -> tuple[str, ...]:
        """The names of runs in it."""
        return tuple(ref for ref in (self.run, self.before, self.after) if ref is not None)

    @property
    def choice(self) -> tuple[str | None, ...]:
        """Which runs are chosen."""
        return self.branch, self.gpu, self.tags, self.per


def parse_address(path: str | None, query: str | None) -> Address:
    """What a URL asks for.

    >>> parse_address("/", "?branch=main&last=x") == Address(branch="main")
    True
    """
    page = (path or "/").strip("/") or HOME
    names = set(Address.__struct_fields__) - {"page"}
    said: dict[str, str | int] = {}
    for name, value in parse_qsl((query or "").removeprefix("?"), max_num_fields=None):
        if name not in names or not value or len(value) > _LONGEST:
            continue
        if name not in _NUMBERS:
            said[name] = value
        # Zero is no number of runs and no page; very long numbers are cut to nine digits.
        elif value.isascii() and value.isdecimal() and int(value[:9]):
            said[name] = int(value[:9])
    return Address(page=page, **said)  # type: ignore[arg-type] # each is of its field's type
