// The times of a graph's runs, two at least: how often each occurs, and beside it each in order.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const MOST = 4000; // dots; more are thinned out evenly
  const FEW = 5; // runs; an axis of no more has a tick for each, and none between them

  // times: ns in order; about(row) gives the text of a dot
  function spread(element, times, about) {
    const largest = times.reduce((most, ns) => Math.max(most, ns), 0);
    const [scale, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([each]) => largest >= each) ?? [1, "ns"];
    const every = Math.max(1, times.length / MOST);
    const rows = Array.from({ length: Math.ceil(times.length / every) }, (_, at) => Math.floor(at * every));
    const color = app.color("--bar");
    const bins = Math.max(4, Math.min(40, Math.round(2 * Math.sqrt(times.length))));
    const titled = (text) => ({ text, standoff: 6, font: { size: 12 } });
    const axis = { gridcolor: app.color("--line"), zeroline: false, color: app.color("--soft"), fixedrange: true };
    const thinned = times.length > MOST ? `; ${app.fmt.number(MOST)} of ${app.fmt.number(times.length)} are drawn` : "";
    app.chart(
      element,
      [
        { type: "histogram", y: Array.from(times, (ns) => ns / scale), nbinsy: bins, marker: { color }, hovertemplate: `%{x} of %{y} ${unit}<extra></extra>` },
        {
          type: "scatter", mode: "markers", x: rows, y: rows.map((row) => times[row] / scale), xaxis: "x2",
          text: rows.map((row) => app.plain(about(row))), hovertemplate: "%{text}<extra></extra>", marker: { color, size: rows.length > 200 ? 4 : 7 },
        },
      ],
      {
        margin: { l: 62, r: 8, t: 8, b: 38 }, bargap: 0.04, height: 260,
        xaxis: { ...axis, domain: [0, 0.28], ...(times.length <= FEW ? { dtick: 1 } : { tickformat: "d", nticks: 5 }), title: titled("runs") },
        xaxis2: { ...axis, domain: [0.32, 1], ...(times.length <= FEW ? { dtick: 1 } : {}), title: titled(`in order${thinned}`) },
        yaxis: { ...axis, title: titled(unit) },
      },
    );
  }

  return { spread };
})());
