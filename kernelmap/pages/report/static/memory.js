// Who holds the bytes: over the graphs of a step, and of the chosen graph over its statements.
kernelmap.view({
  name: "memory",
  title: "Memory",
  keys: [
    { key: "ArrowRight", name: "→", help: "next statement", run: () => kernelmap.views.memory.step(1) },
    { key: "ArrowLeft", name: "←", help: "the one before", run: () => kernelmap.views.memory.step(-1) },
    { key: "p", help: "the peak", run: () => kernelmap.views.memory.peak() },
  ],
  async mount(element, data, app) {
    const { el, fmt } = app;
    const { unpackedMemory, aliveAfter, stackedBands, placeName } = app.memory;
    const LONGEST = 8; // buffers that the tip names
    const SAVED = 12; // rows that are listed before one asks for all
    const state = { graph: null, at: 0, memory: null, stack: null, most: 1 };
    const unpacked = new Map(); // number of a graph -> promise of {memory, stack}
    const names = (listed, count) => `${listed.join(", ")}${count > listed.length ? ` and ${fmt.number(count - listed.length)} more` : ""}`;
    const notFollowed = data.unfollowed_count ? el("p", { class: "soft" }, `Not in this view, since their code is not given or does not say: ${names(data.unfollowed, data.unfollowed_count)}.`) : null;
    const left = data.left_count ? el("p", { class: "soft" }, `Followed are the graphs with most time; not in this view: ${names(data.left, data.left_count)}. All are in: `, el("code", {}, data.command)) : null;
    if (!data.graphs.length) {
      element.append(el("p", { class: "note" }, "Who holds memory stands in the generated code, and no code of this report says so."), notFollowed ?? "", left ?? "");
      kernelmap.views.memory = { open() {}, step() {}, peak() {} };
      return;
    }

    // ---- where one is
    const address = (params) => app.hash("memory", params);
    const idOf = () => data.graphs[state.graph].id;
    const go = (at) => app.go(address({ graph: idOf(), at }));
    const toStatement = (at) => el("a", { href: address({ graph: idOf(), at }) }, fmt.number(at));
    const toCall = (call) => (call === null || call === undefined ? null : el("a", { href: app.hash(null, { call }), title: call }, call));
    const toLine = (place, code) => (place[1] === null ? placeName(place) : el("a", { href: app.hash("lines", { line: `${place[0]}:${place[1]}` }), title: code ?? place.join(":") }, placeName(place)));

    // ---- the step
    const columns = data.step && (await Promise.all(["graph", "before", "peak", "after"].map((each) => (each === "graph" ? app.numbers : app.signed)(data.step[each]))));
    const runs = data.step && Object.fromEntries(["graph", "before", "peak", "after"].map((each, at) => [each, columns[at]]));
    const steps = runs && app.stepsChart(runs, {
      choose: (run) => app.go(address({ graph: data.graphs[runs.graph[run]].id })),
      title: (number) => app.visible(data.graphs[number].id),
      about: (run) => [
        el("b", {}, data.graphs[runs.graph[run]].id), el("p", { class: "soft" }, `run ${run} of the step`),
        facts([["before", fmt.amount(runs.before[run])], ["at its peak", fmt.amount(runs.peak[run])], ["after", fmt.amount(runs.after[run])]]),
      ],
    });
    const order = data.step?.recorded ? "graphs as they ran" : "graphs in the order that is usual";
    const unknown = data.step?.unknown_count ? ` Ran without code: ${names(data.step.unknown, data.step.unknown_count)}.` : "";
    const step = steps && app.card(
      "A step", `${order}, above what is there all the time; a click chooses one`, steps.element,
      el("p", { class: "soft small" }, `Faint is the peak of a run, full what is there from before it to after it. Parameters, optimizer state and inputs lie below; results stay until the step ends; what eager code allocates is not in it.${unknown}`),
    );

    // ---- the graph
    const option = (graph, at) => el("option", { value: at }, `${graph.id} · ${fmt.amount(graph.peak)} at the peak${graph.steps ? "" : " · no curve"}`);
    const pick = el("select", { "aria-label": "Graph", onchange: () => app.go(address({ graph: data.graphs[pick.value].id })) }, ...data.graphs.map(option));
    const button = (label, title, run) => el("button", { type: "button", title, "aria-label": title, onclick: run }, label);
    const hint = el("span", { class: "soft hint" }, "hover: what is alive · click: choose a statement · ← →: the next one · p: the peak");
    const tools = el("div", { class: "tools" }, pick, button("‹", "The statement before (←)", () => move(-1)), button("›", "The next statement (→)", () => move(1)), button("Peak", "The peak (p)", () => peak()), hint);
    const chart = app.areaChart("Bytes over the statements of the graph, by source line", { choose: go, about: aboutStatement });
    const legend = el("ul", { class: "legend bands" });
    const told = el("div", { class: "told" });
    const chosen = el("section", { class: "card chosen", "aria-live": "polite" });
    const list = el("section", { class: "card flush list" });
    const saved = el("section", { class: "card saved" });
    const lower = el("div", { class: "lower" }, list, saved);
    const drawnCount = data.graphs.filter((graph) => graph.steps).length;
    const few = drawnCount < data.graphs.length ? el("p", { class: "soft" }, `Of ${fmt.count(data.graphs.length, "graph")} the ${fmt.number(drawnCount)} with the highest peaks have a curve. All are in: `, el("code", {}, data.command)) : null;
    const table = buffersTable();
    table.element.querySelector(".tools").prepend(el("h2", {}, "Alive after it"));
    list.append(table.element);
    element.append(step ?? "", el("section", { class: "card flush graph" }, tools, told, chart.element, legend), chosen, lower, few ?? "", notFollowed ?? "", left ?? "");

    function facts(pairs) {
      return el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    }

    // What the pointer is on: the statement, its bytes, and what is alive after it.
    function aboutStatement(at) {
      const { memory, stack } = state;
      const alive = aliveAfter(memory, at).filter((each) => each.own);
      const rows = alive.slice(0, LONGEST).map((each) => [`${fmt.amount(each.own)}`, `${each.name} · ${placeName(memory.places[each.place])}`]);
      const more = alive.length > LONGEST ? el("p", { class: "soft" }, `and ${fmt.number(alive.length - LONGEST)} more`) : null;
      return [el("b", {}, `${named(at)}: ${fmt.amount(stack.total[at])}`), el("code", {}, memory.code(at)), facts(rows), ...(more ? [more] : [])];
    }
    const named = (at) => (at ? `Statement ${fmt.number(at)}` : "The start");

    function buffersTable() {
      const link = (label, width, value, help) => ({ label, kind: "text", width, value, cell: (row) => toCall(value(row)), help });
      const until = (row) => (row.freed !== null ? toStatement(row.freed) : row.letGo === null ? "stays" : `let go at ${fmt.number(row.letGo)}`);
      const share = (row) => (state.most ? row.own / state.most : null);
      return app.table({
        label: "buffers alive there", rows: [], choose: (row) => chart.show({ lived: row }), isRest: (row) => row.bytes === null,
        more: (row) => row.code ?? "",
        columns: [
          { label: "buffer", kind: "name", width: app.isNarrow() ? 110 : 120, value: (row) => row.name },
          { label: "bytes", kind: "number", width: 78, value: (row) => row.own, cell: (row) => (row.bytes === null ? (row.formula ?? "not known") : fmt.amount(row.own)) },
          { label: "share", kind: "share", width: 90, value: share, cell: (row) => el("span", { class: "part", style: { "--part": share(row) / (state.largest || 1) } }, fmt.share(share(row))) },
          { label: "kind", kind: "text", width: 84, value: (row) => row.kind },
          { label: "tensor", kind: "text", width: 180, value: (row) => row.tensor },
          { label: "source line", kind: "text", width: app.isNarrow() ? 150 : null, value: (row) => placeName(row.source), cell: (row) => el("span", {}, toLine(row.source, row.code), row.parts.length > 1 ? el("small", { class: "soft" }, ` and ${row.parts.length - 1} more`) : null), help: "the line with most of it" },
          link("made by", 128, (row) => row.made, "the call that first writes to it; of what a forward saved, the forward's"),
          link("last use", 128, (row) => row.lastUse, "the last call that is handed it"),
          { label: "from", kind: "number", width: 54, value: (row) => row.born, cell: (row) => toStatement(row.born), help: "the statement that it is there from" },
          { label: "until", kind: "number", width: 112, value: (row) => row.freed, cell: until, help: "the statement that frees it, or hands its memory on; an input that the graph lets go of is still the caller's" },
        ],
      });
    }

    // ---- what is shown
    const CURVES = (number) => {
      if (!unpacked.has(number)) unpacked.set(number, app.texts().then((texts) => unpackedMemory(data.graphs[number], data.kinds, texts)).then((memory) => ({ memory, stack: stackedBands(memory) })));
      return unpacked.get(number);
    };

    function tellGraph(graph) {
      const notes = [
        graph.unknown_count ? `Left out, since their size is not known: ${names(graph.unknown, graph.unknown_count)}.` : null,
        graph.sizes ? `With ${graph.sizes}.` : null, ...graph.gaps,
      ].filter(Boolean);
      told.replaceChildren(
        el("p", {}, el("b", {}, `${fmt.amount(graph.peak)} at the peak`), ` · ${fmt.amount(graph.start)} at the start · ${fmt.amount(graph.end)} at the end`),
        ...notes.map((each) => el("p", { class: "soft small" }, each)),
      );
    }

    function tellSaved(graph) {
      const rows = graph.saved ?? [];
      const whole = rows.reduce((sum, row) => sum + row.bytes, 0);
      saved.hidden = !rows.length;
      lower.classList.toggle("two", rows.length > 0);
      const item = (row) => {
        const place = [row.file, row.line];
        return el("li", { title: row.code },
          el("span", { class: "name" }, toLine(place, row.code), row.backward_of && el("small", { class: "soft" }, ` for the backward of ${fmt.place(row.backward_of)}`)),
          el("span", { class: "track" }, el("i", { style: { width: `${(100 * row.bytes) / (rows[0].bytes || 1)}%` } })),
          el("span", { class: "number" }, fmt.amount(row.bytes)), el("span", { class: "number soft" }, fmt.share(whole ? row.bytes / whole : null)),
        );
      };
      saved.replaceChildren(
        el("header", {}, el("h2", {}, "Saved by the forward"), el("p", {}, `${fmt.amount(whole)} for this graph, by the line that made it`)),
        el("ol", { class: "savedlines" }, ...app.opening(rows, SAVED, item)),
      );
    }

    function tellStatement() {
      const { memory, stack, at } = state;
      const change = at ? stack.total[at] - stack.total[at - 1] : 0;
      const changed = change ? `, ${fmt.amount(Math.abs(change))} ${change > 0 ? "more" : "less"} than before it` : "";
      const next = memory.calls.slice(at).find((call) => call !== null) ?? null;
      const call = next === null ? null : el("span", {}, memory.calls[at] === null ? "next call " : "call ", toCall(next));
      chosen.replaceChildren(
        el("header", {}, el("h2", {}, `${named(at)}${at ? ` of ${fmt.number(memory.count - 1)}` : ""}${at === memory.at ? ", the peak" : ""}`), el("p", {}, `${fmt.amount(stack.total[at])} alive after it${changed}`)),
        el("pre", { class: "code" }, memory.code(at)),
        el("p", { class: "soft small" }, [memory.about(at)].filter(Boolean).join(""), call && memory.about(at) ? " · " : null, call),
      );
      const alive = aliveAfter(memory, at).map((each) => ({ ...each, source: memory.places[each.place], code: memory.places[each.place][2] }));
      state.most = stack.total[at];
      state.largest = state.most ? (alive[0]?.own ?? 0) / state.most : 1;
      table.replace(alive.filter((each) => each.own || each.bytes === null));
      const item = (band) => el("li", {}, el("i", { style: { background: band.color() } }), band.address === null ? `${band.title} ` : el("a", { href: app.hash("lines", { line: band.address }), title: band.code }, band.title), " ", el("b", {}, fmt.amount(band.after[at])));
      legend.replaceChildren(...stack.bands.map(item).reverse());
    }

    async function open({ graph, at }) {
      const found = data.graphs.findIndex((each) => each.id === graph);
      const highest = data.graphs.reduce((best, each, number) => (each.peak > data.graphs[best].peak ? number : best), 0);
      state.graph = found >= 0 ? found : (state.graph ?? highest);
      const number = state.graph;
      pick.value = String(number);
      steps?.show(number);
      tellGraph(data.graphs[number]);
      tellSaved(data.graphs[number]);
      const isDrawn = Boolean(data.graphs[number].steps);
      for (const part of [chart.element, legend, chosen, list]) part.hidden = !isDrawn;
      if (!isDrawn) return void (state.memory = null);
      const { memory, stack } = await CURVES(number);
      if (state.graph !== number) return; // another one was chosen meanwhile
      const wanted = /^\d+$/.test(at ?? "") ? Number(at) : memory.at;
      Object.assign(state, { memory, stack, at: Math.min(wanted, memory.count - 1) });
      chart.show({ memory, stack, chosen: state.at });
      tellStatement();
    }

    function move(by) {
      if (state.memory) go(Math.max(0, Math.min(state.memory.count - 1, state.at + by)));
    }
    function peak() {
      if (state.memory) go(state.memory.at);
    }
    document.addEventListener("themechange", () => state.memory && tellStatement());
    kernelmap.views.memory = { open, step: move, peak };
  },
  open: (params) => kernelmap.views.memory.open(params),
});
