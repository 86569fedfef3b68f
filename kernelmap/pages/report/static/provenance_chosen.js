// One line on what is pointed at: which call, node or source line, its time, and how sure that is.
(() => {
  const { app } = kernelmap;
  const { el, fmt } = app;

  // chosen: {kind, ids}; gives elements.
  kernelmap.chosen = (chosen, context) => {
    const { graph, whole, pinned } = context;
    const pane = whole.panes[chosen.kind];
    const ns = chosen.ids.reduce((sum, id) => sum + pane.ns[id], 0);
    const [name, ...more] = (chosen.ids.length === 1 || chosen.kind !== "call" ? one : several)(chosen, context);
    const share = app.data.total_ns ? ns / app.data.total_ns : null;
    const links = [kernel(chosen, context), app.toTimeline(timed(chosen, context)), app.editor(place(chosen, context))];
    const first = [
      pinned ? el("span", { class: "pin", title: "Kept; Esc lets go" }, "kept") : null,
      el("strong", {}, name),
      el("span", {}, `${fmt.time(ns)} · ${fmt.share(share)}`),
      graph.invocations > 1 ? el("span", { class: "soft" }, `${fmt.time(ns / graph.invocations)} per run`) : null,
      ...links,
    ];
    const told = more.filter(Boolean).map((text, at) => el("span", { class: at < 4 ? "soft" : "soft wide", title: text }, text));
    return [el("div", {}, ...first), el("div", {}, ...told)];
  };

  // What the timeline may show of it alone: a line, a call, else the graph.
  function timed({ kind, ids }, { graph, whole }) {
    if (kind === "line") return { line: whole.places[ids[0]] };
    return kind === "call" && ids.length === 1 ? { call: `${graph.id}/${ids[0]}` } : { id: graph.id };
  }

  // The way to a generated kernel's own page.
  function kernel({ kind, ids }, { graph, whole, calls }) {
    const row = kind === "call" && calls.get(`${graph.id}/${ids[0]}`);
    if (!whole.definitions.some((each) => each[3].includes(ids[0])) || row === false || row === undefined) return null;
    return el("a", { href: app.hash("kernels", { kernel: app.data.calls.wrapper[row], graph: graph.id }) }, "kernel");
  }

  // The source line of what is chosen, of a call its first.
  function place({ kind, ids }, { graph, whole, calls }) {
    if (kind === "line") return whole.places[ids[0]];
    const row = kind === "call" ? calls.get(`${graph.id}/${ids[0]}`) : undefined;
    return row === undefined ? null : app.data.calls.source[row]?.[0];
  }

  const several = (chosen) => [fmt.count(chosen.ids.length, "call")];

  function one({ kind, ids }, context) {
    const { graph, whole, calls } = context;
    if (kind === "line") {
      const pane = whole.panes.line;
      const other = pane.other_ns?.[ids[0]];
      return [fmt.place(whole.places[ids[0]]), other ? `${fmt.time(other)} in the ${graph.kind === "forward" ? "backward" : "forward"}` : null];
    }
    if (kind !== "call") {
      const count = whole.links[`call-${kind}`].filter((list) => list.includes(ids[0])).length;
      return [whole.panes[kind].names[ids[0]], `in ${fmt.count(count, "call")}`];
    }
    const id = `${graph.id}/${ids[0]}`;
    const row = calls.get(id);
    const table = app.data.calls;
    if (row === undefined) return [id];
    return [
      table.wrapper[row],
      id,
      fmt.count(table.launches[row], "launch"),
      speed(row),
      sureness(whole.sure[ids[0]]),
      (table.ops[row] ?? []).join(", "),
      (table.source[row] ?? []).map(fmt.place).join(", "),
    ];
  }

  // What could be won of a call: "headroom 41.0 µs, 23.1 % of its limit".
  function speed(row) {
    const { headroom_ns: headroom, share_of_limit: share } = app.data.calls;
    return headroom[row] === null ? null : `headroom ${fmt.time(headroom[row])}, ${fmt.share(share[row])} of its limit`;
  }

  function sureness([exact, inferred, maybe]) {
    const told = [
      exact && (inferred || maybe ? `${fmt.number(exact)} exact` : "exact"),
      inferred && (exact || maybe ? `${fmt.number(inferred)} inferred` : "inferred"),
      maybe && `${fmt.number(maybe)} ambiguous, not counted`,
    ];
    return told.filter(Boolean).join(", ");
  }
})();
