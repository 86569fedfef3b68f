// The ways out of the page: a line of a file in VS Code, and launches in Perfetto. Both wait for a
// click; of the input only the text of a path and the names of launches go along.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const ABSOLUTE = /^(?:\/(?!\/)|[A-Za-z]:[\\/])/; // of this machine: none of a share on another one
  const PERFETTO = "https://ui.perfetto.dev";
  const ASK = 100; // ms between two questions whether Perfetto is there
  const WAIT = 60000;

  // The path as it is here: the first folder of the map that holds it is exchanged.
  function here(path) {
    for (const [from, to] of app.data.paths) {
      const folder = from.replace(/[\\/]+$/, "");
      if (path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`)) {
        return to.replace(/[\\/]+$/, "") + path.slice(folder.length);
      }
    }
    return path;
  }

  // -> a link that opens `place` ("/a/model.py:7", or a path) in VS Code; null where it is no whole path.
  function editor(place, text = "open in VS Code") {
    const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(String(place ?? ""));
    const found = here(path);
    if (!ABSOLUTE.test(found)) return null;
    const parts = found.replace(/\\/g, "/").split("/").map((part, at) => (at ? encodeURIComponent(part) : part));
    const link = app.el("a", { class: "leaves", title: found + (line ? `:${line}` : "") }, text);
    link.href = `vscode://file${found.startsWith("/") ? "" : "/"}${parts.join("/")}${line ? `:${line}` : ""}`;
    return link;
  }

  // Hand events to Perfetto in a window of its own, which draws them in the browser.
  function perfetto(title, traceEvents) {
    const opened = open(PERFETTO);
    if (!opened) return false;
    const buffer = new TextEncoder().encode(JSON.stringify({ displayTimeUnit: "ns", traceEvents })).buffer;
    const asking = setInterval(() => opened.postMessage("PING", PERFETTO), ASK);
    const end = setTimeout(() => clearInterval(asking), WAIT);
    addEventListener("message", function answered({ origin, data }) {
      if (origin !== PERFETTO || data !== "PONG") return;
      clearInterval(asking);
      clearTimeout(end);
      removeEventListener("message", answered);
      opened.postMessage({ perfetto: { buffer, title } }, PERFETTO);
    });
    return true;
  }

  return { editor, perfetto };
})());
