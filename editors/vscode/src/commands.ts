/** What is started and what is put into a terminal, from settings; knows nothing of VS Code. */

/** The settings of `kernelmap`, as the user wrote them. */
export interface Settings {
  readonly command: string;
  readonly recording: string;
}

/** A program with its arguments. */
export interface Started {
  readonly program: string;
  readonly words: readonly string[];
}

/** The settings of which code asks; package.json declares them. */
export const SETTINGS = ["command", "recording"] as const;

/** The command of the server, which a lens of it names. */
export const REPORT = "kernelmap.report";

/** How the language server is started: `kernelmap lsp`, and the recording where one is named. */
export function startOfServer(settings: Settings, folder: string | undefined): Started {
  const recording = fillFolder(settings.recording.trim(), folder);
  return {
    program: commandOf(settings, folder),
    words: recording === "" ? ["lsp"] : ["lsp", recording],
  };
}

/** The line that a terminal gets for a command line of the server, started as the server is. */
export function lineForTerminal(
  line: string,
  settings: Settings,
  folder: string | undefined,
): string {
  const command = commandOf(settings, folder);
  const rest = line.startsWith("kernelmap ") ? line.slice("kernelmap".length) : ` ${line}`;
  return quoteWord(command) + rest;
}

function commandOf(settings: Settings, folder: string | undefined): string {
  return fillFolder(settings.command.trim(), folder) || "kernelmap";
}

/** The text with the folder of the workspace in it; without one its name stays, and is not found. */
function fillFolder(text: string, folder: string | undefined): string {
  return folder === undefined ? text : text.replaceAll("${workspaceFolder}", folder);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
