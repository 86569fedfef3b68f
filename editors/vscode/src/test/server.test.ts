/** The real server, driven by the protocol library that the extension has: over pipes, as there. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  createProtocolConnection,
  ExecuteCommandRequest,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  InlayHintRefreshRequest,
  InlayHintRequest,
  DidOpenTextDocumentNotification,
  ExitNotification,
  RegistrationRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  CodeLensRefreshRequest,
} from "vscode-languageserver-protocol/node";

import { REPORT, startOfServer } from "../commands";

const command = process.env["KERNELMAP"];
const project = join(__dirname, "..", "..", "..", "..");

void test(
  "the server shows the hints of the newest bundle",
  { skip: command === undefined && "KERNELMAP names no command", timeout: 120_000 },
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "kernelmap-")));
    const source = join(folder, "models.py");
    cpSync(join(project, "scripts", "gpu_cases", "models.py"), source);
    cpSync(join(project, "sample_traces", "cuda_language_train"), join(folder, "bundle"), {
      recursive: true,
    });
    const { program, words } = startOfServer({ command: command ?? "", recording: "" }, folder);
    const server = spawn(program, words, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const connection = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    const refreshed = new Promise<void>((resolve) => {
      connection.onRequest(InlayHintRefreshRequest.type, () => {
        resolve();
      });
    });
    connection.onRequest(CodeLensRefreshRequest.type, () => undefined);
    connection.onRequest(RegistrationRequest.type, () => undefined);
    connection.listen();
    try {
      const uri = pathToFileURL(source).href;
      const textDocument = { uri };
      const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
        processId: process.pid,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the type asks for it
        rootUri: null,
        workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "project" }],
        capabilities: {
          workspace: { inlayHint: { refreshSupport: true } },
          textDocument: { hover: { contentFormat: ["markdown"] } },
        },
      });
      assert.deepEqual(capabilities.executeCommandProvider?.commands, [REPORT]);
      await connection.sendNotification(InitializedNotification.type, {});
      await connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId: "python", version: 1, text: readFileSync(source, "utf8") },
      });
      await refreshed;

      const range = { start: { line: 0, character: 0 }, end: { line: 9999, character: 0 } };
      const hints = await connection.sendRequest(InlayHintRequest.type, { textDocument, range });
      const shown = new Map((hints ?? []).map((hint) => [hint.position.line + 1, hint.label]));
      assert.equal(shown.get(90), "172.3 µs/step · 27.5 % · 153.2 µs headroom · 92.1 MB");

      const position = { line: 89, character: 0 };
      const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position });
      assert.match(JSON.stringify(hover?.contents), /70\.1 % exact \+ 29\.9 % outside/);

      const line: unknown = await connection.sendRequest(ExecuteCommandRequest.type, {
        command: REPORT,
        arguments: [],
      });
      assert.equal(line, `kernelmap correlate --open ${join(folder, "bundle")}`);
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
    } finally {
      connection.dispose();
      server.kill();
      rmSync(folder, { recursive: true });
    }
  },
);
