// How much time, how sure, where it goes, and what to do next.
kernelmap.view({
  name: "overview",
  title: "Overview",
  mount(element, data, app) {
    const { el, fmt, isRest } = app;
    const { side, total_ns: total, calls } = app.data;
    const TOP = 8;
    const STEPS = 40;
    const PLACES = 3; // of a cause, before one asks for all

    // Launches that run beside one another take more time than that in which the device is busy.
    const busy = data.busy_ns === total ? "" : ` (${fmt.time(data.busy_ns)} busy)`;
    const worked = `${fmt.time(total)} ${side.toUpperCase()} time${busy}`;

    function head() {
      const bucket = (each) => {
        const share = total ? each.time_ns / total : 0;
        return { ...each, share, color: `var(--${each.bucket})` };
      };
      const ledger = data.ledger.map(bucket);
      const words = ledger.map((each) => `${fmt.share(each.share)} ${each.bucket}`).join(", ");
      return el(
        "section",
        { class: "head" },
        el("p", { class: "sources" }, [app.data.title, ...data.sources.filter((each) => !app.data.title.includes(app.visible(each)))].join(" · ")),
        el("h1", {}, data.savings?.headline ?? worked),
        // The bar has GPU time only: below a headline about the steps it would look like theirs.
        el("p", { class: "over" }, data.savings?.headline ? `${worked}, by how surely its call is known` : "By how surely its call is known"),
        el(
          "div",
          { id: "ledger", role: "img", "aria-label": `Time by confidence: ${words}` },
          ...ledger.map((each) =>
            el("i", {
              title: `${each.bucket}: ${fmt.time(each.time_ns)}, ${fmt.share(each.share)}`,
              style: { flex: `${each.time_ns} 0 0`, background: each.color },
            }),
          ),
        ),
        el(
          "ul",
          { class: "legend" },
          ...ledger.map((each) =>
            el(
              "li",
              { title: MEANING[each.bucket] },
              el("i", { style: { background: each.color } }),
              `${each.bucket} `,
              el("b", {}, fmt.share(each.share)),
              el("small", {}, ` ${fmt.time(each.time_ns)}`),
            ),
          ),
          el("li", { class: "facts" }, data.facts.join(" · ")),
        ),
        data.steps.length ? steps() : null,
      );
    }

    // Where a CPU profile's steps went, on the clock: the ledger knows only what ran in operators.
    function steps() {
      const whole = data.steps.reduce((sum, each) => sum + each.time_ns, 0);
      const colors = { "in compiled code": "--exact", "in other operators": "--outside" };
      const parts = data.steps.map((each) => ({ ...each, share: each.time_ns / whole, color: `var(${colors[each.where] ?? "--nothing"})` }));
      const words = parts.map((each) => `${fmt.share(each.share)} ${each.where}`).join(", ");
      return el(
        "div",
        { class: "steps" },
        el(
          "div",
          { id: "steps", role: "img", "aria-label": `Step time: ${words}` },
          ...parts.map((each) => el("i", { title: `${each.where}: ${fmt.time(each.time_ns)}, ${fmt.share(each.share)}`, style: { flex: `${each.time_ns} 0 0`, background: each.color } })),
        ),
        el(
          "ul",
          { class: "legend" },
          el("li", {}, "step time ", el("b", {}, fmt.time(whole))),
          ...parts.map((each) => el("li", {}, el("i", { style: { background: each.color } }), `${each.where} `, el("b", {}, fmt.share(each.share)), el("small", {}, ` ${fmt.time(each.time_ns)}`))),
        ),
      );
    }

    const MEANING = {
      exact: "the call is recorded, or follows from what is recorded",
      inferred: "one best answer, clearly ahead of the second",
      ambiguous: "several calls stand, all of them named",
      outside: "seen to run under no call of compiled code",
      unknown: "no host side or no code, and nothing fits",
    };

    const WHERE = { outside: "outside", none: "unknown" };
    const slow = (row) => fmt.slow(row.slow_launches, row.launches, row.slow_ns);

    // What is faint of a bar: where steps are known, only what could shorten them.
    const won = (headroom_ns, of_steps_ns) => (data.knows_steps ? { won: of_steps_ns, shortens: true } : { won: headroom_ns });

    const ops = () =>
      data.ops.map((row) => ({
        title: row.name,
        id: !isRest(row.name) && WHERE[row.origin], // beside it: a hint gives way to a long name
        hint: slow(row),
        hash: app.hash("ops", row.address),
        time_ns: row.time_ns,
        share: row.share,
        least: row.exclusive_ns,
        most: row.involved_ns,
        ...won(row.headroom_ns, row.step_headroom_ns),
        rest: row.origin !== "compiled",
      }));

    // A line, a function of eager code (its statements are not known), or a rest row.
    const placeOf = (row) => {
      if (row.line !== null) return `${fmt.place(row.file)}:${row.line}`;
      if (row.code === null) return row.file;
      return `${row.code} (${fmt.place(row.file)}${row.function_line === null ? "" : `:${row.function_line}`})`;
    };

    const lines = () =>
      data.lines.map((row) => ({
        title: placeOf(row),
        hint: [slow(row) && `slow launches ${slow(row)}`, row.line !== null && row.code?.trim()].filter(Boolean).join(" · "),
        code: true,
        about: row.line === null ? null : `${row.file}:${row.line}`,
        hash: app.hash("lines", { line: row.name }),
        time_ns: row.time_ns + row.backward_ns,
        share: row.share,
        ...won(row.headroom_ns, row.step_headroom_ns),
        rest: row.line === null && row.code === null,
      }));

    const topCalls = () =>
      calls.wrapper.slice(0, TOP).map((wrapper, row) => ({
        title: wrapper,
        id: calls.call[row],
        hint: [fmt.slow(calls.slow_launches[row], calls.launches[row], calls.slow_ns[row]), ...(calls.source[row] ?? []).map(fmt.place), (calls.ops[row] ?? []).join(", ")].filter(Boolean).join(" · "),
        hash: app.hash("calls", calls.call[row] === null ? { rest: wrapper } : { call: calls.call[row] }),
        time_ns: calls.time_ns[row],
        share: calls.share[row],
        ...won(calls.headroom_ns[row], data.calls_step_headroom_ns[row]),
        rest: calls.call[row] === null,
      }));

    function finding(each) {
      return el(
        "li",
        { class: each.lost ? "lost" : null },
        el("p", { class: "size" }, each.size),
        el("p", { class: "what" }, each.what),
        el("p", { class: "do" }, each.do),
        el("p", { class: "then" }, each.then),
      );
    }

    function saving(each) {
      const calls = each.calls.flatMap((call) => [" ", el("a", { href: app.hash("calls", { call }) }, call)]);
      const more = each.more_calls ? [" ", el("a", { href: "#calls" }, `and ${fmt.count(each.more_calls, "more call")}`)] : [];
      return el(
        "li",
        {},
        el("p", { class: "size" }, `${each.slug} · ${each.size}`),
        app.bar({ time_ns: each.share }, 1),
        el("p", { class: "what" }, each.what),
        el("p", { class: "do" }, each.do),
        each.calls.length ? el("p", { class: "soft" }, ...calls, ...more) : null,
      );
    }

    function notice(each) {
      return el("li", { class: each.gap ? "lost" : null }, el("p", { class: "what" }, each.message), each.hint && el("p", { class: "do" }, each.hint));
    }

    function next() {
      const { advice, notices } = data;
      const fold = (title, items) =>
        items.length ? el("details", {}, el("summary", {}, title), el("ul", { class: "advice" }, ...items)) : null;
      const { savings } = data;
      const allOfIt = app.visible(app.data.commands?.doctor ?? "kernelmap doctor");
      return app.card(
        "What to do next",
        savings ? savings.about : "A saved result: what to change is told from the code and the trace.",
        savings ? el("h3", {}, savings.title) : null,
        savings && !savings.items.length ? el("p", { class: "soft" }, "Nothing that this profile shows.") : null,
        el("ol", { class: "advice savings" }, ...(savings?.items ?? []).map(saving)),
        savings?.more ? el("p", { class: "soft" }, `${savings.more} more, at most ${savings.more_size}: ${allOfIt}`) : null,
        data.has_reasons ? el("p", { class: "soft" }, el("a", { href: "#roofline" }, "Why calls have headroom")) : null,
        advice ? el("h3", {}, "What the recording lacks") : null,
        advice ? el("p", { class: "soft" }, advice.verdict) : null,
        el("ul", { class: "advice" }, ...(advice?.findings ?? []).map(finding)),
        advice && !advice.findings.length && el("p", { class: "soft" }, "No input is missing that would make the answer better."),
        advice?.more ? el("p", { class: "soft" }, `${advice.more} more: ${allOfIt}`) : null,
        fold(fmt.count(advice?.notes.length ?? 0, "note"), (advice?.notes ?? []).map(finding)),
        fold(`What the inputs lacked: ${fmt.count(notices.length, "notice")}`, notices.map(notice)),
      );
    }

    // A bar per step, as long as the step took on the clock; below it the largest causes.
    const PARTS = {
      computing: "var(--exact)", communication: "#8a7be0", copy: "#3aa8b8", synchronization: "#d9657a", guards: "#c760a0", "graph-break": "#b269c9",
      launching: "#e8913a", compiling: "#c7774b", "loading-data": "#b59a2b", waiting: "var(--rest)", unknown: "var(--nothing)",
    };

    function wall() {
      const { kinds, steps, items, profiler, total_ns: all } = data.wall;
      const hasTimeline = !app.data.without.timeline;
      const sum = (times) => times.reduce((a, b) => a + b, 0);
      const longest = Math.max(...steps.map((step) => sum(step.times)));
      const bar = (step) => {
        const step_ns = sum(step.times);
        const words = kinds.map((each, at) => `${each.name} ${fmt.time(step.times[at])}`).filter((_, at) => step.times[at]).join(", ");
        return el(
          "li",
          {},
          hasTimeline ? el("a", { href: app.hash("timeline", step.step === null ? {} : { step: step.step }) }, step.name) : el("span", {}, step.name),
          el(
            "div",
            { class: "step", role: "img", "aria-label": words },
            ...kinds.map((each, at) => step.times[at] ? el("i", { title: `${each.name}: ${fmt.time(step.times[at])}, ${fmt.share(step.times[at] / step_ns)}`, style: { width: `${(100 * step.times[at]) / longest}%`, background: PARTS[each.kind] } }) : null),
          ),
          el("span", { class: "number" }, fmt.time(step_ns)),
        );
      };
      // The longest piece of a cause in the timeline, marked, with some of what stands around it.
      const nameOf = (item) => kinds.find((each) => each.kind === item.kind).name;
      const longest_ = (item) => {
        const [from, to] = [item.start_ns, item.start_ns + item.longest_ns];
        return app.hash("timeline", { from: from - item.longest_ns, to: to + item.longest_ns, mark: `${from}-${to}`, cause: [item.device, nameOf(item)].filter(Boolean).join(", ") });
      };
      const told = (item) => [item.what, item.source && fmt.place(item.source)].filter(Boolean).join(" · ") || null;
      const cause = (item) => ({
        title: nameOf(item),
        hint: told(item),
        about: [item.what, item.source, `${fmt.count(item.stretches, "piece")}, the longest ${fmt.time(item.longest_ns)}`].filter(Boolean).join(", "),
        hash: hasTimeline ? longest_(item) : item.source ? app.hash("lines", { line: item.source }) : null,
        time_ns: item.time_ns,
        share: item.time_ns / all,
        color: PARTS[item.kind],
      });
      // A cause with several places has its total first, then its places, the longest first.
      const grouped = (most) => [...kinds].sort((one, other) => other.time_ns - one.time_ns).flatMap((each) => {
        const own = items.filter((item) => item.kind === each.kind);
        if (own.length === 1) return [cause(own[0])];
        const longest = own.reduce((one, other) => (other.longest_ns > one.longest_ns ? other : one));
        const whole = { title: each.name, hint: fmt.count(own.length, "place"), hash: cause(longest).hash, time_ns: each.time_ns, share: each.time_ns / all, color: PARTS[each.kind] };
        return [whole, ...own.slice(0, most).map((item) => ({ ...cause(item), title: told(item) ?? "(no event)", hint: null, inner: true }))];
      });
      const [few, every] = [grouped(PLACES), grouped(items.length)];
      const list = el("div", {}, app.bars(few));
      if (every.length > few.length) list.append(app.more(every.length - few.length, () => list.replaceChildren(app.bars(every))));
      const card = app.card(
        "Wall time",
        "what the GPU does in each step, and why it is idle",
        el("ul", { class: "legend" }, ...kinds.map((each) => el("li", {}, el("i", { style: { background: PARTS[each.kind] } }), `${each.name} `, el("b", {}, fmt.share(each.time_ns / all))))),
        el("ol", { id: "wall" }, ...app.opening(steps, STEPS, bar)),
        profiler ? el("p", { class: "note" }, profiler) : null,
        list,
      );
      card.classList.add("wide");
      return card;
    }

    // What a serving engine did in its steps, by kind and batch: a row each, the longest first.
    function stepKinds() {
      const { engines, rows, steady } = data.step_kinds;
      const hasTimeline = !app.data.without.timeline;
      const longest = (row) => (hasTimeline && row.longest ? el("a", { href: app.hash("timeline", { step: row.run_first }) }, row.longest) : row.longest);
      const columns = [
        ["step kind", null, (row) => [row.kind, row.is_steady && " ", row.is_steady && el("small", {}, "steady state")]],
        ["requests", "in each of these steps", (row) => fmt.number(row.batch)],
        ["steps", null, (row) => row.steps ? fmt.number(row.steps) : ""],
        ["tokens", "that all of them computed", (row) => fmt.number(row.tokens)],
        ["time", null, (row) => fmt.time(row.time_ns)],
        ["share", null, (row) => fmt.share(row.share)],
        ["mean", "time of one step", (row) => fmt.time(row.mean_ns)],
        ["busy", "part of these steps, on the clock, in which the device did anything", (row) => row.busy],
        ["MFU", "operations of products, convolutions and attention, against the peak of their dtype", (row) => row.mfu],
        ["longest run", "steps one after the other of this kind and batch", longest],
      ].filter(([, , cell]) => rows.some((row) => cell(row)));
      const line = (row) => el("tr", { class: row.is_rest ? "rest" : null }, ...columns.map(([, , cell], at) => el("td", { class: at ? "number" : null }, cell(row))));
      const body = el("tbody", {}, ...rows.slice(0, TOP).map(line));
      const open = app.more(rows.length - TOP, () => (body.replaceChildren(...rows.map(line)), open.remove()));
      const head = columns.map(([label, help], at) => el("th", { scope: "col", class: at ? "number" : null, title: help }, label));
      const card = app.card(
        "Engine steps",
        [...engines, "work counts in the step in which the host launched it"].join(" · "),
        el("div", { class: "kinds", tabindex: "0" }, el("table", { "aria-label": "engine steps" }, el("thead", {}, el("tr", {}, ...head)), body)),
        rows.length > TOP ? open : null,
        steady && el("p", { class: "left" }, `Steady state: ${steady}`),
      );
      card.classList.add("wide");
      return card;
    }

    // Lines take the width where their code is known, else calls do.
    function tops() {
      const told = data.lines.some((row) => row.code);
      const nothing = "Nothing ran in this window.";
      const drawn = lines();
      const end = data.knows_steps ? "headroom that could shorten the steps" : "headroom";
      const faint = drawn.some((row) => row.won) ? `; the faint end of a bar is ${end}` : "";
      const cards = [
        app.card("Source lines", `backward included${faint}`, list(drawn, nothing), rest(data.more.lines, "line", "lines")),
        app.card("Original ops", "the line over a bar: at least, at most", list(ops(), nothing), rest(data.more.ops, "op", "ops")),
      ];
      // Without calls there is nothing to say of them that the other two do not.
      if (calls.call.some((id) => id !== null)) cards.push(app.card("Calls", "statements of the generated code", list(topCalls(), nothing), rest(calls.call.length - TOP, "call", "calls")));
      cards[0].classList.add("lines");
      const [lines_, ops_, calls_] = cards;
      for (const card of told ? [lines_, calls_ ? null : ops_] : [calls_]) card?.classList.add("wide");
      return el("div", { class: "tops" }, data.step_kinds ? stepKinds() : null, ...cards, data.wall ? wall() : null);
    }

    // What a list leaves out, and the way to all of it.
    const rest = (more, noun, view) => (more > 0 ? el("p", { class: "left" }, el("a", { href: `#${view}` }, `and ${fmt.count(more, `more ${noun}`)}`)) : null);

    const list = (rows, nothing) => (rows.length ? app.bars(rows) : el("p", { class: "soft" }, nothing));
    element.append(
      head(),
      el(
        "div",
        { class: "columns" },
        tops(),
        next(),
      ),
      el("footer", {}, `kernelmap ${data.version} · every nanosecond of ${side.toUpperCase()} time is in exactly one part of the ${data.steps.length ? "first bar" : "bar above"}`),
    );
  },
});
