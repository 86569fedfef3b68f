// Launches per stream on a canvas: zoom with the wheel or w and s, move by dragging or with a and d.
kernelmap.view({
  name: "timeline",
  title: "Timeline",
  key: "launch",
  keys: [
    { key: "w", help: "closer", run: () => kernelmap.views.timeline.zoom(0.6) },
    { key: "s", help: "further away", run: () => kernelmap.views.timeline.zoom(1 / 0.6) },
    { key: "a", help: "earlier", run: () => kernelmap.views.timeline.move(-0.2) },
    { key: "d", help: "later", run: () => kernelmap.views.timeline.move(0.2) },
    { key: "f", help: "everything, or the chosen launch", run: () => kernelmap.views.timeline.fit() },
    { key: "n", help: "next launch of the same call", run: () => kernelmap.views.timeline.again(1) },
    { key: "p", help: "the one before", run: () => kernelmap.views.timeline.again(-1) },
  ],
  async mount(element, data, app) {
    const { el, fmt } = app;
    const { unpackedLane, inSight, drawLane, barAt } = app.lanes;
    const [RULER, STEPS, MAP, CURVE] = [22, 18, 26, 44];
    const named = [...data.lanes, ...data.counters].map((each) => each.title.length);
    const GUTTER = Math.min(230, Math.max(132, 20 + 6.3 * Math.max(...named, 0)));
    const LETTERS = Math.floor((GUTTER - 18) / 6.3);
    const SHORTEST = 50; // ns in sight
    const LONGEST = 12; // kinds that are listed before one asks for all

    const lanes = await Promise.all(data.lanes.map((lane) => unpackedLane(lane, data.keys.usual)));
    const curves = await Promise.all(data.counters.map(app.counters.unpackedCounter));
    const LANE = lanes.length <= 2 ? 58 : lanes.length <= 6 ? 42 : 30;
    const BAR = LANE - 8;
    const first = Math.min(...lanes.filter((lane) => lane.start.length).map((lane) => lane.start[0]), Infinity);
    const end = Math.max(...lanes.map((lane) => lane.start.reduce((most, start, row) => Math.max(most, start + lane.dur[row]), 0)));
    if (!Number.isFinite(first)) {
      element.append(el("p", { class: "note" }, "Nothing ran in this window."));
      kernelmap.views.timeline = { open() {}, zoom() {}, move() {}, fit() {}, again() {} };
      return;
    }
    const edge = Math.max(1, (end - first) * 0.01);
    const whole = { from: first - edge, to: end + edge };
    const state = { ...whole, by: "op", chosen: null, hover: null, top: 0, colors: [], drag: null, frame: 0, told: 0, only: null, place: null, mark: null, pointed: null };

    const kinds = app.kinds(data.keys);
    const labels = Array.from({ length: kinds.count }, (_, key) => app.visible(kinds.title(key)));
    const paint = () => {
      state.colors = labels.map((_, key) => kinds.colors[state.by](key));
    };

    // ---- the page
    const sampled = curves.map((curve) => curve.title).join(", ");
    const canvas = el("canvas", { tabindex: "0", "aria-label": `Launches per stream${sampled && `; sampled: ${sampled}`}` });
    const holder = el("div", { class: "holder" }, canvas);
    const range = el("span", { class: "soft range" });
    const chosen = el("span", { class: "only", hidden: true });
    const colors = el(
      "select",
      { "aria-label": "Color by", onchange: (event) => ((state.by = event.target.value), paint(), redraw()) },
      ...Object.keys(kinds.colors).map((each) => el("option", { value: each }, `color by ${each}`)),
    );
    const told = el("section", { class: "card told", hidden: true });
    const sight = el("section", { class: "card sight" });
    const below = el("div", { class: "below" }, told, sight);
    const { thinned } = data;
    element.append(
      el(
        "section",
        { class: "card flush canvas" },
        el(
          "div",
          { class: "tools" },
          colors,
          el("button", { type: "button", onclick: () => zoom(0.5) }, "+"),
          el("button", { type: "button", onclick: () => zoom(2) }, "−"),
          el("button", { type: "button", onclick: () => look(whole.from, whole.to) }, "All"),
          range,
          chosen,
          el("button", { type: "button", class: "perfetto", onclick: perfetto, title: "What is in sight, in ui.perfetto.dev: a page of another site that draws it in this browser" }, "Open in Perfetto"),
          el("span", { class: "soft hint" }, thinned ? `${fmt.number(data.launches)} launches as ${fmt.number(data.bars)} bars: short ones stand together` : "click: what a launch is · wheel: zoom · drag: move · shift and drag: zoom into · ?: keys"),
        ),
        holder,
      ),
      below,
    );
    const undrawn = data.curves - curves.length;
    if (undrawn) below.before(el("p", { class: "soft" }, `${fmt.count(undrawn, "more counter")} of GPUs ${undrawn === 1 ? "is" : "are"} not drawn.`));
    const context = canvas.getContext("2d");
    const wanted = MAP + RULER + (data.steps.length ? STEPS : 0) + lanes.length * LANE + curves.length * CURVE + 10;
    holder.style.height = `min(${wanted}px, 56vh)`;
    const head = MAP + RULER + (data.steps.length ? STEPS : 0);
    const sizes = () => ({ width: Math.max(50, holder.clientWidth - GUTTER - 8), height: holder.clientHeight });
    const timeAt = (x) => state.from + ((x - GUTTER) / sizes().width) * (state.to - state.from);

    // ---- drawing
    const redraw = () => {
      state.frame ||= requestAnimationFrame(draw);
    };

    function draw() {
      state.frame = 0;
      if (element.hidden || !holder.clientWidth) return;
      const { width, height } = sizes();
      const ratio = devicePixelRatio || 1;
      const full = width + GUTTER + 8;
      if (canvas.width !== Math.round(full * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(full * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = `${full}px`;
        canvas.style.height = `${height}px`;
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, full, height);
      context.textBaseline = "middle";
      context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
      const at = { from: state.from, to: state.to, left: GUTTER, width, high: BAR, colors: state.colors, label: (key) => labels[key], ink: app.color("--ink"), only: state.only, faint: app.color("--line") };
      const grid = app.ruler(context, { ...at, top: MAP, high: RULER, bottom: height, zero: 0 });
      lanes.forEach((lane, row) => {
        const top = head + 4 + row * LANE - state.top;
        if (top + LANE < head || top > height) return;
        drawLane(context, lane, { ...at, top });
        marks(lane, row, top, at);
        context.fillStyle = app.color("--card");
        context.fillRect(0, top - 4, GUTTER, LANE);
        context.fillStyle = app.color("--soft");
        const busy = BAR >= 30 && state.busy?.[row];
        context.fillText(lane.title.length > LETTERS ? `…${lane.title.slice(1 - LETTERS)}` : lane.title, 14, top + BAR / 2 - (busy ? 7 : 0));
        if (busy) context.fillText(busy, 14, top + BAR / 2 + 8);
      });
      curves.forEach((curve, row) => {
        const top = head + 4 + lanes.length * LANE + row * CURVE - state.top;
        if (top + CURVE < head || top > height) return;
        app.counters.drawCounter(context, curve, { ...at, top, high: CURVE - 10 });
        app.counters.labelCounter(context, curve, { left: GUTTER, top, high: CURVE - 10, letters: LETTERS, time: state.pointed });
      });
      if (state.mark) app.markBand(context, state.mark, { ...at, top: head, bottom: height });
      context.clearRect(0, 0, full, head);
      app.ruler(context, { ...at, top: MAP, high: RULER, bottom: MAP + RULER, zero: 0 });
      if (data.steps.length) app.stepBand(context, data.steps, { ...at, top: MAP + RULER, high: STEPS - 3 });
      overview(width);
      app.text(range, `${fmt.time(state.to - state.from)} in sight, from ${fmt.time(Math.max(0, state.from))}`);
      canvas.dataset.grid = String(grid);
      clearTimeout(state.told);
      state.told = setTimeout(tellSight, 120);
    }

    function marks(lane, row, top, at) {
      for (const [mark, color] of [[state.hover, app.color("--soft")], [state.chosen, app.color("--ink")]]) {
        if (!mark || mark.lane !== row) continue;
        const scale = at.width / (at.to - at.from);
        const x = at.left + (lane.start[mark.row] - at.from) * scale;
        context.strokeStyle = color;
        context.lineWidth = 2;
        context.strokeRect(x - 1, top - 1, Math.max(3, lane.dur[mark.row] * scale) + 1, BAR + 2);
      }
    }

    // All lanes, small, with what is in sight marked; drawn once per size and color.
    let small = null;
    function overview(width) {
      const key = `${width} ${app.theme()}`;
      if (small?.key !== key) small = { key, busy: app.density(lanes, whole.from, whole.to, width) };
      const scale = width / (whole.to - whole.from);
      context.fillStyle = app.color("--bar");
      small.busy.forEach((busy, x) => busy && context.fillRect(GUTTER + x, MAP - 3 - (MAP - 9) * Math.min(1, busy), 1, (MAP - 9) * Math.min(1, busy)));
      const [left, right] = [(state.from - whole.from) * scale, (state.to - whole.from) * scale];
      context.fillStyle = app.theme() === "dark" ? "rgba(0,0,0,.55)" : "rgba(246,247,248,.75)";
      context.fillRect(GUTTER, 3, Math.max(0, left), MAP - 5);
      context.fillRect(GUTTER + Math.min(width, right), 3, Math.max(0, width - right), MAP - 5);
      context.strokeStyle = app.color("--soft");
      context.lineWidth = 1;
      context.strokeRect(GUTTER + Math.max(0, left) + 0.5, 3.5, Math.max(2, Math.min(width, right) - Math.max(0, left)) - 1, MAP - 6);
      context.fillStyle = app.color("--soft");
      context.fillText("all lanes", 14, MAP / 2);
    }

    // ---- what is said
    // Where a pixel holds several launches, how many there are.
    function crowd(lane, time, slack) {
      const number = app.lanes.countIn(lanes[lane], time - slack, time + slack);
      return number > 1 ? `one of ${fmt.number(number)} launches here: zoom in to tell them apart` : null;
    }

    function tell() {
      told.hidden = !state.chosen;
      below.classList.toggle("two", !told.hidden);
      if (!state.chosen) return;
      const [lane, row] = [lanes[state.chosen.lane], state.chosen.row];
      const links = el("p", { class: "links" }, ...kinds.links(lane, row));
      told.replaceChildren(el("header", {}, el("h2", {}, kinds.title(lane.key[row]))), kinds.facts(lane, row), links);
    }

    function tellSight() {
      const seen = inSight(lanes, state.from, state.to, kinds.count, state.only);
      const busy = seen.busy.map((own) => `${fmt.share(own / (state.to - state.from))} ${state.only ? "of it" : "busy"}`);
      if (String(busy) !== String(state.busy)) {
        state.busy = busy;
        redraw();
      }
      const streams = lanes.length > 1 ? ` on ${fmt.count(lanes.length, "stream")}` : "";
      sight.replaceChildren(
        el("header", {}, el("h2", {}, "In sight"), el("p", {}, `${fmt.time(seen.total)}${streams}`)),
        longest(kinds.longest(seen, (key) => state.colors[key])),
      );
    }

    // The kinds in sight with the most time, and all of them where that is wanted.
    function longest(rows) {
      if (!rows.length) return el("p", { class: "soft" }, state.only ? "None of these launches is in sight." : "No launch is in sight.");
      if (rows.length <= LONGEST || state.open) return app.bars(rows);
      return el("div", {}, app.bars(rows.slice(0, LONGEST)), app.more(rows.length - LONGEST, () => ((state.open = true), tellSight())));
    }

    function perfetto() {
      const events = app.lanes.events(lanes, state.from, state.to, kinds, data.steps);
      const told = events === null ? "Too many launches are in sight for that: zoom in." : app.perfetto(document.title, events) ? null : "The browser opened no window.";
      if (told) app.text(range, told);
    }

    // ---- moving
    function look(from, to, push = true) {
      const span = Math.min(Math.max(to - from, SHORTEST), whole.to - whole.from);
      const start = Math.min(Math.max(from, whole.from), whole.to - span);
      Object.assign(state, { from: start, to: start + span });
      if (push) address();
      redraw();
    }
    let pending = 0;
    function address() {
      clearTimeout(pending);
      pending = setTimeout(() => {
        if (element.hidden) return;
        const all = state.from <= whole.from && state.to >= whole.to;
        const sightOf = all ? {} : { from: Math.round(state.from), to: Math.round(state.to) };
        const chosen = state.chosen ? { launch: lanes[state.chosen.lane].launch[state.chosen.row] } : {};
        history.replaceState(null, "", app.hash("timeline", { ...state.place, ...chosen, ...sightOf, ...(state.mark?.address ?? {}) }));
      }, 250);
    }
    function zoom(factor, around = (state.from + state.to) / 2) {
      look(around - (around - state.from) * factor, around + (state.to - around) * factor);
    }
    const move = (part) => look(state.from + part * (state.to - state.from), state.to + part * (state.to - state.from));

    function pick(lane, row) {
      state.chosen = row < 0 ? null : { lane, row };
      tell();
      address();
      redraw();
    }
    function focus(lane, row) {
      const { start, dur } = lanes[lane];
      const around = Math.max(dur[row] * 12, SHORTEST);
      look(start[row] + dur[row] / 2 - around, start[row] + dur[row] / 2 + around);
    }
    function again(by) {
      if (!state.chosen) return;
      const lane = lanes[state.chosen.lane];
      const same = kinds.group(lane.key[state.chosen.row]);
      for (let row = state.chosen.row + by; row >= 0 && row < lane.start.length; row += by) {
        if (kinds.group(lane.key[row]) !== same) continue;
        const half = (state.to - state.from) / 2;
        pick(state.chosen.lane, row);
        if (lane.start[row] < state.from || lane.start[row] > state.to) look(lane.start[row] - half, lane.start[row] + half);
        return;
      }
    }

    // Only the launches of a place are in color, those of a line for one; null: all are.
    async function choose(place) {
      const found = place && (await app.ran(place));
      state.place = place;
      state.only = found && Uint8Array.from(labels, () => 0);
      for (const key of found?.kinds ?? []) state.only[key] = 1;
      chosen.hidden = !place;
      if (!place) return;
      const { line, op, call, id, kernel, rest } = place;
      const name = app.named(fmt.place(line ?? op ?? call ?? id ?? kernel ?? rest), line);
      chosen.replaceChildren("only ", name, el("a", { href: "#timeline", role: "button", "aria-label": "Show all launches", title: "Show all launches" }, "×"));
    }

    // The stretch that an address marks, such as the longest time in which the GPU was idle for a cause.
    function marked({ mark, cause = "" }) {
      const [from, to] = (mark ?? "").split("-").map(Number);
      return to > from ? { from, to, label: `${app.visible(cause)} ${fmt.time(to - from)}`.trim(), address: { mark, cause } } : null;
    }

    // From the first to the last launch that is chosen, with some room; null for none.
    function span() {
      let [from, to] = [Infinity, -Infinity];
      for (const lane of lanes) {
        for (let row = 0; row < lane.start.length; row++) {
          if (!state.only[lane.key[row]]) continue;
          from = Math.min(from, lane.start[row]);
          to = Math.max(to, lane.start[row] + lane.dur[row]);
        }
      }
      const room = (to - from) * 0.02;
      return to < from ? null : [from - room, to + room];
    }

    kernelmap.views.timeline = {
      zoom, move, again,
      fit: () => (state.chosen && state.to - state.from > lanes[state.chosen.lane].dur[state.chosen.row] * 25 ? focus(state.chosen.lane, state.chosen.row) : look(whole.from, whole.to)),
      async open(params) {
        const { launch, step } = params;
        let { from, to } = params;
        state.mark = marked(params);
        await choose(launch === undefined && app.isPlace(params) ? app.placeOf(params) : null);
        if (from === undefined && state.only) [from, to] = span() ?? [];
        const own = data.steps.find(([number]) => String(number) === step);
        if (own) [, from, to] = own;
        if (launch !== undefined) {
          lanes.forEach((lane, at) => {
            const row = lane.launch.indexOf(Number(launch));
            if (row >= 0) {
              state.chosen = { lane: at, row };
              if (from === undefined) focus(at, row);
            }
          });
        }
        if (Number.isFinite(Number(from)) && Number(to) > Number(from)) look(Number(from), Number(to), false);
        tell();
        redraw();
      },
    };
    app.timelinePointer({ canvas, holder, state, whole, sizes, timeAt, look, zoom, pick, focus, redraw, crowd, kinds, barAt, lanes, below: curves.length * CURVE, GUTTER, MAP, LANE, BAR, head });
    document.addEventListener("themechange", () => (paint(), redraw()));
    new ResizeObserver(redraw).observe(holder);
    paint();
  },
  open: (params) => kernelmap.views.timeline.open(params),
});
