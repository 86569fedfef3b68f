/** What is packed is one file that needs nothing beside it but VS Code itself. */

import assert from "node:assert/strict";
import Module, { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

/** Stands for all of VS Code: whatever is asked of it is a class with whatever is asked of that. */
const anything: unknown = new Proxy(function () {}, {
  get: (target, name) => {
    if (name === "prototype") {
      return target.prototype as unknown;
    }
    return name === Symbol.toPrimitive ? () => "" : anything;
  },
});

void test("the bundle loads where VS Code is the only other module", () => {
  const loader = Module as unknown as {
    _load: (name: string, ...more: unknown[]) => unknown;
  };
  const load = loader._load;
  const asked = new Set<string>();
  loader._load = (name, ...more) => {
    if (name === "vscode") {
      return anything;
    }
    asked.add(name.replace(/^node:/, ""));
    return load(name, ...more);
  };
  try {
    const path = join(__dirname, "..", "bundle", "extension.js");
    const extension = createRequire(__filename)(path) as Record<string, unknown>;
    assert.equal(typeof extension["activate"], "function");
    assert.equal(typeof extension["deactivate"], "function");
    asked.delete(path);
    assert.deepEqual(
      [...asked].filter((name) => !Module.builtinModules.includes(name)),
      [],
    );
  } finally {
    loader._load = load;
  }
});
