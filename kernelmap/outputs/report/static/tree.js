// Leaves (module, line, op, call, time) -> a treemap. Levels at which nothing is known fall away.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const unknown = (name) => name.startsWith("(");

  // -> {ids, labels, parents, values, ops, calls}: parallel arrays, parents before children.
  function tree(leaves, keep = () => true) {
    const { names } = leaves;
    const rows = leaves.time_ns.map((_, row) => row).filter(keep);
    const known = (column) => [...new Set(column)].some((number) => !unknown(names[number]));
    const levels = [leaves.module, leaves.line].filter(known);
    const made = { ids: ["all"], labels: ["all time"], parents: [""], values: [0], ops: [null], calls: [0] };
    const places = new Map();

    function child(parent, key, label, op, call) {
      const id = `${parent}\u0000${key}`;
      let at = places.get(id);
      if (at === undefined) {
        at = made.ids.length;
        places.set(id, at);
        made.ids.push(String(at));
        made.labels.push(label);
        made.parents.push(made.ids[parent]);
        made.values.push(0);
        made.ops.push(op);
        made.calls.push(call);
      }
      return at;
    }

    for (const row of rows) {
      const time = leaves.time_ns[row];
      let at = 0;
      made.values[0] += time;
      const down = (key, label, op, call) => {
        at = child(at, key, label, op, call);
        made.values[at] += time;
      };
      for (const level of levels) down(level[row], names[level[row]], null, 0);
      const op = names[leaves.op[row]];
      down(leaves.op[row], op, op, 0);
      const call = leaves.call[row];
      if (call) down(`call ${call}`, app.data.calls.wrapper[call - 1], op, call);
    }
    return made;
  }

  const neutral = (text) => app.visible(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function treemap(element, made) {
    const { total_ns: total, calls } = app.data;
    const path = (label) => (/[/\\]/.test(label) && /:\d+$/.test(label) ? app.fmt.place(label) : label);
    const shares = made.values.map((value) => `${app.fmt.time(value)} · ${app.fmt.share(total ? value / total : 0)}`);
    const about = made.labels.map((label, at) => {
      const call = made.calls[at];
      return [`<b>${neutral(label)}</b>`, shares[at], call ? `${neutral(calls.call[call - 1])}: click for its provenance` : null].filter(Boolean).join("<br>");
    });
    const colors = made.ops.map((op) => (op === null ? app.color("--line") : app.opColor(op)));
    const trace = {
      type: "treemap",
      ids: made.ids, labels: made.labels.map((label) => neutral(path(label))), parents: made.parents, values: made.values,
      text: shares, hovertext: about, hovertemplate: "%{hovertext}<extra></extra>", texttemplate: "%{label}<br>%{text}",
      branchvalues: "total", maxdepth: 4, sort: true,
      marker: { colors, line: { width: 1, color: app.color("--card") }, pad: { t: 19, l: 2, r: 2, b: 2 } },
      pathbar: { thickness: 22, textfont: { size: 12 } },
      textfont: { color: made.ops.map((op) => (op === null ? app.color("--ink") : "#fff")) },
      tiling: { packing: "squarify", pad: 1 },
    };
    const family = getComputedStyle(document.body).fontFamily;
    const layout = {
      margin: { l: 0, r: 0, t: 0, b: 0 }, paper_bgcolor: "rgba(0,0,0,0)",
      font: { family, size: 12, color: app.color("--ink") },
      hoverlabel: { bgcolor: app.color("--card"), bordercolor: app.color("--line"), font: { family, color: app.color("--ink") }, align: "left" },
      uniformtext: { minsize: 9, mode: "hide" },
    };
    app.plotly().react(element, [trace], layout, { responsive: true, displayModeBar: false });
    element.removeAllListeners?.("plotly_treemapclick");
    element.on("plotly_treemapclick", (event) => {
      const call = made.calls[event.points[0].pointNumber];
      if (call) app.go(app.hash(null, { call: calls.call[call - 1] }));
      return !call;
    });
  }

  return { tree, treemap };
})());
