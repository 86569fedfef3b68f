// Leaves (module, line, op, call, time) as a tree, and the tree as a treemap.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const { fmt } = app;
  const WIDEST = 60; // children of a box that are drawn
  const SMALLEST = 300; // that part of the whole is drawn, and nothing smaller
  const unknown = (name) => name.startsWith("(");

  // The modules around a leaf's module, the outermost first, itself last; a rest is in none.
  const modulesAround = (leaves, row) => {
    const name = leaves.names[leaves.module[row]];
    return leaves.around[name] ?? [name];
  };

  // -> {label, kind, time, children, parent, op, call}; levels at which nothing is known fall away.
  function tree(leaves, keep = () => true) {
    const { names } = leaves;
    const known = (column) => column.some((number) => !unknown(names[number]));
    const levels = ["module", "line"].filter((kind) => known(leaves[kind]));
    const node = (label, kind, parent, own = {}) => ({ label, kind, parent, time: 0, children: new Map(), op: null, call: null, ...own });
    const root = node("all time", "window", null);
    for (let row = 0; row < leaves.time_ns.length; row++) {
      if (!keep(row)) continue;
      const time = leaves.time_ns[row];
      let at = root;
      const down = (key, label, kind, own) => {
        if (!at.children.has(key)) at.children.set(key, node(label, kind, at, own));
        at = at.children.get(key);
        at.time += time;
      };
      root.time += time;
      if (levels.includes("module")) for (const module of modulesAround(leaves, row)) down(module, module, "module");
      if (levels.includes("line")) down(leaves.line[row], names[leaves.line[row]], "line");
      const op = names[leaves.op[row]];
      down(leaves.op[row], op, "op", { op });
      const call = leaves.call[row] - 1;
      if (call >= 0) down(call, app.data.calls.wrapper[call], "call", { op, call });
    }
    return settled(root);
  }

  // Children as arrays, longest first; an inner box has the color of the op with the most time in it.
  function settled(node) {
    node.children = [...node.children.values()].map(settled).sort((a, b) => b.time - a.time || (a.label < b.label ? -1 : 1));
    node.color = node.op ?? node.children[0]?.color ?? null;
    return node;
  }

  // -> parallel arrays for Plotly, parents before children; what is too small to be seen is one box.
  function boxes(root) {
    const made = { nodes: [], ids: [], parents: [], values: [], labels: [], sizes: [], colors: [], inks: [], hints: [] };
    const total = app.data.total_ns;
    function add(node, label, time, parent, lines) {
      const size = `${fmt.time(time)} · ${fmt.share(total ? time / total : 0)}`;
      const id = String(made.ids.length);
      made.nodes.push(node);
      made.ids.push(id);
      made.parents.push(parent);
      made.values.push(time);
      made.labels.push(app.plain(label));
      made.sizes.push(size);
      made.colors.push(node?.op ? app.opColor(node.color) : app.color("--fill"));
      made.inks.push(node?.op ? "#fff" : app.color("--ink"));
      made.hints.push([`<b>${size}</b>`, ...lines.map(app.plain)].join("<br>"));
      return id;
    }
    function walk(node, parent, above) {
      const lines = node.parent ? [...above, `${node.kind} ${node.call === null ? node.label : `${node.label} · ${app.data.calls.call[node.call]}`}`] : [];
      const id = add(node, node.kind === "line" ? fmt.place(node.label) : node.label, node.time, parent, lines);
      const seen = node.children.filter((each, at) => at < WIDEST && each.time * SMALLEST >= root.time);
      for (const each of seen) walk(each, id, lines);
      const left = node.children.slice(seen.length);
      const time = left.reduce((sum, each) => sum + each.time, 0);
      if (time) add({ more: node }, `${left.length} more`, time, id, [...lines, `${fmt.count(left.length, "part")} too small to be drawn here: a click shows them larger`]);
    }
    walk(root, "", []);
    return made;
  }

  // Draws into `element`; a click goes into a box, a box of a call leads to its provenance, one of parts
  // too small to be drawn shows the box around them alone (and tells `alone`), or the table of calls
  // where that is shown alone already.
  function treemap(element, alone) {
    let root = null;
    let made = null;

    function draw() {
      if (!root || !element.clientWidth) return;
      made = boxes(root);
      app.chart(
        element,
        [{
          type: "treemap", ids: made.ids, parents: made.parents, values: made.values, labels: made.labels, text: made.sizes,
          hovertext: made.hints, hovertemplate: "%{hovertext}<extra></extra>", texttemplate: "%{label}<br>%{text}",
          branchvalues: "total", sort: true, tiling: { packing: "squarify", pad: 1 },
          marker: { colors: made.colors, line: { width: 1, color: app.color("--card") }, pad: { t: 19, l: 2, r: 2, b: 2 } },
          pathbar: { thickness: 22, textfont: { size: 12 } }, textfont: { color: made.inks },
        }],
        { margin: { l: 0, r: 0, t: 0, b: 0 } },
      );
      element.dataset.total = String(root.time);
      element.removeAllListeners("plotly_treemapclick");
      element.on("plotly_treemapclick", ({ points: [{ pointNumber }] }) => {
        const node = made.nodes[pointNumber];
        if (node?.more) {
          if (node.more === root) app.go("#calls");
          else {
            alone();
            show(node.more);
          }
          return false;
        }
        const call = node?.call ?? null;
        if (call !== null) app.go(app.hash(null, { call: app.data.calls.call[call] }));
        return call === null;
      });
    }

    function show(node) {
      root = node;
      draw();
    }

    return { show, draw };
  }

  return { tree, treemap, modulesAround };
})());
