// The view Provenance: source, graphs and generated code beside each other, with the time of every
// line; what is pointed at lights up with everything it came from and became.
kernelmap.views.provenance = (() => {
  const { app, chain: makeChain } = kernelmap;
  const { el, fmt } = app;
  const KINDS = makeChain.KINDS;
  const TITLES = { line: "Source", pre: "Pre-grad graph", post: "Post-grad graph", call: "Generated code" };
  const WIDTHS = [20, 22, 26, 32];
  const READING = 70; // ms that a pointer rests before the other panes move
  let graphs = [];
  let panes = {};
  let texts = [];
  let calls = new Map(); // id → row of app.data.calls
  let state = { graph: -1, pinned: null, active: "call", scale: "total" };
  let whole = null; // what the chosen graph holds, its chain included
  let resting = null;
  let parts = {};

  // ---- what is shown
  async function mount(element, data) {
    texts = await app.texts();
    graphs = data.graphs;
    app.data.calls.call.forEach((id, row) => id !== null && calls.set(id, row));
    for (const kind of KINDS) {
      panes[kind] = kernelmap.pane(TITLES[kind], {
        hover: (row) => hover(kind, row),
        click: (row) => click(kind, row),
        focus: () => activate(kind),
      });
      panes[kind].element.dataset.kind = kind;
    }
    const four = KINDS.map((kind) => panes[kind]);
    parts.layout = kernelmap.layout(four, WIDTHS);
    parts.find = kernelmap.findRows(four, (number, row) => glance(KINDS[number], row));
    parts.pick = el("select", { "aria-label": "Graph", onchange: () => go({ graph: graphs[parts.pick.value].id }) });
    parts.other = el("button", { type: "button", class: "other", onclick: swap });
    parts.scale = el("button", { type: "button", title: "All time of the window, or the mean of one run", onclick: rescale });
    parts.about = el("div", { class: "chosen", "aria-live": "polite" });
    parts.shapes = el("button", { type: "button", title: "The shapes of nodes, shown or hidden (s)", "aria-pressed": "false", onclick: shapes }, "shapes");
    const bar = el("div", { class: "bar" }, parts.pick, parts.other, parts.scale, parts.shapes, parts.find.element);
    element.append(bar, parts.about, parts.layout.element);
    const order = graphs.map((_, at) => at).sort((a, b) => graphs[b].time_ns - graphs[a].time_ns);
    parts.pick.append(...order.map((at) => el("option", { value: at }, title(graphs[at]))));
    document.addEventListener("themechange", () => four.forEach((pane) => pane.paint()));
    if (!graphs.length) parts.about.textContent = "There is no generated code in this run.";
    else choose(order[0]);
  }

  function title(graph) {
    const parts = [graph.id, graph.id.includes(graph.kind) ? null : graph.kind, graph.compile_id, graph.function && `${graph.function}()`];
    const named = parts.filter(Boolean).join(" · ");
    return `${named} · ${fmt.time(graph.time_ns)} · ${fmt.count(graph.calls, "call")}`;
  }

  function choose(at) {
    const graph = graphs[at];
    state.graph = at;
    state.pinned = null;
    whole = JSON.parse(texts[graph.whole]);
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, whole.panes[kind].rows.length]));
    whole.chain = makeChain(whole.links, counts);
    whole.places = kernelmap.places(whole.panes.line, texts[whole.panes.line.text]);
    parts.pick.value = String(at);
    const other = graph.partner === null ? null : graphs[graph.partner];
    parts.other.hidden = other === null;
    if (other) app.text(parts.other, `${other.kind} ${fmt.time(other.time_ns)} →`).title = `Go to ${app.visible(other.id)} (b)`;
    const known = KINDS.map((kind) => counts[kind] > 0);
    parts.layout.room(KINDS.map((kind, at) => !known[at] && (kind !== "call" || known.includes(true))));
    draw();
    const hot = hottest("call");
    if (hot !== null) panes.call.reveal(hot, true);
    light(null);
  }

  function draw() {
    const graph = graphs[state.graph];
    const scale = state.scale === "run" ? Math.max(1, graph.invocations) : 1;
    parts.scale.textContent = state.scale === "run" ? "µs per run" : "µs in all";
    parts.scale.disabled = graph.invocations < 2;
    for (const kind of KINDS) {
      const pane = whole.panes[kind];
      const lines = texts[pane.text].replace(/\n$/, "").split("\n");
      if (!texts[pane.text]) lines.length = 0;
      pane.items = new Map(); // row → things in it
      pane.rows.forEach((row, id) => (pane.items.get(row) ?? pane.items.set(row, []).get(row)).push(id));
      const summed = (ns) => new Map([...pane.items].map(([row, ids]) => [row, ids.reduce((sum, id) => sum + ns[id], 0)]));
      pane.times = summed(pane.ns);
      panes[kind].show({
        lines: [...lines, ...pane.more],
        count: pane.numbers ? undefined : lines.length,
        numbers: pane.numbers,
        items: pane.items,
        times: pane.times,
        others: pane.other_ns ? summed(pane.other_ns) : null,
        sums: kind === "call" ? sums() : null,
        syntax: pane.syntax,
        scale,
      });
      tell(kind, graph, scale);
    }
    parts.find.again();
  }

  // Row that names a kernel → the time of its calls.
  function sums() {
    const ns = whole.panes.call.ns;
    return new Map(whole.definitions.map(([, , named, of]) => [named, of.reduce((sum, id) => sum + ns[id], 0)]));
  }

  function tell(kind, graph, scale) {
    const { about, note, caption } = panes[kind];
    const pane = whole.panes[kind];
    const placed = pane.ns.reduce((sum, ns) => sum + ns, 0);
    const rest = graph.time_ns - placed;
    app.text(about, fmt.time(placed / scale));
    note.hidden = !pane.note;
    app.text(note, pane.note ?? "");
    panes[kind].fold.title = `Fold or unfold this pane${pane.note ? `. ${app.visible(pane.note)}` : ""}`;
    const kinds = pane.other_ns ? [graph.kind, graphs[graph.partner].kind] : ["µs"];
    caption.replaceChildren(
      ...kinds.map((each) => el("span", {}, el("small", {}, each))),
      rest ? el("em", { title: "Time of this graph that no link brings to a line of this pane" }, `not placed: ${fmt.time(rest / scale)}`) : "",
    );
  }

  // ---- light
  const things = (kind, row) => {
    const own = whole.panes[kind].items.get(row);
    if (own || kind !== "call") return own ?? [];
    return whole.definitions.filter(([first, last]) => first <= row && row <= last).flatMap((each) => each[3]);
  };

  // chosen: {kind, ids} or null
  function light(chosen, scroll) {
    const lit = chosen ? whole.chain.light(chosen.kind, chosen.ids) : null;
    for (const kind of KINDS) {
      const rows = (ids) => new Set([...ids].map((id) => whole.panes[kind].rows[id]));
      const sure = lit ? rows(lit[kind].sure) : new Set();
      const weak = lit ? rows(lit[kind].weak) : new Set();
      panes[kind].light({ sure, weak, also: kind === "call" && lit ? defined(lit.call.sure) : new Set() });
      if (scroll && kind !== scroll.but) bring(kind, sure.size ? sure : weak);
    }
    parts.about.replaceChildren(...(chosen ? kernelmap.chosen(chosen, context()) : rest()));
  }

  function defined(ids) {
    const rows = new Set();
    for (const [first, last, , of] of whole.definitions) {
      if (of.some((id) => ids.has(id))) for (let row = first; row <= last; row++) rows.add(row);
    }
    return rows;
  }

  // The hottest of the lit rows comes into sight.
  function bring(kind, rows) {
    let best = null;
    for (const row of rows) if (best === null || time(kind, row) > time(kind, best)) best = row;
    if (best !== null) panes[kind].reveal(best);
  }

  const time = (kind, row) => whole.panes[kind].times.get(row) ?? 0;
  const context = () => ({ graph: graphs[state.graph], whole, calls, pinned: state.pinned !== null });
  const rest = () => [el("span", { class: "hint" }, "Point at a line to see where it came from and what it became; click to keep it. Keys: ?")];

  function hover(kind, row) {
    clearTimeout(resting);
    if (state.pinned) return;
    const ids = row === null ? [] : things(kind, row);
    if (!ids.length) return void (resting = setTimeout(() => light(null), READING));
    light({ kind, ids });
    resting = setTimeout(() => light({ kind, ids }, { but: kind }), READING);
  }

  // Of several things in a row the one with the most time.
  const first = (kind, ids) => ids.reduce((best, id) => (whole.panes[kind].ns[id] > whole.panes[kind].ns[best] ? id : best));

  function click(kind, row) {
    const ids = things(kind, row);
    if (ids.length) go(address(kind, first(kind, ids)));
    else unpin();
  }

  function unpin() {
    state.pinned = null;
    light(null);
    history.replaceState(null, "", app.hash("provenance", { graph: graphs[state.graph].id }));
  }

  // ---- addresses: a call by its id, anything else by its graph and name
  function address(kind, id) {
    const graph = graphs[state.graph].id;
    if (kind === "call") return { call: `${graph}/${id}` };
    return { graph, [kind]: kind === "line" ? whole.places[id] : whole.panes[kind].names[id] };
  }

  const go = (params) => app.go(app.hash(params.call === undefined ? "provenance" : null, params));

  function open(params) {
    if (!graphs.length) return;
    const end = params.call?.lastIndexOf("/") ?? -1;
    const wanted = params.call === undefined ? params.graph : params.call.slice(0, end);
    const at = wanted === undefined ? state.graph : graphs.findIndex((graph) => graph.id === wanted);
    if (at < 0) return void parts.about.replaceChildren(el("span", { class: "hint" }, `This report has no ${params.call ?? wanted}.`));
    if (at !== state.graph) choose(at);
    const kind = params.call === undefined ? KINDS.find((each) => each in params) : "call";
    if (!kind) return;
    const named = {
      call: () => Number(params.call.slice(end + 1)),
      line: () => whole.places.indexOf(params.line),
      pre: () => whole.panes.pre.names.indexOf(params.pre),
      post: () => whole.panes.post.names.indexOf(params.post),
    };
    pin(kind, named[kind]());
  }

  function pin(kind, id) {
    const row = whole.panes[kind].rows[id];
    if (row === undefined) return void parts.about.replaceChildren(el("span", { class: "hint" }, "This report has no such line."));
    clearTimeout(resting);
    state.pinned = { kind, ids: whole.panes[kind].items.get(row) ?? [id] };
    if (kind === "call") state.pinned.ids = [id];
    activate(kind);
    light(state.pinned, {});
    panes[kind].reveal(row);
  }

  // ---- keys
  function activate(kind) {
    state.active = kind;
    for (const each of KINDS) panes[each].element.classList.toggle("active", each === kind);
  }

  function hottest(kind) {
    return [...whole.panes[kind].times].reduce((best, [row, ns]) => (ns && (best === null || ns > time(kind, best)) ? row : best), null);
  }

  // The rows with time of the active pane, from the top or from the hottest; steps wrap round.
  function step(by, order) {
    const kind = order === "time" ? "call" : state.active;
    const rows = [...whole.panes[kind].times].filter(([, ns]) => ns);
    rows.sort(order === "time" ? (a, b) => b[1] - a[1] || a[0] - b[0] : (a, b) => a[0] - b[0]);
    if (!rows.length) return;
    const now = state.pinned?.kind === kind ? whole.panes[kind].rows[state.pinned.ids[0]] : null;
    const at = rows.findIndex(([row]) => row === now);
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length][0];
    reach(kind, next);
  }

  // Keep the things of a row, without a new step in the browser's history.
  function reach(kind, row) {
    const ids = things(kind, row);
    if (!ids.length) return panes[kind].reveal(row);
    const id = first(kind, ids);
    pin(kind, id);
    panes[kind].reveal(row);
    const params = address(kind, id);
    history.replaceState(null, "", app.hash(params.call === undefined ? "provenance" : null, params));
  }

  // A row that was searched for: in sight, and lit as if pointed at where nothing is kept.
  function glance(kind, row) {
    const ids = things(kind, row);
    activate(kind);
    if (!state.pinned) light(ids.length ? { kind, ids } : null, { but: kind });
    panes[kind].reveal(row);
  }

  function swap() {
    const graph = graphs[state.graph];
    if (graph.partner === null) return;
    const lines = state.pinned?.kind === "line" ? { line: address("line", state.pinned.ids[0]).line } : {};
    go({ graph: graphs[graph.partner].id, ...lines });
  }

  function rescale() {
    state.scale = state.scale === "run" ? "total" : "run";
    const kept = state.pinned;
    draw();
    state.pinned = kept;
    light(kept, {});
  }

  function shapes() {
    const on = parts.layout.element.classList.toggle("shapes");
    parts.shapes.setAttribute("aria-pressed", String(on));
  }

  const beside = (by) => panes[KINDS[(KINDS.indexOf(state.active) + by + KINDS.length) % KINDS.length]].scroll.focus({ preventScroll: true });
  const keys = [
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
    { key: "b", help: "from forward to backward, and back", run: swap },
    { key: "u", help: "all time, or one run", run: rescale },
    { key: "s", help: "shapes of nodes, shown or hidden", run: shapes },
    { key: "/", help: "find in the panes", run: () => parts.find.focus() },
    { key: "Escape", name: "Esc", help: "let go of what is kept", run: unpin },
  ];

  // How many things of each pane are lit for sure.
  const lit = () => Object.fromEntries(KINDS.map((kind) => [kind, panes[kind].lit().sure.size]));

  return { mount, open, keys, lit };
})();
kernelmap.view({ name: "provenance", title: "Provenance", key: "call", ...kernelmap.views.provenance });
