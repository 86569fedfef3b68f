// One graph as its panes need it: made from the JSON that Python packed, rows and sums included.
kernelmap.graphOf = (() => {
  const { KINDS } = kernelmap.chain;

  // packed: {panes: {kind: {text, rows, ns, …}}, links, definitions, sure}; gives it with, per pane,
  // `lines`, `items` (row → things), `times` (row → ns), `others`, `sums`; with `places`, the
  // `file:line` of each source line; and with what is asked of it.
  function graphOf(packed, texts) {
    const { panes, links, definitions } = packed;
    for (const pane of Object.values(panes)) {
      const own = texts[pane.text] ? texts[pane.text].replace(/\n$/, "").split("\n") : [];
      pane.count = pane.numbers ? undefined : own.length;
      pane.lines = [...own, ...pane.more];
      pane.items = new Map();
      pane.rows.forEach((row, id) => (pane.items.get(row) ?? pane.items.set(row, []).get(row)).push(id));
      pane.times = summed(pane, pane.ns);
      pane.others = pane.other_ns ? summed(pane, pane.other_ns) : null;
      pane.sums = null;
    }
    // The row that names a kernel has the time of its calls.
    panes.call.sums = new Map(definitions.map(([, , named, calls]) => [named, total(panes.call.ns, calls)]));
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, panes[kind].rows.length]));
    return {
      ...packed,
      places: places(panes.line),
      chain: kernelmap.chain(links, counts),
      things,
      defined,
      first: (kind, ids) => ids.reduce((best, id) => (panes[kind].ns[id] > panes[kind].ns[best] ? id : best)),
      empty: (kind) => counts[kind] === 0,
    };

    // What stands in a row; a kernel's definition stands for all calls of it.
    function things(kind, row) {
      const own = panes[kind].items.get(row);
      if (own || kind !== "call") return own ?? [];
      return definitions.filter(([first, last]) => first <= row && row <= last).flatMap((each) => each[3]);
    }

    // The rows that define the kernels of these calls.
    function defined(calls) {
      const rows = new Set();
      for (const [first, last, , of] of definitions) {
        if (of.some((id) => calls.has(id))) for (let row = first; row <= last; row++) rows.add(row);
      }
      return rows;
    }
  }

  const total = (ns, ids) => ids.reduce((sum, id) => sum + ns[id], 0);
  const summed = (pane, ns) => new Map([...pane.items].map(([row, ids]) => [row, total(ns, ids)]));

  // 0 marks the row that names a file.
  function places({ lines, numbers, rows }) {
    const file = [];
    numbers.forEach((number, row) => file.push(number === 0 ? lines[row] : file[row - 1]));
    return rows.map((row) => `${file[row]}:${numbers[row]}`);
  }

  return graphOf;
})();
