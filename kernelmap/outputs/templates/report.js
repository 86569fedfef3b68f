"use strict";
// Draws the charts and the table of a report from the JSON in the page. Everything that came from
// a trace is written with textContent; Plotly's texts were made neutral before they came here.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);

  // ---- light and dark
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function paint() {
    $("theme").textContent = isDark() ? "Light" : "Dark";
    const texts = {
      "font.family": getComputedStyle(document.body).fontFamily,
      "font.color": color("--ink"),
      "hoverlabel.bgcolor": color("--card"),
      "hoverlabel.bordercolor": color("--line"),
      "hoverlabel.font.color": color("--ink"),
      "hoverlabel.font.family": getComputedStyle(document.body).fontFamily,
    };
    const axes = {
      "xaxis.gridcolor": color("--line"),
      "xaxis.color": color("--soft"),
      "yaxis2.tickfont.color": color("--soft"),
    };
    Plotly.relayout("ledger", texts);
    Plotly.restyle("ops", { "error_x.color": color("--range") }, [1]);
    for (const name of ["ops", "kernels"]) Plotly.relayout(name, { ...texts, ...axes });
  }

  // ---- charts
  for (const [name, figure] of Object.entries(data.figures)) {
    $(name).style.height = `${figure.layout.height}px`;
    // The ledger is too low for a hover text, and its legend says the same.
    const config = { responsive: true, displayModeBar: false, staticPlot: name === "ledger" };
    Plotly.newPlot(name, figure.data, figure.layout, config);
  }
  paint();
  system.addEventListener("change", paint);
  $("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    paint();
  });

  // ---- the table
  const PAGE = 200;
  const state = { table: data.tables[0], sort: null, down: true, words: [], all: false };

  function duration(ns) {
    for (const [scale, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
      const value = ns / scale;
      if (value >= 0.99995) {
        const [whole, part] = value.toFixed(value < 99.995 ? 2 : 1).split(".");
        return `${Number(whole).toLocaleString("en-US")}.${part} ${unit}`;
      }
    }
    return `${ns} ns`;
  }

  function percent(share) {
    let text = (share * 100).toFixed(1);
    if (text === "0.0" && share > 0) text = "<0.1";
    if (text === "100.0" && share < 1) text = ">99.9";
    return `${text} %`;
  }

  const write = {
    time: (value) => (value ? duration(value) : ""),
    share: percent,
    number: (value) => value.toLocaleString("en-US"),
    list: (value) => value.join(", "),
    text: (value) => value,
  };
  const shown = (value, kind) => (value === null ? "" : write[kind](value));
  const numeric = (kind) => kind === "time" || kind === "share" || kind === "number";

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function chosen() {
    const { table, sort, down, words } = state;
    const found = table.rows.filter((row) => {
      const text = row.filter((cell) => cell !== null).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (sort === null) return found;
    const kind = table.columns[sort].kind;
    const sign = down ? -1 : 1;
    const compare = numeric(kind)
      ? (a, b) => sign * (a - b)
      : (a, b) => sign * String(a).localeCompare(String(b), "en", { numeric: true });
    return found.sort((a, b) => {
      // What is missing stands last, whichever way the rest is sorted.
      if (a[sort] === null || b[sort] === null) return (a[sort] === null) - (b[sort] === null);
      return compare(a[sort], b[sort]);
    });
  }

  function heading(column, index) {
    const th = element("th", column.kind);
    th.scope = "col";
    if (state.sort === index) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    const button = element("button", "", column.label);
    button.type = "button";
    button.title = column.help;
    button.addEventListener("click", () => {
      state.down = state.sort === index ? !state.down : numeric(column.kind);
      state.sort = index;
      draw();
    });
    th.append(button);
    return th;
  }

  function line(row, columns, longest) {
    const tr = element("tr", String(row[0] ?? "(").startsWith("(") ? "rest" : "");
    row.forEach((value, index) => {
      const { kind } = columns[index];
      const td = element("td", kind, shown(value, kind));
      if (kind === "share" && value) td.style.setProperty("--part", value / longest);
      if (!numeric(kind)) td.title = td.textContent;
      tr.append(td);
    });
    return tr;
  }

  function draw() {
    const { table } = state;
    const rows = chosen();
    const share = table.columns.findIndex((column) => column.kind === "share");
    const longest = Math.max(...table.rows.slice(0, 1).map((row) => row[share] || 0), 1e-12);
    const head = element("thead");
    head.append(element("tr"));
    head.firstChild.append(...table.columns.map(heading));
    const body = element("tbody");
    const visible = state.all ? rows : rows.slice(0, PAGE);
    body.append(...visible.map((row) => line(row, table.columns, longest)));
    $("table").replaceChildren(head, body);
    const total = table.rows.length;
    $("count").textContent =
      rows.length === total ? `${total} rows` : `${rows.length} of ${total} rows`;
    $("more").hidden = visible.length === rows.length;
    for (const tab of $("tabs").children) {
      tab.setAttribute("aria-selected", String(tab.dataset.table === table.name));
    }
  }

  for (const table of data.tables) {
    const tab = element("button", "", table.title);
    tab.type = "button";
    tab.dataset.table = table.name;
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => {
      Object.assign(state, { table, sort: null, all: false });
      draw();
    });
    $("tabs").append(tab);
  }
  $("search").addEventListener("input", (event) => {
    state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    draw();
  });
  $("more").addEventListener("click", () => {
    state.all = true;
    draw();
  });
  draw();
})();
