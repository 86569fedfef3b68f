// Graphs by time; of the chosen one each invocation, and what the compiler said.
kernelmap.view({
  name: "graphs",
  title: "Graphs",
  key: "id",
  async mount(element, data, app) {
    const { el, fmt, isRest } = app;
    const state = { row: null };
    const columns = await Promise.all(["invocation", "start", "time_ns"].map((name) => data.runs[name] && app.numbers(data.runs[name])));
    const runs = new Map(
      Object.entries(data.runs.of ?? {}).map(([graph, [from, to]]) => {
        const [invocation, start, time] = columns.map((column) => column.subarray(from, to));
        return [graph, { invocation, start, time, sorted: Float64Array.from(time).sort() }];
      }),
    );
    const longest = Math.max(...[...runs.values()].map(({ sorted }) => quantile(sorted, 0.95)), 1);

    function quantile(sorted, part) {
      const at = part * (sorted.length - 1);
      const [low, rest] = [Math.floor(at), at - Math.floor(at)];
      return sorted[low] + rest * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
    }

    // A box from the first to the third quarter, the median in it, a line from 5 % to 95 %.
    function box(row) {
      const own = runs.get(row.graph);
      if (!own) return el("span", {});
      const at = [0.05, 0.25, 0.5, 0.75, 0.95].map((part) => quantile(own.sorted, part));
      const place = (value) => `${(100 * Math.min(value, longest)) / longest}%`;
      const wide = (from, to) => ({ left: place(from), width: `max(1px, ${(100 * Math.max(0, to - from)) / longest}%)` });
      const about = ["5 %", "25 %", "median", "75 %", "95 %"].map((name, each) => `${name} ${fmt.time(at[each])}`).join(", ");
      return el("span", { class: "boxplot", title: about }, el("u", { style: wide(at[0], at[4]) }), el("i", { style: wide(at[1], at[3]) }), el("b", { style: { left: place(at[2]) } }));
    }

    const median = (row) => (runs.has(row.graph) ? quantile(runs.get(row.graph).sorted, 0.5) : row.mean_ns);
    const COLUMNS = [
      { label: "graph", kind: "name", value: (row) => row.graph },
      { label: "function", kind: "text", value: (row) => row.function, help: "the Python function that was compiled" },
      { label: "compile id", kind: "text", width: 92, value: (row) => row.compile_id },
      { label: "time", kind: "time", width: 84, value: (row) => row.time_ns },
      app.shareColumn(data.rows, (row) => (app.data.total_ns ? row.time_ns / app.data.total_ns : null), { width: 112 }),
      { label: "runs", kind: "number", width: 66, value: (row) => row.invocations, help: "invocations in the window" },
      { label: "per run", kind: "bar", width: 190, value: median, cell: box, help: "from 5 to 95 % of the invocations, the box half of them, the mark the median" },
      { label: "median", kind: "time", width: 84, value: median },
      { label: "calls", kind: "number", width: 60, value: (row) => row.calls || null },
      { label: "cache", kind: "text", width: 66, value: (row) => row.cache, help: "what the FX graph cache said" },
      { label: "compile", kind: "time", width: 84, value: (row) => row.compile_ns, help: "time to compile the function" },
      { label: "again", kind: "text", width: 64, value: (row) => (row.compilations > 1 ? `${row.compilation} of ${row.compilations}` : null), help: "which compilation of the function this is" },
    ];
    const table = app.table({
      label: "graphs",
      rows: data.rows,
      isRest: (row) => isRest(row.graph),
      choose: (row) => app.go(app.hash(null, { id: row.graph })),
      more: (row) => [row.source, row.cache_key, row.failed_guard, row.code, ...(row.graph_breaks ?? [])].join(" "),
      columns: COLUMNS.filter((each) => data.rows.some((row) => each.value(row) !== null && each.value(row) !== undefined)),
    });
    const card = el("section", { class: "card flush list" }, table.element);
    const detail = el("section", { class: "card detail" });
    const chart = el("div", { class: "chart" });
    const told = data.told.length
      ? el("section", { class: "card" }, ...data.told.flatMap((part) => [
          el("header", {}, el("h2", {}, part.title)),
          el("ul", { class: "toldlines" }, ...part.lines.map(([depth, text]) => el("li", { class: `depth${depth}` }, text))),
        ]))
      : null;
    card.style.height = `${Math.min(data.rows.length, 9) * 27 + 92}px`;
    element.append(card, el("div", { class: told ? "lower two" : "lower" }, detail, ...(told ? [told] : [])));

    function facts(row) {
      const known = [
        ["kind", row.kind], ["function", row.function && el("span", {}, `${row.function}${row.source ? ` (${row.source}) ` : ""}`, app.editor(row.source))],
        ["code", row.code], ["cache key", row.cache_key], ["AOT id", row.aot_id],
        ["failed guard", row.failed_guard], ...(row.graph_breaks ?? []).map((each) => ["graph break", each]),
      ];
      return el("dl", {}, ...known.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    }

    function draw() {
      const { row } = state;
      if (!row) {
        detail.replaceChildren(el("p", { class: "soft" }, "No graph ran in this window."));
        return;
      }
      const own = runs.get(row.graph);
      if (isRest(row.graph)) return drawRest(row);
      const link = el("a", { href: app.hash("provenance", { graph: row.graph }) }, "its code");
      detail.replaceChildren(
        el("header", {}, el("h2", {}, row.graph), el("p", {}, `${fmt.time(row.time_ns)} in ${fmt.count(row.invocations, "run")}`), el("p", { class: "links" }, app.toTimeline({ id: row.graph }), app.data.without.provenance ? null : link)),
        facts(row),
        own?.time.length > 1 ? chart : !own && el("p", { class: "soft" }, row.invocations ? "A saved result has the mean of all runs only." : "No run of it lies in the window."),
      );
      if (own && own.time.length > 1) app.spread(chart, own.time, (row) => `run ${row}, invocation ${own.invocation[row]}: ${fmt.time(own.time[row])}, from ${fmt.time(own.start[row])}`);
    }

    // Time of no graph: what ran in it.
    async function drawRest(row) {
      const place = { rest: row.graph };
      const lists = el("div", { class: "lists" });
      detail.replaceChildren(el("header", {}, el("h2", {}, row.graph), el("p", {}, fmt.time(row.time_ns)), el("p", { class: "links" }, app.toTimeline(place))), lists);
      const found = await app.ran(place);
      if (state.row === row) lists.replaceChildren(...(found ? app.lists(found, ["calls"]) : [el("p", { class: "soft" }, "A saved result does not say what ran here.")]));
    }

    kernelmap.views.graphs = {
      open({ id }) {
        const own = data.rows.filter((row) => !isRest(row.graph));
        state.row = data.rows.find((row) => row.graph === id) ?? state.row ?? own[0] ?? data.rows[0] ?? null;
        if (state.row) table.show(state.row);
        draw();
      },
    };
    document.addEventListener("themechange", () => element.hidden || draw());
  },
  open: (params) => kernelmap.views.graphs.open(params),
});
