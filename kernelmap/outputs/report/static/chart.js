// Two small charts side by side in one picture: how often each time occurs, and each time in order.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const [HIGH, LEFT, LOW, TOP] = [240, 62, 26, 8];
  const MOST = 4000; // dots; more are thinned out evenly

  function ticks(from, to, wanted) {
    const rough = (to - from) / wanted || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) * power;
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-9; at += step) found.push(at);
    return { found, step };
  }

  // A time on an axis: all in the unit of the largest, with as many digits as the steps need.
  function axisTime(ns, step, largest) {
    const [scale, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([each]) => largest >= each) ?? [1, "ns"];
    return `${(ns / scale).toFixed(Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9)))} ${unit}`;
  }

  // times: ns in order; about(row) gives the text of a dot
  function spread(element, times, about) {
    const { el } = app;
    const wide = Math.max(360, element.clientWidth);
    const part = Math.round(wide * 0.24);
    let [least, most] = [Math.min(...sample(times)), Math.max(...sample(times))];
    const edge = (most - least) * 0.06 || most * 0.05 || 1;
    [least, most] = [Math.max(0, least - edge), most + edge];
    const [low, high] = [HIGH - LOW, TOP];
    const y = (ns) => low - ((ns - least) / (most - least)) * (low - high);
    const right = LEFT + part + 26;
    const x = (row) => right + 8 + (times.length > 1 ? row / (times.length - 1) : 0.5) * (wide - right - 24);
    const { found, step } = ticks(least, most, 5);
    const parts = [];

    for (const ns of found) {
      parts.push(el("line", { class: "grid", x1: LEFT, x2: LEFT + part, y1: y(ns), y2: y(ns) }), el("line", { class: "grid", x1: right, x2: wide - 8, y1: y(ns), y2: y(ns) }));
      parts.push(el("text", { x: LEFT - 8, y: y(ns) + 4, "text-anchor": "end" }, axisTime(ns, step, most)));
    }
    const bins = Math.max(8, Math.min(40, Math.round(2 * Math.sqrt(times.length))));
    const counts = new Array(bins).fill(0);
    for (const ns of times) counts[Math.min(bins - 1, Math.floor(((ns - least) / (most - least)) * bins))] += 1;
    const longest = Math.max(...counts);
    counts.forEach((count, bin) => {
      if (!count) return;
      const [from, to] = [least + ((most - least) * bin) / bins, least + ((most - least) * (bin + 1)) / bins];
      const bar = el("rect", { class: "bin", x: LEFT, width: Math.max(1, (count / longest) * part), y: y(to) + 0.5, height: Math.max(1, y(from) - y(to) - 1) });
      parts.push(hinted(bar, `${app.fmt.count(count, "run")} of ${app.fmt.time(from)} to ${app.fmt.time(to)}`));
    });
    parts.push(el("text", { x: LEFT, y: HIGH - 7 }, "how often"), el("text", { x: right, y: HIGH - 7 }, times.length > MOST ? `in order; ${app.fmt.number(MOST)} of ${app.fmt.number(times.length)} are drawn` : "in order"));
    const every = Math.max(1, times.length / MOST);
    for (let at = 0; at < times.length; at += every) {
      const row = Math.floor(at);
      parts.push(hinted(el("circle", { class: "dot", cx: x(row), cy: y(times[row]), r: times.length > 200 ? 2 : 3.5 }), about(row)));
    }
    element.replaceChildren(el("svg", { width: wide, height: HIGH, viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": "Time of each run" }, ...parts));
  }

  function sample(times) {
    let [least, most] = [Infinity, 0];
    for (const ns of times) [least, most] = [Math.min(least, ns), Math.max(most, ns)];
    return [least, most];
  }

  function hinted(made, text) {
    made.addEventListener("mousemove", (event) => app.tip.show(event, app.visible(text)));
    made.addEventListener("mouseleave", app.tip.hide);
    return made;
  }

  return { spread };
})());
