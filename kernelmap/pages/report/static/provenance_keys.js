// The keys of the panes: from one line with time to the next, from pane to pane.
kernelmap.paneKeys = (() => {
  const KINDS = kernelmap.chain.KINDS;

  // of: {ready(), now() → {panes, kind: the pane in use, times(kind): Map(row → ns), kept: {kind, row} or
  // null}, reach(kind, row), swap, rescale, shapes, unpin, find}
  function paneKeys(of) {
    // By place in the pane in use, or by time over all calls; from the last row on to the first.
    function step(by, order) {
      const { kind: used, times, kept } = of.now();
      const kind = order === "time" ? "call" : used;
      const rows = [...times(kind)].filter(([, ns]) => ns);
      rows.sort(order === "time" ? (a, b) => b[1] - a[1] || a[0] - b[0] : (a, b) => a[0] - b[0]);
      if (!rows.length) return;
      const at = kept?.kind === kind ? rows.findIndex(([row]) => row === kept.row) : -1;
      const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length;
      of.reach(kind, rows[next][0]);
    }

    function beside(by) {
      const { panes, kind } = of.now();
      const open = KINDS.filter((each) => panes[each].scroll.offsetParent !== null);
      const at = open.indexOf(kind);
      panes[open[at < 0 ? 0 : (at + by + open.length) % open.length]].scroll.focus({ preventScroll: true });
    }

    return [
      { key: "j", name: "j ↓", help: "next line with time in this pane", run: () => step(1, "place") },
      { key: "k", name: "k ↑", help: "line with time above", run: () => step(-1, "place") },
      { key: "ArrowDown", run: () => step(1, "place") },
      { key: "ArrowUp", run: () => step(-1, "place") },
      { key: "n", help: "next call by time", run: () => step(1, "time") },
      { key: "p", help: "call with more time", run: () => step(-1, "time") },
      { key: "l", name: "l →", help: "pane to the right", run: () => beside(1) },
      { key: "h", name: "h ←", help: "pane to the left", run: () => beside(-1) },
      { key: "ArrowRight", run: () => beside(1) },
      { key: "ArrowLeft", run: () => beside(-1) },
      { key: "b", help: "from forward to backward, and back", run: of.swap },
      { key: "u", help: "total time, or time per run", run: of.rescale },
      { key: "s", help: "shapes of nodes, shown or hidden", run: of.shapes },
      { key: "/", help: "find in the panes", run: of.find },
      { key: "Escape", name: "Esc", help: "let go of what is kept", run: of.unpin },
    ].map((each) => ({ ...each, run: () => of.ready() && each.run() }));
  }

  return paneKeys;
})();
