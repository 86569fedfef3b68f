// What ran for a row of any table: its launches by kind, and the calls, ops, lines and kernels in
// its time. A row is named as addresses name it: {line}, {op, origin}, {op, by: "module"}, {call},
// {id} of a graph, {kernel, graph, device}, or {rest} for time that no call has.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const { fmt } = app;
  const REST = { ambiguous: "(ambiguous)", outside: "(outside compiled code)", unknown: "(unknown)" };
  const NAMES = ["line", "op", "call", "id", "kernel", "rest"];
  const SHORT = 12; // rows of a list that are shown at once
  let told = null;

  // -> {leaves, keys, kinds}; null of a saved result
  async function records() {
    const { views, without } = app.data;
    if (without.timeline) return null;
    const [{ tree }, { keys }] = await Promise.all([app.json(views.ops), app.json(views.timeline)]);
    const columns = ["module", "line", "op", "rest", "call", "time_ns"];
    const numbers = await Promise.all(columns.map((name) => app.numbers(tree[name])));
    return { leaves: { names: tree.names, around: tree.around ?? {}, ...Object.fromEntries(columns.map((name, at) => [name, numbers[at]])) }, keys, kinds: app.kinds(keys) };
  }
  const load = () => (told ??= records());

  const isPlace = (params) => NAMES.some((name) => params[name] !== undefined);
  const placeOf = (params) => Object.fromEntries(["line", "op", "by", "origin", "call", "id", "kernel", "graph", "device", "rest"].filter((name) => params[name] !== undefined).map((name) => [name, params[name]]));

  const restOf = (keys, key) => REST[keys.confidence[key]];
  const lineOf = (keys, key) => (keys.place[key] >= 0 ? keys.places[keys.place[key]] : restOf(keys, key));
  const moduleOf = (keys, key) => (keys.module[key] >= 0 ? keys.modules[keys.module[key]] : restOf(keys, key));
  const opOf = (keys, key) => keys.op[key] ?? restOf(keys, key);
  const originOf = (leaves, at) => ({ [REST.outside]: "outside", [REST.unknown]: "none" })[leaves.names[leaves.rest[at]]] ?? "compiled";

  // Which leaves are of a place: a function of their rows.
  function of({ line, op, by, origin, call, id, rest }, leaves) {
    const { calls } = app.data;
    const number = (name) => leaves.names.indexOf(name);
    const is = (column, name) => ((wanted) => (at) => leaves[column][at] === wanted)(number(name));
    if (line !== undefined) return is("line", line);
    if (op !== undefined && by === "module") {
      const inside = new Set(Object.keys(leaves.around).filter((name) => leaves.around[name].includes(op)).map(number));
      return inside.size ? (at) => inside.has(leaves.module[at]) : is("module", op);
    }
    if (op !== undefined) return ((same) => (at) => same(at) && (origin === undefined || originOf(leaves, at) === origin))(is("op", op));
    if (call !== undefined) return ((row) => (at) => leaves.call[at] === row + 1)(calls.call.indexOf(call));
    if (id !== undefined) return (at) => leaves.call[at] > 0 && calls.graph[leaves.call[at] - 1] === id;
    return is("rest", rest);
  }

  // -> {kinds, parts: [{call, line, op, ns}], launches, ns}; null where nothing is known of launches
  async function ran(place) {
    const known = await load();
    return known && (place.kernel === undefined ? ofLeaves(place, known) : ofKernel(place, known));
  }

  function ofLeaves(place, { leaves, keys }) {
    const isOf = of(place, leaves);
    const { names } = leaves;
    const parts = [];
    const calls = new Set();
    const apart = new Set(); // what launches without a call are of
    for (let at = 0; at < leaves.time_ns.length; at++) {
      if (!isOf(at)) continue;
      const call = leaves.call[at] ? leaves.call[at] - 1 : null;
      const [line, op] = [names[leaves.line[at]], names[leaves.op[at]]];
      parts.push({ call, line, op, ns: leaves.time_ns[at] });
      if (call !== null) calls.add(call);
      else apart.add(JSON.stringify([names[leaves.rest[at]], names[leaves.module[at]], line, op]));
    }
    const part_of = parts.length ? [] : involving(place);
    for (const call of part_of) {
      calls.add(call);
      parts.push({ call, line: null, op: null, ns: 0 });
    }
    const isIn = (key) => (keys.call[key] ? calls.has(keys.call[key] - 1) : apart.has(JSON.stringify([restOf(keys, key), moduleOf(keys, key), lineOf(keys, key), opOf(keys, key)])));
    return { ...summed(keys.name.map((_, key) => key).filter(isIn), parts, keys), isInvolved: part_of.length > 0 };
  }

  // The calls that an op or a line is part of, all of whose time is that of others.
  function involving({ op, by, origin, line }) {
    const { calls } = app.data;
    const name = op !== undefined && by !== "module" && (origin ?? "compiled") === "compiled" ? op : line;
    const column = name === undefined ? [] : name === op ? calls.ops : calls.source;
    return column.flatMap((names, row) => (calls.call[row] !== null && names?.includes(name) ? [row] : []));
  }

  function ofKernel({ kernel, graph, device = kernel }, { keys }) {
    const { calls } = app.data;
    const own = (key) => {
      if (keys.names[keys.name[key]] !== device) return false;
      const call = keys.call[key] - 1;
      return graph === undefined ? call < 0 : call >= 0 && calls.graph[call] === graph && calls.wrapper[call] === kernel;
    };
    const kinds = keys.name.map((_, key) => key).filter(own);
    return summed(kinds, kinds.map((key) => ({ call: keys.call[key] ? keys.call[key] - 1 : null, line: keys.call[key] ? null : lineOf(keys, key), op: keys.call[key] ? null : opOf(keys, key), ns: keys.time_ns[key] })), keys);
  }

  const total = (each) => each.reduce((sum, ns) => sum + ns, 0);
  function summed(kinds, parts, keys) {
    return { keys, kinds, parts, launches: total(kinds.map((key) => keys.launches[key])), ns: total(parts.map((part) => part.ns)) };
  }

  // ---- as lists

  // The parts of one kind, longest first: [[name, ns], …].
  function sums(pairs) {
    const found = new Map();
    for (const [name, ns] of pairs) if (name !== null) found.set(name, (found.get(name) ?? 0) + ns);
    return [...found].sort((a, b) => b[1] - a[1]);
  }

  // A list that begins with its longest rows and opens for all of them.
  function list(title, rows, most = SHORT) {
    const { el } = app;
    if (!rows.length) return null;
    const made = el("ul", { class: "ran" });
    const item = ({ text, whole, hash, about }) => {
      const name = app.named(text, whole ?? text);
      return { name, item: el("li", {}, hash ? el("a", { href: hash }, name) : name, el("small", {}, about)) };
    };
    function fill(number) {
      const shown = rows.slice(0, number).map(item);
      made.replaceChildren(...shown.map((each) => each.item));
      const room = () => made.clientWidth - Math.max(...[...made.querySelectorAll("small")].map((small) => small.offsetWidth)) - 10;
      app.fitted(made, shown.map((each) => each.name), room);
      if (number < rows.length) made.append(el("li", {}, app.more(rows.length - number, () => fill(rows.length))));
    }
    fill(most);
    return el("section", {}, el("h3", {}, title), made);
  }

  const ofAll = (ns, all) => (all && ns !== all ? ` of ${fmt.time(all)}` : "");

  // The lists of what ran; `but` names those that the place itself is or shows elsewhere.
  function lists(found, but = []) {
    const { calls } = app.data;
    const { keys, kinds, parts } = found;
    const call = sums(parts.map((part) => [part.call, part.ns])).map(([row, ns]) => ({
      text: `${calls.call[row]} ${calls.wrapper[row]}`, hash: app.hash("calls", { call: calls.call[row] }), about: `${fmt.time(ns)}${ofAll(ns, calls.time_ns[row])}`,
    }));
    const op = sums(parts.map((part) => [part.op, part.ns])).map(([name, ns]) => ({ text: name, hash: app.hash("ops", { op: name }), about: fmt.time(ns) }));
    const line = sums(parts.map((part) => [part.line, part.ns])).map(([name, ns]) => ({ text: fmt.place(name), whole: name, hash: app.hash("lines", { line: name }), about: fmt.time(ns) }));
    const kernel = new Map();
    for (const key of kinds) {
      const hash = kernelHash(keys, key);
      const own = kernel.get(hash) ?? { text: keys.names[keys.name[key]], hash, launches: 0, ns: 0 };
      own.launches += keys.launches[key];
      own.ns += keys.time_ns[key];
      kernel.set(hash, own);
    }
    const kernels = [...kernel.values()].sort((a, b) => b.ns - a.ns).map((each) => ({ ...each, about: `${fmt.count(each.launches, "launch")}, ${fmt.time(each.ns)}` }));
    const all = { calls: ["Calls", call], ops: ["Ops", op], lines: ["Source lines", line], kernels: ["Kernels", kernels] };
    return Object.entries(all).filter(([name]) => !but.includes(name)).map(([, [title, rows]]) => list(title, rows)).filter(Boolean);
  }

  // Where the kernel of a kind of launches stands.
  function kernelHash(keys, key) {
    const { calls } = app.data;
    const device = keys.names[keys.name[key]];
    const call = keys.call[key] - 1;
    const wrapper = call < 0 ? device : calls.wrapper[call];
    return app.hash(null, { kernel: wrapper, ...(call < 0 ? {} : { graph: calls.graph[call] }), ...(call >= 0 && device === wrapper ? {} : { device }) });
  }

  // The way to the launches of a place in the timeline; null without a timeline.
  const toTimeline = (place, text = "in the timeline") => (app.data.without.timeline ? null : app.el("a", { href: app.hash("timeline", place) }, text));

  // Per confidence the time of each call, and the words for it: "exact", "81 % exact".
  async function confidences() {
    const known = await load();
    if (!known) return null;
    const { keys } = known;
    const of_call = new Map(); // row of the table of calls, or -1 -> {exact: ns, …}
    keys.call.forEach((call, key) => {
      const own = of_call.get(call - 1) ?? {};
      own[keys.confidence[key]] = (own[keys.confidence[key]] ?? 0) + keys.time_ns[key];
      of_call.set(call - 1, own);
    });
    return of_call;
  }

  function sureness(own) {
    const all = total(Object.values(own));
    const [[name, most] = []] = Object.entries(own).sort((a, b) => b[1] - a[1]);
    if (name === undefined || !all) return null;
    return most === all ? name : `${fmt.share(most / all)} ${name}`;
  }

  // Name of a line -> {exact: ns, …}: its part of each call has the confidence of that call's launches.
  async function surenessOfLines() {
    const [known, of_call] = await Promise.all([load(), confidences()]);
    if (!known) return null;
    const { leaves } = known;
    const lines = new Map();
    for (let at = 0; at < leaves.time_ns.length; at++) {
      const name = leaves.names[leaves.line[at]];
      const own = lines.get(name) ?? {};
      lines.set(name, own);
      const call = leaves.call[at];
      const shares = call ? (of_call.get(call - 1) ?? {}) : { [Object.keys(REST).find((each) => REST[each] === leaves.names[leaves.rest[at]]) ?? "ambiguous"]: 1 };
      const all = total(Object.values(shares));
      for (const [confidence, ns] of Object.entries(shares)) own[confidence] = (own[confidence] ?? 0) + (leaves.time_ns[at] * ns) / all;
    }
    return lines;
  }

  return { ran, isPlace, placeOf, lists, list, toTimeline, kernelHash, confidences, sureness, surenessOfLines };
})());
