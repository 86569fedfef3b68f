// The view Provenance: source, graphs and generated code beside each other, with the time of every
// line; what is pointed at lights up with everything it came from and became.
kernelmap.views.provenance = (() => {
  const { app } = kernelmap;
  const { el, fmt } = app;
  const KINDS = kernelmap.chain.KINDS;
  const TITLES = { line: "Source", pre: "Pre-grad graph", post: "Post-grad graph", call: "Generated code" };
  const READING = 70; // ms that a pointer rests before the other panes move
  let graphs = [];
  let lines = []; // {place, code, time_ns, graph} of the whole run
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
    ({ graphs, lines } = data);
    if (!graphs.length) return void element.append(el("p", { class: "note left" }, "No compiled code ran in this window, and none was given."));
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
    parts.layout = kernelmap.layout(four);
    parts.find = kernelmap.findRows(four, (number, row) => glance(KINDS[number], row));
    parts.pick = el("select", { "aria-label": "Graph", onchange: () => go({ graph: graphs[parts.pick.value].id }) });
    parts.other = el("button", { type: "button", class: "other", onclick: swap });
    parts.scale = el("button", { type: "button", title: "The time of the whole window, or the mean of one run (u)", onclick: rescale });
    parts.about = el("div", { class: "chosen", "aria-live": "polite" });
    parts.shapes = el("button", { type: "button", title: "The shapes of nodes, shown or hidden (s)", "aria-pressed": "false", onclick: shapes }, "shapes");
    const bar = el("div", { class: "bar" }, parts.pick, parts.other, parts.scale, parts.shapes, parts.find.element);
    element.append(bar, parts.about, parts.layout.element);
    const order = graphs.map((_, at) => at).sort((a, b) => graphs[b].time_ns - graphs[a].time_ns);
    parts.pick.append(...order.map((at) => el("option", { value: at }, title(graphs[at]))));
    document.addEventListener("themechange", () => four.forEach((pane) => pane.paint()));
    choose(order[0]);
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
    whole = kernelmap.graphOf(JSON.parse(texts[graph.whole]), texts);
    parts.pick.value = String(at);
    panes.call.name.title = app.visible(graph.code ?? "");
    const other = graph.partner === null ? null : graphs[graph.partner];
    parts.other.hidden = other === null;
    if (other) app.text(parts.other, `${other.kind} ${fmt.time(other.time_ns)} →`).title = `Go to ${app.visible(other.id)} (b)`;
    const known = KINDS.some((kind) => !whole.empty(kind));
    parts.layout.room(KINDS.map((kind) => whole.empty(kind) && (kind !== "call" || known)));
    draw();
    parts.layout.fit();
    bring("call", [...whole.panes.call.times.keys()]);
    light(null);
  }

  // Everything anew; `same` where only numbers change.
  function draw(same = false) {
    const graph = graphs[state.graph];
    const scale = state.scale === "run" ? Math.max(1, graph.invocations) : 1;
    parts.scale.textContent = state.scale === "run" ? "time per run" : "total time";
    parts.scale.disabled = graph.invocations < 2;
    for (const kind of KINDS) {
      panes[kind].show({ ...whole.panes[kind], won: kind === "call" ? won(graph) : undefined, all: graph.time_ns, scale, same });
      tell(kind, graph, scale);
    }
    parts.find.again();
  }

  // Row of the code → headroom of the calls in it.
  function won(graph) {
    const rows = new Map();
    whole.panes.call.rows.forEach((row, id) => {
      const ns = app.data.calls.headroom_ns[calls.get(`${graph.id}/${id}`)];
      if (ns) rows.set(row, (rows.get(row) ?? 0) + ns);
    });
    return rows;
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
    const kinds = pane.other_ns ? [graph.kind, graphs[graph.partner].kind] : ["time"];
    caption.replaceChildren(
      ...kinds.map((each) => el("span", {}, el("small", {}, each))),
      rest ? el("em", { title: "Time of this graph that no link brings to a line of this pane" }, `not placed: ${fmt.time(rest / scale)}`) : "",
    );
  }

  // ---- light
  // chosen: {kind, ids} or null
  function light(chosen, scroll) {
    const lit = chosen ? whole.chain.light(chosen.kind, chosen.ids) : null;
    for (const kind of KINDS) {
      const rows = (ids) => new Set([...ids].map((id) => whole.panes[kind].rows[id]));
      const sure = lit ? rows(lit[kind].sure) : new Set();
      const weak = lit ? rows(lit[kind].weak) : new Set();
      panes[kind].light({ sure, weak, also: kind === "call" && lit ? whole.defined(lit.call.sure) : new Set() });
      if (scroll && kind !== scroll.but) bring(kind, sure.size ? sure : weak);
    }
    parts.about.replaceChildren(...(chosen ? kernelmap.chosen(chosen, context()) : rest()));
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
    const ids = row === null ? [] : whole.things(kind, row);
    if (!ids.length) return void (resting = setTimeout(() => light(null), READING));
    light({ kind, ids });
    resting = setTimeout(() => light({ kind, ids }, { but: kind }), READING);
  }

  function click(kind, row) {
    const ids = whole.things(kind, row);
    if (ids.length) go(address(kind, whole.first(kind, ids)));
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
    const at = wanted === undefined ? home(params.line) : graphs.findIndex((graph) => graph.id === wanted);
    if (at < 0) return void parts.about.replaceChildren(el("span", { class: "hint" }, `This report has no ${params.call ?? wanted}.`));
    if (at !== state.graph) choose(at);
    const kind = params.call === undefined ? KINDS.find((each) => each in params) : "call";
    if (!kind) return;
    // A line without compiled code has no place in the panes: what is known of it stands among the lines.
    if (kind === "line" && wanted === undefined && !whole.places.includes(params.line)) return app.go(app.hash("lines", { line: params.line }));
    const named = {
      call: () => Number(params.call.slice(end + 1)),
      line: () => whole.places.indexOf(params.line),
      pre: () => whole.panes.pre.names.indexOf(params.pre),
      post: () => whole.panes.post.names.indexOf(params.post),
    };
    pin(kind, named[kind]());
  }

  // Where a line without a graph is shown: here, if it is here, else where it has most of its time.
  function home(place) {
    if (place === undefined || whole.places.includes(place)) return state.graph;
    return lines.find((line) => line.place === place)?.graph ?? state.graph;
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

  // Keep the things of a row, without a new step in the browser's history.
  function reach(kind, row) {
    const ids = whole.things(kind, row);
    if (!ids.length) return panes[kind].reveal(row);
    const id = whole.first(kind, ids);
    pin(kind, id);
    panes[kind].reveal(row);
    const params = address(kind, id);
    history.replaceState(null, "", app.hash(params.call === undefined ? "provenance" : null, params));
  }

  // A row that was searched for: in sight, and lit as if pointed at where nothing is kept.
  function glance(kind, row) {
    const ids = whole.things(kind, row);
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
    draw(true);
    light(state.pinned, state.pinned && {});
  }

  function shapes() {
    const on = parts.layout.element.classList.toggle("shapes");
    parts.shapes.setAttribute("aria-pressed", String(on));
  }

  const keys = kernelmap.paneKeys({
    ready: () => whole !== null,
    now: () => ({ panes, kind: state.active, times: (kind) => whole.panes[kind].times, kept: kept() }),
    find: () => parts.find.focus(),
    ...{ reach, swap, rescale, shapes, unpin },
  });

  // What is kept: its pane and its row.
  const kept = () => state.pinned && { kind: state.pinned.kind, row: whole.panes[state.pinned.kind].rows[state.pinned.ids[0]] };

  // How many things of each pane are lit for sure.
  const lit = () => Object.fromEntries(KINDS.map((kind) => [kind, panes[kind].lit().sure.size]));

  return { mount, open, keys, lit };
})();
kernelmap.view({ name: "provenance", title: "Provenance", key: "call", ...kernelmap.views.provenance });
