"""The language server: what editors ask by LSP → answers.py, and back. Standard input and output.

It keeps the newest recording as a small record, and looks for a newer one when it is asked. Nothing
is ever written. pygls brings the protocol: positions, documents and messages.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from kernelmap.editors.answers import OpenFile, hints_of, hover_of, lenses_of, open_file
from kernelmap.editors.finding import FoundRecording, find_named, find_newest
from kernelmap.editors.places import LineEdit, check_followed, follow_edit, split_lines
from kernelmap.editors.recorded import RecordedLines
from kernelmap.editors.worker import WantedLines, read_in_worker
from kernelmap.errors import KernelmapError
from kernelmap.options import Options
from kernelmap.pages.render.markdown import render_markdown
from kernelmap.pages.render.terminal import render_text
from kernelmap.pages.text import make_visible
from kernelmap.version import VERSION

REPORT = "kernelmap.report"
"""The command behind a lens: it gives the command line that writes the report."""
_LEAST = 2.0  # seconds between two looks for a newer recording
_REST = 9  # times as long as a look took, until the next one begins
_WIDTH = 100  # of a hover in plain text
_WATCHED = ("**/manifest.toml", "**/run.toml")


class Sources(Struct, frozen=True, kw_only=True):
    """What a person chose: the recording or the store, the correlation, and folders of here."""

    inputs: tuple[Path, ...] = ()
    store: str | None = None
    options: Options = Options()
    anyway: bool = False
    folders: Mapping[str, str] = {}


class LineServer(LanguageServer):
    """Shows the newest recording in the files of an editor."""

    def __init__(self, sources: Sources) -> None:
        super().__init__("kernelmap", VERSION)
        self.sources = sources
        self.found: FoundRecording | None = None
        self.recording: RecordedLines | None = None
        self.recorded_at = 0.0
        self.files: dict[str, OpenFile | None] = {}
        self.edited: set[str] = set()
        self.next_look = float("-inf")
        self.looking: asyncio.Task[None] | None = None

    def look(self, *, at_once: bool = False) -> None:
        """Look for a newer recording in the background, if that was not done just now."""
        rested = at_once or time.monotonic() >= self.next_look
        if rested and (self.looking is None or self.looking.done()):
            self.looking = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        """Read the newest recording, where it is another one than before, and have it shown."""
        began = time.monotonic()
        try:
            found = await asyncio.to_thread(self._find)
            took = time.monotonic() - began
            self.next_look = time.monotonic() + max(_LEAST, _REST * took)
            if found is None or (self.found is not None and found.stamp == self.found.stamp):
                return
            self.found = found
            read = await read_in_worker(_wanted(found, self.sources))
        except (KernelmapError, OSError) as error:
            self.say(types.MessageType.Warning, f"kernelmap: {error}")
            return
        if read.lines is None:
            self.say(types.MessageType.Warning, f"kernelmap: {found.name}: {read.trouble}")
            return
        self.recording, self.recorded_at = read.lines, found.made
        self.files.clear()
        self._refresh()

    def _find(self) -> FoundRecording | None:
        if self.sources.inputs:
            return find_named(self.sources.inputs)
        return find_newest(self._workspace_folders(), self.sources.store)

    def _workspace_folders(self) -> list[Path]:
        uris = [folder.uri for folder in self.workspace.folders.values()]
        uris = uris or [uri for uri in [self.workspace.root_uri] if uri]
        paths = [path for path in map(to_fs_path, uris) if path is not None]
        return [Path(path) for path in paths] or [Path.cwd()]

    def _refresh(self) -> None:
        """Ask the editor to ask again, where it can be asked."""
        of_workspace = self.client_capabilities.workspace
        hints = of_workspace.inlay_hint if of_workspace else None
        lenses = of_workspace.code_lens if of_workspace else None
        if hints and hints.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if lenses and lenses.refresh_support:
            self.workspace_code_lens_refresh(None)

    def say(self, kind: types.MessageType, text: str) -> None:
        """Show a message."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=make_visible(text)))

    async def shown_file(self, uri: str) -> OpenFile | None:
        """What the recording has of a document; the first time it is waited for.

        An editor that can be asked to ask again is answered at once.
        """
        self.look()
        can_ask = self.client_capabilities.workspace
        is_asked = can_ask and can_ask.inlay_hint and can_ask.inlay_hint.refresh_support
        if self.recording is None and not is_asked and self.looking is not None:
            await asyncio.wait({self.looking})
        if self.recording is None:
            return None
        if uri not in self.files:
            document = self.workspace.get_text_document(uri)
            self.files[uri] = open_file(
                self.recording,
                Path(document.path),
                document.source,
                folders=self.sources.folders,
                is_newer=uri in self.edited or self._was_written_after(Path(document.path)),
            )
        return self.files[uri]

    def _was_written_after(self, path: Path) -> bool:
        try:
            return path.stat().st_mtime > self.recorded_at
        except OSError:
            return True

    def follow(self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Follow the lines of a document through edits; after a new text as a whole, look anew."""
        self.edited.add(uri)
        shown = self.files.pop(uri, None)
        if shown is None:
            return
        lines = shown.lines
        for change in changes:
            if not isinstance(change, types.TextDocumentContentChangePartial):
                return
            lines = follow_edit(lines, _edit_of(change))
        text = self.workspace.get_text_document(uri).source
        followed = replace(shown, lines=check_followed(lines, text), is_newer=True)
        self.files[uri] = followed

    def watch(self) -> None:
        """Have the editor tell of new bundles and runs, where it can."""
        of_workspace = self.client_capabilities.workspace
        watched = of_workspace.did_change_watched_files if of_workspace else None
        if watched and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            asked = types.Registration(id=REPORT, method=method, register_options=options)
            self.client_register_capability(types.RegistrationParams(registrations=[asked]))


def serve(sources: Sources) -> None:
    """Answer an editor until it says that it is enough, or has gone."""
    stdout = sys.stdout.buffer
    # Whatever else prints would be taken for a message.
    sys.stdout = sys.stderr
    make_server(sources).start_io(sys.stdin.buffer, stdout)


def make_server(sources: Sources) -> LineServer:
    """A server with all that it answers to."""
    server = LineServer(sources)
    for method, answer in _ANSWERS.items():
        server.feature(method)(answer)
    server.command(REPORT)(_answer_report)
    return server


def _begin(ls: LineServer, _: types.InitializedParams) -> None:
    ls.watch()
    ls.look(at_once=True)


def _open(ls: LineServer, params: types.DidOpenTextDocumentParams) -> None:
    ls.files.pop(params.text_document.uri, None)
    ls.look()


def _change(ls: LineServer, params: types.DidChangeTextDocumentParams) -> None:
    ls.follow(params.text_document.uri, params.content_changes)


def _close(ls: LineServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.files.pop(params.text_document.uri, None)
    ls.edited.discard(params.text_document.uri)


def _look(ls: LineServer, _: types.DidChangeWatchedFilesParams) -> None:
    ls.look(at_once=True)


async def _end(ls: LineServer, _: None) -> None:
    """Let go of a recording that is being read."""
    if ls.looking is not None:
        ls.looking.cancel()
        with suppress(asyncio.CancelledError):
            await ls.looking


async def _answer_hints(ls: LineServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    shown = await ls.shown_file(params.text_document.uri)
    if shown is None:
        return []
    document = ls.workspace.get_text_document(params.text_document.uri)
    lines = split_lines(document.source)
    first, last = params.range.start.line, params.range.end.line
    return [
        types.InlayHint(
            position=_end_of_line(document, lines, hint.at),
            label=hint.text,
            tooltip=hint.about,
            padding_left=True,
        )
        for hint in hints_of(shown)
        if first <= hint.at <= last and hint.at < len(lines)
    ]


async def _answer_hover(ls: LineServer, params: types.HoverParams) -> types.Hover | None:
    shown = await ls.shown_file(params.text_document.uri)
    page = None if shown is None else hover_of(shown, params.position.line)
    if page is None:
        return None
    of_documents = ls.client_capabilities.text_document
    taken = of_documents.hover.content_format if of_documents and of_documents.hover else None
    if types.MarkupKind.Markdown in (taken or ()):
        text, kind = render_markdown(page), types.MarkupKind.Markdown
    else:
        text, kind = render_text(page, _WIDTH).plain, types.MarkupKind.PlainText
    return types.Hover(contents=types.MarkupContent(kind=kind, value=text))


async def _answer_lenses(ls: LineServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    shown = await ls.shown_file(params.text_document.uri)
    top = types.Range(start=types.Position(0, 0), end=types.Position(0, 0))
    return [
        types.CodeLens(range=top, command=types.Command(title=lens.text, command=REPORT))
        for lens in (() if shown is None else lenses_of(shown))
    ]


async def _answer_report(ls: LineServer) -> str | None:
    """The command line that writes the report; a person runs it, the server does not."""
    if ls.recording is None:
        return None
    ls.say(types.MessageType.Info, f"The report: {ls.recording.again}")
    return ls.recording.again


_ANSWERS: Mapping[str, Callable[..., object]] = {
    types.INITIALIZED: _begin,
    types.TEXT_DOCUMENT_DID_OPEN: _open,
    types.TEXT_DOCUMENT_DID_CHANGE: _change,
    types.TEXT_DOCUMENT_DID_CLOSE: _close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _look,
    types.TEXT_DOCUMENT_INLAY_HINT: _answer_hints,
    types.TEXT_DOCUMENT_HOVER: _answer_hover,
    types.TEXT_DOCUMENT_CODE_LENS: _answer_lenses,
    types.SHUTDOWN: _end,
}


def _wanted(found: FoundRecording, sources: Sources) -> WantedLines:
    options = sources.options
    return WantedLines(
        anyway=sources.anyway,
        found=found,
        steps=options.steps,
        side=options.side.value,
        cache_dir=None if options.cache_dir is None else str(options.cache_dir),
        like=tuple(map(str, options.like)),
        device_limits=None if options.device_limits is None else str(options.device_limits),
    )


def _edit_of(change: types.TextDocumentContentChangePartial) -> LineEdit:
    start, end = change.range.start, change.range.end
    return LineEdit(
        start=start.line,
        start_character=start.character,
        end=end.line,
        end_character=end.character,
        text=change.text,
    )


def _end_of_line(document: TextDocument, lines: Sequence[str], at: int) -> types.Position:
    """Where a line ends, counted as the editor counts characters."""
    units = document.position_codec.client_num_units(lines[at])
    return types.Position(line=at, character=units)
