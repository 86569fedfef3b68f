// The calls, all of them; of the chosen one what it cost, and what it ran.
kernelmap.view({
  name: "calls",
  title: "Calls",
  keys: [
    { key: "j", help: "next call", run: () => kernelmap.views.calls.step(1) },
    { key: "k", help: "the one before", run: () => kernelmap.views.calls.step(-1) },
  ],
  async mount(element, data, app) {
    const { fmt, el } = app;
    const sure = await app.confidences();
    const names = Object.keys(app.data.calls);
    const rows = app.data.calls.call.map((_, at) => ({ at, ...Object.fromEntries([...names.map((name) => [name, app.data.calls[name][at]]), ...Object.keys(data).map((name) => [name, data[name][at]])]) }));
    const mean = (row) => (row.call && row.launches ? row.time_ns / row.launches : null);
    const places = (row) => (row.source ?? []).map(fmt.place).join(", ") || null;
    const ops = (row) => (row.ops ?? []).join(", ") || null;
    const confidence = (row) => (row.call === null ? null : app.sureness(sure?.get(row.at) ?? {}));
    const columns = [
      { label: "call", kind: "name", width: app.isNarrow() ? 150 : null, value: (row) => row.wrapper },
      { label: "where", kind: "name", width: app.isNarrow() ? 124 : 130, stays: true, value: (row) => row.call },
      { label: "lines", kind: "text", width: app.isNarrow() ? 120 : null, value: places },
      { label: "ops", kind: "text", width: app.isNarrow() ? 150 : null, value: ops },
      { label: "time", kind: "time", width: 84, value: (row) => row.time_ns },
      app.shareColumn(rows, (row) => row.share, { width: 112 }),
      { label: "launches", kind: "number", width: 92, value: (row) => row.launches },
      { label: "mean", kind: "time", width: 84, value: mean, help: "time per launch" },
      { label: "GB/s", kind: "number", width: 64, value: (row) => row.gbps, cell: (row) => fmt.rate(row.gbps) },
      { label: "headroom", kind: "time", width: 98, value: (row) => row.headroom_ns, help: "time beyond the limit: at most what can be won" },
      { label: "slow launches", kind: "text", width: 128, value: (row) => fmt.slow(row.slow_launches, row.launches, row.slow_ns), help: app.SLOW_HELP },
      { label: "confidence", kind: "text", width: 112, value: confidence },
    ];
    app.listing({
      name: "calls", element, app, columns, rows, isRest: (row) => row.call === null,
      more: (row) => (row.source ?? []).join(" "),
      address: (row) => (row.call === null ? { rest: row.wrapper } : { call: row.call }),
      find: ({ call, rest }) => rows.find((row) => (row.call === null ? row.wrapper === rest : row.call === call)),
      unknown: ({ call, rest }) => [el("h2", {}, call ?? rest), el("p", { class: "soft" }, "This report has no such call.")],
      but: ["calls"],
      head: (row) => ({
        title: row.wrapper,
        about: row.call === null ? "These launches are of no call of compiled code, or of none that is sure." : row.call,
        links: [row.call === null || app.data.without.provenance ? null : el("a", { href: app.hash(null, { call: row.call }) }, "source, graphs and code side by side")],
        facts: [
          ["time", `${fmt.time(row.time_ns)}, ${fmt.share(row.share)}`],
          ["launches", fmt.number(row.launches)],
          ["per run", row.p50_ns === null ? null : `median ${fmt.time(row.p50_ns)}, 95 % within ${fmt.time(row.p95_ns)}`],
          ["backend", row.backend],
          ["original ops", ops(row)], ["source", (row.source ?? []).join(", ") || null],
          ["rates", row.gbps === null ? null : `${fmt.rate(row.gbps)} GB/s, ${fmt.rate(row.tflops)} TFLOP/s, ${fmt.amount(row.bytes)} moved${row.bytes_from === "measured" ? " (measured)" : ""}`],
          ["headroom", row.headroom_ns === null ? null : `${fmt.time(row.headroom_ns)}, ${fmt.share(row.share_of_limit)} of its limit (${row.bound})`],
          ["counters", row.counters],
          ["slow launches", fmt.slow(row.slow_launches, row.launches, row.slow_ns)],
          ["confidence", confidence(row)],
        ],
      }),
    });
  },
  open: (params) => kernelmap.views.calls.open(params),
});
