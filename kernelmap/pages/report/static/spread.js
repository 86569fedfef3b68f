// The times of a graph's runs, two at least: each in order, and of more than a few how often each occurs.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const MOST = 4000; // dots; more are thinned out evenly
  const FEW = 5; // runs; no more have a tick each, times from 0 on, and no histogram: they would make one of noise

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
    const isFew = times.length <= FEW;
    const least = times.reduce((found, ns) => Math.min(found, ns), largest);
    // An axis that does not begin at 0 makes any difference look large: say how large it is.
    const apart = isFew ? "" : `, ${app.fmt.share(largest ? 1 - least / largest : 0)} apart`;
    const histogram = { type: "histogram", y: Array.from(times, (ns) => ns / scale), nbinsy: bins, marker: { color }, hovertemplate: `%{x} of %{y} ${unit}<extra></extra>` };
    const thinned = times.length > MOST ? `; ${app.fmt.number(MOST)} of ${app.fmt.number(times.length)} are drawn` : "";
    app.chart(
      element,
      [
        ...(isFew ? [] : [histogram]),
        {
          type: "scatter", mode: "markers", x: rows, y: rows.map((row) => times[row] / scale), xaxis: "x2",
          text: rows.map((row) => app.plain(about(row))), hovertemplate: "%{text}<extra></extra>", marker: { color, size: rows.length > 200 ? 4 : 7 },
        },
      ],
      {
        margin: { l: 62, r: 8, t: 8, b: 38 }, bargap: 0.04, height: 260,
        ...(isFew ? {} : { xaxis: { ...axis, domain: [0, 0.28], tickformat: "d", nticks: 5, title: titled("runs") } }),
        xaxis2: { ...axis, domain: [isFew ? 0 : 0.32, 1], ...(isFew ? { dtick: 1 } : {}), title: titled(`in order${thinned}`) },
        yaxis: { ...axis, ...(isFew ? { rangemode: "tozero", anchor: "x2" } : {}), title: titled(`${unit}${apart}`) },
      },
    );
  }

  return { spread };
})());
