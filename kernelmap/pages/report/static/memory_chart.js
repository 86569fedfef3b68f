// Bytes over statements as a stacked area, and over the graphs of a step; drawn on a canvas, since a
// graph has thousands of statements.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const [TOP, BOTTOM, RIGHT] = [20, 22, 10];
  const LETTERS = 70; // pixels that a run needs for its name to be read

  // The canvas as wide as its holder, ready to be drawn on: {context, left, width, high, y(bytes)}.
  function prepared(canvas, holder, most) {
    const [full, tall] = [holder.clientWidth, holder.clientHeight];
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(full * ratio);
    canvas.height = Math.round(tall * ratio);
    canvas.style.width = `${full}px`;
    canvas.style.height = `${tall}px`;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, full, tall);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    const high = tall - TOP - BOTTOM;
    const ticks = roundTicks(most, Math.max(2, Math.floor(high / 44)));
    const left = Math.ceil(Math.max(...ticks.map((each) => context.measureText(app.fmt.amount(each)).width))) + 18;
    const y = (bytes) => TOP + high - (bytes / (most || 1)) * high;
    context.textAlign = "right";
    for (const each of ticks) {
      const at = Math.round(y(each)) + 0.5;
      context.fillStyle = app.color("--soft");
      context.fillText(app.fmt.amount(each), left - 6, at);
      context.strokeStyle = app.color("--line");
      context.beginPath();
      context.moveTo(left, at);
      context.lineTo(full - RIGHT, at);
      context.stroke();
    }
    context.textAlign = "left";
    return { context, left, width: Math.max(10, full - left - RIGHT), high, y };
  }

  // Round numbers of bytes from 0 up to the most.
  function roundTicks(most, count) {
    const rough = Math.max(most, 1) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
  }

  // Which of `count` things are drawn, with their left and right ends as parts of the width: all of them,
  // or where there are more than pixels the highest of each pixel.
  function columnsOf(count, width, height) {
    if (count <= width) return Array.from({ length: count }, (_, at) => ({ at, from: at / count, to: (at + 1) / count }));
    const pixels = Math.floor(width);
    return Array.from({ length: pixels }, (_, pixel) => ({
      at: highest(Math.floor((pixel * count) / pixels), Math.floor(((pixel + 1) * count) / pixels), height),
      from: pixel / pixels, to: (pixel + 1) / pixels,
    }));
  }

  function highest(from, until, height) {
    let best = from;
    for (let at = from + 1; at < until; at++) if (height(at) > height(best)) best = at;
    return best;
  }

  // A line from top to bottom with its words at its head, on the side where they have room.
  function marker({ context, left, width, high }, x, words, color, dashed = false) {
    context.save();
    context.strokeStyle = context.fillStyle = color;
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    context.moveTo(x, TOP - 4);
    context.lineTo(x, TOP + high);
    context.stroke();
    const wide = context.measureText(words).width;
    context.fillText(words, Math.max(left, Math.min(x - wide / 2, left + width - wide)), TOP - 11);
    context.restore();
  }

  // The area of a graph. `choose(at)`, `about(at)` -> elements of the tip.
  function areaChart(label, { choose, about }) {
    const canvas = app.el("canvas", { role: "img", "aria-label": label });
    const holder = app.el("div", { class: "area" }, canvas);
    const state = { memory: null, stack: null, chosen: 0, hover: null, lived: null, frame: 0, placed: null };
    const redraw = () => (state.frame ||= requestAnimationFrame(draw));

    function draw() {
      state.frame = 0;
      if (!state.memory || !holder.clientWidth) return;
      const { memory, stack, lived } = state;
      const frame = (state.placed = prepared(canvas, holder, memory.peak));
      const { context, left, width, high, y } = frame;
      const columns = columnsOf(memory.count, width, (at) => stack.total[at]);
      const x = (part) => left + part * width;
      // Each band between the sums below it and its own.
      const below = new Float64Array(columns.length);
      for (const { after, color } of stack.bands) {
        context.fillStyle = color();
        context.beginPath();
        columns.forEach(({ at, from, to }, row) => {
          const level = y(below[row] + after[at]);
          if (!row) context.moveTo(x(from), level);
          context.lineTo(x(from), level);
          context.lineTo(x(to), level);
        });
        for (let row = columns.length - 1; row >= 0; row--) {
          const { at, from, to } = columns[row];
          context.lineTo(x(to), y(below[row]));
          context.lineTo(x(from), y(below[row]));
          below[row] += after[at];
        }
        context.fill();
      }
      const middle = (at) => Math.round(x((at + 0.5) / memory.count)) + 0.5;
      if (lived) {
        // From its birth to its end, along the axis.
        const [from, to] = [x(lived.born / memory.count), x((lived.freed ?? memory.count) / memory.count)];
        context.fillStyle = app.color("--accent");
        context.fillRect(from, TOP + high + 2, Math.max(2, to - from), 4);
      }
      context.fillStyle = app.color("--soft");
      context.fillText("0", left, TOP + high + 14);
      context.textAlign = "right";
      context.fillText(`${app.fmt.number(memory.count - 1)} statements`, left + width, TOP + high + 14);
      context.textAlign = "left";
      if (state.hover !== null) marker(frame, middle(state.hover), "", app.color("--soft"));
      const peak = `peak ${app.fmt.amount(memory.peak)}`;
      if (state.chosen !== memory.at) marker(frame, middle(memory.at), near(middle(memory.at), middle(state.chosen)) ? "" : peak, app.color("--ink"), true);
      marker(frame, middle(state.chosen), state.chosen === memory.at ? peak : app.fmt.amount(stack.total[state.chosen]), app.color("--accent"));
    }
    const near = (a, b) => Math.abs(a - b) < 90;

    // The statement at a pixel: of several the one with most bytes.
    function statementAt(event) {
      const { left, width } = state.placed;
      const x = event.clientX - canvas.getBoundingClientRect().left - left;
      if (x < 0 || x > width) return null;
      const { count } = state.memory;
      const from = Math.min(count - 1, Math.floor((Math.floor(x) / width) * count));
      return highest(from, Math.min(count, Math.floor(((Math.floor(x) + 1) / width) * count)), (at) => state.stack.total[at]);
    }

    canvas.addEventListener("pointermove", (event) => {
      const at = state.placed && statementAt(event);
      if (at !== state.hover) redraw();
      state.hover = at;
      if (at === null) app.tip.hide();
      else app.tip.show(event, ...about(at));
    });
    canvas.addEventListener("pointerleave", () => {
      state.hover = null;
      app.tip.hide();
      redraw();
    });
    canvas.addEventListener("click", (event) => {
      const at = state.placed && statementAt(event);
      if (at !== null) choose(at);
    });
    new ResizeObserver(redraw).observe(holder);
    document.addEventListener("themechange", redraw);
    return {
      element: holder,
      // A graph, the statement that is chosen, and a buffer whose life is marked.
      show(shown) {
        Object.assign(state, { lived: null }, shown);
        redraw();
      },
    };
  }

  // A name as far as there is room for it.
  function cutTo(context, name, room) {
    if (context.measureText(name).width <= room) return name;
    let count = name.length;
    while (count && context.measureText(`${name.slice(0, count)}…`).width > room) count -= 1;
    return `${name.slice(0, count)}…`;
  }

  // The runs of a step: of each a bar as high as its peak, and below its upper edge the level from before
  // it to after it.
  function stepsChart({ graph, before, peak, after }, { choose, about, title }) {
    const canvas = app.el("canvas", { role: "img", "aria-label": `Bytes over ${app.fmt.count(graph.length, "run")} of graphs` });
    const holder = app.el("div", { class: "runs" }, canvas);
    const state = { graph: null, frame: 0, placed: null };
    const most = peak.reduce((most, each) => Math.max(most, each), 1);
    const redraw = () => (state.frame ||= requestAnimationFrame(draw));

    function draw() {
      state.frame = 0;
      if (!holder.clientWidth) return;
      const frame = (state.placed = prepared(canvas, holder, most));
      const { context, left, width, high, y } = frame;
      const named = graph.length * LETTERS <= width;
      for (const { at, from, to } of columnsOf(graph.length, width, (run) => peak[run])) {
        const [x, wide] = [left + from * width, Math.max(1, (to - from) * width - (graph.length < width / 4 ? 1 : 0))];
        context.fillStyle = app.color(graph[at] === state.graph ? "--accent" : "--bar");
        context.globalAlpha = 0.35;
        context.fillRect(x, y(peak[at]), wide, y(0) - y(peak[at]));
        context.globalAlpha = 1;
        context.beginPath();
        context.moveTo(x, y(0));
        context.lineTo(x, y(before[at]));
        context.lineTo(x + wide, y(after[at]));
        context.lineTo(x + wide, y(0));
        context.fill();
        context.fillStyle = app.color("--soft");
        if (named) context.fillText(cutTo(context, title(graph[at]), wide), x, TOP + high + 12);
      }
      const largest = highest(0, graph.length, (run) => peak[run]);
      marker(frame, Math.round(left + ((largest + 0.5) / graph.length) * width) + 0.5, `peak ${app.fmt.amount(peak[largest])}`, app.color("--ink"), true);
    }

    function runAt(event) {
      const { left, width } = state.placed;
      const part = (event.clientX - canvas.getBoundingClientRect().left - left) / width;
      return part < 0 || part >= 1 ? null : Math.floor(part * graph.length);
    }
    canvas.addEventListener("pointermove", (event) => {
      const run = state.placed && runAt(event);
      if (run === null) app.tip.hide();
      else app.tip.show(event, ...about(run));
    });
    canvas.addEventListener("pointerleave", () => app.tip.hide());
    canvas.addEventListener("click", (event) => {
      const run = state.placed && runAt(event);
      if (run !== null) choose(run);
    });
    new ResizeObserver(redraw).observe(holder);
    document.addEventListener("themechange", redraw);
    return {
      element: holder,
      show(number) {
        state.graph = number;
        redraw();
      },
    };
  }

  return { areaChart, stepsChart };
})());
