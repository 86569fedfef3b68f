// The original ops (or modules) with their bounds, and beside them where their time comes from.
kernelmap.view({
  name: "ops",
  title: "Ops",
  key: "op",
  async mount(element, data, app) {
    const { el, fmt } = app;
    const leaves = data.tree && {
      names: data.tree.names,
      around: data.tree.around,
      ...Object.fromEntries(
        await Promise.all(["module", "line", "op", "rest", "call", "time_ns"].map(async (name) => [name, await app.numbers(data.tree[name])])),
      ),
    };
    const state = { kind: "ops", name: null, origin: null };
    const tables = {};
    const kinds = ["ops", "modules"].filter((kind) => kind === "ops" || data.modules.some((row) => !app.isRest(row.name)));
    const holder = el("section", { class: "card flush" });
    const choices = el("span", { class: "choices" });
    const map = el("div", { class: "map" });
    const boxes = leaves && app.treemap(map, () => (whole.hidden = false));
    const lead = el("p", { class: "lead" });
    const links = el("p", { class: "links" });
    const under = el("div", { class: "lists under", hidden: true });
    const whole = el("button", { type: "button", hidden: true, onclick: () => app.go("#ops") }, "Show all");
    element.append(
      el(
        "div",
        { class: "pair" },
        holder,
        el(
          "section",
          { class: "card flush comes" },
          el("header", {}, el("div", {}, el("h2", {}, "Where the time comes from"), lead), links, whole),
          el("div", { class: "treemap" }, map),
          under,
        ),
      ),
    );

    function made(kind) {
      const rows = data[kind];
      // A module has the time of all modules in it, and its own part beside it.
      const nested = rows.some((row) => row.total_ns !== null && row.total_ns !== undefined);
      const time = (row) => (nested ? row.total_ns : row.time_ns);
      const least = (row) => (nested ? row.total_exclusive_ns : row.exclusive_ns);
      const most = (row) => (nested ? row.total_involved_ns : row.involved_ns);
      const share = (row) => (nested && app.data.total_ns ? row.total_ns / app.data.total_ns : row.share);
      const longest = Math.max(...rows.map((row) => Math.max(time(row), row.origin === "compiled" ? most(row) : 0)), 1);
      const bar = (row) =>
        app.bar({ time_ns: time(row), least: least(row), most: most(row), rest: row.origin !== "compiled" }, longest);
      const own = { label: "own", kind: "time", width: 84, value: (row) => row.time_ns, help: "without the modules in it; adds up to the window" };
      return app.table({
        label: kind,
        rows,
        isRest: (row) => row.origin !== "compiled",
        choose: (row) => app.go(app.hash(null, { op: row.name, ...(kind === "ops" ? apart(row) : { by: "module" }) })),
        columns: [
          { label: kind === "ops" ? "original op" : "module", kind: "name", width: app.isNarrow() ? 198 : null, value: (row) => row.name, after: (row) => title(row).slice(row.name.length) || null },
          { label: "bounds", kind: "bar", width: app.isNarrow() ? 74 : rows.some(few) ? 88 : 132, value: time, cell: bar, help: "The bar is its part of the calls it is in; the line runs from the calls that are it alone to all calls it is part of" },
          { label: "time", kind: "time", width: 84, value: time, help: nested ? "with all modules in it" : undefined },
          { label: "share", kind: "share", width: 72, value: share },
          ...(nested ? [own] : []),
          { label: "at least", kind: "time", width: 84, value: least, help: "lower bound: calls that are it alone" },
          { label: "at most", kind: "time", width: 84, value: most, help: "upper bound: all calls it is part of" },
          ...(rows.some(few) ? [slow] : []),
        ],
      });
    }

    // An op that ran in compiled code and outside has a row for each, and an address for each.
    const apart = (row) => (data.ops.filter((each) => each.name === row.name).length > 1 ? { origin: row.origin } : {});
    const OUTSIDE = { "(outside compiled code)": "outside", "(unknown)": "none" };
    const originOf = (leaf) => OUTSIDE[leaves.names[leaves.rest[leaf]]] ?? "compiled";

    const few = (row) => row.slow_launches;
    const slow = {
      label: "slow launches",
      kind: "text",
      width: 128,
      value: (row) => fmt.slow(row.slow_launches, row.launches, row.slow_ns),
      help: "A few launches hold more than half of the row's time: its mean is far above its median",
    };
    const WHERE = { outside: "outside", none: "unknown" };
    const title = (row) => {
      if (row.name === data.root && "total_ns" in row) return `${row.name} (the compiled module)`;
      return WHERE[row.origin] && !app.isRest(row.name) ? `${row.name} · ${WHERE[row.origin]}` : row.name;
    };

    function pick(kind) {
      state.kind = kind;
      tables[kind] ??= made(kind);
      const tabs = kinds.map((each) =>
        el("button", { type: "button", class: "choice", "aria-pressed": String(each === kind), onclick: () => pick(each) }, each === "ops" ? "Ops" : "Modules"),
      );
      choices.replaceChildren(...(kinds.length > 1 ? tabs : []));
      tables[kind].element.querySelector(".tools").append(choices);
      holder.replaceChildren(tables[kind].element);
    }

    function draw() {
      whole.hidden = state.name === null;
      if (!leaves) {
        map.replaceChildren(el("p", { class: "soft" }, "This report was made from a saved result, which has no parts below a call."));
        return;
      }
      const number = leaves.names.indexOf(state.name);
      const ofModule = (row) => app.modulesAround(leaves, row).includes(state.name);
      const ofOp = (row) => leaves.op[row] === number && (state.origin === null || originOf(row) === state.origin);
      const keep = state.name === null ? undefined : state.kind === "ops" ? ofOp : ofModule;
      const found = app.tree(leaves, keep);
      app.text(
        lead,
        state.name === null
          ? "Modules, source lines, ops and calls: all parts add up to the window. A click goes deeper."
          : `${state.origin === null ? state.name : title({ name: state.name, origin: state.origin })}: ${fmt.time(found.time)} by the nodes that call it`,
      );
      boxes.show(found);
      tellRan();
    }

    // Below the boxes of one op or module: the lines and kernels in its time.
    async function tellRan() {
      const { name, origin, kind } = state;
      const place = { op: name, ...(kind === "modules" ? { by: "module" } : {}), ...(origin === null ? {} : { origin }) };
      links.replaceChildren((name !== null && app.toTimeline(place)) || "");
      const found = name === null ? null : await app.ran(place);
      if (state.name !== name || state.origin !== origin) return;
      const lists = found ? app.lists(found, [kind === "modules" ? "" : "ops", found.isInvolved ? "" : "calls"]) : [];
      under.hidden = !lists.length;
      under.replaceChildren(...lists);
      if (found?.isInvolved) app.text(lead, `${name} has no time of its own: it is part of ${fmt.count(found.parts.length, "call")}, whose time is that of other ops`);
    }

    kernelmap.views.ops = {
      open({ op, by, origin }) {
        state.name = op ?? null;
        state.origin = (by !== "module" && origin) || null;
        const kind = by === "module" ? "modules" : op === undefined ? state.kind : "ops";
        if (!tables[kind] || kind !== state.kind) pick(kind);
        const row = data[kind].find((each) => each.name === op && (state.origin === null || each.origin === state.origin));
        if (row) tables[kind].show(row);
        draw();
      },
    };
    document.addEventListener("themechange", () => boxes?.draw());
  },
  open: (params) => kernelmap.views.ops.open(params),
});
