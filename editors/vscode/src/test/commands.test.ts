/** Settings become the command that is started; what stands in package.json is what code asks. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { lineForTerminal, SETTINGS, startOfServer } from "../commands";

interface Package {
  contributes: { configuration: { properties: Record<string, { default: unknown }> } };
}

const plain = { command: "kernelmap", recording: "" };

void test("the newest recording is shown where none is named", () => {
  assert.deepEqual(startOfServer(plain, "/work"), { program: "kernelmap", words: ["lsp"] });
});

void test("a recording is a word of its own, whatever is in its name", () => {
  const started = startOfServer({ ...plain, recording: " my runs/bundle; rm -r . " }, "/work");
  assert.deepEqual(started.words, ["lsp", "my runs/bundle; rm -r ."]);
});

void test("the folder of the workspace is filled in", () => {
  const settings = {
    command: "${workspaceFolder}/.venv/bin/kernelmap",
    recording: "${workspaceFolder}/bundle",
  };
  assert.deepEqual(startOfServer(settings, "/my work"), {
    program: "/my work/.venv/bin/kernelmap",
    words: ["lsp", "/my work/bundle"],
  });
  assert.equal(startOfServer(settings, undefined).program, settings.command);
});

void test("an empty command is the default", () => {
  assert.equal(startOfServer({ ...plain, command: "  " }, "/work").program, "kernelmap");
});

void test("a terminal gets the line for the kernelmap that the server is", () => {
  const line = "kernelmap correlate --open '/a b/bundle'";
  assert.equal(lineForTerminal(line, plain, "/work"), line);
  const own = { ...plain, command: "${workspaceFolder}/bin/kernelmap" };
  assert.equal(
    lineForTerminal(line, own, "/it's"),
    `'/it'"'"'s/bin/kernelmap' correlate --open '/a b/bundle'`,
  );
});

void test("package.json declares the settings that are read, with their defaults", () => {
  const path = join(__dirname, "..", "..", "package.json");
  const { properties } = (JSON.parse(readFileSync(path, "utf8")) as Package).contributes
    .configuration;
  assert.deepEqual(
    Object.keys(properties).sort(),
    SETTINGS.map((name) => `kernelmap.${name}`).sort(),
  );
  assert.equal(properties["kernelmap.command"]?.default, plain.command);
  assert.equal(properties["kernelmap.recording"]?.default, plain.recording);
});
