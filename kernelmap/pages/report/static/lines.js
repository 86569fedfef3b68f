// The source lines, all of them; of the chosen one its code, and what ran there.
kernelmap.view({
  name: "lines",
  title: "Lines",
  key: "line",
  keys: [
    { key: "j", help: "next line", run: () => kernelmap.views.lines.step(1) },
    { key: "k", help: "the one before", run: () => kernelmap.views.lines.step(-1) },
  ],
  async mount(element, data, app) {
    const { el, fmt, isRest } = app;
    const sure = await app.surenessOfLines();
    const all = (row) => row.time_ns + row.backward_ns;
    const isFunction = (row) => row.line === null && row.code !== null;
    const title = (row) => (isFunction(row) ? `${row.code} (${at(row)})` : row.line === null ? row.file : at(row));
    const at = (row) => `${fmt.place(row.file)}${(row.line ?? row.function_line) === null ? "" : `:${row.line ?? row.function_line}`}`;
    const code = (row) => (row.line === null ? null : row.code?.trim());
    const confidence = (row) => app.sureness(sure?.get(row.name) ?? {});
    const word = { label: "torch's word", kind: "time", width: 116, value: (row) => row.noted_ns || null, help: "the part of its time that is at this line by stacks that torch's own trace handler wrote alone" };
    const columns = [
      { label: "line", kind: "name", width: app.isNarrow() ? 150 : null, value: title, whole: (row) => row.name },
      { label: "code", kind: "code", width: app.isNarrow() ? 220 : null, value: code, grow: 2 },
      { label: "time", kind: "time", width: 84, value: all, help: "backward included" },
      app.shareColumn(data, (row) => row.share, { width: 112 }),
      { label: "forward", kind: "time", width: 88, value: (row) => row.forward_ns || null, help: "its part of the time in forward graphs" },
      { label: "backward", kind: "time", width: 96, value: (row) => row.backward_ns || null, help: "its part of the time in backward graphs and eager backwards" },
      ...(data.some((row) => row.noted_ns) ? [word] : []),
      { label: "at most", kind: "time", width: 84, value: (row) => (row.line === null ? null : row.involved_ns), help: "upper bound: all calls it is part of" },
      { label: "launches", kind: "number", width: 92, value: (row) => row.launches, help: "launches of the calls it is in, and those launched from it" },
      { label: "calls", kind: "number", width: 62, value: (row) => row.calls || null },
      { label: "GB/s", kind: "number", width: 64, value: (row) => row.gbps, cell: (row) => app.fmt.rate(row.gbps) },
      { label: "headroom", kind: "time", width: 98, value: (row) => row.headroom_ns, help: "time beyond the limit: at most what can be won" },
      { label: "slow launches", kind: "text", width: 128, value: (row) => fmt.slow(row.slow_launches, row.launches, row.slow_ns), help: app.SLOW_HELP },
      { label: "confidence", kind: "text", width: 112, value: confidence, help: "how sure the launches in its time are" },
    ];
    app.listing({
      name: "lines", element, app, columns, rows: data, isRest: (row) => row.line === null && row.code === null,
      more: (row) => `${row.name} ${row.code ?? ""}`,
      address: (row) => ({ line: row.name }),
      find: ({ line }) => data.find((row) => row.name === line),
      unknown: ({ line }) => [el("h2", {}, line), el("p", { class: "soft" }, "No time of this window stands at this line. ", app.editor(line))],
      but: ["lines"],
      head(row) {
        const place = row.line === null ? (row.function_line === null ? row.file : `${row.file}:${row.function_line}`) : row.name;
        const panes = row.line !== null && !app.data.without.provenance ? el("a", { href: app.hash("provenance", { line: row.name }) }, "source, graphs and code side by side") : null;
        const where = isRest(row.name) ? null : app.editor(place);
        return {
          title: isRest(row.name) ? row.name : title(row),
          about: isRest(row.name) ? ABOUT[row.name] : place,
          code: code(row),
          note: isFunction(row) ? "Eager code: the profile says the function, and no statement of it." : null,
          links: [panes, where],
          facts: [
            ["time", `${fmt.time(all(row))}, ${fmt.share(row.share)}`],
            ["forward", row.forward_ns ? fmt.time(row.forward_ns) : null], ["backward", row.backward_ns ? fmt.time(row.backward_ns) : null],
            ["torch's word", row.noted_ns ? `${fmt.time(row.noted_ns)}: torch's own trace handler names the line, nothing else does` : null],
            ["at most", row.line === null ? null : fmt.time(row.involved_ns)],
            ["launches", fmt.number(row.launches)],
            ["rates", row.gbps === null ? null : `${fmt.rate(row.gbps)} GB/s, ${fmt.rate(row.tflops)} TFLOP/s`],
            ["headroom", row.headroom_ns === null ? null : `${fmt.time(row.headroom_ns)}, ${fmt.share(row.share_of_limit)} of its limit (${row.bound})`],
            ["slow launches", fmt.slow(row.slow_launches, row.launches, row.slow_ns)],
            ["confidence", confidence(row)],
          ],
        };
      },
    });
    const ABOUT = {
      "(outside compiled code)": "Launched by eager code, in no function that the profile names.",
      "(ambiguous)": "Several calls stand for these launches, and they do not agree on a line.",
      "(unknown)": "Nothing says which call these launches are of.",
      "(no line known)": "Calls of compiled code whose source line nothing says.",
    };
  },
  open: (params) => kernelmap.views.lines.open(params),
});
