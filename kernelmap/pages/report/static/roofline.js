// How far calls are from what the device could do: the roofline, why, and every call with its rates.
kernelmap.view({
  name: "roofline",
  title: "Roofline",
  mount(element, data, app) {
    const { el, fmt } = app;
    const { calls } = app.data;
    const REASONS = 12; // that are listed before one asks for all
    const MOST = 2000; // points; calls with less time are in the table only
    const ODD = 1.05; // more of its limit than this no call can reach
    const WIDER = 4; // how far the axes reach beyond the points
    const COLORS = { memory: "--exact", compute: "--ambiguous", latency: "--outside", odd: "--unknown" };
    const NAMES = { odd: "above the limit", none: "no limit known" };
    const { amount, rate } = fmt;
    const spoken = (value, unit) => {
      const [factor, fitting] = fmt.rateUnit(value, unit);
      return `${rate(value === null ? null : value * factor)} ${fitting}`;
    };
    const rows = calls.call
      .map((call, at) => ({ at, call, wrapper: calls.wrapper[at], time_ns: calls.time_ns[at], bytes: calls.bytes[at], flops: calls.flops[at], gbps: calls.gbps[at], tflops: calls.tflops[at], share: calls.share_of_limit[at], bound: calls.bound[at], headroom_ns: calls.headroom_ns[at], step_ns: data.step_headroom_ns?.[call] ?? null, from: calls.bytes_from[at] === "computed" ? null : calls.bytes_from[at], reason: data.unknown?.[call] ?? null }))
      .filter((row) => row.call !== null && row.time_ns > 0);
    const known = rows.some((row) => row.headroom_ns !== null);
    const kind = (row) => (row.share > ODD ? "odd" : (row.bound ?? "none"));
    const address = (row) => app.hash(null, { call: row.call });

    // ---- the chart
    const points = data.roofs ? rows.filter((row) => row.bytes > 0 && row.flops > 0) : [];
    const holder = el("div", { class: "chart", role: "img", "aria-label": `Roofline: ${fmt.count(points.length, "call")}` });
    const intensity = (row) => row.flops / row.bytes;

    function about(row) {
      const texts = [`${row.call} · ${row.wrapper}`, `time ${fmt.time(row.time_ns)}`];
      if (row.headroom_ns !== null) texts.push(`${fmt.share(row.share)} of its limit (${row.bound}), headroom ${fmt.time(row.headroom_ns)}`);
      if (row.step_ns !== null) texts.push(`of that ${fmt.time(row.step_ns)} could shorten the steps, at most`);
      texts.push([spoken(row.gbps, "GB/s"), spoken(row.tflops, "TFLOP/s"), `${amount(row.bytes)} moved`].join(" · "));
      return texts.map(app.plain).join("<br>");
    }

    function draw() {
      const shown = points.slice(0, MOST);
      const { bandwidth, peaks } = data.roofs;
      const ridges = peaks.map((peak) => peak.flops / bandwidth);
      const xs = [...shown.map(intensity), ...ridges];
      const [low, high] = [Math.min(...xs) / WIDER, Math.max(...xs) * WIDER];
      const color = app.color("--soft");
      const roofs = peaks.map((peak, at) => ({
        type: "scatter", mode: "lines", x: [low, ridges[at], high], y: [low * bandwidth, peak.flops, peak.flops].map((each) => each / 1e12),
        line: { color, width: 1.2 }, hoverinfo: "skip", showlegend: false,
      }));
      const labels = peaks.map((peak) => ({
        x: Math.log10(high), y: Math.log10(peak.flops / 1e12), xref: "x", yref: "y", xanchor: "right", yanchor: "bottom", showarrow: false,
        text: app.plain(`${spoken(peak.flops / 1e12, "TFLOP/s")} ${peak.dtypes}`), font: { size: 11, color },
      }));
      const longest = shown.reduce((most, row) => Math.max(most, row.time_ns), 1);
      const dots = ["memory", "compute", "latency", "none", "odd"].map((each) => {
        const own = shown.filter((row) => kind(row) === each);
        return {
          type: "scatter", mode: "markers", name: NAMES[each] ?? each, x: own.map(intensity), y: own.map((row) => row.tflops),
          text: own.map(about), hovertemplate: "%{text}<extra></extra>", customdata: own.map(address),
          marker: { color: app.color(COLORS[each] ?? "--rest"), opacity: 0.75, size: own.map((row) => row.time_ns), sizemode: "area", sizeref: (2 * longest) / 40 ** 2, sizemin: 4, line: { width: 0.5, color: app.color("--card") } },
        };
      });
      const axis = { type: "log", gridcolor: app.color("--line"), zeroline: false, color, fixedrange: true, dtick: 1, exponentformat: "power" };
      const titled = (text) => ({ text, standoff: 6, font: { size: 12 } });
      app.chart(holder, [...roofs, ...dots.filter((each) => each.x.length)], {
        height: 420, margin: { l: 58, r: 10, t: 34, b: 44 }, showlegend: true, hovermode: "closest", annotations: labels,
        legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", itemsizing: "constant" },
        xaxis: { ...axis, range: [Math.log10(low), Math.log10(high)], title: titled("operations per byte") },
        yaxis: { ...axis, title: titled("TFLOP/s") },
      });
    }

    const charted = points.length
      ? app.card("Roofline", "a point is a call, its size its time; a click leads to its code", holder, points.length > MOST && el("p", { class: "soft" }, `${fmt.number(MOST)} of ${fmt.count(points.length, "call")} are drawn, those with the most time.`))
      : null;

    // ---- why
    const why = data.reasons.length
      ? app.card("Why", "what the code and the launches show, the largest saving first", el("ul", { class: "advice" }, ...app.opening(data.reasons, REASONS, app.reason)))
      : null;

    // ---- every call
    const longest = rows.reduce((most, row) => Math.max(most, row.time_ns), 1);
    const bar = (row) => app.bar({ time_ns: row.time_ns, won: row.headroom_ns }, longest);
    const rateColumn = (unit, width, value) => {
      const [factor, label] = fmt.rateUnit(rows.reduce((most, row) => Math.max(most, value(row) ?? 0), 0), unit);
      return { label, kind: "number", width, value, cell: (row) => rate(value(row) === null ? null : value(row) * factor) };
    };
    const columns = [
      { label: "call", kind: "name", width: app.isNarrow() ? 150 : 190, value: (row) => row.wrapper, help: "the name that the call is written with" },
      { label: "where", kind: "text", width: 124, value: (row) => row.call },
      { label: "time", kind: "time", width: 84, value: (row) => row.time_ns },
      { label: "", kind: "bar", width: 120, value: (row) => row.time_ns, cell: bar, help: "time; its faint end is headroom" },
      { label: "headroom", kind: "time", width: 96, value: (row) => row.headroom_ns, help: "time beyond the limit: at most what can be won" },
      { label: "of steps", kind: "time", width: 88, value: (row) => row.step_ns, help: "the part of headroom that could shorten the steps, at most" },
      { label: "of limit", kind: "share", width: 94, value: (row) => row.share, cell: (row) => el("span", { class: row.share > ODD ? "odd" : null }, `${fmt.share(row.share)}${row.share > ODD ? " !" : ""}`), help: "the least time that the device needs, over the time that it took" },
      { label: "bound", kind: "text", width: 76, value: (row) => row.bound },
      rateColumn("GB/s", 74, (row) => row.gbps),
      rateColumn("TFLOP/s", 78, (row) => row.tflops),
      { label: "moved", kind: "number", width: 84, value: (row) => row.bytes, cell: (row) => amount(row.bytes), help: "bytes, measured ones before computed ones; these count every operand once, at most" },
      { label: "bytes from", kind: "text", width: 84, value: (row) => row.from, help: "measured: Nsight Compute counted those of the device's memory" },
      { label: "not known", kind: "text", width: 200, value: (row) => row.reason, help: "why there is no number" },
    ].filter((each) => each.label === "" || rows.some((row) => each.value(row) !== null));
    // A headroom of 0 ns is a finding: only what is not known stays blank.
    for (const each of columns) if (["headroom", "of steps"].includes(each.label)) each.cell = (row) => fmt.time(each.value(row));
    const table = app.table({
      label: "calls", rows, columns, sort: known ? columns.findIndex((each) => each.label === "headroom") : null,
      isRest: (row) => row.bytes === null, choose: (row) => app.go(address(row)),
    });

    element.append(
      el("section", { class: "head" }, el("p", { class: "facts soft" }, data.facts.join(" · ")), data.total && el("p", { class: "total" }, data.of_steps ? `${data.total}. ${data.of_steps}` : data.total)),
      ...data.notices.map((each) => el("p", { class: each.odd ? "note odd" : "note" }, each.message, each.hint && el("small", {}, ` ${each.hint}`))),
      el("div", { class: charted && why ? "both" : null }, charted ?? "", why ?? ""),
      rows.length ? el("section", { class: "card flush list" }, table.element) : el("p", { class: "note" }, "No call of compiled code ran in this window; a roofline is of such calls."),
    );
    if (!charted) return;
    draw();
    holder.on("plotly_click", ({ points: [point] }) => point?.customdata && app.go(point.customdata));
    document.addEventListener("themechange", draw);
  },
});
