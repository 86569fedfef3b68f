"""The language server as an editor meets it: driven by pygls' own client over its pipes."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="pygls is not installed")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from waiting import run_coroutine

pytestmark = pytest.mark.thorough
SOURCE = Path(__file__).resolve().parent.parent.parent / "scripts" / "gpu_cases" / "models.py"
PATIENCE = 60  # seconds, of a busy machine


class Editor(LanguageClient):
    """A client that shows one file, and knows when it is asked to ask again."""

    def __init__(self, folder: Path) -> None:
        super().__init__("editor", "1")
        self.file = folder / "models.py"
        self.refreshed = asyncio.Event()
        self.watched: list[str] = []
        self.messages: list[str] = []
        self.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda *_: self.refreshed.set())
        self.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: None)
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(
            lambda it: self.watched.extend(each.method for each in it.registrations)
        )
        self.feature(types.WINDOW_SHOW_MESSAGE)(lambda it: self.messages.append(it.message))

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.file.as_uri())

    async def hints(self) -> dict[int, str]:
        """The hints by line, from 1."""
        whole = types.Range(start=types.Position(0, 0), end=types.Position(9999, 0))
        asked = types.InlayHintParams(text_document=self.document, range=whole)
        found = await self.text_document_inlay_hint_async(asked) or ()
        return {hint.position.line + 1: str(hint.label) for hint in found}

    async def wait_for_refresh(self) -> None:
        await asyncio.wait_for(self.refreshed.wait(), PATIENCE)
        self.refreshed.clear()

    def edit(self, line: int, text: str, version: int) -> None:
        """Put a text before a line, counted from 0."""
        place = types.Position(line, 0)
        change = types.TextDocumentContentChangePartial(
            range=types.Range(start=place, end=place), text=text
        )
        named = types.VersionedTextDocumentIdentifier(uri=self.document.uri, version=version)
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=named, content_changes=[change])
        )


@asynccontextmanager
async def editing(folder: Path, *words: str, refreshes: bool = True) -> AsyncIterator[Editor]:
    """An editor in which a workspace and its file are open."""
    editor = Editor(folder)
    program = (sys.executable, "-P", "-m", "kernelmap", "lsp", *words)
    environment = {key: value for key, value in os.environ.items() if key != "KERNELMAP_STORE"}
    await editor.start_io(*program, cwd=folder, env=environment)
    of_hints = types.InlayHintWorkspaceClientCapabilities(refresh_support=refreshes)
    watching = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])
    await editor.initialize_async(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                workspace=types.WorkspaceClientCapabilities(
                    inlay_hint=of_hints, did_change_watched_files=watching
                ),
                text_document=types.TextDocumentClientCapabilities(hover=hover),
            ),
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="project")],
        )
    )
    editor.initialized(types.InitializedParams())
    item = types.TextDocumentItem(
        uri=editor.document.uri, language_id="python", version=1, text=editor.file.read_text()
    )
    editor.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    try:
        yield editor
    finally:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()  # type: ignore[no-untyped-call]  # pygls' own


@pytest.fixture
def project(tmp_path: Path, samples: Path) -> Path:
    """A workspace with a bundle, and the file that was recorded."""
    shutil.copytree(samples / "cuda_graph_breaks", tmp_path / "bundle")
    shutil.copy(SOURCE, tmp_path / "models.py")
    return tmp_path


def run(test: Callable[[], Awaitable[None]]) -> None:
    run_coroutine(asyncio.wait_for(test(), 3 * PATIENCE))


def test_hints_come_when_the_bundle_was_read(project: Path) -> None:
    """The first question is answered at once with nothing; then the editor is told to ask again."""

    async def ask() -> None:
        async with editing(project) as editor:
            assert await editor.hints() == {}
            await editor.wait_for_refresh()
            hints = await editor.hints()
            assert hints.keys() == {105, 107, 109}
            assert hints[109].startswith("6.53 µs/step · 53.7 % · 6.47 µs headroom · 295 kB")
            assert editor.watched == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]

            asked = types.HoverParams(
                text_document=editor.document, position=types.Position(108, 9)
            )
            hover = await editor.text_document_hover_async(asked)
            assert hover is not None
            assert isinstance(hover.contents, types.MarkupContent)
            assert "the window: 100.0 % exact" in hover.contents.value

            lenses = await editor.text_document_code_lens_async(
                types.CodeLensParams(text_document=editor.document)
            )
            assert lenses
            assert [each.command.command for each in lenses if each.command] == ["kernelmap.report"]
            answer = await editor.workspace_execute_command_async(
                types.ExecuteCommandParams(command="kernelmap.report")
            )
            assert answer == f"kernelmap correlate --open {project / 'bundle'}"

    run(ask)


def test_hints_follow_edits_and_a_newer_bundle(project: Path, samples: Path) -> None:
    """Lines move with what is typed above them; a newer recording replaces the older."""

    async def ask() -> None:
        async with editing(project) as editor:
            await editor.wait_for_refresh()
            editor.edit(0, "# a line above\n", 2)
            assert (await editor.hints()).keys() == {106, 108, 110}
            editor.edit(109, "        x = x + 1\n", 3)
            assert (await editor.hints()).keys() == {106, 108, 111}

            newer = project / "newer"
            shutil.copytree(samples / "cuda_language_train", newer)
            manifest = newer / "manifest.toml"
            manifest.write_text(manifest.read_text().replace('started = "20', 'started = "29', 1))
            changed = types.FileEvent(uri=manifest.as_uri(), type=types.FileChangeType.Created)
            editor.workspace_did_change_watched_files(
                types.DidChangeWatchedFilesParams(changes=[changed])
            )
            await editor.wait_for_refresh()
            hints = await editor.hints()
            assert 91 in hints
            assert hints[91].startswith("172.3 µs/step · 27.5 %")

    run(ask)


def test_an_editor_that_cannot_be_asked_waits_for_its_first_answer(project: Path) -> None:
    """It would show nothing until somebody types; a recording that is named is the one."""

    async def ask() -> None:
        async with editing(project, str(project / "bundle"), refreshes=False) as editor:
            assert (await editor.hints()).keys() == {105, 107, 109}

    run(ask)


def test_trouble_is_shown_once(project: Path) -> None:
    """A recording that cannot be read is a message, and the server goes on."""
    trace = next((project / "bundle").rglob("trace.json.gz"))
    trace.unlink()

    async def ask() -> None:
        async with editing(project, refreshes=False) as editor:
            assert await editor.hints() == {}
            assert await editor.hints() == {}
            assert len(editor.messages) == 1
            assert editor.messages[0].startswith("kernelmap: bundle: ")

    run(ask)


def test_nothing_is_written(project: Path) -> None:
    """Neither into the workspace nor beside the recording."""
    before = sorted(project.rglob("*"))

    async def ask() -> None:
        async with editing(project) as editor:
            await editor.wait_for_refresh()
            await editor.hints()

    run(ask)
    assert sorted(project.rglob("*")) == before
