/** Starts `kernelmap lsp` for the files of Python in a window, and anew when its settings change. */

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

import { lineForTerminal, REPORT, type Settings, startOfServer } from "./commands";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("kernelmap")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const { program, words } = startOfServer(readSettings(), folder);
  client = new LanguageClient(
    "kernelmap",
    "kernelmap",
    {
      command: program,
      args: [...words],
      ...(folder === undefined ? {} : { options: { cwd: folder } }),
    },
    {
      documentSelector: [{ scheme: "file", language: "python" }],
      middleware: {
        executeCommand: async (command, args, next) => {
          const answer: unknown = await next(command, args);
          if (command === REPORT && typeof answer === "string") {
            offerInTerminal(answer, folder);
          }
          return answer;
        },
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    await sayThatItDidNotStart(program, error);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

function readSettings(): Settings {
  const stated = vscode.workspace.getConfiguration("kernelmap");
  return {
    command: stated.get<string>("command", "kernelmap"),
    recording: stated.get<string>("recording", ""),
  };
}

/** Write a command into a terminal without running it: that is left to the user. */
function offerInTerminal(line: string, folder: string | undefined): void {
  const terminal = vscode.window.createTerminal({
    name: "kernelmap",
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  terminal.show();
  terminal.sendText(lineForTerminal(line, readSettings(), folder), false);
}

async function sayThatItDidNotStart(program: string, error: unknown): Promise<void> {
  const settings = "Settings";
  const why = error instanceof Error ? error.message : String(error);
  const text = `${program} lsp did not start: ${why}. Is kernelmap installed with its extra lsp?`;
  if ((await vscode.window.showErrorMessage(text, settings)) === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "kernelmap.command");
  }
}
