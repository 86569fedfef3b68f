// What stands around the lanes of a timeline: the ruler, the band of steps, the small picture of all,
// and what the pointer does.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;

  // Ticks at round times; gives the time between two.
  function ruler(context, { from, to, left, width, top, high, bottom, zero }) {
    const rough = ((to - from) / width) * Math.min(110, width / 3);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].find((each) => each * power >= rough) * power);
    context.strokeStyle = app.color("--line");
    context.fillStyle = app.color("--soft");
    context.lineWidth = 1;
    for (let time = Math.ceil((from - zero) / step) * step; time <= to - zero; time += step) {
      const x = Math.round(left + ((time + zero - from) / (to - from)) * width) + 0.5;
      context.beginPath();
      context.moveTo(x, top + high - 5);
      context.lineTo(x, bottom);
      context.stroke();
      const text = tick(time, step);
      const whole = x + 4 + context.measureText(text).width <= left + width + 8; // not over the edge
      if (time >= 0 && whole) context.fillText(text, x + 4, top + high / 2);
    }
    return step;
  }

  // A time on the ruler, with as many digits as neighbors need to differ.
  function tick(time, step) {
    const [scale, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([each]) => Math.abs(time) >= each) ?? [1, "ns"];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
    const [whole, part] = (time / scale).toFixed(digits).split(".");
    return `${Number(whole).toLocaleString("en-US")}${part ? `.${part}` : ""} ${unit}`;
  }

  function stepBand(context, steps, { from, to, left, width, top, high }) {
    const scale = width / (to - from);
    steps.forEach(([number, start, end], at) => {
      const x = Math.max(0, (start - from) * scale);
      const stop = Math.min(width, (end - from) * scale);
      if (stop <= 0 || x >= width || stop - x < 0.5) return;
      context.fillStyle = app.color(at % 2 ? "--line" : "--fill");
      context.fillRect(left + x, top, Math.max(1, stop - x - 1), high);
      context.fillStyle = app.color("--soft");
      const text = stop - x > 48 ? `step ${number}` : String(number);
      if (stop - x > text.length * 6.3 + 6) context.fillText(text, left + x + 4, top + high / 2 + 0.5);
    });
    context.fillStyle = app.color("--soft");
    context.fillText("steps", 14, top + high / 2);
  }

  // A tinted stretch over all lanes, with its name over its middle.
  function markBand(context, mark, { from, to, left, width, top, bottom }) {
    const scale = width / (to - from);
    const [x, stop] = [mark.from, mark.to].map((time) => Math.max(0, Math.min(width, (time - from) * scale)));
    if (stop <= x) return;
    context.fillStyle = app.color("--ambiguous");
    context.globalAlpha = 0.22;
    context.fillRect(left + x, top, Math.max(2, stop - x), bottom - top);
    context.globalAlpha = 1;
    for (const edge of [x, stop]) context.fillRect(left + edge - 0.5, top, 1, bottom - top);
    const wide = context.measureText(mark.label).width;
    const begin = Math.max(0, Math.min((x + stop - wide) / 2, width - wide));
    context.fillStyle = app.color("--ink");
    context.fillText(mark.label, left + begin, (top + bottom) / 2);
  }

  // The busy part of each pixel, over all lanes together.
  function density(lanes, from, to, width) {
    const busy = new Float64Array(width);
    const scale = width / (to - from);
    for (const lane of lanes) {
      for (let row = 0; row < lane.start.length; row++) {
        let x = (lane.start[row] - from) * scale;
        let rest = lane.dur[row] * scale;
        const thin = rest ? lane.busy[row] / lane.dur[row] : 0;
        while (rest > 0 && x < width) {
          const part = Math.min(rest, Math.floor(x) + 1 - x);
          busy[Math.floor(x)] += part * thin;
          x = Math.floor(x) + 1;
          rest -= part;
        }
      }
    }
    return busy.map((each) => each / lanes.length);
  }

  function timelinePointer(line) {
    const { canvas, holder, state, whole, sizes, timeAt, look, zoom, pick, focus, redraw, crowd, kinds, barAt, lanes, below, GUTTER, MAP, LANE, BAR, head } = line;

    function at(event) {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const lane = Math.floor((y + state.top - head) / LANE);
      const slack = (2 * (state.to - state.from)) / sizes().width;
      const inside = y >= head && lane < lanes.length && x >= GUTTER;
      const row = inside && (y + state.top - head) % LANE <= BAR + 6 ? barAt(lanes[lane], timeAt(x), slack) : -1;
      return { x, y, lane, row };
    }

    const inMap = (y) => y < MAP;
    function toMap(x) {
      const half = (state.to - state.from) / 2;
      const time = whole.from + ((x - GUTTER) / sizes().width) * (whole.to - whole.from);
      look(time - half, time + half);
    }

    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        const by = (sideways / sizes().width) * (state.to - state.from);
        look(state.from + by, state.to + by);
      } else zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), timeAt(at(event).x));
    }, { passive: false });

    canvas.addEventListener("pointerdown", (event) => {
      const { x, y } = at(event);
      canvas.setPointerCapture(event.pointerId);
      state.drag = { x, y, from: state.from, to: state.to, top: state.top, map: inMap(y), zoom: event.shiftKey, moved: false };
      if (state.drag.map) toMap(x);
    });

    canvas.addEventListener("pointermove", (event) => {
      const { x, y, lane, row } = at(event);
      const { drag } = state;
      state.pointed = x < GUTTER ? null : timeAt(x); // curves tell the sample there
      if (drag) {
        drag.moved ||= Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3;
        if (drag.map) toMap(x);
        else if (drag.moved && !drag.zoom) {
          const by = ((drag.x - x) / sizes().width) * (drag.to - drag.from);
          const most = Math.max(0, head + lanes.length * LANE + below + 10 - sizes().height);
          state.top = Math.max(0, Math.min(most, drag.top + drag.y - y));
          look(drag.from + by, drag.to + by);
        }
        app.tip.hide();
        return;
      }
      state.hover = row < 0 ? null : { lane, row };
      canvas.style.cursor = row < 0 ? "grab" : "pointer";
      redraw();
      if (row < 0) app.tip.hide();
      else {
        const key = lanes[lane].key[row];
        const where = kinds.where(key) === null ? [] : [app.el("small", {}, kinds.where(key))];
        const pixel = (state.to - state.from) / sizes().width;
        const thin = lanes[lane].dur[row] < pixel ? crowd(lane, timeAt(x), pixel) : null;
        const more = thin ? [app.el("p", { class: "soft" }, thin)] : [];
        app.tip.show(event, app.el("b", {}, kinds.title(key)), ...where, kinds.facts(lanes[lane], row), ...more);
      }
    });

    canvas.addEventListener("pointerup", (event) => {
      const { x, lane, row } = at(event);
      const { drag } = state;
      state.drag = null;
      if (!drag || drag.map) return;
      if (drag.zoom && drag.moved) look(timeAt(Math.min(x, drag.x)), timeAt(Math.max(x, drag.x)));
      else if (!drag.moved) pick(lane, row);
    });

    canvas.addEventListener("dblclick", (event) => {
      const { lane, row } = at(event);
      if (row >= 0) focus(lane, row);
    });
    canvas.addEventListener("pointerleave", () => {
      state.hover = state.pointed = null;
      app.tip.hide();
      redraw();
    });
  }

  return { ruler, stepBand, markBand, density, timelinePointer };
})());
