// A table of any length: sorted by its headings, filtered by words, and only the rows in sight are
// in the page. What is missing stands last, whichever way the rest is sorted.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const HIGH = 27; // of a row, as in core.css
  const SPARE = 12;
  const LEAST = 150; // pixels of a column that says no width: narrower, and the table scrolls
  const isNarrow = () => innerWidth <= 700; // a phone, as in core.css
  const STEP = 6; // pixels: names are cut anew where a column has become so much wider or narrower
  const PADDING = [26, 20]; // pixels beside the text of a first and of another cell, as in core.css
  const NUMERIC = new Set(["time", "share", "number", "bar"]);

  const written = {
    time: (value) => (value ? app.fmt.time(value) : ""),
    share: app.fmt.share,
    bar: app.fmt.time,
    number: app.fmt.number,
    list: (value) => (value ?? []).join(", "),
    name: (value) => value ?? "",
    code: (value) => value ?? "",
    text: (value) => value ?? "",
  };

  // columns: [{label, kind, width, grow, stays, help, value(row), cell(row)}]: `value` is what is sorted, found
  // and, without `cell` (which gives a node), written; columns without a width share what is left, a
  // column of names cuts them as names.js does, `after(row)` stands behind a name, `whole(row)` is its
  // tooltip, and a name that `spans(row)` has the room of the next column as well. choose(row) is
  // called when a row is clicked, `more` is text that is found too, rows of `isRest` stand back.
  // On a phone figures stand before texts, behind the first column and those that `stay`.
  const arranged = (columns) => {
    const isLate = (each, at) => isNarrow() && at > 0 && !each.stays && !NUMERIC.has(each.kind);
    return [...columns.filter((each, at) => !isLate(each, at)), ...columns.filter(isLate)];
  };

  function table({ columns: given, rows, sort: sorted = null, choose = null, isRest = () => false, more = () => "", label }) {
    const columns = arranged(given);
    const state = { sort: sorted === null ? null : columns.indexOf(given[sorted]), down: true, words: [], shown: rows, chosen: null, texts: null };
    const count = app.el("span", { class: "count", role: "status" });
    const filter = app.el("input", {
      type: "search", class: "filter", placeholder: "Filter", "aria-label": `Filter the ${label}`,
      autocomplete: "off", spellcheck: "false",
    });
    const cols = columns.map((each) => app.el("col", { style: each.width ? { width: `${each.width}px` } : {} }));
    const head = app.el("tr", {});
    const body = app.el("tbody", {});
    const made = app.el(
      "table",
      { "aria-label": label, "aria-rowcount": rows.length, style: { "min-width": `${columns.reduce((sum, each) => sum + (each.width ?? LEAST), 0)}px` } },
      app.el("colgroup", {}, ...cols),
      app.el("thead", {}, head),
      body,
    );
    const scroll = app.el("div", { class: "scroll", tabindex: "0" }, made);
    const element = app.el("div", { class: "table" }, app.el("div", { class: "tools" }, filter, count), scroll);

    function found() {
      if (!state.words.length) return rows;
      state.texts ??= new Map(
        rows.map((row) => {
          const cells = columns.map((each) => written[each.kind](each.value(row)));
          return [row, [...cells, more(row)].join(" ").toLowerCase()];
        }),
      );
      return rows.filter((row) => state.words.every((word) => state.texts.get(row).includes(word)));
    }

    function arrange() {
      let shown = found();
      if (state.sort !== null) {
        const { value, kind } = columns[state.sort];
        const sign = state.down ? -1 : 1;
        const order = NUMERIC.has(kind)
          ? (a, b) => sign * (a - b)
          : (a, b) => sign * String(a).localeCompare(String(b), "en", { numeric: true });
        const missing = (each) => each === null || each === undefined;
        shown = [...shown].sort((a, b) => {
          const [left, right] = [value(a), value(b)];
          return missing(left) || missing(right) ? missing(left) - missing(right) : order(left, right);
        });
      }
      state.shown = shown;
      count.textContent =
        shown.length === rows.length ? app.fmt.count(rows.length, "row") : `${app.fmt.number(shown.length)} of ${app.fmt.count(rows.length, "row")}`;
      headings();
      draw();
    }

    function headings() {
      head.replaceChildren(
        ...columns.map((each, at) => {
          const sorted = state.sort === at ? (state.down ? "descending" : "ascending") : null;
          const turn = () => {
            state.down = state.sort === at ? !state.down : NUMERIC.has(each.kind);
            state.sort = at;
            arrange();
          };
          return app.el(
            "th",
            { scope: "col", class: each.kind, "aria-sort": sorted },
            app.el("button", { type: "button", title: each.help, onclick: turn }, each.label),
          );
        }),
      );
    }

    // Per column of names the letters of each that have room, by what shares that room and by name.
    const cuts = columns.map(() => ({ room: null, of: new Map() }));
    const behind = (column, row) => column.after?.(row) ?? "";
    const isSpanning = (column, row) => column.spans?.(row) ?? false;
    const groupOf = (column, row) => `${isSpanning(column, row) ? 2 : 1}${behind(column, row)}`;
    function cutNames() {
      const font = getComputedStyle(made).font;
      columns.forEach((column, at) => {
        const found = head.children[at].clientWidth - PADDING[at ? 1 : 0];
        const room = found - (found % STEP);
        if (column.kind !== "name" || room === cuts[at].room || room < 0) return;
        const wide = app.ruled(at ? font : `520 ${font}`);
        const groups = new Map();
        for (const row of rows) {
          const key = groupOf(column, row);
          if (!groups.has(key)) groups.set(key, { names: [], room: Math.max(room / 2, room - wide(behind(column, row))) + (isSpanning(column, row) ? head.children[at + 1].clientWidth : 0) });
          groups.get(key).names.push(app.visible(column.value(row) ?? ""));
        }
        cuts[at] = { room, of: new Map([...groups].map(([key, own]) => [key, app.fit(own.names, own.room, wide)])) };
      });
    }

    function name(at, row) {
      const column = columns[at];
      const made = app.named(column.value(row) ?? "", (column.whole ?? column.value)(row) ?? "");
      app.cut(made, cuts[at].of.get(groupOf(column, row))?.get(made.textContent));
      return behind(column, row) ? [made, app.el("span", { class: "where" }, behind(column, row))] : made;
    }

    function line(row) {
      const cells = columns.map((each, at) => {
        const text = each.cell ? null : written[each.kind](each.value(row));
        const title = NUMERIC.has(each.kind) || each.kind === "name" ? null : text;
        if (at && isSpanning(columns[at - 1], row)) return null;
        return app.el("td", { class: each.kind, title, colspan: isSpanning(each, row) ? 2 : null }, each.cell ? each.cell(row) : each.kind === "name" ? name(at, row) : text);
      });
      return app.el(
        "tr",
        {
          class: isRest(row) ? "rest" : null,
          "aria-selected": choose ? String(row === state.chosen) : null,
          onclick: choose ? () => pick(row) : null,
        },
        ...cells,
      );
    }

    // Columns without a width share what the others leave, by `grow`.
    function share() {
      const open = columns.filter((each) => !each.width);
      const left = scroll.clientWidth - columns.reduce((sum, each) => sum + (each.width ?? 0), 0);
      const parts = open.reduce((sum, { grow = 1 }) => sum + grow, 0);
      columns.forEach(({ width, grow = 1 }, at) => width || (cols[at].style.width = `${Math.max(LEAST, Math.floor((left * grow) / parts))}px`));
    }

    function draw() {
      share();
      cutNames();
      const first = Math.max(0, Math.floor(scroll.scrollTop / HIGH) - SPARE);
      const last = Math.min(state.shown.length, first + Math.ceil((scroll.clientHeight || 600) / HIGH) + 2 * SPARE);
      const space = (rows) => app.el("tr", { class: "space", style: { height: `${rows * HIGH}px` }, "aria-hidden": "true" });
      body.replaceChildren(space(first), ...state.shown.slice(first, last).map(line), space(state.shown.length - last));
    }

    function pick(row) {
      state.chosen = row;
      draw();
      choose(row);
    }

    // Bring a row into sight and mark it, without telling `choose`.
    function show(row) {
      state.chosen = row;
      const at = state.shown.indexOf(row);
      const top = at * HIGH;
      if (top < scroll.scrollTop || top > scroll.scrollTop + scroll.clientHeight - 3 * HIGH) {
        scroll.scrollTop = Math.max(0, top - 3 * HIGH);
      }
      draw();
    }

    function words(text) {
      filter.value = text;
      state.words = text.toLowerCase().split(/\s+/).filter(Boolean);
      scroll.scrollTop = 0;
      arrange();
    }

    // Other rows in the place of these; the order and the filter stay.
    function replace(others) {
      rows = others;
      Object.assign(state, { texts: null, chosen: null });
      for (const cut of cuts) cut.room = null;
      made.setAttribute("aria-rowcount", rows.length);
      scroll.scrollTop = 0;
      arrange();
    }

    filter.addEventListener("input", () => words(filter.value));
    scroll.addEventListener("scroll", draw, { passive: true });
    new ResizeObserver(draw).observe(scroll);
    arrange();
    return { element, show, words, replace, shown: () => state.shown };
  }

  // A column of shares with a bar behind the number; the first row is the longest.
  function shareColumn(rows, value, extra = {}) {
    const longest = rows.reduce((most, row) => Math.max(most, value(row) ?? 0), 1e-12);
    const cell = (row) => {
      const share = value(row);
      return app.el("span", { class: "part", style: { "--part": (share ?? 0) / longest } }, app.fmt.share(share));
    };
    return { label: "share", kind: "share", width: 128, value, cell, ...extra };
  }

  return { table, shareColumn, isNarrow };
})());
