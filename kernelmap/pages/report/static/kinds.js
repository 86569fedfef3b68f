// What is known of the launches of a timeline, by kind: launches of one call, name and confidence.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;

  function kinds(keys) {
    const { el, fmt } = app;
    const { calls } = app.data;
    const graphs = [...new Set(calls.graph)];

    const call = (key) => (keys.call[key] ? keys.call[key] - 1 : null); // a row of app.data.calls
    const device = (key) => keys.names[keys.name[key]];
    const title = (key) => (call(key) === null ? (keys.op[key] ?? device(key)) : calls.wrapper[call(key)]);
    const where = (key) => (call(key) === null ? null : calls.call[call(key)]);
    const opOf = (key) => (call(key) === null ? keys.op[key] : (calls.ops[call(key)]?.[0] ?? null));
    const spread = (text) => [...text].reduce((sum, char) => (sum * 31 + char.codePointAt(0)) % 9973, 7);

    // Colors by what they are to mean; paler by op is what ran under no call.
    const colors = {
      op: (key) => app.opColor(opOf(key)) + (call(key) === null ? "90" : ""),
      graph: (key) => (call(key) === null ? app.opColor(null) : app.numbered(graphs.indexOf(calls.graph[call(key)]))),
      kernel: (key) => (call(key) === null ? app.opColor(null) : app.numbered(spread(title(key)))),
      confidence: (key) => app.color(`--${keys.confidence[key]}`),
    };

    // Kinds that stand together where times are added up: one call, or one name of one confidence.
    const group = (key) => (call(key) === null ? `${keys.confidence[key]} ${title(key)}` : call(key));

    // What a kind is, as plain texts by name.
    function known(key) {
      const place = call(key);
      return {
        call: where(key) ?? undefined,
        ops: place === null ? keys.op[key] : (calls.ops[place] ?? []).join(", "),
        source: place === null ? undefined : (calls.source[place] ?? []).join(", "),
        kernel: device(key),
        confidence: keys.confidence[key],
      };
    }

    // A bar of a lane as a list of facts.
    function facts(lane, row) {
      const [key, count, invocation] = [lane.key[row], lane.count?.[row] ?? 1, lane.invocation[row]];
      const place = call(key);
      const reason = keys.reason[key] === "none" ? "" : `: ${keys.reason[key]}`;
      const method = keys.method[key] === "none" ? "" : ` by ${keys.method[key]}`;
      const known = [
        ["time", `${fmt.time(lane.busy[row])}, at ${fmt.time(lane.start[row])}`],
        ["device name", device(key) === title(key) ? null : device(key)],
        ["ops", place === null ? keys.op[key] : (calls.ops[place] ?? []).join(", ")],
        ["lines", place === null ? (keys.place[key] >= 0 ? fmt.place(keys.places[keys.place[key]]) : null) : (calls.source[place] ?? []).map(fmt.place).join(", ")],
        ["confidence", `${keys.confidence[key]}${method}${reason}`],
        ["invocation", invocation < 0 ? null : `${fmt.number(invocation)} of ${calls.graph[place] ?? "its graph"}`],
        ["stream", lane.title],
        ["launch", count === 0 ? `${lane.launch[row]}, going on after what it called` : count > 1 ? `${fmt.number(count)} launches, from ${lane.launch[row]}; this kind has most of their time` : String(lane.launch[row])],
      ];
      return el("dl", {}, ...known.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    }

    // Where a kind without a call stands: its op, else its kernel.
    const ORIGINS = { outside: "outside", unknown: "none" };
    const opHash = (key) => (keys.op[key] && ORIGINS[keys.confidence[key]] ? app.hash("ops", { op: keys.op[key], origin: ORIGINS[keys.confidence[key]] }) : app.kernelHash(keys, key));

    // Where to go from a bar.
    function links(lane, row) {
      const key = lane.key[row];
      const own = where(key);
      return [
        ...(own === null
          ? []
          : [
              el("a", { href: app.hash(null, { call: own }) }, `Provenance of ${own}`),
            ]),
        ...(own === null && keys.op[key] ? [el("a", { href: opHash(key) }, "Its op")] : []),
        ...(keys.place[key] >= 0 ? [el("a", { href: app.hash("lines", { line: keys.places[keys.place[key]] }) }, "Where it was launched")] : []),
        el("a", { href: app.kernelHash(keys, key) }, own === null ? "Its kernel" : "Code of its kernel"),
        app.data.commands && el("code", {}, app.visible(app.data.commands.explain.replace("LAUNCH", lane.launch[row]))),
      ];
    }

    // The longest groups of what `app.lanes.inSight` found, as rows for app.bars.
    function longest({ time, launches, total }, color) {
      const groups = new Map();
      time.forEach((ns, key) => {
        if (!ns) return;
        const own = groups.get(group(key)) ?? { key, ns: 0, number: 0 };
        own.ns += ns;
        own.number += launches[key];
        groups.set(group(key), own);
      });
      const found = [...groups.values()].sort((a, b) => b.ns - a.ns || a.key - b.key);
      return found.map(({ key, ns, number }) => ({
        title: title(key),
        id: `${where(key) ?? keys.confidence[key]} · ${fmt.count(Math.round(number), "launch")}`,
        hash: where(key) === null ? opHash(key) : app.hash(null, { call: where(key) }),
        time_ns: ns,
        share: total ? ns / total : 0,
        color: color(key),
      }));
    }

    return { count: keys.name.length, title, where, colors, group, known, facts, links, longest };
  }

  return { kinds };
})());
