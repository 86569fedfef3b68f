// Rows with a bar: a bar is the time, its faint end what could be won of it, the line over it runs
// from its lower to its upper bound.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const part = (value, longest) => `${(100 * Math.max(0, Math.min(value, longest))) / (longest || 1)}%`;

  // {time_ns, least, most, won, shortens, rest}; `shortens`: what is won is of the steps; bounds that say no more than the bar are not drawn.
  function bar(row, longest) {
    const bound = row.most !== undefined && row.most !== null && (row.most > row.time_ns || row.least < row.time_ns);
    const told = [
      bound && `at least ${app.fmt.time(row.least)}, at most ${app.fmt.time(row.most)}`,
      row.won ? `headroom ${app.fmt.time(row.won)}: at most what ${row.shortens ? "could shorten the steps" : "can be won"}` : null,
    ].filter(Boolean);
    const about = told.join("; ") || null;
    return app.el(
      "span",
      { class: row.rest ? "track rest" : "track", title: about },
      app.el("i", { style: { width: part(row.time_ns, longest), ...(row.color ? { background: row.color } : {}) } }),
      row.won > 0 && !row.rest &&
        app.el("b", { style: { left: part(row.time_ns - row.won, longest), width: part(row.won, longest) } }),
      bound && !row.rest &&
        app.el("u", { style: { left: part(row.least, longest), width: part(row.most - row.least, longest) } }),
    );
  }

  // rows: [{title, id, hint, about, hash, time_ns, share, least, most, won, rest, color, inner}]; `inner`: a part of a row above; `code`: the hint is code -> a list
  function bars(rows) {
    const longest = Math.max(...rows.map((row) => Math.max(row.time_ns, row.most ?? 0)), 1);
    const names = rows.map((row) => app.named(row.title, row.about ?? row.title));
    const cells = rows.map((row, at) => app.el("span", { class: "name" }, names[at], row.id && app.el("small", { class: "id" }, row.id), row.hint && app.el("small", { class: row.code ? "mono" : null }, row.hint)));
    const made = app.el(
      "ol",
      { class: "bars" },
      ...rows.map((row, at) =>
        app.el(
          "li",
          {},
          app.el(
            row.hash ? "a" : "div",
            { class: ["row", row.rest && "rest", row.inner && "inner"].filter(Boolean).join(" "), href: row.hash, title: row.about },
            cells[at],
            bar(row, longest),
            app.el("span", { class: "number" }, app.fmt.time(row.time_ns)),
            app.el("span", { class: "number soft" }, app.fmt.share(row.share)),
          ),
        ),
      ),
    );
    // Names take what ids and the space around them leave; beside code they take half of it.
    const BESIDE = 10; // pixels, as in overview.css
    const ids = () => Math.max(0, ...cells.map((cell) => (cell.querySelector(".id")?.offsetWidth ?? 0) + BESIDE * cell.querySelectorAll("small").length));
    const half = rows.some((row) => row.code && row.hint) ? 0.5 : 1;
    app.fitted(made, names, () => (cells[0].clientWidth - ids()) * (innerWidth <= 600 ? 1 : half));
    return made;
  }

  const more = (number, open) => app.el("button", { type: "button", class: "more", onclick: open }, `and ${app.fmt.number(number)} more`);

  // Items that `drawn` makes of the first rows, and of all where that is wanted.
  function opening(rows, most, drawn) {
    const first = rows.slice(0, most).map(drawn);
    if (rows.length <= most) return first;
    const last = app.el("li", { class: "rest" }, more(rows.length - most, () => last.replaceWith(...rows.slice(most).map(drawn))));
    return [...first, last];
  }

  const card = (title, lead, ...children) =>
    app.el("section", { class: "card" }, app.el("header", {}, app.el("h2", {}, title), lead && app.el("p", {}, lead)), ...children);

  const isRest = (name) => String(name ?? "(").startsWith("(");

  return { bar, bars, more, opening, card, isRest };
})());
