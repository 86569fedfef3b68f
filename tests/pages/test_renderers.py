"""One page, every medium: terminal, Markdown and HTML say the same, whatever texts are."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Cells,
    CodeBlock,
    Facts,
    Field,
    Form,
    Link,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Sum,
    Tone,
    WaitingNote,
    plain_text,
)
from kernelmap.pages.render import html, markdown, terminal
from kernelmap.pages.text import make_visible

WIDE = 100_000
"""Characters of a terminal in which nothing has to give way."""
HOSTILE = (
    "<script>alert(1)</script>",
    '" onmouseover=alert(1) x="',
    "a|b`c``d",
    "\x1b[31m red \u202e turned",
    "{{7*7}} ${x}",
    "&lt;b&gt;",
    "![x](javascript:alert(1))",
)
texts = st.sampled_from(HOSTILE) | st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
cells: st.SearchStrategy[Cells] = (
    texts
    | texts.map(lambda text: Link(text, Address(page="item", key=text)))
    | st.tuples(texts, texts.map(lambda text: Link(text, Address())))
)


OF_KIND: Mapping[CellKind, st.SearchStrategy[Cells]] = {
    CellKind.BAR: st.floats(0, 0.5).map(lambda start: Bar(start, start + 0.5, Tone.MORE)),
    CellKind.WORD: st.sampled_from(("same code", "2.00x slower", "")),
}
"""What never comes from the input."""


@st.composite
def tables(draw: st.DrawFn) -> PageTable:
    """A table of named rows with any other columns."""
    kinds = [CellKind.NAME, *draw(st.lists(st.sampled_from([*CellKind]), max_size=3))]
    rows = []
    for _ in range(draw(st.integers(0, 3))):
        row = tuple(draw(OF_KIND.get(kind, cells)) for kind in kinds)
        rows.append(PageRow(cells=row, dim=draw(st.booleans())))
    columns = tuple(PageColumn(name=f"column {at}", kind=kind) for at, kind in enumerate(kinds))
    return PageTable(title="A table", columns=columns, rows=tuple(rows))


lines = st.lists(st.tuples(texts), min_size=1, max_size=3).map(tuple)
points = st.lists(st.tuples(st.integers(1, 3), texts), min_size=1, max_size=3).map(tuple)
sections: st.SearchStrategy[Section] = (
    tables()
    | st.builds(Note, lines=lines, title=st.none() | texts, tone=st.sampled_from([*Tone]))
    | st.builds(Points, st.just("Points"), points)
    | st.builds(Facts, names=st.tuples(texts), facts=st.just(("3 launches",)))
    | st.builds(Sum, st.just("GPU time 1 ms"), st.just((("50.0 % exact", "exact"),)))
    | st.builds(CodeBlock, st.lists(texts, max_size=3).map(tuple))
)
pages = st.builds(
    Page, title=st.just("A title"), name=texts, sections=st.lists(sections, max_size=4).map(tuple)
)


class Seen(HTMLParser):
    """The texts of an HTML text, its elements in order, and what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said, self.tags, self.attributes = "", list[str](), set[str]()
        self.hrefs, self.values = list[str](), list[str]()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.hrefs += [value or "" for name, value in attrs if name in ("href", "action")]
        self.values += [value or "" for name, value in attrs if name == "value"]

    def handle_data(self, data: str) -> None:
        self.said += data


def words(text: str) -> str:
    """The text without white space, which every medium sets as it likes."""
    return "".join(text.split())


def said(page: Page) -> Iterator[str]:
    """Every text of the sections that comes from the input."""
    for section in page.sections:
        if isinstance(section, PageTable):
            yield from (plain_text(cell) for row in section.rows for cell in row.cells)
        elif isinstance(section, Note):
            yield from map(plain_text, section.lines)
        elif isinstance(section, Points):
            yield from (text for _, text in section.lines)
        elif isinstance(section, Facts):
            yield from section.names
        elif isinstance(section, CodeBlock):
            yield from section.lines


def drawn_html(page: Page) -> Seen:
    return Seen(str(html.render_sections(page, html.Places())))


@given(pages)
def test_every_medium_says_everything(page: Page) -> None:
    """No text of a page is lost in a terminal of enough width, in Markdown or in HTML."""
    in_terminal = words(terminal.render_text(page, WIDE).plain)
    in_markdown = words(markdown.render_markdown(page).replace("\\|", "|"))
    in_html = words(drawn_html(page).said)

    for text in map(words, map(make_visible, said(page))):
        assert text in in_terminal
        assert text.replace("\\|", "|") in in_markdown
        assert text in in_html


@given(pages)
def test_no_text_moves_a_cursor(page: Page) -> None:
    """No medium has a control character but line ends."""
    for text in (
        terminal.render_text(page, 80).plain,
        markdown.render_markdown(page),
        drawn_html(page).said,
    ):
        moving = {
            character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs")
        }

        assert moving <= {"\n"}


@given(pages)
def test_texts_make_no_elements(page: Page) -> None:
    """HTML has the elements that the sections ask for, and no attribute that runs or loads."""
    seen = drawn_html(page)
    wanted = sum(
        len(section.rows) * len(section.columns)
        for section in page.sections
        if isinstance(section, PageTable)
    )

    assert seen.tags.count("td") == wanted
    assert not {"script", "img", "a"} & {*seen.tags}
    assert seen.attributes <= {"class", "data-label", "style", "tabindex"}


@given(tables())
def test_a_row_of_markdown_has_its_cells(table: PageTable) -> None:
    """Every row has as many cells as the heading: no text ends a cell or the row."""
    text = markdown.render_section(table)
    rows = [line.replace("\\|", "") for line in text.split("\n") if line.startswith("|")]
    shown = [column for column in table.columns if column.kind is not CellKind.BAR]

    assert len(rows) == (len(table.rows) + 2 if table.rows else 0)
    assert {row.count("|") for row in rows} <= {len(shown) + 1}


@given(pages, texts, texts)
def test_where_a_server_answers_all_leads_to_addresses(page: Page, key: str, find: str) -> None:
    """A served page says the same; its links and forms lead to addresses and send texts as are."""
    to = Address(page="items", key=key)
    form = Form(to=to, fields=(Field(name="find", label="Find", value=find),), button="Go")
    more = Page(title="More", sections=(form, WaitingNote(what=key, done=1, of=3)))
    places = html.Places(view=lambda address: address.href, served=True)
    seen, with_form = (Seen(str(html.render_sections(each, places))) for each in (page, more))

    assert words(seen.said) == words(drawn_html(page).said)
    assert with_form.values == [key, find, "1"]
    assert words(make_visible(key)) in words(with_form.said)
    assert all(href.startswith("/") and href.isascii() for href in seen.hrefs + with_form.hrefs)
    assert not {"script", "img"} & {*seen.tags, *with_form.tags}
    assert not {name for name in seen.attributes | with_form.attributes if name.startswith("on")}
