// Leaves (module, line, op, call, time) as a tree, and the tree as nested boxes whose area is time.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const [HEAD, EDGE, SMALL] = [18, 2, 5];
  const unknown = (name) => name.startsWith("(");

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
      for (const kind of levels) down(leaves[kind][row], names[leaves[kind][row]], kind);
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

  // Rows of boxes, each row along the shorter side, as square as they can be.
  function squares(nodes, x, y, wide, high) {
    const placed = [];
    let rest = nodes.reduce((sum, node) => sum + node.time, 0);
    let at = 0;
    while (at < nodes.length && rest > 0 && wide > 0 && high > 0) {
      const side = Math.min(wide, high);
      const area = (wide * high) / rest;
      let [sum, worst, stop] = [0, Infinity, at];
      while (stop < nodes.length) {
        const next = sum + nodes[stop].time;
        const [most, least] = [nodes[at].time * area, nodes[stop].time * area];
        const row = next * area;
        const ratio = Math.max((side * side * most) / (row * row), (row * row) / (side * side * least || 1e-9));
        if (ratio > worst) break;
        [sum, worst, stop] = [next, ratio, stop + 1];
      }
      const deep = (sum * area) / side;
      let along = 0;
      for (const node of nodes.slice(at, stop)) {
        const long = (node.time / sum) * side;
        placed.push(wide >= high ? { node, x, y: y + along, wide: deep, high: long } : { node, x: x + along, y, wide: long, high: deep });
        along += long;
      }
      if (wide >= high) [x, wide] = [x + deep, wide - deep];
      else [y, high] = [y + deep, high - deep];
      rest -= sum;
      at = stop;
    }
    return placed;
  }

  function path(node) {
    const up = [];
    for (let each = node; each; each = each.parent) up.unshift(each);
    return up;
  }

  // Draws into `element`; a click goes into a box, a box of a call leads to its provenance.
  function treemap(element) {
    const { el, fmt } = app;
    const crumbs = el("nav", { class: "crumbs", "aria-label": "Path in the treemap" });
    const area = el("div", { class: "boxes" });
    element.replaceChildren(crumbs, area);
    let root = null;

    const share = (node) => fmt.share(app.data.total_ns ? node.time / app.data.total_ns : 0);
    const label = (node) => (node.kind === "line" ? fmt.place(node.label) : node.label);
    const into = (node) => {
      if (node.call !== null) app.go(app.hash(null, { call: app.data.calls.call[node.call] }));
      else if (node.children.length) show(node);
    };

    function about(node) {
      const lines = path(node).slice(1).map((each) => el("div", {}, el("small", {}, each.kind), " ", each.kind === "call" ? `${each.label} · ${app.data.calls.call[each.call]}` : each.label));
      return [el("b", {}, `${fmt.time(node.time)} · ${share(node)}`), ...lines];
    }

    function box({ node, x, y, wide, high }, into_) {
      if (wide < SMALL || high < SMALL) return;
      const inner = node.children.length > 0 && wide > 54 && high > 46;
      const made = el("div", {
        class: inner ? (node.op ? "box inner op" : "box inner") : "box",
        style: { left: `${x}px`, top: `${y}px`, width: `${wide - 1}px`, height: `${high - 1}px`, ...(inner && !node.op ? {} : { background: app.opColor(node.color) }) },
      });
      made.node = node;
      if (wide > 34 && high > 15) {
        made.append(el("span", { class: "label" }, label(node)));
        if (!inner && high > 32) made.append(el("span", { class: "size" }, `${fmt.time(node.time)} · ${share(node)}`));
        else if (inner && wide > 150) {
          made.classList.add("told");
          made.append(el("span", { class: "size beside" }, share(node)));
        }
      }
      into_.append(made);
      if (!inner) return;
      for (const each of squares(node.children, EDGE, HEAD, wide - 1 - 2 * EDGE, high - 1 - HEAD - EDGE)) box(each, made);
    }

    function draw() {
      if (!root || !area.clientWidth) return;
      const parts = document.createDocumentFragment();
      for (const each of squares(root.children, 0, 0, area.clientWidth, area.clientHeight)) box(each, parts);
      area.replaceChildren(parts);
      area.dataset.total = String(root.time);
      crumbs.replaceChildren(
        ...path(root).map((each) => el("button", { type: "button", onclick: () => show(each), "aria-current": each === root ? "true" : null }, `${label(each)} ${each.parent ? "" : fmt.time(each.time)}`.trim())),
      );
    }

    function show(node) {
      root = node;
      app.tip.hide();
      draw();
    }

    area.addEventListener("click", (event) => event.target.closest(".box") && into(event.target.closest(".box").node));
    area.addEventListener("mousemove", (event) => {
      const found = event.target.closest(".box");
      if (found) app.tip.show(event, ...about(found.node));
      else app.tip.hide();
    });
    area.addEventListener("mouseleave", app.tip.hide);
    new ResizeObserver(draw).observe(area);
    return { show, draw };
  }

  return { tree, treemap };
})());
