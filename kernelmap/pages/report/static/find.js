// The box in the top bar: finds ops, modules, lines, kernels, graphs and calls; a view may add more.
Object.assign(kernelmap.app, (() => {
  const app = kernelmap.app;
  const sources = [];
  const [FIRST, MOST] = [12, 500]; // hits that are listed at first, and at most
  const $ = (id) => document.getElementById(id);

  // give() -> [{kind, title, hint, hash, time_ns}], asked once, when something is first searched.
  const searchable = (give) => sources.push({ give, found: null });

  // Hits that hold all words: those of that very name first, then those of which it is a part, then by time.
  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const hits = [];
    for (const source of sources) {
      source.found ??= source.give().map((hit) => ({ ...hit, low: `${hit.title} ${hit.hint ?? ""}`.toLowerCase() }));
      hits.push(...source.found.filter((hit) => words.every((word) => hit.low.includes(word))));
    }
    const wanted = words.join(" ");
    const near = ({ title }) => (title.toLowerCase() === wanted ? 2 : title.toLowerCase().split(/[^a-z0-9_]+/).includes(wanted) ? 1 : 0);
    return hits.sort((a, b) => near(b) - near(a) || (b.time_ns ?? 0) - (a.time_ns ?? 0));
  }

  function finder() {
    const [box, list] = [$("search"), $("hits")];
    let hits = []; // those that are listed
    let at = 0;

    const close = () => {
      list.hidden = true;
      box.setAttribute("aria-expanded", "false");
    };
    function choose(hit) {
      close();
      box.value = "";
      box.blur();
      app.go(hit.hash);
    }
    function mark() {
      [...list.children].forEach((each, row) => each.setAttribute("aria-selected", String(row === at && row < hits.length)));
      list.children[at]?.scrollIntoView({ block: "nearest" });
    }
    function draw(_, most = FIRST) {
      const found = search(box.value);
      hits = found.slice(0, most);
      at = 0;
      const names = hits.map((hit) => app.named(hit.shown ?? hit.title, hit.title));
      const none = app.el("li", { class: "none" }, "Nothing has all of these words.");
      list.replaceChildren(
        ...hits.map((hit, row) =>
          app.el(
            "li",
            { role: "option", onmousedown: (event) => (event.preventDefault(), choose(hit)) },
            app.el("span", { class: "kind" }, hit.kind),
            app.el("span", { class: "name" }, names[row], hit.hint && app.el("small", {}, hit.hint)),
            app.el("span", { class: "time" }, hit.time_ns ? app.fmt.time(hit.time_ns) : ""),
          ),
        ),
        ...(hits.length ? [] : [none]),
        ...(found.length > hits.length ? [more(found.length - hits.length)] : []),
      );
      list.hidden = !box.value.trim();
      box.setAttribute("aria-expanded", String(!list.hidden));
      mark();
      app.cutAll(names, Math.min(...[...list.querySelectorAll(".name")].map((each) => each.clientWidth)));
    }
    const more = (number) => app.el("li", { class: "none", role: "option", onmousedown: (event) => (event.preventDefault(), draw(null, MOST)) }, app.el("span", { class: "leads" }, `and ${app.fmt.number(number)} more`));
    box.addEventListener("input", draw);
    box.addEventListener("focus", draw);
    box.addEventListener("blur", close);
    box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && hits.length) {
        at = (at + step + hits.length) % hits.length;
        mark();
        event.preventDefault();
      } else if (event.key === "Enter" && hits[at]) choose(hits[at]);
    });
    searchable(() =>
      app.data.findable.map(([kind, title, hint, leads, time_ns]) => ({
        kind, title, hint, time_ns, shown: kind === "line" ? app.fmt.place(title) : title, hash: app.hash(null, leads),
      })),
    );
    searchable(() => {
      const { call, wrapper, ops, source, time_ns } = app.data.calls;
      return call.flatMap((id, row) => {
        if (id === null) return [];
        const hint = [id, ...(ops[row] ?? []), ...(source[row] ?? []).map(app.fmt.place)].join(" · ");
        return [{ kind: "call", title: wrapper[row], hint, hash: app.hash(null, { call: id }), time_ns: time_ns[row] }];
      });
    });
  }

  return { searchable, search, finder };
})());
