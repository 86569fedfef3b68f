// The kernels by time, and the code of the chosen one.
kernelmap.view({
  name: "kernels",
  title: "Kernels",
  key: "kernel",
  keys: [
    { key: "j", help: "next kernel", run: () => kernelmap.views.kernels.step(1) },
    { key: "k", help: "the one before", run: () => kernelmap.views.kernels.step(-1) },
  ],
  mount(element, data, app) {
    const { el, fmt } = app;
    const { calls } = app.data;
    const CALLS = 40; // that are listed before one asks for all
    const state = { row: null };
    const named = (row) => row.wrapper ?? row.device_name ?? "(no name)";
    const device = (row) => row.wrapper !== null && row.device_name !== row.wrapper && row.device_name;
    const hasDevices = !app.isNarrow() && data.rows.some(device);
    // A phone has no room for a column of device names: they stand in the first one.
    const title = (row) => (app.isNarrow() && device(row) ? `${named(row)} ${device(row)}` : named(row));
    const mean = (row) => (row.launches ? row.time_ns / row.launches : null);
    const share = app.shareColumn(data.rows, (row) => row.share, { width: 108 });

    const table = app.table({
      label: "kernels",
      rows: data.rows,
      isRest: (row) => row.wrapper === null,
      more: (row) => `${row.device_name} ${row.graph} ${row.path} ${(row.ops ?? []).join(" ")}`,
      choose: (row) => app.go(address(row)),
      columns: [
        { label: "kernel", kind: "name", width: app.isNarrow() ? 174 : null, value: title, spans: (row) => hasDevices && !device(row) },
        ...(hasDevices ? [{ label: "device name", kind: "name", value: (row) => device(row) || null }] : []),
        { label: "time", kind: "time", width: 84, value: (row) => row.time_ns },
        share,
        { label: "launches", kind: "number", width: 82, value: (row) => row.launches },
        { label: "mean", kind: "time", width: 84, value: mean, help: "time per launch" },
      ],
    });

    const address = (row) => app.hash(null, row.address);
    const panel = el("aside", { class: "panel" });
    element.append(el("div", { class: "pair" }, el("section", { class: "card flush" }, table.element), panel));

    function fact(name, value) {
      return value ? [el("dt", {}, name), el("dd", {}, value)] : [];
    }

    // A call in the list of `of`; what it ran under other device names is in its time as well.
    function link(row, of) {
      const whole = device(of) ? " in all" : "";
      const lines = (calls.source[row] ?? []).map(fmt.place).join(", ");
      const more = [lines, `${fmt.count(calls.launches[row], "launch")}, ${fmt.time(calls.time_ns[row])}${whole}`].filter(Boolean);
      return el("li", {}, el("a", { href: app.hash(null, { call: calls.call[row] }) }, calls.call[row]), el("small", {}, more.join(" · ")));
    }

    async function draw(row) {
      const known = row.of === null ? null : data.definitions[row.of];
      const users = row.used_by;
      const code = el("pre", { class: "code", tabindex: "0" }, "…");
      const lists = el("div", { class: "lists" });
      panel.replaceChildren(
        el("header", {}, el("h2", {}, named(row)), el("p", { class: "soft" }, `${fmt.time(row.time_ns)} in ${fmt.count(row.launches, "launch")} `, app.toTimeline(row.address) ?? "")),
        el(
          "dl",
          {},
          ...fact("device name", device(row)),
          ...fact("original ops", row.ops?.length && row.ops.join(", ")),
          ...Object.entries(known?.facts ?? {}).flatMap(([name, value]) => fact(name, value)),
          ...fact("graph", row.graph),
          ...fact("kept at", row.path && el("span", {}, row.path, " ", app.editor(row.path))),
        ),
        users.length ? el("h3", {}, `Run by ${fmt.count(users.length, "call")}`) : "",
        users.length ? el("ul", { class: "users" }, ...app.opening(users, CALLS, (user) => link(user, row))) : "",
        lists,
        el("h3", {}, "Code"),
        code,
      );
      // Of eager code no statement is known: what launched it stands in its place.
      if (row.wrapper === null) {
        const found = await app.ran(row.address);
        if (state.row !== row) return;
        lists.replaceChildren(...(found ? app.lists(found, ["calls", "kernels"]) : []));
      }
      const { note, text } = await source(row, known, users);
      if (note) code.replaceWith(el("p", { class: "soft" }, note));
      else code.replaceChildren(app.visible(text));
    }

    // The text of its definition, or of the statements that call a library routine; else a note why
    // there is none.
    async function source(row, known, users) {
      if (row.wrapper === null) return { note: "No call of compiled code is known to launch it." };
      if (!known) return { note: users.length || data.definitions.length ? "No code was given for this one." : "This report was made from a saved result, which has no code." };
      if (known.text === undefined) return { note: "The code of its graph was not given." };
      const lines = (await app.texts())[known.text].split("\n");
      if (known.lines) return { text: lines.slice(known.lines[0] - 1, known.lines[1]).join("\n") };
      const own = users.map((row) => calls.line[row]).filter((line) => line !== null).sort((a, b) => a - b);
      if (!own.length) return { note: "Not defined in the generated code." };
      return { text: own.map((line) => `${String(line).padStart(5)}  ${lines[line - 1]?.trim() ?? ""}`).join("\n") };
    }

    function chosen(row) {
      if (!row || state.row === row) return;
      state.row = row;
      table.show(row);
      draw(row);
    }

    function unknown(name) {
      state.row = null;
      table.show(null);
      panel.replaceChildren(el("header", {}, el("h2", {}, name), el("p", { class: "soft" }, "No kernel of this name ran in this window.")));
    }

    kernelmap.views.kernels = {
      step(by) {
        const shown = table.shown();
        const next = shown[shown.indexOf(state.row) + by];
        if (next) app.go(address(next));
      },
      open(params) {
        const stated = ["kernel", "graph", "device"];
        const exactly = (row) => stated.every((name) => row.address[name] === params[name]);
        const fits = (row) => stated.every((name) => params[name] === undefined || row.address[name] === params[name]);
        const first = state.row ?? data.rows.find((row) => row.wrapper !== null);
        const named = data.rows.find(exactly) ?? data.rows.find(fits) ?? data.rows.find((row) => row.device_name === (params.device ?? params.kernel));
        if (params.kernel === undefined ? (first ?? data.rows[0]) : named) return chosen(params.kernel === undefined ? (first ?? data.rows[0]) : named);
        if (params.kernel !== undefined) unknown(params.kernel);
      },
    };
    if (!data.rows.length) panel.append(el("p", { class: "soft" }, "No kernel ran in this window."));
  },
  open: (params) => kernelmap.views.kernels.open(params),
});
