"use strict";
// The views register themselves here; core shows one at a time, chosen by the part of the address
// behind `#`: `#ops`, `#kernels&kernel=NAME`, or `#call=ID` for the view whose key is `call`.
const kernelmap = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const views = new Map();
  const shown = new Map(); // name -> promise of a mounted view
  const app = {};
  let active = null;
  let routed = null; // the address that is shown, or about to be

  const $ = (id) => document.getElementById(id);

  // {name, title, key, mount(element, data, app), open(params), keys: [{key, help, run}]}
  // All but name and mount may be missing; mount may give a promise.
  function view(made) {
    views.set(made.name, made);
  }

  // ---- light and dark
  app.theme = () => root.dataset.theme || (system.matches ? "dark" : "light");
  app.color = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function painted() {
    $("theme").textContent = app.theme() === "dark" ? "Light" : "Dark";
    document.dispatchEvent(new CustomEvent("themechange"));
  }

  function turn() {
    root.dataset.theme = app.theme() === "dark" ? "light" : "dark";
    painted();
  }

  // ---- addresses
  app.go = (hash) => {
    location.hash = hash;
    route(); // at once: a key that comes before the browser's event goes on from here
  };
  app.hash = (name, params = {}) => {
    const pairs = Object.entries(params).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    return `#${[...(name ? [name] : []), ...pairs].join("&")}`;
  };

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a lone % that somebody typed
    }
  }

  function read(hash) {
    const params = {};
    let name = null;
    for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
      const at = part.indexOf("=");
      if (at < 0) name ??= part;
      else params[part.slice(0, at)] = decoded(part.slice(at + 1));
    }
    const keyed = [...views.values()].find((each) => each.key && each.key in params);
    const named = views.has(name) ? name : null;
    return { name: named ?? keyed?.name ?? views.keys().next().value, params };
  }

  function mounted(made) {
    if (!shown.has(made.name)) {
      const element = $(`${made.name}-view`);
      const left = app.data.without[made.name];
      const mount = async () => {
        if (left) element.append(app.el("p", { class: "note left" }, left));
        else await made.mount(element, await app.json(app.data.views[made.name]), app);
        if (!element.querySelector("h1")) element.prepend(app.el("h1", { class: "unseen" }, `${made.title}: ${app.data.title}`));
        element.dataset.ready = "yes";
      };
      shown.set(made.name, mount());
    }
    return shown.get(made.name);
  }

  async function route() {
    routed = location.hash;
    const { name, params } = read(routed);
    const made = views.get(name);
    active = made;
    for (const each of views.keys()) {
      $(`${each}-view`).hidden = each !== name;
      $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    }
    $(`tab-${name}`).scrollIntoView({ block: "nearest", inline: "nearest" });
    document.body.dataset.view = name;
    $("fold").textContent = made.title;
    unfold(false);
    await mounted(made);
    if (active === made && !app.data.without[name]) made.open?.(params);
  }

  // On a phone the tabs are folded behind a button that says which one is shown.
  function unfold(open) {
    $("fold").setAttribute("aria-expanded", String(open));
    $("top").classList.toggle("unfolded", open);
  }

  // ---- keys
  const typing = (target) => target.matches?.("input, select, textarea");

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      $("search").blur();
      unfold(false);
    }
    if (typing(event.target) || $("keys").open) return;
    const own = ownKeys().find((each) => each.key === event.key);
    const found = own || common().find((each) => each.key === event.key);
    if (!found) return;
    event.preventDefault();
    found.run(event);
  }

  // Those of the view that is shown, once it is drawn.
  const ownKeys = () => {
    const drawn = !app.data.without[active.name] && $(`${active.name}-view`).dataset.ready;
    return (drawn && active.keys) || [];
  };

  const common = () => [
    // There are nine digits; a view behind the ninth has its tab alone.
    ...[...views.values()].slice(0, 9).map((each, at) => ({
      key: String(at + 1),
      help: each.title,
      run: () => app.go(`#${each.name}`),
    })),
    { key: "/", help: "find an op, a line, a kernel or a call", run: () => $("search").focus() },
    { key: "t", help: "light or dark", run: turn },
    { key: "?", help: "these keys", run: help },
  ];

  function help() {
    const list = (title, keys) => [
      app.el("h2", {}, title),
      app.el(
        "dl",
        {},
        ...keys.flatMap((each) => [
          app.el("dt", {}, app.el("kbd", {}, each.name ?? each.key)),
          app.el("dd", {}, each.help),
        ]),
      ),
    ];
    const own = ownKeys();
    $("keys").replaceChildren(
      ...list("Keys", common()),
      ...(own.length ? list(`In ${active.title}`, own.filter((each) => each.help)) : []),
      app.el("form", { method: "dialog" }, app.el("button", {}, "Close")),
    );
    $("keys").showModal();
  }

  async function start() {
    app.data = JSON.parse($("data").textContent);
    if (typeof DecompressionStream === "undefined") {
      const old = "This browser is too old to unpack the report: it needs Chromium 80, Firefox 113 or Safari 16.4, or newer.";
      document.querySelector("main").append(app.el("p", { class: "note" }, old));
      return;
    }
    [app.data.calls, app.data.findable] = await Promise.all([app.json(app.data.calls), app.json(app.data.findable)]);
    painted();
    system.addEventListener("change", painted);
    $("theme").addEventListener("click", turn);
    $("help").addEventListener("click", help);
    $("fold").addEventListener("click", () => unfold($("fold").getAttribute("aria-expanded") === "false"));
    document.addEventListener("click", (event) => event.target.closest("#tabs, #fold") || unfold(false));
    document.addEventListener("keydown", pressed);
    app.finder();
    addEventListener("hashchange", () => location.hash === routed || route());
    route();
  }

  return { app, view, views: {}, start };
})();
